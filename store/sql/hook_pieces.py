"""What other systems delivered of threads that are not yet quiet: piece by piece, the newest version of each.

It is no archive: a thread's pieces go when nothing of it came for `KEEP_DAYS`, and with whoever is forgotten. What
came for one scope is never put together with what came for another, whatever its sender calls the thread.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Index, String, Table, Text, and_, or_, select, tuple_

from store.core.beside import HookPiece
from store.core.model import Person
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

OPENING = "opening"
"""Kind of the piece that begins a thread."""
KEEP_DAYS = 30
"""Days without anything new after which what came of a thread is dropped: reopened later, it begins anew."""

table = Table(
    "hook_pieces",
    metadata,
    Column("scope", String, primary_key=True),
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

    def put(self, pieces: Iterable[HookPiece], now: datetime, *, scope: str) -> None:
        """Keep pieces, each unless a newer version of it is kept; deleted ones stay as empty, so that none comes back.

        Idempotency key: the scope's id, the piece and its version; again it is not even touched.
        """
        with self._file.transaction() as tx:
            for one in pieces:
                row = {
                    "scope": scope, "source": one.source, "thread": one.thread, "kind": one.kind, "piece": one.piece,
                    "version": one.version, "touched_at": now,
                    "content": json.dumps(one.content, ensure_ascii=False) if one.content is not None else "",
                }  # fmt: skip
                fresh = insert(table).values(row)
                other = or_(table.c.version < fresh.excluded.version, table.c.content != fresh.excluded.content)
                newer = and_(table.c.version <= fresh.excluded.version, table.c.content != "", other)
                tx.execute(
                    fresh.on_conflict_do_update(
                        index_elements=["scope", "source", "thread", "kind", "piece"], set_=row, where=newer
                    )
                )

    def of(self, source: str, thread: str, *, scope: str) -> tuple[HookPiece, ...]:
        """Return what is kept of a thread in a scope, by kind and piece; deleted ones are left out."""
        with self._file.reading() as seen:
            found = select(table).where(_of(source, thread), table.c.scope == scope, table.c.content != "")
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

    def touched_at(self, source: str, thread: str, *, scope: str) -> datetime | None:
        """Return when something of a thread came last in a scope; None where nothing is kept."""
        wanted = select(table.c.touched_at).where(_of(source, thread), table.c.scope == scope)
        with self._file.reading() as seen:
            rows = seen.execute(wanted).scalars().all()
        return max(rows, default=None)

    def drop(self, source: str, thread: str) -> int:
        """Drop what is kept of a thread, in every scope; returns how many pieces. Twice is once."""
        return self._delete(_of(source, thread))

    def threads_of(self, source: str, anchor: str) -> frozenset[str]:
        """Return the threads that a place's anchor means: an incident is known by number, delivered by another id."""
        opened = and_(table.c.source == source, table.c.kind == OPENING, table.c.content != "")
        with self._file.reading() as seen:
            rows = seen.execute(select(table.c.thread, table.c.content).where(opened)).all()
        return frozenset(
            {
                anchor,
                *(row.thread for row in rows if str(json.loads(row.content).get("number", "")) == anchor),
            }
        )

    def forget_scope(self, scope: str) -> int:
        """Drop what came for a scope, by its id; returns how many pieces. Twice is once."""
        return self._delete(table.c.scope == scope)

    def forget_person(self, person: Person) -> int:
        """Drop every piece in which somebody stands by id or name; returns how many. Twice is once."""
        key = tuple_(table.c.scope, table.c.source, table.c.thread, table.c.kind, table.c.piece)
        with self._file.reading() as seen:
            rows = seen.execute(select(table).where(table.c.content != "")).all()
        hit = [row for row in rows if names(json.loads(row.content), person)]
        for row in hit:
            self._delete(key == (row.scope, row.source, row.thread, row.kind, row.piece))
        return len(hit)

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


def names(said: object, person: Person) -> bool:
    """Say whether a person's id or name is a value anywhere in what was delivered; a number is an id as well."""
    if isinstance(said, Mapping):
        return any(names(each, person) for each in said.values())
    if isinstance(said, list):
        return any(names(each, person) for each in said)
    if isinstance(said, bool) or not isinstance(said, str | int):
        return False
    text = str(said).strip()
    return bool(text) and (text == person.id or text.casefold() == person.name.strip().casefold())


def _of(source: str, thread: str) -> ColumnElement[bool]:
    return and_(table.c.source == source, table.c.thread == thread)
