"""Folding the log anew beside the living projections: into temporary tables that shadow them.

An unqualified name in SQLite means the temporary table first; so within `shadowed` the very same
projector writes to empty tables that only this connection sees, while everybody else reads on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from store.sql import lexical, tables
from store.sql.tx import Tx

NAMES: tuple[str, ...] = tuple(str(row.__tablename__) for row in tables.PROJECTIONS)
"""The projections' tables, the lexical index aside."""

_CREATED = re.compile(r'^CREATE (?P<what>TABLE|INDEX|UNIQUE INDEX) "?(?P<name>\w+)"?( ON "?(?P<on>\w+)"?)?')


@contextmanager
def shadowed(tx: Tx) -> Iterator[None]:
    """Give this connection empty projections of its own until the end."""
    cast(tx)
    try:
        yield
    finally:
        lift(tx)


def cast(tx: Tx) -> None:
    """Give this connection empty projections of its own until `lift`."""
    for statement in tables.definitions(tables.PROJECTIONS):
        tx.run(_temporary(statement))
    for table in lexical.TABLES:
        lexical.create(tx, table, "temp")


def lift(tx: Tx) -> None:
    """Drop what `cast` made."""
    for name in (*NAMES, *lexical.TABLES):
        tx.run(f"DROP TABLE temp.{name}")


def _temporary(statement: str) -> str:
    def made(match: re.Match[str]) -> str:
        on = f" ON {match['on']}" if match["on"] else ""
        return f"CREATE {match['what']} temp.{match['name']}{on}"

    return _CREATED.sub(made, statement)


def renamed(statement: str, suffix: str, index_suffix: str) -> str:
    """Return a definition for a table with a suffix to its name; its indexes get another."""

    def made(match: re.Match[str]) -> str:
        if match["on"]:
            return f"CREATE {match['what']} main.{match['name']}{index_suffix} ON {match['on']}{suffix}"
        return f"CREATE {match['what']} main.{match['name']}{suffix}"

    return _CREATED.sub(made, statement)
