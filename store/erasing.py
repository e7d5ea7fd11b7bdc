"""The erasing half of a memory: each method's text is gone from the log, its projections and beside it on return.

The vectors follow: whoever owns the index drops them next, as `Memory.follow` does.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta

from store.core import events
from store.core.model import Person, Scope
from store.core.pace import CHUNK_S
from store.core.views import ChannelForgetting, Forgetting, Naming
from store.sql import acts, channels, everything, listing, persons, redaction
from store.sql.beside import Beside
from store.sql.channels import Said
from store.sql.reading import Reading
from store.sql.writing import Writing

KEEP_UNCONFIRMED_DAYS = 90
"""Days that a capture waits for somebody's word before it is removed."""


class Erasing(Reading):
    """What takes text out of a memory again."""

    clock: Callable[[], datetime]
    beside: Beside

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Writing]:
        """Open one transaction."""

    @abstractmethod
    def _erased(self) -> None:
        """After the commit of an erasure: nothing of it stays in the write-ahead log or as a vector."""

    def redact_turn(self, source: str, turn_id: str, *, stands: str | None = None, within: Scope | None = None) -> int:
        """Erase one turn's words everywhere, or within one scope, and return how many quotes held them.

        A decision that rested on them alone loses its statement and is retracted. After an edit, `stands` is
        the turn's text now: quotes that it still holds stay, and the turn may be quoted again.

        Idempotency key: the turn, and its text now.
        """
        with self._writing() as tx:
            scope = within.id if within else None
            quoting = redaction.quoting(tx.rows, source, turn_id, scope=scope)
            count = redaction.redact_turn(tx, source, turn_id, stands=stands, scope=scope)
        if count:
            self._erased()
        if within is None:
            self.beside.forget_turn(turn_id, decisions=quoting)
        else:
            for each in quoting:
                self.beside.forget_decision(each)
        return count

    def forget_decision(self, decision: str) -> bool:
        """Erase a decision's text in every wording; none of its places is captured again.

        What was said to be the same elsewhere, for others to read, is a decision of its own and stays.

        Idempotency key: the decision.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            found = acts.found(tx, decision)
            wordings = listing.wordings(tx.rows, found.id)
            done = redaction.forget_decision(tx, found, with_place=True)
        if done:
            self._erased()
        for each in wordings:
            self.beside.forget_decision(each)
        for place in found.places:
            if place.anchor:
                self.beside.forget_place(place.source, place.anchor)
        return done

    def forget_person(self, person: Person) -> Forgetting:
        """Erase a person's words and name everywhere, beside the log too; what others said and decided stays.

        Idempotency key: what is erased; again finds nothing.
        """
        with self._writing() as tx:
            forgotten = persons.forget_person(tx, person)
        self._erased()
        beside = self.beside.forget_person(person, named=(*forgotten.decisions, *forgotten.turns))
        return replace(forgotten, beside=beside)

    def said_in(self, channel: str, *, source: str = "slack") -> Said:
        """Return what the log holds of a channel, named by id: what `forget_channel` would take out."""
        with self._reading() as rows:
            return channels.said_in(rows, source, channel)

    def forget_channel(self, channel: str, *, source: str = "slack") -> ChannelForgetting:
        """Erase all that was said in a channel, and close it for good: no place of it is captured again.

        Decisions of elsewhere that quote it lose those words, and themselves where they rested on nothing else. It goes
        in transactions of about `CHUNK_S`; killed, it is called again.

        Idempotency key: the channel, and what is erased.
        """
        said = self.said_in(channel, source=source)
        beside = self.beside.forget_channel(channel, decisions=(*said.decisions, *said.quoting))
        with self._writing() as tx:
            fresh = channels.close(tx, source, channel)
        left = channels.Left(decisions=list(said.decisions)[::-1], turns=list(said.turns), events=list(said.events))
        while left.decisions or left.turns or left.events:
            with self._writing() as tx:
                channels.take_out_some(tx, left, _in_time())
        with self._writing() as tx:
            redaction.scrub(tx.tx)
        self._erased()
        beside += self.beside.forget_channel(channel, decisions=(*said.decisions, *said.quoting))
        return ChannelForgetting(
            fresh=fresh,
            decisions=said.decisions,
            turns=tuple(turn for _, turn in said.turns),
            erased=left.taken,
            quotes=left.quotes,
            beside=beside,
        )

    def forget_workspace(self) -> int:
        """Erase all that was said, by whomever, and clear what lies beside the log; returns how many events said it.

        Ids, days and places stay. It goes in short transactions; killed, it is called again.

        Idempotency key: what is erased.
        """
        self.beside.clear()
        with self._reading() as rows:
            last = everything.end(rows)
        reached = erased = 0
        while reached < last:
            with self._writing() as tx:
                reached, held = everything.take_out_after(tx, reached, last)
            erased += held
        with self._writing() as tx:
            redaction.scrub(tx.tx)
        self._erased()
        self.beside.clear()
        return erased

    def about_person(self, person: Person) -> tuple[Naming, ...]:
        """Return every part of the log that holds a person's words or name, oldest first."""
        with self._reading() as rows:
            return persons.namings(rows, person)

    def discard(self, decision: str, *, by: Person) -> bool:
        """Take back for good what nobody had confirmed: its text goes too; its place may be captured again.

        False if it was taken back already.

        Idempotency key: the decision.

        Raises:
            UnknownDecision: there is none of that id or ref.
        """
        with self._writing() as tx:
            found = acts.found(tx, decision)
            wordings = listing.wordings(tx.rows, found.id)
            acts.retract(tx, decision, by=by, reason="")
            done = redaction.forget_decision(tx, found, with_place=False)
        if done:
            self._erased()
        for each in wordings:
            self.beside.forget_decision(each)
        return done

    def expire_unconfirmed(self, *, keep_days: int = KEEP_UNCONFIRMED_DAYS) -> int:
        """Erase captures that waited too long for somebody's word and were in no answer of that time; returns how many.

        An answer is known as long as it is kept.

        Idempotency key: the decision.
        """
        before = self.clock() - timedelta(days=keep_days)
        with self._reading() as rows:
            old = redaction.unconfirmed_before(rows, events.instant(before))
        asked_for = self.beside.sessions.shown_since(old, before)
        with self._writing() as tx:
            still = redaction.unconfirmed_before(tx.rows, events.instant(before))
            waiting = [each for each in still if each not in asked_for]
            for each in waiting:
                redaction.forget_decision(tx, acts.found(tx, each), with_place=False)
        if waiting:
            self._erased()
        for each in waiting:
            self.beside.forget_decision(each)
        return len(waiting)


def _in_time() -> Callable[[], bool]:
    """Return what says whether a transaction that begins now may go on."""
    started = time.monotonic()
    return lambda: time.monotonic() - started < CHUNK_S
