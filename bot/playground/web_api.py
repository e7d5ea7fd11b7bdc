"""Slack's Web API: which methods there are, who may call them, and how their errors look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.playground import api_chat, api_conversations, api_views, arguments
from bot.playground.membership import bring_in, take_out
from bot.playground.messages import delete, edit, post, with_ids
from bot.playground.refusal import Refusal
from bot.playground.server import Answer
from bot.playground.world import RESPONSE_URL_S, RESPONSE_URL_USES, Call, Json, ResponseUrl, World

Method = Callable[[World, Json], Json]

_FAMILY = {"public_channel": "channels", "private_channel": "groups", "im": "im", "mpim": "mpim"}


@dataclass(frozen=True, slots=True)
class Rule:
    """How a method is done and what the token must have been granted for it.

    `scope` is a scope, or ":read", ":history", ":write" for that of the conversation's type ("channels:read"); a bot's
    way of writing to public channels is called channels:manage.
    """

    act: Method
    scope: str = ""


def _auth_test(world: World, _args: Json) -> Json:
    home = world.workspace
    who = {"user_id": home.bot_user_id, "bot_id": home.bot_id, "user": home.bot_name}
    place = {"team": home.name, "team_id": home.team_id, "url": f"https://{home.domain}.slack.com/"}
    return {**who, **place, "is_enterprise_install": False}


def _join(world: World, args: Json) -> Json:
    conversation = arguments.seen(world, arguments.required(args, "channel"))
    if conversation.archived:
        raise Refusal("is_archived")
    if conversation.private:
        raise Refusal("method_not_supported_for_channel_type")
    if not world.bot_in(conversation):
        bring_in(world, conversation, world.workspace.bot_user_id)
    return {"channel": api_conversations.described(world, conversation)}


def _leave(world: World, args: Json) -> Json:
    conversation = arguments.seen(world, arguments.required(args, "channel"))
    if conversation.archived:
        raise Refusal("is_archived")
    if conversation.kind != "channel":
        raise Refusal("method_not_supported_for_channel_type")
    if conversation.general:
        raise Refusal("cant_leave_general")
    take_out(world, conversation, world.workspace.bot_user_id)
    return {}


METHODS: dict[str, Rule] = {
    "auth.test": Rule(_auth_test),
    "bots.info": Rule(api_conversations.bot_info, "users:read"),
    "chat.delete": Rule(api_chat.delete, "chat:write"),
    "chat.getPermalink": Rule(api_chat.get_permalink),
    "chat.postEphemeral": Rule(api_chat.post_ephemeral, "chat:write"),
    "chat.postMessage": Rule(api_chat.post_message, "chat:write"),
    "chat.update": Rule(api_chat.update, "chat:write"),
    "conversations.history": Rule(api_conversations.history, ":history"),
    "conversations.info": Rule(api_conversations.info, ":read"),
    "conversations.join": Rule(_join, "channels:join"),
    "conversations.leave": Rule(_leave, ":write"),
    "conversations.list": Rule(api_conversations.list_all, ":read"),
    "conversations.members": Rule(api_conversations.members, ":read"),
    "conversations.open": Rule(api_conversations.open_direct, "im:write"),
    "conversations.replies": Rule(api_conversations.replies, ":history"),
    "reactions.add": Rule(api_chat.add_reaction, "reactions:write"),
    "reactions.get": Rule(api_chat.get_reactions, "reactions:read"),
    "reactions.remove": Rule(api_chat.remove_reaction, "reactions:write"),
    "team.info": Rule(api_conversations.team_info, "team:read"),
    "users.conversations": Rule(api_conversations.of_user, ":read"),
    "users.info": Rule(api_conversations.user_info, "users:read"),
    "users.list": Rule(api_conversations.user_list, "users:read"),
    "views.open": Rule(api_views.open_view),
    "views.publish": Rule(api_views.publish),
    "views.push": Rule(api_views.push),
    "views.update": Rule(api_views.update),
}


@dataclass(slots=True)
class Trouble:
    """What a method shall suffer: an error, a 429 or a delay, so many times."""

    times: int
    error: str = ""
    retry_after_s: int = 0
    delay_s: float = 0.0


@dataclass(slots=True)
class WebApi:
    """Answers requests to `/api/METHOD` and to response_urls, and keeps a record of them."""

    world: World
    bot_token: str
    app_token: str
    open_socket: Callable[[], str]
    troubles: dict[str, list[Trouble]] = field(default_factory=dict)

    def call(self, method: str, token: str, args: Json) -> tuple[Answer, float]:
        """Do what a request asks; returns its answer and how many seconds that shall take."""
        with self.world.changed:
            trouble = self._next_trouble(method)
            delay_s = trouble.delay_s if trouble else 0.0
            if trouble and trouble.retry_after_s:
                answer: Answer = 429, {"ok": False, "error": "ratelimited"}, {"Retry-After": str(trouble.retry_after_s)}
            elif trouble and trouble.error:
                answer = 200, {"ok": False, "error": trouble.error}, {}
            else:
                answer = self._answer(method, token, args)
            self._record(method, args, answer[1])
            return answer, delay_s

    def _next_trouble(self, method: str) -> Trouble | None:
        waiting = self.troubles.get(method) or self.troubles.get("*") or []
        while waiting:
            if waiting[0].times > 0:
                waiting[0].times -= 1
                return waiting[0]
            waiting.pop(0)
        return None

    def _record(self, method: str, args: Json, reply: Json) -> None:
        world = self.world
        world.calls.append(Call(method=method, args=args, error=reply.get("error", ""), reply=reply, at=world.clock()))
        world.changed.notify_all()

    def _answer(self, method: str, token: str, args: Json) -> Answer:
        headers = {"X-OAuth-Scopes": ",".join(self.world.workspace.scopes)}
        try:
            return 200, {"ok": True, **self._done(method, token, args)}, headers
        except Refusal as refusal:
            return 200, refusal.reply(), headers

    def _done(self, method: str, token: str, args: Json) -> Json:
        if method != "apps.connections.open" and method not in METHODS:
            raise Refusal("unknown_method", req_method=method)
        if not token:
            raise Refusal("not_authed")
        if token not in (self.bot_token, self.app_token):
            raise Refusal("invalid_auth")
        if not self.world.installed:
            raise Refusal("account_inactive")
        if (method == "apps.connections.open") != (token == self.app_token):
            raise Refusal("not_allowed_token_type")
        if method == "apps.connections.open":
            return {"url": self.open_socket()}
        rule = METHODS[method]
        self._check_scope(rule.scope, args)
        return rule.act(self.world, args)

    def _check_scope(self, scope: str, args: Json) -> None:
        if not scope:
            return
        granted = self.world.workspace.scopes
        for needed in self._needed(scope, args):
            if needed not in granted:
                raise Refusal("missing_scope", needed=needed, provided=",".join(granted))

    def _needed(self, scope: str, args: Json) -> list[str]:
        if not scope.startswith(":"):
            several = scope == "im:write" and "," in arguments.text(args, "users")
            return ["mpim:write" if several else scope]
        if "channel" in args:
            conversation = self.world.conversations.get(arguments.text(args, "channel"))
            types = [api_conversations.kind_of(conversation)] if conversation else []
        else:
            types = list(api_conversations.types_asked(args))
        return [("channels:manage" if (f := _FAMILY[each] + scope) == "channels:write" else f) for each in types]

    # --- response_urls ---

    def respond(self, secret: str, body: bytes) -> Answer:
        """Do what a response_url was sent: five times within 30 minutes, in any channel, the bot in it or not."""
        with self.world.changed:
            args: Json = {}
            try:
                target = self._target(secret)
                args = arguments.payload(body)
                target.uses += 1
                _respond(self.world, target, args)
                answer: Answer = 200, {"ok": True}, {}
            except Refusal as refusal:
                gone = refusal.code in ("used_url", "expired_url", "no_such_url")
                answer = 404 if gone else 400, refusal.reply(), {}
            self._record("response_url", args, answer[1])
            return answer

    def _target(self, secret: str) -> ResponseUrl:
        target = self.world.response_urls.get(secret)
        if target is None:
            raise Refusal("no_such_url")
        if self.world.micros() - target.at > RESPONSE_URL_S * 1_000_000:
            raise Refusal("expired_url")
        if target.uses >= RESPONSE_URL_USES:
            raise Refusal("used_url")
        return target


def _respond(world: World, target: ResponseUrl, args: Json) -> None:
    """Post, replace or delete.

    Only the message that a button stands on can be replaced. Through a slash command's response_url there is none:
    Slack posts a new message each time (slackapi/bolt-js#2287).
    """
    if arguments.flag(args, "delete_original"):
        _drop(world, target)
        return
    text, blocks = api_chat.content(args)
    if arguments.flag(args, "replace_original") and target.original:
        target.posted.append(_replace(world, target, text, blocks or []))
        return
    thread_ts = arguments.text(args, "thread_ts") or target.thread_ts
    conversation = world.conversations[target.channel]
    if args.get("response_type", "ephemeral") == "in_channel":
        bot = world.workspace.bot_user_id
        message = post(world, conversation, bot, text, blocks=blocks or [], thread_ts=thread_ts)
    else:
        message = api_chat.whisper(world, conversation, target.user, text, blocks or [], thread_ts=thread_ts)
    target.posted.append(message)


def _replace(world: World, target: ResponseUrl, text: str, blocks: list[Json]) -> Json:
    if target.ephemeral:
        shown = next((each for each in world.ephemerals if each["ts"] == target.original), None)
        if shown is None:
            raise Refusal("message_not_found")
        shown |= {"text": text, "blocks": with_ids(blocks)}
        world.changed.notify_all()
        return shown
    conversation = world.conversations[target.channel]
    if target.original not in conversation.messages:
        raise Refusal("message_not_found")
    return edit(world, conversation, target.original, world.workspace.bot_user_id, text=text, blocks=blocks)


def _drop(world: World, target: ResponseUrl) -> None:
    if target.ephemeral:
        world.ephemerals[:] = [each for each in world.ephemerals if each["ts"] != target.original]
        world.changed.notify_all()
    elif target.original in world.conversations[target.channel].messages:
        delete(world, world.conversations[target.channel], target.original)
