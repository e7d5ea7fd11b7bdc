"""Checking a memory against its own rules: the log's hashes and chains, and every projection.

It changes nothing. Each fault says what is wrong, where, and what to do.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from store.core.fold import records
from store.core.views import Fault, Report
from store.sql import bulk, lexical
from store.sql.crew import Crew, workers_for
from store.sql.lexical_build import TextRun
from store.sql.log import events_about, tip
from store.sql.log_check import AT_ONCE, EVENTS, CheckRun, LogCheck, chain_faults
from store.sql.projections import replay
from store.sql.rebuilding import leftovers
from store.sql.shadow import NAMES, shadowed
from store.sql.tx import Tx
from store.sql.words import counts_hold

REBUILD = "run `why rebuild`"


def verify(
    tx: Tx,
    compared: Callable[[Tx], Iterable[Fault]] | None = None,
    *,
    path: Path | None = None,
    workers: int | None = None,
) -> Report:
    """Check everything within the caller's reading transaction.

    Args:
        tx: one snapshot.
        compared: compares the projections with a fresh fold, where files aren't what they lie in.
        path: of the file, which worker processes open to check a long log.
        workers: as many, else by the number of events.
    """
    last = tip(tx)
    many = path is not None and (last >= bulk.MANY or workers is not None)
    check = _log(tx, last, path, workers)
    copied: Counter[str] = Counter()
    faults = [*check.faults, *chain_faults(tx, copied), *check.missing()]
    if path is not None and many and not check.faults:
        faults += _projections_of_many(tx, path, last, workers)
    else:  # a damaged log can't be folded in bulk: that refuses it at the first wrong hash
        faults += (compared or _projections)(tx)
    decisions = tx.rows("SELECT count(*) AS number FROM decisions", {})[0]["number"]
    return Report(
        events=last,
        decisions=int(decisions),
        faults=tuple(faults),
        notes=(*_noted(check), *_copies(copied), *_notes(tx)),
    )


def _log(tx: Tx, last: int, path: Path | None, workers: int | None) -> LogCheck:
    check = LogCheck()
    if path is None:
        for first in range(1, last + 1, AT_ONCE):
            check.walk(tx.rows(EVENTS, {"first": first, "last": min(first + AT_ONCE - 1, last)}))
        return check
    runs = [CheckRun(path=path, first=first, last=stop) for first, stop in bulk.runs(last)]
    with Crew(workers_for(last, least=bulk.MANY) if workers is None else workers) as crew:
        for found in crew.results(runs):
            check.add(found)
    since = CheckRun(path=path, first=last + 1, last=last + bulk.RUN)()  # what was erased while this was read
    check.redacted |= since.redacted
    check.forgotten |= since.forgotten
    return check


def _noted(check: LogCheck) -> Iterator[str]:
    for kind, number in sorted(check.unknown.items()):
        yield f"{number} events of kind {kind}, which this version doesn't know: kept, not shown"
    for position in check.outliers:
        yield f"position {position}: a clock far ahead of the log; it doesn't count for new events"


def _copies(copied: Mapping[str, int]) -> Iterator[str]:
    for stream, number in sorted(copied.items()):
        yield f"stream {stream}: a store was copied and both went on; {number:,} of its numbers stand twice"


def _projections(tx: Tx) -> list[Fault]:
    """Compare every table with what the log folds to."""
    with shadowed(tx):
        replay(tx)
        faults = [fault for table in (*NAMES, *lexical.TABLES) for fault in _differing(tx, table)]
    return [*faults, *_beside(tx)]


def _projections_of_many(tx: Tx, path: Path, last: int, workers: int | None) -> list[Fault]:
    """Compare every table with what a long log folds to; of the lexical index what it holds, row by row."""
    with shadowed(tx):
        loader = bulk.replay_all(tx, path, last=last, workers=workers)
        faults = [fault for table in NAMES for fault in _differing(tx, table)]
        ids = list(loader.folded)
        several: set[int] = set()
        for start in range(0, len(ids), bulk.AT_ONCE):
            some = ids[start : start + bulk.AT_ONCE]
            several |= {event.position for event in events_about(tx, some) if records(event) in some}
        for table in lexical.TABLES:
            faults += _differing(tx, table, among=json.dumps(sorted(several)))
        settings = tx.rows("SELECT name, value FROM settings WHERE name GLOB 'scope:*:open'", {})
    opened = {row["name"][6:-5]: row["value"] == "yes" for row in settings}
    texts = [TextRun(path=path, first=first, last=stop, opened=opened) for first, stop in bulk.runs(last)]
    with Crew(workers_for(last, least=bulk.MANY) if workers is None else workers) as crew:
        wrong = sum(len(found - several) for found in crew.results(texts))
    if wrong:
        faults.append(Fault(what=f"{wrong} rows missing or different", where="the lexical index", remedy=REBUILD))
    return [*faults, *_beside(tx)]


def _beside(tx: Tx) -> Iterator[Fault]:
    for table in lexical.TABLES:
        if not counts_hold(tx.rows, table):
            yield Fault(what="its counts are not what it holds", where=f"table {table}", remedy=REBUILD)
    for each in leftovers(tx):
        yield Fault(what="a rebuild was interrupted and left a copy", where=f"table {each}", remedy=REBUILD)


def _differing(tx: Tx, table: str, *, among: str = "") -> Iterator[Fault]:
    for kept, other, what in (("main", "temp", "too many"), ("temp", "main", "missing")):
        found = tx.rows(_without_equal(tx, table, kept, other, among=among), {"among": among} if among else {})
        if number := found[0]["number"]:
            yield Fault(what=f"{number} rows {what} or different", where=f"table {table}", remedy=REBUILD)


_EQUALS = {"rowid": "="}
"""A virtual table is searched by `=` alone; elsewhere `IS` also holds between nulls."""


def _without_equal(tx: Tx, table: str, kept: str, other: str, *, among: str = "") -> str:
    """The query that counts rows of one table that have no equal in the other, found by their key.

    `among`, if given, limits it to the rows whose numbers are bound to that name.
    """
    if table in lexical.TABLES:
        columns = ["rowid", *lexical.COLUMNS]
    else:
        columns = [row["name"] for row in tx.rows(f"PRAGMA main.table_info({table})", {})]
    equal = " AND ".join(f"o.{column} {_EQUALS.get(column, 'IS')} k.{column}" for column in columns)
    return (
        f"SELECT count(*) AS number FROM {kept}.{table} k"  # noqa: S608  # names of our own tables and columns
        f" WHERE NOT EXISTS (SELECT 1 FROM {other}.{table} o WHERE {equal})"
        f"{' AND k.rowid IN (SELECT value FROM json_each(:among))' if among else ''}"
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
