"""First contact: posted once a channel, and edited in place whenever what it says is no longer so.

Idempotency key: the channel. What was told last is kept beside the post, by names of settings.
"""

from __future__ import annotations

from bot.slack.client import Json, Refused
from bot.slack.layout import notices, words
from bot.slack.layout.kit import Message
from bot.slack.recording.capturing import is_blocked
from bot.slack.recording.following import catch_up
from bot.slack.room import Room, inviter_setting
from bot.slack.saying.posting import Words, body_of, edit, post_once
from store import Delivery

FIRST = "first"
"""The kind of first contact among what the bot posted."""
KIND_INTRODUCTIONS = "introductions"
"""A row that is put in when the bot starts: a key may have been set or taken away meanwhile."""


def first_key(channel: str) -> str:
    """Return the key of a channel's first contact."""
    return f"first:{channel}"


def on_joined(room: Room, delivery: Delivery) -> str:
    """Introduce the bot, once a channel, and remember who invited it; leave where a setting keeps it out."""
    channel, inviter = delivery.payload["channel"], delivery.payload["inviter"]
    if inviter:
        room.memory.set_setting(inviter_setting(channel), inviter, by=room.person(inviter))
    if is_blocked(room, channel):
        return stay_out(room, channel, named=delivery.key)
    catch_up(room, delivery, channel)
    stood = room.memory.posts.by_key(first_key(channel))
    post_once(
        room,
        key=first_key(channel),
        kind=FIRST,
        channel=channel,
        thread_ts="",
        make=lambda: Words(message=_introduction(room, channel)),
    )
    if stood is None:
        room.memory.posts.note(first_key(channel), _told(room, channel))
    else:
        keep_true(room, channel)
    return "introduced"


def keep_true(room: Room, channel: str) -> bool:
    """Edit a channel's first contact to what is so now; False where there is none or it says so already.

    Raises:
        Transient: Slack is away or asks for patience.
    """
    post = room.memory.posts.by_key(first_key(channel))
    now = _told(room, channel)
    if post is None or not post.ts or post.body == now:
        return False
    try:
        stands = edit(room, post, _introduction(room, channel), ())
    except Refused:
        return False
    if stands:
        room.memory.posts.note(post.key, now)
    return stands


def on_start(room: Room, delivery: Delivery) -> str:
    """Look at each first contact anew: a model or a blocked channel may have been set while the bot was down."""
    edited = left = 0
    any_blocked = bool(room.settings.blocked_channels)  # else Slack isn't asked for a single name
    for post in room.memory.posts.of_kind(FIRST):
        if post.key != first_key(post.channel):
            continue
        if any_blocked and is_blocked(room, post.channel):
            left += _is_in(room, post.channel) and stay_out(room, post.channel, named=delivery.key) == "left"
        else:
            edited += keep_true(room, post.channel)
    return f"{edited} edited, {left} left"


def stay_out(room: Room, channel: str, *, named: str) -> str:
    """Say in a channel that a setting keeps the bot out, and leave it; where Slack won't let it, ask to be removed."""
    key = f"blocked:{channel}:{named}"
    told = Words(message=notices.notice(words.KEPT_OUT))
    post_once(room, key=key, kind=FIRST, channel=channel, thread_ts="", make=lambda: told)
    try:
        room.client.leave(channel)
    except Refused:
        post = room.memory.posts.by_key(key)
        if post is not None:
            room.client.update(channel, post.ts, body_of(notices.notice(words.KEPT_OUT_STAYS)))
        return "blocked, can't leave"
    return "left"


def _is_in(room: Room, channel: str) -> bool:
    raw = room.access.raw_channel(channel)
    return raw is not None and raw.get("is_member") is True


def _told(room: Room, channel: str) -> Json:
    """Return what a first contact depends on; it is kept beside the post."""
    return {
        "by": room.memory.setting(inviter_setting(channel)),
        "mode": room.mode(channel).value,
        "mark": room.marking(channel).value,
        "model": "yes" if room.with_claude else "no",
    }


def _introduction(room: Room, channel: str) -> Message:
    inviter = room.memory.setting(inviter_setting(channel))
    return notices.first_contact(
        room.access.name_of(inviter) if inviter else "",
        model=room.with_claude,
        mode=room.mode(channel),
        mark=room.marking(channel),
    )
