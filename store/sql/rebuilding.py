"""Rebuilding every projection from the log while others read and append; whatever shape the old ones had.

The log is folded into temporary tables, copied into `*_next` tables in short transactions, and swapped in by one more,
which also folds what was appended meanwhile. The old tables are then emptied piece by piece, so that no transaction is
long. A long log is read by worker processes (`store.sql.bulk`), and its lexical index made by one more beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from store.core.events import Kind
from store.core.fold import records
from store.sql import bulk, lexical, lexical_build, settling, tables
from store.sql.bulk_rows import checked
from store.sql.crew import Crew
from store.sql.log import events_about, events_between, tip
from store.sql.migrations import note_projections
from store.sql.pieces import Transaction, copy_all, empty_all
from store.sql.projections import Projector, replay
from store.sql.shadow import NAMES, cast, lift, renamed
from store.sql.tx import Tx

TEXTS_AT_ONCE = 200
"""Rows of the lexical index written in one transaction: some 20 ms."""

INDEXED_AT_ONCE = 100_000
"""Rows up to which an index is made in one transaction: some 0.1 s."""

FORMER: tuple[str, ...] = ()
"""Tables that projections of an earlier shape had and these don't: a rebuild drops them."""

SHADOWS = {"content": "FALSE", "docsize": "FALSE", "idx": "FALSE", "data": "id IN (1, 10)"}
"""The ordinary tables in which FTS5 keeps one of its own, and the rows without which it can't even be dropped."""

FULL = "_full"
"""Ends the names of the lexical index's new tables once they are copied: FTS5 looks at them anew under another name."""

BULK = (("temp_store", "FILE"), ("temp.cache_size", "-65536"), ("wal_autocheckpoint", "8000"))
USUAL = (("temp_store", "MEMORY"), ("wal_autocheckpoint", "1000"))
"""What a connection for bulk work has set otherwise: what is folded lies in a file that nobody else sees and that is
gone with the process, and the same page that several pieces change is moved once."""

Progress = Callable[[int, int], None]


