"""An admin erases all that was said in a channel, from Home.

Idempotency key: the press; erasing twice is erasing once.
"""

from __future__ import annotations

from contextlib import suppress

from bot.errors import WrongInput
from bot.forget import forget_channel
from bot.jobs import FOLLOWS
from bot.slack.home.homing import show_home
from bot.slack.layout import notices, words
from bot.slack.room import Room
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import say
from store import Delivery

KIND_ERASE_CHANNEL = "erase channel"


def erase_channel(room: Room, delivery: Delivery, channel: str) -> str:
    """Plan that a channel is erased, where whoever asks is an admin who can read it: it may hold very much."""
    user = delivery.payload["user"]
    if not _may(room, user, channel):
        return "not allowed"
    payload = {"user": user, "erased": channel}  # under the name of where a press was made, it would erase itself
    room.memory.inbox.insert(f"erase channel:{delivery.key}", KIND_ERASE_CHANNEL, payload, priority=FOLLOWS)
    say(room, delivery.payload, body_of(notices.notice(words.CHANNEL_ERASING)))
    return "planned"


def on_erase_channel(room: Room, delivery: Delivery) -> str:
    """Erase a channel on an admin's word, who is one still; what the bot posted of it is taken back after that."""
    user, channel = delivery.payload["user"], delivery.payload["erased"]
    if not _may(room, user, channel):
        return "not allowed any more"
    erased = 0
    with suppress(WrongInput):  # it was erased by an earlier try
        erased = forget_channel(room.memory, channel).decisions
    room.told.put(user, tuple(notices.notice(words.CHANNEL_ERASED).blocks))
    show_home(room, user)
    return f"erased {erased} decisions"


def _may(room: Room, user: str, channel: str) -> bool:
    return bool(channel) and room.access.is_admin(user) and room.access.may_read(user, channel)
