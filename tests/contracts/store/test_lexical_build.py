"""The lexical index made beside the memory is the one that appending makes, and stays flat however often it settles."""

# ruff: noqa: S608 - names of our own tables

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path

import pytest

from store.sql import days, lexical, lexical_build, varints
from store.sql.tx import Tx
from tests.builders_log import EXEC, admission, draft, memory_in, quote

pytestmark = pytest.mark.sqlite_only


@contextmanager
def lent(path: Path) -> Iterator[tuple[sqlite3.Connection, Tx]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        yield driver, Tx(driver)


def everything(tx: Tx, table: str) -> list[dict[str, object]]:
    return [dict(row) for row in tx.rows(f"SELECT rowid AS n, * FROM {table} ORDER BY rowid", {})]


def test_an_index_made_beside_the_memory_is_the_one_that_appending_makes(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    said = [quote("sqlite it is", "C1/1"), quote("sqlite it is", "C1/1"), quote("検索用のキュー", "C1/2")]
    memory.admit(
        admission(
            draft("Search stays on SQLite", elements=("service:search",), evidence=tuple(said), tags=("fts",)),
            draft("Queue on Postgres", decided_on=date(2024, 2, 29), sets=(("service:queue", "storage", "postgres"),)),
        )
    )
    memory.admit(admission(draft("Prices rise", text="but not today"), anchor="X/1", scope=EXEC))
    memory.close()

    with lent(tmp_path / "memory.db") as (driver, tx):
        for table in lexical.TABLES:
            lexical.create(tx, f"{table}_next")
        lexical_build.build(tmp_path / "memory.db", tmp_path / "built.db", last=1_000)
        with lexical_build.attached(tx, tmp_path / "built.db"):
            driver.execute("BEGIN IMMEDIATE")
            for _ in lexical_build.copy_in(tx, "_next"):
                driver.execute("COMMIT")
                driver.execute("BEGIN IMMEDIATE")
            driver.execute("COMMIT")
    with lent(tmp_path / "memory.db") as (driver, tx):
        appended = {table: everything(tx, table) for table in lexical.TABLES}
        built = {table: everything(tx, f"{table}_next") for table in lexical.TABLES}
        for table in lexical.TABLES:
            driver.execute(f"INSERT INTO {table}_next ({table}_next) VALUES ('integrity-check')")

    assert [len(rows) for rows in appended.values()] == [2, 1]
    assert built == appended
    assert not (tmp_path / "built.db").exists()


def test_settling_again_and_again_adds_no_levels_to_the_index(tmp_path: Path) -> None:
    with lent(tmp_path / "index.db") as (driver, tx):
        lexical.create(tx, lexical.OPEN)
        driver.execute("BEGIN")
        for number in range(3 * lexical.MOST_LEVELS):
            lexical.put(
                tx, [(True, lexical.entry(number + 1, {"title": f"secret {number}"}, scope="w", day="2024-01-01"))]
            )
            lexical.settle(tx, [lexical.OPEN])
        structure = tx.rows(f"SELECT block FROM {lexical.OPEN}_data WHERE id = 10", {})[0]["block"]
        driver.execute(f"INSERT INTO {lexical.OPEN} ({lexical.OPEN}) VALUES ('integrity-check')")
        found = tx.rows(f"SELECT count(*) AS found FROM {lexical.OPEN} WHERE {lexical.OPEN} MATCH 'secret'", {})

    assert varints.read(structure[4:])[0] <= lexical.MOST_LEVELS
    assert found == [{"found": 3 * lexical.MOST_LEVELS}]


def test_days_are_asked_for_by_whole_months_and_the_rest_day_by_day() -> None:
    asked = set(days.marks(date(2024, 1, 30), date(2024, 4, 2)))

    assert asked == {"320240130", "320240131", "2202402", "2202403", "320240401", "320240402"}
    assert list(days.marks(date(2024, 2, 1), date(2024, 2, 29))) == ["2202402"]
    assert list(days.marks(date(2024, 2, 2), date(2024, 2, 1))) == []
    assert list(days.marks(date.min, date.min)) == ["300010101"]
