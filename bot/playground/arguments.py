"""Reading the arguments of a Web API call, with Slack's errors for those that are missing or malformed."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, TypeVar

from bot.playground.refusal import Refusal
from bot.playground.world import Conversation, Json, World

T = TypeVar("T")


def text(args: Json, name: str) -> str:
    """Return an argument as text, "" where it is left out."""
    value = args.get(name, "")
    return value if isinstance(value, str) else str(value)


def required(args: Json, name: str) -> str:
    """Return an argument that must be there."""
    value = text(args, name)
    if not value:
        raise Refusal("invalid_arguments", f"[ERROR] missing required field: {name}")
    return value


def flag(args: Json, name: str) -> bool:
    """Return a yes or no; forms send "1" and "true"."""
    return str(args.get(name, "")).lower() in ("1", "true")


def structure(args: Json, name: str, *, error: str) -> Any:
    """Return a list or object, sent as JSON or as a string that holds it; None where it is left out."""
    value = args.get(name)
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise Refusal(error) from None
    return value


def payload(body: bytes) -> Json:
    """Return what a response_url was sent."""
    value = structure({"body": body.decode("utf-8", "replace")}, "body", error="invalid_payload")
    if not isinstance(value, dict):
        raise Refusal("invalid_payload")
    return value


def page(args: Json, rows: Sequence[T], *, default: int, largest: int) -> tuple[list[T], str]:
    """Return one page of rows and the cursor of the next ("" at the end)."""
    raw = text(args, "limit") or str(default)
    if not raw.lstrip("-").isdigit() or int(raw) < 1:
        raise Refusal("invalid_limit")
    size = min(int(raw), largest)
    start = _position(text(args, "cursor"))
    after = start + size
    return list(rows[start:after]), _cursor(after) if after < len(rows) else ""


def _cursor(position: int) -> str:
    return base64.b64encode(f"next:{position}".encode()).decode()


def _position(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        word, _, number = base64.b64decode(cursor, validate=True).decode().partition(":")
    except ValueError:
        raise Refusal("invalid_cursor") from None
    if word != "next" or not number.isdigit():
        raise Refusal("invalid_cursor")
    return int(number)


def cursor_reply(cursor: str) -> Json:
    """Return the fields that name the next page."""
    return {"response_metadata": {"next_cursor": cursor}}


def seen(world: World, channel: str) -> Conversation:
    """Return a conversation that the bot may know of: public ones, and others that it is in."""
    conversation = world.conversations.get(channel)
    if conversation is None or (conversation.private and not world.bot_in(conversation)):
        raise Refusal("channel_not_found")
    return conversation


def joined(world: World, channel: str) -> Conversation:
    """Return a conversation that the bot is in."""
    conversation = seen(world, channel)
    if not world.bot_in(conversation):
        raise Refusal("not_in_channel")
    return conversation


def writable(world: World, channel: str) -> Conversation:
    """Return a conversation that the bot may post in; a person's id stands for their direct message."""
    if channel in world.users:
        if world.users[channel]["deleted"]:
            raise Refusal("user_disabled")
        return world.direct(channel)
    conversation = seen(world, channel)
    if conversation.archived:
        raise Refusal("is_archived")
    return joined(world, channel)
