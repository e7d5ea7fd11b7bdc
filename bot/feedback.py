"""What people say of a decision and of an answer: votes and rejections, as PEOPLE.md rules them.

A vote is about one decision, an answer's main one, never about all that the answer cites. It counts at once
when it is a decider's, the reply to a follow-up or a confirmed event; anybody else's counts from the second
person on, or with a reason. A wrong answer is a rejection with a category and says nothing of any decision.

Every verb's idempotency key is the occasion: the one press, reaction or delivery that it stems from. So a change
of mind and back is three votes, and a delivery that comes twice is one. A person's latest word by its own time
stands, in whatever order the words arrive.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.errors import WrongInput
from store import Decision, Person, Reader, Scope, Verdict, Voices, voter_key

if TYPE_CHECKING:
    from store import Recording

CATEGORIES = ("wrong_timing", "already_handled", "not_relevant", "outdated", "wrong", "other")
"""What can be wrong with an answer or a recommendation."""
REASON_MAX = 2_000
"""Characters of a reason; more is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voted:
    """What a vote led to: the decision as the voter may see it, and whether the vote stands in its figures."""

    decision: Decision
    verdict: Verdict
    counted: bool
    changed: bool
    """False when they had said just that, or have said something else since."""

    @property
    def voices(self) -> Voices:
        """What the votes on the decision come to now."""
        return self.decision.voices


def vote(
    memory: Recording,
    decision: str,
    voter: Person,
    verdict: Verdict,
    *,
    reader: Reader,
    occasion: str,
    at: datetime,
    reason: str = "",
    follow_up: bool = False,
    scope: Scope | None = None,
) -> Voted | None:
    """Record what somebody says came of a decision; the latest word of each person stands.

    Args:
        memory: where it is recorded.
        decision: an id or ref: the main decision of the answer voted on.
        voter: by whom; external people and bots never get here.
        verdict: worked or failed.
        reader: what the voter may read.
        occasion: unique to this press or reaction; it is the idempotency key.
        at: when they said so.
        reason: in their words; makes any vote count.
        follow_up: the bot asked them how it went, or a system's report stands behind it.
        scope: who may know of it, where that isn't whoever reads the decision.

    Returns:
        None when the voter can't read such a decision, or it was forgotten: then nothing is recorded.
    """
    found = memory.decision(decision, reader)
    if found is None or not found.title:
        return None
    said = reason.strip()[:REASON_MAX]
    changed = not _said_since(memory, found, voter, reader, at) and memory.observe_outcome(
        found.id,
        voter=voter,
        verdict=verdict,
        counts=follow_up or is_decider(found, voter),
        key=f"vote:{occasion}",
        reason=said,
        scope=scope or found.scope,
        at=at,
    )
    now = memory.decision(found.id, reader) or found
    return Voted(decision=now, verdict=verdict, counted=_stands(now, voter, verdict, said, follow_up), changed=changed)


def _stands(decision: Decision, voter: Person, verdict: Verdict, reason: str, follow_up: bool) -> bool:
    """Say whether this person's vote is among those that count by now."""
    pending = {Verdict.WORKED: decision.voices.pending_worked, Verdict.FAILED: decision.voices.pending_failed}
    return bool(reason) or follow_up or is_decider(decision, voter) or pending[verdict] == 0


def _said_since(memory: Recording, decision: Decision, voter: Person, reader: Reader, at: datetime) -> bool:
    """Say whether this person has a vote that is younger than that moment."""
    own = voter_key(voter)
    return any(voter_key(vote.voter) == own and vote.at > at for vote in memory.votes(decision.id, reader))


def withdraw(
    memory: Recording, decision: str, voter: Person, *, reader: Reader, occasion: str, at: datetime | None = None
) -> bool:
    """Take somebody's vote back; False when there is none that they can read about.

    Args:
        memory: where it is recorded.
        decision: an id or ref.
        voter: whose vote.
        reader: what they may read.
        occasion: unique to this press or removed reaction; it is the idempotency key.
        at: when they took it back; a vote given after that stays.
    """
    found = memory.decision(decision, reader)
    if found is None or (at is not None and _said_since(memory, found, voter, reader, at)):
        return False
    return memory.withdraw_outcome(found.id, voter=voter, key=f"withdrawn:{occasion}")


def wrong_answer(
    memory: Recording,
    *,
    category: str,
    by: Person,
    scope: Scope,
    occasion: str,
    recommendation: str,
    node: str = "",
    decision: str | None = None,
    role: str = "",
    reason: str = "",
) -> bool:
    """Record that an answer or a recommendation was wrong; no outcome of any decision.

    Args:
        memory: where it is recorded.
        category: one of `CATEGORIES`.
        by: who says so.
        scope: who may read it: that of the answer's main decision.
        occasion: unique to this submission; it is the idempotency key.
        recommendation: what was answered or recommended, in its words.
        node: what it was about: the question's first resolved topic.
        decision: the answer's main decision, if it had one.
        role: the person's part ("decider"), if known.
        reason: in their words.

    Raises:
        WrongInput: the category is none of ours.
    """
    if category not in CATEGORIES:
        raise WrongInput(f"wrong answer: {category!r} is none of {', '.join(CATEGORIES)}")
    return memory.reject(
        node=node,
        recommendation=recommendation,
        category=category,
        reason=reason.strip()[:REASON_MAX],
        role=role,
        decision=decision,
        by=by,
        scope=scope,
        key=f"rejection:{occasion}",
    )


def is_decider(decision: Decision, person: Person) -> bool:
    """Say whether this person is one of those who decided: by id, by name only where a source gave no id."""
    return any(_same(decider, person) for decider in decision.decided_by)


def _same(decider: Person, person: Person) -> bool:
    if decider.id:
        return decider.id == person.id
    name = decider.name.strip().casefold()
    return bool(name) and name == person.name.strip().casefold()
