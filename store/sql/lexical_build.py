"""Making the lexical index of a whole log at once: beside the memory, in a process of its own, then copied in.

FTS5 keeps its index in ordinary tables, which stand the same in any file. So another process fills them in a file
of its own with nothing to be careful of, and the writer copies their rows into the empty `*_next` tables in short
pieces. What only several facts together tell (that a decision was retracted, say) is for the writer to add.
"""

# ruff: noqa: S608 - the text is built of this module's constants and whole numbers

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from store.core.events import VERSION, Kind, scope_of
from store.sql import lexical, settling
from store.sql.pieces import copy_piece
from store.sql.tx import Tx

OPTIONS = (("hashsize", 16 << 20), ("automerge", 0), ("crisismerge", 1_000))
"""FTS5's own options for a file that nobody searches meanwhile: the bytes that it gathers before it writes a segment
(1 MiB by itself), and no merging until the end. A tenth to a fifth less work for a million decisions."""

CACHE_KIB = 65_536

EVENTS_AT_ONCE = 2_000

ROWS_AT_ONCE = {"content": 8_000, "docsize": 40_000, "data": 1_000, "idx": 40_000}
"""Rows copied in one piece: 3 to 5 MB of them, about 30 ms."""

_KEYS = {"content": ("id",), "docsize": ("id",), "data": ("id",), "idx": ("segid", "term")}
_INSERT = f"INSERT INTO {{table}} (rowid, {', '.join(lexical.COLUMNS)}) VALUES (?{', ?' * len(lexical.COLUMNS)})"
_RECORDED = (
    f"SELECT position, stream, header, parts FROM events WHERE kind = '{Kind.DECISION_RECORDED.value}'"
    f" AND position > ? AND position <= ? ORDER BY position LIMIT {EVENTS_AT_ONCE}"
)


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
        for table in lexical.TABLES:
            settling.merge_all(Tx(self._driver), table)
        self._driver.close()


def build(database: Path, into: Path, last: int) -> None:
    """Index what a log's events record, up to a position; each event that records a living text is one row.

    Decisions that more facts are about than the one are indexed as that one has them, at its position, in the scope
    as it was then; whoever folds them takes them out and puts them in as they are.

    Args:
        database: the memory's file, read piece by piece.
        into: the file to make.
        last: the position of the last event.
    """
    made = LexicalBuild(into)
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as driver:
        after = 0
        while found := driver.execute(_RECORDED, (after, last)).fetchall():
            after = found[-1][0]
            made.add(filter(None, (_recorded(*row) for row in found)))
    made.finish()


def _recorded(position: int, stream: str, header: str, body: str) -> tuple[bool, lexical.Entry] | None:
    """Return the row of what one event records with whether its scope is open; None where it records no text."""
    parts = orjson.loads(body)
    if "place" not in parts or "statement" not in parts or not header.startswith('{"about":["'):
        return None
    day = parts.get("meta", {}).get("decided_on", "")
    if not day or not header.endswith('"v":1}'):
        fields = orjson.loads(header)
        if fields["v"] > VERSION:
            return None
        day = day or fields["recorded_at"][:10]
    scope = scope_of(stream)
    texts = lexical.document(
        parts["statement"],
        parts.get("more", {}),
        people=parts.get("people", {}),
        quotes=_quotes(parts),
        ref=parts["place"]["ref"],
    )
    return scope.open, lexical.entry(position, texts, scope=scope.id, day=day)


def _quotes(parts: Mapping[str, Any]) -> Sequence[str]:
    """Return the words that one event quotes as a fold shows them: in order, of the same ones the first."""
    names = sorted((name for name in parts if name.startswith("evidence/")), key=lambda name: int(name[9:]))
    once = {(each["turn_id"], each["quote"]): each["quote"] for each in (parts[name] for name in reversed(names))}
    return list(once.values())[::-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRun:
    """The comparing of the index with what a run of the log records, as a worker process does it."""

    path: Path
    first: int
    last: int
    opened: Mapping[str, bool]
    """Scopes that were opened or closed since."""

    def __call__(self) -> set[int]:
        """Return the numbers of those that are missing, too many or different, as if each event stood alone."""
        with closing(sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)) as driver:
            wanted = {
                (self.opened.get(scope_of(row[1]).id, entry[0]), entry[1][0]): entry[1]
                for row in driver.execute(_RECORDED_BETWEEN, (self.first, self.last))
                if (entry := _recorded(*row))
            }
            held = {
                (table == lexical.OPEN, row[0]): row
                for table in lexical.TABLES
                for row in driver.execute(_HELD.format(table=table), (self.first, self.last))
            }
        return {int(n) for (_, n), _ in wanted.items() ^ held.items()}


_RECORDED_BETWEEN = (
    f"SELECT position, stream, header, parts FROM events WHERE kind = '{Kind.DECISION_RECORDED.value}'"
    " AND position BETWEEN ? AND ?"
)
_HELD = f"SELECT rowid, {', '.join(lexical.COLUMNS)} FROM {{table}} WHERE rowid BETWEEN ? AND ?"


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
        for part, key in _KEYS.items():
            source, target = f"built.{table}_{part}", f"main.{table}{suffix}_{part}"
            tx.run(f"DELETE FROM {target}")  # an empty index has two rows: that it is empty
            last, more = None, True
            while more:
                last = copy_piece(tx, source, target, key, last, limit=ROWS_AT_ONCE[part])
                more = last is not None
                yield
