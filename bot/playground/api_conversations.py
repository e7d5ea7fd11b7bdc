"""Web API: conversations.*, users.*, team.info and bots.info."""

from __future__ import annotations

from bot.playground import arguments, messages
from bot.playground.clock import ts_order
from bot.playground.refusal import Refusal
from bot.playground.world import Conversation, Json, World, visible

_TYPES = ("public_channel", "private_channel", "im", "mpim")
PAGE = 100
"""Rows of a page where no limit is given (Slack: 100)."""
LARGEST_PAGE = 1000
"""Rows of a page at most (Slack: under 1000)."""


def kind_of(conversation: Conversation) -> str:
    """Return the type by which lists name a conversation."""
    if conversation.kind != "channel":
        return conversation.kind
    return "private_channel" if conversation.private else "public_channel"


def described(world: World, conversation: Conversation) -> Json:
    """Return Slack's JSON for a conversation, as the bot sees it."""
    home = world.workspace.team_id
    about: Json = {
        "id": conversation.id,
        "created": conversation.created,
        "creator": conversation.creator,
        "is_archived": conversation.archived,
        "is_channel": conversation.kind == "channel" and not conversation.private,
        "is_group": conversation.kind == "channel" and conversation.private,
        "is_im": conversation.kind == "im",
        "is_mpim": conversation.kind == "mpim",
        "is_private": conversation.private,
        "is_general": conversation.general,
        "is_shared": conversation.connected,
        "is_ext_shared": conversation.connected,
        "is_org_shared": False,
        "is_pending_ext_shared": False,
        "is_member": world.bot_in(conversation),
        "context_team_id": home,
        "shared_team_ids": sorted({home, *(["T0OTHER"] if conversation.connected else [])}),
        "updated": conversation.created * 1000,
    }
    if conversation.kind == "im":
        others = [member for member in conversation.members if member != world.workspace.bot_user_id]
        about |= {"user": others[0] if others else world.workspace.bot_user_id, "is_open": True}
        del about["is_member"]
    else:
        about |= {"name": conversation.name, "name_normalized": conversation.name}
        about |= {"topic": {"value": ""}, "purpose": {"value": ""}, "previous_names": []}
    return about


def info(world: World, args: Json) -> Json:
    """conversations.info."""
    conversation = arguments.seen(world, arguments.required(args, "channel"))
    about = described(world, conversation)
    if arguments.flag(args, "include_num_members"):
        about["num_members"] = len(conversation.members)
    return {"channel": about}


def types_asked(args: Json) -> tuple[str, ...]:
    """Return the types that a list was asked for; public channels where none is named."""
    types = tuple(part.strip() for part in (arguments.text(args, "types") or "public_channel").split(","))
    if any(each not in _TYPES for each in types):
        raise Refusal("invalid_types")
    return types


def _listed(world: World, args: Json) -> list[Conversation]:
    types, skip = types_asked(args), arguments.flag(args, "exclude_archived")
    return [
        each
        for each in world.conversations.values()
        if kind_of(each) in types and not (skip and each.archived) and (not each.private or world.bot_in(each))
    ]


def list_all(world: World, args: Json) -> Json:
    """conversations.list."""
    rows, cursor = arguments.page(args, _listed(world, args), default=PAGE, largest=LARGEST_PAGE)
    return {"channels": [described(world, each) for each in rows], **arguments.cursor_reply(cursor)}


def of_user(world: World, args: Json) -> Json:
    """users.conversations: of the bot, or of a person as far as the bot may know of them."""
    user = arguments.text(args, "user") or world.workspace.bot_user_id
    if user not in world.users:
        raise Refusal("user_not_found")
    listed = [each for each in _listed(world, args) if user in each.members]
    rows, cursor = arguments.page(args, listed, default=PAGE, largest=LARGEST_PAGE)
    return {"channels": [described(world, each) for each in rows], **arguments.cursor_reply(cursor)}


def members(world: World, args: Json) -> Json:
    """conversations.members: the bot must be inside; Slack has a word of its own for public channels where it isn't."""
    conversation = arguments.seen(world, arguments.required(args, "channel"))
    if not world.bot_in(conversation):
        raise Refusal("fetch_members_failed", "[ERROR] Failed to fetch members for the channel.")
    rows, cursor = arguments.page(args, conversation.members, default=PAGE, largest=LARGEST_PAGE)
    return {"members": rows, **arguments.cursor_reply(cursor)}


