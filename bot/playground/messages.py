"""What can happen to messages, whoever does it, and the events that Slack sends for each.

Callers hold `world.changed` and have checked who may do it.
"""

from __future__ import annotations

import copy
import html
import re
import uuid
from collections.abc import Iterator

from bot.playground.clock import ts_order
from bot.playground.refusal import Refusal
from bot.playground.world import Conversation, Json, World

_TOKEN = re.compile(
    r"<(?:@(?P<user>[UW][A-Z0-9]+)|#(?P<channel>C[A-Z0-9]+)|!(?P<range>here|channel|everyone)|(?P<url>https?://[^|>]+))"
    r"(?:\|(?P<label>[^>]*))?>|(?<![\w:]):(?P<emoji>[a-z0-9_+\-]+):(?![\w:])"
)
_STYLED = re.compile(r"(?<![\w`*_~])(?P<mark>[`*_~])(?P<inner>[^\s`*_~](?:[^\n`*~]*[^\s`*_~])?)(?P=mark)(?![\w`*_~])")
_STYLES = {"`": "code", "*": "bold", "_": "italic", "~": "strike"}
_EMOJI = re.compile(r"[a-z0-9_+'\-]+(?:::skin-tone-[2-6])?")


def author_fields(world: World, user_id: str) -> Json:
    """Return the fields by which a message names its author: a person's, or a bot's with its profile."""
    user = world.users[user_id]
    fields: Json = {"user": user_id, "team": user["team_id"]}
    if user["is_bot"]:
        own = user_id == world.workspace.bot_user_id
        bot_id = world.workspace.bot_id if own else user["profile"]["bot_id"]
        app_id = world.workspace.app_id if own else user["profile"]["api_app_id"]
        profile = {"id": bot_id, "app_id": app_id, "name": user["name"], "deleted": False, "team_id": user["team_id"]}
        fields |= {
            "bot_id": bot_id,
            "app_id": app_id,
            "bot_profile": profile | {"updated": user["updated"], "icons": {}},
        }
    else:
        fields["client_msg_id"] = str(uuid.uuid4())
    return fields


def post(
    world: World,
    conversation: Conversation,
    author: str,
    text: str,
    *,
    blocks: list[Json] | None = None,
    thread_ts: str = "",
    broadcast: bool = False,
    metadata: Json | None = None,
    fields: Json | None = None,
    ts: str = "",
    silent: bool = False,
) -> Json:
    """Add a message and return it; the app hears of it as `message`, and as `app_mention` where it is named.

    Args:
        thread_ts: of the thread's parent; a reply's own ts is taken for its thread's.
        fields: others that the message carries, such as its subtype.
        ts: given for messages that were posted before the playground started.
        silent: no events.
    """
    message: Json = {"type": "message", "ts": ts or world.next_ts(), "text": text}
    message |= author_fields(world, author) | (fields or {})
    _lay_out(message, blocks)
    if metadata:
        message["metadata"] = metadata
    if thread_ts:
        parent = thread_parent(conversation, thread_ts)
        _count_reply(parent, message)
        message |= {"thread_ts": parent["ts"], "parent_user_id": parent.get("user", "")}
        if broadcast:
            message |= {"subtype": "thread_broadcast", "root": {k: v for k, v in parent.items() if k != "blocks"}}
    conversation.messages[message["ts"]] = message
    if not silent:
        _announce(world, conversation, message)
    return message


def _lay_out(message: Json, blocks: list[Json] | None) -> None:
    """Give a message its blocks: those given, each with an id, or (None) the text as the composer would send it."""
    laid = rich_text(message["text"]) if blocks is None else with_ids(blocks)
    message.pop("blocks", None)
    if laid:
        message["blocks"] = laid


def with_ids(blocks: list[Json]) -> list[Json]:
    """Return blocks in which each has a block_id, as Slack stores them."""
    return [
        block if "block_id" in block else {**block, "block_id": f"b{number}"} for number, block in enumerate(blocks)
    ]


