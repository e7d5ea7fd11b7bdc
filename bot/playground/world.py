"""The state of a pretend workspace, and the one place from which its events leave.

Everything is Slack's own JSON in plain dicts. Whoever reads or changes it holds `world.changed`, whose waiters
are woken after each change. Nothing here knows HTTP.
"""

from __future__ import annotations

import copy
import itertools
import secrets
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.playground.clock import microseconds, ts_of
from bot.playground.people import Channel, Member, Workspace
from bot.playground.refusal import Refusal

Json = dict[str, Any]

TRIGGER_S = 3
"""Seconds that a trigger_id lives (Slack: "expires in 3 seconds")."""
RESPONSE_URL_S = 30 * 60
"""Seconds that a response_url may be used (Slack: 30 minutes)."""
RESPONSE_URL_USES = 5
"""How often a response_url may be used (Slack: 5 times)."""

_MESSAGE_EVENT = {"channel": "message.channels", "group": "message.groups", "im": "message.im", "mpim": "message.mpim"}


@dataclass(slots=True)
class Conversation:
    """A channel as it stands now; `messages` by ts, in the order in which they were posted."""

    id: str
    name: str
    kind: str
    private: bool
    connected: bool
    archived: bool
    general: bool
    creator: str
    created: int
    members: list[str]
    messages: dict[str, Json] = field(default_factory=dict)

    @property
    def channel_type(self) -> str:
        """What events call it: channel, group, im or mpim."""
        return ("group" if self.private else "channel") if self.kind == "channel" else self.kind


@dataclass(slots=True)
class Trigger:
    """A trigger_id: who got it when, whether it was used, and the modal that it came from ("" elsewhere)."""

    at: int
    user: str
    used: bool = False
    view_id: str = ""


@dataclass(slots=True)
class ResponseUrl:
    """A response_url: where its answers go and how often it was used; `original` is the ts of a pressed message."""

    at: int
    user: str
    channel: str
    source: str
    original: str = ""
    ephemeral: bool = False
    thread_ts: str = ""
    uses: int = 0
    posted: list[Json] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to the Web API (or to a response_url: method "response_url") and what came of it."""

    method: str
    args: Json
    error: str
    """Slack's error code, "" where it was done."""
    reply: Json
    at: datetime


