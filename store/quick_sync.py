"""A sync in a process that does nothing else: over the quick way to write."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from store.memory_log import Erased, MemoryLog
from store.sql.quick_writing import QuickDatabase
from store.sql.settling import settled
from store.sync.exchange import Synced
from store.syncing import SyncOptions, forget_beside, synced


class QuickSync:
    """What of a memory a sync needs; whoever owns the vector index follows by itself."""

    def __init__(self, home: Path, database: QuickDatabase, *, clock: Callable[[], datetime]) -> None:
        """Use `open`, which checks what the file is."""
        self._home, self._database, self._clock = home, database, clock
        self._log = MemoryLog(
            database.read,
            database.write,
            salt=os.urandom,
            erased=self._erased,
            fold=self._fold,
            swift=database.swift,
        )

    @classmethod
    def open(cls, home: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> QuickSync | None:
        """Open the memory in a folder; None where it must be made or carried forward first: `Memory.open` does.

        Raises:
            SchemaTooNew: a newer version wrote the database.
            NotADatabase: the file is damaged or something else.
        """
        database = QuickDatabase.open(home / "memory.db")
        return None if database is None else cls(home, database, clock=clock)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def sync(self, remote: str, options: SyncOptions) -> Synced:
        """Do what `Memory.sync` does."""
        return synced(self._home, self._log, remote, options, now=self._clock())

    def scopes(self) -> set[str]:
        """Return the ids of the scopes in which this database ever wrote."""
        return self._log.scopes()

    def _fold(self) -> None:
        from store.opening import rebuilt  # the engine, for the rare sync that brings very much
        from store.sql.engine import Database

        database = Database(self._home / "memory.db")
        try:
            rebuilt(self._home, database, None)
        finally:
            database.close()

    def _erased(self, erased: Erased) -> None:
        settled(self._database.write)
        self._database.shrink_wal()
        path = self._home / "inbox.db"
        if not path.exists():
            return
        from store.sql.beside import Beside  # the engine, for the rare sync that brings an erasure

        beside = Beside.open(path)
        try:
            forget_beside(beside, erased)
        finally:
            beside.close()
