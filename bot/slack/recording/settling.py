"""Which of two decisions stands: said on a card, in a form, or both apply; the cards of both threads follow.

Idempotency key: the pair; saying the same thing again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from bot.slack.client import Refused
from bot.slack.layout import actions as act
from bot.slack.layout import notices, words
from bot.slack.recording.carding import redraw_around
from bot.slack.recording.pairs import BOTH, TAKEN, answered, deciding_words
from bot.slack.recording.removing import CHANGED, STANDING, meanwhile
from bot.slack.recording.settle_form import BOTH as CHOSE_BOTH
from bot.slack.recording.settle_form import SIDES, contest_noted, look_view, read_settled, settle_view
from bot.slack.rights import readable
from bot.slack.room import Room
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import open_form, say
from store import Decision, Delivery, Reader, State

NOT_READABLE = "not readable"


def on_settle(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Open the choice between two: those that a button names, or those that an answer showed against each other."""
    user = delivery.payload["user"]
    named = (target.decision, target.other) if target.other else _contested(room, user, target.session)
    pair = [one for name in named if (one := readable(room, user, name))]
    if len(pair) != len(SIDES):
        return NOT_READABLE
    first, second = sorted(pair, key=lambda one: (one.day, one.id))
    return open_form(room, delivery.payload, settle_view(first, second))


def _contested(room: Room, user: str, session: str) -> tuple[str, ...]:
    """Return the two decisions that an answer showed against each other."""
    kept = room.memory.sessions.get(session)
    shown = set(kept.refs) if kept else set()
    for conflict in room.memory.conflicts(room.access.reader_of(user)):
        heads: list[Decision] = [head for head in conflict.heads if head.id in shown]
        if len(heads) > 1:
            return heads[0].id, heads[1].id
    return ()


def on_look(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Open both of a pair side by side."""
    pair = _pair(room, delivery.payload["user"], target)
    if pair is None:
        return NOT_READABLE
    return open_form(room, delivery.payload, look_view(*pair, noted=_conflict(room, *pair)))


def on_contest(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Note on somebody's word that both of a pair can't hold, with the words of each."""
    pressed = delivery.payload
    pair = _pair(room, pressed["user"], target)
    if pair is None:
        return NOT_READABLE
    newer, older = pair
    room.memory.note_conflict(
        newer.id, older.id, quotes=(deciding_words(newer), deciding_words(older)), by=room.person(pressed["user"])
    )
    answered(room, newer, older, "", pressed["user"])
    redraw_around(room, newer, older)
    if pressed.get("view"):
        try:
            room.client.update_view(pressed["view"], contest_noted(newer, older))
        except Refused:
            return "noted, closed meanwhile"
    return "noted"


def on_it_replaces(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Let the later of a pair replace the earlier, on the word of whoever pressed."""
    return _said_of_pair(room, delivery, target, replace_by, "replaced")


def on_both_stand(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Note that both of a pair stand: it is asked about no more."""
    return _said_of_pair(room, delivery, target, keep_both, "both stand")


def _said_of_pair(
    room: Room, delivery: Delivery, target: act.Target, say_so: Callable[[Room, Decision, Decision, str], None], so: str
) -> str:
    """Note what somebody says of a pair whose card they pressed, or tell them that it was settled before.

    A second tap of the same hand finds what the first did, and so does a second try of a delivery.
    """
    pressed = delivery.payload
    user = pressed["user"]
    with room.locks.of(STANDING):
        pair = _pair(room, user, target)
        if pair is None:
            return NOT_READABLE
        if delivery.attempt > 1 or all(one.state is State.CURRENT for one in pair):
            say_so(room, *pair, user)
            return so
    redraw_around(room, *pair)
    newer, older = pair
    by = room.memory.who_replaced(newer.id, older.id)
    if by is None or by.id != user:
        say(room, pressed, body_of(notices.notice(words.CHANGED_MEANWHILE)))
    return CHANGED


def on_settled(room: Room, delivery: Delivery) -> str:
    """Let the one that somebody chose of two replace the other, or both apply."""
    view, user = delivery.payload["view"], delivery.payload["user"]
    target = act.decode(view["private_metadata"])
    pair = (target.decision, target.other) if target else ("", "")
    chosen = read_settled(view, pair)
    with room.locks.of(STANDING):
        found = [one for name in pair if (one := readable(room, user, name))]
        if chosen.errors or len(found) < len(pair):
            return NOT_READABLE
        if meanwhile(room, delivery, *found):
            return CHANGED
        first, second = found
        if chosen.choice == CHOSE_BOTH:
            keep_both(room, first, second, user)
            return "both apply"
        newer, older = (first, second) if chosen.choice == first.id else (second, first)
        replace_by(room, newer, older, user)
    return "settled"


def replace_by(room: Room, newer: Decision, older: Decision, user: str) -> None:
    """Let one decision replace another on somebody's word; the cards of both say so."""
    room.memory.supersede(newer.id, older.id, by=room.person(user))
    answered(room, newer, older, TAKEN, user)
    redraw_around(room, newer, older)


def keep_both(room: Room, one: Decision, two: Decision, user: str) -> None:
    """Let two decisions both apply on somebody's word; where they were known to conflict, they don't any more."""
    if _conflict(room, one, two):
        room.memory.settle_conflict(one.id, two.id, by=room.person(user))
    answered(room, one, two, BOTH, user)
    redraw_around(room, one, two)


def _pair(room: Room, user: str, target: act.Target) -> tuple[Decision, Decision] | None:
    """Return the two decisions that a button names, for somebody who may act on both."""
    newer, older = readable(room, user, target.decision), readable(room, user, target.other)
    return (newer, older) if newer is not None and older is not None and newer.id != older.id else None


def _conflict(room: Room, one: Decision, two: Decision) -> bool:
    """Say whether the log knows that two can't both hold."""
    pair = {one.id, two.id}
    reader = Reader(sees_open=True, scopes=frozenset({one.scope.id, two.scope.id}))
    return any(pair <= {head.id for head in conflict.heads} for conflict in room.memory.conflicts(reader))
