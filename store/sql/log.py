"""The log in SQL: appending facts in one serialised order, and reading events back.

Appending happens inside the caller's writing transaction, whose lock makes position order commit
order. Each fact with a key is appended once; with its key known it is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from store import failpoints
from store.core.bodies import cut, joined, split
from store.core.events import (
    LARGEST_LAMPORT,
    OUTLIER_DISTANCE,
    SALT_BYTES,
    VERSION,
    Event,
    Fact,
    event_id,
    event_of,
    header_of,
    instant,
    part_digest,
    read_instant,
    stream_of,
)
from store.core.ids import canonical, clean
from store.core.model import Scope
from store.errors import LogDamaged
from store.sql.tx import Tx

Said = tuple[Scope, Fact]
"""A fact and the scope in which it was said."""


class Appender:
    """Hands out position, stream, seq, prev and lamport within one writing transaction."""

    def __init__(self, tx: Tx, *, writer: str, now: datetime, salt: Callable[[int], bytes]) -> None:
        """Read where the log ends; nothing else may append until the transaction ends."""
        self._tx = tx
        self._writer = writer
        self._now = now
        self._recorded_at = read_instant(instant(now))
        self._salt = salt
        tip = tx.rows("SELECT coalesce(max(position), 0) AS position FROM events", {})[0]
        self._position = int(tip["position"])
        clock = tx.rows(
            "SELECT coalesce(max(lamport), 0) AS lamport FROM events WHERE lamport <= :most",
            {"most": self._position + OUTLIER_DISTANCE},
        )[0]
        self._lamport = int(clock["lamport"])
        self._tips: dict[str, tuple[int, str]] = {}

    def append(self, said: Iterable[Said]) -> tuple[Event, ...]:
        """Append facts in the order given and return them as events, those already known left out.

        Idempotency key: each fact's `key`.

        Raises:
            LogDamaged: the clock has reached its limit, which only a faulty writer can have done.
        """
        fresh = self._unknown(tuple(said))
        if not fresh:
            return ()
        failpoints.hit("append.before")
        made = [self._make(scope, fact) for scope, fact in fresh]
        insert_events(self._tx, [row for _, row in made], [event.about for event, _ in made])
        failpoints.hit("append.after")
        return tuple(event for event, _ in made)

    def _unknown(self, said: Sequence[Said]) -> list[Said]:
        keys = [fact.key for _, fact in said if fact.key]
        known = {
            row["key"]
            for row in self._tx.rows(
                "SELECT key FROM events WHERE key IN (SELECT value FROM json_each(:keys))",
                {"keys": json.dumps(keys)},
            )
        }
        fresh: list[Said] = []
        for scope, fact in said:
            if fact.key not in known:
                fresh.append((scope, fact))
            if fact.key:
                known.add(fact.key)
        return fresh

    def _make(self, scope: Scope, fact: Fact) -> tuple[Event, dict[str, object]]:
        """Return a fact as the log's next event, and its row: the very event that its row reads back as."""
        stream = clean(stream_of(self._writer, scope))
        seq, prev = self._tip(stream)
        self._position += 1
        self._lamport += 1
        if self._lamport > LARGEST_LAMPORT:
            raise LogDamaged(f"the log's clock passed {LARGEST_LAMPORT}: run `why verify` to see which stream did it")
        bodies = {name: canonical(value) for name, value in fact.parts.items()}
        salts = {name: self._salt(SALT_BYTES) for name in bodies}
        digests = {name: part_digest(salts[name], body) for name, body in bodies.items()}
        header = header_of(
            fact, stream=stream, seq=seq + 1, prev=prev, lamport=self._lamport, recorded_at=self._now, digests=digests
        )
        text = joined(bodies)
        event = Event(
            id=event_id(header),
            kind=fact.kind.value,
            v=VERSION,
            stream=stream,
            seq=seq + 1,
            prev=prev,
            lamport=self._lamport,
            recorded_at=self._recorded_at,
            about=fact.about,
            digests=digests,
            parts=fact.parts if text.isascii() else json.loads(text),  # what is not ASCII may have been cleaned
            position=self._position,
        )
        self._tips[stream] = (seq + 1, event.id)
        row = event_row(event, header, text, b"".join(salts[name] for name in sorted(bodies)), key=fact.key)
        return event, row

    def _tip(self, stream: str) -> tuple[int, str]:
        if stream not in self._tips:
            found = self._tx.rows(
                "SELECT seq, id FROM events WHERE stream = :stream ORDER BY seq DESC, position DESC LIMIT 1",
                {"stream": stream},
            )
            self._tips[stream] = (int(found[0]["seq"]), str(found[0]["id"])) if found else (0, "")
        return self._tips[stream]


