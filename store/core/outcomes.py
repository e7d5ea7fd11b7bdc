"""What votes on a decision come to: pure rules, the same for the log, the bot and the ranking."""

from __future__ import annotations

from collections.abc import Iterable

from store.core.ids import clean
from store.core.model import Person, Verdict, Voices
from store.core.views import Vote

SECOND_PERSON = 2
"""From how many people on votes without a reason count, and failed becomes a label."""

_SILENT = Voices()
"""What most decisions have: nobody said what came of them."""


def voter_key(person: Person) -> str:
    """Return what makes two votes one person's: the id, else the name in one case."""
    return person.id or clean(person.name).casefold()


def same_person(one: Person, other: Person) -> bool:
    """Say whether two names are one person's: by id, by name where either has no id."""
    if one.id and other.id:
        return one.id == other.id
    name = clean(one.name).casefold()
    return bool(name) and name == clean(other.name).casefold()


def voices(votes: Iterable[Vote]) -> Voices:
    """Return what the standing votes on one decision come to.

    A vote counts if it is a decider's, a follow-up's or an event's, or gives a reason; others
    count from the second person of the same opinion on. The label failed needs a vote that counts
    by itself or two people, and at least as many voices as worked.
    """
    said = tuple(votes)
    if not said:
        return _SILENT
    sides = {Verdict.WORKED: _Side(), Verdict.FAILED: _Side()}
    for vote in said:
        sides[vote.verdict].add(vote)
    worked, failed = sides[Verdict.WORKED], sides[Verdict.FAILED]
    label: Verdict | None = None
    if failed.may_label and failed.counted >= worked.counted:
        label = Verdict.FAILED
    elif worked.counted:
        label = Verdict.WORKED
    return Voices(
        worked=worked.counted,
        failed=failed.counted,
        pending_worked=worked.pending,
        pending_failed=failed.pending,
        label=label,
    )


class _Side:
    def __init__(self) -> None:
        self.sure = 0
        self.reasoned = 0
        self.bare = 0

    def add(self, vote: Vote) -> None:
        if vote.counts:
            self.sure += 1
        elif vote.reason:
            self.reasoned += 1
        else:
            self.bare += 1

    @property
    def people(self) -> int:
        return self.sure + self.reasoned + self.bare

    @property
    def counted(self) -> int:
        return self.people if self.people >= SECOND_PERSON else self.sure + self.reasoned

    @property
    def pending(self) -> int:
        return self.people - self.counted

    @property
    def may_label(self) -> bool:
        return self.sure > 0 or self.people >= SECOND_PERSON
