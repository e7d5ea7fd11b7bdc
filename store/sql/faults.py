"""SQLite's errors in our words, for the engine and the quick way alike."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from store.errors import NotADatabase, StoreBusy, StoreError, StoreFull

BUSY_TIMEOUT_MS = 10_000
"""How long a writer waits for another: bulk work holds the lock for 100 ms at a time."""


def translated(error: BaseException, path: Path) -> StoreError:
    """Return a database's error as one of ours: what, where, and what to do."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(
            f"{path}: the disk is full; this step is rolled back, what was recorded before is whole:"
            " free some space and try again"
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(f"{path}: another process kept writing; try again")
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return NotADatabase(f"{path}: not a readable SQLite database ({error}); restore it from a backup")
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        return StoreError(f"{path}: can't be read or written ({error}); check the disk, its space and the permissions")
    return StoreError(f"{path}: {error}")
