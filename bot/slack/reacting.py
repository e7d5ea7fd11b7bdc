"""What each reaction means: a thumb votes, 🙈 leaves a thread out, ❌ removes, any other that is listened to records.

Idempotency key: that of what it does.
"""

from __future__ import annotations

from bot.slack.answering.voting import THUMBS, vote_by_emoji
from bot.slack.recording.pointing import leave_out, record_thread
from bot.slack.recording.removing import remove_by_cross
from bot.slack.room import Room
from store import Delivery

CROSS = "x"
LEAVE_OUT = "see_no_evil"


def on_reaction(room: Room, delivery: Delivery) -> str:
    """Work off a reaction: capture, vote, ❌ or 🙈."""
    given = delivery.payload
    emoji, channel, ts, user = given["emoji"], given["channel"], given["ts"], given["user"]
    if emoji in THUMBS:
        return vote_by_emoji(room, delivery)
    if emoji == LEAVE_OUT:
        return leave_out(room, channel, ts, user, given["added"])
    if not given["added"]:
        return "taken back"
    if emoji == CROSS:
        return remove_by_cross(room, channel, ts, user)
    return record_thread(room, channel, ts, user, attempt=delivery.attempt)
