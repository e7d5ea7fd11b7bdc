"""Rebuilding every projection from the log while others read and append; whatever shape the old ones had.

The log is folded into temporary tables, copied into `*_next` tables in short transactions, and
swapped in by one more, which also folds what was appended meanwhile. The old tables are then
emptied piece by piece, so that no transaction is long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from store.sql import lexical, tables
from store.sql.log import events_between, tip
from store.sql.migrations import note_projections
from store.sql.projections import Projector, replay
from store.sql.shadow import FTS, NAMES, cast, lift, renamed
from store.sql.tx import Tx

ROWS_AT_ONCE = 400
"""Rows copied or deleted in one transaction: about 20 ms for rows of this size."""

FORMER: tuple[str, ...] = ()
"""Tables that projections of an earlier shape had and these don't: a rebuild drops them."""

Transaction = Callable[[], AbstractContextManager[None]]
Progress = Callable[[int, int], None]


def rebuild(tx: Tx, writing: Transaction, reading: Transaction, progress: Progress | None) -> int:
    """Fold the log anew into every projection and return how many events it has.

    Args:
        tx: on a connection for this work alone, with no transaction open.
        writing: opens a writing transaction on it.
        reading: opens a reading one.
        progress: told how many of how many events are folded.
    """
    with writing():
        clear_leftovers(tx)
        _create_next(tx)
    with reading():
        cast(tx)
    try:
        with reading():
            folded = replay(tx, progress)
        for table in (*NAMES, FTS):
            for first in _pieces(tx, f"temp.{table}"):
                with writing():
                    _copy(tx, table, first)
    finally:
        with reading():
            lift(tx)
    with writing():
        for table in _present(tx, (*NAMES, *FORMER, FTS)):
            tx.run(f"ALTER TABLE main.{table} RENAME TO {table}_old")
        for table in (*NAMES, FTS):
            tx.run(f"ALTER TABLE main.{table}_next RENAME TO {table}")
        note_projections(tx)
        last = tip(tx)
        Projector(tx).apply(events_between(tx, folded + 1, last))
    for table in (*NAMES, *FORMER, FTS):
        for first in _pieces(tx, f"main.{table}_old") if _present(tx, [f"{table}_old"]) else ():
            with writing():
                _empty(tx, table, first)
    with writing():
        clear_leftovers(tx)
    return last


def leftovers(tx: Tx) -> tuple[str, ...]:
    """Return the tables that a rebuild which was killed left behind."""
    return _present(tx, sorted(f"{table}{suffix}" for table in (*NAMES, *FORMER, FTS) for suffix in ("_next", "_old")))


def _present(tx: Tx, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of these tables that there are, in the order given."""
    found = {row["name"] for row in tx.rows("SELECT name FROM main.sqlite_master WHERE type = 'table'", {})}
    return tuple(name for name in names if name in found)


def clear_leftovers(tx: Tx) -> None:
    """Drop what a killed rebuild left behind: copies of text that no erasure would reach."""
    for table in leftovers(tx):
        tx.run(f"DROP TABLE main.{table}")


def _create_next(tx: Tx) -> None:
    generation = f"__{tip(tx):x}"
    taken = {row["name"] for row in tx.rows("SELECT name FROM main.sqlite_master", {})}
    while any(name.endswith(generation) for name in taken):
        generation += "0"
    for statement in tables.definitions():
        tx.run(renamed(statement, "_next", generation))
    tx.run(lexical.CREATE.replace(f"IF NOT EXISTS {FTS}", f"main.{FTS}_next"))


def _pieces(tx: Tx, table: str) -> Iterator[int]:
    last = tx.rows(f"SELECT coalesce(max(rowid), 0) AS last FROM {table}", {})[0]["last"]  # noqa: S608
    yield from range(1, last + 1, ROWS_AT_ONCE)


def _copy(tx: Tx, table: str, first: int) -> None:
    columns = f"rowid, {', '.join(lexical.COLUMNS)}" if table == FTS else "*"
    into = f"main.{table}_next ({columns})" if table == FTS else f"main.{table}_next"
    tx.run(
        f"INSERT INTO {into} SELECT {columns} FROM temp.{table} WHERE rowid BETWEEN {first}"  # noqa: S608  # numbers
        f" AND {first + ROWS_AT_ONCE - 1}"
    )


def _empty(tx: Tx, table: str, first: int) -> None:
    tx.run(
        f"DELETE FROM main.{table}_old WHERE rowid BETWEEN {first} AND {first + ROWS_AT_ONCE - 1}"  # noqa: S608
    )
