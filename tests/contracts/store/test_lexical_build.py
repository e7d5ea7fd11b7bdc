"""The lexical index made beside the memory is the one that appending makes, and stays flat however often it settles."""

# ruff: noqa: S608 - names of our own tables

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path

import pytest

from store.sql import days, lexical, lexical_build, settling, varints
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
    memory_in(tmp_path).close()

    with lent(tmp_path / "memory.db") as (driver, tx):

        @contextmanager
        def writing() -> Iterator[Tx]:
            with driver:
                driver.execute("BEGIN IMMEDIATE")
                yield tx

        for number in range(2 * settling.MOST_LEVELS):
            row = lexical.entry(number + 1, {"title": f"word{number}"}, scope="w", day="2024-01-01")
            with writing():
                lexical.put(tx, [(True, row)])
                lexical.take_out(tx, [number])
                settling.unsettle(tx)
            settling.settled(writing)
        structure = tx.rows("SELECT block FROM decisions_fts_data WHERE id = 10", {})[0]["block"]
        pages = b"".join(row["block"] for row in tx.rows("SELECT block FROM decisions_fts_data WHERE id > 10", {}))
        driver.execute("INSERT INTO decisions_fts (decisions_fts) VALUES ('integrity-check')")
        left = settling.is_unsettled(tx.rows)

    levels, segments = varints.read(structure[4:])[:2]
    assert levels <= settling.MOST_LEVELS + 2
    assert segments == 1
    assert (b"word31" in pages, b"word30" in pages) == (True, False)
    assert not left


def test_what_another_machine_erased_stands_in_no_corner_of_the_file(tmp_path: Path) -> None:
    here, there = memory_in(tmp_path / "here"), memory_in(tmp_path / "there")
    said = draft("Zanzibar stays", rationale="zanzibar works", evidence=(quote("we use zanzibar", "C1/1"),))
    kept = here.admit(admission(said, anchor="C1/1")).new[0]
    there.receive(here.envelopes())
    here.forget_decision(kept)

    there.receive(here.envelopes())

    there.close()
    here.close()
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes().lower()]


def test_days_are_asked_for_by_whole_months_and_the_rest_day_by_day() -> None:
    asked = set(days.marks(date(2024, 1, 30), date(2024, 4, 2)))

    assert asked == {"320240130", "320240131", "2202402", "2202403", "320240401", "320240402"}
    assert list(days.marks(date(2024, 2, 1), date(2024, 2, 29))) == ["2202402"]
    assert list(days.marks(date(2024, 2, 2), date(2024, 2, 1))) == []
    assert list(days.marks(date.min, date.min)) == ["300010101"]
