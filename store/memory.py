"""The memory of one tenant: the one place where transactions are opened.

Everything here can happen twice; each writing method's docstring names its idempotency key.
Appends and projections share one transaction; the vector index follows after commit. It is longer
than other modules because it is the whole door: each method opens a transaction and names its
promise, the work is done below.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from store.core import events
from store.core.admission import Admission, Admitted
from store.core.model import (
    RECORDED_AT,
    WORKSPACE,
    DecisionId,
    Draft,
    Person,
    Place,
    Question,
    Quote,
    Reader,
    Recall,
    Scope,
    Verdict,
)
from store.core.pace import CHUNK_S, Pace, work_of
from store.core.views import RebuildReport, Report
from store.erasing import Erasing
from store.errors import IndexBusy
from store.opening import fold_anew, prepared, rebuilding_alone
from store.recall import Part, Recollection
from store.sql import acts, admitting, captures, migrations, union, verification
from store.sql.beside import Beside
from store.sql.digest import digest
from store.sql.engine import Database, tx_of
from store.sql.faults import BUSY_TIMEOUT_MS
from store.sql.queries import Rows
from store.sql.union import Envelope
from store.sql.writing import BY_HAND, HAS_READ, IS_FORGOTTEN, Writing
from store.syncing import Syncing

STOOD_DAYS = 14
"""Days after which a capture that nobody removed counts as kept: the time in which a card is seen."""


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


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


class Memory(Erasing, Syncing):
    """Bound to one tenant and safe among threads; open it once and close it at the end."""

    def __init__(
        self,
        home: Path,
        database: Database,
        *,
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
        self.nudges, self.rechecks = self.beside.nudges, self.beside.rechecks
        self.spending = self.beside.spending
        self.wanted, self.raised = self.beside.wanted, self.beside.raised
        self.proposals, self.lookbacks = self.beside.proposals, self.beside.lookbacks
        self._database = database
        self._salt = salt
        self._recollection = Recollection(self._reading, home, role=index, clock=clock)
        self._recollection.start()

    @classmethod
    def open(
        cls,
        home: Path,
        *,
        clock: Callable[[], datetime] = utc_now,
        index: Literal["own", "read", "off"] = "read",
        salt: Callable[[int], bytes] = os.urandom,
        busy_ms: int = BUSY_TIMEOUT_MS,
        progress: Callable[[int, int], None] | None = None,
    ) -> Memory:
        """Open the memory in a folder, making it if need be, or carrying it forward from an older version.

        Args:
            home: where memory.db, inbox.db and the vector index lie.
            clock: returns aware UTC.
            index: "own" takes the index's lock and follows the log, "read" only asks, "off" neither.
            salt: returns as many random bytes as asked.
            busy_ms: milliseconds that a writer waits for another process.
            progress: told how many of how many events are folded anew, where an older version wrote the database.

        Raises:
            SchemaTooNew: a newer version wrote the database.
            NotADatabase: the file is damaged or something else.
        """
        home.mkdir(mode=0o700, parents=True, exist_ok=True)  # what is recorded in private channels lies in it
        path = home / "memory.db"
        database = Database(path, busy_ms=busy_ms)
        prepared(home, database, salt=salt, progress=progress)
        return cls(home, database, clock=clock, index=index, salt=salt)

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

    def index_lag(self) -> tuple[int, int] | None:
        """Return how far the vectors have followed the log and how far they could, as positions; None without them."""
        return self._recollection.lag()

    # --- transactions -------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[Rows]:
        with self._database.read() as connection:
            yield tx_of(connection).rows

    @contextmanager
    def _writing(self) -> Iterator[Writing]:
        with self._database.write() as connection:
            tx = tx_of(connection)  # who writes is asked each time: a sync that meets a copy of us takes a new id
            writing = Writing(tx, writer=migrations.writer_of(tx), now=self.clock(), salt=self._salt)
            yield writing
            writing.settle()
        self._recollection.wake()

    def _erased(self) -> None:
        """After the commit of an erasure: nothing of it stays in the write-ahead log or as a vector."""
        self._database.shrink_wal()
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
            started = time.monotonic()
            with self._writing() as tx:
                admitted = admitting.admit_all(tx, gathered, seen)
            pace.took(sum(map(work_of, gathered)), time.monotonic() - started)
            yield from admitted

    def capture_counts(self, provenance: str) -> tuple[captures.Count, ...]:
        """Return how many captures of an extractor were kept and removed, by its full name and confidence."""
        stood = events.instant(self.clock() - timedelta(days=STOOD_DAYS))
        with self._reading() as rows:
            return captures.counts(rows, provenance, recorded_from=RECORDED_AT, stood_since=stood)

    def captures_in(self, scope: Scope, *, source: str) -> tuple[bool, ...]:
        """Return of each capture of a place whether people kept it or removed it, newest first.

        What nobody has said a word on counts once it stood for `STOOD_DAYS`, if it was captured as it happened.
        """
        stood = events.instant(self.clock() - timedelta(days=STOOD_DAYS))
        with self._reading() as rows:
            return captures.latest_in(
                rows, scope.id, source=source, by_hand=BY_HAND, recorded_from=RECORDED_AT, stood_since=stood
            )

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

    # --- keeping it sound ---------------------------------------------------------------------

    def envelopes(self, after: int = 0) -> tuple[Envelope, ...]:
        """Return the log's events after a position, as they travel to another machine."""
        with self._database.read() as connection:
            return tuple(union.envelopes(tx_of(connection), after))

    def receive(self, incoming: Iterable[Envelope]) -> int:
        """Take in another machine's events, in any order; return how many were new.

        Idempotency key: the event's id.

        Raises:
            LogDamaged: a part's text doesn't match its header, or a clock is out of range.
        """
        with self._writing() as tx:
            count = len(union.receive(tx.tx, incoming))
        self._erased()
        return count

    def digest(self, reader: Reader) -> str:
        """Return one hash of all that a reader can read, the same wherever the same facts are held."""
        with self._reading() as rows:
            return digest(rows, reader)

    def verify(self) -> Report:
        """Check the log's hashes and chains, and every projection against a fresh fold; changes nothing."""
        with self._database.read() as connection:
            return self._and_synced(verification.verify(tx_of(connection)))

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> RebuildReport:
        """Fold the log anew into every projection; others may read and append meanwhile.

        Args:
            progress: told how many of how many events are folded.

        Raises:
            StoreBusy: another process is rebuilding.
        """
        started = time.monotonic()
        with rebuilding_alone(self.home):
            last = fold_anew(self._database, progress)
        self._recollection.wake()
        with self._reading() as rows:
            count = rows("SELECT count(*) AS number FROM decisions", {})[0]["number"]
        return RebuildReport(events=last, decisions=int(count), seconds=time.monotonic() - started)
