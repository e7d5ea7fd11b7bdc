"""The memory of one tenant: the one place where transactions are opened.

Everything here can happen twice; each writing method's docstring names its idempotency key.
Appends and projections share one transaction; the vector index follows after commit.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import text

from store.core import events
from store.core.admission import Admission, Admitted, draft_of, trimmed
from store.core.events import Kind
from store.core.ids import decision_id, sha256, statement_of
from store.core.model import (
    EVERYTHING,
    WORKSPACE,
    Decision,
    DecisionId,
    Draft,
    Person,
    Place,
    Question,
    Reader,
    Recall,
    Scope,
    State,
    Verdict,
)
from store.core.outcomes import voter_key
from store.errors import IndexBusy, UnknownDecision
from store.recall import Part, Recollection
from store.sql import migrations, queries, redaction, writing
from store.sql.beside import Beside
from store.sql.engine import Database, rows_of
from store.sql.queries import Rows
from store.sql.reading import Reading
from store.sql.writing import BY_HAND, HAS_READ, IS_FORGOTTEN, Writing

CHUNK_S = 0.1
"""Seconds that one transaction of bulk work may take: nobody who waits for the lock notices."""

UNDO_DAYS = 30
"""Days within which "Not a decision" can be undone."""

KEEP_UNCONFIRMED_DAYS = 90
"""Days that a capture waits for somebody's word before it is removed."""


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