def thread_parent(conversation: Conversation, thread_ts: str) -> Json:
    """Return the parent of the thread that a ts lies in."""
    found = conversation.messages.get(thread_ts)
    if found is None:
        raise Refusal("thread_not_found")
    return conversation.messages.get(found.get("thread_ts", thread_ts), found)


def replies(conversation: Conversation, parent_ts: str) -> list[Json]:
    """Return a thread's messages, the parent first, then oldest first."""
    thread = [m for ts, m in conversation.messages.items() if ts == parent_ts or m.get("thread_ts") == parent_ts]
    return sorted(thread, key=lambda message: ts_order(message["ts"]))


def _count_reply(parent: Json, reply: Json) -> None:
    users = parent.setdefault("reply_users", [])
    if reply["user"] not in users:
        users.append(reply["user"])
    parent["thread_ts"] = parent["ts"]
    parent["reply_count"] = parent.get("reply_count", 0) + 1
    parent["reply_users_count"] = len(users)
    parent["latest_reply"] = reply["ts"]


def _event(world: World, conversation: Conversation, message: Json) -> Json:
    kept = {k: v for k, v in message.items() if not k.startswith("reply_") and k not in ("latest_reply", "reactions")}
    return kept | {"channel": conversation.id, "event_ts": message["ts"], "channel_type": conversation.channel_type}


def _announce(world: World, conversation: Conversation, message: Json) -> None:
    event = _event(world, conversation, message)
    world.emit(event, conversation)
    _mention(world, conversation, event)


def _mention(world: World, conversation: Conversation, event: Json) -> None:
    own = event.get("bot_id") == world.workspace.bot_id
    if own or conversation.kind == "im" or f"<@{world.workspace.bot_user_id}" not in event["text"]:
        return
    mention = {k: v for k, v in event.items() if k not in ("channel_type", "parent_user_id", "hidden")}
    world.emit(mention | {"type": "app_mention"}, conversation)


def edit(
    world: World,
    conversation: Conversation,
    ts: str,
    editor: str,
    *,
    text: str | None,
    blocks: list[Json] | None = None,
    metadata: Json | None = None,
) -> Json:
    """Change a message (text None: only what stands beside it, as unfurling a link does) and send message_changed."""
    message = conversation.messages[ts]
    previous = copy.deepcopy(message)
    stamp = world.next_ts()
    if text is not None:
        message["text"] = text
        message["edited"] = {"user": editor, "ts": stamp}
        _lay_out(message, blocks)
    else:
        message["attachments"] = [{"fallback": "a preview", "id": 1, "from_url": "https://example.com/"}]
    if metadata:
        message["metadata"] = metadata
    _changed(world, conversation, message, previous, stamp)
    if text is not None:
        _mention(world, conversation, _event(world, conversation, message) | {"event_ts": stamp})
    return message


def _changed(world: World, conversation: Conversation, message: Json, previous: Json, stamp: str) -> None:
    world.emit(
        {
            "type": "message",
            "subtype": "message_changed",
            "message": message,
            "previous_message": previous,
            "channel": conversation.id,
            "hidden": True,
            "ts": stamp,
            "event_ts": stamp,
            "channel_type": conversation.channel_type,
        },
        conversation,
    )


def delete(world: World, conversation: Conversation, ts: str) -> None:
    """Delete a message; the parent of a thread stays as a tombstone, as in Slack."""
    message = conversation.messages[ts]
    stamp = world.next_ts()
    if message.get("reply_count"):
        previous = copy.deepcopy(message)
        for key in ("blocks", "client_msg_id", "reactions", "edited", "metadata", "bot_id", "app_id", "bot_profile"):
            message.pop(key, None)
        message |= {"subtype": "tombstone", "text": "This message was deleted.", "user": "USLACKBOT", "hidden": True}
        _changed(world, conversation, message, previous, stamp)
        return
    del conversation.messages[ts]
    parent = conversation.messages.get(message.get("thread_ts", ""))
    if parent is not None:
        left = replies(conversation, parent["ts"])[1:]
        parent |= {"reply_count": len(left), "latest_reply": left[-1]["ts"] if left else parent["ts"]}
    world.emit(
        {
            "type": "message",
            "subtype": "message_deleted",
            "previous_message": message,
            "channel": conversation.id,
            "hidden": True,
            "deleted_ts": ts,
            "ts": stamp,
            "event_ts": stamp,
            "channel_type": conversation.channel_type,
        },
        conversation,
    )


