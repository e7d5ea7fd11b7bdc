"""The statements of one transaction, over the bare DBAPI connection: what the log's side of the store speaks to.

It imports neither SQLAlchemy nor SQLModel, so that a process that appends one event needn't load them; the
engine (`store.sql.engine`) and the lean ways in open the transaction and lend it. The SQL is SQLite's, every
value bound by name.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

OnConflict = Literal["", "ignore", "replace"]
"""What an insert does where its key stands already: fail, leave what is there, or take its place."""

_OR = {"": "", "ignore": "OR IGNORE ", "replace": "OR REPLACE "}


class TextIndex(Protocol):
    """What keeps the lexical index in a database that has no FTS5; the calls are those of `store.sql.lexical`."""

    def put(self, entries: Sequence[tuple[bool, tuple[str | int, ...]]]) -> None:
        """Add rows, each with whether its scope is open."""

    def take_out(self, numbers: Sequence[int]) -> None:
        """Remove decisions by their `n`."""

    def move(self, scope: str, *, open_: bool) -> None:
        """Bring what was said in a scope over to what is open, or closed."""

    def settle(self) -> None:
        """Leave nothing of what was removed."""


class Tx:
    """Runs statements within the transaction that somebody else opened and will end."""

    texts: TextIndex | None = None
    """Where the lexical index isn't FTS5's."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        """Speak over a connection of the driver's own."""
        self._driver = driver

    def rows(self, sql: str, parameters: Mapping[str, object]) -> Sequence[Mapping[str, Any]]:
        """Run one query and return its rows by column name."""
        cursor = self._driver.cursor()
        try:
            cursor.execute(sql, dict(parameters))
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        finally:
            cursor.close()

    def run(self, sql: str, parameters: Mapping[str, object] | None = None) -> int:
        """Run one statement and return how many rows it changed (-1 where that has no meaning)."""
        cursor = self._driver.cursor()
        try:
            return int(cursor.execute(sql, dict(parameters or {})).rowcount)
        finally:
            cursor.close()

    def run_many(self, sql: str, given: Sequence[Mapping[str, object]]) -> None:
        """Run one statement once for each set of parameters."""
        if given:
            cursor = self._driver.cursor()
            try:
                cursor.executemany(sql, given)
            finally:
                cursor.close()

    def insert(self, table: str, given: Sequence[Mapping[str, object]], *, on_conflict: OnConflict = "") -> None:
        """Insert rows that all have the same columns; the table's name is one of ours, never somebody's input."""
        if given:
            columns = list(given[0])
            values = ", ".join(f":{column}" for column in columns)
            into = f"INSERT {_OR[on_conflict]}INTO {table} ({', '.join(columns)}) VALUES ({values})"  # noqa: S608  # our own names
            self.run_many(into, given)

    def fill(self, table: str, columns: Sequence[str], given: Iterable[Sequence[object]]) -> None:
        """Insert rows as tuples, for very many of them; the table's and the columns' names are ours."""
        cursor = self._driver.cursor()
        try:
            marks = ", ".join("?" * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", given)  # noqa: S608
        finally:
            cursor.close()
