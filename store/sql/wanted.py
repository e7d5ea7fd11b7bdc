"""Who waits to be told when something is decided: ids of a session and a person, never text.

The question lies with its session and goes with it; a wish ends when it was met, taken back, or when its
session has outlived its retention.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, ColumnElement, Index, Integer, String, Table, and_, func, select

from store.core.beside import Wish
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "wanted",
    metadata,
    Column("session", String, primary_key=True),
    Column("person", String, primary_key=True),
    Column("anchor", String, nullable=False, default=""),
    Column("wished_at", Moment, nullable=False),
    Column("looked", Integer, nullable=False, default=0),
    Index("wanted_looked", "looked"),
    Index("wanted_person", "person"),
)


class Wanted:
    """The wishes of one workspace; thread-safe. A wish is (session, person)."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def add(self, wish: Wish) -> bool:
        """Keep that somebody wants to be told; False when they do already, which may only learn its anchor."""
        row = {
            "session": wish.session, "person": wish.person, "anchor": wish.anchor, "wished_at": wish.wished_at,
            "looked": wish.looked,
        }  # fmt: skip
        with self._file.transaction() as tx:
            fresh = tx.execute(insert(table).values(row).on_conflict_do_nothing()).rowcount == 1
            if not fresh and wish.anchor:
                tx.execute(table.update().where(_same(wish.session, wish.person)).values(anchor=wish.anchor))
        return fresh

    def furthest_behind(self) -> int | None:
        """Return the earliest position of the log up to which a wish was looked at; None where nobody wishes."""
        with self._file.reading() as seen:
            position: int | None = seen.execute(select(func.min(table.c.looked))).scalar_one()
        return position

    def behind(self, position: int) -> tuple[Wish, ...]:
        """Return the wishes that were last looked at before a position of the log, oldest first."""
        found = select(table).where(table.c.looked < position)
        with self._file.reading() as seen:
            rows = seen.execute(found.order_by(table.c.wished_at, table.c.session, table.c.person)).all()
        return tuple(
            Wish(session=row.session, person=row.person, anchor=row.anchor, wished_at=row.wished_at, looked=row.looked)
            for row in rows
        )

    def looked(self, wish: Wish, position: int) -> None:
        """Note up to which position of the log nothing met a wish."""
        with self._file.transaction() as tx:
            tx.execute(table.update().where(_same(wish.session, wish.person)).values(looked=position))

    def drop(self, session: str, person: str) -> bool:
        """End a wish: met, or taken back; False where there is none."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(_same(session, person))).rowcount == 1

    def forget_person(self, person: str) -> int:
        """End all that somebody wished; returns how many. Twice is once."""
        return self._delete(table.c.person == person)

    def forget_channel(self, channel: str) -> int:
        """End what was wished of a question that was put to a channel; returns how many. Twice is once."""
        return self._delete(and_(table.c.anchor > f"{channel}/", table.c.anchor < f"{channel}0"))

    def purge(self, before: datetime) -> int:
        """End what was wished before that time; returns how many."""
        return self._delete(table.c.wished_at < before)

    def clear(self) -> int:
        """End every wish: the workspace has gone."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete()).rowcount

    def _delete(self, which: ColumnElement[bool]) -> int:
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(which)).rowcount


def _same(session: str, person: str) -> ColumnElement[bool]:
    return and_(table.c.session == session, table.c.person == person)
