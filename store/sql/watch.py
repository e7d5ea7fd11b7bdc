"""Threads that are waited for until they go quiet: ids and times, never text."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, ColumnElement, Index, Integer, String, Table, and_, select

from store.core.beside import QuietThread
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "watch",
    metadata,
    Column("channel", String, primary_key=True),
    Column("thread_ts", String, primary_key=True),
    Column("last_ts", String, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("round", Integer, nullable=False),
    Index("watch_due", "due_at"),
)


class Watch:
    """The threads of one workspace that wait; thread-safe. A thread is (channel, thread_ts)."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def touch(self, channel: str, thread_ts: str, last_ts: str, due_at: datetime) -> None:
        """Wait for a thread anew, from its latest message; a message seen before changes nothing."""
        row = {"channel": channel, "thread_ts": thread_ts, "last_ts": last_ts, "due_at": due_at, "round": 0}
        fresh = insert(table).values(row)
        later = fresh.on_conflict_do_update(
            index_elements=["channel", "thread_ts"],
            set_={"last_ts": last_ts, "due_at": due_at, "round": 0},
            where=fresh.excluded.last_ts > table.c.last_ts,
        )
        with self._file.transaction() as tx:
            tx.execute(later)

    def due(self, now: datetime, *, limit: int = 100) -> tuple[QuietThread, ...]:
        """Return threads whose time has come, longest due first."""
        ripe = select(table).where(table.c.due_at <= now).order_by(table.c.due_at, table.c.channel, table.c.thread_ts)
        with self._file.reading() as seen:
            return tuple(
                QuietThread(
                    channel=row.channel,
                    thread_ts=row.thread_ts,
                    last_ts=row.last_ts,
                    due_at=row.due_at,
                    round=row.round,
                )
                for row in seen.execute(ripe.limit(limit))
            )

    def again(self, thread: QuietThread, due_at: datetime) -> bool:
        """Wait for a thread's second reading; False when somebody wrote meanwhile, and it waits anew already."""
        row = {"channel": thread.channel, "thread_ts": thread.thread_ts, "last_ts": thread.last_ts}
        back = insert(table).values({**row, "due_at": due_at, "round": 1}).on_conflict_do_nothing()
        with self._file.transaction() as tx:
            return tx.execute(back).rowcount == 1

    def done(self, thread: QuietThread) -> bool:
        """Stop waiting; False when somebody wrote meanwhile."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(_same(thread))).rowcount == 1

    def clear(self, channel: str = "") -> int:
        """Stop waiting for a channel's threads, or for all."""
        what = table.delete().where(table.c.channel == channel) if channel else table.delete()
        with self._file.transaction() as tx:
            return tx.execute(what).rowcount


def _same(thread: QuietThread) -> ColumnElement[bool]:
    return and_(
        table.c.channel == thread.channel,
        table.c.thread_ts == thread.thread_ts,
        table.c.last_ts == thread.last_ts,
        table.c.round == thread.round,
    )
