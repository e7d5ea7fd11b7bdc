"""The log as a set: what another machine's log holds is taken in, in whichever order it comes.

An event is known by its id, so taking it in twice is once. A part that was erased here or there
is stored blank, whether its event or the erasure comes first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from store.core.bodies import joined
from store.core.events import LARGEST_LAMPORT, SALT_BYTES, Event, Kind, part_digest, read_event
from store.errors import LogDamaged
from store.sql.channels import late_words
from store.sql.log import event_row, events_by_ids, insert_events, living_parts, tip
from store.sql.projections import Projector
from store.sql.redaction import KEPT_PARTS, blank, scrub
from store.sql.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One event as it travels: the header's very text, and salt and text of each living part."""

    header: str
    parts: Mapping[str, tuple[bytes, str] | None]


def envelopes(tx: Tx, after: int = 0) -> Iterator[Envelope]:
    """Yield the events after a position, in the order in which this log learned of them."""
    for row in tx.rows(_ENVELOPES, {"after": after}):
        yield Envelope(header=row["header"], parts=living_parts(row))


_ENVELOPES = "SELECT e.header, e.salts, e.parts FROM events e WHERE e.position > :after ORDER BY e.position"


def receive(tx: Tx, incoming: Iterable[Envelope]) -> tuple[Event, ...]:
    """Take events in within the caller's writing transaction; return those that were new.

    Idempotency key: the event's id.

    Raises:
        LogDamaged: a part's text doesn't match its header, or a clock is out of range.
    """
    checked = {event.id: (event, each) for each in incoming for event in [_checked(each)]}
    known = {row["id"] for row in tx.rows(_KNOWN, {"ids": json.dumps(list(checked))})}
    fresh = [pair for id_, pair in checked.items() if id_ not in known]
    taken = [replace(event, position=position) for position, (event, _) in enumerate(fresh, start=tip(tx) + 1)]
    rows = [_row(event, each) for event, (_, each) in zip(taken, fresh, strict=True)]
    insert_events(tx, rows, [event.about for event in taken])
    erased = erase(tx, taken)
    ids = [event.id for event in taken]
    Projector(tx).apply(events_by_ids(tx, [*ids, *erased]))
    return tuple(taken)


_KNOWN = "SELECT id FROM event_ids WHERE id IN (SELECT value FROM json_each(:ids))"


def _checked(envelope: Envelope) -> Event:
    event = read_event(envelope.header, {name: part[1] if part else None for name, part in envelope.parts.items()})
    if not 0 < event.lamport <= LARGEST_LAMPORT:
        raise LogDamaged(f"event {event.id[:12]}: its clock {event.lamport} is out of range")
    for name, part in envelope.parts.items():
        if part and (len(part[0]) != SALT_BYTES or "\n" in part[1] or part_digest(*part) != event.digests.get(name)):
            raise LogDamaged(f"event {event.id[:12]}: the text of part {name} is not what its header says")
    return event


def _row(event: Event, envelope: Envelope) -> dict[str, object]:
    living = {name: part for name, part in sorted(envelope.parts.items()) if part}
    text = joined({name: body for name, (_, body) in living.items()})
    return event_row(event, envelope.header, text, b"".join(salt for salt, _ in living.values()))


def erase(tx: Tx, taken: Sequence[Event]) -> frozenset[str]:
    """Blank what erasures name, those that came now and those that were here; return the events hit."""
    erasures = [each for each in taken if each.known and each.kind == Kind.TEXT_REDACTED]
    named: dict[str, set[str]] = {}
    for erasure in erasures:
        for event, names in erasure.parts.get("redaction", {}).get("events", {}).items():
            named.setdefault(event, set()).update(names)
    ids = json.dumps([each.id for each in taken])
    for row in tx.rows(_ERASED_PARTS, {"ids": ids}):
        named.setdefault(row["event"], set()).add(row["part"])
    decisions = [d for each in erasures for d in each.parts.get("redaction", {}).get("decisions", ())]
    for row in tx.rows(_ERASED_DECISIONS, {"ids": ids, "decisions": json.dumps(decisions)}):
        if gone := json.loads(row["parts"]).keys() - KEPT_PARTS:
            named.setdefault(row["event"], set()).update(gone)
    for hit, names in late_words(tx, taken).items():
        named.setdefault(hit, set()).update(names)
    if named:
        blank(tx, named)
        scrub(tx)
    return frozenset(named)


_ERASED_PARTS = "SELECT event, part FROM redacted_parts WHERE event IN (SELECT value FROM json_each(:ids))"
_ERASED_DECISIONS = """
SELECT e.id AS event, e.parts FROM events e WHERE e.position IN (
  SELECT i.position FROM event_ids i JOIN event_about a ON a.position = i.position
  WHERE i.id IN (SELECT value FROM json_each(:ids))
        AND a.target IN (SELECT anchor FROM forgotten WHERE kind = 'decision')
  UNION SELECT a.position FROM event_about a WHERE a.target IN (SELECT value FROM json_each(:decisions)))
"""
