"""What is kept of Slack is compared with Slack each night, and what is gone there is erased here.

A deleted message and words edited away usually come as news; this finds what came while nobody listened, and what a
retention policy of Slack took. `BACKSTORY_KEEP_DAYS` does the same for a policy that Slack doesn't know.

Threads are looked at in the order in which they were last looked at, a few a minute: history and replies take fifty
calls a minute (Slack's tier 3), of which captures keep more than half. Each thread is noted when it is done, so a
night that is cut short goes on where it stopped.

Idempotency key: the night and the chunk; erasing twice is erasing once.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from bot.jobs import FOLLOWS
from bot.slack.channel.introducing import FIRST
from bot.slack.client import THREAD_GONE, THREAD_MAX, Json, Refused
from bot.slack.recording.following import erase_edited, erase_turn
from bot.slack.room import Room, inviter_setting
from bot.sources.slack import SOURCE
from store import NEVER_FOUND, Delivery

KIND_RECHECK = "recheck"
KIND_RECHECK_CHUNK = "recheck chunk"

CHUNK = 20
"""Threads a minute: a call each, a second one for each quoted message that is missing or was edited."""
PAUSE = timedelta(seconds=60)
CHUNKS = 480
"""Chunks a night: eight hours, 9,600 threads; more than that are looked at in turn, over several nights."""
MISSING = timedelta(days=30)
"""How long Slack must not find a channel that the bot was in until its messages count as gone: it may only have been
removed. Until then, and after, nobody can read them here. What was imported from where it never was stays."""


def start_recheck(room: Room, delivery: Delivery) -> str:
    """Begin a night's comparison."""
    held = room.memory.threads_quoted(SOURCE)
    room.memory.rechecks.keep_only(held)
    _next(room, delivery.key, room.clock(), 0, delivery.received_at)
    return f"{len(held)} threads"


def recheck_chunk(room: Room, delivery: Delivery) -> str:
    """Compare the next threads of a night, and erase what has become too old to keep."""
    night, number = delivery.payload["night"], int(delivery.payload["number"])
    began = datetime.fromisoformat(delivery.payload["began"])
    expired = expire(room)
    anchors = room.memory.rechecks.oldest(room.memory.threads_quoted(SOURCE), before=began, limit=CHUNK)
    erased = 0
    for anchor in anchors:
        erased += _compare(room, anchor)
        room.memory.rechecks.checked(anchor, room.clock())
    if (anchors or expired) and number + 1 < CHUNKS:
        _next(room, night, began, number + 1, room.clock() + PAUSE)
    return f"{len(anchors)} threads, {erased} messages gone, {expired} too old"


def _next(room: Room, night: str, began: datetime, number: int, due_at: datetime) -> None:
    payload = {"night": night, "began": began.isoformat(), "number": number}
    key = f"{night}:{number}"
    room.memory.inbox.insert(key, KIND_RECHECK_CHUNK, payload, priority=FOLLOWS, due_at=due_at)


def expire(room: Room) -> int:
    """Erase the oldest messages that a retention policy has no more, a chunk at most; returns how many."""
    days = room.settings.keep_days
    if not days:
        return 0
    oldest = f"{int((room.clock() - timedelta(days=days)).timestamp())}.000000"
    gone = room.memory.turns_before(SOURCE, oldest, limit=CHUNK)
    for anchor, turn in gone:
        _erase(room, anchor, turn)
    return len(gone)


def _compare(room: Room, anchor: str) -> int:
    """Compare one thread with Slack; returns how many of its quoted messages were erased."""
    channel, _, root = anchor.partition("/")
    turns = room.memory.turns_quoted(SOURCE, anchor)
    try:
        messages = room.client.thread(channel, root)
    except Refused as refused:
        if refused.code == "channel_not_found" and _is_gone(room, channel):
            return sum(_erase(room, anchor, turn) for turn in turns)
        if refused.code not in THREAD_GONE:
            return 0  # archived, or the bot isn't inside: nobody can look, so what is kept stays
        messages = []
    room.memory.rechecks.found(channel)
    there = {str(message.get("ts")): message for message in messages[:THREAD_MAX]}
    return sum(_mend(room, anchor, turn, there.get(turn.partition("/")[2])) for turn in turns)


def _is_gone(room: Room, channel: str) -> bool:
    """Say whether a channel that Slack doesn't find counts as gone: it was deleted, or isn't found for a month."""
    since = room.memory.rechecks.missed(channel, room.clock())
    was_inside = bool(room.memory.setting(inviter_setting(channel)) or room.memory.posts.of_kind(FIRST, channel))
    return since == NEVER_FOUND or (was_inside and room.clock() - since >= MISSING)


def _mend(room: Room, anchor: str, turn: str, message: Json | None) -> int:
    """Erase of one message what Slack has no more; returns 1 if anything was erased."""
    channel, _, ts = turn.partition("/")
    if message is None:
        try:
            message = room.client.message(channel, ts)
        except Refused:
            return 0  # nobody can know
    if message is None or message.get("subtype") == "tombstone":
        return _erase(room, anchor, turn)
    if not message.get("edited"):
        return 0
    text = str(message.get("text") or "")
    with suppress(Refused):
        return int("erased" in erase_edited(room, channel, ts, anchor.partition("/")[2], text=text))
    return 1


def _erase(room: Room, anchor: str, turn: str) -> int:
    channel, _, ts = turn.partition("/")
    with suppress(Refused):  # the card can't be edited there any more; the words are gone before that is tried
        erase_turn(room, channel, ts, anchor.partition("/")[2])
    return 1
