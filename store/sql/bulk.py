"""Folding very many events at once into empty projections: the same rows as one by one, many times as fast.

Worker processes read, check and write down what runs of the log come to (`store.sql.bulk_rows`); this process puts it
into the tables. What more than one fact says is folded afterwards by the ordinary projector.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from store.core.events import Event, Kind
from store.sql.bulk_rows import DECISION_COLUMNS, Batch, Reader, Stored
from store.sql.crew import Crew, workers_for
from store.sql.disputed import worked_out
from store.sql.log import events_at
from store.sql.projections import Projector, spelling_key
from store.sql.rows import resolver, spelling_row
from store.sql.tx import Tx

RUN = 4_000
"""Events that a worker reads at once: some 5 MB."""

MANY = 10_000
"""Events from which on other processes help: below, starting them takes as long."""

AT_ONCE = 200
"""Decisions folded at once by all facts about them, and facts put between decisions."""

Progress = Callable[[int, int], None]
Each = TypeVar("Each")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRun:
    """The reading of a run of the log, as a worker process does it."""

    path: Path
    key: bytes
    first: int
    last: int

    def __call__(self) -> Batch:
        """Return what the run comes to; raises LogDamaged where a hash is wrong."""
        return reader(self.key).batch(self._events())

    def _events(self) -> Iterator[Stored]:
        with closing(sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)) as driver:
            driver.text_factory = bytes
            yield from driver.execute(_EVENTS, (self.first, self.last))


_EVENTS = "SELECT position, id, header, salts, parts FROM events WHERE position BETWEEN ? AND ? ORDER BY position"

_READERS: dict[bytes, Reader] = {}


def reader(key: bytes) -> Reader:
    """Return this process's reader for a key: one for all jobs, since it remembers mentions."""
    return _READERS.setdefault(key, Reader(key))


def runs(last: int, size: int = RUN) -> Iterator[tuple[int, int]]:
    """Yield first and last position of each run of a log that ends at `last`."""
    for first in range(1, last + 1, size):
        yield first, min(first + size - 1, last)


def replay_all(
    tx: Tx, path: Path, progress: Progress | None = None, *, last: int, workers: int | None = None, run: int = RUN
) -> Loader:
    """Apply the log to empty projections; of the lexical index it fills in those alone that more than one fact made.

    Args:
        tx: a transaction whose projections are empty; it sees the log as it stands at its first question.
        path: the file, which the workers open.
        progress: told how many of how many events are read.
        last: the position of the last event to read.
        workers: as many, else by the number of events.
        run: events that a worker reads at once.
    """
    key = spelling_key(tx)
    loader = Loader(tx)
    jobs = [LogRun(path=path, key=key, first=first, last=stop) for first, stop in runs(last, run)]
    with Crew(workers_for(last, least=MANY) if workers is None else workers) as crew:
        for read, batch in zip(jobs, crew.results(jobs), strict=True):
            loader.load(batch)
            if progress:
                progress(read.last, last)
    loader.finish()
    return loader


