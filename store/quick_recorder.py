"""A memory for who only records and looks up: over the quick way to write, in a process that ends soon."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from store.recording import Recording
from store.sql import schema
from store.sql.queries import Rows
from store.sql.quick_writing import QuickDatabase
from store.sql.writing import Writing


class QuickRecorder(Recording):
    """The recording and the reading half of a memory; whoever owns the vector index follows by itself."""

    def __init__(self, database: QuickDatabase, *, clock: Callable[[], datetime], salt: Callable[[int], bytes]) -> None:
        """Use `open`, which checks what the file is."""
        self.clock = clock
        self._database = database
        self._salt = salt

    @classmethod
    def open(
        cls,
        home: Path,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        salt: Callable[[int], bytes] = os.urandom,
    ) -> QuickRecorder | None:
        """Open the memory in a folder; None where it must be made or carried forward first: `Memory.open` does.

        Raises:
            SchemaTooNew: a newer version wrote the database.
            NotADatabase: the file is damaged or something else.
        """
        database = QuickDatabase.open(home / "memory.db")
        return None if database is None else cls(database, clock=clock, salt=salt)

    def close(self) -> None:
        """Close the database; the memory can't be used afterwards."""
        self._database.close()

    @contextmanager
    def _reading(self) -> Iterator[Rows]:
        with self._database.read() as tx:
            yield tx.rows

    @contextmanager
    def _writing(self) -> Iterator[Writing]:
        with self._database.write() as tx:
            writing = Writing(tx, writer=schema.writer(tx.rows), now=self.clock(), salt=self._salt)
            yield writing
            writing.settle()
