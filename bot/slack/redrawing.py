"""Taking back what the bot posted of something that was erased, each kind of post in its way.

Idempotency key: the post's; an edit is the same twice.
"""

from __future__ import annotations

from bot.slack.channel import lookback_list
from bot.slack.recording import carding
from bot.slack.recording.carding import card_key
from bot.slack.room import Room
from bot.slack.saying.erasing import overwrite
from bot.slack.saying.posting import ALONE
from bot.slack.unasked import digesting, nudging
from store import Delivery


def on_erased(room: Room, delivery: Delivery) -> str:
    """Draw a post anew without what is gone: a card, a digest, a question; an answer loses its words."""
    post = room.memory.posts.by_key(delivery.payload["post"])
    if post is None or post.ts in ("", ALONE):
        return "nothing to take back"
    if post.key == card_key(post.ref):
        return carding.redraw(room, post)
    if post.kind == carding.PAIRS:
        return carding.redraw_note(room, post)
    if post.kind == nudging.KIND_NUDGE and nudging.redraw(room, post.key):
        return "question edited"
    if post.kind == digesting.KIND_DIGEST and digesting.redraw(room, post):
        return "digest edited"
    if post.kind == lookback_list.LOOK_BACK:
        return lookback_list.show_list(room, post.ref)
    overwrite(room, post.channel, post.ts)
    return "overwritten"
