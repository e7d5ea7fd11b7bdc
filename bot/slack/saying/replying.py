"""Words to one person alone: through the response_url of what they typed or pressed, else in the channel.

What was pressed in a modal is answered in it, what was pressed on Home at its top: neither has a channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from bot.slack.client import Json, Refused
from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.kit import Block, Message, divider, modal
from bot.slack.room import Room
from bot.slack.saying.posting import body_of

NOT_ALONE = frozenset({act.ACTION_SHARE, act.ACTION_ASK_TEAM})
"""Buttons of answers that only make sense where somebody alone sees one among others: not in direct messages."""
OPENED = "opened"
"""What came of a press that opened something and changed nothing."""


def not_offered(pressed: Json) -> frozenset[str]:
    """Return the buttons of an answer that make no sense where somebody pressed one of it."""
    return NOT_ALONE if pressed.get("view") else frozenset()


def answer_alone(room: Room, asked: Json, body: Json, *, thread_ts: str = "") -> None:
    """Show somebody what they asked for: where they asked, else in a direct message.

    Raises:
        Refused: Slack won't have it there either.
        Transient: Slack is away or asks for patience.
    """
    if not _say(room, asked, body, thread_ts=thread_ts):
        room.client.post(asked["user"], body)


def say(room: Room, asked: Json, body: Json) -> bool:
    """Say something to whoever acted, and leave what stands there; False where Slack won't have it."""
    return _say(room, asked, body)


def say_instead(room: Room, asked: Json, body: Json) -> bool:
    """Put something in the place of what somebody pressed a button of, where they alone see it; False as above."""
    return _say(room, asked, body, replace=True)


def whisper(room: Room, channel: str, user: str, body: Json, *, thread_ts: str = "") -> bool:
    """Show one person something that is no part of what they asked for; False where Slack won't have it there."""
    try:
        room.client.ephemeral(channel, user, body, thread_ts=thread_ts)
    except Refused:
        return False
    return True


def _say(room: Room, asked: Json, body: Json, *, replace: bool = False, thread_ts: str = "") -> bool:
    if asked.get("response_url"):
        try:
            room.client.respond(asked["response_url"], body, replace=replace)
        except Refused:  # it takes five answers within thirty minutes
            pass
        else:
            return True
    if asked.get("view"):
        if replace:
            return show_in_view(room, asked["view"], body["blocks"])
        return _note_in_view(room, asked, body["blocks"])
    if asked.get("home"):
        room.told.put(asked["user"], tuple(body["blocks"]))
        return True
    return bool(asked["channel"]) and whisper(room, asked["channel"], asked["user"], body, thread_ts=thread_ts)


def open_form(room: Room, pressed: Json, form: Json) -> str:
    """Open a form over what somebody pressed, and remember where that was: what is submitted doesn't say."""
    open_over(room, pressed, form)
    return OPENED


def open_over(room: Room, pressed: Json, form: Json) -> str:
    """Open a view over what somebody pressed, over a modal as well, and return its id.

    A form carries the channel with it, so that whoever submits it is answered there after a restart too.
    """
    if form.get("callback_id"):
        form = {**form, "private_metadata": act.over(form.get("private_metadata", ""), pressed["channel"])}
    lay = room.client.push_view if pressed.get("view") else room.client.open_view
    view = lay(pressed["trigger"], form)
    below = room.pressed.get(pressed.get("view", "")) or {}
    room.pressed.put(
        view,
        {
            **{name: pressed[name] for name in ("user", "channel", "response_url")},
            "view": pressed.get("view", ""),
            "home": bool(pressed.get("home") or below.get("home")),
        },
    )
    return view


def show_in_view(room: Room, view: str, blocks: Sequence[Block], *, title: str = "") -> bool:
    """Fill an open modal; False where it was closed meanwhile. Without a title it keeps the one that it has."""
    standing = room.shown.get(view)
    kept = str(standing["title"]["text"]) if standing else words.TITLE_NOTE
    shown = modal(title or kept, blocks)
    room.shown.put(view, shown)
    return _updated(room, view, shown)


def _note_in_view(room: Room, asked: Json, blocks: Sequence[Block]) -> bool:
    """Say something at the top of a modal, until it is filled anew; over it, where it isn't known what stands in it."""
    standing = room.shown.get(asked["view"])
    if standing is not None:
        noted = modal(standing["title"]["text"], [*blocks, divider(), *standing["blocks"]])
        return _updated(room, asked["view"], noted)
    note = modal(words.TITLE_NOTE, blocks)
    if not asked.get("trigger"):
        return _updated(room, asked["view"], note)
    try:
        room.client.push_view(asked["trigger"], note)
    except Refused:
        return False
    return True


def _updated(room: Room, view: str, shown: Block) -> bool:
    try:
        room.client.update_view(view, shown)
    except Refused:
        return False
    return True


def say_after_form(room: Room, submitted: Json, told: Message) -> None:
    """Say something to whoever submitted a form, where they had opened it; after a restart, in its channel."""
    pressed = room.pressed.pop(submitted["view"]["id"])
    if pressed is not None:
        say(room, pressed, body_of(told))
    elif (target := act.decode(submitted["view"]["private_metadata"])) is not None and target.channel:
        with suppress(Refused):  # neither in that channel nor in a direct message
            answer_alone(room, {"user": submitted["user"], "channel": target.channel}, body_of(told))
