"""Slack's Web API as the bot uses it: explicit limits, and errors in the bot's own words.

Nothing but `PatientClient` sleeps for Slack's sake: a 429 becomes `Transient` with Slack's own Retry-After, and whoever
works the delivery puts it back until then. What Slack refuses is `Refused` with Slack's code, which callers compare.
Writes are never repeated by the client: a post whose reply was lost may stand, so its caller looks first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import URLError

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web import SlackResponse
from slack_sdk.webhook import WebhookClient

from bot.errors import Permanent, Transient
from store import failpoints

TIMEOUT_S = 5
"""Seconds for one call: Slack answers in well under one; a question has 15 in all."""
PAGE = 200
"""Objects a page: Slack advises at most 200 for history and replies."""
LIST_PAGE = 999
"""Objects a page of lists of ids or channels (limit 1,000)."""
THREAD_MAX = 2_000
"""Messages read of one thread; the longest seen in the wild have about 1,000."""
LINKS_HELD = 20_000
"""Addresses kept in memory, some 4 MB; they are in the log as well."""
MOST_WAITS, MOST_OUTAGES, MOST_WAIT_S = 30, 5, 300.0
"""How often a patient reader waits for one page, how often of these for a Slack that doesn't answer, and how many
seconds at a time: a limit is lifted within a minute, for whoever isn't alone within a few."""
METADATA_KIND = "backstory_post"
"""The event_type of the metadata by which the bot finds its own post again."""

THREAD_GONE = frozenset({"thread_not_found", "message_not_found"})
"""What Slack says of a thread whose first message is gone with all its replies."""

_AWAY = frozenset(
    {"fatal_error", "internal_error", "ratelimited", "request_timeout", "service_unavailable", "team_added_to_org"}
)

Json = Mapping[str, Any]


class Refused(Permanent):
    """Slack said no; `code` is its own word for why ("channel_not_found")."""

    def __init__(self, method: str, code: str) -> None:
        """Keep Slack's code."""
        super().__init__(f"{method}: {code}")
        self.code = code


