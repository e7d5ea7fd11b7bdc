"""Threads that are in the model's batches: which batch, and what is set aside for it; ids and digests, no text.

A batch is noted before it is sent, in the transaction that sets aside what it may cost: whatever ends the process, the
next run knows that it may be there. The model's own id of it is added once that was told.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Connection, Integer, String, Table, and_, select

from store.core.beside import Batch, BatchedThread
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.spending import set_aside, settle
from store.sql.upsert import insert

BATCH_DAYS = 31
"""The model keeps what came of a batch for 29 days, and works on it for one at most."""
_AT_ONCE = 500
"""Ids that one statement names: SQLite takes 32,766 values at most."""

table = Table(
    "batches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("given_id", String, nullable=False),
    Column("noted_at", Moment, nullable=False),
    Column("size", Integer, nullable=False),
    Column("reservation", Integer, nullable=False),
    Column("settled", Integer, nullable=False),
)
threads = Table(
    "batch_threads",
    metadata,
    Column("custom_id", String, primary_key=True),
    Column("batch", Integer, nullable=False, index=True),
    Column("source", String, nullable=False),
    Column("anchor", String, nullable=False),
    Column("scope", String, nullable=False),
)


class Batches:
    """The batches of one workspace; thread-safe, and safe among processes."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def note(
        self, entries: Sequence[BatchedThread], *, month: str, purpose: str, tokens: int, most: int, at: datetime
    ) -> int | None:
        """Note a batch that will be sent, and set aside the most that it can cost; returns our id of it.

        Nothing is noted, and None returned, where one of the threads is in another batch already (another process was
        faster), or where the month would pass `most` tokens. Idempotency key: each thread's custom id.
        """
        with self._file.transaction(alone="spending") as tx:
            if _taken(tx, [each.custom_id for each in entries]):
                return None
            held = set_aside(tx, month, purpose, tokens, most=most, at=at)
            if held is None:
                return None
            row = {"given_id": "", "noted_at": at, "size": len(entries), "reservation": held, "settled": 0}
            batch = int(tx.execute(insert(table).values(row).returning(table.c.id)).scalar_one())
            tx.execute(threads.insert(), [_row(batch, each) for each in entries])
            return batch

    def sent(self, batch: int, given_id: str) -> None:
        """Add the model's own id. Twice is once."""
        with self._file.transaction() as tx:
            tx.execute(table.update().where(table.c.id == batch).values(given_id=given_id))

    def sent_again(self, batch: int, at: datetime) -> None:
        """Note that a batch, which surely was not taken before, is sent at that time. Twice is once."""
        with self._file.transaction() as tx:
            tx.execute(table.update().where(table.c.id == batch).values(noted_at=at))

    def all(self) -> tuple[Batch, ...]:
        """Return every batch, oldest first."""
        with self._file.reading() as seen:
            rows = seen.execute(select(table).order_by(table.c.id)).all()
        return tuple(
            Batch(id=row.id, given_id=row.given_id, noted_at=row.noted_at, size=row.size, settled=bool(row.settled))
            for row in rows
        )

    def threads(self, batch: int) -> tuple[BatchedThread, ...]:
        """Return what is left of a batch's threads, by custom id."""
        wanted = select(threads).where(threads.c.batch == batch).order_by(threads.c.custom_id)
        with self._file.reading() as seen:
            rows = seen.execute(wanted).all()
        return tuple(
            BatchedThread(custom_id=row.custom_id, source=row.source, anchor=row.anchor, scope=row.scope)
            for row in rows
        )

    def settle(self, batch: int, *, tokens: int, calls: int) -> None:
        """Count what a batch did cost in the place of what was set aside. Twice is once."""
        with self._file.transaction() as tx:
            held = tx.execute(select(table.c.reservation).where(table.c.id == batch)).scalar_one_or_none()
            if held is not None:
                settle(tx, held, tokens=tokens, calls=calls)
                tx.execute(table.update().where(table.c.id == batch).values(settled=1))

    def done(self, batch: int, custom_ids: Collection[str]) -> None:
        """Drop threads of a batch that nothing is to be taken in for any more. Twice is once."""
        named = sorted(custom_ids)
        with self._file.transaction() as tx:
            for at in range(0, len(named), _AT_ONCE):
                some = threads.c.custom_id.in_(named[at : at + _AT_ONCE])
                tx.execute(threads.delete().where(threads.c.batch == batch, some))

    def drop(self, batch: int) -> None:
        """Forget a batch with its threads; what is still set aside for it stays so. Twice is once."""
        with self._file.transaction() as tx:
            _drop(tx, [batch])

    def forget_place(self, source: str, anchor: str) -> int:
        """Drop a place's threads: nothing is taken in for it any more; returns how many."""
        return self._delete(and_(threads.c.source == source, threads.c.anchor == anchor))

    def forget_scope(self, scope: str) -> int:
        """Drop the threads of a scope, by its id; returns how many."""
        return self._delete(threads.c.scope == scope)

    def purge(self, before: datetime) -> int:
        """Drop the batches noted before that time: the model has nothing of them any more; returns how many rows."""
        old = select(table.c.id).where(table.c.noted_at < before)
        with self._file.transaction() as tx:
            return _drop(tx, list(tx.execute(old).scalars()))

    def clear(self) -> None:
        """Drop all of it: the workspace has gone."""
        with self._file.transaction() as tx:
            tx.execute(threads.delete())
            tx.execute(table.delete())

    def _delete(self, which: ColumnElement[bool]) -> int:
        with self._file.transaction() as tx:
            return tx.execute(threads.delete().where(which)).rowcount


def _row(batch: int, entry: BatchedThread) -> dict[str, object]:
    return {
        "custom_id": entry.custom_id, "batch": batch,
        "source": entry.source, "anchor": entry.anchor, "scope": entry.scope,
    }  # fmt: skip


def _taken(tx: Connection, custom_ids: Sequence[str]) -> bool:
    """Say whether one of these is in a batch."""
    for at in range(0, len(custom_ids), _AT_ONCE):
        found = select(threads.c.custom_id).where(threads.c.custom_id.in_(custom_ids[at : at + _AT_ONCE])).limit(1)
        if tx.execute(found).first() is not None:
            return True
    return False


def _drop(tx: Connection, batches: Sequence[int]) -> int:
    gone = tx.execute(threads.delete().where(threads.c.batch.in_(batches))).rowcount
    return gone + tx.execute(table.delete().where(table.c.id.in_(batches))).rowcount
