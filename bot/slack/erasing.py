"""Taking back what the bot posted of something that was erased.

Idempotency key: the post's; an edit is the same twice.
"""

from __future__ import annotations

from bot.slack import notices, words
from bot.slack.carding import card_key, redraw
from bot.slack.client import Refused
from bot.slack.posting import ALONE, body_of
from bot.slack.room import Room
from store import Delivery


def on_erased(room: Room, delivery: Delivery) -> str:
    """Take back one post, as the terminal asked: a card is drawn anew, an answer loses its words."""
    post = room.memory.posts.by_key(delivery.payload["post"])
    if post is None or post.ts in ("", ALONE):
        return "nothing to take back"
    if post.key == card_key(post.ref):
        return redraw(room, post)
    overwrite(room, post.channel, post.ts)
    return "overwritten"


def overwrite(room: Room, channel: str, ts: str) -> None:
    """Put a line in place of an answer whose words are gone."""
    try:
        room.client.update(channel, ts, body_of(notices.notice(words.WORDS_GONE)))
    except Refused:
        return  # the post is gone already, or the bot has left: nothing more to take back
