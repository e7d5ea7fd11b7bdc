"""Checking a memory against its own rules: the log's hashes and chains, and every projection.

It changes nothing. Each fault says what is wrong, where, and what to do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any

from store.core.bodies import cut, joined, split
from store.core.events import LARGEST_LAMPORT, OUTLIER_DISTANCE, SALT_BYTES, Kind, event_id, part_digest, read_event
from store.core.ids import canonical
from store.core.model import channel_scope
from store.core.views import Fault, Report
from store.sql import lexical
from store.sql.channels import WORDS
from store.sql.log import tip
from store.sql.projections import replay
from store.sql.rebuilding import leftovers
from store.sql.shadow import NAMES, shadowed
from store.sql.tx import Tx
from store.sql.words import counts_hold

RESTORE = "restore this database from a backup or from another machine's copy of the log"
REBUILD = "run `why rebuild`"

_CHUNK = 500
"""Events read at once."""


def verify(tx: Tx, compared: Callable[[Tx], Iterable[Fault]] | None = None) -> Report:
    """Check everything within the caller's reading transaction.

    Args:
        tx: one snapshot.
        compared: compares the projections with a fresh fold, where files aren't what they lie in.
    """
    log = _Log(tx)
    faults = [*log.check(), *(compared or _projections)(tx)]
    decisions = tx.rows("SELECT count(*) AS number FROM decisions", {})[0]["number"]
    return Report(
        events=tip(tx),
        decisions=int(decisions),
        faults=tuple(faults),
        notes=(*log.notes(), *_notes(tx)),
    )


class _Log:
    """One walk over the log in position order."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._unknown: dict[str, int] = {}
        self._redacted: set[tuple[str, str]] = set()
        self._forgotten: set[str] = set()
        """Decisions by id, and scopes of channels."""
        self._blank: list[tuple[int, str, tuple[str, ...], str]] = []
        self._outliers: list[int] = []

    def check(self) -> Iterator[Fault]:
        last = tip(self._tx)
        for first in range(1, last + 1, _CHUNK):
            for row in self._tx.rows(_EVENTS, {"first": first, "last": first + _CHUNK - 1}):
                yield from self._event(row)
        yield from self._chains()
        for position, event, about, name in self._blank:
            if (event, name) not in self._redacted and not self._forgotten & set(about):
                yield Fault(
                    what="text is missing although nobody erased it",
                    where=f"position {position}, event {event[:12]}, part {name}",
                    remedy=RESTORE,
                )

    def notes(self) -> Iterator[str]:
        for kind, number in sorted(self._unknown.items()):
            yield f"{number} events of kind {kind}, which this version doesn't know: kept, not shown"
        for position in self._outliers:
            yield f"position {position}: a clock far ahead of the log; it doesn't count for new events"

    def _event(self, row: Mapping[str, Any]) -> Iterator[Fault]:
        where = f"position {row['position']}, event {row['id'][:12]}"
        if event_id(row["header"]) != row["id"] or canonical(json.loads(row["header"])) != row["header"]:
            yield Fault(what="the header is not what the event's id was made of", where=where, remedy=RESTORE)
            return
        living = yield from self._parts(row, where)
        event = read_event(row["header"], living)
        about = (*event.about, event.scope.id) if event.kind in WORDS else event.about
        self._blank += [(row["position"], event.id, about, name) for name in sorted(set(event.digests) - set(living))]
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
            self._unknown[event.kind] = self._unknown.get(event.kind, 0) + 1
        elif event.kind == Kind.TEXT_REDACTED:
            redaction = event.parts.get("redaction", {})
            self._forgotten |= set(redaction.get("decisions", ()))
            if channel := redaction.get("channel"):
                self._forgotten.add(channel_scope(channel["id"]))
            for target, names in redaction.get("events", {}).items():
                self._redacted |= {(target, name) for name in names}
        if event.lamport > row["position"] + OUTLIER_DISTANCE:
            self._outliers.append(row["position"])

    def _chains(self) -> Iterator[Fault]:
        """Walk each stream by its own numbers: events of other machines come in any order."""
        stream, seq, ids = "", 0, {""}
        for row in self._tx.rows(_CHAINS, {}):
            where = f"position {row['position']}, event {row['id'][:12]}"
            if row["stream"] != stream:
                stream, seq, ids = row["stream"], 0, {""}
            if row["seq"] == seq:
                yield Fault(
                    what=f"a second event {seq} of stream {stream}: the store was copied and both went on",
                    where=where,
                    remedy="both stand; a sync gives each copy its own id, `why sync REMOTE --new-writer` does at once",
                )
                ids.add(row["id"])
                continue
            if row["seq"] != seq + 1 or row["prev"] not in ids:
                yield Fault(what=f"stream {stream} has a gap after {seq}", where=where, remedy=RESTORE)
            seq, ids = row["seq"], {row["id"]}

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