def words_file(database: Path) -> Path:
    """Return where the lexical index of a long log is made: a killed rebuild leaves it there."""
    return database.with_name("words.next")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilding:
    """One rebuild, on a connection for this work alone, with no transaction open.

    `writing` and `reading` open transactions on it; `path` is the database's.
    """

    tx: Tx
    writing: Transaction
    reading: Transaction
    path: Path
    workers: int | None = None
    """As many worker processes, else by the number of events."""

    def run(self, progress: Progress | None) -> int:
        """Fold the log anew into every projection and return how many events it has.

        Args:
            progress: told how many of how many events are folded.
        """
        tx = self.tx
        with self.writing():
            clear_leftovers(tx)
            _create_next(tx)
            last = tip(tx)
        with self._set_for_bulk():
            if last < bulk.MANY and self.workers is None:
                folded, texts = self._one_by_one(progress), [f"{table}_next" for table in lexical.TABLES]
            else:
                folded, texts = self._at_once(last, progress), [f"{table}{FULL}" for table in lexical.TABLES]
            last = self._swap(folded, texts)
            self._drop_old()
        return last

    # --- folding --------------------------------------------------------------------------------

    def _one_by_one(self, progress: Progress | None) -> int:
        with self._shadowed():
            with self.reading():
                self._check()
                folded = replay(self.tx, progress)
            self._copy()
            for table in lexical.TABLES:
                self._put(f"{table}_next", self._texts(table))
        return folded

    def _check(self) -> None:
        """Refuse to fold a short log of which a text isn't what its hash says; a long one's workers do it as they read.

        Raises:
            LogDamaged: a header or a part is not what its hash says.
        """
        for row in self.tx.rows("SELECT id, header, salts, parts FROM events ORDER BY position", {}):
            checked(row["id"].encode(), row["header"].encode(), row["salts"], row["parts"].encode())

    def _at_once(self, last: int, progress: Progress | None) -> int:
        """Fold a long log; its lexical index is made by another process from the start, then corrected."""
        into = words_file(self.path)
        with Crew(1 if self.workers is None else min(self.workers, 1)) as beside:
            words = beside.begin(partial(lexical_build.build, self.path, into, last))
            with self._shadowed():
                with self.reading():
                    loader = bulk.replay_all(self.tx, self.path, progress, last=last, workers=self.workers)
                self._copy()
                words()
                with lexical_build.attached(self.tx, into):
                    pieces = lexical_build.copy_in(self.tx, "_next")
                    more = True
                    while more:
                        with self.writing():
                            more = next(pieces, self) is not self
                with self.writing():
                    for table in lexical.TABLES:
                        self.tx.run(f"ALTER TABLE main.{table}_next RENAME TO {table}{FULL}")
                self._correct(list(loader.folded))
        return last

    def _correct(self, folded: Sequence[str]) -> None:
        """Put into the lexical index as they are what the log's facts one by one don't tell."""
        with self.reading():
            moved = self.tx.rows("SELECT name, value FROM settings WHERE name GLOB 'scope:*:open'", {})
        for row in moved:
            with self.writing():
                lexical.move(self.tx, row["name"][6:-5], open_=row["value"] == "yes", suffix=FULL)
        for start in range(0, len(folded), TEXTS_AT_ONCE):
            ids = folded[start : start + TEXTS_AT_ONCE]
            with self.reading():
                recorded = [event.position for event in events_about(self.tx, ids) if records(event) in ids]
            with self.writing():
                lexical.take_out(self.tx, recorded, suffix=FULL)
        for table in lexical.TABLES:
            self._put(f"{table}{FULL}", self._texts(table))

    def _texts(self, table: str) -> Iterator[list[tuple[object, ...]]]:
        columns = ", ".join(("rowid", *lexical.COLUMNS))
        after = 0
        while True:
            with self.reading():
                rows = self.tx.rows(
                    f"SELECT {columns} FROM temp.{table} WHERE rowid > :after ORDER BY rowid LIMIT {TEXTS_AT_ONCE}",  # noqa: S608
                    {"after": after},
                )
            if not rows:
                return
            after = rows[-1]["rowid"]
            yield [tuple(row.values()) for row in rows]

    def _put(self, table: str, pieces: Iterable[list[tuple[object, ...]]]) -> None:
        for rows in pieces:
            with self.writing():
                self.tx.fill(f"main.{table}", ("rowid", *lexical.COLUMNS), rows)

    def _copy(self) -> None:
        """Copy every table, with its indexes made before or, where that is quick, after."""
        generation = _generation(self.tx)
        for table in NAMES:
            count = self.tx.rows(f"SELECT count(*) AS number FROM temp.{table}", {})[0]["number"]  # noqa: S608
            indexes = [renamed(each, "_next", generation) for each in tables.indexes(table)]
            late = count <= INDEXED_AT_ONCE
            if not late:
                self._run_each(indexes)
            copy_all(self.tx, f"temp.{table}", f"main.{table}_next", self.writing)
            if late:
                self._run_each(indexes)

    def _run_each(self, statements: Iterable[str]) -> None:
        for statement in statements:
            with self.writing():
                self.tx.run(statement)

    @contextmanager
    def _shadowed(self) -> Iterator[None]:
        with self.reading():
            cast(self.tx)
        try:
            yield
        finally:
            with self.reading():
                lift(self.tx)

    @contextmanager
    def _set_for_bulk(self) -> Iterator[None]:
        for name, value in BULK:
            self.tx.run(f"PRAGMA {name} = {value}")
        try:
            yield
        finally:
            for name, value in USUAL:
                self.tx.run(f"PRAGMA {name} = {value}")

    # --- taking over ----------------------------------------------------------------------------

    def _swap(self, folded: int, texts: Sequence[str]) -> int:
        """Let the new tables take the old ones' place, brought up to the log's end; return where that is."""
        tx = self.tx
        new = {table: f"{table}_next" for table in NAMES} | dict(zip(lexical.TABLES, texts, strict=True))
        with self.writing():
            for table in _present(tx, (*new, *FORMER)):
                tx.run(f"ALTER TABLE main.{table} RENAME TO {table}_old")
            for table, made in new.items():
                tx.run(f"ALTER TABLE main.{made} RENAME TO {table}")
            note_projections(tx)
            last = tip(tx)
            late = events_between(tx, folded + 1, last)
            Projector(tx).apply(late)
            if any(event.kind == Kind.TEXT_REDACTED for event in late):
                settling.unsettle(tx)  # the new index was made of what has been erased since
        settling.settled(self._written)
        return last

    @contextmanager
    def _written(self) -> Iterator[Tx]:
        with self.writing():
            yield self.tx

    def _drop_old(self) -> None:
        tx = self.tx
        for table in _present(tx, [f"{table}_old" for table in (*NAMES, *FORMER)]):
            self._run_each(f"DROP INDEX main.{each}" for each in _indexes_of(tx, table))
            empty_all(tx, f"main.{table}", self.writing)
        for table in _present(tx, [f"{table}_old" for table in lexical.TABLES]):
            for shadow, kept in SHADOWS.items():
                empty_all(tx, f"main.{table}_{shadow}", self.writing, but=kept)
        with self.writing():
            clear_leftovers(tx)


def leftovers(tx: Tx) -> tuple[str, ...]:
    """Return the tables that a rebuild which was killed left behind."""
    names = (*NAMES, *FORMER, *lexical.TABLES)
    return _present(tx, sorted(f"{table}{suffix}" for table in names for suffix in ("_next", "_old", FULL)))


def _present(tx: Tx, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of these tables that there are, in the order given."""
    found = {row["name"] for row in tx.rows("SELECT name FROM main.sqlite_master WHERE type = 'table'", {})}
    return tuple(name for name in names if name in found)


def _indexes_of(tx: Tx, table: str) -> list[str]:
    """Return the indexes of a table that a statement made."""
    found = tx.rows(
        "SELECT name FROM main.sqlite_master WHERE type = 'index' AND tbl_name = :table AND sql IS NOT NULL",
        {"table": table},
    )
    return [row["name"] for row in found]


def clear_leftovers(tx: Tx) -> None:
    """Drop what a killed rebuild left behind: copies of text that no erasure would reach."""
    for table in leftovers(tx):
        tx.run(f"DROP TABLE main.{table}")


def _create_next(tx: Tx) -> None:
    for statement in tables.definitions(tables.PROJECTIONS, indexed=False):
        tx.run(renamed(statement, "_next", ""))
    for table in lexical.TABLES:
        lexical.create(tx, f"{table}_next")


def _generation(tx: Tx) -> str:
    """Return what ends the names of this rebuild's indexes: the old ones keep theirs until they are dropped."""
    generation = f"__{tip(tx):x}"
    taken = {row["name"] for row in tx.rows("SELECT name FROM main.sqlite_master", {})}
    while any(name.endswith(generation) for name in taken):
        generation += "0"
    return generation
