"""The trust ladder's last step, offered: after 20 captures of which people kept 18, capture by itself?

Offered to one who may set the channel's mode, among the direct messages that nobody asked for, and in the form of
the channel's settings; never in the channel. "Keep asking" is the last word on it until 20 more were kept or removed.

Idempotency key: the channel and how many captures it had when the last word was said.
"""

from __future__ import annotations

from bot.slack.channel.channel_form import MODES
from bot.slack.channel.introducing import FIRST
from bot.slack.channel.trust import is_due, keep_asking_setting
from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.kit import actions, button, section
from bot.slack.layout.text import Mrkdwn, bold, inert, join
from bot.slack.rights import may_set_mode
from bot.slack.room import Room, inviter_setting
from bot.slack.unasked.how_it_went import Part
from store import Delivery, Nudge

OFFER = "offer"
"""The kind of nudge; its `ref` is the channel."""
KIND_OFFERS = "offers"
"""The daily row."""


def plan_offers(room: Room, _delivery: Delivery) -> str:
    """Look at each channel that the bot was added to."""
    channels = {post.channel for post in room.memory.posts.of_kind(FIRST)}
    return f"{sum(consider(room, channel) for channel in sorted(channels))} planned"


def consider(room: Room, channel: str) -> bool:
    """Plan to offer it, if it is due and somebody is there to be asked; False where it isn't or was planned before."""
    if is_due(room, channel) is None:
        return False
    asked = next((one for one in _candidates(room, channel) if may_set_mode(room, one, channel)), "")
    said_at = room.memory.setting(keep_asking_setting(channel), "0")
    key = f"{OFFER}:{channel}:{said_at}"
    return bool(asked) and room.memory.nudges.plan(key, person=asked, kind=OFFER, ref=channel, due_at=room.clock())


def _candidates(room: Room, channel: str) -> tuple[str, ...]:
    """Return who is asked first: whoever invited the bot, else whoever made the channel."""
    raw = room.access.raw_channel(channel) or {}
    return room.memory.setting(inviter_setting(channel)), str(raw.get("creator") or "")


def tell(room: Room, nudge: Nudge, *, sending: bool, alone: bool) -> Part | None:
    """Word the offer as it stands now, or what came of it; None where it must not be made any more."""
    channel = nudge.ref
    known, record = room.access.channel(channel), is_due(room, channel)
    if known is None or not may_set_mode(room, nudge.person, channel) or (sending and record is None):
        return None
    name = inert(known.label)
    if record is None:
        now = bold(Mrkdwn(MODES[room.mode(channel)]))
        return Part(blocks=[section(join(" ", (Mrkdwn(words.OFFER_NOW.format(channel=name)), now)))])
    value = act.encode(channel=channel)
    row = (
        button(words.OFFER_YES, act.ACTION_OFFER_YES, value, said=words.OFFER_YES_SAID),
        button(words.OFFER_KEEP, act.ACTION_OFFER_KEEP, value),
    )
    offer = words.OFFER.format(channel=name, kept=record.kept, count=record.counted)
    return Part(blocks=[section(Mrkdwn(offer)), actions(row)])
