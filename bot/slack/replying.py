"""Words to one person alone: through the response_url of what they typed or pressed, else in the channel."""

from __future__ import annotations

from bot.slack import actions as act
from bot.slack.client import Json, Refused
from bot.slack.room import Room

NOT_OFFERED = frozenset({act.ACTION_ASK_TEAM, act.ACTION_TELL_ME})
"""Buttons of answers that nothing is behind yet."""


def say(room: Room, asked: Json, body: Json) -> None:
    """Say something to whoever acted, and leave what stands there."""
    _say(room, asked, body, replace=False)


def say_instead(room: Room, asked: Json, body: Json) -> None:
    """Put something in the place of what somebody pressed a button of, where they alone see it."""
    _say(room, asked, body, replace=True)


def whisper(room: Room, channel: str, user: str, body: Json, *, thread_ts: str = "") -> bool:
    """Show one person something that is no part of what they asked for; False where Slack won't have it there."""
    try:
        room.client.ephemeral(channel, user, body, thread_ts=thread_ts)
    except Refused:
        return False
    return True


def _say(room: Room, asked: Json, body: Json, *, replace: bool) -> None:
    if asked["response_url"]:
        try:
            room.client.respond(asked["response_url"], body, replace=replace)
        except Refused:
            if not asked["channel"]:
                raise
        else:
            return
    if asked["channel"]:
        room.client.ephemeral(asked["channel"], asked["user"], body)
