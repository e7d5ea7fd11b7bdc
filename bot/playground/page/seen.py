"""What one person sees on the playground's page, as JSON: nothing is in it that they may not read.

The one place that decides this; the page draws what it gets. Callers hold `world.changed`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable

from bot.playground.clock import ts_order
from bot.playground.messages import replies
from bot.playground.playground import Playground
from bot.playground.refusal import Refusal
from bot.playground.world import Conversation, Json, World

SHORTCUT_NAMES = {"record_decision": "Record this decision"}
"""What the manifest calls each message shortcut."""
COMMAND_HINTS = {
    "/why": "[is search on Postgres?]",
    "/backstory": "[question]",
    "/invite": "@somebody",
}
"""What stands behind each command as it is typed: the manifest's, and those of the page itself."""
HOME = "home"
"""Stands for the app's home where a conversation is named."""
DIRECT = "direct"
"""Stands for the direct message with the app where a conversation is named."""


def people(play: Playground) -> list[Json]:
    """Return who one may be: the accounts that can log in, in the workspace's order."""
    return [_person(user) for user in play.world.users.values() if not user["is_bot"] and not user["deleted"]]


def seen(play: Playground, who: str, *, where: str = "", thread: str = "") -> Json:
    """Return the screen of that person.

    Args:
        play: the playground.
        who: their id.
        where: a conversation's id, `HOME`, `DIRECT`, or "" for the first that they have.
        thread: the ts of a thread that lies open beside it, "" none.
    """
    world = play.world
    person = world.user(who)
    if person["deleted"] or person["is_bot"]:
        raise Refusal("account_inactive", person["name"])
    me = str(person["id"])
    direct = play.direct(me)
    place = direct if where == DIRECT else where
    shown = [each for each in world.conversations.values() if readable(world, each, me)]
    opened = next((each for each in shown if each.id == place), None)
    if opened is None and place != HOME:
        opened = next((each for each in shown if me in each.members and each.kind == "channel"), None)
    return {
        "me": _person(person),
        "workspace": world.workspace.name,
        "app": {"user": world.workspace.bot_user_id, "name": "Backstory", "direct": direct},
        "people": people(play),
        "names": {user["id"]: user["real_name"] for user in world.users.values()},
        "conversations": [_row(world, each, me) for each in shown],
        "commands": [
            {"name": name, "hint": COMMAND_HINTS.get(name, "")} for name in (*world.workspace.commands, "/invite")
        ],
        "shortcuts": [{"id": each, "name": SHORTCUT_NAMES.get(each, each)} for each in world.workspace.shortcuts],
        "place": HOME if place == HOME else "" if opened is None else opened.id,
        "open": None if opened is None else _opened(world, opened, me, thread),
        "home": copy.deepcopy(world.homes.get(me)) if place == HOME else None,
        "views": [_view(view) for view in world.views.values() if view["user"] == me],
    }


def readable(world: World, conversation: Conversation, user: str) -> bool:
    """Say whether somebody may read a conversation: its members, and for open channels every full member."""
    if user in conversation.members:
        return True
    person = world.users[user]
    inside = not person["is_restricted"] and not person.get("is_stranger")
    return inside and conversation.kind == "channel" and not conversation.private


def _person(user: Json) -> Json:
    if user.get("is_stranger"):
        kind = "external"
    elif user["is_restricted"]:
        kind = "guest"
    else:
        kind = "owner" if user.get("is_owner") else "admin" if user.get("is_admin") else "member"
    return {"id": user["id"], "handle": user["name"], "name": user["real_name"], "kind": kind, "tz": user["tz"]}


def _row(world: World, conversation: Conversation, me: str) -> Json:
    others = [world.users[each]["real_name"] for each in conversation.members if each != me]
    whispered = (each["ts"] for each in _whispers(world, conversation, me))
    theirs = (ts for ts, message in conversation.messages.items() if message.get("user") != me)
    return {
        "id": conversation.id,
        "name": conversation.name if conversation.kind == "channel" else ", ".join(others),
        "kind": conversation.kind,
        "private": conversation.private,
        "connected": conversation.connected,
        "archived": conversation.archived,
        "member": me in conversation.members,
        "latest": max([*whispered, *theirs], key=ts_order, default=""),
    }


def _opened(world: World, conversation: Conversation, me: str, thread: str) -> Json:
    inside = me in conversation.members
    whispers = _whispers(world, conversation, me)
    top = [each for each in conversation.messages.values() if _in_channel(each)]
    parent = conversation.messages.get(thread)
    told = None
    if parent is not None:
        ts = str(parent.get("thread_ts", parent["ts"]))
        beside = [each for each in whispers if each.get("thread_ts") == ts]
        told = {"ts": ts, "messages": _ordered([*replies(conversation, ts), *beside])}
    return {
        "id": conversation.id,
        "members": len(conversation.members),
        "app_inside": world.bot_in(conversation),
        "can_post": inside and not conversation.archived,
        "messages": _ordered([*top, *(each for each in whispers if not each.get("thread_ts"))]),
        "thread": told,
    }


def _in_channel(message: Json) -> bool:
    thread = message.get("thread_ts", message["ts"])
    return thread == message["ts"] or message.get("subtype") == "thread_broadcast"


def _whispers(world: World, conversation: Conversation, me: str) -> list[Json]:
    return [each for each in world.ephemerals if each["to"] == me and each["channel"] == conversation.id]


def _ordered(messages: Iterable[Json]) -> list[Json]:
    hidden = ("client_msg_id", "metadata", "bot_profile", "team", "app_id", "root", "parent_user_id")
    found = sorted(messages, key=lambda message: ts_order(message["ts"]))
    return [{key: copy.deepcopy(value) for key, value in each.items() if key not in hidden} for each in found]


def _view(view: Json) -> Json:
    shown = ("id", "type", "title", "submit", "close", "blocks", "hash", "root_view_id", "previous_view_id")
    return {key: copy.deepcopy(view[key]) for key in shown}
