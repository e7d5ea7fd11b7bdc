"""`store.sql.tx.Tx` over psycopg: the same calls, the same rows.

Flags (0 and 1 on SQLite) are BOOLEAN there and read back as 0 and 1; numbers and texts are sent without a type, which
their place in the statement gives them, as SQLite does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import psycopg
from psycopg.abc import AdaptContext
from psycopg.adapt import Dumper, Loader

from store.sql.postgres.lexical import ServerTexts
from store.sql.postgres.translate import LIST, Statement, array_of, translated
from store.sql.tx import OnConflict, Tx

Driver = psycopg.Connection[Any]


class PostgresTx(Tx):
    """Runs statements within the transaction that somebody else opened and will end."""

    def __init__(self, driver: Driver) -> None:
        """Speak over a connection of the driver's own, prepared by `adapted`."""
        self._postgres = driver
        self.texts = ServerTexts(self)

    def rows(self, sql: str, parameters: Mapping[str, object]) -> Sequence[Mapping[str, Any]]:
        """Run one query and return its rows by column name."""
        statement = translated(sql)
        with self._postgres.cursor() as cursor:
            cursor.execute(statement.text, _bound(statement, parameters))
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def run(self, sql: str, parameters: Mapping[str, object] | None = None) -> int:
        """Run one statement and return how many rows it changed (-1 where that has no meaning)."""
        statement = translated(sql)
        with self._postgres.cursor() as cursor:
            cursor.execute(statement.text, _bound(statement, parameters or {}))
            return cursor.rowcount

    def run_many(self, sql: str, given: Sequence[Mapping[str, object]]) -> None:
        """Run one statement once for each set of parameters."""
        statement = translated(sql)
        if given:
            with self._postgres.cursor() as cursor:
                cursor.executemany(statement.text, [_bound(statement, each) for each in given])

    def insert(self, table: str, given: Sequence[Mapping[str, object]], *, on_conflict: OnConflict = "") -> None:
        """Insert rows that all have the same columns; the table's name is one of ours, never somebody's input."""
        if not given:
            return
        columns = list(given[0])
        values = ", ".join(f":{column}" for column in columns)
        then = {"": "", "ignore": " ON CONFLICT DO NOTHING"}.get(on_conflict) or (
            _replacing(table, columns) if on_conflict else ""
        )
        self.run_many(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values}){then}", given)  # noqa: S608  # our own names


def _replacing(table: str, columns: Sequence[str]) -> str:
    key = _keys()[table]
    changed = ", ".join(f"{each} = excluded.{each}" for each in columns if each not in key)
    then = f"DO UPDATE SET {changed}" if changed else "DO NOTHING"
    return f" ON CONFLICT ({', '.join(key)}) {then}"


def tx_over(driver: object) -> PostgresTx:
    """Return the open transaction of a connection out of the pool."""
    assert isinstance(driver, psycopg.Connection)  # noqa: S101  # narrows a type; the pool holds nothing else
    return PostgresTx(driver)


@cache
def _keys() -> Mapping[str, Sequence[str]]:
    """Return each table's primary key, without the tenant: what an insert that replaces goes by."""
    from store.sql import tables  # half a second, which who only reads doesn't need
    from store.sql.postgres.ddl import keys

    return keys([tables.table(row) for row in tables.ALL])


def _bound(statement: Statement, parameters: Mapping[str, object]) -> dict[str, object]:
    bound = dict(parameters)
    for name in statement.lists:
        bound[f"{name}{LIST}"] = array_of(json.loads(str(parameters[name])))
    return bound


# --- values --------------------------------------------------------------------------------------


def adapted(driver: Driver) -> None:
    """Let a connection send and read values as the log's side of the store knows them from SQLite."""
    adapters = driver.adapters
    adapters.register_dumper(int, _Number)
    adapters.register_dumper(bool, _Flag)
    adapters.register_dumper(float, _Number)
    adapters.register_loader("bool", _FlagRead)
    adapters.register_loader("numeric", _NumberRead)
    adapters.register_loader("json", _TextRead)
    adapters.register_loader("jsonb", _TextRead)


class _Number(Dumper):
    """A number without a type: beside a flag it is one, beside a number it is that."""

    oid = 0

    def dump(self, obj: Any) -> bytes:
        return repr(obj).encode()


class _Flag(Dumper):
    oid = 0

    def dump(self, obj: Any) -> bytes:
        return b"1" if obj else b"0"


class _FlagRead(Loader):
    def load(self, data: Any) -> int:
        return int(bytes(data) == b"t")


class _NumberRead(Loader):
    def load(self, data: Any) -> float:
        number = float(bytes(data))
        return int(bytes(data)) if number.is_integer() and b"." not in bytes(data) else number


class _TextRead(Loader):
    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)

    def load(self, data: Any) -> str:
        return bytes(data).decode()
