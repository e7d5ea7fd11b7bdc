"""What of all that Slack sends is worth a row in the inbox, and under which key: a pure function.

The key names the thing that happened, not the envelope: the same post arrives as `app_mention` and as
`message`, and a delivery again as a retry. What holds text of people keeps it only for questions, and masked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from bot.jobs import ASKED, CAPTURES, FOLLOWS, QUICK
from bot.sources.slack import question_key
from bot.turned_down import proposes

Json = Mapping[str, Any]

KIND_QUESTION = "question"
KIND_COMMAND = "command"
KIND_REACTION = "reaction"
KIND_ACTION = "action"
KIND_VIEW = "view"
KIND_SHORTCUT = "shortcut"
KIND_CHANGED = "changed"
KIND_DELETED = "deleted"
KIND_JOINED = "joined"
KIND_CHANNEL = "channel"
KIND_HOME = "home"
KIND_CLOSED = "closed"
KIND_PROPOSED = "proposed"

QUESTION_MAX = 10_000
"""Characters kept of a question: more is no question, and Slack's own limit is 40,000."""

_SPOKEN = frozenset({None, "file_share", "thread_broadcast", "me_message"})
_OPENNESS = frozenset({
    "channel_archive", "channel_convert_to_private", "channel_convert_to_public", "channel_deleted",
    "channel_id_changed", "channel_left", "channel_rename", "channel_shared", "channel_unarchive",
    "channel_unshared", "group_archive", "group_deleted", "group_left", "group_rename", "group_unarchive",
})  # fmt: skip
_GONE = frozenset({"app_uninstalled", "tokens_revoked"})


class Why(Enum):
    """Why a delivery is acknowledged without a row."""

    OWN = "own"
    BOT = "bot"
    NO_TEXT_CHANGE = "no text change"
    EDITED_MENTION = "edited mention"
    NOT_CAPTURED = "not captured"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """A row for the inbox; `about` is the turn whose text its payload holds.

    Rows that share a `serial` are worked off one by one, in their order: giving a thumb, then taking it back.
    """

    key: str
    kind: str
    payload: Json
    priority: int
    about: str = ""
    serial: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Somebody wrote in a channel; the thread may be waited for. No text."""

    channel: str
    ts: str
    thread_ts: str
    user: str = ""
    proposes: bool = False
    """Whether its words propose something, as far as words alone tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What is believed about a channel or a person is old."""

    channel: str = ""
    user: str = ""
    gone: bool = False
    """The person was deactivated."""
    keep: Keep | None = None


Sorted = Keep | Said | News | Why


@dataclass(frozen=True, slots=True, kw_only=True)
class Self:
    """Who the bot is in this workspace."""

    team: str
    user: str
    bot: str
    emoji: Collection[str] = field(default_factory=frozenset)
    """Names of all reactions that mean something, without skin tones."""
    votes: Collection[str] = field(default_factory=frozenset)
    """Those among them that are votes: counted before threads are read."""


def sort(body: Json, me: Self, mask: Callable[[str], str]) -> Sorted:
    """Say what is to be done with a delivery that Slack signed.

    Args:
        body: as Slack sent it.
        me: who the bot is.
        mask: takes secrets out of what people wrote.
    """
    if "command" in body:
        return _command(body, mask)
    match body.get("type"):
        case "event_callback":
            return _event(body, body.get("event") or {}, me, mask)
        case "block_actions":
            return _action(body, mask)
        case "view_submission":
            return _view(body, mask)
        case "message_action":
            return _shortcut(body)
        case _:
            return Why.UNKNOWN


def emoji_name(name: str) -> str:
    """Return a reaction's name without its skin tone: "+1::skin-tone-2" is "+1"."""
    return name.partition("::")[0]


# --- commands and interactivity ---


def _command(body: Json, mask: Callable[[str], str]) -> Sorted:
    return Keep(
        key=f"command:{body['trigger_id']}",
        kind=KIND_COMMAND,
        priority=ASKED,
        payload={
            "user": body.get("user_id", ""),
            "channel": body.get("channel_id", ""),
            "text": mask(str(body.get("text") or "")[:QUESTION_MAX]),
            "response_url": body.get("response_url", ""),
        },
    )