class SlackClient:
    """The calls that the bot makes, each with its limit; thread-safe."""

    def __init__(self, web: WebClient) -> None:
        """Wrap a client: its token and address are used, its timeouts and retries are not."""
        self._web = WebClient(
            token=web.token, base_url=web.base_url, timeout=TIMEOUT_S, retry_handlers=[], logger=web.logger
        )
        self._links: dict[tuple[str, str], str] = {}
        self._links_lock = threading.Lock()
        self._kinds = ",".join(_KINDS.values())

    # --- writing ---

    def post(self, channel: str, body: Json, *, thread_ts: str = "", key: str = "") -> str:
        """Post a message and return its `ts`; `key` goes along as metadata so that `find_post` finds it."""
        more: dict[str, Any] = {"thread_ts": thread_ts} if thread_ts else {}
        if key:
            more["metadata"] = {"event_type": METADATA_KIND, "event_payload": {"key": key}}
        return self._posted(channel, body, more)[1]

    def post_to_person(self, user: str, body: Json, *, key: str) -> tuple[str, str]:
        """Post a direct message; returns its conversation and its `ts`. Slack opens the conversation by itself."""
        metadata = {"event_type": METADATA_KIND, "event_payload": {"key": key}}
        return self._posted(user, body, {"metadata": metadata})

    def _posted(self, channel: str, body: Json, more: Json) -> tuple[str, str]:
        failpoints.hit("post.before")
        reply = self._call("chat.postMessage", channel=channel, unfurl_links=False, unfurl_media=False, **body, **more)
        failpoints.hit("post.after")
        return str(reply["channel"]), str(reply["ts"])

    def update(self, channel: str, ts: str, body: Json) -> None:
        """Put other words in place of a message of the bot."""
        self._call("chat.update", channel=channel, ts=ts, **body)

    def delete(self, channel: str, ts: str) -> None:
        """Delete a message of the bot; gone already is gone."""
        try:
            self._call("chat.delete", channel=channel, ts=ts)
        except Refused as refused:
            if refused.code not in ("message_not_found", "channel_not_found"):
                raise

    def ephemeral(self, channel: str, user: str, body: Json, *, thread_ts: str = "") -> None:
        """Show something to one person in a channel that the bot is in."""
        more = {"thread_ts": thread_ts} if thread_ts else {}
        self._call("chat.postEphemeral", channel=channel, user=user, **body, **more)

    def respond(self, response_url: str, body: Json, *, replace: bool = False) -> None:
        """Answer where somebody typed or pressed, also where the bot is no member: to that person alone.

        A response_url takes five answers within 30 minutes.
        """
        webhook = WebhookClient(response_url, timeout=TIMEOUT_S, retry_handlers=[], logger=self._web.logger)
        words = {"response_type": "ephemeral", **body, "replace_original": replace}
        failpoints.hit("post.before")
        try:
            reply = webhook.send_dict(words)
        except (SlackClientError, URLError, OSError, HTTPException) as error:
            raise Transient(f"response_url: {type(error).__name__}") from error
        failpoints.hit("post.after")
        if reply.status_code == 429:
            raise Transient("response_url: ratelimited", retry_after_s=_seconds(reply.headers))
        if reply.status_code >= 500:
            raise Transient(f"response_url: HTTP {reply.status_code}")
        if reply.status_code != 200:
            raise Refused("response_url", reply.body[:80])

    def open_view(self, trigger_id: str, view: Json) -> str:
        """Open a modal and return its id; a trigger lives three seconds and opens one."""
        return str(self._call("views.open", trigger_id=trigger_id, view=view)["view"]["id"])

    def push_view(self, trigger_id: str, view: Json) -> str:
        """Lay a modal over the one in which somebody pressed something, and return its id; at most three lie there."""
        return str(self._call("views.push", trigger_id=trigger_id, view=view)["view"]["id"])

    def update_view(self, view_id: str, view: Json) -> None:
        """Put another view in place of an open modal."""
        self._call("views.update", view_id=view_id, view=view)

    def publish_home(self, user: str, view: Json) -> None:
        """Show somebody's Home."""
        self._call("views.publish", user_id=user, view=view)

    def react(self, channel: str, ts: str, name: str) -> None:
        """Put an emoji on a message; Slack refuses the second time ("already_reacted")."""
        self._call("reactions.add", channel=channel, timestamp=ts, name=name)

    def unreact(self, channel: str, ts: str, name: str) -> None:
        """Take the bot's emoji off a message; Slack refuses where there is none ("no_reaction")."""
        self._call("reactions.remove", channel=channel, timestamp=ts, name=name)

    def history(
        self, channel: str, *, oldest: str, latest: str = "", cursor: str = ""
    ) -> tuple[list[dict[str, Any]], str]:
        """Return one page of a channel's messages after `oldest` and before `latest`, and the cursor of the next one.

        Newest first. Replies are not among them; a parent says how many it has. The cursor is "" at the end.
        """
        more = {name: value for name, value in (("latest", latest), ("cursor", cursor)) if value}
        page = self._call("conversations.history", channel=channel, oldest=oldest, limit=PAGE, **more)
        return list(page["messages"]), str((page.get("response_metadata") or {}).get("next_cursor") or "")

    def leave(self, channel: str) -> None:
        """Leave a channel."""
        self._call("conversations.leave", channel=channel)

    # --- reading ---

    def me(self) -> dict[str, Any]:
        """Return auth.test: team_id, user_id, bot_id; what the token may read is known from then on."""
        reply = self._reply("auth.test")
        self._kinds = _kinds(reply.headers)
        return _data(reply)

    def user(self, user: str) -> dict[str, Any]:
        """Return one person as users.info has them."""
        return dict(self._call("users.info", user=user)["user"])

    def users(self) -> list[dict[str, Any]]:
        """Return everybody of the workspace."""
        return [person for page in self._pages("users.list", limit=PAGE) for person in page["members"]]

    def channel(self, channel: str) -> dict[str, Any]:
        """Return a conversation as conversations.info has it."""
        return dict(self._call("conversations.info", channel=channel)["channel"])

    def members(self, channel: str) -> list[str]:
        """Return the ids of everybody in a conversation that the bot is in."""
        return [
            who
            for page in self._pages("conversations.members", channel=channel, limit=LIST_PAGE)
            for who in page["members"]
        ]

    def channels_of(self, user: str) -> list[dict[str, Any]]:
        """Return the conversations of a person, of the kinds that the token may read; private ones of the bot alone."""
        pages = self._pages("users.conversations", user=user, types=self._kinds, limit=LIST_PAGE)
        return [channel for page in pages for channel in page["channels"]]

    def direct_with(self, user: str) -> str:
        """Return the bot's conversation with one person, "" where there is none yet."""
        pages = self._pages("users.conversations", types="im", limit=LIST_PAGE)
        return next((str(one["id"]) for page in pages for one in page["channels"] if one.get("user") == user), "")

    def thread(self, channel: str, ts: str) -> list[dict[str, Any]]:
        """Return the whole thread in which a message stands, whether `ts` is its root or a reply."""
        messages = list(self._replies(channel, ts))
        root = str(messages[0].get("thread_ts") or ts) if messages else ts
        return messages if root == ts else list(self._replies(channel, root))

    def message(self, channel: str, ts: str) -> dict[str, Any] | None:
        """Return one message, a thread's first or a reply; None where Slack has none of that `ts`.

        Raises:
            Refused: `is_limited` where the workspace's plan hides what is that old, so that nobody can know.
        """
        try:
            found = self._call("conversations.replies", channel=channel, ts=ts, limit=1)["messages"]
        except Refused as refused:
            if refused.code not in THREAD_GONE:
                raise
            page = self._call("conversations.history", channel=channel, latest=ts, inclusive=True, limit=1)
            if page.get("is_limited"):
                raise Refused("conversations.history", "is_limited") from refused
            found = page["messages"]
        return next((message for message in found if message.get("ts") == ts), None)

    def find_post(self, channel: str, thread_ts: str, key: str) -> str:
        """Return the `ts` of the bot's post with that key, or "" where there is none.

        Looks in a thread, or with no `thread_ts` among the channel's latest messages (one page).
        """
        latest = {"channel": channel, "limit": PAGE, "include_all_metadata": True}
        in_thread = self._replies(channel, thread_ts, include_all_metadata=True) if thread_ts else ()
        for message in in_thread or self._call("conversations.history", **latest)["messages"]:
            metadata = message.get("metadata") or {}
            if metadata.get("event_type") == METADATA_KIND and (metadata.get("event_payload") or {}).get("key") == key:
                return str(message["ts"])
        return ""

    def permalink(self, channel: str, ts: str) -> str:
        """Return a message's address as Slack gives it, asked for once; "" where Slack has none."""
        with self._links_lock:
            known = self._links.get((channel, ts))
        if known is not None:
            return known
        try:
            link = str(self._call("chat.getPermalink", channel=channel, message_ts=ts)["permalink"])
        except Refused:
            link = ""
        with self._links_lock:
            if len(self._links) >= LINKS_HELD:
                self._links.clear()
            self._links[channel, ts] = link
        return link

    def _replies(self, channel: str, ts: str, **more: Any) -> Iterator[dict[str, Any]]:
        seen = 0
        for page in self._pages("conversations.replies", channel=channel, ts=ts, limit=PAGE, **more):
            yield from page["messages"]
            seen += len(page["messages"])
            if seen >= THREAD_MAX:
                return

    def _pages(self, method: str, **arguments: Any) -> Iterator[dict[str, Any]]:
        cursor = ""
        while True:
            page = self._call(method, **arguments, **({"cursor": cursor} if cursor else {}))
            yield page
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return

    def _call(self, method: str, **arguments: Any) -> dict[str, Any]:
        return _data(self._reply(method, **arguments))

    def _reply(self, method: str, **arguments: Any) -> SlackResponse:
        try:
            return (
                self._web.api_call(method, json=arguments)
                if method in _AS_JSON
                else self._web.api_call(method, params=arguments)
            )
        except SlackApiError as error:
            code = str(error.response.get("error", "")) if isinstance(error.response.data, dict) else "not_json"
            if error.response.status_code == 429 or code in _AWAY or error.response.status_code >= 500:
                raise Transient(f"{method}: {code}", retry_after_s=_seconds(error.response.headers)) from error
            raise Refused(method, code) from error
        except (SlackClientError, URLError, OSError, HTTPException) as error:
            raise Transient(f"{method}: {type(error).__name__}") from error


