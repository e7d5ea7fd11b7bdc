"""The file inbox.db: its engine, its schema number and its transactions.

It holds what CONTRACTS.md keeps beside the log, apart from memory.db so that nothing blocks an ack.
WAL with synchronous=FULL: Slack never sends an acknowledged delivery again, so its commit must survive a
power cut as well as a crash (`store.sql.engine` opens it so, with secure_delete). `scrub` truncates the
write-ahead log after an erasure.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, Connection, Dialect, MetaData
from sqlalchemy.types import TypeDecorator

from store.errors import SchemaTooNew, StoreBusy
from store.sql.engine import Database

SCHEMA = 7
"""The number in PRAGMA user_version: an older file is carried forward step by step, a newer one refused."""

TURN_S, BUSY_MS = 1.5, 1_000
"""How long a writer in a hurry waits for others of its process, then for other processes: an acknowledgement has three
seconds."""

metadata = MetaData()

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Moment(TypeDecorator[datetime]):
    """An aware time, kept as whole microseconds since 1970: SQLite compares it as a number."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Refuse a naive time: it would be read as another zone's."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a naive time has no place in inbox.db")
        return None if value is None else (value - _EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """Return the time in UTC."""
        return None if value is None else _EPOCH + timedelta(microseconds=int(value))


class InboxFile:
    """One open inbox.db; thread-safe: writers of this process take turns in order, readers don't wait."""

    shared = False
    """Whether several processes may work the inbox off side by side."""

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            SchemaTooNew: a newer version of this program wrote it.
            NotADatabase: the file is something else.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self._turns = threading.Lock()
        self._database = Database(path)
        with self.reading() as seen:
            found = int(seen.exec_driver_sql("PRAGMA user_version").scalar_one())
        if found > SCHEMA:
            self.close()
            raise SchemaTooNew(f"{path}: written with schema {found}, this version knows schemas up to {SCHEMA}")
        if found < SCHEMA:
            with self.transaction() as tx:
                _carry_forward(tx)

    @contextmanager
    def transaction(self, *, hurried: bool = False, alone: str = "") -> Iterator[Connection]:
        """Write: all or nothing, committed to the disk when it ends. Nothing may wait inside.

        Args:
            hurried: somebody waits for an acknowledgement, so rather raise than wait for long.
            alone: names what nobody else may do meanwhile; a file has one writer at a time anyway.

        Raises:
            StoreFull: the disk is full; nothing was written.
            StoreBusy: another process kept writing.
        """
        if not self._turns.acquire(timeout=TURN_S if hurried else -1):
            raise StoreBusy(f"{self._database.path}: others keep writing; try again")
        try:
            with self._database.write(busy_ms=BUSY_MS if hurried else None) as connection:
                yield connection
        finally:
            self._turns.release()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read what is committed."""
        with self._database.read() as connection:
            yield connection

    def scrub(self) -> None:
        """Empty the write-ahead log, so that erased text is left in no file."""
        with self._turns:
            self._database.shrink_wal()

    def tidy(self) -> None:
        """Do what `scrub` does, often: it is cheap where there is little."""
        self.scrub()

    def announce(self, tx: Connection) -> None:
        """Tell other processes that something was inserted, once this transaction is committed: a file has none."""

    def listen(self, listener: Callable[[], None]) -> None:
        """Call `listener` when another process announces something: a file has none."""

    def leads(self) -> bool:
        """Say whether this process looks at the clock for all that share this inbox."""
        return True

    def close(self) -> None:
        """Close every connection; the last one folds the write-ahead log in."""
        self._database.close()


# --- from one schema to the next ---


def _carry_forward(tx: Connection) -> None:
    """Make what tables are missing and take every step that a file has not taken; another process may have.

    A table that is made now has today's shape, so a step changes only what was there before, where it lacks something.
    The file is small (its rows have a retention), so all of it is one transaction. `store.sql.migrations` says why this
    is a list of functions.
    """
    found = int(tx.exec_driver_sql("PRAGMA user_version").scalar_one())
    metadata.create_all(tx)
    for number in range(found + 1, SCHEMA + 1):
        for step in _STEPS.get(number, ()):
            step(tx)
    tx.exec_driver_sql(f"PRAGMA user_version = {max(found, SCHEMA)}")


def _message_of_nudges(tx: Connection) -> None:
    """Say of each unasked message in which post it was said; files of schema 2 were written before and after."""
    columns = {row[1] for row in tx.exec_driver_sql("PRAGMA table_info(nudges)")}
    if "message" not in columns:
        tx.exec_driver_sql("ALTER TABLE nudges ADD COLUMN message VARCHAR NOT NULL DEFAULT ''")
        tx.exec_driver_sql("CREATE INDEX nudges_message ON nudges (message)")


def _scope_of_pieces(tx: Connection) -> None:
    """Make the table of what webhooks delivered anew where it doesn't tell scopes apart: it is read within minutes."""
    columns = {row[1] for row in tx.exec_driver_sql("PRAGMA table_info(hook_pieces)")}
    if columns and "scope" not in columns:
        metadata.tables["hook_pieces"].drop(tx)
        metadata.tables["hook_pieces"].create(tx)


_STEPS: Mapping[int, Sequence[Callable[[Connection], None]]] = {3: (_message_of_nudges,), 4: (_scope_of_pieces,)}
"""What carries a file forward to each schema from the one before, beside new tables."""