class Loader:
    """Puts batches into empty projections within one transaction; `finish` makes them whole."""

    def __init__(self, tx: Tx) -> None:
        """Work within the caller's transaction."""
        self._tx = tx
        self._numbers: dict[str, int] = {}
        self._touched: dict[str, int] = {}
        self._spellings: dict[int, tuple[str, str]] = {}
        self._rules: list[Event] = []
        self._between: list[int] = []
        self._edges: list[tuple[str, str, int, str, str]] = []
        self.folded: dict[str, None] = {}
        """The decisions that more than one fact made: they are folded by the projector."""

    def load(self, batch: Batch) -> None:
        """Put one batch in; batches come in the order of the log."""
        again = self._number(batch)
        tx = self._tx
        if again:
            batch.decisions = [row for row in batch.decisions if row[0] not in again]
            batch.mentions = [row for row in batch.mentions if row[1] not in again]
            batch.sets = [row for row in batch.sets if row[2] not in again]
            batch.claims = [row for row in batch.claims if row[3] not in again]
            batch.held = [row for row in batch.held if row[2] not in again]
        tx.fill("decisions", DECISION_COLUMNS, batch.decisions)
        tx.fill("decision_mentions", ("s", "n"), batch.mentions)
        tx.fill("decision_sets", ("s", "property", "n", "rank", "value"), batch.sets)
        tx.fill("path_claims", ("prefix", "glob", "s", "n"), batch.claims)
        tx.fill("held_quotes", ("position", "part", "n", "turn", "source"), batch.held)
        self._spellings |= batch.spellings
        self._touched |= batch.touched
        self._edges += batch.edges
        self._rules += batch.rules
        self._between += batch.between
        self.folded |= dict.fromkeys(batch.folded)

    def _number(self, batch: Batch) -> Set[int]:
        """Note which decision each position records; return those that record one anew, which is to be folded."""
        again = {row[0]: row[1] for row in batch.decisions if self._numbers.setdefault(row[1], row[0]) != row[0]}
        if again:
            self.folded |= dict.fromkeys(again.values())
            batch.touched = sorted([*batch.touched, *((id_, n) for n, id_ in again.items())], key=lambda each: each[1])
        return again.keys()

    def finish(self) -> None:
        """Fold what is left, and put in what lies between decisions."""
        projector = Projector(self._tx)
        projector.apply_rules(self._rules)
        self._spell()
        for statement in _ACCESS:
            self._tx.run(statement)
        self._fold(projector)
        self._connect(projector)
        for id_, position in projector.touches(self._rules).items():
            self._touched[id_] = max(self._touched.get(id_, 0), position)
        touched = self._touched.items()
        projector.change({n: position for id_, position in touched if (n := self._numbers.get(id_))})
        self._tx.insert("disputed", worked_out(self._tx))

    def _spell(self) -> None:
        resolve = resolver(self._tx.rows("SELECT * FROM resolutions", {}))
        rows = (spelling_row(s, written, scope, resolve) for s, (written, scope) in sorted(self._spellings.items()))
        first = next(rows, None)
        if first:
            self._tx.fill("mentions", tuple(first), (tuple(row.values()) for row in itertools.chain((first,), rows)))

    def _fold(self, projector: Projector) -> None:
        """Fold by all facts about them those decisions that are not plain, and those of places worded twice."""
        erased = {target for event in self._rules if event.kind == Kind.TEXT_REDACTED for target in event.about}
        named = self._tx.rows(_NAMED, {"ids": json.dumps(sorted(erased))}) if erased else ()
        self.folded |= dict.fromkeys([*erased, *(row["target"] for row in named)])
        self._refold(projector, self.folded)
        variants = {row["id"]: None for row in self._tx.rows(_VARIANTS, {})}
        self._refold(projector, variants)
        for ids in _pieces(self.folded, AT_ONCE):
            self._numbers |= projector.numbers(ids)

    def _refold(self, projector: Projector, decisions: Iterable[str]) -> None:
        for ids in _pieces(decisions, AT_ONCE):
            projector.forget([n for each in ids if (n := self._numbers.get(each))])
            projector.refold(ids)

    def _connect(self, projector: Projector) -> None:
        numbers = self._numbers
        known = [
            (newer, older, lamport, event, why, 0)
            for newer_id, older_id, lamport, event, why in self._edges
            if (newer := numbers.get(newer_id)) and (older := numbers.get(older_id))
        ]
        first: dict[tuple[int, int], tuple[int, int, int, str, str, int]] = {}
        for edge in sorted(known, key=lambda edge: edge[2:4]):
            first.setdefault(edge[:2], edge)
        columns = ("newer", "older", "lamport", "event", "why", "skipped")
        self._tx.fill("edges", columns, [edge for _, edge in sorted(first.items())])
        for positions in _pieces(self._between, AT_ONCE):
            facts = events_at(self._tx, positions)
            here = {each: n for fact in facts for each in fact.about if (n := numbers.get(each))}
            projector.connect(facts, here, list(here.values()))
        projector.edges.break_every_cycle()


def _pieces(given: Iterable[Each], size: int) -> Iterator[list[Each]]:
    waiting = iter(given)
    while piece := list(itertools.islice(waiting, size)):
        yield piece


_ACCESS = (
    "INSERT INTO decision_days (day, lamport, n) SELECT day, lamport, n FROM decisions ORDER BY day, lamport, n",
    "INSERT INTO decision_places (source, anchor, n) SELECT source, anchor, n FROM decisions WHERE anchor <> ''"
    " ORDER BY source, anchor, n",
    "INSERT INTO decision_refs (ref, n) SELECT ref, n FROM decisions WHERE ref <> '' ORDER BY ref, n",
)

_NAMED = (
    "SELECT DISTINCT a.target FROM event_ids i JOIN event_about a ON a.position = i.position"
    " WHERE i.id IN (SELECT value FROM json_each(:ids))"
)

_VARIANTS = """
SELECT d.id FROM decisions d WHERE d.anchor <> '' AND (d.source, d.anchor, d.basis) IN (
    SELECT source, anchor, basis FROM decisions WHERE anchor <> '' GROUP BY source, anchor, basis
    HAVING count(DISTINCT writer) > 1)
"""
