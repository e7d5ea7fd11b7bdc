"""The recording half of a memory: what is admitted, what people say of it, votes and settings.

Everything here can happen twice; each method's docstring names its idempotency key. It asks for nothing but a way to
open a transaction, so that whoever only records needn't load an engine, an index or what lies beside the log.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime

from store.core import events
from store.core.admission import Admission, Admitted
from store.core.model import WORKSPACE, DecisionId, Draft, Person, Place, Quote, Scope, Verdict
from store.core.pace import CHUNK_S, Pace, work_of
from store.sql import acts, admitting
from store.sql.reading import Reading
from store.sql.writing import HAS_READ, IS_FORGOTTEN, Writing


class Recording(Reading):
    """What puts something into a memory."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Writing]:
        """Open one transaction."""

    # --- capturing ----------------------------------------------------------------------------

    def known(self, place: Place, basis: str) -> bool:
        """Say whether this place was read at this version of its text."""
        with self._reading() as rows:
            return bool(rows(HAS_READ, {"source": place.source, "anchor": place.anchor, "basis": basis}))

    def forgotten(self, place: Place) -> bool:
        """Say whether this place was forgotten: then it is not captured again."""
        with self._reading() as rows:
            return bool(rows(IS_FORGOTTEN, {"source": place.source, "anchor": place.anchor}))

    def admit(self, admission: Admission) -> Admitted:
        """Admit the drafts of one place at one basis.

        Drafts are matched with what the place holds: the same statement adds nothing, a changed
        one revises, a new one is recorded. What vanished from the place stays.

        Idempotency key: place and basis.
        """
        with self._writing() as tx:
            return admitting.admit(tx, admission)

    def ingest(self, admissions: Iterable[Admission]) -> Iterator[Admitted]:
        """Admit many places in transactions of about `CHUNK_S`, yielding one result each, in order.

        Statements without a place are numbered over the whole input, so that the same input again
        adds nothing. `decisions` of the results stays empty. What was yielded is committed; `admissions` is never
        asked for more while a transaction is open, so it may take its time.

        Idempotency key: place and basis; without a place, the statement and its number.
        """
        seen: Counter[str] = Counter()
        pace = Pace()
        waiting = iter(admissions)
        while gathered := _gathered(waiting, pace.size):
            with self._writing() as tx:
                started = time.monotonic()
                admitted = admitting.admit_all(tx, gathered, seen)
                tx.settle()
                seconds = time.monotonic() - started
            pace.took(sum(map(work_of, gathered)), seconds)
            yield from admitted

    # --- people's words on a decision ---------------------------------------------------------

    def retract(self, decision: str, *, by: Person, reason: str = "") -> bool:
        """Take a decision back ("not a decision"); False if it was already.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            return acts.retract(tx, decision, by=by, reason=reason)

    def restore(self, decision: str, *, by: Person) -> bool:
        """Undo a retraction; False if there is none of the last 30 days, or the text is erased.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            return acts.restore(tx, decision, by=by)

    def confirm(self, decision: str, *, by: Person) -> bool:
        """Confirm a capture; False if it was confirmed already.

        Idempotency key: the decision.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            return acts.confirm(tx, decision, by=by)

    def revise(self, decision: str, draft: Draft, *, by: Person) -> DecisionId:
        """Word a decision anew; the new one supersedes it and keeps its place and evidence.

        Idempotency key: the decision and the new statement.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            return acts.revise(tx, decision, draft, by=by)

    def supersede(self, newer: str, older: str, *, by: Person) -> bool:
        """Say that one decision replaces another; False if that was said already.

        Idempotency key: the pair.

        Raises:
            UnknownDecision: one of them is not there.
        """
        with self._writing() as tx:
            return acts.supersede(tx, newer, older, by=by)

    def withdraw_supersession(self, newer: str, older: str, *, by: Person) -> bool:
        """Take back that one decision replaces another; False if nobody says so.

        Idempotency key: the pair, while it is said to be replaced.

        Raises:
            UnknownDecision: one of them is not there.
        """
        with self._writing() as tx:
            return acts.withdraw_supersession(tx, newer, older, by=by)

    def unrevise(self, decision: str, *, by: Person) -> DecisionId | None:
        """Put the wording before an edit back and return it; None if there is none that may come back.

        Idempotency key: the edit, while it stands.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            return acts.unrevise(tx, decision, by=by)

    def withdraw_confirmation(self, decision: str, *, by: Person) -> bool:
        """Take a confirmation back, so that a capture waits for a word again; False if it waits.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            return acts.withdraw_confirmation(tx, decision, by=by)

    def say_same(self, one: str, other: str, *, by: Person | None = None) -> bool:
        """Say that two decisions of different scopes are one and the same; False if it was said.

        Idempotency key: the pair.

        Raises:
            UnknownDecision: one of them is not there.
        """
        with self._writing() as tx:
            return acts.say_same(tx, one, other, by=by)

    def hold_apart(self, one: str, other: str, *, by: Person) -> bool:
        """Say that two decisions that were taken for one are two; False if nobody takes them for one.

        Idempotency key: the pair; no rule links them again.

        Raises:
            UnknownDecision: one of them is not there.
        """
        with self._writing() as tx:
            return acts.hold_apart(tx, one, other, by=by)

    def withdraw_place(self, decision: str, place: Place, *, by: Person) -> DecisionId | None:
        """Make what was said in one more place of a decision its own, and return that; None if there is no such place.

        Idempotency key: the decision and the place; no rule adds it again.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            return acts.withdraw_place(tx, decision, place, by=by)

    def note_conflict(self, one: str, other: str, *, quotes: tuple[str, str], by: Person | None = None) -> bool:
        """Say that two decisions can't both hold, with the words of each; False if it was said.

        Idempotency key: the pair.

        Raises:
            UnknownDecision: one of them is not there.
        """
        with self._writing() as tx:
            return acts.note_conflict(tx, one, other, quotes=quotes, by=by)

    def settle_conflict(self, one: str, other: str, *, by: Person) -> bool:
        """Say that two decisions both apply, each in its cases; False if that was the last word on them.

        They are no conflict from then on, until somebody notes one again.

        Raises:
            UnknownDecision: one of them is not there.
        """
        with self._writing() as tx:
            return acts.settle_conflict(tx, one, other, by=by)

    def add_place(self, decision: str, place: Place, evidence: tuple[Quote, ...], *, scope: Scope) -> bool:
        """Say that a decision stands in one more place of its scope; False if it does, or the scope differs.

        Idempotency key: the decision and the place.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            return acts.add_place(tx, decision, place, evidence, scope=scope)

    def resolve_mention(
        self,
        mention: str,
        element: str,
        *,
        by: Person | None = None,
        method: str = "person",
        score: int = 100,
        scope: Scope = WORKSPACE,
    ) -> bool:
        """Say which element a mention means, in every decision of the scope (of all, if it is open).

        A person's word corrects a rule's. False if that was the last word already.

        Args:
            mention: as somebody wrote it.
            element: any mention of the element that is meant.
            by: who says so; None for a rule.
            method: how it was found.
            score: of the match, in hundredths.
            scope: where it was found.
        """
        with self._writing() as tx:
            return acts.resolve_mention(tx, mention, element, by=by, method=method, score=score, scope=scope)

    # --- votes and settings -------------------------------------------------------------------

    def observe_outcome(
        self,
        decision: str,
        *,
        voter: Person,
        verdict: Verdict,
        counts: bool,
        key: str,
        reason: str = "",
        scope: Scope,
        at: datetime,
    ) -> bool:
        """Keep one person's word on what came of a decision; False if nothing changed.

        One vote a person and decision: the latest stands. `counts` says that the voter decided
        it, was asked to follow it up, or is a confirmed event; `scope` is where it was said.

        Idempotency key: `key` while that vote stands.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            return acts.observe_outcome(
                tx,
                decision,
                voter=voter,
                verdict=verdict,
                counts=counts,
                key=key,
                reason=reason,
                scope=scope,
                at=at,
            )

    def withdraw_outcome(self, decision: str, *, voter: Person, key: str) -> bool:
        """Take a person's vote back; False if they have none.

        Idempotency key: the standing vote.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            return acts.withdraw_outcome(tx, decision, voter=voter, key=key)

    def reject(
        self,
        *,
        node: str,
        recommendation: str,
        category: str,
        reason: str,
        role: str,
        decision: str | None,
        by: Person,
        scope: Scope,
        key: str,
    ) -> bool:
        """Keep that somebody turned an answer or recommendation down; False if it is kept already.

        Idempotency key: `key`.
        """
        with self._writing() as tx:
            fact = events.rejection_given(
                decision,
                node=node,
                recommendation=recommendation,
                category=category,
                reason=reason,
                role=role,
                by=by,
                key=key,
            )
            return bool(tx.say((scope, fact)))

    def set_setting(self, name: str, value: str, *, by: Person) -> bool:
        """Change a setting for everybody; False if it had that value."""
        with self._writing() as tx:
            found = tx.rows("SELECT value FROM settings WHERE name = :name", {"name": name})
            if found and found[0]["value"] == value:
                return False
            return bool(tx.say((WORKSPACE, events.setting_changed(name, value, by=by))))


def _gathered(waiting: Iterator[Admission], most: float) -> list[Admission]:
    """Take what comes within `CHUNK_S`, at least one and about as much work as `most`; nothing at the end."""
    started = time.monotonic()
    gathered: list[Admission] = []
    work = 0.0
    for admission in waiting:
        gathered.append(admission)
        work += work_of(admission)
        if work >= most or time.monotonic() - started >= CHUNK_S:
            break
    return gathered
