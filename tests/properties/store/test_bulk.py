"""What is folded in bulk is what is folded fact by fact."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from store import EVERYTHING, Memory
from store.sql.bulk import replay_all
from store.sql.log import tip
from store.sql.pieces import Transaction
from store.sql.projections import replay
from store.sql.rebuilding import Rebuilding
from store.sql.shadow import NAMES, shadowed
from store.sql.tx import Tx
from store.sql.verification import verify
from tests.builders_log import admission, counted_salt, draft, memory_in
from tests.builders_steps import Step, steps

FEW = settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking would open databases for minutes
    suppress_health_check=[HealthCheck.too_slow],
)


def tables(tx: Tx, fold: Callable[[], Any]) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of every projection as a fold makes them from nothing."""
    with shadowed(tx):
        fold()
        return {
            name: sorted((tuple(row.values()) for row in tx.rows(f"SELECT * FROM temp.{name}", {})), key=repr)  # noqa: S608
            for name in NAMES
        }


def folded_both_ways(memory: Memory, *, run: int) -> tuple[dict[str, Any], dict[str, Any]]:
    path = memory.home / "memory.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        tx = Tx(driver)
        driver.execute("BEGIN")
        one_by_one = tables(tx, lambda: replay(tx, chunk=3))
        at_once = tables(tx, lambda: replay_all(tx, path, last=tip(tx), workers=0, run=run))
    return one_by_one, at_once


@FEW
@given(st.lists(steps(), max_size=9), st.lists(steps(), max_size=6), st.randoms(use_true_random=False))
def test_a_log_folded_in_bulk_gives_every_row_that_it_gives_fact_by_fact(
    here: list[Step], there: list[Step], chance: Any
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, other = memory_in(Path(folder) / "1", salt=counted_salt()), memory_in(Path(folder) / "2")
        with closing(one), closing(other):
            for step in here:
                step(one)
            for step in there:
                step(other)
            said = other.envelopes()
            for envelope in chance.sample(said, len(said)):
                one.receive([envelope])

            one_by_one, at_once = folded_both_ways(one, run=chance.choice([1, 2, 5, 100]))

            assert at_once == one_by_one


@FEW
@given(st.lists(steps(), max_size=9))
def test_a_long_log_rebuilt_is_what_it_was_in_every_table_and_in_the_lexical_index(done: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(memory_in(Path(folder))) as memory:
        for step in done:
            step(memory)
        before = memory.digest(EVERYTHING)

        with closing(sqlite3.connect(memory.home / "memory.db", isolation_level=None)) as driver:
            writing, reading = transactions(driver)
            work = Rebuilding(
                tx=Tx(driver), writing=writing, reading=reading, path=memory.home / "memory.db", workers=0
            )
            work.run(None)
            driver.execute("BEGIN")
            report = verify(Tx(driver), path=memory.home / "memory.db", workers=0)

        assert report.faults == ()
        assert memory.verify().faults == ()
        assert memory.digest(EVERYTHING) == before


def transactions(driver: sqlite3.Connection) -> tuple[Transaction, Transaction]:
    @contextmanager
    def opened(begin: str) -> Iterator[None]:
        driver.execute(begin)
        yield
        driver.execute("COMMIT")

    return partial(opened, "BEGIN IMMEDIATE"), partial(opened, "BEGIN")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE events SET parts = replace(parts, 'Postgres', 'Oracle')", "text was changed"),
        ("UPDATE events SET parts = '{}', salts = x''", "nobody erased it"),
        ("UPDATE events SET salts = salts || x'00'", "not what was stored"),
        ("UPDATE events SET seq = 7", "columns beside the header"),
        ("DELETE FROM event_about", "not indexed"),
        ("UPDATE decisions SET day = '2020-01-01'", "table decisions"),
        ("DELETE FROM decision_days", "table decision_days"),
        ("UPDATE decisions_fts SET title = 'Oracle'", "the lexical index"),
    ],
)
def test_what_was_tampered_with_is_named_in_a_long_log_too(tmp_path: Path, change: str, what: str) -> None:
    with closing(memory_in(tmp_path)) as memory:
        memory.admit(admission(draft("Search stays on Postgres")))
    with closing(sqlite3.connect(tmp_path / "memory.db")) as raw, raw:
        raw.execute(change)

    with closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as driver:
        faults = verify(Tx(driver), path=tmp_path / "memory.db", workers=0).faults

    assert any(what in f"{each.what} {each.where}" and each.remedy for each in faults)
