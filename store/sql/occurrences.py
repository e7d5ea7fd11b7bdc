"""What systems reported, and of which decisions it may say how they went: ids, places and times, never text.

An occurrence is kept so that a decision which is recorded later meets it too; of its words there are digests alone.
A proposal is one decision and one place. What somebody said to it stays, so that nothing is proposed twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Index, Integer, Row, String, Table, Text, and_, or_, select

from store.core.beside import Occurrence, OutcomeProposal
from store.core.model import Happening, Place, Scope, Verdict
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

KEEP_DAYS = 180
"""Days for which an occurrence waits for decisions that are recorded later, and a proposal for an answer."""


def _reported() -> tuple[Column[Any], ...]:
    """Return the columns of a report: its place, its readers, what it is."""
    return (
        Column("source", String, primary_key=True),
        Column("anchor", String, primary_key=True),
        Column("ref", String, nullable=False),
        Column("permalink", String, nullable=False),
        Column("scope", String, nullable=False),
        Column("open", Integer, nullable=False),
        Column("kind", String, nullable=False),
    )


seen = Table(
    "occurrences",
    metadata,
    *_reported(),
    Column("at", Moment, nullable=False),
    Column("marks", Text, nullable=False),
    Column("kept_at", Moment, nullable=False),
)
proposed = Table(
    "outcome_proposals",
    metadata,
    Column("decision", String, primary_key=True),
    *_reported(),
    Column("happened_at", Moment, nullable=False),
    Column("verdict", String, nullable=False),
    Column("strength", Integer, nullable=False),
    Column("proposed_at", Moment, nullable=False),
    Column("answer", String, nullable=False, default=""),
    Column("by", String, nullable=False, default=""),
    Index("outcome_proposals_place", "source", "anchor"),
)


class Occurrences:
    """The occurrences and proposals of one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    # --- what was reported ----------------------------------------------------------------------

    def keep(self, found: Iterable[Occurrence], now: datetime) -> None:
        """Keep what was reported, each in the stead of what was known of its place (the idempotency key)."""
        with self._file.transaction() as tx:
            for one in found:
                row = {
                    **_of_place(one.place, one.scope), "kind": one.kind.value, "at": one.at,
                    "marks": json.dumps(sorted(one.marks)), "kept_at": now,
                }  # fmt: skip
                fresh = insert(seen).values(row)
                tx.execute(fresh.on_conflict_do_update(index_elements=["source", "anchor"], set_=row))

    def all(self) -> tuple[Occurrence, ...]:
        """Return every occurrence, oldest first."""
        with self._file.reading() as reading:
            rows = reading.execute(select(seen).order_by(seen.c.at, seen.c.source, seen.c.anchor)).all()
        return tuple(
            Occurrence(
                place=_place(row),
                scope=Scope(id=row.scope, open=bool(row.open)),
                kind=Happening(row.kind),
                at=row.at,
                marks=frozenset(json.loads(row.marks)),
            )
            for row in rows
        )

    def places(self) -> frozenset[tuple[str, str]]:
        """Return source and anchor of every occurrence."""
        with self._file.reading() as reading:
            return frozenset((row.source, row.anchor) for row in reading.execute(select(seen.c.source, seen.c.anchor)))

    def withdraw(self, source: str, anchor: str) -> int:
        """Forget what is not so any more, and what was proposed for it and not answered; returns how many rows."""
        with self._file.transaction() as tx:
            unanswered = and_(_at(proposed, source, anchor), proposed.c.answer == "")
            return _gone(tx, seen, _at(seen, source, anchor)) + _gone(tx, proposed, unanswered)

    # --- what is proposed for it ----------------------------------------------------------------

    def propose(self, found: Iterable[OutcomeProposal], now: datetime) -> int:
        """Note proposals; returns how many are new. Idempotency key: the decision and the place, whatever was answered.

        What nobody has answered yet takes the newer strength and time.
        """
        fresh = 0
        with self._file.transaction() as tx:
            for one in found:
                row = {
                    **_of_place(one.place, one.scope), "decision": one.decision, "kind": one.kind.value,
                    "happened_at": one.happened_at, "verdict": one.verdict.value, "strength": one.strength,
                    "proposed_at": now, "answer": "", "by": "",
                }  # fmt: skip
                if tx.execute(insert(proposed).values(row).on_conflict_do_nothing()).rowcount == 1:
                    fresh += 1
                    continue
                same = and_(proposed.c.decision == one.decision, _at(proposed, one.place.source, one.place.anchor))
                changed = {"strength": one.strength, "happened_at": one.happened_at, "verdict": one.verdict.value}
                tx.execute(proposed.update().where(same, proposed.c.answer == "").values(changed))
        return fresh

    def unanswered(self) -> tuple[OutcomeProposal, ...]:
        """Return what nobody has answered, latest happened first."""
        return self._proposals(proposed.c.answer == "")

    def about(self, decisions: Sequence[str]) -> tuple[OutcomeProposal, ...]:
        """Return what was proposed for these decisions, answered or not, latest happened first."""
        return self._proposals(proposed.c.decision.in_(decisions))

    def answer(self, decision: str, source: str, anchor: str, answer: str, *, by: str) -> bool:
        """Note what somebody said, in a word of ours ("" asks again); False where it was never proposed."""
        same = and_(proposed.c.decision == decision, _at(proposed, source, anchor))
        with self._file.transaction() as tx:
            return tx.execute(proposed.update().where(same).values(answer=answer, by=by)).rowcount == 1

    def _proposals(self, which: ColumnElement[bool]) -> tuple[OutcomeProposal, ...]:
        wanted = select(proposed).where(which)
        ordered = wanted.order_by(
            proposed.c.happened_at.desc(), proposed.c.source, proposed.c.anchor, proposed.c.strength.desc(),
            proposed.c.decision,
        )  # fmt: skip
        with self._file.reading() as reading:
            rows = reading.execute(ordered).all()
        return tuple(
            OutcomeProposal(
                decision=row.decision,
                place=_place(row),
                scope=Scope(id=row.scope, open=bool(row.open)),
                kind=Happening(row.kind),
                happened_at=row.happened_at,
                verdict=Verdict(row.verdict),
                strength=row.strength,
                answer=row.answer,
                by=row.by,
            )
            for row in rows
        )

    # --- forgetting -----------------------------------------------------------------------------

    def forget(self, decisions: Iterable[str]) -> int:
        """Forget what was proposed for these decisions; returns how many. Twice is once."""
        return self._delete((proposed, proposed.c.decision.in_(list(decisions))))

    def forget_place(self, source: str, anchor: str) -> int:
        """Forget all of a place; returns how many rows. Twice is once."""
        return self._delete((seen, _at(seen, source, anchor)), (proposed, _at(proposed, source, anchor)))

    def forget_scope(self, scope: str) -> int:
        """Forget all that its readers alone may know of; returns how many rows. Twice is once."""
        return self._delete((seen, seen.c.scope == scope), (proposed, proposed.c.scope == scope))

    def forget_turn(self, turn: str) -> int:
        """Forget the digests of a thread's words of which one turn is erased; returns how many threads."""
        return self._blank(or_(seen.c.anchor == turn, seen.c.anchor == turn.rpartition("#")[0]))

    def forget_person(self, person: str) -> int:
        """Forget who answered, and the digests of all words, of which some may be theirs.

        Returns:
            In how many rows they were named; digests name nobody.
        """
        with self._file.transaction() as tx:
            answered = tx.execute(proposed.update().where(proposed.c.by == person).values(by="")).rowcount
        self._blank(seen.c.marks != "[]")
        return answered

    def purge(self, before: datetime) -> int:
        """Forget what waited in vain since then; returns how many rows. What was answered stays with its decision."""
        old = and_(proposed.c.answer == "", proposed.c.proposed_at < before)
        return self._delete((seen, seen.c.kept_at < before), (proposed, old))

    def clear(self) -> int:
        """Forget everything: the workspace has gone."""
        return self._delete((seen, seen.c.source != ""), (proposed, proposed.c.source != ""))

    def _blank(self, which: ColumnElement[bool]) -> int:
        with self._file.transaction() as tx:
            return tx.execute(seen.update().where(which).values(marks="[]")).rowcount

    def _delete(self, *what: tuple[Table, ColumnElement[bool]]) -> int:
        with self._file.transaction() as tx:
            return sum(_gone(tx, table, which) for table, which in what)


def _gone(tx: Any, table: Table, which: ColumnElement[bool]) -> int:
    deleted: int = tx.execute(table.delete().where(which)).rowcount
    return deleted


def _at(table: Table, source: str, anchor: str) -> ColumnElement[bool]:
    return and_(table.c.source == source, table.c.anchor == anchor)


def _of_place(place: Place, scope: Scope) -> dict[str, object]:
    return {
        "source": place.source, "anchor": place.anchor, "ref": place.ref, "permalink": place.permalink,
        "scope": scope.id, "open": int(scope.open),
    }  # fmt: skip


def _place(row: Row[Any]) -> Place:
    return Place(source=row.source, anchor=row.anchor, ref=row.ref, permalink=row.permalink)
