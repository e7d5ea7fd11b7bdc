"""Preflight: does a change go against what was decided? Rules over a diff and its description, no model.

A change conflicts where it brings in what a decision on its files, or on what it names, turned down. It needs a
superseding decision where it takes out what such a decision chose, or says that it replaces it. Each finding cites its
decision. A change that names the decision, or records one, knows of it: that is no finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from typing import Any, Protocol

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from bot.errors import UnreadableDocument
from bot.structure import is_built
from bot.turned_down import names_option, said_no_to
from store import Alternative, Bearing, Decision, Draft, Reader, State, Status, Verdict, bearing, stems

MOST_FILES = 200
MOST_CHARS = 400_000
"""Of a diff's added or removed lines that are looked at."""
MOST_ON_ONE, MOST_NAMED = 60, 40
"""Decisions on one file, and on what a change names, newest and nearest first."""
TAKEN_OUT = 2
"""Words of what was chosen that must go, and stand nowhere in what comes, for the choice to be taken out."""
SHORT_ID = 12

_BROUGHT = "brings in what was turned down"
"""Said of a decision that turned something down by its title, whose words may begin with "no"."""
_IDS = re.compile(r"\b[0-9a-f]{12,64}\b")
_WORDS = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


class Preflight(StrEnum):
    """What comes of a look at a change."""

    ALLOW = "allow"
    CONFLICT = "conflict"
    NEEDS_SUPERSEDING = "needs-superseding"


