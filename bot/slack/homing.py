"""Home and what opens from it or from ⋯: recent decisions, one's own questions, what is kept of one's messages.

Idempotency key: none is needed; a view is only shown.
"""

from __future__ import annotations

from bot.ports import Answer
from bot.slack import modals
from bot.slack.asking import ask
from bot.slack.client import Refused
from bot.slack.details import details_view
from bot.slack.following import close_converted, erase_turn
from bot.slack.home import QUESTIONS_MAX, RECENT_MAX, home_view
from bot.slack.kit import Block
from bot.slack.posting import ALONE
from bot.slack.reopened import reopened_for
from bot.slack.replying import OPENED, open_over
from bot.slack.room import Room
from store import Decision, Delivery, Quote, Reader, State

KIND_DETAILS = "details"
MINE_LOOKED_AT = 500
"""Latest decisions in which somebody's own messages are looked for."""


def on_home(room: Room, delivery: Delivery) -> str:
    """Show somebody's Home."""
    return show_home(room, delivery.payload["user"])


def show_home(room: Room, user: str) -> str:
    """Publish somebody's Home from what they may read."""
    if not room.access.may_act(user) and not room.access.reader_of(user).scopes:
        return "not allowed"
    reader = room.access.reader_of(user)
    recent = room.memory.decisions(reader, state=State.CURRENT, limit=RECENT_MAX)
    mine = _mine(room.memory.decisions(reader, limit=MINE_LOOKED_AT), user)
    asked = room.memory.sessions.of_asker(user, limit=QUESTIONS_MAX)
    try:
        room.client.publish_home(user, home_view(recent=recent, questions=asked, mine=mine, kept=len(mine)))
    except Refused as refused:
        return f"no home: {refused.code}"
    return "shown"


def _mine(decisions: tuple[Decision, ...], user: str) -> tuple[Quote, ...]:
    quotes = (quote for decision in decisions for quote in decision.evidence)
    return tuple({quote.turn_id: quote for quote in quotes if quote.author_id == user and quote.quote}.values())


def open_details(room: Room, delivery: Delivery, session: str) -> str:
    """Open what stands behind an answer; a row of its own fills the modal in."""
    pressed = delivery.payload
    view = open_over(room, pressed, modals.details_waiting())
    payload = {"user": pressed["user"], "channel": pressed["channel"], "session": session, "view": view}
    room.memory.inbox.insert(f"details:{view}", KIND_DETAILS, payload, priority=delivery.priority + 1)
    return OPENED


def on_details(room: Room, delivery: Delivery) -> str:
    """Fill an open modal with what an answer rests on, for whoever pressed."""
    asked = delivery.payload
    answer = answer_for(room, asked["user"], asked["channel"], asked["session"])
    if answer is None:
        return _filled(room, asked["view"], modals.details_none())
    reader = room.access.reader_of(asked["user"])
    main = room.memory.decision(answer.main, reader) if answer.main else None
    votes = room.memory.votes(main.id, reader) if main else ()
    view = details_view(answer, history=history_behind(room, main, reader) if main else (), votes=votes)
    return _filled(room, asked["view"], view)


def history_behind(room: Room, main: Decision, reader: Reader) -> tuple[Decision, ...]:
    """Return what else was decided on the same things, each once, of what the reader may read now."""

    def read() -> tuple[Decision, ...]:
        history = [one for name in main.elements for one in room.memory.history(name, reader)]
        return tuple({one.id: one for one in history}.values())

    found = read()
    return read() if close_converted(room, found) else found


def _filled(room: Room, view: str, shown: Block) -> str:
    try:
        room.client.update_view(view, shown)
    except Refused:
        return "closed meanwhile"
    return "shown"


def answer_for(room: Room, user: str, channel: str, session: str) -> Answer | None:
    """Return one's own answer, or one posted where one reads, as it may be seen now; asked anew if it is gone."""
    kept = room.memory.sessions.get(session)
    if kept is None or not room.access.may_use_home(user):
        return None
    shared = any(post.channel == channel and post.ts not in ("", ALONE) for post in room.memory.posts.for_ref(session))
    if kept.asker_id != user and not (
        shared and room.access.may_act(user, channel) and room.access.may_read(user, channel)
    ):
        return None
    return reopened_for(room, kept, user) or ask(room, kept.question, room.access.reader_of(user), user)


def take_out(room: Room, delivery: Delivery, turn: str) -> str:
    """Erase one message's text on its author's or an admin's word."""
    user = delivery.payload["user"]
    decisions = room.memory.decisions(room.access.reader_of(user), limit=MINE_LOOKED_AT)
    quoting = [one for one in decisions if any(quote.turn_id == turn for quote in one.evidence)]
    mine = any(quote.turn_id == turn for quote in _mine(tuple(quoting), user))
    channel, _, ts = turn.partition("/")
    if not ts or not (mine or room.access.is_admin(user)):
        return "not allowed"
    roots = {one.place.anchor.partition("/")[2] for one in quoting if one.place.anchor.startswith(f"{channel}/")}
    done = "; ".join(erase_turn(room, channel, ts, root) for root in sorted(roots) or (ts,))
    show_home(room, user)
    return done
