"""What people were told when they proposed what was turned down before, and what they said to it: ids, never text."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Column, ColumnElement, Index, String, Table, and_, func, select

from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "raised",
    metadata,
    Column("person", String, primary_key=True),
    Column("decision", String, primary_key=True),
    Column("told_at", Moment, nullable=False),
    Column("reply", String, nullable=False, default=""),
    Index("raised_decision", "decision"),
)


class Raised:
    """Who was told of which decision; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def tell(self, person: str, decision: str, at: datetime) -> bool:
        """Note that somebody is told of a decision; False when they were before (the idempotency key)."""
        row = {"person": person, "decision": decision, "told_at": at, "reply": ""}
        with self._file.transaction() as tx:
            return tx.execute(insert(table).values(row).on_conflict_do_nothing()).rowcount == 1

    def untell(self, person: str, decision: str) -> None:
        """Take back that somebody is told: it couldn't be shown, and is tried again."""
        self._delete(and_(table.c.person == person, table.c.decision == decision))

    def last_told(self, person: str) -> datetime | None:
        """Say when somebody was last told of anything."""
        latest = select(func.max(table.c.told_at)).where(table.c.person == person)
        with self._file.reading() as seen:
            at: datetime | None = seen.execute(latest).scalar_one()
        return at

    def replied(self, person: str, decision: str, reply: str) -> bool:
        """Note what somebody said to it, in a word of ours; False where they were never told."""
        same = and_(table.c.person == person, table.c.decision == decision)
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(same).values(reply=reply)).rowcount == 1

    def forget(self, decisions: Iterable[str]) -> int:
        """Forget all about these decisions; returns how many rows. Twice is once."""
        return self._delete(table.c.decision.in_(list(decisions)))

    def forget_person(self, person: str) -> int:
        """Forget what somebody was told; returns how many rows. Twice is once."""
        return self._delete(table.c.person == person)

    def clear(self) -> int:
        """Drop all: the workspace has gone."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete()).rowcount

    def _delete(self, which: ColumnElement[bool]) -> int:
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(which)).rowcount