class World:
    """What a workspace holds; every method expects its caller to hold `changed`."""

    def __init__(self, workspace: Workspace, clock: Callable[[], datetime]) -> None:
        """Set the workspace up as it is described."""
        self.changed = threading.Condition(threading.RLock())
        self.workspace = workspace
        self.clock = clock
        self.users: dict[str, Json] = {}
        self.conversations: dict[str, Conversation] = {}
        self.ephemerals: list[Json] = []
        self.views: dict[str, Json] = {}
        self.homes: dict[str, Json] = {}
        self.triggers: dict[str, Trigger] = {}
        self.response_urls: dict[str, ResponseUrl] = {}
        self.calls: list[Call] = []
        self.installed = True
        self.base_url = ""
        self.send: Callable[[str, Json], Any] = lambda _kind, _payload: None
        self._last_micros = 0
        self._numbers = itertools.count(1)
        for member in (*workspace.members, _bot_member(workspace)):
            self.add_user(member)
        for channel in workspace.channels:
            self.add_conversation(channel)

    # --- names and numbers ---

    def micros(self) -> int:
        """Return now in whole microseconds."""
        return microseconds(self.clock())

    def next_ts(self) -> str:
        """Return a ts later than any before."""
        self._last_micros = max(self._last_micros + 1, self.micros())
        return ts_of(self._last_micros)

    def number(self) -> int:
        """Return a number not used before."""
        return next(self._numbers)

    def user(self, who: str) -> Json:
        """Find an account by id, handle, or the name people see (its first word is enough)."""
        wanted = who.removeprefix("@").casefold()
        for user in self.users.values():
            if wanted in (user["id"].casefold(), user["name"].casefold(), user["real_name"].casefold()):
                return user
        for user in self.users.values():
            if user["real_name"].split(" ")[0].casefold() == wanted:
                return user
        raise Refusal("user_not_found", who)

    def conversation(self, where: str) -> Conversation:
        """Find a conversation by id or name, with or without `#`."""
        found = self.conversations.get(where)
        if found is None:
            name = where.removeprefix("#")
            found = next((each for each in self.conversations.values() if each.name and each.name == name), None)
        if found is None:
            raise Refusal("channel_not_found", where)
        return found

    def direct(self, *users: str) -> Conversation:
        """Return the direct (or group) message of these people and the bot, opened if need be."""
        members = {*users, self.workspace.bot_user_id}
        for conversation in self.conversations.values():
            if conversation.kind in ("im", "mpim") and set(conversation.members) == members:
                return conversation
        kind = "im" if len(members) <= 2 else "mpim"
        prefix = "D" if kind == "im" else "G"
        return self.add_conversation(
            Channel(
                id=f"{prefix}0{self.number():07d}",
                name="" if kind == "im" else "mpdm-" + "--".join(sorted(self.users[u]["name"] for u in members)) + "-1",
                kind="im" if kind == "im" else "mpim",
                private=True,
                members=(*users, self.workspace.bot_user_id),
                creator=users[0],
            )
        )

    # --- filling it ---

    def add_user(self, member: Member) -> Json:
        """Add an account and return Slack's JSON for it."""
        real_name = member.real_name or member.name.title()
        external = bool(member.team_id) and member.team_id != self.workspace.team_id
        user: Json = {
            "id": member.id,
            "team_id": member.team_id or self.workspace.team_id,
            "name": member.name,
            "deleted": member.deactivated,
            "real_name": real_name,
            "tz": member.tz,
            "tz_label": member.tz,
            "tz_offset": None if member.tz is None else 0,
            "profile": {
                "real_name": real_name,
                "display_name": member.name,
                "team": member.team_id or self.workspace.team_id,
            },
            "is_admin": member.admin or member.owner,
            "is_owner": member.owner,
            "is_primary_owner": False,
            "is_restricted": bool(member.guest),
            "is_ultra_restricted": member.guest == "single",
            "is_bot": member.is_bot,
            "is_app_user": False,
            "updated": self.micros() // 1_000_000,
        }
        if external:
            user["is_stranger"] = True
            for key in ("is_admin", "is_owner", "is_primary_owner"):
                del user[key]
        if member.is_bot:
            user["profile"]["bot_id"] = f"B{member.id[1:]}"
            user["profile"]["api_app_id"] = f"A{member.id[1:]}"
        self.users[member.id] = user
        return user

    def add_conversation(self, channel: Channel) -> Conversation:
        """Add a conversation as described and return its state."""
        conversation = Conversation(
            id=channel.id,
            name=channel.name,
            kind=channel.kind,
            private=channel.private or channel.kind != "channel",
            connected=channel.connected,
            archived=channel.archived,
            general=channel.general,
            creator=channel.creator or (channel.members[0] if channel.members else ""),
            created=self.micros() // 1_000_000,
            members=list(channel.members),
        )
        self.conversations[channel.id] = conversation
        return conversation

    # --- what the app gets to know ---

    def bot_in(self, conversation: Conversation) -> bool:
        """Say whether the bot is a member."""
        return self.workspace.bot_user_id in conversation.members

    def emit(self, event: Json, conversation: Conversation | None = None, *, always: bool = False) -> None:
        """Send an event to the app if it subscribed to its kind and is in the conversation (`always`: even if not)."""
        self.changed.notify_all()
        name = event["type"]
        if name == "message" and conversation is not None:
            name = _MESSAGE_EVENT[conversation.channel_type]
        if name not in self.workspace.bot_events:
            return
        if conversation is not None and not always and not self.bot_in(conversation):
            return
        self.send("events_api", self.envelope(copy.deepcopy(event), conversation))

    def envelope(self, event: Json, conversation: Conversation | None = None) -> Json:
        """Return the body that carries an event, under a new event_id."""
        team = self.workspace.team_id
        place = conversation.id if conversation is not None else "none"
        return {
            "token": "verification-token",
            "team_id": team,
            "context_team_id": team,
            "context_enterprise_id": None,
            "api_app_id": self.workspace.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": f"Ev{self.number():08d}",
            "event_time": self.micros() // 1_000_000,
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": team,
                    "user_id": self.workspace.bot_user_id,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": conversation is not None and conversation.connected,
            "event_context": f"4-{event['type']}-{team}-{self.workspace.app_id}-{place}",
        }

    def new_trigger(self, user: str, *, view_id: str = "") -> str:
        """Return a trigger_id for that person, good for 3 seconds and one use."""
        trigger = f"{self.number()}.{secrets.randbelow(10**10):010d}.{secrets.token_hex(16)}"
        self.triggers[trigger] = Trigger(at=self.micros(), user=user, view_id=view_id)
        return trigger

    def spend_trigger(self, trigger_id: str) -> Trigger:
        """Use a trigger_id up; refused when unknown, used or more than 3 seconds old."""
        trigger = self.triggers.get(trigger_id)
        if trigger is None:
            raise Refusal("invalid_trigger_id")
        if self.micros() - trigger.at > TRIGGER_S * 1_000_000:
            raise Refusal("expired_trigger_id")
        if trigger.used:
            raise Refusal("exchanged_trigger_id")
        trigger.used = True
        return trigger

    def new_response_url(self, source: str, target: ResponseUrl) -> str:
        """Return an address that answers to that target; `source` is "commands", "actions" or "app"."""
        secret = secrets.token_urlsafe(18)
        self.response_urls[secret] = target
        return f"{self.base_url}/{source}/{self.workspace.team_id}/{self.number()}/{secret}"


def visible(messages: Iterable[Json]) -> tuple[Json, ...]:
    """Return copies, so that no reader changes the state."""
    return tuple(copy.deepcopy(message) for message in messages)


def _bot_member(workspace: Workspace) -> Member:
    return Member(id=workspace.bot_user_id, name=workspace.bot_name, real_name=workspace.bot_name.title(), is_bot=True)
