"""Web API: chat.* and reactions.*."""

from __future__ import annotations

from bot.playground import arguments, messages
from bot.playground.blocks import check_message
from bot.playground.clock import ts_order
from bot.playground.refusal import Refusal
from bot.playground.world import Conversation, Json, World

TEXT = 40_000
"""Characters of a message's text. Slack cuts or refuses longer ones; refusing loses nothing silently."""
METADATA_BYTES = 16_000
"""Characters of a message's metadata payload as JSON."""


def content(args: Json) -> tuple[str, list[Json] | None]:
    """Return the text and blocks of a message to be, or refuse them as Slack would."""
    text = arguments.text(args, "text")
    blocks = arguments.structure(args, "blocks", error="invalid_blocks_format")
    if blocks is not None:
        check_message(blocks)
    if len(text) > TEXT:
        raise Refusal("msg_too_long")
    if not text.strip() and not blocks and not args.get("attachments"):
        raise Refusal("no_text")
    return text, blocks


def metadata(args: Json) -> Json | None:
    """Return a message's metadata, checked for its two fields."""
    value = arguments.structure(args, "metadata", error="invalid_metadata_format")
    if value is None:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("event_type"), str) or not value["event_type"]:
        raise Refusal("invalid_metadata_format")
    if not isinstance(value.get("event_payload"), dict):
        raise Refusal("invalid_metadata_schema")
    if len(str(value)) > METADATA_BYTES:
        raise Refusal("metadata_too_large")
    return value


def post_message(world: World, args: Json) -> Json:
    """chat.postMessage."""
    conversation = arguments.writable(world, arguments.required(args, "channel"))
    text, blocks = content(args)
    message = messages.post(
        world,
        conversation,
        world.workspace.bot_user_id,
        text,
        blocks=blocks or [],
        thread_ts=arguments.text(args, "thread_ts"),
        broadcast=arguments.flag(args, "reply_broadcast"),
        metadata=metadata(args),
    )
    return {"channel": conversation.id, "ts": message["ts"], "message": dict(message)}


def post_ephemeral(world: World, args: Json) -> Json:
    """chat.postEphemeral."""
    conversation = arguments.writable(world, arguments.required(args, "channel"))
    user = arguments.required(args, "user")
    if user not in world.users or user not in conversation.members:
        raise Refusal("user_not_in_channel")
    text, blocks = content(args)
    thread_ts = arguments.text(args, "thread_ts")
    if thread_ts:
        messages.thread_parent(conversation, thread_ts)
    return {"message_ts": whisper(world, conversation, user, text, blocks or [], thread_ts=thread_ts)["ts"]}


def whisper(
    world: World, conversation: Conversation, user: str, text: str, blocks: list[Json], *, thread_ts: str = ""
) -> Json:
    """Show one person a message that only they see, and return it."""
    message: Json = {"type": "message", "ts": world.next_ts(), "text": text, "is_ephemeral": True}
    message["blocks"] = messages.with_ids(blocks)
    message |= messages.author_fields(world, world.workspace.bot_user_id)
    message |= {"channel": conversation.id, "to": user} | ({"thread_ts": thread_ts} if thread_ts else {})
    world.ephemerals.append(message)
    world.changed.notify_all()
    return message


def _own(world: World, args: Json, error: str) -> tuple[Conversation, str]:
    conversation = arguments.seen(world, arguments.required(args, "channel"))
    ts = arguments.required(args, "ts")
    message = conversation.messages.get(ts)
    if message is None or message.get("subtype") == "tombstone":
        raise Refusal("message_not_found")
    if message.get("bot_id") != world.workspace.bot_id:
        raise Refusal(error)
    if conversation.archived:
        raise Refusal("is_archived")
    if not world.bot_in(conversation):
        raise Refusal("not_in_channel")
    return conversation, ts


def update(world: World, args: Json) -> Json:
    """chat.update: text without blocks takes the old blocks away, blocks without text keep the old text."""
    conversation, ts = _own(world, args, "cant_update_message")
    before = conversation.messages[ts]
    merged = {"text": before["text"], **args}
    if "text" not in args and "blocks" not in args:
        merged["blocks"] = before.get("blocks", [])
    text, blocks = content(merged)
    bot = world.workspace.bot_user_id
    message = messages.edit(world, conversation, ts, bot, text=text, blocks=blocks or [], metadata=metadata(args))
    return {"channel": conversation.id, "ts": ts, "text": text, "message": dict(message)}


def delete(world: World, args: Json) -> Json:
    """chat.delete."""
    conversation, ts = _own(world, args, "cant_delete_message")
    messages.delete(world, conversation, ts)
    return {"channel": conversation.id, "ts": ts}


def get_permalink(world: World, args: Json) -> Json:
    """chat.getPermalink."""
    conversation = arguments.seen(world, arguments.required(args, "channel"))
    ts = arguments.required(args, "message_ts")
    message = conversation.messages.get(ts)
    if message is None:
        raise Refusal("message_not_found")
    return {"channel": conversation.id, "permalink": permalink(world, conversation, message)}


def permalink(world: World, conversation: Conversation, message: Json) -> str:
    """Return a message's address."""
    stem = f"https://{world.workspace.domain}.slack.com/archives/{conversation.id}/p{message['ts'].replace('.', '')}"
    thread = message.get("thread_ts", message["ts"])
    return stem if thread == message["ts"] else f"{stem}?thread_ts={thread}&cid={conversation.id}"


def add_reaction(world: World, args: Json) -> Json:
    """reactions.add."""
    name, ts = arguments.required(args, "name"), arguments.required(args, "timestamp")
    conversation = arguments.joined(world, arguments.required(args, "channel"))
    _check_ts(ts)
    if conversation.archived:
        raise Refusal("is_archived")
    messages.react(world, conversation, ts, world.workspace.bot_user_id, name)
    return {}


def remove_reaction(world: World, args: Json) -> Json:
    """reactions.remove."""
    name, ts = arguments.required(args, "name"), arguments.required(args, "timestamp")
    conversation = arguments.joined(world, arguments.required(args, "channel"))
    messages.unreact(world, conversation, ts, world.workspace.bot_user_id, name)
    return {}


def get_reactions(world: World, args: Json) -> Json:
    """reactions.get."""
    conversation = arguments.joined(world, arguments.required(args, "channel"))
    message = conversation.messages.get(arguments.required(args, "timestamp"))
    if message is None:
        raise Refusal("message_not_found")
    return {"type": "message", "channel": conversation.id, "message": dict(message)}


def _check_ts(ts: str) -> None:
    try:
        ts_order(ts)
    except ValueError:
        raise Refusal("bad_timestamp") from None
