"""The noise budget of channels, in one place: what nobody asked for is said through `post_unasked` or not at all.

At most one unasked message a thread and three a channel and day, nothing where capture is off. What finds no
room is kept back: Home lists it anyway, the digest names it. Each unasked message is noted apart from the post
itself, so that one that was deleted since still counts.

Idempotency key: the post's own key.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from bot.slack.room import Mode, Room
from bot.slack.saying.posting import Words, note_said, post_once
from store import Post

A_DAY = 3
"""Unasked messages of a channel within 24 hours (PEOPLE.md, "Noise budget")."""
ASKS_A_DAY = 3
"""How often within 24 hours one person is asked, alone, whether they decided; Home lists the rest."""
ASK = "ask"
"""The kind of the notes on whom that was asked."""
SAID, KEPT_BACK = "said unasked", "kept back"
"""Kinds of the notes on what was said and on what was not."""

RETRIED = timedelta(minutes=10)
"""How long after it was noted a message that was never planned is tried again: a process died in between."""
DRAWN_ANEW = frozenset({"nudge", "digest", "look back"})
"""Kinds of posts that gather several decisions and are drawn anew when one is erased."""

_DAY = timedelta(days=1)


def post_unasked(room: Room, *, key: str, kind: str, channel: str, thread_ts: str, make: Callable[[], Words]) -> str:
    """Post what nobody asked for, if there is room for it; returns its `ts`, or "" where it is kept back.

    Args:
        room: the parts.
        key: the post's own.
        kind: the post's own.
        channel: where.
        thread_ts: the thread's root; "" for a message of the channel, which no thread counts.
        make: words it; called for what is kept back too, for the decisions that it would have shown.

    Raises:
        Transient: Slack is away or asks for patience; call again.
        Refused: Slack won't have it there.
    """
    with room.locks.of(f"unasked/{channel}"):
        if not _counts_in(room, key, channel, thread_ts):
            about = make()
            note_said(
                room, key=f"kept:{key}", kind=KEPT_BACK, channel=channel, thread_ts=thread_ts, decisions=about.decisions
            )
            return ""
    room.memory.posts.drop(f"kept:{key}")
    return post_once(room, key=key, kind=kind, channel=channel, thread_ts=thread_ts, make=make)


def may_ask(room: Room, person: str) -> bool:
    """Say whether somebody may be asked once more today whether they decided."""
    asked = room.memory.posts.of_kind(ASK, since=room.clock() - _DAY)
    return sum(post.ref == person for post in asked) < ASKS_A_DAY


def kept_back(room: Room, channel: str, since: datetime) -> tuple[Post, ...]:
    """Return the notes on what found no room in a channel and was not said since, oldest first."""
    return room.memory.posts.of_kind(KEPT_BACK, channel, since=since)


def _counts_in(room: Room, key: str, channel: str, thread_ts: str) -> bool:
    """Note that a message is said, if there is room for it; one that is being posted has it."""
    noted = f"said:{key}"
    if _is_on_its_way(room, key, room.memory.posts.by_key(noted)):
        return True
    if room.mode(channel) is Mode.OFF:
        return False
    if len(room.memory.posts.of_kind(SAID, channel, since=room.clock() - _DAY)) >= A_DAY:
        return False
    if thread_ts and room.memory.posts.of_kind(SAID, channel, thread_ts=thread_ts):
        return False
    note_said(room, key=noted, kind=SAID, channel=channel, thread_ts=thread_ts)
    return True


def _is_on_its_way(room: Room, key: str, noted: Post | None) -> bool:
    """Say whether a noted message is planned or was noted just now; one that was deleted since isn't said again."""
    if noted is None:
        return False
    return room.memory.posts.by_key(key) is not None or room.clock() - noted.planned_at < RETRIED
