"""Copying and emptying tables piece by piece in the order of their keys, so that no transaction is long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from store.sql.tx import Tx

# ruff: noqa: S608 - names of our own tables and columns; every value is bound by name

ROWS_AT_ONCE = 4_000
"""Rows copied or deleted in one transaction: some 20 ms for rows of these sizes."""

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


def empty_piece(tx: Tx, table: str, key: Sequence[str], *, limit: int) -> bool:
    """Delete the first rows of a table; False if there was none left."""
    columns = ", ".join(key)
    return tx.run(f"DELETE FROM {table} WHERE ({columns}) IN (SELECT {columns} FROM {table} LIMIT {limit})") > 0