def event_row(event: Event, header: str, parts: str, salts: bytes, *, key: str = "") -> dict[str, object]:
    """Return the row of an event at its position; `parts` as `store.core.bodies` joins them, `salts` in their order."""
    return {
        "position": event.position,
        "id": event.id,
        "kind": event.kind,
        "stream": event.stream,
        "seq": event.seq,
        "lamport": event.lamport,
        "key": key or None,
        "header": header,
        "salts": salts,
        "parts": parts,
    }


def insert_events(tx: Tx, rows: Sequence[Mapping[str, object]], about: Sequence[Sequence[str]]) -> None:
    """Insert events with what finds them by id and by what they are about (`about` goes with `rows` one to one)."""
    tx.insert("events", rows)
    tx.insert("event_ids", [{"id": row["id"], "position": row["position"]} for row in rows])
    tx.insert(
        "event_about",
        [
            {"target": target, "position": row["position"]}
            for row, targets in zip(rows, about, strict=True)
            for target in dict.fromkeys(targets)
        ],
    )


def living_parts(row: Mapping[str, Any]) -> dict[str, tuple[bytes, str] | None]:
    """Return salt and text of each part that an event's header names, None where it is erased."""
    living = split(row["parts"])
    salts = dict(zip(living, cut(row["salts"], SALT_BYTES), strict=True))
    return {
        name: (salts[name], living[name]) if name in living else None for name in json.loads(row["header"])["parts"]
    }


def events_about(tx: Tx, targets: Iterable[str]) -> tuple[Event, ...]:
    """Return the events about any of these decisions or events, by position, each once."""
    return _events(
        tx,
        f"SELECT {_COLUMNS} FROM events e WHERE e.position IN (SELECT position FROM event_about"  # noqa: S608
        " WHERE target IN (SELECT value FROM json_each(:targets))) ORDER BY e.position",
        {"targets": json.dumps(list(targets))},
    )


def events_by_ids(tx: Tx, ids: Iterable[str]) -> tuple[Event, ...]:
    """Return these events by position, those that the log doesn't hold left out."""
    return _events(
        tx,
        f"SELECT {_COLUMNS} FROM events e WHERE e.position IN (SELECT position FROM event_ids"  # noqa: S608
        " WHERE id IN (SELECT value FROM json_each(:ids))) ORDER BY e.position",
        {"ids": json.dumps(list(ids))},
    )


def events_at(tx: Tx, positions: Iterable[int]) -> tuple[Event, ...]:
    """Return the events at these positions, in that order."""
    return _events(
        tx,
        f"SELECT {_COLUMNS} FROM events e WHERE e.position IN (SELECT value FROM json_each(:positions))"  # noqa: S608
        " ORDER BY e.position",
        {"positions": json.dumps(list(positions))},
    )


def events_between(tx: Tx, first: int, last: int) -> tuple[Event, ...]:
    """Return the events at the positions from `first` to `last`, both included, in that order."""
    return _events(
        tx,
        f"SELECT {_COLUMNS} FROM events e"  # noqa: S608  # a constant of this module
        " WHERE e.position BETWEEN :first AND :last ORDER BY e.position",
        {"first": first, "last": last},
    )


_COLUMNS = "e.position, e.id, e.header, e.parts"


def _events(tx: Tx, sql: str, parameters: Mapping[str, Any]) -> tuple[Event, ...]:
    return tuple(
        event_of(row["id"], row["header"], json.loads(row["parts"]), position=row["position"])
        for row in tx.rows(sql, parameters)
    )


def tip(tx: Tx) -> int:
    """Return the last position in the log, 0 while it is empty."""
    return int(tx.rows("SELECT coalesce(max(position), 0) AS position FROM events", {})[0]["position"])
