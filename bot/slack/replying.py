"""Words to one person alone: through the response_url of what they typed or pressed, else in the channel."""

from __future__ import annotations

from bot.slack import actions as act
from bot.slack.client import Json, Refused
from bot.slack.kit import Message
from bot.slack.posting import body_of
from bot.slack.room import Room

NOT_OFFERED = frozenset({act.ACTION_TELL_ME})
"""Buttons of answers that nothing is behind yet."""


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
    return bool(asked["channel"]) and whisper(room, asked["channel"], asked["user"], body, thread_ts=thread_ts)


def open_form(room: Room, pressed: Json, form: Json) -> str:
    """Open a form over what somebody pressed, and remember where that was: what is submitted doesn't say."""
    view = room.client.open_view(pressed["trigger"], form)
    room.pressed.put(view, {name: pressed[name] for name in ("user", "channel", "response_url")})
    return "opened"


def say_after_form(room: Room, submitted: Json, told: Message) -> None:
    """Say something to whoever submitted a form, where they had opened it; that is forgotten with the process."""
    if (pressed := room.pressed.pop(submitted["view"]["id"])) is not None:
        say(room, pressed, body_of(told))
