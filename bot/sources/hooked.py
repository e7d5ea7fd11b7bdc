"""What other systems deliver as it happens: which part of which thread it is, and the thread's document put together.

A webhook has one comment and the thread's opening, in any order and perhaps again. Each part is taken by its own id
and version; the document that they make has the shape that the source's parser reads from an export.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.sources.fields import objects_of, text_of
from bot.sources.github import OWN_COMMENT, anchor_of
from bot.sources.jira import FIELDS as JIRA_FIELDS
from store import HookPiece

OPENING = "opening"
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooked:
    """What a delivery brings: pieces of one thread; `ends` says that the thread is closed for now."""

    pieces: tuple[HookPiece, ...] = ()
    ends: bool = False
    why: str = ""
    """Why it brings nothing, where it does."""


def nothing(why: str) -> Hooked:
    """Return a delivery that brings nothing, and why."""
    return Hooked(why=why)


# --- GitHub -----------------------------------------------------------------------------------

_GITHUB_LISTS = {
    "issue_comment": ("comment", "comments"),
    "pull_request_review": ("review", "reviews"),
    "pull_request_review_comment": ("comment", "review_comments"),
}
_GITHUB_FIELDS = (
    "number", "title", "body", "user", "created_at", "submitted_at", "updated_at", "html_url", "url", "id", "state",
    "merged", "merged_at", "closed_at", "state_reason", "pull_request",
)  # fmt: skip


def github(event: str, body: Json) -> Hooked:
    """Read an event of issues and pull requests; `event` is the header X-GitHub-Event."""
    thread = body.get("pull_request") or body.get("issue")
    if event not in ("issues", "pull_request", *_GITHUB_LISTS) or not isinstance(thread, Mapping):
        return nothing(f"{event or 'an event'} is nothing that anybody says in an issue or a pull request")
    opening = {name: thread[name] for name in _GITHUB_FIELDS if name in thread}
    opening["repository"] = {"full_name": text_of(body, "repository", "full_name")}
    anchor = anchor_of(opening)
    if not anchor:
        return nothing("it names no repository and number")
    if body.get("action") == "deleted" and event == "issues":
        return nothing("the issue was deleted: what it decided stays until somebody takes it out")
    pieces = [_piece("github", anchor, OPENING, "", opening)]
    if event in _GITHUB_LISTS:
        field, listed = _GITHUB_LISTS[event]
        said = body.get(field)
        if isinstance(said, Mapping) and text_of(said, "body").startswith(OWN_COMMENT):
            return nothing("it is what the bot itself said")
        if isinstance(said, Mapping) and text_of(said, "id"):
            gone = body.get("action") in ("deleted", "dismissed")
            kept = None if gone else {name: said[name] for name in _GITHUB_FIELDS if name in said}
            pieces.append(
                _piece("github", anchor, listed, text_of(said, "id"), kept, version=_version(said, gone=gone))
            )
    return Hooked(pieces=tuple(pieces), ends=body.get("action") in ("closed", "merged"))


def _github_document(pieces: Sequence[HookPiece]) -> list[Json]:
    return [{**_opening(pieces), **{listed: _listed(pieces, listed) for _, listed in _GITHUB_LISTS.values()}}]


# --- Jira -------------------------------------------------------------------------------------


def jira(event: str, body: Json) -> Hooked:
    """Read an event of an issue or a comment, of Jira Cloud or Server."""
    issue = body.get("issue")
    if not isinstance(issue, Mapping) or not text_of(issue, "key"):
        return nothing(f"{event or text_of(body, 'webhookEvent') or 'an event'} is about no issue")
    key, fields = text_of(issue, "key"), issue.get("fields")
    pieces = []
    if isinstance(fields, Mapping) and (fields.get("created") or fields.get("description")):
        kept = {name: fields[name] for name in JIRA_FIELDS if name in fields}
        opening = {"key": key, "self": text_of(issue, "self"), "fields": kept}
        pieces.append(_piece("jira", key, OPENING, "", opening, version=text_of(fields, "updated")))
        pieces += [_jira_comment(key, each) for each in objects_of(fields, "comment", "comments")]
    if isinstance(body.get("comment"), Mapping):
        gone = text_of(body, "webhookEvent").endswith("deleted")
        pieces.append(_jira_comment(key, body["comment"], gone=gone))
    ends = isinstance(fields, Mapping) and bool(fields.get("resolution"))
    return Hooked(pieces=tuple(pieces), ends=ends) if pieces else nothing("it holds no words")


def _jira_comment(key: str, said: Json, *, gone: bool = False) -> HookPiece:
    kept = {name: said[name] for name in ("id", "author", "body", "created", "updated") if name in said}
    version = "~" if gone else text_of(said, "updated") or text_of(said, "created")
    return _piece("jira", key, "comments", text_of(said, "id"), None if gone else kept, version=version)


def _jira_document(pieces: Sequence[HookPiece]) -> list[Json]:
    opening = _opening(pieces)
    key = next(one.thread for one in pieces)
    fields = {**opening.get("fields", {}), "comment": {"comments": _listed(pieces, "comments")}}
    return [{"key": key, "self": opening.get("self", ""), "fields": fields}]


# --- PagerDuty --------------------------------------------------------------------------------

_PAGERDUTY_LISTS = {"incident.annotated": "notes", "incident.status_update_published": "status_updates"}
_PAGERDUTY_FIELDS = ("id", "number", "title", "html_url", "created_at", "status", "service")


def pagerduty(event: str, body: Json) -> Hooked:
    """Read an event of version 3; a note names its incident by id alone, so threads go by that."""
    del event
    told = body.get("event")
    data = told.get("data") if isinstance(told, Mapping) else None
    if not isinstance(told, Mapping) or not isinstance(data, Mapping):
        return nothing("no event of version 3")
    kind, at = text_of(told, "event_type"), text_of(told, "occurred_at")
    if kind in _PAGERDUTY_LISTS and (thread := text_of(data, "incident", "id")):
        by = told.get("agent")
        kept = {**data, "created_at": text_of(data, "created_at") or at, "user": by, "sender": by}
        return Hooked(
            pieces=(_piece("pagerduty", thread, _PAGERDUTY_LISTS[kind], text_of(data, "id"), kept, version=at),)
        )
    if text_of(data, "type") != "incident" or not text_of(data, "id"):
        return nothing(f"{kind or 'an event'} says nothing about an incident")
    kept = {name: data[name] for name in _PAGERDUTY_FIELDS if name in data}
    piece = _piece("pagerduty", text_of(data, "id"), OPENING, "", kept, version=at)
    return Hooked(pieces=(piece,), ends=kind == "incident.resolved")


def _pagerduty_document(pieces: Sequence[HookPiece]) -> list[Json]:
    opening = _opening(pieces)
    if not text_of(opening, "number"):
        return []  # a note that came before its incident
    return [{**opening, **{listed: _listed(pieces, listed) for listed in _PAGERDUTY_LISTS.values()}}]


# --- Zoom, and anything else ------------------------------------------------------------------


def zoom(event: str, body: Json) -> Hooked:
    """Read an event of Zoom: none of them holds what was said; a transcript is imported from its file."""
    return nothing(f"{text_of(body, 'event') or event or 'an event'} holds no words; import the transcript's file")


def turns(event: str, body: Json) -> Hooked:
    """Read turns in the product's own words: `{"turns": [{"thread", "id", "author", "at", "text"}], "ends": true}`."""
    del event
    said = [each for each in objects_of(body, "turns") if text_of(each, "thread") and text_of(each, "id")]
    if not said:
        return nothing("no turn with a thread, an id and a text")
    threads = {text_of(each, "thread") for each in said}
    if len(threads) > 1:
        return nothing("turns of several threads: one delivery is about one")
    pieces = [
        _piece("turns", text_of(each, "thread"), "turns", text_of(each, "id"), each if text_of(each, "text") else None,
               version=text_of(each, "edited") or text_of(each, "at"))
        for each in said
    ]  # fmt: skip
    return Hooked(pieces=tuple(pieces), ends=body.get("ends") is True)


