"""What the log holds of one person: found by id, or by name where a source gave none, shown and taken out.

Their own words go as if each message had been deleted. Where others' facts name them, the name goes and the
fact stays: a decision keeps its other deciders, a replacement keeps standing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from store.core import events
from store.core.events import Fact, Kind
from store.core.ids import canonical, sha256
from store.core.model import Person
from store.core.outcomes import same_person
from store.core.views import Forgetting, Naming
from store.sql import queries
from store.sql.edges import WITHDRAWN
from store.sql.log import events_about, events_by_ids
from store.sql.queries import Rows
from store.sql.redaction import redact_parts, scrub, take_out_decision, take_out_turn
from store.sql.writing import Writing

_EVENTS = """
SELECT e.id, e.kind, e.stream, e.header ->> 'recorded_at' AS recorded_at, e.header ->> 'about' AS about, e.parts
FROM events e WHERE e.position BETWEEN :first AND :last ORDER BY e.position
"""
AT_ONCE = 2_000
"""Events read at once: a few megabytes."""

_NAMELESS = frozenset(
    {"statement", "more", "meta", "citation", "redaction", "place", "rejection", "setting", "resolution", "vote"}
)
"""Parts that name nobody; some go along with the one that says whose they are."""

_GO_ALONG: Mapping[str, tuple[str, ...]] = {
    Kind.OUTCOME_OBSERVED: ("vote",),
    Kind.REJECTION_GIVEN: ("rejection",),
}
"""What somebody said, beside the part that says who did."""


def namings(rows: Rows, person: Person) -> tuple[Naming, ...]:
    """Return what names a person, in the order of the log."""
    last = int(rows("SELECT coalesce(max(position), 0) AS position FROM events", {})[0]["position"])
    return tuple(
        naming
        for first in range(1, last + 1, AT_ONCE)
        for row in rows(_EVENTS, {"first": first, "last": first + AT_ONCE - 1})
        for naming in _namings_in(row, person)
    )


def _namings_in(row: Mapping[str, Any], person: Person) -> Iterable[Naming]:
    for part, body in sorted(json.loads(row["parts"]).items()):
        if part not in _NAMELESS and any(same_person(each, person) for each in _people_in(body)):
            yield Naming(
                event=row["id"],
                kind=row["kind"],
                scope=events.scope_of(row["stream"]),
                part=part,
                recorded_at=events.read_instant(row["recorded_at"]),
                about=tuple(sorted(set(json.loads(row["about"])))),
                body=body,
            )


def _people_in(body: object) -> Iterable[Person]:
    """Yield everybody whom a part names as a person, not in a text."""
    if isinstance(body, list):
        for each in body:
            yield from _people_in(each)
    elif isinstance(body, dict):
        if "author" in body:
            yield Person(name=body["author"], id=body.get("author_id", ""))
        if isinstance(body.get("name"), str) and "id" in body:
            yield Person(name=body["name"], id=body["id"])
        for each in body.values():
            yield from _people_in(each)


def forget_person(writing: Writing, person: Person) -> Forgetting:
    """Take a person's words and name out of the log.

    A decision that rested on their words alone loses its statement and is retracted, as when a message is deleted.
    Their votes and rejections go; what they confirmed, replaced or removed stays so, without their name.

    Idempotency key: the events and parts erased.
    """
    found = namings(writing.rows, person)
    touched = {one for each in found for one in each.about}
    quotes = _forget_quotes(writing, [each for each in found if each.is_quote])
    left = [each for each in namings(writing.rows, person) if not each.is_quote]
    for each in left:
        _forget_name(writing, each, person)
    if found:
        scrub(writing.tx)
    turns = {str(each.body["turn_id"]) for each in found if each.is_quote and each.body.get("turn_id")}
    return Forgetting(quotes=quotes, names=len(left), decisions=tuple(sorted(touched)), turns=tuple(sorted(turns)))


def _forget_quotes(writing: Writing, theirs: Iterable[Naming]) -> int:
    """Erase each message of theirs as if it had been deleted, and what words are left then by themselves."""
    quotes = tuple(theirs)
    turns = {(_source_of(writing, each), str(each.body.get("turn_id") or "")) for each in quotes}
    for source, turn in sorted(turns):
        if turn:
            take_out_turn(writing, source, turn)
    left = {str(fact.id): fact.parts for fact in events_by_ids(writing.tx, {each.event for each in quotes})}
    for each in quotes:
        if each.part in left[each.event]:
            redact_parts(writing, each.scope, {each.event: (each.part,)})
            for decision in each.about:
                if not any(
                    part.startswith("evidence/") for fact in events_about(writing.tx, [decision]) for part in fact.parts
                ):
                    take_out_decision(writing, decision, each.scope)
    return len(quotes)


_PLACED = """
SELECT h.source FROM event_ids i JOIN held_quotes h ON h.position = i.position AND h.part = :part WHERE i.id = :event
"""


def _source_of(writing: Writing, naming: Naming) -> str:
    """Return where a quote was said: in one more place of a decision that isn't where the decision is stated."""
    placed = writing.rows(_PLACED, {"event": naming.event, "part": naming.part})
    if placed:
        return str(placed[0]["source"])
    ids = {"ids": json.dumps([naming.about[0]])}
    found = writing.rows(f"SELECT d.source FROM decisions d WHERE d.n IN {queries.THESE}", ids)  # noqa: S608
    return str(found[0]["source"]) if found else ""


def _forget_name(writing: Writing, naming: Naming, person: Person) -> None:
    """Erase the part that names them, and say again what it said of everything else."""
    parts = (naming.part, *_GO_ALONG.get(naming.kind, ()))
    again = _said_again(writing, naming, person)
    redact_parts(writing, naming.scope, {naming.event: parts})
    if again is not None:
        writing.say((naming.scope, again))


def _said_again(writing: Writing, naming: Naming, person: Person) -> Fact | None:
    """Return the fact without the person: the other deciders, or the replacement; None where nothing is missing."""
    if naming.part == "edge":
        older = next((one for one in naming.about if one != _subject(writing, naming)), "")
        between = {"newer": _subject(writing, naming), "older": older}
        if older and any(row["skipped"] == WITHDRAWN for row in writing.rows(queries.EDGE_BETWEEN, between)):
            return None  # what was taken back must not be said again, for the later word would stand
        return events.decision_superseded(
            _subject(writing, naming), older=older, ref=str(naming.body.get("ref", "")), why=str(naming.body["why"])
        )
    if naming.kind == Kind.DECISION_RECORDED and naming.part == "people":
        return _deciders_again(writing, naming, person)
    return None


def _subject(writing: Writing, naming: Naming) -> str:
    """Return the decision that replaces: a header names it first."""
    (fact,) = events_by_ids(writing.tx, [naming.event])
    return fact.about[0]


def _deciders_again(writing: Writing, naming: Naming, person: Person) -> Fact | None:
    """Return the decision's record once more, with those who are left: of several the first living part counts."""
    read = events.read_person
    left = [each for each in naming.body.get("decided_by", ()) if not same_person(read(each), person)]
    people: dict[str, Any] = {"decided_by": left}
    if (by := naming.body.get("by")) and not same_person(read(by), person):
        people["by"] = by
    (fact,) = events_by_ids(writing.tx, [naming.event])
    if "place" not in fact.parts or not (left or "by" in people):
        return None
    key = f"people:{naming.event}:{sha256(canonical(people).encode())}"
    parts = {"place": fact.parts["place"], "people": people}
    return Fact(kind=Kind.DECISION_RECORDED, about=naming.about, parts=parts, key=key)
