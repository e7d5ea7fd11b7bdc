"""How did it go: each confirmed decision in force is followed up once, with one of its deciders.

Who is asked is chosen so that nobody has more of it than others, and stays chosen. Nothing is asked that a
decider has answered already, nothing that was imported: only what was said within the last weeks. When a question
goes out is not decided here (`nudging`).

Idempotency key: the decision and which time it is asked about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot import feedback
from bot.capture import person_left_out
from bot.slack.recording.following import close_converted
from bot.slack.recording.wordings import wordings
from bot.slack.room import Room, follow_ups_setting
from bot.sources.slack import SOURCE
from store import EVERYTHING, Decision, Delivery, Nudge, State, Status, Verdict

FOLLOW_UP = "follow_up"
TIMES = 3
"""How often one decision is asked about at most: once, and twice more after "too early"."""
LATE_DAYS = 16
"""Days after its time within which a decision is still asked about: what is older was imported, or nobody was there."""
AHEAD = timedelta(days=1)
"""How far ahead questions are planned: until the next planning."""
REWORDED_MAX = 20
"""Wordings of one decision that are followed from the first to the one that stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """One question as it stands for whoever was asked: the decision as they may see it, and what they said."""

    nudge: Nudge
    decision: Decision
    said: Verdict | None = None
    again_at: datetime | None = None
    """When it is asked again, since they said that it was too early."""
    may_wait: bool = True
    """Whether "too early" is still an answer."""

    @property
    def answered(self) -> bool:
        """Whether nothing is left to press."""
        return self.said is not None or self.again_at is not None


def plan_follow_ups(room: Room, _delivery: Delivery) -> str:
    """Plan whom to ask about what has been in force long enough by tomorrow."""
    days, now = room.settings.follow_up_days, room.clock()
    if not days:
        return "switched off"
    since = (now - timedelta(days=days + LATE_DAYS)).date()
    load = Counter(nudge.person for nudge in room.memory.nudges.of_kind(FOLLOW_UP))
    planned = 0
    for decision in room.memory.decisions(EVERYTHING, since=since, state=State.CURRENT):
        due = said_at(decision) + timedelta(days=days)
        if not now - timedelta(days=LATE_DAYS) <= due <= now + AHEAD or not _worth_asking(room, decision):
            continue
        if person := _whom(room, decision, load):
            ref, key = decision.id, _key(decision.id, 1)
            planned += room.memory.nudges.plan(key, person=person, kind=FOLLOW_UP, ref=ref, due_at=due)
            load[person] += 1
    return f"planned {planned}"


def said_at(decision: Decision) -> datetime:
    """Return when people said the last of what a decision rests on."""
    return max((quote.at for quote in decision.evidence if quote.at), default=decision.recorded_at)


def _worth_asking(room: Room, decision: Decision) -> bool:
    """Say whether nobody was asked about a decision, in whatever wording, and no decider has said how it went."""
    asked = any(room.memory.nudges.of_ref(one.id) for one in wordings(room, decision))
    return decision.place.source == SOURCE and not asked and _is_open(room, decision)


def _is_open(room: Room, decision: Decision) -> bool:
    """Say whether a decision is in force, confirmed, and no decider has said how it went."""
    stands = decision.state is State.CURRENT and decision.status is Status.ACCEPTED and decision.confirmed
    if not stands or not decision.title:
        return False
    votes = room.memory.votes(decision.id, EVERYTHING)
    return not any(feedback.is_decider(decision, vote.voter) for vote in votes)


def _whom(room: Room, decision: Decision, load: Counter[str]) -> str:
    """Return the decider who has been asked the least, of equals the first by id; "" where nobody may be asked."""
    people = {person.id for person in decision.decided_by if person.id}
    asked = (person for person in people if may_be_asked(room, person, decision))
    return min(asked, key=lambda person: (load[person], person), default="")


