"""A Slack workspace on this machine: real enough for the real app, strict where Slack is.

The app talks to `api_url` with slack_sdk and Bolt as they are; people are driven, and what they see is read, through
the methods of `Playground`, which may be called from any thread. It binds 127.0.0.1 alone.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from types import TracebackType
from typing import Any

from bot.playground.acting import Acting
from bot.playground.api_chat import permalink
from bot.playground.clock import machine_time, ts_order
from bot.playground.courier import ACK_TIMEOUT_S, RETRY_DELAYS_S, Courier, Delivery
from bot.playground.messages import replies
from bot.playground.people import Workspace, small_workspace
from bot.playground.refusal import Refusal
from bot.playground.screen import screen
from bot.playground.server import CLOSE, Server
from bot.playground.talking import Talking
from bot.playground.web_api import Trouble, WebApi
from bot.playground.world import Call, Json, World, visible

QUIET_S = 0.15
"""Seconds without anything happening after which `settle` believes that all is done."""


class Playground(Talking, Acting):
    """One workspace with one app in it; a context manager that serves while it is open."""

    def __init__(
        self,
        workspace: Workspace | None = None,
        *,
        clock: Callable[[], datetime] = machine_time,
        ack_timeout_s: float = ACK_TIMEOUT_S,
        retry_delays_s: tuple[float, ...] = RETRY_DELAYS_S,
    ) -> None:
        """Set up, without serving yet.

        Args:
            workspace: who and what there is; `small_workspace()` where left out.
            clock: gives `ts` values and measures the limits of 3 s and 30 minutes (aware UTC).
            ack_timeout_s: real seconds within which an ack must come.
            retry_delays_s: real seconds before each retry of an event; () retries nothing.
        """
        self.world = World(workspace or small_workspace(), clock)
        self.ack_timeout_s = ack_timeout_s
        self.bot_token = f"xoxb-playground-{secrets.token_hex(8)}"
        self.app_token = f"xapp-playground-{secrets.token_hex(8)}"
        self.signing_secret = secrets.token_hex(16)
        self.courier = Courier(
            self.world, signing_secret=self.signing_secret, ack_timeout_s=ack_timeout_s, retry_delays_s=retry_delays_s
        )
        self.world.send = self.courier.send
        self._tickets: set[str] = set()
        self._api = WebApi(self.world, self.bot_token, self.app_token, self._new_socket)
        self._server = Server(
            api=self._api.call,
            respond=self._api.respond,
            ticket=self._take_ticket,
            opened=self._opened,
            received=self.courier.received,
            closed=self.courier.disconnect,
            ready=self._ready,
        )

    # --- life ---

    def __enter__(self) -> Playground:
        """Start serving."""
        self._server.start()
        self.world.base_url = self._server.url
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop serving and close every socket."""
        self.courier.stop()
        self._server.stop()

    @property
    def url(self) -> str:
        """Where it serves, "" before it does."""
        return self._server.url

    @property
    def api_url(self) -> str:
        """The Web API: `WebClient(base_url=…)`."""
        return f"{self._server.url}/api/"

    def _ready(self, loop: asyncio.AbstractEventLoop) -> None:
        self.courier.start(loop)

    def _new_socket(self) -> str:
        ticket = secrets.token_urlsafe(18)
        self._tickets.add(ticket)
        return f"{self.url.replace('http', 'ws', 1)}/link/{ticket}?app_id={self.world.workspace.app_id}"

    def _take_ticket(self, ticket: str) -> bool:
        with self.world.changed:
            known = ticket in self._tickets
            self._tickets.discard(ticket)
            return known

    def _opened(self, ticket: str, sender: Callable[[str], Awaitable[None]]) -> None:
        self.courier.connect(ticket, sender)

    # --- deliveries ---

    @property
    def mention(self) -> str:
        """The bot's name as messages hold it: `<@UBACKSTORY>`."""
        return f"<@{self.world.workspace.bot_user_id}>"

    @property
    def deliver_twice(self) -> bool:
        """Whether each thing is delivered twice, in two envelopes with the same ids inside."""
        return self.courier.twice

    @deliver_twice.setter
    def deliver_twice(self, twice: bool) -> None:
        self.courier.twice = twice

    def deliver_to(self, request_url: str) -> None:
        """Send signed requests to that URL instead of using sockets ("" for sockets)."""
        with self.world.changed:
            self.courier.request_url = request_url
            self.courier.release()

    def hold(self) -> None:
        """Keep deliveries back until `release`."""
        self.courier.held = True

    def release(self) -> None:
        """Send what was kept back, in order."""
        self.courier.held = False
        self.courier.release()

    def deliver(self, event: Json, channel: str = "") -> Delivery:
        """Deliver an event of one's own making, such as one of a kind that the app doesn't know."""
        with self.world.changed:
            conversation = self.world.conversation(channel) if channel else None
            return self.courier.send("events_api", self.world.envelope(event, conversation))

    def redeliver(self, delivery: Delivery, *, retry: int = 1, reason: str = "http_timeout") -> None:
        """Deliver the same thing again as Slack's nth retry."""
        self.courier.resend(delivery, retry=retry, reason=reason)

    def signed(self, delivery: Delivery, *, retry: int = 0, reason: str = "") -> tuple[bytes, dict[str, str]]:
        """Return body and headers of a delivery as a signed HTTP request, for `App.dispatch`."""
        return self.courier.signed(delivery, retry=retry, reason=reason)

    def deliveries(self, name: str = "") -> tuple[Delivery, ...]:
        """Return what was told to the app, oldest first; `name`: "app_mention", "message.channel_join", "/why" …"""
        with self.world.changed:
            return tuple(each for each in self.courier.deliveries if not name or each.name == name)

    def acks(self, name: str = "") -> tuple[float, ...]:
        """Return the milliseconds that each acked delivery took to its first ack."""
        return tuple(each.ack_ms for each in self.deliveries(name) if each.ack_ms is not None)

    def sockets(self) -> int:
        """Return how many sockets the app has open."""
        return self.courier.sockets()

    def disconnect(self) -> None:
        """Tell the app that its sockets will close (it opens new ones), as Slack does every few hours."""
        self.courier.broadcast(json.dumps({"type": "disconnect", "reason": "refresh_requested", "debug_info": {}}))

    def drop_sockets(self) -> None:
        """Close the sockets without a word."""
        self.courier.broadcast(CLOSE)

    # --- troubles on demand ---

    def limit(self, method: str, retry_after_s: int = 1, times: int = 1) -> None:
        """Answer 429 with Retry-After the next times that a method ("*": any) is called."""
        self._trouble(method, Trouble(times=times, retry_after_s=retry_after_s))

    def fail(self, method: str, error: str, times: int = 1) -> None:
        """Answer with that error the next times that a method is called."""
        self._trouble(method, Trouble(times=times, error=error))

    def slow(self, method: str, seconds: float, times: int = 1) -> None:
        """Do as asked, but answer that much later, the next times that a method is called."""
        self._trouble(method, Trouble(times=times, delay_s=seconds))

    def _trouble(self, method: str, trouble: Trouble) -> None:
        with self.world.changed:
            self._api.troubles.setdefault(method, []).append(trouble)

    # --- what people see ---

    def messages(self, channel: str, *, thread_ts: str = "") -> tuple[Json, ...]:
        """Return a channel's messages (or one thread's), oldest first, each with its `channel`."""
        with self.world.changed:
            conversation = self.world.conversation(channel)
            found = replies(conversation, thread_ts) if thread_ts else list(conversation.messages.values())
            found.sort(key=lambda message: ts_order(message["ts"]))
            return tuple(message | {"channel": conversation.id} for message in visible(found))

    def message(self, channel: str, ts: str) -> Json:
        """Return one message."""
        found = [message for message in self.messages(channel) if message["ts"] == ts]
        if not found:
            raise Refusal("message_not_found")
        return found[0]

    def bot_messages(self, channel: str, *, thread_ts: str = "") -> tuple[Json, ...]:
        """Return what the bot itself posted there, oldest first."""
        own = self.world.workspace.bot_id
        return tuple(each for each in self.messages(channel, thread_ts=thread_ts) if each.get("bot_id") == own)

    def ephemerals(self, user: str, channel: str = "") -> tuple[Json, ...]:
        """Return what only that person sees, oldest first."""
        with self.world.changed:
            who = self.world.user(user)["id"]
            where = self.world.conversation(channel).id if channel else ""
            shown = [each for each in self.world.ephemerals if each["to"] == who and where in ("", each["channel"])]
            return visible(shown)

    def views(self, user: str) -> tuple[Json, ...]:
        """Return the modals that lie open before somebody, the top one last."""
        with self.world.changed:
            who = self.world.user(user)["id"]
            return visible(view for view in self.world.views.values() if view["user"] == who)

    def home(self, user: str) -> Json | None:
        """Return the home that the app published for somebody."""
        with self.world.changed:
            found = self.world.homes.get(self.world.user(user)["id"])
            return None if found is None else visible([found])[0]

    def calls(self, method: str = "") -> tuple[Call, ...]:
        """Return the requests that the app made, oldest first ("response_url" for those)."""
        with self.world.changed:
            return tuple(call for call in self.world.calls if not method or call.method == method)

    def permalink(self, channel: str, ts: str) -> str:
        """Return a message's address."""
        with self.world.changed:
            conversation = self.world.conversation(channel)
            return permalink(self.world, conversation, conversation.messages[ts])

    def screen(self, message: Json) -> str:
        """Return a message, modal or home as a person would see it, in plain text with [buttons]."""

        def named(each: str) -> str:
            if each in self.world.users:
                return str(self.world.users[each]["real_name"])
            return self.world.conversations[each].name if each in self.world.conversations else each

        return screen(message, named)

    # --- waiting ---

    def wait_until(self, predicate: Callable[[], Any], timeout_s: float = 10.0) -> Any:
        """Return what the predicate returns once that is true; raise TimeoutError when the time is over.

        It is asked after each change here and every 50 ms (things outside, such as the memory, change too).
        """
        until = time.monotonic() + timeout_s
        while True:
            if found := predicate():
                return found
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"not so within {timeout_s:g} s")
            with self.world.changed:
                self.world.changed.wait(min(left, 0.05))

    def settle(self, timeout_s: float = 10.0, quiet_s: float = QUIET_S) -> None:
        """Return once every delivery is acked or given up and nothing has happened for a moment."""
        until = time.monotonic() + timeout_s
        with self.world.changed:
            while True:
                if until - time.monotonic() <= 0:
                    raise TimeoutError(f"not settled within {timeout_s:g} s")
                if not self.world.changed.wait(quiet_s) and self.courier.idle():
                    return
