"""Direct messages that nobody asked for, all of them: at most one a person and week, in their working hours.

What there is to say waits in `memory.nudges`, whoever planned it; here it is put together, checked anew for the one
who reads it, sent and edited. Only full members are written to. Each message has a way to have fewer.

Idempotency key: the row that sends, which is the message's own key; a nudge is noted as said before it is posted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from bot.jobs import FOLLOWS
from bot.slack import zones
from bot.slack.client import Refused
from bot.slack.layout.kit import Block, divider, message
from bot.slack.room import Room, follow_ups_setting
from bot.slack.saying.posting import Words, edit, post_direct, went_out
from bot.slack.unasked import how_it_went, offering
from bot.slack.unasked.followups import FOLLOW_UP, asked_now, still_open
from bot.slack.unasked.how_it_went import Part
from store import Delivery, Memory, Nudge

KIND_NUDGE = "nudge"
REST = timedelta(days=7, minutes=5)
"""From one message to somebody to the next: a week, and a little more, since Slack's clock isn't ours."""
AT_ONCE = 5
"""Things said in one message at most; what else waits is said in the next, and Home lists it meanwhile."""


class Tell(Protocol):
    """Words one nudge from what stands now."""

    def __call__(self, room: Room, nudge: Nudge, *, sending: bool, alone: bool) -> Part | None:
        """Return what is said of it.

        Args:
            room: the parts.
            nudge: what was planned.
            sending: it is about to be sent; None where it must not be said any more, so that it is dropped.
            alone: it is the only one of its kind in the message.
        """


def _tell_follow_up(room: Room, nudge: Nudge, *, sending: bool, alone: bool) -> Part | None:
    asked = still_open(room, nudge) if sending else asked_now(room, nudge)
    if sending and asked is None:
        return None
    return how_it_went.part(asked, now=nudge.sent_at or room.clock(), alone=alone, stopped=_stopped(room, nudge.person))


TELLS: Mapping[str, Tell] = {FOLLOW_UP: _tell_follow_up, offering.OFFER: offering.tell}
"""Who words what, by the kind of nudge; in this order they stand in a message."""


def plan_messages(memory: Memory, now: datetime) -> int:
    """Put a row into the inbox for each person to whom something is due, once an hour; returns how many are new."""
    people = {nudge.person for nudge in memory.nudges.due(now)}
    hour = now.astimezone(UTC).strftime("%Y-%m-%dT%H")
    return sum(
        memory.inbox.insert(f"{KIND_NUDGE}:{person}:{hour}", KIND_NUDGE, {"person": person}, priority=FOLLOWS)
        for person in sorted(people)
        if _rested(memory, person, now)
    )


def _rested(memory: Memory, person: str, now: datetime) -> bool:
    last = memory.nudges.last_sent(person)
    return last is None or now - last >= REST


def send(room: Room, delivery: Delivery) -> str:
    """Say to somebody what is due, in one message."""
    person, key, now = delivery.payload["person"], delivery.key, room.clock()
    with room.locks.of(f"nudge/{person}"):
        if not _may_be_written_to(room, person):
            for nudge in room.memory.nudges.of_person(person):
                if nudge.sent_at is None:
                    room.memory.nudges.drop(nudge.key)
            return "nobody to write to"
        if not zones.at_work(now, room.access.zone_of(person)):
            if not went_out(room, key, person):
                room.memory.nudges.unsent(key)
            return "not at work"
        said = room.memory.nudges.of_message(key) or _chosen(room, person, key)
        if not said:
            return "nothing to say"
        try:
            post_direct(room, key=key, kind=KIND_NUDGE, person=person, make=lambda: _worded(room, said))
        except Refused as refused:
            return f"not sent: {refused.code}"
    return f"said {len(said)}"


def _may_be_written_to(room: Room, person: str) -> bool:
    """Say whether somebody is a full member of this workspace still; asked of Slack anew."""
    room.access.person_changed(person)
    who = room.access.who(person)
    return who is not None and who.full and who.here


def _chosen(room: Room, person: str, key: str) -> tuple[Nudge, ...]:
    """Choose what is said now and note it as said; what must not be said any more is dropped."""
    now = room.clock()
    if not _rested(room.memory, person, now):
        return ()
    waiting = [one for one in room.memory.nudges.due(now) if one.person == person and one.kind in TELLS]
    kept: list[Nudge] = []
    for nudge in waiting:
        if len(kept) == AT_ONCE:
            break
        if TELLS[nudge.kind](room, nudge, sending=True, alone=False) is None:
            room.memory.nudges.drop(nudge.key)
        else:
            kept.append(nudge)
    room.memory.nudges.sent([nudge.key for nudge in kept], now, message=key)
    return tuple(kept)


def redraw(room: Room, key: str) -> bool:
    """Edit a message so that it says what came of it; False where it is gone, or never was sent."""
    post, said = room.memory.posts.by_key(key), room.memory.nudges.of_message(key)
    if post is None or not post.ts or not said:
        return False
    worded = _worded(room, said)
    return edit(room, post, worded.message, worded.decisions)


def _worded(room: Room, said: Sequence[Nudge]) -> Words:
    """Put one message together: each kind with its own, a thin line between kinds."""
    blocks: list[Block | None] = []
    decisions: list[str] = []
    for kind, tell in TELLS.items():
        mine = [nudge for nudge in said if nudge.kind == kind]
        found = [tell(room, nudge, sending=False, alone=len(mine) == 1) for nudge in mine]
        parts = [part for part in found if part is not None]
        if not parts:
            continue
        blocks += [divider()] if blocks else []
        blocks += _headed(room, mine, [block for part in parts for block in part.blocks])
        decisions += [decision for part in parts for decision in part.decisions]
    return Words(message=message(blocks), ref=said[0].person, decisions=tuple(decisions))


def _headed(room: Room, mine: Sequence[Nudge], blocks: list[Block | None]) -> list[Block | None]:
    """Put a heading with the way out above several questions; one has its own."""
    if mine[0].kind != FOLLOW_UP or len(mine) == 1:
        return blocks
    return [how_it_went.heading(stopped=_stopped(room, mine[0].person)), *blocks]


def _stopped(room: Room, person: str) -> bool:
    return room.memory.setting(follow_ups_setting(person)) == "off"
