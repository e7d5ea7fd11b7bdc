"""A memory at hand as coding sessions read it: what is recorded on files and names, and on what a text names.

Standard library over a file, since hooks wait for it; the bot answers the hooks of others with it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from store import Decision, Reader

Document = Mapping[str, Any]
"""A decision as `why list --json` has it."""

RECORDED = "record"
"""The source of what somebody recorded at a terminal or through a tool."""
MOST_NAMED = 20
MOST_ON_ONE = 60
"""Decisions on one thing that are looked at, newest first: five are shown."""


class Recorded(Protocol):
    """What is asked of a memory."""

    def decisions(self, reader: Reader, *, element: str = "", limit: int | None = None) -> Sequence[Decision]:
        """Return decisions, newest first: all, or those on an element or a file."""
        ...

    def named_in(self, text: str, reader: Reader, *, limit: int) -> Sequence[Decision]:
        """Return the decisions on what a text names by a rare word."""
        ...

    def recorded_since(self, moment: datetime, *, source: str) -> bool:
        """Say whether a decision of that source was recorded since a moment, whoever may read it."""
        ...


class AtHand:
    """One open memory, read as one reader."""

    ways = "`why heads PATH`, `why ask QUESTION`"
    more = "`why show ID` tells more."

    def __init__(self, memory: Recorded, reader: Reader) -> None:
        """Read an open memory; whoever opened it closes it."""
        self._memory = memory
        self._reader = reader

    def is_empty(self) -> bool:
        """Say whether nothing is recorded yet that the reader can read."""
        return not self._memory.decisions(self._reader, limit=1)

    def on(self, names: Sequence[str]) -> list[Document]:
        """Return the decisions on elements or files of these names, each once."""
        found = {
            one.id: one
            for name in names
            for one in self._memory.decisions(self._reader, element=name, limit=MOST_ON_ONE)
        }
        return _documents(found.values())

    def named_in(self, text: str) -> list[Document]:
        """Return the decisions on what a text names by a rare word, the most alike first."""
        return _documents(self._memory.named_in(text, self._reader, limit=MOST_NAMED))

    def recorded_since(self, moment: datetime) -> bool:
        """Say whether somebody recorded a decision since then."""
        return self._memory.recorded_since(moment, source=RECORDED)


def _documents(decisions: Iterable[Decision]) -> list[Document]:
    from bot.decision_shape import decision_json  # not for those whose memory is the team's

    return [decision_json(one) for one in decisions]


def telling(decisions: Iterable[Document]) -> list[Document]:
    """Return those that an agent may be shown: confirmed ones that stand, accepted or turned down."""
    return [
        each
        for each in decisions
        if each.get("confirmed") and each.get("state") == "current" and each.get("status") in ("accepted", "rejected")
    ]


_BRIEF = ("id", "title", "rationale", "status", "state", "confirmed", "decided_on", "alternatives", "outcome")
_LONGEST = 400
"""Characters of one text in a brief document: an agent is shown less."""
_MOST_ALTERNATIVES = 4


def brief(decision: Document) -> dict[str, Any]:
    """Return of a decision's document what an agent is shown of it, and no more."""
    kept: dict[str, Any] = {name: decision.get(name) for name in _BRIEF}
    options = decision.get("alternatives")
    kept["alternatives"] = [
        {side: _cut(each.get(side)) for side in ("option", "reason")}
        for each in (options if isinstance(options, list) else [])[:_MOST_ALTERNATIVES]
        if isinstance(each, dict)
    ]
    return kept | {"title": _cut(decision.get("title")), "rationale": _cut(decision.get("rationale"))}


def brief_of(found: object) -> Document | None:
    """Return what another machine says is a brief document; None where it has not the shape of one."""
    if not isinstance(found, dict) or not _is_id(found.get("id")):
        return None
    said = brief(found)
    said["status"], said["state"] = (_cut(said[name]) for name in ("status", "state"))
    said["confirmed"], said["outcome"] = said["confirmed"] is True, _cut(said["outcome"])
    try:
        said["decided_on"] = date.fromisoformat(str(said["decided_on"])).isoformat()
    except ValueError:
        said["decided_on"] = None
    return said


def _is_id(value: object) -> bool:
    return isinstance(value, str) and 12 <= len(value) <= 64 and not set(value) - set("0123456789abcdef")


def _cut(value: object) -> str:
    return value[:_LONGEST] if isinstance(value, str) else ""
