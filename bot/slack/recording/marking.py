"""Marking a kept message with 🔖 where a channel chose that instead of a card: nothing is posted.

Idempotency key: the thread's anchor, under which a card would stand; Slack takes the bot's 🔖 on a message once.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from bot.slack.client import Refused
from bot.slack.room import Room
from bot.slack.saying.posting import note_said
from bot.sources.slack import SOURCE
from store import Decision, Post

EMOJI = "bookmark"
MARK, UNASKED_MARK = "mark", "unasked mark"
"""Kinds of what stands for a card; the first was asked for."""
MARKED = "marked"
"""Stands for the `ts` of a post that there is none of."""


def mark_key(channel: str, ts: str) -> str:
    """Return the key under which a marked message leads to its thread."""
    return f"mark:{channel}/{ts}"


def mark(room: Room, key: str, channel: str, anchor: str, decisions: Iterable[Decision], *, asked: bool) -> bool:
    """Put 🔖 on the deciding message of each decision of a thread; False where Slack won't have it on any.

    Args:
        room: the parts.
        key: of the thread's card, which this stands for.
        channel: where.
        anchor: the thread's.
        decisions: what was kept of it.
        asked: somebody pointed at the thread.

    Raises:
        Transient: Slack is away or asks for patience; call again.
    """
    shown = tuple(decisions)
    marked = {ts: one.id for one in shown if (ts := deciding_ts(one, channel)) and _put(room, channel, ts)}
    if not marked:
        return False
    kind = MARK if asked else UNASKED_MARK
    ids = tuple(one.id for one in shown)
    _note(room, key, kind, channel, anchor, ids)
    for ts, decision in marked.items():
        _note(room, mark_key(channel, ts), kind, channel, anchor, (decision,))
    room.memory.posts.shows(key, ids)
    return True


def unmark(room: Room, post: Post, standing: Iterable[Decision]) -> None:
    """Take 🔖 off the messages of a thread on which nothing stands any more.

    Raises:
        Transient: Slack is away or asks for patience; call again.
    """
    still = {mark_key(post.channel, deciding_ts(one, post.channel)) for one in standing}
    for each in room.memory.posts.for_ref(post.ref):
        if each.ts != MARKED or each.key == post.key or each.key in still:
            continue
        with suppress(Refused):  # it is off already, or the message is gone
            room.client.unreact(post.channel, each.key.rpartition("/")[2], EMOJI)
        room.memory.posts.drop(each.key)


def deciding_ts(decision: Decision, channel: str) -> str:
    """Return the `ts` of the first message that a decision rests on in this channel, "" where there is none."""
    turns = (quote.turn_id for quote in decision.evidence if quote.turn_id)
    here = (turn.partition("/") for turn in turns if decision.place.source == SOURCE)
    return next((ts for where, _, ts in here if where == channel), "")


def _put(room: Room, channel: str, ts: str) -> bool:
    try:
        room.client.react(channel, ts, EMOJI)
    except Refused as refused:
        return refused.code == "already_reacted"
    return True


def _note(room: Room, key: str, kind: str, channel: str, anchor: str, decisions: tuple[str, ...]) -> None:
    root = anchor.partition("/")[2]
    note_said(room, key=key, kind=kind, channel=channel, ts=MARKED, thread_ts=root, ref=anchor, decisions=decisions)
