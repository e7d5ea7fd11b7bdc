"""Jira's issues, from an export or the REST API: one issue is one thread, in plain text or Atlassian's document format.

The description and each comment are its turns; the last one before it was resolved says so, unless nothing was done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.errors import UnreadableDocument
from bot.sources.document import Reported, Unread, moment
from bot.sources.fields import element_of, objects_of, text_of
from bot.sources.happened import of_issue
from bot.sources.json_text import read_json
from store import Turn, TurnId, Vocabulary

FIELDS = (
    "summary", "description", "reporter", "creator", "created", "updated", "resolution", "resolutiondate", "status",
    "components",
)  # fmt: skip
"""Of an issue, beside its comments, what is read here: what to ask for and to keep."""
_HOST = re.compile(r"https?://[^/]+")
_BLOCKS = frozenset({
    "blockquote", "bulletList", "codeBlock", "decisionItem", "decisionList", "heading", "listItem", "mediaSingle",
    "orderedList", "panel", "paragraph", "rule", "table", "tableCell", "tableHeader", "tableRow", "taskItem",
    "taskList",
})  # fmt: skip

_NOTHING_DONE = frozenset({
    "cannot reproduce", "can't reproduce", "duplicate", "incomplete", "invalid", "moved", "obsolete", "unresolved",
})  # fmt: skip
"""Resolutions, in small letters, that say nothing about the matter itself."""


class JiraSource:
    """Issues with their comments."""

    name = "jira"
    suffixes = (".json",)
    vocabulary = Vocabulary(
        decided=("decided", "we stay on", "agreed", "resolution", "then ", "it is", "we go with", "won't do"),
        superseded=("no longer", "replaces", "instead of", "supersedes"),
        rejected=("won't do", "won't fix", "rejected", "not doing", "we don't"),
    )

    def turns(self, document: str, *, origin: str, dated: datetime) -> Iterator[Turn | Unread | Reported]:
        """Yield the turns of every issue of a search result, a list, or one issue by itself."""
        for number, issue in enumerate(_issues(read_json(document), origin), start=1):
            key = text_of(issue, "key")
            if not key or not isinstance(issue.get("fields"), Mapping):
                yield Unread(where=f"{origin}: issue {number}", rule="without a key or fields")
                continue
            yield from _turns_of(issue, key, dated)
            if happened := of_issue(issue, key):
                yield happened

    def ref(self, thread_id: str) -> str:
        """An issue is called by its key."""
        return thread_id


def _issues(found: object, origin: str) -> Iterable[Mapping[str, Any]]:
    if isinstance(found, Mapping):
        return objects_of(found, "issues") if "issues" in found else (found,)
    if isinstance(found, list):
        return (each if isinstance(each, Mapping) else {} for each in found)
    raise UnreadableDocument(f"{origin}: neither an issue nor a list of issues")


def _turns_of(issue: Mapping[str, Any], key: str, dated: datetime) -> Iterator[Turn]:
    """Yield an issue's turns, oldest first."""
    fields = issue["fields"]
    said = sorted(_said(issue, fields, key, dated), key=lambda turn: turn.occurred_at)
    last = -1
    if _is_resolved(fields):
        at = moment(fields.get("resolutiondate"))
        last = sum(at is None or turn.occurred_at <= at for turn in said) - 1
    yield from (replace(turn, resolves=place == last) for place, turn in enumerate(said))


def _is_resolved(fields: Mapping[str, Any]) -> bool:
    name = text_of(fields, "resolution", "name")
    return bool(name) and name.lower() not in _NOTHING_DONE


def _said(issue: Mapping[str, Any], fields: Mapping[str, Any], key: str, dated: datetime) -> Iterator[Turn]:
    host = _HOST.match(text_of(issue, "self"))
    link = f"{host[0]}/browse/{key}" if host else ""
    created = moment(fields.get("created")) or dated
    about = tuple(
        element
        for each in objects_of(fields, "components")
        for element in element_of("component", text_of(each, "name"))
    )

    def turn(mark: str, by: object, at: datetime, text: str, permalink: str) -> Turn:
        name, account = text_of(by, "displayName") or text_of(by, "name"), text_of(by, "accountId")
        return Turn(
            turn_id=TurnId(f"{key}{mark}"), thread_id=key, author=name, author_id=account or text_of(by, "key"),
            occurred_at=at, text=text, permalink=permalink, is_bot=text_of(by, "accountType") == "app",
            about=about,
        )  # fmt: skip

    summary = text_of(fields, "summary")
    opener = fields.get("reporter") or fields.get("creator")
    yield turn("", opener, created, f"{summary}\n\n{plain(fields.get('description'))}".strip(), link)
    last = created
    for comment in objects_of(fields, "comment", "comments"):
        number = text_of(comment, "id")
        last = moment(comment.get("created")) or last
        there = f"{link}?focusedCommentId={number}" if link else ""
        yield turn(f"#comment-{number}", comment.get("author"), last, plain(comment.get("body")), there)


def plain(body: object) -> str:
    """Return the words of a field: a string as it stands, a document of nodes, known or not, as paragraphs."""
    if isinstance(body, str):
        return body.strip()
    lines = "".join(_nodes(body)).split("\n")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def _nodes(node: object) -> Iterator[str]:
    """Walk a document without recursion deeper than its own: what is nested too deeply was refused as JSON."""
    if not isinstance(node, Mapping):
        return
    kind = text_of(node, "type")
    if kind == "text" and isinstance(node.get("text"), str):
        yield node["text"]
    elif kind == "hardBreak":
        yield "\n"
    elif kind in ("mention", "emoji", "status", "date", "inlineCard"):
        yield text_of(node, "attrs", "text") or text_of(node, "attrs", "shortName") or text_of(node, "attrs", "url")
    if kind == "listItem":
        yield "- "
    for child in node.get("content") or () if isinstance(node.get("content"), list) else ():
        yield from _nodes(child)
    if kind in _BLOCKS and kind not in ("listItem", "bulletList", "orderedList"):
        yield "\n"
