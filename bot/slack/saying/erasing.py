"""Taking back the words of an answer that rested on something that was erased."""

from __future__ import annotations

from bot.slack.client import Refused
from bot.slack.layout import notices, words
from bot.slack.room import Room
from bot.slack.saying.posting import body_of


def overwrite(room: Room, channel: str, ts: str) -> None:
    """Put a line in place of an answer whose words are gone."""
    try:
        room.client.update(channel, ts, body_of(notices.notice(words.WORDS_GONE)))
    except Refused:
        return  # the post is gone already, or the bot has left: nothing more to take back
