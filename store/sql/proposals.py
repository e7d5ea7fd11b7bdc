"""Pairs of decisions of which one may turn on the other: what people were shown of them, and what they said. Ids only.

A pair is named by the first wordings of both, so that a new reading or an edit asks nothing again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, String, Table, and_, or_, select

from store.core.beside import Proposal
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "proposals",
    metadata,
    Column("first", String, primary_key=True),
    Column("second", String, primary_key=True),
    Column("newer", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("answer", String, nullable=False, default=""),
    Column("by", String, nullable=False, default=""),
    Column("at", Moment, nullable=False),
    Index("proposals_second", "second"),
)


class Proposals:
    """The proposed pairs of one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def propose(self, newer: str, older: str, kind: str, at: datetime) -> bool:
        """Note that a pair is proposed; False when it was before, whatever came of it (the idempotency key)."""
        first, second = sorted((newer, older))
        row = {"first": first, "second": second, "newer": newer, "kind": kind, "answer": "", "by": "", "at": at}
        with self._file.transaction() as tx:
            return tx.execute(insert(table).values(row).on_conflict_do_nothing()).rowcount == 1

    def answer(self, one: str, other: str, answer: str, *, by: str, at: datetime) -> bool:
        """Note what somebody said to a pair, in a word of ours ("" asks again); False where it was never proposed."""
        first, second = sorted((one, other))
        same = and_(table.c.first == first, table.c.second == second)
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(same).values(answer=answer, by=by, at=at)).rowcount == 1

    def of(self, newer: Iterable[str]) -> tuple[Proposal, ...]:
        """Return the pairs whose later decision is one of these, oldest first."""
        return self._where(table.c.newer.in_(list(newer)))

    def about(self, decision: str) -> tuple[Proposal, ...]:
        """Return the pairs of a decision, the later or the earlier of two, oldest first."""
        return self._where(or_(table.c.first == decision, table.c.second == decision))

    def between(self, one: str, other: str) -> Proposal | None:
        """Return what was proposed of a pair."""
        first, second = sorted((one, other))
        return next(iter(self._where(and_(table.c.first == first, table.c.second == second))), None)

    def _where(self, clause: Any) -> tuple[Proposal, ...]:
        with self._file.reading() as seen:
            found = seen.execute(select(table).where(clause).order_by(table.c.at, table.c.first, table.c.second)).all()
        return tuple(
            Proposal(
                newer=row.newer,
                older=row.second if row.newer == row.first else row.first,
                kind=row.kind,
                answer=row.answer,
                by=row.by,
                at=row.at,
            )
            for row in found
        )

    def forget(self, decisions: Iterable[str]) -> int:
        """Forget the pairs of these decisions; returns how many. Twice is once."""
        named = list(decisions)
        return self._delete(or_(table.c.first.in_(named), table.c.second.in_(named)))

    def forget_person(self, person: str) -> int:
        """Forget who answered; the answers stand. Returns how many. Twice is once."""
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(table.c.by == person).values(by="")).rowcount

    def clear(self) -> int:
        """Forget every pair: the workspace has gone."""
        return self._delete(table.c.first != "")

    def _delete(self, clause: Any) -> int:
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(clause)).rowcount
