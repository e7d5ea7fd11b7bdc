"""Words to one person alone: through the response_url of what they typed or pressed, else in the channel."""

from __future__ import annotations

from bot.slack import actions as act
from bot.slack.client import Json, Refused
from bot.slack.room import Room

NOT_OFFERED = frozenset({act.ACTION_TELL_ME})
"""Buttons of answers that nothing is behind yet."""


def answer_alone(room: Room, asked: Json, body: Json, *, replace: bool = False) -> None:
    """Show somebody what they asked for: where they asked, else in the channel.

    Raises:
        Refused: Slack won't have it in either place.
        Transient: Slack is away or asks for patience.
    """
    if asked["response_url"]:
        try:
            room.client.respond(asked["response_url"], body, replace=replace)
        except Refused:  # it takes five answers within thirty minutes
            if not asked["channel"]:
                raise
        else:
            return
    if asked["channel"]:
        room.client.ephemeral(asked["channel"], asked["user"], body)


def say(room: Room, asked: Json, body: Json) -> bool:
    """Say something to whoever acted, and leave what stands there; False where Slack won't have it."""
    return _say(room, asked, body, replace=False)


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


def _say(room: Room, asked: Json, body: Json, *, replace: bool) -> bool:
    """What was done stands whether or not its doer can be told."""
    try:
        answer_alone(room, asked, body, replace=replace)
    except Refused:
        return False
    return True