class Memory(Reading):
    """Bound to one tenant and safe among threads; open it once and close it at the end."""

    def __init__(
        self,
        home: Path,
        database: Database,
        *,
        writer: str,
        clock: Callable[[], datetime],
        index: Literal["own", "read", "off"],
        salt: Callable[[int], bytes],
    ) -> None:
        """Use `open` instead, which prepares the database."""
        self.home = home
        self.clock = clock
        self.beside = Beside.open(home / "inbox.db", clock)
        self.inbox, self.sessions, self.posts = self.beside.inbox, self.beside.sessions, self.beside.posts
        self.watch, self.members = self.beside.watch, self.beside.members
        self._database = database
        self._writer = writer
        self._salt = salt
        self._recollection = Recollection(self._reading, home, role=index, clock=clock)
        self._recollection.start()

    @classmethod
    def open(
        cls,
        home: Path,
        *,
        database_url: str = "",
        clock: Callable[[], datetime] = utc_now,
        index: Literal["own", "read", "off"] = "read",
        salt: Callable[[int], bytes] = os.urandom,
    ) -> Memory:
        """Open the memory in a folder, making it if need be.

        Args:
            home: where memory.db, inbox.db and the vector index lie.
            database_url: reserved for a database server; "" is SQLite in `home`.
            clock: returns aware UTC.
            index: "own" takes the index's lock and follows the log, "read" only asks, "off" neither.
            salt: returns as many random bytes as asked.

        Raises:
            SchemaTooNew: a newer version wrote the database.
            NotADatabase: the file is damaged or something else.
        """
        home.mkdir(parents=True, exist_ok=True)
        path = home / "memory.db"
        database = Database(path)
        with database.write() as connection:
            migrations.prepare(connection, path)
            writer = _writer_id(connection, salt)
        return cls(home, database, writer=writer, clock=clock, index=index, salt=salt)

    def close(self) -> None:
        """Close the database; the memory can't be used afterwards."""
        self._recollection.close()
        self.beside.close()
        self._database.close()

    @property
    def index_role(self) -> Literal["own", "read", "off"]:
        """What this memory does with the vector index: "read" where another process owns it."""
        return self._recollection.role

    # --- recalling ----------------------------------------------------------------------------

    def recall(self, question: Question, reader: Reader, *, without: Collection[Part] = ()) -> Recall:
        """Return what the memory has on a question, best first; it abstains rather than guess.

        `without` names steps of the ranking to leave out, for measuring what each is worth.
        """
        return self._recollection.recall(question, reader, without=without)

    def follow(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Bring the vector index up to the log's end; returns how many texts were embedded.

        Does nothing where another process owns the index: its owner follows.
        """
        try:
            return self._recollection.follow(progress)
        except IndexBusy:
            return 0

    # --- transactions -------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[Rows]:
        with self._database.read() as connection:

            def rows(sql: str, parameters: Mapping[str, object]) -> Sequence[Mapping[str, Any]]:
                return rows_of(connection, sql, parameters)

            yield rows

    @contextmanager
    def _writing(self) -> Iterator[Writing]:
        with self._database.write() as connection:
            yield Writing(connection, writer=self._writer, now=self.clock(), salt=self._salt)
        self._recollection.wake()

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
            return writing.admit(tx, admission)

    def ingest(self, admissions: Iterable[Admission]) -> Iterator[Admitted]:
        """Admit many places in transactions of about `CHUNK_S`, yielding one result each, in order.

        Statements without a place are numbered over the whole input, so that the same input again
        adds nothing. What a chunk yields is committed.

        Idempotency key: place and basis; without a place, the statement and its number.
        """
        seen: Counter[str] = Counter()
        waiting = iter(admissions)
        while done := self._chunk(waiting, seen):
            yield from done

    def _chunk(self, waiting: Iterator[Admission], seen: Counter[str]) -> list[Admitted]:
        first = next(waiting, None)
        if first is None:
            return []
        with self._writing() as tx:
            started = time.monotonic()
            done = [writing.admit(tx, first, seen)]
            while time.monotonic() - started < CHUNK_S and (following := next(waiting, None)) is not None:
                done.append(writing.admit(tx, following, seen))
        return done

    # --- people's words on a decision ---------------------------------------------------------

    def retract(self, decision: str, *, by: Person, reason: str = "") -> bool:
        """Take a decision back ("not a decision"); False if it was already.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            found = _found(tx, decision)
            if found.state is State.RETRACTED:
                return False
            fact = events.word_on(Kind.DECISION_RETRACTED, found.id, by=by, reason=reason)
            return bool(tx.say((found.scope, fact)))

    def restore(self, decision: str, *, by: Person) -> bool:
        """Undo a retraction; False if there is none, or none of the last `UNDO_DAYS`.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            found = _found(tx, decision)
            since = events.instant(tx.now - timedelta(days=UNDO_DAYS))
            recent = tx.rows(_RETRACTED_SINCE, {"id": found.id, "since": since})
            if found.state is not State.RETRACTED or not found.title or not recent:
                return False
            return bool(tx.say((found.scope, events.word_on(Kind.DECISION_RESTORED, found.id, by=by))))

    def confirm(self, decision: str, *, by: Person) -> bool:
        """Confirm a capture; False if it was confirmed already.

        Idempotency key: the decision.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            found = _found(tx, decision)
            if found.confirmed:
                return False
            key = f"confirmed:{found.id}"
            return bool(tx.say((found.scope, events.word_on(Kind.DECISION_CONFIRMED, found.id, by=by, key=key))))

    def revise(self, decision: str, draft: Draft, *, by: Person) -> DecisionId:
        """Word a decision anew; the new one supersedes it and keeps its place and evidence.

        Idempotency key: the decision and the new statement.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            old = _found(tx, decision)
            draft = trimmed(draft)
            if statement_of(draft) == statement_of(draft_of(old)):
                return old.id
            draft = replace(
                draft, evidence=draft.evidence or old.evidence, decided_on=draft.decided_on or old.decided_on
            )
            ordinal, id_ = 0, decision_id(old.place.source, old.place.anchor, 0, statement_of(draft))
            while (same := queries.decisions_by_ids(tx.rows, [id_], EVERYTHING)) and same[0].state is State.SUPERSEDED:
                ordinal += 1
                id_ = decision_id(old.place.source, old.place.anchor, ordinal, statement_of(draft))
            basis = f"edit:{sha256(f'{old.id} {id_}'.encode())[:16]}"
            writing.record(
                tx,
                draft,
                id_=id_,
                ordinal=ordinal,
                place=old.place,
                basis=basis,
                scope=old.scope,
                provenance=BY_HAND,
                confirmed=True,
                by=by,
                revises=old,
            )
            return id_

    def supersede(self, newer: str, older: str, *, by: Person) -> bool:
        """Say that one decision replaces another; False if that was said already.

        Idempotency key: the pair.

        Raises:
            UnknownDecision: one of them is not there.
        """
        with self._writing() as tx:
            new, old = _found(tx, newer), _found(tx, older)
            key = f"supersedes:{new.id}:{old.id}"
            fact = events.decision_superseded(new.id, older=old.id, why="person", by=by, key=key)
            return bool(tx.say((_narrower(new.scope, old.scope), fact)))

    # --- erasing ------------------------------------------------------------------------------

    def redact_turn(self, source: str, turn_id: str) -> int:
        """Erase one turn's words everywhere and return how many quotes held them.

        A decision that rested on them alone loses its statement and is retracted.

        Idempotency key: the turn.
        """
        with self._writing() as tx:
            count = redaction.redact_turn(tx, source, turn_id)
        if count:
            self._erased()
        self.beside.forget_turn(turn_id)
        return count

    def forget_decision(self, decision: str) -> bool:
        """Erase a decision's text in every wording; its place is not captured again.

        Idempotency key: the decision.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            found = _found(tx, decision)
            done = redaction.forget_decision(tx, found, with_place=True)
        if done:
            self._erased()
        self.beside.forget_decision(found.id)
        return done

    def expire_unconfirmed(self, *, keep_days: int = KEEP_UNCONFIRMED_DAYS) -> int:
        """Erase captures that waited for somebody's word too long; returns how many.

        Idempotency key: the decision.
        """
        before = events.instant(self.clock() - timedelta(days=keep_days))
        with self._writing() as tx:
            waiting = redaction.unconfirmed_before(tx, before)
            for each in waiting:
                redaction.forget_decision(tx, _found(tx, each), with_place=False)
        if waiting:
            self._erased()
        for each in waiting:
            self.beside.forget_decision(each)
        return len(waiting)

    def _erased(self) -> None:
        """After the commit of an erasure: nothing of it stays in the write-ahead log or as a vector."""
        self._database.shrink_wal()
        self._recollection.wake()

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
            found = _found(tx, decision)
            standing = _vote_of(tx, found.id, voter)
            if standing and (standing.verdict, standing.reason, standing.counts) == (verdict, reason, counts):
                return False
            fact = events.outcome_observed(
                found.id,
                voter=voter,
                verdict=verdict,
                counts=counts,
                reason=reason,
                at=at,
                key=_unused(tx, key),
            )
            return bool(tx.say((_narrower(scope, found.scope), fact)))

    def withdraw_outcome(self, decision: str, *, voter: Person, key: str) -> bool:
        """Take a person's vote back; False if they have none.

        Idempotency key: the standing vote.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            found = _found(tx, decision)
            standing = _vote_of(tx, found.id, voter)
            if standing is None:
                return False
            fact = events.outcome_withdrawn(found.id, voter=voter, key=_unused(tx, f"{key}:withdrawn"))
            return bool(tx.say((standing.scope, fact)))

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


_RETRACTED_SINCE = (
    "SELECT 1 FROM event_about a JOIN events e ON e.position = a.position WHERE a.target = :id"
    " AND e.kind = 'DecisionRetracted' AND e.header ->> 'recorded_at' >= :since LIMIT 1"
)


def _writer_id(connection: Any, salt: Callable[[int], bytes]) -> str:
    """Return this database's writer id, made once: random, so that no two databases share one."""
    connection.execute(
        text("INSERT OR IGNORE INTO about_me (name, value) VALUES ('writer', :value)"), {"value": salt(8).hex()}
    )
    return str(connection.execute(text("SELECT value FROM about_me WHERE name = 'writer'")).scalar_one())


def _found(tx: Writing, decision: str) -> Decision:
    found = tx.decision(decision)
    if found is None:
        raise UnknownDecision(f"{decision}: no decision of that id or ref")
    return found


def _narrower(one: Scope, other: Scope) -> Scope:
    return one if other.open else other


def _vote_of(tx: Writing, decision: str, voter: Person) -> Any:
    standing = queries.votes_on(tx.rows, decision, EVERYTHING)
    return next((each for each in standing if voter_key(each.voter) == voter_key(voter)), None)


def _unused(tx: Writing, key: str) -> str:
    """Return the key, numbered if it was used: a vote may be taken back and given again."""
    used = {
        row["key"]
        for row in tx.rows(
            "SELECT key FROM events WHERE key >= :key AND key < :after", {"key": key, "after": key + "\uffff"}
        )
    }
    number, free = 1, key
    while free in used:
        number += 1
        free = f"{key}#{number}"
    return free