def _action(body: Json, mask: Callable[[str], str]) -> Sorted:
    pressed = next(iter(body.get("actions") or ()), None)
    if pressed is None:
        return Why.UNKNOWN
    container, message = body.get("container") or {}, body.get("message") or {}
    user = (body.get("user") or {}).get("id", "")
    named = ":".join(str(pressed.get(part, "")) for part in ("action_ts", "action_id", "block_id"))
    return Keep(
        key=f"action:{user}:{named}",
        kind=KIND_ACTION,
        priority=QUICK,
        serial=f"press/{user}",
        payload={
            "user": user,
            "action": pressed.get("action_id", ""),
            "at": str(pressed.get("action_ts") or ""),
            **_pressed_value(pressed, mask),
            "channel": (body.get("channel") or {}).get("id") or container.get("channel_id") or "",
            "thread_ts": message.get("thread_ts") or container.get("thread_ts") or "",
            "ephemeral": bool(container.get("is_ephemeral")),
            "response_url": body.get("response_url", ""),
            "trigger": body.get("trigger_id", ""),
            **_pressed_on(body.get("view") or {}),
        },
    )


def _pressed_value(pressed: Json, mask: Callable[[str], str]) -> Json:
    """Return what a button or a choice names, or what somebody typed into a field: that is text of theirs, masked."""
    if pressed.get("type") == "plain_text_input":
        return {"value": "", "typed": mask(str(pressed.get("value") or "")[:QUESTION_MAX])}
    return {"value": pressed.get("value") or (pressed.get("selected_option") or {}).get("value") or ""}


def _pressed_on(view: Json) -> Json:
    """Say which modal, which one person alone sees, or that it was Home; nothing where it was a message."""
    match view.get("type"):
        case "home":
            return {"home": True}
        case "modal":
            return {"view": view.get("id", ""), "ephemeral": True}
        case _:
            return {}


def _view(body: Json, mask: Callable[[str], str]) -> Sorted:
    view = body.get("view") or {}
    urls = body.get("response_urls") or ()
    return Keep(
        key=f"view:{view.get('id', '')}:{view.get('hash', '')}",
        kind=KIND_VIEW,
        priority=QUICK,
        payload={
            "user": (body.get("user") or {}).get("id", ""),
            "response_url": next((url.get("response_url", "") for url in urls), ""),
            "trigger": body.get("trigger_id", ""),
            "view": _view_payload(view, mask),
        },
    )


def _view_payload(view: Json, mask: Callable[[str], str]) -> Json:
    """Return a view in Slack's own shape with what people typed masked, and without its blocks."""
    values = {
        block: {name: _input(element, mask) for name, element in inputs.items()}
        for block, inputs in ((view.get("state") or {}).get("values") or {}).items()
    }
    kept = {name: view.get(name) or "" for name in ("id", "callback_id", "private_metadata")}
    return {**kept, "state": {"values": values}}


def _input(element: Json, mask: Callable[[str], str]) -> Json:
    typed = element.get("value")
    return {**element, "value": mask(typed)} if isinstance(typed, str) else element


def _shortcut(body: Json) -> Sorted:
    message = body.get("message") or {}
    return Keep(
        key=f"shortcut:{body.get('trigger_id', '')}",
        kind=KIND_SHORTCUT,
        priority=QUICK,
        payload={
            "user": (body.get("user") or {}).get("id", ""),
            "channel": (body.get("channel") or {}).get("id", ""),
            "ts": message.get("ts") or body.get("message_ts") or "",
            "response_url": body.get("response_url", ""),
            "trigger": body.get("trigger_id", ""),
        },
    )


# --- events ---


def _event(body: Json, event: Json, me: Self, mask: Callable[[str], str]) -> Sorted:
    kind, key = event.get("type"), f"event:{body.get('event_id', '')}"
    match kind:
        case "message":
            return _message(event, key, me, mask)
        case "app_mention":
            return _mention(event, me, mask)
        case "reaction_added" | "reaction_removed":
            return _reaction(event, me)
        case "member_joined_channel" if event.get("user") == me.user:
            joined = {"channel": event.get("channel", ""), "inviter": event.get("inviter", "")}
            keep = Keep(key=f"joined:{joined['channel']}:{key}", kind=KIND_JOINED, priority=FOLLOWS, payload=joined)
            return News(channel=joined["channel"], keep=keep)
        case "member_joined_channel" | "member_left_channel":
            return News(channel=str(event.get("channel", "")), user=str(event.get("user", "")))
        case "user_change" | "team_join":
            person = event.get("user") or {}
            return News(user=str(person.get("id", "")), gone=bool(person.get("deleted")))
        case "app_home_opened" if event.get("tab") == "home":
            return Keep(key=key, kind=KIND_HOME, priority=ASKED, payload={"user": event.get("user", "")})
        case _ if kind in _OPENNESS:
            return _channel_news(event, key)
        case _ if kind in _GONE:
            bots = (event.get("tokens") or {}).get("bot")
            ours = kind == "app_uninstalled" or (bots is not None and me.user in bots)
            closed = Keep(key=key, kind=KIND_CLOSED, priority=QUICK, payload={"event": kind})
            return closed if ours else Why.UNKNOWN
        case _:
            return Why.UNKNOWN


