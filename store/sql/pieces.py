"""Copying and emptying tables piece by piece in the order of their keys, so that no transaction is long."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from store.sql.tx import Tx

# ruff: noqa: S608 - names of our own tables and columns; every value is bound by name

FIRST, LEAST, MOST = 2_000, 100, 50_000
"""Rows in the first piece, and in any: how many more or fewer follow is told by how long a piece took."""

AIM_S = 0.05
"""Seconds that a piece's transaction should take, so that hardly any takes 0.1."""

Transaction = Callable[[], AbstractContextManager[None]]

Key = Mapping[str, object]
"""A row's key, by column."""


def key_columns(tx: Tx, table: str) -> tuple[str, ...]:
    """Return the columns of a table's primary key, in its order; `rowid` where it has none."""
    schema, _, name = table.rpartition(".")
    found = tx.rows(f"PRAGMA {schema or 'main'}.table_info({name})", {})
    keys = sorted((row["pk"], row["name"]) for row in found if row["pk"])
    return tuple(name for _, name in keys) or ("rowid",)


def copy_piece(tx: Tx, source: str, target: str, key: Sequence[str], after: Key | None, *, limit: int) -> Key | None:
    """Copy the next rows in the order of their key and return the key of the last one; None at the end.

    Args:
        tx: a writing transaction.
        source: the table to copy from, with its schema.
        target: a table of the same columns.
        key: the columns of its key.
        after: the key of the last row copied before.
        limit: rows at most.
    """
    columns, values = ", ".join(key), ", ".join(f":{name}" for name in key)
    beyond = f"WHERE ({columns}) > ({values})" if after else ""
    last = tx.rows(
        f"SELECT {columns} FROM {source} {beyond} ORDER BY {columns} LIMIT 1 OFFSET {limit - 1}", after or {}
    )
    until = "" if not last else f"{'AND' if after else 'WHERE'} ({columns}) <= ({', '.join(f':last_{n}' for n in key)})"
    given = {**(after or {}), **({f"last_{name}": last[0][name] for name in key} if last else {})}
    tx.run(f"INSERT INTO {target} SELECT * FROM {source} {beyond} {until} ORDER BY {columns}", given)
    return last[0] if last else None


def empty_piece(tx: Tx, table: str, key: Sequence[str], *, limit: int, but: str = "FALSE") -> bool:
    """Delete the first rows of a table, `but` those of which that holds; False if there was none left."""
    columns = ", ".join(key)
    first = f"SELECT {columns} FROM {table} WHERE NOT ({but}) LIMIT {limit}"
    return tx.run(f"DELETE FROM {table} WHERE ({columns}) IN ({first})") > 0


def copy_all(tx: Tx, source: str, target: str, writing: Transaction) -> None:
    """Copy a table into an empty one of the same columns, in transactions of about `AIM_S`."""
    key, last, size = key_columns(tx, source), None, FIRST
    while True:
        started = time.monotonic()
        with writing():
            last = copy_piece(tx, source, target, key, last, limit=size)
        if last is None:
            return
        size = _paced(size, time.monotonic() - started)


def empty_all(tx: Tx, table: str, writing: Transaction, *, but: str = "FALSE") -> None:
    """Delete all rows of a table, `but` those of which that holds, in transactions of about `AIM_S`."""
    key, size, more = key_columns(tx, table), FIRST, True
    while more:
        started = time.monotonic()
        with writing():
            more = empty_piece(tx, table, key, limit=size, but=but)
        size = _paced(size, time.monotonic() - started)


def _paced(size: int, seconds: float) -> int:
    """Return the size of the next piece: at most twice the last one's."""
    return max(LEAST, min(MOST, 2 * size, int(size * AIM_S / max(seconds, 1e-6))))
