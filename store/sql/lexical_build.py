"""Making the lexical index of many decisions at once: beside the memory, in a process of its own, then copied in.

FTS5 keeps its index in ordinary tables, which stand the same in any file. So another process fills them in a file
of its own with nothing to be careful of, and the writer copies their rows into the empty `*_next` tables in short
pieces. It knows nothing of SQLAlchemy, nor of what a decision is.
"""

# ruff: noqa: S608 - the text is built of this module's constants and whole numbers

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from store.sql import lexical
from store.sql.tx import Tx

OPTIONS = (("hashsize", 16 << 20), ("automerge", 0), ("crisismerge", 1_000))
"""FTS5's own options for a file that nobody searches meanwhile: the bytes that it gathers before it writes a segment
(1 MiB by itself), and no merging until the end. A tenth to a fifth less work for a million decisions."""

CACHE_KIB = 65_536

ROWS_AT_ONCE = {"content": 8_000, "docsize": 40_000, "data": 1_000, "idx": 40_000}
"""Rows copied in one piece: 3 to 5 MB of them, about 30 ms."""

_INSERT = f"INSERT INTO {{table}} (rowid, {', '.join(lexical.COLUMNS)}) VALUES (?{', ?' * len(lexical.COLUMNS)})"

_KEYS = {"content": "id", "docsize": "id", "data": "id", "idx": "segid, term"}


class LexicalBuild:
    """Fills the index in a file of its own; for one process, which nobody else reads along with."""

    def __init__(self, path: Path) -> None:
        """Begin in a new file; one that a killed process left there is removed."""
        path.unlink(missing_ok=True)
        self._driver = sqlite3.connect(path, isolation_level=None)
        for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{CACHE_KIB}"):
            self._driver.execute(f"PRAGMA {pragma}")
        for table in lexical.TABLES:
            self._driver.execute(lexical.definition(table))
            for option, value in OPTIONS:
                self._driver.execute(f"INSERT INTO {table} ({table}, rank) VALUES (?, ?)", (option, value))
        self._driver.execute("BEGIN")

    def add(self, entries: Iterable[tuple[bool, lexical.Entry]]) -> None:
        """Add rows, each with whether its scope is open; no decision twice. By rising `n` it goes fastest."""
        given: dict[bool, list[lexical.Entry]] = {True: [], False: []}
        for open_, row in entries:
            given[open_].append(row)
        for open_, rows in given.items():
            self._driver.executemany(_INSERT.format(table=lexical.OPEN if open_ else lexical.CLOSED), rows)

    def finish(self) -> None:
        """Merge each table's segments into one, as a search reads them fastest, and close the file."""
        self._driver.execute("COMMIT")
        lexical.settle(Tx(self._driver), levels=range(0))
        self._driver.close()


@contextmanager
def attached(tx: Tx, path: Path) -> Iterator[None]:
    """Lend a connection that has no transaction open the file of a build; the file is removed at the end."""
    tx.run("ATTACH :path AS built", {"path": str(path)})
    try:
        yield
    finally:
        tx.run("DETACH built")
        with suppress(PermissionError):  # Windows, where something else looks at it: the next build removes it
            path.unlink(missing_ok=True)


def copy_in(tx: Tx, suffix: str) -> Iterator[None]:
    """Copy an attached build into the empty tables with a suffix, piece by piece; each step belongs in a transaction.

    A table that was half copied is no index: it is dropped, not gone on with. After the last step the connection
    is to rename the tables, or close, before it searches them.
    """
    for table in lexical.TABLES:
        for part in _KEYS:
            yield from _copy(tx, f"built.{table}_{part}", f"main.{table}{suffix}_{part}", part)


def _copy(tx: Tx, source: str, target: str, part: str) -> Iterator[None]:
    keys, limit = _KEYS[part], ROWS_AT_ONCE[part]
    if part == "idx":
        last: dict[str, object] = {"segid": -1, "term": b""}
    else:
        last = {"id": -(2**63)}
    after = f"({keys}) > ({', '.join(f':{key}' for key in last)})"
    while True:
        end = tx.rows(f"SELECT {keys} FROM {source} WHERE {after} ORDER BY {keys} LIMIT 1 OFFSET {limit - 1}", last)
        upto = f" AND ({keys}) <= ({', '.join(f':upto_{key}' for key in last)})" if end else ""
        bounds = last | {f"upto_{key}": value for key, value in end[0].items()} if end else last
        tx.run(f"INSERT OR REPLACE INTO {target} SELECT * FROM {source} WHERE {after}{upto} ORDER BY {keys}", bounds)
        yield
        if not end:
            return
        last = dict(end[0])
