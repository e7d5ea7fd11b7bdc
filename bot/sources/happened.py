"""What systems report beside what people say: incidents, reverts that were merged, tickets that were resolved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.sources.document import Reported, moment
from bot.sources.fields import text_of
from store import Happened, Happening

_DONE = frozenset({"done", "fixed", "resolved", "complete", "completed", "implemented"})
"""How Jira calls it that what a ticket asked for was done; any other resolution says nothing of a decision."""
_REVERT = re.compile(r'Revert(?:s)? "')
_REVERTS = re.compile(r"(?m)^\s*Reverts\s+(?P<repo>[\w.-]+/[\w.-]+)?#(?P<number>\d+)")
_NUMBERED = re.compile(r"\(#(?P<number>\d+)\)\"?\s*$")
_COMMIT = re.compile(r"This reverts commit (?P<sha>[0-9a-f]{7,40})\b")


def of_incident(incident: Mapping[str, Any], anchor: str) -> Reported | None:
    """Return that something broke, and when; None where it doesn't say when."""
    at = moment(incident.get("created_at"))
    if at is None:
        return None
    return _reported(anchor, Happening.INCIDENT, at)


def of_issue(issue: Mapping[str, Any], key: str) -> Reported | None:
    """Return that what a Jira ticket asked for was done; None while it wasn't, or won't be."""
    fields = issue["fields"]
    at = moment(fields.get("resolutiondate"))
    if at is None or text_of(fields, "resolution", "name").casefold() not in _DONE:
        return None
    return _reported(key, Happening.RESOLVED, at)


def of_github(each: Mapping[str, Any], anchor: str) -> Reported | None:
    """Return that a revert was merged, or that an issue was closed as completed; None for all else."""
    merged = moment(each.get("merged_at")) or moment(text_of(each, "pull_request", "merged_at"))
    if merged is not None:
        undoes = _undone(text_of(each, "title"), text_of(each, "body"), anchor.partition("#")[0])
        return _reported(anchor, Happening.REVERT, merged, undoes=undoes) if undoes else None
    closed = moment(each.get("closed_at"))
    if closed is None or "pull_request" in each or text_of(each, "state_reason") != "completed":
        return None
    return _reported(anchor, Happening.RESOLVED, closed)


def undone_by(message: str) -> tuple[str, ...]:
    """Return the commits that a commit's message says it reverts."""
    return tuple(match["sha"] for match in _COMMIT.finditer(message))


def _undone(title: str, body: str, repo: str) -> tuple[str, ...]:
    """Return what a pull request takes back: pull requests of its body or its title, and commits."""
    named = [f"{match['repo'] or repo}#{match['number']}" for match in _REVERTS.finditer(body)]
    if not named and _REVERT.match(title) and (match := _NUMBERED.search(title)):
        named = [f"{repo}#{match['number']}"]
    return (*named, *undone_by(body))


def _reported(anchor: str, kind: Happening, at: datetime, *, undoes: tuple[str, ...] = ()) -> Reported:
    return Reported(thread_id=anchor, happened=Happened(kind=kind, at=at, undoes=undoes))