_EVENTS = """
SELECT e.position, e.id, e.kind, e.stream, e.seq, e.lamport, e.header, e.salts, e.parts,
       (SELECT i.position FROM event_ids i WHERE i.id = e.id) AS indexed,
       (SELECT json_group_array(a.target) FROM event_about a WHERE a.target IN
          (SELECT value FROM json_each(e.header, '$.about')) AND a.position = e.position) AS about
FROM events e WHERE e.position BETWEEN :first AND :last ORDER BY e.position
"""


_CHAINS = """
SELECT e.position, e.id, e.stream, e.seq, e.header ->> 'prev' AS prev FROM events e ORDER BY e.stream, e.seq, e.position
"""


def _projections(tx: Tx) -> list[Fault]:
    """Compare every table with what the log folds to."""
    faults = []
    with shadowed(tx):
        replay(tx)
        for table in (*NAMES, *lexical.TABLES):
            for kept, other, what in (("main", "temp", "too many"), ("temp", "main", "missing")):
                number = tx.rows(_without_equal(tx, table, kept, other), {})[0]["number"]
                if number:
                    where = f"table {table}"
                    faults.append(Fault(what=f"{number} rows {what} or different", where=where, remedy=REBUILD))
    faults += [
        Fault(what="its counts are not what it holds", where=f"table {table}", remedy=REBUILD)
        for table in lexical.TABLES
        if not counts_hold(tx.rows, table)
    ]
    faults += [
        Fault(what="a rebuild was interrupted and left a copy", where=f"table {each}", remedy=REBUILD)
        for each in leftovers(tx)
    ]
    return faults


_EQUALS = {"rowid": "="}
"""A virtual table is searched by `=` alone; elsewhere `IS` also holds between nulls."""


def _without_equal(tx: Tx, table: str, kept: str, other: str) -> str:
    """The query that counts rows of one table that have no equal in the other, found by their key."""
    if table in lexical.TABLES:
        columns = ["rowid", *lexical.COLUMNS]
    else:
        columns = [row["name"] for row in tx.rows(f"PRAGMA main.table_info({table})", {})]
    equal = " AND ".join(f"o.{column} {_EQUALS.get(column, 'IS')} k.{column}" for column in columns)
    return (
        f"SELECT count(*) AS number FROM {kept}.{table} k"  # noqa: S608  # names of our own tables and columns
        f" WHERE NOT EXISTS (SELECT 1 FROM {other}.{table} o WHERE {equal})"
    )


def _notes(tx: Tx) -> Iterator[str]:
    erased = tx.rows("SELECT count(*) AS number FROM forgotten WHERE kind = 'decision'", {})[0]["number"]
    if erased:
        what = "decision was" if erased == 1 else "decisions were"
        yield f"{erased:,} {what} erased: ids, days and links stay, and `why show ID` says what is left of one"
    for row in tx.rows(_SKIPPED, {}):
        yield f"{row['newer'][:12]} replaces {row['older'][:12]} in a circle; the later one of the circle doesn't count"


_SKIPPED = """
SELECT n.id AS newer, o.id AS older FROM edges e JOIN decisions n ON n.n = e.newer JOIN decisions o ON o.n = e.older
WHERE e.skipped = 1 ORDER BY n.id, o.id
"""
