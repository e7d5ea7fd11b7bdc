"""Checking runs of the log: each event's hashes, columns and keys, by itself or by worker processes.

What is as it should be is passed over quickly; only what isn't is looked at closely enough to say what is wrong.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from store.core.bodies import cut, joined, split
from store.core.events import (
    LARGEST_LAMPORT,
    OUTLIER_DISTANCE,
    SALT_BYTES,
    VERSION,
    Kind,
    event_id,
    part_digest,
    read_event,
    writer_of,
)
from store.core.ids import canonical
from store.core.model import channel_scope
from store.core.views import Fault
from store.errors import LogDamaged
from store.sql.bulk_rows import checked
from store.sql.channels import WORDS
from store.sql.schema import writer
from store.sql.tx import Tx

RESTORE = "restore this database from a backup or from another machine's copy of the log"

AT_ONCE = 2_000
"""Events read at once: a few megabytes."""


@dataclass(slots=True)
class LogCheck:
    """What a walk over events found: faults, and what tells with the rest of the log whether there are more."""

    faults: list[Fault] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)
    """Events of kinds that this version doesn't know, by kind."""
    redacted: set[tuple[str, str]] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)
    """Decisions by id, and scopes of channels."""
    blank: list[tuple[int, str, tuple[str, ...], str]] = field(default_factory=list)
    """Position, id, what the event is about, and the part that is missing."""
    outliers: list[int] = field(default_factory=list)

    def add(self, other: LogCheck) -> None:
        """Take in what a walk over other events found."""
        self.faults += other.faults
        for kind, number in other.unknown.items():
            self.unknown[kind] = self.unknown.get(kind, 0) + number
        self.redacted |= other.redacted
        self.forgotten |= other.forgotten
        self.blank += other.blank
        self.outliers += other.outliers

    def walk(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Check events as `EVENTS` reads them."""
        for row in rows:
            if not _is_plain(row):
                self.faults += self._event(row)

    def missing(self) -> Iterator[Fault]:
        """Yield a fault for each part that is missing although nobody erased it; call it when all is walked."""
        for position, event, about, name in self.blank:
            if (event, name) not in self.redacted and not self.forgotten & set(about):
                yield Fault(
                    what="text is missing although nobody erased it",
                    where=f"position {position}, event {event[:12]}, part {name}",
                    remedy=RESTORE,
                )

    def _event(self, row: Mapping[str, Any]) -> Iterator[Fault]:
        where = f"position {row['position']}, event {row['id'][:12]}"
        if event_id(row["header"]) != row["id"] or canonical(json.loads(row["header"])) != row["header"]:
            yield Fault(what="the header is not what the event's id was made of", where=where, remedy=RESTORE)
            return
        living = yield from self._parts(row, where)
        event = read_event(row["header"], living)
        about = (*event.about, event.scope.id) if event.kind in WORDS else event.about
        self.blank += [(row["position"], event.id, about, name) for name in sorted(set(event.digests) - set(living))]
        columns = (event.kind, event.stream, event.seq, event.lamport)
        if columns != (row["kind"], row["stream"], row["seq"], row["lamport"]):
            yield Fault(what="the columns beside the header say something else", where=where, remedy=RESTORE)
        if sorted(set(event.about)) != sorted(json.loads(row["about"])):
            yield Fault(what="what the event is about is not indexed as its header says", where=where, remedy=RESTORE)
        if not 0 < event.lamport <= LARGEST_LAMPORT:
            yield Fault(what=f"the clock {event.lamport} is out of range", where=where, remedy=RESTORE)
        if row["indexed"] != row["position"]:
            yield Fault(what="the event is not found by its id", where=where, remedy=RESTORE)
        if not event.known:
            self.unknown[event.kind] = self.unknown.get(event.kind, 0) + 1
        elif event.kind == Kind.TEXT_REDACTED:
            redaction = event.parts.get("redaction", {})
            self.forgotten |= set(redaction.get("decisions", ()))
            if channel := redaction.get("channel"):
                self.forgotten.add(channel_scope(channel["id"]))
            for target, names in redaction.get("events", {}).items():
                self.redacted |= {(target, name) for name in names}
        if event.lamport > row["position"] + OUTLIER_DISTANCE:
            self.outliers.append(row["position"])

    def _parts(self, row: Mapping[str, Any], where: str) -> Generator[Fault, None, dict[str, str]]:
        """Return the living parts that are what the header says; tell of those that are not."""
        digests = json.loads(row["header"])["parts"]
        try:
            stored = split(row["parts"])
            salts = dict(zip(stored, cut(row["salts"], SALT_BYTES), strict=True))
            whole = joined(stored) == row["parts"]
        except ValueError:
            stored, salts, whole = {}, {}, False
        if not whole:
            yield Fault(what="the parts are not what was stored", where=where, remedy=RESTORE)
        living = {}
        for name, body in stored.items():
            if name not in digests:
                yield Fault(what="a part that the header doesn't name", where=f"{where}, part {name}", remedy=RESTORE)
            elif part_digest(salts[name], body) != digests[name]:
                yield Fault(what="a part's text was changed", where=f"{where}, part {name}", remedy=RESTORE)
            else:
                living[name] = body
        return living


def _is_plain(row: Mapping[str, Any]) -> bool:
    """Whether an event is all that it should be, and of a kind and clock of which nothing need be noted."""
    header = row["header"].encode()
    try:
        fields, living = checked(row["id"].encode(), header, row["salts"], row["parts"].encode())
        return bool(
            orjson.dumps(fields, option=orjson.OPT_SORT_KEYS) == header
            and (fields["kind"], fields["stream"], fields["seq"], fields["lamport"])
            == (row["kind"], row["stream"], row["seq"], row["lamport"])
            and fields["v"] <= VERSION
            and fields["kind"] in _PLAIN
            and 0 < fields["lamport"] <= min(LARGEST_LAMPORT, row["position"] + OUTLIER_DISTANCE)
            and row["indexed"] == row["position"]
            and len(living) == len(fields["parts"])
            and len(row["salts"]) == SALT_BYTES * len(living)
            and sorted(set(fields["about"])) == sorted(orjson.loads(row["about"]))
        )
    except (LogDamaged, ValueError, LookupError, TypeError, AttributeError):
        return False


_PLAIN = frozenset(kind.value for kind in Kind) - {Kind.TEXT_REDACTED.value}

EVENTS = """
SELECT e.position, e.id, e.kind, e.stream, e.seq, e.lamport, e.header, e.salts, e.parts,
       (SELECT i.position FROM event_ids i WHERE i.id = e.id) AS indexed,
       (SELECT json_group_array(a.target) FROM event_about a WHERE a.target IN
          (SELECT value FROM json_each(e.header, '$.about')) AND a.position = e.position) AS about
FROM events e WHERE e.position BETWEEN :first AND :last ORDER BY e.position
"""


_EVENTS = EVENTS.replace("e.salts", "CAST(e.salts AS BLOB) AS salts")
"""The same where somebody may have put anything into a column."""


def _readable(data: bytes) -> str:
    """Return a text, also where somebody put in bytes that are none: then it is not what was hashed."""
    return data.decode(errors="replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """The checking of a run of the log, as a worker process does it."""

    path: Path
    first: int
    last: int

    def __call__(self) -> LogCheck:
        """Return what was found."""
        check = LogCheck()
        with closing(sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)) as driver:
            driver.row_factory = sqlite3.Row
            driver.text_factory = _readable
            check.walk(driver.execute(_EVENTS, {"first": self.first, "last": self.last}))
        return check


def chain_faults(tx: Tx, shared: Counter[str]) -> Iterator[Fault]:
    """Walk each stream by its own numbers: events of other machines come in any order.

    Args:
        tx: one snapshot.
        shared: told how many numbers two events have in each stream that this database doesn't write any more, or
            never did: a copied store's that has an id of its own since.
    """
    stream, seq, ids = "", 0, {""}
    writes_as = writer(tx.rows)
    for row in _links(tx):
        where = f"position {row['position']}, event {row['id'][:12]}"
        if row["stream"] != stream:
            stream, seq, ids = row["stream"], 0, {""}
        if row["seq"] == seq:
            ids.add(row["id"])
            if writer_of(stream) != writes_as:
                shared[stream] += 1
                continue
            yield Fault(
                what=f"a second event {seq} of stream {stream}: the store was copied and both went on",
                where=where,
                remedy="both stand; a sync gives each copy its own id, `why sync REMOTE --new-writer` does at once",
            )
            continue
        if row["seq"] != seq + 1 or row["prev"] not in ids:
            yield Fault(what=f"stream {stream} has a gap after {seq}", where=where, remedy=RESTORE)
        seq, ids = row["seq"], {row["id"]}


def _links(tx: Tx) -> Iterator[Mapping[str, Any]]:
    """Yield every event with the one before it, by stream and number, some at a time."""
    last: Mapping[str, Any] = {"stream": "", "seq": 0, "position": 0}
    while rows := tx.rows(_CHAINS, {**last, "limit": AT_ONCE}):
        yield from rows
        last = {name: rows[-1][name] for name in last}


_CHAINS = """
SELECT e.position, e.id, e.stream, e.seq, e.header ->> 'prev' AS prev FROM events e
WHERE (e.stream, e.seq, e.position) > (:stream, :seq, :position) ORDER BY e.stream, e.seq, e.position LIMIT :limit
"""
