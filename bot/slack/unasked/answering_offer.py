"""What is answered to the offer to capture by itself: yes, or keep asking. The message that asked is edited.

Idempotency key: the press; the same answer twice changes nothing.
"""

from __future__ import annotations

from bot.slack.channel.channels import set_mode
from bot.slack.channel.trust import is_due, keep_asking_setting, record_of
from bot.slack.layout import actions as act
from bot.slack.rights import may_set_mode
from bot.slack.room import Mode, Room
from bot.slack.unasked import nudging
from bot.slack.unasked.offering import OFFER
from store import Delivery


def on_yes(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Let a channel capture by itself, on the word of somebody who may say so."""
    user, channel = delivery.payload["user"], target.channel
    if not may_set_mode(room, user, channel):
        return "not allowed"
    done = set_mode(room, delivery, channel, user, Mode.BY_ITSELF)
    _redraw(room, channel)
    return done


def on_keep_asking(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Leave a channel as it is; it isn't offered again until 20 more were kept or removed."""
    user, channel = delivery.payload["user"], target.channel
    if not may_set_mode(room, user, channel):
        return "not allowed"
    if is_due(room, channel) is not None:
        total = str(record_of(room, channel).total)
        room.memory.set_setting(keep_asking_setting(channel), total, by=room.person(user))
    _redraw(room, channel)
    return "keep asking"


def _redraw(room: Room, channel: str) -> None:
    for key in {nudge.message for nudge in room.memory.nudges.of_ref(channel) if nudge.kind == OFFER} - {""}:
        nudging.redraw(room, key)
