"""A thread of Slack as the memory reads it: fetched whole, under a lock, with names and addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from bot.slack.client import Refused
from bot.slack.room import Room
from bot.sources.slack import SlackPerson, plain_text, thread_from_messages
from store import Thread

PERMALINKS_MAX = 40
"""Addresses asked for of one thread, at its two ends: a call each."""

_NAMED = re.compile(r"<@([A-Z0-9]+)")


@contextmanager
def fetched(
    room: Room, channel: str, ts: str, *, worth: Callable[[Thread], bool] = lambda _thread: True
) -> Iterator[Thread | None]:
    """Hold the thread in which a message stands while it is worked on; None where nobody said anything.

    Whoever redacts one of its messages holds the same lock, so what was deleted is not recorded afterwards.

    Args:
        room: the parts.
        channel: where.
        ts: of any message of the thread.
        worth: whether its messages' addresses are asked for, a call each; those that aren't worth it have none.

    Raises:
        Refused: the bot can't read there.
        Transient: Slack is away or asks for patience.
    """
    root = ts
    while True:
        with room.locks.of(f"{channel}/{root}"):
            messages = room.client.thread(channel, root)
            found = str((messages[0].get("thread_ts") if messages else None) or root)
            if found == root:
                yield thread_of(room, channel, root, messages, worth=worth)
                return
        root = found


def thread_of(
    room: Room,
    channel: str,
    root: str,
    messages: Sequence[Mapping[str, Any]],
    *,
    worth: Callable[[Thread], bool] = lambda _thread: True,
) -> Thread | None:
    """Return the thread that these messages are; None where nobody said anything. `worth` and raises as `fetched`."""
    known = room.access.channel(channel)
    if known is None:
        raise Refused("conversations.info", "channel_not_found")
    room.access.inside(channel)
    people = _people(room, messages)
    read = partial(thread_from_messages, messages, channel=known, thread_ts=root, people=people, leave_out=room.bot.ids)
    thread = read()
    if thread is None or not worth(thread):
        return thread
    links = {
        str(message["ts"]): room.client.permalink(channel, str(message["ts"]))
        for message in _ends(messages)
        if message.get("ts")
    }
    return read(permalinks={ts: link for ts, link in links.items() if link})


def as_seen(room: Room, text: str) -> str:
    """Return what somebody typed to the bot as they see it: names for ids, no entities, and not the bot's own name."""
    own = re.compile(rf"\s*<@{re.escape(room.bot.user)}(?:\|[^>]*)?>\s*")
    bare = own.sub(" ", text)
    return plain_text(bare, _people(room, [{"text": bare}]))


def _ends(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    if len(messages) <= PERMALINKS_MAX:
        return messages
    return (*messages[: PERMALINKS_MAX // 2], *messages[-PERMALINKS_MAX // 2 :])


def _people(room: Room, messages: Sequence[Mapping[str, Any]]) -> dict[str, SlackPerson]:
    named = {str(message.get("user") or "") for message in messages}
    named |= {user for message in messages for user in _NAMED.findall(str(message.get("text") or ""))}
    found = ((user, room.access.who(user)) for user in sorted(named - {""}))
    return {user: who.person for user, who in found if who is not None}