def _within(args: Json, rows: list[Json]) -> list[Json]:
    oldest, latest = arguments.text(args, "oldest"), arguments.text(args, "latest")
    inclusive = arguments.flag(args, "inclusive")
    try:
        low = ts_order(oldest) if oldest else (0, 0)
        high = ts_order(latest) if latest else (10**12, 0)
    except ValueError:
        raise Refusal("invalid_ts_oldest" if oldest else "invalid_ts_latest") from None
    if inclusive:
        return [row for row in rows if low <= ts_order(row["ts"]) <= high]
    return [row for row in rows if low < ts_order(row["ts"]) < high]


def _shown(args: Json, rows: list[Json]) -> list[Json]:
    copies = list(visible(rows))
    if not arguments.flag(args, "include_all_metadata"):
        for row in copies:
            row.pop("metadata", None)
    return copies


def history(world: World, args: Json) -> Json:
    """conversations.history: parents and broadcasts alone, newest first."""
    conversation = arguments.joined(world, arguments.required(args, "channel"))
    top = [
        message
        for message in conversation.messages.values()
        if message.get("thread_ts", message["ts"]) == message["ts"] or message.get("subtype") == "thread_broadcast"
    ]
    top.sort(key=lambda message: ts_order(message["ts"]), reverse=True)
    rows, cursor = arguments.page(args, _within(args, top), default=PAGE, largest=LARGEST_PAGE - 1)
    more = {"has_more": bool(cursor), "pin_count": 0}
    return {"messages": _shown(args, rows), **more, **(arguments.cursor_reply(cursor) if cursor else {})}


def replies(world: World, args: Json) -> Json:
    """conversations.replies: the parent, then its replies, oldest first; a reply's ts gives that reply alone."""
    conversation = arguments.joined(world, arguments.required(args, "channel"))
    ts = arguments.required(args, "ts")
    found = conversation.messages.get(ts)
    if found is None:
        raise Refusal("thread_not_found")
    if found.get("thread_ts", ts) != ts:
        return {"messages": _shown(args, [found]), "has_more": False}
    thread = messages.replies(conversation, ts)
    thread = thread[:1] + _within(args, thread[1:])
    rows, cursor = arguments.page(args, thread, default=LARGEST_PAGE, largest=LARGEST_PAGE)
    return {
        "messages": _shown(args, rows),
        "has_more": bool(cursor),
        **(arguments.cursor_reply(cursor) if cursor else {}),
    }


def open_direct(world: World, args: Json) -> Json:
    """conversations.open: a direct message with one person or several."""
    channel = arguments.text(args, "channel")
    if channel:
        return {"channel": described(world, arguments.seen(world, channel))}
    users = [user for user in arguments.required(args, "users").split(",") if user]
    if any(user not in world.users for user in users):
        raise Refusal("user_not_found")
    if len(users) == 1 and world.users[users[0]]["deleted"]:
        raise Refusal("user_disabled")
    conversation = world.direct(*users)
    return {"channel": described(world, conversation) if arguments.flag(args, "return_im") else {"id": conversation.id}}


def user_info(world: World, args: Json) -> Json:
    """users.info."""
    user = arguments.required(args, "user")
    if user not in world.users:
        raise Refusal("user_not_found")
    return {"user": dict(world.users[user])}


def user_list(world: World, args: Json) -> Json:
    """users.list."""
    rows, cursor = arguments.page(args, list(world.users.values()), default=LARGEST_PAGE, largest=LARGEST_PAGE)
    return {"members": [dict(row) for row in rows], **arguments.cursor_reply(cursor)}


def team_info(world: World, args: Json) -> Json:
    """team.info."""
    team = arguments.text(args, "team") or world.workspace.team_id
    if team != world.workspace.team_id:
        raise Refusal("team_not_found")
    domain = world.workspace.domain
    return {"team": {"id": team, "name": world.workspace.name, "domain": domain, "url": f"https://{domain}.slack.com/"}}


def bot_info(world: World, args: Json) -> Json:
    """bots.info."""
    bot = arguments.text(args, "bot") or world.workspace.bot_id
    for user in world.users.values():
        own = user["id"] == world.workspace.bot_user_id
        if user["is_bot"] and bot == (world.workspace.bot_id if own else user["profile"]["bot_id"]):
            app = world.workspace.app_id if own else user["profile"]["api_app_id"]
            return {
                "bot": {
                    "id": bot,
                    "name": user["name"],
                    "user_id": user["id"],
                    "app_id": app,
                    "deleted": user["deleted"],
                }
            }
    raise Refusal("bot_not_found")