def may_be_asked(room: Room, user: str, decision: Decision) -> bool:
    """Say whether somebody is a full member here, wants to be asked and may read what it is about."""
    who = room.access.who(user)
    if who is None or not who.full or not who.here:
        return False
    if room.memory.setting(follow_ups_setting(user)) == "off" or person_left_out(room.memory, user):
        return False
    return room.access.reader_of(user).may_read(decision.scope)


def still_open(room: Room, nudge: Nudge) -> FollowUp | None:
    """Return a question that is about to be asked; None where it must not be, or needs no answer any more."""
    if not room.settings.follow_up_days:
        return None
    found = asked_now(room, nudge)
    if found is not None and close_converted(room, (found.decision,)):
        found = asked_now(room, nudge)
    if found is None or found.answered or not _is_open(room, found.decision):
        return None
    return found if may_be_asked(room, nudge.person, found.decision) else None


def asked_now(room: Room, nudge: Nudge) -> FollowUp | None:
    """Return a question as whoever was asked may see it now; None where they can't read it any more."""
    reader = room.access.reader_of(nudge.person)
    decision = room.memory.decision(nudge.ref, reader)
    for _ in range(REWORDED_MAX):
        if decision is None or not decision.superseded_by:
            break
        newer = room.memory.decision(decision.superseded_by[0], reader)
        if newer is None or newer.place.anchor != decision.place.anchor:
            break
        decision = newer
    if decision is None or not decision.title or decision.state is State.RETRACTED:
        return None
    time = _time_of(nudge)
    later = room.memory.nudges.by_key(_key(nudge.ref, time + 1))
    votes = room.memory.votes(decision.id, reader)
    return FollowUp(
        nudge=nudge,
        decision=decision,
        said=next((vote.verdict for vote in votes if vote.voter.id == nudge.person), None),
        again_at=later.due_at if later is not None else None,
        may_wait=time < TIMES,
    )


def questions(room: Room, user: str) -> tuple[FollowUp, ...]:
    """Return the open questions of one person, longest due first; what is due but not sent yet is among them."""
    found = (asked_now(room, nudge) for nudge in _asked(room, user))
    return tuple(one for one in found if one is not None and not one.answered and _is_open(room, one.decision))


def question_on(room: Room, user: str, decision: str) -> FollowUp | None:
    """Return the latest question on a decision that was put to somebody; None where none was: buttons can be forged."""
    found = [one for nudge in _asked(room, user) if (one := asked_now(room, nudge))]
    return next((one for one in reversed(found) if decision in (one.nudge.ref, one.decision.id)), None)


def _asked(room: Room, user: str) -> Iterable[Nudge]:
    now = room.clock()
    due = (one for one in room.memory.nudges.of_person(user) if one.kind == FOLLOW_UP)
    return [one for one in due if one.sent_at is not None or one.due_at <= now]


def ask_again(room: Room, asked: FollowUp) -> bool:
    """Plan to ask once more, since it was too early; False when it was the last time."""
    if not asked.may_wait:
        return False
    at = room.clock() + timedelta(days=room.settings.follow_up_days or LATE_DAYS)
    nudge, key = asked.nudge, _key(asked.nudge.ref, _time_of(asked.nudge) + 1)
    return room.memory.nudges.plan(key, person=nudge.person, kind=FOLLOW_UP, ref=nudge.ref, due_at=at)


def ask_no_more_of(room: Room, asked: FollowUp) -> None:
    """Take back that a decision is asked about again; nothing happens once that was asked."""
    key = _key(asked.nudge.ref, _time_of(asked.nudge) + 1)
    later = room.memory.nudges.by_key(key)
    if later is not None and later.sent_at is None:
        room.memory.nudges.drop(key)


def _key(decision: str, time: int) -> str:
    return f"{FOLLOW_UP}:{decision}:{time}"


def _time_of(nudge: Nudge) -> int:
    """Read from its key which time a question is asked: 1 at first."""
    number = nudge.key.rpartition(":")[2]
    return int(number) if number.isdigit() else 1