class Recorded(Protocol):
    """What is asked of a memory."""

    def decisions(self, reader: Reader, *, element: str, limit: int) -> Sequence[Decision]:
        """Return the decisions on an element or a file, newest first."""
        ...

    def named_in(self, text: str, reader: Reader, *, limit: int) -> Sequence[Decision]:
        """Return the decisions on what a text names by a rare word."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change as it is looked at: its files, the lines that come and go in what is built, and what is said of it."""

    files: tuple[str, ...]
    added: str
    removed: str
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One decision that a change goes against, and how."""

    verdict: str
    decision: Decision
    what: str
    why: str


def change_of(diff: str, *, title: str = "", body: str = "") -> Change:
    """Return the change in a unified diff.

    Raises:
        UnreadableDocument: it is no unified diff.
    """
    try:
        patch = PatchSet(diff)
    except UnidiffParseError as error:
        raise UnreadableDocument(f"diff: {error}") from error
    if diff.strip() and not patch:
        raise UnreadableDocument("diff: no file is changed in it, as `git diff` writes changes")
    built = [each for each in patch[:MOST_FILES] if is_built(each.path)]
    lines = [line for each in built for hunk in each for line in hunk]
    return Change(
        files=tuple(each.path for each in built),
        added="".join(line.value for line in lines if line.is_added)[:MOST_CHARS],
        removed="".join(line.value for line in lines if line.is_removed)[:MOST_CHARS],
        said=f"{title}\n{body}".strip(),
    )


def findings(memory: Recorded, reader: Reader, change: Change, *, names: Sequence[str] = ()) -> tuple[Finding, ...]:
    """Return what a change goes against, conflicts first, each decision once.

    Args:
        memory: what is recorded.
        reader: as whom it is read.
        change: the change.
        names: further elements that it is about.
    """
    found: dict[str, Finding] = {}
    comes, goes = f"{change.said}\n{_spelt_out(change.added)}", _spelt_out(change.removed)
    near = _near(memory, reader, change, names)
    for decision in _candidates(memory, reader, change, near):
        finding = _finding(decision, change, comes, goes, near=decision.id in near)
        if finding is not None and not _knows_of(decision, change):
            found.setdefault(decision.id, finding)
    order = {Preflight.CONFLICT: 0, Preflight.NEEDS_SUPERSEDING: 1}
    return tuple(sorted(found.values(), key=lambda one: (order[Preflight(one.verdict)], one.decision.id)))


def document(found: Sequence[Finding]) -> dict[str, object]:
    """Return the document of `why preflight`."""
    return {
        "verdict": found[0].verdict if found else Preflight.ALLOW.value,
        "citations": [
            {
                "verdict": one.verdict,
                "id": one.decision.id,
                "ref": one.decision.place.ref,
                "title": one.decision.title,
                "what": one.what,
                "why": one.why,
                "quote": one.decision.evidence[0].quote if one.decision.evidence else "",
                "permalink": one.decision.place.permalink,
                "decided_on": one.decision.decided_on.isoformat() if one.decision.decided_on else None,
                "outcome": one.decision.voices.label.value if one.decision.voices.label else None,
            }
            for one in found
        ],
    }


def lines(found: Mapping[str, Any]) -> list[str]:
    """Return the document in words."""
    if not found["citations"]:
        return ["allow: nothing recorded speaks against this change"]
    told: list[str] = []
    for one in found["citations"]:
        when = f" ({one['decided_on']})" if one["decided_on"] else ""
        told.append(f"{one['verdict']}: {one['what']}")
        told.append(f"  {one['title']}{when} [{one['id'][:SHORT_ID]}]")
        told += [f"  why: {one['why']}"] if one["why"] else []
        told += [f"  {one['permalink']}"] if one["permalink"] else []
    return told


# --- how ---------------------------------------------------------------------------------------


def _near(memory: Recorded, reader: Reader, change: Change, names: Sequence[str]) -> dict[str, Decision]:
    """Return the decisions on the files and on what the change is about."""
    found: dict[str, Decision] = {}
    for name in (*(f"./{path}" for path in change.files), *names):
        found |= {each.id: each for each in memory.decisions(reader, element=name, limit=MOST_ON_ONE)}
    return found


def _candidates(memory: Recorded, reader: Reader, change: Change, near: Mapping[str, Decision]) -> Iterable[Decision]:
    """Return the confirmed decisions, near and on what the change names, that stand or turned something down."""
    found = dict(near)
    for text in (change.said, " ".join(dict.fromkeys(_identifiers(change.added)))):
        found |= {each.id: each for each in memory.named_in(text, reader, limit=MOST_NAMED)}
    return [
        each
        for each in found.values()
        if each.confirmed and each.state is State.CURRENT and each.status in (Status.ACCEPTED, Status.REJECTED)
    ]


def _finding(decision: Decision, change: Change, comes: str, goes: str, *, near: bool) -> Finding | None:
    """Return how a change goes against a decision; `comes` and `goes` are its two sides with their names spelt out.

    `near` is whether the decision is about its files: then what its title says no to need not be said with where.
    """
    for option in _turned_down(decision, near=near):
        chosen = "" if decision.status is Status.REJECTED else decision.title
        brought = names_option(comes, option.option, beside=chosen) and not names_option(goes, option.option)
        if brought:
            return Finding(
                verdict=Preflight.CONFLICT,
                decision=decision,
                what=f"{option.option} was turned down" if option.option != decision.title else _BROUGHT,
                why=option.reason or decision.rationale,
            )
    if decision.status is not Status.ACCEPTED:
        return None
    if change.said and (how := bearing(_draft(change), decision)):
        replaces = how is Bearing.REPLACES
        return Finding(
            verdict=Preflight.NEEDS_SUPERSEDING if replaces else Preflight.CONFLICT,
            decision=decision,
            what="the description replaces it" if replaces else "the description pulls against it",
            why=_why(decision),
        )
    if gone := _taken_out(decision, change):
        return Finding(
            verdict=Preflight.NEEDS_SUPERSEDING,
            decision=decision,
            what=f"takes out what was chosen: {', '.join(gone[:3])}",
            why=_why(decision),
        )
    return None


def _why(decision: Decision) -> str:
    failed = " It worked out badly." if decision.voices.label is Verdict.FAILED else ""
    return f"{decision.rationale}{failed}".strip()


def _draft(change: Change) -> Draft:
    title, _, body = change.said.partition("\n")
    return Draft(title=title, rationale=body, decided_on=date.max)


def _turned_down(decision: Decision, *, near: bool) -> Iterator[Alternative]:
    """Yield what a decision turned down: its options that lost, and itself where it was rejected."""
    if decision.status is Status.REJECTED:
        for option in said_no_to(decision.title) if near else ():
            yield Alternative(option=option, reason=decision.rationale)
        yield Alternative(option=decision.title, reason=decision.rationale)
    yield from decision.alternatives


def _taken_out(decision: Decision, change: Change) -> list[str]:
    """Return the words of what was chosen that the change takes out and puts nowhere; too few are no choice."""
    chosen = {word.lower() for word in _WORDS.findall(decision.title)}
    chosen |= {word.lower() for _, _, value in decision.sets for word in _WORDS.findall(value)}
    goes, comes = _stems_of(change.removed), _stems_of(change.added)
    gone = sorted(word for word in chosen if (stem := stems(word)) and stem <= goes and not stem & comes)
    named = any(word in gone for _, _, value in decision.sets for word in map(str.lower, _WORDS.findall(value)))
    return gone if len(gone) >= (1 if named else TAKEN_OUT) else []


def _knows_of(decision: Decision, change: Change) -> bool:
    """Say whether the change names the decision, by its ref or the beginning of its id."""
    text = f"{change.said}\n{change.added}"
    if decision.place.ref and re.search(rf"(?<!\w){re.escape(decision.place.ref)}(?!\w)", text):
        return True
    return any(decision.id.startswith(each) for each in _IDS.findall(text))


def _identifiers(code: str) -> Iterator[str]:
    yield from (word.lower() for word in _WORDS.findall(_spelt_out(code)) if len(word) > 3)


@lru_cache(maxsize=4)
def _stems_of(code: str) -> frozenset[str]:
    """Return the stems of code with its names spelt out: once a change, not once a decision near it."""
    return stems(_spelt_out(code))


def _spelt_out(code: str) -> str:
    """Return code with its names as words: `retryPolicy` and `retry_policy` say "retry policy"."""
    return _HUMPS.sub(" ", code)
