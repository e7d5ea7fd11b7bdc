"""Rebuilding every projection from the log while others read and append.

The log is folded into temporary tables, copied into `*_next` tables in short transactions, and
swapped in by one more, which also folds what was appended meanwhile. The old tables are then
emptied piece by piece, so that no transaction is long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from sqlalchemy import Connection

from store.sql import lexical
from store.sql.engine import rows_of
from store.sql.log import events_between, tip
from store.sql.projections import Projector, replay
from store.sql.shadow import FTS, NAMES, cast, definitions, lift, renamed

ROWS_AT_ONCE = 400
"""Rows copied or deleted in one transaction: about 20 ms for rows of this size."""

Transaction = Callable[[Connection], AbstractContextManager[None]]
Progress = Callable[[int, int], None]


def rebuild(connection: Connection, writing: Transaction, reading: Transaction, progress: Progress | None) -> int:
    """Fold the log anew into every projection and return how many events it has.

    Args:
        connection: one for this work alone, with no transaction open.
        writing: opens a writing transaction on it.
        reading: opens a reading one.
        progress: told how many of how many events are folded.
    """
    with writing(connection):
        clear_leftovers(connection)
        _create_next(connection)
    with reading(connection):
        cast(connection)
    try:
        with reading(connection):
            folded = replay(connection, progress)
        for table in (*NAMES, FTS):
            for first in _pieces(connection, f"temp.{table}"):
                with writing(connection):
                    _copy(connection, table, first)
    finally:
        with reading(connection):
            lift(connection)
    with writing(connection):
        for table in (*NAMES, FTS):
            connection.exec_driver_sql(f"ALTER TABLE main.{table} RENAME TO {table}_old")
            connection.exec_driver_sql(f"ALTER TABLE main.{table}_next RENAME TO {table}")
        last = tip(connection)
        Projector(connection).apply(events_between(connection, folded + 1, last))
    for table in (*NAMES, FTS):
        for first in _pieces(connection, f"main.{table}_old"):
            with writing(connection):
                _empty(connection, table, first)
    with writing(connection):
        clear_leftovers(connection)
    return last


def leftovers(connection: Connection) -> tuple[str, ...]:
    """Return the tables that a rebuild which was killed left behind."""
    wanted = {f"{table}{suffix}" for table in (*NAMES, FTS) for suffix in ("_next", "_old")}
    found = rows_of(connection, "SELECT name FROM main.sqlite_master WHERE type = 'table'", {})
    return tuple(sorted(row["name"] for row in found if row["name"] in wanted))


def clear_leftovers(connection: Connection) -> None:
    """Drop what a killed rebuild left behind: copies of text that no erasure would reach."""
    for table in leftovers(connection):
        connection.exec_driver_sql(f"DROP TABLE main.{table}")


def _create_next(connection: Connection) -> None:
    generation = f"__{tip(connection):x}"
    taken = {row["name"] for row in rows_of(connection, "SELECT name FROM main.sqlite_master", {})}
    while any(name.endswith(generation) for name in taken):
        generation += "0"
    for statement in definitions(connection):
        connection.exec_driver_sql(renamed(statement, "_next", generation))
    connection.exec_driver_sql(lexical.CREATE.replace(f"IF NOT EXISTS {FTS}", f"main.{FTS}_next"))


def _pieces(connection: Connection, table: str) -> Iterator[int]:
    last = rows_of(connection, f"SELECT coalesce(max(rowid), 0) AS last FROM {table}", {})[0]["last"]  # noqa: S608
    connection.rollback()
    yield from range(1, last + 1, ROWS_AT_ONCE)


def _copy(connection: Connection, table: str, first: int) -> None:
    columns = f"rowid, {', '.join(lexical.COLUMNS)}" if table == FTS else "*"
    into = f"main.{table}_next ({columns})" if table == FTS else f"main.{table}_next"
    connection.exec_driver_sql(
        f"INSERT INTO {into} SELECT {columns} FROM temp.{table} WHERE rowid BETWEEN {first}"  # noqa: S608  # numbers
        f" AND {first + ROWS_AT_ONCE - 1}"
    )


def _empty(connection: Connection, table: str, first: int) -> None:
    connection.exec_driver_sql(
        f"DELETE FROM main.{table}_old WHERE rowid BETWEEN {first} AND {first + ROWS_AT_ONCE - 1}"  # noqa: S608
    )