def react(world: World, conversation: Conversation, ts: str, user: str, name: str, *, silent: bool = False) -> None:
    """Put an emoji on a message; refused the second time, and where the name is a character instead of a name."""
    if not _EMOJI.fullmatch(name):
        raise Refusal("invalid_name")
    message = conversation.messages.get(ts)
    if message is None:
        raise Refusal("message_not_found")
    reactions = message.setdefault("reactions", [])
    found = next((reaction for reaction in reactions if reaction["name"] == name), None)
    if found is None:
        found = {"name": name, "users": [], "count": 0}
        reactions.append(found)
    if user in found["users"]:
        raise Refusal("already_reacted")
    found["users"].append(user)
    found["count"] = len(found["users"])
    if not silent:
        _reaction_event(world, conversation, message, user, name, "reaction_added")


def unreact(world: World, conversation: Conversation, ts: str, user: str, name: str) -> None:
    """Take an emoji back."""
    message = conversation.messages.get(ts)
    if message is None:
        raise Refusal("message_not_found")
    reactions = message.get("reactions", [])
    found = next((each for each in reactions if each["name"] == name and user in each["users"]), None)
    if found is None:
        raise Refusal("no_reaction")
    found["users"].remove(user)
    found["count"] = len(found["users"])
    if not found["users"]:
        reactions.remove(found)
    _reaction_event(world, conversation, message, user, name, "reaction_removed")


def _reaction_event(world: World, conversation: Conversation, message: Json, user: str, name: str, kind: str) -> None:
    event = {
        "type": kind,
        "user": user,
        "reaction": name,
        "item": {"type": "message", "channel": conversation.id, "ts": message["ts"]},
        "event_ts": world.next_ts(),
    }
    if message.get("user"):
        event["item_user"] = message["user"]
    world.emit(event, conversation)


def rich_text(text: str) -> list[Json]:
    """Return the blocks that Slack's composer would send with this text: mentions, links, emoji, marks."""
    if not text:
        return []
    parts: list[Json] = []
    at = 0
    for match in _TOKEN.finditer(text):
        parts += _styled(text[at : match.start()])
        parts.append(_run(match))
        at = match.end()
    parts += _styled(text[at:])
    section = {"type": "rich_text_section", "elements": parts}
    return [{"type": "rich_text", "block_id": uuid.uuid4().hex[:5], "elements": [section]}]


def _styled(text: str) -> Iterator[Json]:
    """Yield runs of plain and marked text: `code`, *bold*, _italic_, ~strike~."""
    at = 0
    for match in _STYLED.finditer(text):
        if match.start() > at:
            yield {"type": "text", "text": html.unescape(text[at : match.start()])}
        yield {"type": "text", "text": html.unescape(match["inner"]), "style": {_STYLES[match["mark"]]: True}}
        at = match.end()
    if at < len(text):
        yield {"type": "text", "text": html.unescape(text[at:])}


def _run(match: re.Match[str]) -> Json:
    if match["user"]:
        return {"type": "user", "user_id": match["user"]}
    if match["channel"]:
        return {"type": "channel", "channel_id": match["channel"]}
    if match["range"]:
        return {"type": "broadcast", "range": match["range"]}
    if match["emoji"]:
        return {"type": "emoji", "name": match["emoji"]}
    label = {"text": html.unescape(match["label"])} if match["label"] else {}
    return {"type": "link", "url": html.unescape(match["url"])} | label
