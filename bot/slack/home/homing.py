"""Home, published for one person, and what opens behind an answer.

Idempotency key: none is needed; a view is only shown.
"""

from __future__ import annotations

from bot.ports import Answer
from bot.slack.answering.asking import ask
from bot.slack.answering.reopened import reopened_for
from bot.slack.client import Refused
from bot.slack.home.gathering import gather
from bot.slack.home.view import closed_view, home_view
from bot.slack.layout import modals
from bot.slack.layout.details import details_view
from bot.slack.layout.kit import Block
from bot.slack.recording.following import close_converted
from bot.slack.room import Room
from bot.slack.saying.posting import ALONE
from bot.slack.saying.replying import OPENED, open_over
from store import Decision, Delivery, Reader

KIND_DETAILS = "details"


def on_home(room: Room, delivery: Delivery) -> str:
    """Show somebody's Home."""
    return show_home(room, delivery.payload["user"])


def show_home(room: Room, user: str) -> str:
    """Publish somebody's Home from what they may read."""
    who = room.access.who(user)
    if who is None or not who.here:
        return "not allowed"
    view = home_view(gather(room, user)) if room.access.may_use_home(user) else closed_view()
    try:
        room.client.publish_home(user, view)
    except Refused as refused:
        return f"no home: {refused.code}"
    return "shown"


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
    if kept is None or not kept.question or not room.access.may_use_home(user):
        return None
    shared = any(post.channel == channel and post.ts not in ("", ALONE) for post in room.memory.posts.for_ref(session))
    if kept.asker_id != user and not (
        shared and room.access.may_act(user, channel) and room.access.may_read(user, channel)
    ):
        return None
    return reopened_for(room, kept, user) or ask(room, kept.question, room.access.reader_of(user), user)
