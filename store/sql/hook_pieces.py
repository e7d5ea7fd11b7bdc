"""What other systems delivered of threads that are not yet quiet: piece by piece, the newest version of each.

It is no archive: a thread's pieces go when nothing of it came for `KEEP_DAYS`, and with whoever is forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Index, String, Table, Text, and_, func, select

from store.core.beside import HookPiece
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

KEEP_DAYS = 30
"""Days without anything new after which what came of a thread is dropped: reopened later, it begins anew."""

table = Table(
    "hook_pieces",
    metadata,
    Column("source", String, primary_key=True),
    Column("thread", String, primary_key=True),
    Column("kind", String, primary_key=True),
    Column("piece", String, primary_key=True),
    Column("version", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("touched_at", Moment, nullable=False),
    Index("hook_pieces_touched", "touched_at"),
)


class HookPieces:
    """The pieces of one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def put(self, pieces: Iterable[HookPiece], now: datetime) -> None:
        """Keep pieces, each unless a newer version of it is kept; deleted ones stay as empty, so that none comes back.

        Idempotency key: the piece and its version.
        """
        with self._file.transaction() as tx:
            for one in pieces:
                row = {
                    "source": one.source, "thread": one.thread, "kind": one.kind, "piece": one.piece,
                    "version": one.version, "touched_at": now,
                    "content": json.dumps(one.content, ensure_ascii=False) if one.content is not None else "",
                }  # fmt: skip
                fresh = insert(table).values(row)
                newer = and_(table.c.version <= fresh.excluded.version, table.c.content != "")
                tx.execute(
                    fresh.on_conflict_do_update(
                        index_elements=["source", "thread", "kind", "piece"], set_=row, where=newer
                    )
                )

    def of(self, source: str, thread: str) -> tuple[HookPiece, ...]:
        """Return what is kept of a thread, by kind and piece; deleted ones are left out."""
        with self._file.reading() as seen:
            found = select(table).where(_of(source, thread), table.c.content != "")
            rows = seen.execute(found.order_by(table.c.kind, table.c.piece)).all()
        return tuple(
            HookPiece(
                source=row.source,
                thread=row.thread,
                kind=row.kind,
                piece=row.piece,
                version=row.version,
                content=json.loads(row.content),
            )
            for row in rows
        )

    def touched_at(self, source: str, thread: str) -> datetime | None:
        """Return when something of a thread came last; None where nothing is kept."""
        with self._file.reading() as seen:
            rows = seen.execute(select(table.c.touched_at).where(_of(source, thread))).scalars().all()
        return max(rows, default=None)

    def drop(self, source: str, thread: str) -> int:
        """Drop what is kept of a thread; returns how many pieces. Twice is once."""
        return self._delete(_of(source, thread))

    def forget_person(self, person: str) -> int:
        """Drop every piece in which somebody's id stands; returns how many. Twice is once."""
        return self._delete(func.instr(table.c.content, json.dumps(person)) > 0) if person else 0

    def purge(self, before: datetime) -> int:
        """Drop what nothing was added to since that time; returns how many pieces."""
        return self._delete(table.c.touched_at < before)

    def clear(self) -> int:
        """Drop all of it: the workspace has gone."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete()).rowcount

    def _delete(self, which: ColumnElement[bool]) -> int:
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(which)).rowcount


def _of(source: str, thread: str) -> ColumnElement[bool]:
    return and_(table.c.source == source, table.c.thread == thread)
