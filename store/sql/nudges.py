"""Direct messages that nobody asked for: what waits to be said to whom, and what was said. Ids and times, never text.

A nudge is planned under its key and stays after it was sent, so that nobody is asked the same thing twice.
When which may be sent is decided by whoever sends, in one place.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, Row, String, Table, and_, func, or_, select

from store.core.beside import Nudge
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "nudges",
    metadata,
    Column("key", String, primary_key=True),
    Column("person", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("ref", String, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("sent_at", Moment),
    Column("message", String, nullable=False, default=""),
    Index("nudges_due", "sent_at", "due_at"),
    Index("nudges_person", "person", "sent_at"),
    Index("nudges_ref", "ref"),
    Index("nudges_message", "message"),
)


class Nudges:
    """The unasked direct messages of one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def plan(self, key: str, *, person: str, kind: str, ref: str, due_at: datetime) -> bool:
        """Keep that something is to be said to somebody, not before `due_at`; False when its key is known.

        Args:
            key: the idempotency key: the kind, what it is about, and which time it is.
            person: a user id.
            kind: whose it is: "follow_up", "offer" …
            ref: what it is about: a decision's or a channel's id; erasing a decision drops its nudges.
            due_at: the earliest moment.
        """
        row = {"key": key, "person": person, "kind": kind, "ref": ref, "due_at": due_at, "sent_at": None}
        with self._file.transaction() as tx:
            return tx.execute(insert(table).values(row).on_conflict_do_nothing()).rowcount == 1

    def due(self, now: datetime) -> tuple[Nudge, ...]:
        """Return what may be said by now and was not, by person, longest due first."""
        ripe = and_(table.c.sent_at.is_(None), table.c.due_at <= now)
        return self._where(ripe, table.c.person)

    def of_person(self, person: str) -> tuple[Nudge, ...]:
        """Return what waits for somebody or was said to them, longest due first."""
        return self._where(table.c.person == person)

    def of_ref(self, ref: str) -> tuple[Nudge, ...]:
        """Return what waits or was said about something, longest due first."""
        return self._where(table.c.ref == ref)

    def by_key(self, key: str) -> Nudge | None:
        """Return the nudge of this key."""
        return next(iter(self._where(table.c.key == key)), None)

    def of_message(self, message: str) -> tuple[Nudge, ...]:
        """Return what was said in one message, longest due first."""
        return self._where(table.c.message == message)

    def sent(self, keys: Iterable[str], at: datetime, *, message: str = "") -> None:
        """Note that these were said, all in one message. Twice is once: the first time stands."""
        fresh = and_(table.c.key.in_(list(keys)), table.c.sent_at.is_(None))
        with self._file.transaction() as tx:
            tx.execute(table.update().where(fresh).values(sent_at=at, message=message))

    def unsent(self, message: str) -> int:
        """Let what a message was to say wait again, since it was not posted; returns how many."""
        with self._file.transaction() as tx:
            back = table.update().where(table.c.message == message).values(sent_at=None, message="")
            return tx.execute(back).rowcount

    def last_sent(self, person: str) -> datetime | None:
        """Say when something was last said to somebody unasked."""
        with self._file.reading() as seen:
            latest = select(func.max(table.c.sent_at)).where(table.c.person == person)
            at: datetime | None = seen.execute(latest).scalar_one()
        return at

    def of_kind(self, kind: str) -> tuple[Nudge, ...]:
        """Return what of a kind was said or waits, longest due first."""
        return self._where(table.c.kind == kind)

    def drop(self, key: str) -> None:
        """Forget a nudge that must not be said; its key may be planned anew."""
        with self._file.transaction() as tx:
            tx.execute(table.delete().where(table.c.key == key))

    def drop_waiting(self, person: str, kind: str) -> int:
        """Forget what waits for somebody of a kind: they want no more of it. Returns how many."""
        theirs = and_(table.c.person == person, table.c.kind == kind, table.c.sent_at.is_(None))
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(theirs)).rowcount

    def forget(self, refs: Iterable[str]) -> int:
        """Forget all about these decisions or channels; returns how many. Twice is once."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(table.c.ref.in_(list(refs)))).rowcount

    def forget_person(self, person: str) -> int:
        """Forget all that concerns somebody; returns how many. Twice is once."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(table.c.person == person)).rowcount

    def purge(self, before: datetime) -> int:
        """Forget what was said before that time, or waited in vain since then; returns how many."""
        old = or_(table.c.sent_at < before, and_(table.c.sent_at.is_(None), table.c.due_at < before))
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(old)).rowcount

    def clear(self) -> int:
        """Drop all: the workspace has gone."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete()).rowcount

    def _where(self, clause: Any, *first: Any) -> tuple[Nudge, ...]:
        with self._file.reading() as seen:
            rows = seen.execute(select(table).where(clause).order_by(*first, table.c.due_at, table.c.key)).all()
        return tuple(_nudge(row) for row in rows)


def _nudge(row: Row[Any]) -> Nudge:
    return Nudge(
        key=row.key, person=row.person, kind=row.kind, ref=row.ref, due_at=row.due_at, sent_at=row.sent_at,
        message=row.message,
    )  # fmt: skip
