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
from store.sql.queries import Rows
from store.sql.redaction import redact_parts, scrub, take_out_decision, take_out_turn
from store.sql.writing import Writing

_PARTS = """
SELECT e.id AS event, e.kind, e.stream, e.header ->> 'recorded_at' AS recorded_at, p.name AS part, p.body,
       (SELECT json_group_array(a.target) FROM event_about a WHERE a.position = e.position) AS about
FROM event_parts p JOIN events e ON e.position = p.position
WHERE p.body IS NOT NULL AND p.name NOT IN ('statement', 'more', 'meta', 'citation', 'redaction')
ORDER BY e.position, p.name
"""

_NAMELESS = frozenset({"place", "rejection", "setting", "resolution", "vote"})
"""Parts that name nobody; some go along with the one that says whose they are."""

_GO_ALONG: Mapping[str, tuple[str, ...]] = {
    Kind.OUTCOME_OBSERVED: ("vote",),
    Kind.REJECTION_GIVEN: ("rejection",),
}
"""What somebody said, beside the part that says who did."""


def namings(rows: Rows, person: Person) -> tuple[Naming, ...]:
    """Return what names a person, in the order of the log."""
    found = []
    for row in rows(_PARTS, {}):
        if row["part"] in _NAMELESS:
            continue
        body = json.loads(row["body"])
        if any(same_person(each, person) for each in _people_in(body)):
            about = tuple(sorted(json.loads(row["about"])))
            scope = events.scope_of(row["stream"])
            found.append(
                Naming(
                    event=row["event"],
                    kind=row["kind"],
                    scope=scope,
                    part=row["part"],
                    recorded_at=events.read_instant(row["recorded_at"]),
                    about=about,
                    body=body,
                )
            )
    return tuple(found)


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
    """Erase each message of theirs as if it had been deleted, and words that name no message by themselves."""
    quotes = tuple(theirs)
    turns = {(_source_of(writing, each), str(each.body.get("turn_id") or "")) for each in quotes}
    for source, turn in sorted(turns):
        if turn:
            take_out_turn(writing, source, turn)
    for each in quotes:
        if not each.body.get("turn_id"):
            redact_parts(writing, each.scope, {each.event: (each.part,)})
            for decision in each.about:
                if not writing.rows(_LIVING_QUOTES, {"id": decision}):
                    take_out_decision(writing, decision, each.scope)
    return len(quotes)


_LIVING_QUOTES = """
SELECT 1 FROM event_about a JOIN event_parts p ON p.position = a.position
WHERE a.target = :id AND p.name GLOB 'evidence/*' AND p.body IS NOT NULL LIMIT 1
"""


def _source_of(writing: Writing, naming: Naming) -> str:
    found = writing.rows("SELECT source FROM decisions WHERE id = :id", {"id": naming.about[0]})
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
        if older and writing.rows(_WITHDRAWN, {"newer": _subject(writing, naming), "older": older}):
            return None
        return events.decision_superseded(
            _subject(writing, naming), older=older, ref=str(naming.body.get("ref", "")), why=str(naming.body["why"])
        )
    if naming.kind == Kind.DECISION_RECORDED and naming.part == "people":
        return _deciders_again(writing, naming, person)
    return None


_WITHDRAWN = "SELECT 1 FROM edges WHERE newer = :newer AND older = :older AND skipped = 2"
"""What was taken back must not be said again, for the later word would stand."""


def _subject(writing: Writing, naming: Naming) -> str:
    """Return the decision that replaces: a header names it first."""
    found = writing.rows("SELECT header FROM events WHERE id = :id", {"id": naming.event})
    return str(json.loads(found[0]["header"])["about"][0])


def _deciders_again(writing: Writing, naming: Naming, person: Person) -> Fact | None:
    """Return the decision's record once more, with those who are left: of several the first living part counts."""
    read = events.read_person
    left = [each for each in naming.body.get("decided_by", ()) if not same_person(read(each), person)]
    people: dict[str, Any] = {"decided_by": left}
    if (by := naming.body.get("by")) and not same_person(read(by), person):
        people["by"] = by
    place = writing.rows(
        "SELECT p.body FROM event_parts p JOIN events e ON e.position = p.position"
        " WHERE e.id = :id AND p.name = 'place'",
        {"id": naming.event},
    )
    if not place or not (left or "by" in people):
        return None
    key = f"people:{naming.event}:{sha256(canonical(people).encode())}"
    parts = {"place": json.loads(place[0]["body"]), "people": people}
    return Fact(kind=Kind.DECISION_RECORDED, about=naming.about, parts=parts, key=key)
