"""What somebody presses below "How did it go?": one tap records it, the message says so and can be undone.

Only whoever was asked is heard here, about what they were asked: a button's value grants nothing.

Idempotency key: the press.
"""

from __future__ import annotations

from bot import feedback
from bot.slack.layout import notices, words
from bot.slack.room import Room, follow_ups_setting
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import say
from bot.slack.unasked import nudging
from bot.slack.unasked.followups import FOLLOW_UP, FollowUp, ask_again, ask_no_more_of, question_on
from bot.sources.slack import ts_time
from store import Delivery, Verdict


def on_answer(room: Room, delivery: Delivery, decision: str, verdict: Verdict) -> str:
    """Record how it went, as the outcome of whoever was asked."""
    pressed = delivery.payload
    user = pressed["user"]
    asked = question_on(room, user, decision)
    if asked is None:
        return _not_asked(room, delivery)
    voted = feedback.vote(
        room.memory,
        asked.decision.id,
        room.person(user),
        verdict,
        reader=room.access.reader_of(user),
        occasion=delivery.key,
        at=ts_time(pressed["at"]),
        follow_up=True,
    )
    if voted is None:
        return _not_asked(room, delivery)
    _redraw(room, asked)
    return "voted"


def on_too_early(room: Room, delivery: Delivery, decision: str) -> str:
    """Ask again later."""
    asked = question_on(room, delivery.payload["user"], decision)
    if asked is None:
        return _not_asked(room, delivery)
    planned = ask_again(room, asked)
    _redraw(room, asked)
    return "asked again later" if planned else "asked often enough"


def on_undo(room: Room, delivery: Delivery, decision: str) -> str:
    """Take back what somebody said last, and ask anew in the same message."""
    pressed = delivery.payload
    user = pressed["user"]
    asked = question_on(room, user, decision)
    if asked is None:
        return _not_asked(room, delivery)
    ask_no_more_of(room, asked)
    feedback.withdraw(
        room.memory,
        asked.decision.id,
        room.person(user),
        reader=room.access.reader_of(user),
        occasion=delivery.key,
        at=ts_time(pressed["at"]),
    )
    _redraw(room, asked)
    return "taken back"


def on_stop(room: Room, delivery: Delivery) -> str:
    """Ask somebody no more how decisions went."""
    user = delivery.payload["user"]
    room.memory.set_setting(follow_ups_setting(user), "off", by=room.person(user))
    room.memory.nudges.drop_waiting(user, FOLLOW_UP)
    _redraw_all(room, user)
    return "stopped"


def on_resume(room: Room, delivery: Delivery) -> str:
    """Ask somebody again, from the next decision on."""
    user = delivery.payload["user"]
    room.memory.set_setting(follow_ups_setting(user), "on", by=room.person(user))
    _redraw_all(room, user)
    return "resumed"


def _redraw(room: Room, asked: FollowUp) -> None:
    if asked.nudge.message:
        nudging.redraw(room, asked.nudge.message)


def _redraw_all(room: Room, user: str) -> None:
    """Edit the latest message that asked somebody: earlier ones are read no more."""
    said = [one for one in room.memory.nudges.of_person(user) if one.kind == FOLLOW_UP and one.sent_at is not None]
    if said:
        nudging.redraw(room, max(said, key=lambda one: (one.sent_at, one.key)).message)


def _not_asked(room: Room, delivery: Delivery) -> str:
    say(room, delivery.payload, body_of(notices.notice(words.VOTE_GONE)))
    return "not asked"
