"""What other systems report of a decision, put before one who decided it: their press records it, or drops it.

Whose decider isn't here, since it comes from another system, is put before the admins who read it. A button's value
grants nothing: only what is offered to whoever pressed is answered.

Idempotency key: the press.
"""

from __future__ import annotations

from bot import feedback
from bot.outcomes import UNRELATED
from bot.proposing import Offered, is_asked_of, offered, reopen, settle
from bot.slack.layout import actions as act
from bot.slack.layout import notices, words
from bot.slack.layout.kit import button, message, section
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import Mrkdwn, bold, inert, join
from bot.slack.recording.following import close_converted
from bot.slack.room import Room
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import say
from bot.sources.slack import SOURCE, ts_time
from store import Delivery, Verdict

TITLE_WORDS = 24


def asked_what_came(room: Room, user: str) -> tuple[Offered, ...]:
    """Return what waits for somebody's word, the latest report first."""
    reader, person = room.access.reader_of(user), room.person(user)
    every = offered(room.memory, room.memory.beside.occurrences, reader)
    theirs = [one for one in every if is_asked_of(one, person)]
    others = [one for one in every if one.decision.place.source != SOURCE and one not in theirs]
    return (*theirs, *(others if others and room.access.is_admin(user) else ()))


def place_of(offer: Offered) -> str:
    """Return the place of a report, as a button carries it."""
    return f"{offer.proposal.place.source}:{offer.proposal.place.anchor}"


def on_answer(room: Room, delivery: Delivery, target: act.Target, verdict: Verdict | None) -> str:
    """Record what came of it, or that the report has nothing to do with it; say so where it was pressed."""
    pressed = delivery.payload
    user = pressed["user"]
    asked = _asked(room, user, target)
    if asked is not None and close_converted(room, (asked.decision,)):
        asked = _asked(room, user, target)
    if asked is None:
        say(room, pressed, body_of(notices.notice(words.VOTE_GONE)))
        return "not asked"
    settle(
        room.memory,
        room.memory.beside.occurrences,
        (asked,),
        verdict,
        by=room.person(user),
        reader=room.access.reader_of(user),
        occasion=delivery.key,
        at=ts_time(pressed["at"]),
    )
    noted = words.VOTE_COUNTED[verdict] if verdict else words.CAME_NOT_NOTED
    told = join(" ", (bold(Mrkdwn(noted)), inert(to_words(asked.decision.title, TITLE_WORDS))))
    back = button(words.UNDO, act.ACTION_CAME_UNDO, act.encode(decision=asked.proposal.decision, other=place_of(asked)))
    say(room, pressed, body_of(message([section(told, accessory=back)])))
    return "voted" if verdict else "unrelated"


def on_undo(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Take back what somebody said, and ask anew."""
    pressed = delivery.payload
    user = pressed["user"]
    source, _, anchor = target.other.partition(":")
    answer = reopen(room.memory.beside.occurrences, target.decision, source, anchor, by=user)
    if answer is None:
        say(room, pressed, body_of(notices.notice(words.VOTE_GONE)))
        return "not theirs"
    reader, at, me = room.access.reader_of(user), ts_time(pressed["at"]), room.person(user)
    for worded in room.memory.wordings(target.decision) if answer != UNRELATED else ():
        feedback.withdraw(room.memory, worded, me, reader=reader, occasion=delivery.key, at=at)
    return "taken back"


def _asked(room: Room, user: str, target: act.Target) -> Offered | None:
    """Return what a button is about, as it is offered to whoever pressed it; None where it isn't."""
    every = asked_what_came(room, user)
    return next(
        (one for one in every if one.proposal.decision == target.decision and place_of(one) == target.other), None
    )
