"""A made-up company's Slack: some thirty threads of nine months, as data, for the demo and for trying things out.

Days are counted back from today, so that it never grows old. In its texts `@lena` is a mention, everything else is
plain words.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

from bot.playground import messages
from bot.playground.clock import microseconds, ts_of
from bot.playground.people import Channel, Member, Workspace
from bot.playground.playground import Playground

_HANDLE = re.compile(r"@([a-z]+)")
_BOT = "backstory"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleThread:
    """One thread as it stands in the playground.

    `pointed_by` is who would react to it with 🔖 ("" nobody), `replaces` the key of a thread whose decision this one
    replaces, as that person knows ("" none).
    """

    key: str
    channel: str
    ts: str
    pointed_by: str
    replaces: str


def sample_workspace() -> Workspace:
    """Return the company's people and channels, with the bot in those that it was invited to."""
    about = json.loads((files(__name__) / "workspace.json").read_text("utf-8"))
    members = tuple(Member(**member) for member in about["members"])
    ids = {member.name: member.id for member in members} | {_BOT: Workspace(members=(), channels=()).bot_user_id}
    channels = tuple(_channel(row, about["everyone"], ids) for row in about["channels"])
    return Workspace(members=members, channels=channels, name=about["name"], domain=about["domain"])


def _channel(row: dict[str, Any], everyone: list[str], ids: dict[str, str]) -> Channel:
    inside = row.get("members") or [*everyone, *row.get("also", [])]
    return Channel(
        id=row["id"],
        name=row["name"],
        members=tuple(ids[name] for name in inside),
        private=row.get("private", False),
        connected=row.get("connected", False),
        general=row.get("general", False),
        creator=ids[inside[0]],
    )


def tell(playground: Playground) -> tuple[SampleThread, ...]:
    """Put the threads into a playground, oldest first, as if they had been written then: no events, no bot."""
    told = []
    with playground.world.changed:
        today = playground.world.clock().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        for line in (files(__name__) / "threads.jsonl").read_text("utf-8").splitlines():
            thread = json.loads(line)
            hour, minute = thread["at"].split(":")
            began = today - timedelta(days=thread["days_ago"]) + timedelta(hours=int(hour), minutes=int(minute))
            ts = _say(playground, thread, began)
            told.append(
                SampleThread(
                    key=thread["key"],
                    channel=thread["channel"],
                    ts=ts,
                    pointed_by=thread.get("pointed_by", ""),
                    replaces=thread.get("replaces", ""),
                )
            )
    return tuple(told)


def _say(playground: Playground, thread: dict[str, Any], began: datetime) -> str:
    world = playground.world
    conversation = world.conversation(thread["channel"])
    parent = ""
    for number, turn in enumerate(thread["turns"]):
        at = began + timedelta(minutes=turn["after_min"])
        ts = ts_of(microseconds(at) + 100 + number)
        text = _wire(playground, turn["text"])
        author = world.user(turn["by"])["id"]
        messages.post(world, conversation, author, text, thread_ts=parent, ts=ts, silent=True)
        parent = parent or ts
        for name, people in turn.get("reactions", {}).items():
            for person in people:
                messages.react(world, conversation, ts, world.user(person)["id"], name, silent=True)
    return parent


def _wire(playground: Playground, text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _HANDLE.sub(lambda match: f"<@{playground.world.user(match[1])['id']}>", escaped)


__all__ = ["SampleThread", "sample_workspace", "tell"]
