"""Who may do what to a decision or a channel: each right once, asked anew by whatever a press or a form leads to.

Whether somebody may act or read at all is `Access`'s; these rights rest on it, so each fails closed as that does.
"""

from __future__ import annotations

from bot.slack.client import Refused
from bot.slack.room import Room, inviter_setting
from bot.sources.slack import SOURCE, channel_id
from store import Decision


def readable(room: Room, user: str, decision: str) -> Decision | None:
    """Return a decision for somebody who may act on it; None when they can't read it.

    A guest acts on what was decided in a channel that they are in.
    """
    found = room.memory.decision(decision, room.access.reader_of(user)) if decision else None
    if found is None:
        return None
    return found if room.access.may_act(user, channel_id(found.place)) else None


def may_remove(room: Room, user: str, decision: Decision) -> bool:
    """Say whether somebody decided, or wrote in the thread: then one tap is enough."""
    named = {person.id for person in decision.decided_by} | {quote.author_id for quote in decision.evidence}
    if user in named:
        return True
    channel, _, root = decision.place.anchor.partition("/")
    if decision.place.source != SOURCE or not root:
        return False
    try:
        return any(message.get("user") == user for message in room.client.thread(channel, root))
    except Refused:
        return False


def may_set_mode(room: Room, user: str, channel: str) -> bool:
    """Say whether somebody may set a channel's mode: who invited the bot, the channel's creator, Slack's admins.

    In a closed channel they must be in it.
    """
    if not room.access.may_act(user, channel):
        return False
    raw = room.access.raw_channel(channel)
    if raw is None or raw.get("is_im"):
        return False
    if not room.access.may_read(user, channel):
        return False
    named = {room.memory.setting(inviter_setting(channel)), str(raw.get("creator") or "")}
    return user in named or room.access.is_admin(user)


def may_look_back(room: Room, user: str, channel: str) -> bool:
    """Say whether somebody may start a look back: Slack's admins and owners and those of the settings.

    They read the channel themselves.
    """
    return room.access.is_admin(user) and room.access.may_act(user, channel) and room.access.may_read(user, channel)