def _turns_document(pieces: Sequence[HookPiece]) -> list[Json]:
    return _listed(pieces, "turns")


# --- all of them ------------------------------------------------------------------------------

READERS: Mapping[str, Callable[[str, Json], Hooked]] = {
    "github": github,
    "jira": jira,
    "pagerduty": pagerduty,
    "turns": turns,
    "zoom": zoom,
}
"""Each source that delivers, with what reads one delivery of it."""

_DOCUMENTS: Mapping[str, Callable[[Sequence[HookPiece]], list[Json]]] = {
    "github": _github_document,
    "jira": _jira_document,
    "pagerduty": _pagerduty_document,
    "turns": _turns_document,
}


def document_of(source: str, pieces: Iterable[HookPiece]) -> str:
    """Return the document of a thread as the source's parser reads it; "" where it can't be put together yet."""
    found = list(pieces)
    listed = _DOCUMENTS[source](found) if found else []
    return json.dumps(listed, ensure_ascii=False) if listed else ""


def turn_of(piece: HookPiece) -> str:
    """Return the id of the turn that a piece is, as its parser gives it; "" where that takes more than the piece."""
    marks = {"comments": "#comment-", "reviews": "#review-", "review_comments": "#line-comment-"}
    if piece.kind == "turns":
        return piece.piece
    if piece.kind == OPENING and piece.source in ("github", "jira"):
        return piece.thread
    return f"{piece.thread}{marks[piece.kind]}{piece.piece}" if piece.kind in marks else ""


def _piece(source: str, thread: str, kind: str, id_: str, content: Json | None, *, version: str = "") -> HookPiece:
    said = version or (_version(content) if content else "")
    return HookPiece(source=source, thread=thread, kind=kind, piece=id_, version=said, content=content)


def _version(said: Json, *, gone: bool = False) -> str:
    """Return what sorts the versions of one part by time; a deleted one is the last."""
    return "~" if gone else text_of(said, "updated_at") or text_of(said, "submitted_at") or text_of(said, "created_at")


def _opening(pieces: Sequence[HookPiece]) -> dict[str, Any]:
    return dict(next((one.content for one in pieces if one.kind == OPENING and one.content), {}))


def _listed(pieces: Sequence[HookPiece], kind: str) -> list[Json]:
    return [one.content for one in pieces if one.kind == kind and one.content]
