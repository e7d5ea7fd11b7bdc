"""Posting once: planned with its words first, looked for before it is sent a second time.

Idempotency key: the post's own key, which goes along in the message's metadata. An answer to one person alone
can't be looked for: a crash between sending it and noting so shows it twice rather than never.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.slack.access import FRESH_S
from bot.slack.client import Json, Refused
from bot.slack.layout.kit import Message
from bot.slack.room import Room
from store import Post

OUT_OF_REACH = frozenset({"is_archived", "not_in_channel"})
"""What Slack says where a post stands as it is, until the channel is opened again or the bot is back."""
ALONE = "alone"
"""Stands for the `ts` of what one person alone saw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A message with what it is about: a session or an anchor, and the decisions that it shows."""

    message: Message
    ref: str = ""
    decisions: tuple[str, ...] = ()


def body_of(message: Message) -> Json:
    """Return what Slack takes of a message."""
    return {"text": message.text, "blocks": message.blocks}


def post_once(room: Room, *, key: str, kind: str, channel: str, thread_ts: str, make: Callable[[], Words]) -> str:
    """Post what `make` words, unless the post of this key stands already; returns its `ts`.

    Raises:
        Transient: Slack is away or asks for patience; the plan stays, call again.
        Refused: Slack won't have it there.
    """
    with room.locks.of(f"post/{key}"):
        return _posted(room, key, kind, channel, thread_ts, make)


def _posted(room: Room, key: str, kind: str, channel: str, thread_ts: str, make: Callable[[], Words]) -> str:
    held = room.memory.posts.by_key(key)
    if held is not None and held.ts:
        return held.ts
    if held is not None and (found := _found(room, held)):
        room.memory.posts.sent(key, found)
        return found
    body = _held_body(room, held) or _planned(room, key, kind, channel, thread_ts, make)
    ts = room.client.post(channel, body, thread_ts=thread_ts, key=key)
    room.memory.posts.sent(key, ts)
    return ts


def respond_once(
    room: Room, *, key: str, channel: str, make: Callable[[], Words], send: Callable[[Json], None]
) -> bool:
    """Show one person what `make` words, through `send`; False when that was done before."""
    held = room.memory.posts.by_key(key)
    if held is not None and held.ts:
        return False
    body = _held_body(room, held) or _planned(room, key, "answer", channel, "", make)
    send(body)
    room.memory.posts.sent(key, ALONE)
    return True


def edit(room: Room, post: Post, message: Message, decisions: Iterable[str]) -> bool:
    """Put other words in place of a post; False when it is gone from Slack, or nothing can be changed there now."""
    try:
        room.client.update(post.channel, post.ts, body_of(message))
    except Refused as refused:
        if refused.code in OUT_OF_REACH:
            return False
        if refused.code in ("message_not_found", "channel_not_found", "cant_update_message"):
            room.memory.posts.drop(post.key)
            return False
        raise
    room.memory.posts.shows(post.key, decisions)
    return True


def _found(room: Room, held: Post) -> str:
    """Look for a planned post that may have been sent."""
    try:
        return room.client.find_post(held.channel, held.thread_ts, held.key)
    except Refused:
        return ""


def _held_body(room: Room, held: Post | None) -> Json | None:
    """Return a plan's words while those who may read it are still believed to be the same."""
    fresh = held is not None and room.clock() - held.planned_at < timedelta(seconds=FRESH_S)
    return held.body if held is not None and fresh else None


def note_said(
    room: Room,
    *,
    key: str,
    kind: str,
    channel: str,
    ts: str = ALONE,
    thread_ts: str = "",
    ref: str = "",
    decisions: tuple[str, ...] = (),
) -> None:
    """Note among the posts what no post of its own shows: a word to one person alone, a mark on a message; once a key.

    Args:
        room: the parts.
        key: its idempotency key.
        kind: by which it is found.
        channel: where it was.
        ts: what stands for that of a post.
        thread_ts: the thread's root; "" outside threads.
        ref: what it is about: a session, an anchor, a person.
        decisions: those that it showed, by id.
    """
    room.memory.posts.plan(
        Post(
            key=key, kind=kind, channel=channel, ts=ts, thread_ts=thread_ts, ref=ref, decisions=decisions,
            body=None, planned_at=room.clock(),
        )
    )  # fmt: skip


def _planned(room: Room, key: str, kind: str, channel: str, thread_ts: str, make: Callable[[], Words]) -> Json:
    """Word a message and keep it before it is sent, so that a second try sends the same."""
    words = make()
    room.memory.posts.drop(key)
    body = body_of(words.message)
    room.memory.posts.plan(
        Post(
            key=key, kind=kind, channel=channel, ts="", thread_ts=thread_ts, ref=words.ref, decisions=words.decisions,
            body=body, planned_at=room.clock(),
        )
    )  # fmt: skip
    return body


def post_direct(room: Room, *, key: str, kind: str, person: str, make: Callable[[], Words]) -> str:
    """Send somebody what `make` words as a direct message, unless the post of this key stands; returns its `ts`.

    Slack opens the conversation by itself, so that it is known only after.

    Raises:
        Transient: Slack is away or asks for patience; the plan stays, call again.
        Refused: Slack won't have it.
    """
    with room.locks.of(f"post/{key}"):
        held = room.memory.posts.by_key(key)
        if held is not None and (found := _sent_before(room, held, person)):
            return found
        body = _held_body(room, held) or _planned(room, key, kind, person, "", make)
        channel, ts = room.client.post_to_person(person, body, key=key)
        room.memory.posts.sent(key, ts, channel=channel)
    return ts


def went_out(room: Room, key: str, person: str) -> bool:
    """Say whether a direct message of this key was sent; one that a process died over is looked for in Slack.

    Raises:
        Transient: Slack is away or asks for patience.
    """
    with room.locks.of(f"post/{key}"):
        held = room.memory.posts.by_key(key)
        return held is not None and bool(_sent_before(room, held, person))


def _sent_before(room: Room, held: Post, person: str) -> str:
    """Return the `ts` of a planned direct message that was sent, "" where it wasn't; what is found is noted."""
    if held.ts:
        return held.ts
    direct = room.client.direct_with(person)
    found = _found(room, replace(held, channel=direct)) if direct else ""
    if found:
        room.memory.posts.sent(held.key, found, channel=direct)
    return found
