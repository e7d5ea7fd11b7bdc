"""Answers given, in `agent_trajectories`: for votes, sharing and reopening; kept for a time, never synced.

`trajectory_refs` names the decisions and turns that an answer quotes, so that their erasure finds it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, Row, String, Table, Text, and_, or_, select

from store.core.beside import Trajectory
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "agent_trajectories",
    metadata,
    Column("session", String, primary_key=True),
    Column("question", Text, nullable=False),
    Column("answer", Text),
    Column("main", String, nullable=False, default=""),
    Column("asker_id", String, nullable=False),
    Column("asked_at", Moment, nullable=False),
    Index("trajectories_asker", "asker_id", "asked_at"),
    Index("trajectories_age", "asked_at"),
)
refs = Table(
    "trajectory_refs",
    metadata,
    Column("ref", String, primary_key=True),
    Column("session", String, primary_key=True),
    Index("trajectory_refs_session", "session"),
)


class Sessions:
    """The answers of one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def record(self, trajectory: Trajectory) -> bool:
        """Keep an answer before it is posted; False when its session is known (the idempotency key)."""
        row = {
            "session": trajectory.session, "question": trajectory.question, "main": trajectory.main,
            "answer": None if trajectory.answer is None else json.dumps(trajectory.answer, ensure_ascii=False),
            "asker_id": trajectory.asker_id, "asked_at": trajectory.asked_at,
        }  # fmt: skip
        links = [{"ref": ref, "session": trajectory.session} for ref in dict.fromkeys(trajectory.refs)]
        with self._file.transaction() as tx:
            fresh = tx.execute(insert(table).values(row).on_conflict_do_nothing()).rowcount == 1
            if fresh and links:
                tx.execute(insert(refs).on_conflict_do_nothing(), links)
        return fresh

    def get(self, session: str) -> Trajectory | None:
        """Return what was answered under this id."""
        with self._file.reading() as seen:
            row = seen.execute(select(table).where(table.c.session == session)).one_or_none()
            if row is None:
                return None
            named = seen.execute(select(refs.c.ref).where(refs.c.session == session).order_by(refs.c.ref)).scalars()
            return _trajectory(row, tuple(named))

    def of_asker(self, asker_id: str, *, limit: int = 20) -> tuple[Trajectory, ...]:
        """Return somebody's own latest questions, newest first, for that person alone."""
        newest = table.select().where(table.c.asker_id == asker_id)
        newest = newest.order_by(table.c.asked_at.desc(), table.c.session).limit(limit)
        with self._file.reading() as seen:
            return tuple(_trajectory(row, ()) for row in seen.execute(newest))

    def quoting(self, ref: str) -> tuple[str, ...]:
        """Return the sessions whose answers quote a decision or a turn."""
        with self._file.reading() as seen:
            return tuple(
                seen.execute(select(refs.c.session).where(refs.c.ref == ref).order_by(refs.c.session)).scalars()
            )

    def quoting_any(self, named: Iterable[str]) -> tuple[str, ...]:
        """Return the sessions whose answers quote one of these decisions or turns."""
        hit = select(refs.c.session).where(refs.c.ref.in_(list(named))).distinct().order_by(refs.c.session)
        with self._file.reading() as seen:
            return tuple(seen.execute(hit).scalars())

    def asked_by(self, asker_id: str) -> tuple[str, ...]:
        """Return every session of somebody's questions."""
        theirs = select(table.c.session).where(table.c.asker_id == asker_id).order_by(table.c.session)
        with self._file.reading() as seen:
            return tuple(seen.execute(theirs).scalars())

    def shown_since(self, named: Iterable[str], since: datetime) -> frozenset[str]:
        """Return those of these decisions or turns that an answer quotes which was asked for since then."""
        asked = select(refs.c.ref).join(table, table.c.session == refs.c.session)
        query = asked.where(refs.c.ref.in_(list(named)), table.c.asked_at >= since).distinct()
        with self._file.reading() as seen:
            return frozenset(seen.execute(query).scalars())

    def purge(self, before: datetime) -> int:
        """Forget what was asked before that time; returns how many."""
        old = select(table.c.session).where(table.c.asked_at < before)
        with self._file.transaction() as tx:
            tx.execute(refs.delete().where(refs.c.session.in_(old)))
            return tx.execute(table.delete().where(table.c.asked_at < before)).rowcount

    def forget(self, named: Iterable[str]) -> int:
        """Drop the text of answers that quote one of these decisions or turns; returns how many. Twice is once.

        Question and votes' target stay: the question is its asker's own text.
        """
        hit = select(refs.c.session).where(refs.c.ref.in_(list(named)))
        held = and_(table.c.session.in_(hit), table.c.answer.is_not(None))
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(held).values(answer=None)).rowcount

    def forget_question(self, session: str) -> None:
        """Drop a question's words, and its answer's, which may repeat them; votes still find what it was about."""
        with self._file.transaction() as tx:
            tx.execute(table.update().where(table.c.session == session).values(question="", answer=None))
        self._file.scrub()

    def forget_channel(self, channel: str, asked: Iterable[str]) -> int:
        """Drop the text of answers that quote a channel's turns, and of those asked there with their questions.

        Returns how many. Twice is once.

        Args:
            channel: its id.
            asked: the sessions of questions that were asked or answered there.
        """
        quoting = select(refs.c.session).where(and_(refs.c.ref > f"{channel}/", refs.c.ref < f"{channel}0"))
        there = table.c.session.in_(list(asked))
        held = and_(table.c.answer.is_not(None), or_(there, table.c.session.in_(quoting)))
        with self._file.transaction() as tx:
            gone = tx.execute(table.update().where(held).values(answer=None)).rowcount
            said = and_(there, table.c.question != "")
            return gone + tx.execute(table.update().where(said).values(question="", answer=None)).rowcount

    def forget_asker(self, asker_id: str) -> int:
        """Drop all that somebody asked; returns how many. Twice is once."""
        theirs = select(table.c.session).where(table.c.asker_id == asker_id)
        with self._file.transaction() as tx:
            tx.execute(refs.delete().where(refs.c.session.in_(theirs)))
            return tx.execute(table.delete().where(table.c.asker_id == asker_id)).rowcount

    def clear(self) -> int:
        """Drop every answer: the workspace has gone."""
        with self._file.transaction() as tx:
            tx.execute(refs.delete())
            return tx.execute(table.delete()).rowcount


def _trajectory(row: Row[Any], named: tuple[str, ...]) -> Trajectory:
    return Trajectory(
        session=row.session,
        question=row.question,
        answer=None if row.answer is None else json.loads(row.answer),
        main=row.main,
        asker_id=row.asker_id,
        asked_at=row.asked_at,
        refs=named,
    )
