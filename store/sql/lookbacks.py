"""Readings of a channel's past that somebody started: how far they are and what they found. Ids and times, never text.

A run lists the threads first, page by page, then reads them one by one; each step is noted before the next, so that
a run that was stopped or killed goes on where it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, Integer, Row, String, Table, and_, case, func, select

from store.core.beside import LookBack
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "lookbacks",
    metadata,
    Column("run", String, primary_key=True),
    Column("channel", String, nullable=False),
    Column("person", String, nullable=False),
    Column("oldest", String, nullable=False),
    Column("state", String, nullable=False),
    Column("cursor", String, nullable=False, default=""),
    Column("step", Integer, nullable=False, default=0),
    Column("likely", Integer, nullable=False, default=0),
    Column("started_at", Moment, nullable=False),
    Index("lookbacks_channel", "channel", "started_at"),
)
threads = Table(
    "lookback_threads",
    metadata,
    Column("run", String, primary_key=True),
    Column("ts", String, primary_key=True),
    Column("replies", Integer, nullable=False),
    Column("read", Integer, nullable=False, default=0),
    Index("lookback_threads_left", "run", "read", "ts"),
)
found = Table(
    "lookback_found",
    metadata,
    Column("run", String, primary_key=True),
    Column("decision", String, primary_key=True),
    Column("verdict", String, nullable=False, default=""),
    Index("lookback_found_decision", "decision"),
)


class LookBacks:
    """The readings of one workspace's past; thread-safe. A run is known by its id."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def begin(self, run: str, *, channel: str, person: str, oldest: str, at: datetime) -> bool:
        """Keep that somebody started a run; False when its id is known (the idempotency key)."""
        row = {
            "run": run, "channel": channel, "person": person, "oldest": oldest, "state": "listing", "started_at": at,
        }  # fmt: skip
        with self._file.transaction() as tx:
            return tx.execute(insert(table).values(row).on_conflict_do_nothing()).rowcount == 1

    def get(self, run: str) -> LookBack | None:
        """Return a run with its counts."""
        return next(iter(self._where(table.c.run == run)), None)

    def latest(self, channel: str) -> LookBack | None:
        """Return the run of a channel that was started last."""
        return next(iter(self._where(table.c.channel == channel)), None)

    def listed(self, run: str, page: Iterable[tuple[str, int]], *, cursor: str, likely: int = 0) -> None:
        """Note a page's threads (root and number of replies) and where the next page begins. Twice is once.

        An empty cursor says that this was the last page: the run is then "listed". `likely` adds hundredths of
        decisions that may be expected of its messages without replies.
        """
        rows = [{"run": run, "ts": ts, "replies": replies, "read": 0} for ts, replies in dict(page).items()]
        with self._file.transaction() as tx:
            if rows:
                tx.execute(insert(threads).on_conflict_do_nothing(), rows)
            state = {} if cursor else {"state": "listed"}
            more = {"cursor": cursor, "likely": table.c.likely + likely, **state}
            tx.execute(table.update().where(table.c.run == run).values(more))

    def change(self, run: str, **values: Any) -> None:
        """Set a run's state or step. Twice is once."""
        with self._file.transaction() as tx:
            tx.execute(table.update().where(table.c.run == run).values(values))

    def left(self, run: str, *, limit: int) -> tuple[tuple[str, int], ...]:
        """Return threads not read yet, newest first, each with its number of replies."""
        rest = select(threads).where(and_(threads.c.run == run, threads.c.read == 0)).order_by(threads.c.ts.desc())
        with self._file.reading() as seen:
            return tuple((row.ts, row.replies) for row in seen.execute(rest.limit(limit)))

    def spread(self, run: str, *, limit: int) -> tuple[str, ...]:
        """Return up to `limit` threads that have replies, spread evenly over the whole time, newest first."""
        every = select(threads.c.ts).where(and_(threads.c.run == run, threads.c.replies > 0))
        with self._file.reading() as seen:
            roots = [row.ts for row in seen.execute(every.order_by(threads.c.ts.desc()))]
        step = max(1, -(-len(roots) // limit))
        return tuple(roots[::step])

    def read(self, run: str, ts: str, decisions: Iterable[str]) -> None:
        """Note that a thread was read, and what was found in it. Twice is once: what was said of it stays."""
        rows = [{"run": run, "decision": decision, "verdict": ""} for decision in decisions]
        with self._file.transaction() as tx:
            tx.execute(threads.update().where(and_(threads.c.run == run, threads.c.ts == ts)).values(read=1))
            if rows:
                tx.execute(insert(found).on_conflict_do_nothing(), rows)

    def waiting(self, run: str) -> tuple[str, ...]:
        """Return the decisions that were found and that nobody has said a word on, in the order of their ids."""
        return self._found(and_(found.c.run == run, found.c.verdict == ""))

    def judge(self, run: str, decision: str, verdict: str) -> bool:
        """Note what became of a decision that was found; False where that was noted already."""
        open_one = and_(found.c.run == run, found.c.decision == decision, found.c.verdict == "")
        with self._file.transaction() as tx:
            return tx.execute(found.update().where(open_one).values(verdict=verdict)).rowcount == 1

    def purge(self, before: datetime) -> int:
        """Forget the runs that were started before that time; returns how many."""
        with self._file.reading() as seen:
            old = [row.run for row in seen.execute(select(table.c.run).where(table.c.started_at < before))]
        for run in old:
            self.drop(run)
        return len(old)

    def drop(self, run: str) -> None:
        """Forget a run and all that was noted of it."""
        with self._file.transaction() as tx:
            for each in (threads, found, table):
                tx.execute(each.delete().where(each.c.run == run))

    def forget_person(self, person: str) -> int:
        """Forget the runs that somebody started; returns how many. Twice is once."""
        with self._file.reading() as seen:
            theirs = [row.run for row in seen.execute(select(table.c.run).where(table.c.person == person))]
        for run in theirs:
            self.drop(run)
        return len(theirs)

    def forget_channel(self, channel: str) -> int:
        """Forget the runs over a channel's past; returns how many. Twice is once."""
        with self._file.reading() as seen:
            over = [row.run for row in seen.execute(select(table.c.run).where(table.c.channel == channel))]
        for run in over:
            self.drop(run)
        return len(over)

    def clear(self) -> int:
        """Drop all: the workspace has gone."""
        with self._file.transaction() as tx:
            tx.execute(threads.delete())
            tx.execute(found.delete())
            return tx.execute(table.delete()).rowcount

    def _found(self, clause: Any) -> tuple[str, ...]:
        with self._file.reading() as seen:
            rows = seen.execute(select(found.c.decision).where(clause).order_by(found.c.decision))
            return tuple(row.decision for row in rows)

    def _where(self, clause: Any) -> tuple[LookBack, ...]:
        latest_first = select(table).where(clause).order_by(table.c.started_at.desc(), table.c.run.desc())
        with self._file.reading() as seen:
            return tuple(self._run(seen, row) for row in seen.execute(latest_first).all())

    def _run(self, seen: Any, row: Row[Any]) -> LookBack:
        with_replies = func.coalesce(func.sum(case((threads.c.replies > 0, 1), else_=0)), 0)
        counts = select(func.count(), func.coalesce(func.sum(threads.c.read), 0), with_replies)
        total, read, answered = seen.execute(counts.where(threads.c.run == row.run)).one()
        said = select(found.c.verdict, func.count()).where(found.c.run == row.run).group_by(found.c.verdict)
        verdicts = {verdict: int(count) for verdict, count in seen.execute(said)}
        return LookBack(
            run=row.run,
            channel=row.channel,
            person=row.person,
            oldest=row.oldest,
            state=row.state,
            cursor=row.cursor,
            step=row.step,
            likely=row.likely,
            started_at=row.started_at,
            threads=int(total),
            answered=int(answered),
            read=int(read),
            found=sum(verdicts.values()),
            kept=verdicts.get("kept", 0),
            waiting=verdicts.get("", 0),
        )
