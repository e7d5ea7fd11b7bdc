"""The quick way to write: the standard library's sqlite3, the same transactions as the engine's.

A command that records one decision starts, appends a few facts and ends: importing the engine would cost it more than
everything else together. Only a file that is ready can be written to like this; one that must be made, or carried
forward from an older version, is the engine's (`store.opening`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from store.sql.faults import BUSY_TIMEOUT_MS, translated
from store.sql.pragmas import WRITING
from store.sql.schema import standing
from store.sql.tx import Tx

_BULK = (
    "PRAGMA cache_size = -65536",  # KiB: what a chunk of bulk work touches of a large log's indexes
    "PRAGMA wal_autocheckpoint = 16000",  # pages: the same page changes in many chunks and is moved once
)


class QuickDatabase:
    """One connection to a file that is ready; not for several threads at a time. Close it at the end."""

    def __init__(self, driver: sqlite3.Connection, path: Path) -> None:
        """Use `open`, which checks what the file is."""
        self._driver = driver
        self.path = path

    @classmethod
    def open(cls, path: Path, *, busy_ms: int = BUSY_TIMEOUT_MS) -> QuickDatabase | None:
        """Open a file; None where it must be made first or carried forward.

        Args:
            path: of memory.db.
            busy_ms: milliseconds to wait for another writer.

        Raises:
            SchemaTooNew: a newer version wrote the file.
            NotADatabase: it is damaged or something else.
        """
        if not path.is_file():
            return None
        try:
            driver = sqlite3.connect(path, timeout=busy_ms / 1000, isolation_level=None)
        except sqlite3.Error as error:
            raise translated(error, path) from error
        database = cls(driver, path)
        try:
            if database._is_ready():
                return database
        except BaseException:
            driver.close()
            raise
        driver.close()
        return None

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """Open a writing transaction; it commits at the end, or rolls back and raises.

        Raises:
            StoreFull: the disk is full.
            StoreBusy: another writer held the lock for too long.
            NotADatabase: the file is damaged.
        """
        with self._transaction("BEGIN IMMEDIATE") as tx:
            yield tx

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """Open a reading transaction: one snapshot, however many queries."""
        with self._transaction("BEGIN") as tx:
            yield tx

    @contextmanager
    def swift(self) -> Iterator[None]:
        """Let commits within reach the disk by and by: for what can be had again if the power fails, not a process.

        The next commit afterwards reaches it, and with it all that came before.
        """
        self._driver.execute("PRAGMA synchronous = NORMAL")
        try:
            yield
        finally:
            self._driver.execute("PRAGMA synchronous = FULL")

    def shrink_wal(self) -> None:
        """Empty the write-ahead log, so that nothing erased is left in it."""
        try:
            self._driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error as error:
            raise translated(error, self.path) from error

    def close(self) -> None:
        """Close the connection."""
        self._driver.close()

    def _is_ready(self) -> bool:
        with self.read() as tx:
            if not standing(tx.rows, self.path).is_ready:
                return False
        for pragma in (*WRITING, *_BULK):
            self._driver.execute(pragma)
        return True

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Tx]:
        try:
            self._driver.execute(begin)
            try:
                yield Tx(self._driver)
            except BaseException:
                if self._driver.in_transaction:
                    self._driver.execute("ROLLBACK")
                raise
            self._driver.execute("COMMIT")
        except sqlite3.Error as error:
            if self._driver.in_transaction:
                self._driver.execute("ROLLBACK")
            raise translated(error, self.path) from error