class PatientClient(SlackClient):
    """The same for work that only reads and for which nobody waits: it waits as long as Slack asks, and tries again.

    A Slack that doesn't answer is waited for only once it has: an address may be wrong.
    """

    def __init__(self, web: WebClient, pause: Callable[[float], None]) -> None:
        """Wrap a client; `pause` waits that many seconds."""
        super().__init__(web)
        self._pause = pause
        self._answered = False

    def _reply(self, method: str, **arguments: Any) -> SlackResponse:
        waits = outages = 0
        while True:
            try:
                reply = super()._reply(method, **arguments)
                self._answered = True
            except Transient as away:
                waits, outages = waits + 1, outages + (away.retry_after_s is None)
                if waits > MOST_WAITS or outages > (MOST_OUTAGES if self._answered else 0):
                    raise
                said = away.retry_after_s
                self._pause(2.0**outages if said is None else min(said, MOST_WAIT_S))
            else:
                return reply


def _data(reply: SlackResponse) -> dict[str, Any]:
    return dict(reply.data) if isinstance(reply.data, dict) else {}


_KINDS = {"channels:read": "public_channel", "groups:read": "private_channel", "mpim:read": "mpim", "im:read": "im"}
"""The kinds of conversations by the scope that lists them; asking for one without its scope is refused as a whole."""


def granted_scopes(headers: Mapping[str, Any]) -> frozenset[str] | None:
    """Return the scopes of the token that a reply of Slack names in its headers; None where it names none."""
    told = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), None)
    if told is None:
        return None
    return frozenset(scope.strip() for scope in str(told[0] if isinstance(told, list) else told).split(","))


def _kinds(headers: Mapping[str, Any]) -> str:
    granted = granted_scopes(headers)
    return ",".join(kind for scope, kind in _KINDS.items() if granted is None or scope in granted)


_AS_JSON = frozenset({"chat.postMessage", "chat.update", "chat.postEphemeral"}) | frozenset(
    {"views.open", "views.push", "views.update", "views.publish"}
)
"""Methods that take blocks or views: sent as JSON, the others as a form, which every method takes."""


def _seconds(headers: Mapping[str, Any]) -> float | None:
    """Read Retry-After, which comes in whole seconds and in either spelling."""
    for name, value in headers.items():
        if name.lower() == "retry-after":
            text = str(value[0] if isinstance(value, list) else value)
            return float(text) if text.isdigit() else None
    return None