def _channel_news(event: Json, key: str) -> Sorted:
    named = event.get("channel") or event.get("old_channel_id") or ""
    channel = str(named.get("id", "") if isinstance(named, Mapping) else named)
    what = str(event.get("subtype") or event.get("type"))
    keep = Keep(key=key, kind=KIND_CHANNEL, priority=FOLLOWS, payload={"channel": channel, "what": what})
    return News(channel=channel, keep=keep)


def _is_own(message: Json, me: Self) -> bool:
    return message.get("user") == me.user or bool(me.bot and message.get("bot_id") == me.bot)


def _message(event: Json, key: str, me: Self, mask: Callable[[str], str]) -> Sorted:
    match event.get("subtype"):
        case "message_changed":
            return _changed(event, key, me)
        case "message_deleted":
            before = event.get("previous_message") or {}
            payload = {
                "channel": event.get("channel", ""),
                "ts": event.get("deleted_ts") or before.get("ts") or "",
                "thread_ts": before.get("thread_ts") or "",
            }
            return Keep(key=key, kind=KIND_DELETED, priority=FOLLOWS, payload=payload)
        case subtype if subtype in _OPENNESS:
            return _channel_news(event, key)
        case subtype if subtype not in _SPOKEN and subtype != "bot_message":
            return Why.UNKNOWN
    if _is_own(event, me):
        return Why.OWN
    if event.get("bot_id") or event.get("subtype") == "bot_message" or not event.get("user"):
        return Why.BOT
    if event.get("channel_type") == "im" or f"<@{me.user}>" in _words(event):
        return Why.EDITED_MENTION if event.get("edited") else _question(event, me, mask)
    ts = str(event.get("ts", ""))
    return Said(
        channel=str(event.get("channel", "")),
        ts=ts,
        thread_ts=str(event.get("thread_ts") or ts),
        user=str(event.get("user", "")),
        proposes=not event.get("edited") and proposes(_words(event)),
    )


def _changed(event: Json, key: str, me: Self) -> Sorted:
    now, before = event.get("message") or {}, event.get("previous_message") or {}
    gone = now.get("subtype") == "tombstone"
    if _is_own(now, me) and not gone:
        return Why.OWN
    if not gone and (now.get("text") == before.get("text") or not now.get("edited")):
        return Why.NO_TEXT_CHANGE
    payload = {
        "channel": event.get("channel", ""),
        "ts": now.get("ts") or before.get("ts") or "",
        "thread_ts": now.get("thread_ts") or before.get("thread_ts") or "",
    }
    return Keep(key=key, kind=KIND_DELETED if gone else KIND_CHANGED, priority=FOLLOWS, payload=payload)


def _mention(event: Json, me: Self, mask: Callable[[str], str]) -> Sorted:
    if _is_own(event, me):
        return Why.OWN
    if event.get("bot_id") or not event.get("user"):
        return Why.BOT
    return Why.EDITED_MENTION if event.get("edited") else _question(event, me, mask)


def _question(event: Json, me: Self, mask: Callable[[str], str]) -> Sorted:
    channel, ts = str(event.get("channel", "")), str(event.get("ts", ""))
    words = re.sub(rf"\s*<@{re.escape(me.user)}(?:\|[^>]*)?>\s*", " ", _words(event)).strip()
    return Keep(
        key=question_key(me.team, channel, ts),
        kind=KIND_QUESTION,
        priority=ASKED,
        about=f"{channel}/{ts}",
        payload={
            "user": event.get("user", ""),
            "channel": channel,
            "ts": ts,
            "thread_ts": event.get("thread_ts") or "",
            "text": mask(words[:QUESTION_MAX]),
        },
    )


def _words(event: Json) -> str:
    return str(event.get("text") or "")


def _reaction(event: Json, me: Self) -> Sorted:
    item, name = event.get("item") or {}, emoji_name(str(event.get("reaction", "")))
    if event.get("user") == me.user:
        return Why.OWN
    if item.get("type") != "message" or name not in me.emoji:
        return Why.UNKNOWN
    what, where = str(event.get("type")), f"{me.team}:{item.get('channel')}:{item.get('ts')}"
    return Keep(
        key=f"reaction:{where}:{event.get('user')}:{event.get('reaction')}:{event.get('event_ts')}:{what}",
        kind=KIND_REACTION,
        priority=FOLLOWS if name in me.votes else CAPTURES,
        serial=f"reaction/{where}:{event.get('user')}",
        payload={
            "user": event.get("user", ""),
            "emoji": name,
            "added": what == "reaction_added",
            "channel": item.get("channel", ""),
            "ts": item.get("ts", ""),
            "at": event.get("event_ts", ""),
        },
    )
