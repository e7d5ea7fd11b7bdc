"""Who is where: joining, leaving, channels that change, accounts that come and go, with the events of each."""

from __future__ import annotations

from bot.playground.messages import post
from bot.playground.refusal import Refusal
from bot.playground.world import Conversation, Json, World


def _short_type(conversation: Conversation) -> str:
    return "G" if conversation.channel_type in ("group", "mpim") else "C"


def _named(conversation: Conversation, what: str) -> str:
    """Return the event's name for this kind of channel: `channel_archive` or `group_archive`."""
    return f"{'group' if conversation.channel_type == 'group' else 'channel'}_{what}"


def bring_in(world: World, conversation: Conversation, user: str, *, inviter: str = "") -> None:
    """Make somebody a member: a line in the channel and member_joined_channel."""
    if conversation.archived:
        raise Refusal("is_archived")
    if user in conversation.members:
        raise Refusal("already_in_channel")
    conversation.members.append(user)
    line: Json = {"subtype": _named(conversation, "join")} | ({"inviter": inviter} if inviter else {})
    post(world, conversation, user, f"<@{user}> has joined the channel", blocks=[], fields=line)
    event = {
        "type": "member_joined_channel",
        "user": user,
        "channel": conversation.id,
        "channel_type": _short_type(conversation),
        "team": world.users[user]["team_id"],
        "event_ts": world.next_ts(),
    }
    world.emit(event | ({"inviter": inviter} if inviter else {}), conversation)


def take_out(world: World, conversation: Conversation, user: str, *, by: str = "") -> None:
    """End somebody's membership; the bot's own is told as channel_left or group_left."""
    if user not in conversation.members:
        raise Refusal("not_in_channel")
    if user == world.workspace.bot_user_id:
        conversation.members.remove(user)
        stamp = world.next_ts()
        event = {
            "type": _named(conversation, "left"),
            "channel": conversation.id,
            "actor_id": by or user,
            "event_ts": stamp,
        }
        world.emit(event, conversation, always=True)
        return
    post(
        world,
        conversation,
        user,
        f"<@{user}> has left the channel",
        blocks=[],
        fields={"subtype": _named(conversation, "leave")},
    )
    conversation.members.remove(user)
    world.emit(
        {
            "type": "member_left_channel",
            "user": user,
            "channel": conversation.id,
            "channel_type": _short_type(conversation),
            "team": world.users[user]["team_id"],
            "event_ts": world.next_ts(),
        },
        conversation,
    )


def archive(world: World, conversation: Conversation, by: str) -> None:
    """Archive a channel; Slack takes the bot out of it."""
    if conversation.archived:
        raise Refusal("already_archived")
    subtype = _named(conversation, "archive")
    post(world, conversation, by, f"<@{by}> archived the channel", blocks=[], fields={"subtype": subtype})
    conversation.archived = True
    event = {"type": subtype, "channel": conversation.id, "user": by, "is_moved": 0, "event_ts": world.next_ts()}
    world.emit(event, conversation)
    if world.bot_in(conversation):
        take_out(world, conversation, world.workspace.bot_user_id, by=by)


def unarchive(world: World, conversation: Conversation, by: str) -> None:
    """Open an archived channel again; the bot stays outside until somebody invites it."""
    conversation.archived = False
    event = {
        "type": _named(conversation, "unarchive"),
        "channel": conversation.id,
        "user": by,
        "event_ts": world.next_ts(),
    }
    world.emit(event, conversation, always=not conversation.private)


def convert(world: World, conversation: Conversation, by: str, *, private: bool) -> None:
    """Make a channel private or public."""
    if conversation.private == private:
        raise Refusal("method_not_supported_for_channel_type")
    word = "private" if private else "public"
    conversation.private = private
    line = {"subtype": f"channel_convert_to_{word}"}
    post(world, conversation, by, f"made this channel {word}", blocks=[], fields=line)


def rename(world: World, conversation: Conversation, by: str, name: str) -> None:
    """Give a channel another name."""
    old, conversation.name = conversation.name, name
    fields = {"subtype": _named(conversation, "name"), "old_name": old, "name": name}
    post(world, conversation, by, f"has renamed the channel from {old} to {name}", blocks=[], fields=fields)
    about = {"id": conversation.id, "name": name, "created": conversation.created}
    event = {"type": _named(conversation, "rename"), "channel": about, "event_ts": world.next_ts()}
    world.emit(event, conversation, always=not conversation.private)


def remove(world: World, conversation: Conversation, by: str) -> None:
    """Delete a channel with all that was said in it."""
    event = {
        "type": _named(conversation, "deleted"),
        "channel": conversation.id,
        "actor_id": by,
        "event_ts": world.next_ts(),
    }
    told = world.bot_in(conversation) or not conversation.private
    del world.conversations[conversation.id]
    if told:
        world.emit(event, conversation, always=True)


def share(world: World, conversation: Conversation, *, shared: bool, team: str) -> None:
    """Share a channel with another workspace, or end that."""
    conversation.connected = shared
    event: Json = {"type": "channel_shared" if shared else "channel_unshared", "channel": conversation.id}
    event |= {"connected_team_id": team} if shared else {"previously_connected_team_id": team, "is_ext_shared": False}
    world.emit(event | {"event_ts": world.next_ts()}, conversation)


def change_id(world: World, conversation: Conversation, new_id: str) -> None:
    """Give a channel another id, as Connect and migrations do."""
    old = conversation.id
    del world.conversations[old]
    conversation.id = new_id
    world.conversations[new_id] = conversation
    event = {"type": "channel_id_changed", "old_channel_id": old, "new_channel_id": new_id, "event_ts": world.next_ts()}
    world.emit(event, conversation)


def user_changed(world: World, user: Json) -> None:
    """Tell the app that an account has changed."""
    user["updated"] = world.micros() // 1_000_000
    stamp = world.next_ts()
    world.emit({"type": "user_change", "user": user, "cache_ts": user["updated"], "event_ts": stamp})


def deactivate(world: World, user: Json) -> None:
    """Deactivate an account: it leaves every channel without a word."""
    user["deleted"] = True
    for conversation in world.conversations.values():
        if user["id"] in conversation.members and conversation.kind == "channel":
            conversation.members.remove(user["id"])
    user_changed(world, user)


def uninstall(world: World) -> None:
    """Remove the app: its token dies, tokens_revoked and app_uninstalled come."""
    stamp = world.next_ts()
    tokens = {"oauth": [], "bot": [world.workspace.bot_user_id]}
    world.emit({"type": "tokens_revoked", "tokens": tokens, "event_ts": stamp})
    world.emit({"type": "app_uninstalled", "event_ts": stamp})
    world.installed = False
