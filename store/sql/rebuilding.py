"""Rebuilding every projection from the log while others read and append; whatever shape the old ones had.

The log is folded into temporary tables, copied into `*_next` tables in short transactions, and
swapped in by one more, which also folds what was appended meanwhile. The old tables are then
emptied piece by piece, so that no transaction is long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from store.sql import lexical, tables
from store.sql.log import events_between, tip
from store.sql.migrations import note_projections
from store.sql.pieces import ROWS_AT_ONCE, copy_piece, empty_piece, key_columns
from store.sql.projections import Projector, replay
from store.sql.shadow import NAMES, cast, lift, renamed
from store.sql.tx import Tx

TEXTS_AT_ONCE = 400
"""Rows of the lexical index copied or deleted in one transaction: about 20 ms."""

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
        for table in NAMES:
            _copy(tx, table, writing)
        for table in lexical.TABLES:
            _copy_texts(tx, table, writing)
    finally:
        with reading():
            lift(tx)
    with writing():
        for table in _present(tx, (*NAMES, *FORMER, *lexical.TABLES)):
            tx.run(f"ALTER TABLE main.{table} RENAME TO {table}_old")
        for table in (*NAMES, *lexical.TABLES):
            tx.run(f"ALTER TABLE main.{table}_next RENAME TO {table}")
        note_projections(tx)
        last = tip(tx)
        Projector(tx).apply(events_between(tx, folded + 1, last))
    for table in _present(tx, [f"{table}_old" for table in (*NAMES, *FORMER, *lexical.TABLES)]):
        _empty(tx, f"main.{table}", writing)
    with writing():
        clear_leftovers(tx)
    return last


def leftovers(tx: Tx) -> tuple[str, ...]:
    """Return the tables that a rebuild which was killed left behind."""
    return _present(
        tx, sorted(f"{table}{suffix}" for table in (*NAMES, *FORMER, *lexical.TABLES) for suffix in ("_next", "_old"))
    )


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
    for statement in tables.definitions(tables.PROJECTIONS):
        tx.run(renamed(statement, "_next", generation))
    for table in lexical.TABLES:
        lexical.create(tx, f"{table}_next")


def _copy(tx: Tx, table: str, writing: Transaction) -> None:
    key, last, more = key_columns(tx, f"temp.{table}"), None, True
    while more:
        with writing():
            last = copy_piece(tx, f"temp.{table}", f"main.{table}_next", key, last, limit=ROWS_AT_ONCE)
        more = last is not None


def _copy_texts(tx: Tx, table: str, writing: Transaction) -> None:
    columns = f"rowid, {', '.join(lexical.COLUMNS)}"
    last = int(tx.rows(f"SELECT coalesce(max(rowid), 0) AS last FROM temp.{table}", {})[0]["last"])  # noqa: S608
    for first in range(1, last + 1, TEXTS_AT_ONCE):
        with writing():
            tx.run(
                f"INSERT INTO main.{table}_next ({columns}) SELECT {columns} FROM temp.{table}"  # noqa: S608
                f" WHERE rowid BETWEEN {first} AND {first + TEXTS_AT_ONCE - 1}"
            )


def _empty(tx: Tx, table: str, writing: Transaction) -> None:
    key = key_columns(tx, table)
    limit = TEXTS_AT_ONCE if table.removeprefix("main.").removesuffix("_old") in lexical.TABLES else ROWS_AT_ONCE
    more = True
    while more:
        with writing():
            more = empty_piece(tx, table, key, limit=limit)
