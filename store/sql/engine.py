"""One SQLite file: how it is opened, how transactions begin, how its errors read in our words.

Transactions are opened in `store.memory` alone. A writing one takes the database's write lock at
its start (BEGIN IMMEDIATE), so that what it reads can't change before it writes: that lock is the
append lock.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from store.sql.faults import BUSY_TIMEOUT_MS, translated
from store.sql.pragmas import WRITING
from store.sql.tx import Tx


class Database:
    """A pool of connections to one file, each transaction on its own; safe among threads."""

    on_server = False
    """Whether it is a database server's, not a file."""

    def __init__(self, path: Path, *, largest_pages: int = 0, busy_ms: int = BUSY_TIMEOUT_MS) -> None:
        """Open the file, making it if need be.

        Args:
            path: the file; its folder exists.
            largest_pages: refuse to grow beyond as many pages of 4 KiB (0: as the disk allows).
            busy_ms: milliseconds that a writer waits for another process.
        """
        self.path = path
        self._engine = _engine(path, largest_pages, busy_ms)

    @contextmanager
    def write(self, *, busy_ms: int | None = None) -> Iterator[Connection]:
        """Open a writing transaction; it commits at the end, or rolls back and raises.

        Args:
            busy_ms: milliseconds to wait for another writer, where it is not as long as usual.

        Raises:
            StoreFull: the disk is full.
            StoreBusy: another writer held the lock for longer than it was told to wait.
            NotADatabase: the file is damaged or something else.
        """
        with (
            self._translated(),
            self._engine.connect().execution_options(writing=True, busy_ms=busy_ms) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a reading transaction: one snapshot, however many queries."""
        with self._translated(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def alone(self) -> Iterator[Lent]:
        """Lend one connection for several transactions, one after the other."""
        with self._translated(), self._engine.connect() as connection:
            yield Lent(connection)

    def shrink_wal(self) -> None:
        """Empty the write-ahead log, so that nothing erased is left in it."""
        with self._translated():
            raw = self._engine.raw_connection()
            try:
                raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                raw.close()

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise translated(error.orig or error, self.path) from error
        except sqlite3.Error as error:
            raise translated(error, self.path) from error


class Lent:
    """One connection for work of many transactions: what it makes for itself (temporary tables) stays between them."""

    def __init__(self, connection: Connection) -> None:
        """Wrap a connection without an open transaction."""
        self._connection = connection
        self.tx = tx_of(connection)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open a writing transaction."""
        with self._connection.execution_options(writing=True).begin():
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Open a reading transaction: one snapshot."""
        with self._connection.execution_options(writing=False).begin():
            yield


def _engine(path: Path, largest_pages: int, busy_ms: int) -> Engine:
    engine = create_engine(f"sqlite:///{path}", poolclass=QueuePool, pool_size=8, max_overflow=32)

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        for pragma in WRITING:
            connection.execute(pragma)
        if largest_pages:
            connection.execute(f"PRAGMA max_page_count = {largest_pages}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {options.get('busy_ms') or busy_ms}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writing") else "BEGIN")

    return engine


def tx_of(connection: Connection) -> Tx:
    """Return the open transaction for the log's side of the store, past SQLAlchemy's result machinery.

    That costs more than these short queries themselves (measured: 0.11 ms against 0.02).
    """
    driver = connection.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        return Tx(driver)
    from store.sql.postgres.tx import tx_over  # its driver, for those who have a database of that kind

    return tx_over(driver)
