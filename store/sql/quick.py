"""The quick way to read: the standard library's sqlite3, read-only, the same SQL as the engine's.

A command that shows a history starts, asks one question and ends. Importing the engine would cost
it more than everything else together, so nothing here imports more than the standard library.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from store.sql.faults import translated
from store.sql.queries import Rows
from store.sql.reading import Reading
from store.sql.schema import ready_to_read

BUSY_TIMEOUT_S = 2.0
"""How long a read waits; with a write-ahead log readers wait for nobody but a checkpoint's end."""


class QuickMemory(Reading):
    """The reading half of a memory over one read-only connection; close it at the end."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use `open`, which checks what the file is."""
        self._connection = connection
        self._path = path

    @classmethod
    def open(cls, home: Path) -> QuickMemory | None:
        """Open the memory in a folder; None where there is none yet.

        Raises:
            SchemaTooOld: an older version did; whoever writes to it carries it forward.
            SchemaTooNew: a newer version did.
            NotADatabase: the file is damaged or something else.
        """
        path = home / "memory.db"
        if not path.is_file():
            return None
        try:
            connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S)
        except sqlite3.Error as error:
            raise translated(error, path) from error
        connection.isolation_level = None
        connection.row_factory = sqlite3.Row
        memory = cls(connection, path)
        try:
            if memory._is_made():
                return memory
        except BaseException:
            connection.close()
            raise
        connection.close()
        return None

    def close(self) -> None:
        """Close the connection; the memory can't be used afterwards."""
        self._connection.close()

    def _is_made(self) -> bool:
        with self._reading() as rows:
            return ready_to_read(rows, self._path)

    @contextmanager
    def _reading(self) -> Iterator[Rows]:
        try:
            with closing(self._connection.cursor()) as cursor:
                cursor.execute("BEGIN")
                try:
                    yield self._rows
                finally:
                    cursor.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise translated(error, self._path) from error

    def _rows(self, sql: str, parameters: Mapping[str, object]) -> Sequence[Mapping[str, Any]]:
        return [dict(row) for row in self._connection.execute(sql, dict(parameters))]
