"""The log as a set: what another machine's log holds is taken in, in whichever order it comes.

An event is known by its id, so taking it in twice is once. A part that was erased here or there
is stored blank, whether its event or the erasure comes first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from store.core.events import LARGEST_LAMPORT, Event, Kind, event_id, part_digest, read_event
from store.errors import LogDamaged
from store.sql.log import events_by_ids, tip
from store.sql.projections import Projector
from store.sql.redaction import KEPT_PARTS, blank
from store.sql.tx import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One event as it travels: the header's very text, and salt and text of each living part."""

    header: str
    parts: Mapping[str, tuple[bytes, str] | None]


def envelopes(tx: Tx, after: int = 0) -> Iterator[Envelope]:
    """Yield the events after a position, in the order in which this log learned of them."""
    for row in tx.rows(_ENVELOPES, {"after": after}):
        stored = {each["name"]: each for each in json.loads(row["parts"])}
        yield Envelope(
            header=row["header"],
            parts={
                name: None if each["body"] is None else (bytes.fromhex(each["salt"]), each["body"])
                for name, each in stored.items()
            },
        )


_ENVELOPES = """
SELECT e.header, (SELECT json_group_array(json_object('name', p.name, 'salt', hex(p.salt), 'body', p.body))
                    FROM event_parts p WHERE p.position = e.position) AS parts
FROM events e WHERE e.position > :after ORDER BY e.position
"""


def receive(tx: Tx, incoming: Iterable[Envelope]) -> tuple[Event, ...]:
    """Take events in within the caller's writing transaction; return those that were new.

    Idempotency key: the event's id.

    Raises:
        LogDamaged: a part's text doesn't match its header, or a clock is out of range.
    """
    known = {row["id"] for row in tx.rows("SELECT id FROM events", {})}
    position = tip(tx)
    taken: list[Event] = []
    for each in incoming:
        event = _checked(each)
        if event.id in known:
            continue
        known.add(event.id)
        position += 1
        _insert(tx, position, each, event)
        taken.append(event)
    erased = _erase(tx, taken)
    ids = [event.id for event in taken]
    Projector(tx).apply(events_by_ids(tx, [*ids, *erased]))
    return tuple(taken)


def _checked(envelope: Envelope) -> Event:
    event = read_event(envelope.header, {name: part[1] if part else None for name, part in envelope.parts.items()})
    if not 0 < event.lamport <= LARGEST_LAMPORT:
        raise LogDamaged(f"event {event.id[:12]}: its clock {event.lamport} is out of range")
    for name, part in envelope.parts.items():
        if part and part_digest(*part) != event.digests.get(name):
            raise LogDamaged(f"event {event.id[:12]}: the text of part {name} is not what its header says")
    return event


def _insert(tx: Tx, position: int, envelope: Envelope, event: Event) -> None:
    row = {
        "position": position,
        "id": event_id(envelope.header),
        "kind": event.kind,
        "stream": event.stream,
        "seq": event.seq,
        "lamport": event.lamport,
        "key": None,
        "header": envelope.header,
    }
    tx.insert("events", [row])
    parts = [
        {
            "position": position,
            "name": name,
            "salt": part[0] if (part := envelope.parts.get(name)) else None,
            "body": part[1] if part else None,
        }
        for name in event.digests
    ]
    tx.insert("event_parts", parts)
    tx.insert("event_about", [{"target": target, "position": position} for target in dict.fromkeys(event.about)])


def _erase(tx: Tx, taken: Iterable[Event]) -> frozenset[str]:
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
        if row["name"] not in KEPT_PARTS:
            named.setdefault(row["event"], set()).add(row["name"])
    blank(tx, {event: tuple(sorted(names)) for event, names in named.items()})
    return frozenset(named)


_ERASED_PARTS = "SELECT event, part FROM redacted_parts WHERE event IN (SELECT value FROM json_each(:ids))"
_ERASED_DECISIONS = """
SELECT e.id AS event, p.name FROM events e JOIN event_about a ON a.position = e.position
  JOIN event_parts p ON p.position = e.position
WHERE p.body IS NOT NULL AND (
  (e.id IN (SELECT value FROM json_each(:ids)) AND a.target IN (SELECT anchor FROM forgotten WHERE kind = 'decision'))
  OR a.target IN (SELECT value FROM json_each(:decisions)))
"""
