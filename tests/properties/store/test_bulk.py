"""What is folded in bulk is what is folded fact by fact."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from store import Memory
from store.sql.bulk import replay_all
from store.sql.log import tip
from store.sql.projections import replay
from store.sql.shadow import NAMES, shadowed
from store.sql.tx import Tx
from tests.builders_log import counted_salt, memory_in
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
