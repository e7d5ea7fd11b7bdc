"""Deliveries to the app: over the sockets that it opened, or as signed requests to its URL, with Slack's retries.

A delivery is one thing that Slack tells the app; it has one attempt per envelope. Slack retries events (not
commands or clicks) at once, after a minute and after five; until a socket is open, deliveries wait.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from bot.playground.world import Json, World

ACK_TIMEOUT_S = 3.0
"""Seconds within which Slack wants an ack."""
RETRY_DELAYS_S = (0.0, 60.0, 300.0)
"""Seconds before each retry of an event: at once, a minute, five."""


@dataclass(slots=True)
class Attempt:
    """One envelope on its way; times are of the monotonic clock, in seconds."""

    envelope_id: str
    retry: int
    sent_at: float = 0.0
    acked_at: float | None = None
    error: str = ""


@dataclass(slots=True)
class Delivery:
    """One thing told to the app, and how that went."""

    kind: str
    """"events_api", "slash_commands" or "interactive"."""
    payload: Json
    attempts: list[Attempt] = field(default_factory=list)
    ack: Json | None = None
    """What came with the first ack; {} where that was empty, None while there is none."""
    gave_up: bool = False

    @property
    def acked(self) -> bool:
        """Say whether the app took it."""
        return self.ack is not None

    @property
    def ack_ms(self) -> float | None:
        """Milliseconds from sending to the first ack."""
        taken = [a.acked_at - a.sent_at for a in self.attempts if a.acked_at is not None]
        return min(taken) * 1000 if taken else None

    @property
    def name(self) -> str:
        """What kind of thing it is: the event's type and subtype, the command, the interaction's type."""
        event = self.payload.get("event", {})
        parts = (
            (event.get("type"), event.get("subtype"))
            if event
            else (self.payload.get("command", self.payload.get("type")),)
        )
        return ".".join(part for part in parts if part)


Sender = Callable[[str], Awaitable[None]]


class Courier:
    """Carries deliveries; `start` gives it the server's event loop, all else may be called from any thread."""

    def __init__(
        self, world: World, *, signing_secret: str, ack_timeout_s: float, retry_delays_s: tuple[float, ...]
    ) -> None:
        """Keep deliveries until there is somewhere to send them."""
        self._world = world
        self._secret = signing_secret
        self._ack_timeout_s = ack_timeout_s
        self._retry_delays_s = retry_delays_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sockets: dict[str, Sender] = {}
        self._waiting: list[tuple[Delivery, int, str]] = []
        self._timers: set[asyncio.TimerHandle] = set()
        self._pool: ThreadPoolExecutor | None = None
        self._open: dict[str, tuple[Delivery, Attempt]] = {}
        self.deliveries: list[Delivery] = []
        self.twice = False
        self.held = False
        self.request_url = ""

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Work in this loop from now on."""
        self._loop = loop
        self._pool = ThreadPoolExecutor(max_workers=16, thread_name_prefix="playground-http")

    def stop(self) -> None:
        """Send nothing more; waits for requests under way."""
        with self._world.changed:
            loop, self._loop = self._loop, None
        if loop is not None and loop.is_running():
            loop.call_soon_threadsafe(self._cancel_timers)
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def _cancel_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    # --- sending ---

    def send(self, kind: str, payload: Json) -> Delivery:
        """Deliver a payload (twice, if so told) and return at once; `Delivery` shows what comes of it."""
        with self._world.changed:
            delivery = Delivery(kind=kind, payload=payload)
            self.deliveries.append(delivery)
            for _ in range(2 if self.twice else 1):
                self._schedule(delivery, 0, "")
            self._world.changed.notify_all()
        return delivery

    def resend(self, delivery: Delivery, *, retry: int = 1, reason: str = "http_timeout") -> None:
        """Deliver the same payload again, marked as that retry, as Slack does when an ack got lost."""
        with self._world.changed:
            self._schedule(delivery, retry, reason)

    def release(self) -> None:
        """Send what waited, in the order in which it happened."""
        with self._world.changed:
            if self.held:
                return
            waiting, self._waiting = self._waiting, []
            for delivery, retry, reason in waiting:
                self._schedule(delivery, retry, reason)

    def idle(self) -> bool:
        """Say whether every delivery was taken or given up."""
        return not self._open and not self._waiting

    def _schedule(self, delivery: Delivery, retry: int, reason: str) -> None:
        if self.held or self._loop is None or not (self._sockets or self.request_url):
            self._waiting.append((delivery, retry, reason))
            return
        attempt = Attempt(envelope_id=str(uuid.uuid4()), retry=retry, sent_at=time.monotonic())
        delivery.attempts.append(attempt)
        self._open[attempt.envelope_id] = (delivery, attempt)
        self._loop.call_soon_threadsafe(self._attempt, delivery, attempt, reason)

    def _attempt(self, delivery: Delivery, attempt: Attempt, reason: str) -> None:
        if self._loop is None or self._pool is None:
            return  # stopped meanwhile
        if self.request_url:
            self._pool.submit(self._request, delivery, attempt, reason)
            return
        if not self._sockets:
            self._failed(delivery, attempt, "no_socket")
            return
        sender = self._sockets[random.choice(sorted(self._sockets))]  # noqa: S311 - Slack picks any socket
        envelope: Json = {
            "envelope_id": attempt.envelope_id,
            "type": delivery.kind,
            "payload": delivery.payload,
            "accepts_response_payload": delivery.kind != "events_api",
        }
        if delivery.kind == "events_api":
            envelope |= {"retry_attempt": attempt.retry, "retry_reason": reason}
        task = self._loop.create_task(self._over_socket(sender, json.dumps(envelope)))
        task.add_done_callback(lambda done: self._sent(done, delivery, attempt))

    async def _over_socket(self, sender: Sender, envelope: str) -> None:
        await sender(envelope)

    def _sent(self, done: asyncio.Task[None], delivery: Delivery, attempt: Attempt) -> None:
        if done.cancelled() or done.exception() is not None:
            self._failed(delivery, attempt, "connection_failed")
        elif self._loop is not None:
            self._timer(self._ack_timeout_s, lambda: self._failed(delivery, attempt, "timeout"))

    def _timer(self, seconds: float, act: Callable[[], None]) -> None:
        def fire() -> None:
            self._timers.discard(handle)
            act()

        if self._loop is not None:
            handle = self._loop.call_later(seconds, fire)
            self._timers.add(handle)

    def _failed(self, delivery: Delivery, attempt: Attempt, reason: str) -> None:
        with self._world.changed:
            if self._open.pop(attempt.envelope_id, None) is None:
                return
            attempt.error = reason
            self._world.changed.notify_all()
            if delivery.kind != "events_api" or attempt.retry >= len(self._retry_delays_s):
                delivery.gave_up = not delivery.acked
                return
            delay = self._retry_delays_s[attempt.retry]
            loop = self._loop
        if loop is not None:
            again = attempt.retry + 1
            loop.call_soon_threadsafe(self._timer, delay, lambda: self.resend(delivery, retry=again, reason=reason))

    def _acked(self, envelope_id: str, ack: Json) -> None:
        with self._world.changed:
            delivery, attempt = self._open.pop(envelope_id, (None, None))
            if delivery is None or attempt is None:
                return
            attempt.acked_at = time.monotonic()
            delivery.ack = ack if delivery.ack is None else delivery.ack
            self._world.changed.notify_all()

    # --- sockets ---

    def connect(self, name: str, sender: Sender) -> None:
        """Take a new socket into use and send what waited for one."""
        with self._world.changed:
            self._sockets[name] = sender
            self.release()
            self._world.changed.notify_all()

    def disconnect(self, name: str) -> None:
        """Forget a socket that has closed; what it had not acked is retried."""
        with self._world.changed:
            self._sockets.pop(name, None)
            self._world.changed.notify_all()

    def received(self, text: str) -> None:
        """Take what the app says over a socket: acks, named by their envelope."""
        try:
            message = json.loads(text)
        except ValueError:
            return
        if isinstance(message, dict) and "envelope_id" in message:
            self._acked(message["envelope_id"], message.get("payload") or {})

    def sockets(self) -> int:
        """Return how many sockets are open."""
        return len(self._sockets)

    def broadcast(self, text: str) -> None:
        """Say something on each open socket."""
        loop = self._loop
        for sender in list(self._sockets.values()):
            if loop is not None:
                asyncio.run_coroutine_threadsafe(self._over_socket(sender, text), loop)

    # --- HTTP ---

    def signed(self, delivery: Delivery, *, retry: int = 0, reason: str = "") -> tuple[bytes, dict[str, str]]:
        """Return the body and headers by which Slack would post it to a URL, signed for this minute."""
        if delivery.kind == "events_api":
            body, content = json.dumps(delivery.payload).encode(), "application/json"
        else:
            form = delivery.payload if delivery.kind == "slash_commands" else {"payload": json.dumps(delivery.payload)}
            body, content = urllib.parse.urlencode(form).encode(), "application/x-www-form-urlencoded"
        stamp = str(int(time.time()))
        digest = hmac.new(self._secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
        headers = {"Content-Type": content, "X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}
        if retry:
            headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": reason}
        return body, headers

    def _request(self, delivery: Delivery, attempt: Attempt, reason: str) -> None:
        body, headers = self.signed(delivery, retry=attempt.retry, reason=reason)
        request = urllib.request.Request(self.request_url, data=body, headers=headers, method="POST")  # noqa: S310 - its owner named the URL
        try:
            with urllib.request.urlopen(request, timeout=self._ack_timeout_s) as response:  # noqa: S310
                answer = response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                no_retry = error.headers.get("X-Slack-No-Retry") == "1"
            if no_retry:
                attempt.retry = len(self._retry_delays_s)
            self._failed(delivery, attempt, "http_error")
        except TimeoutError:
            self._failed(delivery, attempt, "http_timeout")
        except OSError:
            self._failed(delivery, attempt, "connection_failed")
        else:
            self._acked(attempt.envelope_id, _ack_of(answer))


def _ack_of(answer: str) -> Json:
    try:
        parsed: Any = json.loads(answer)
    except ValueError:
        return {"text": answer} if answer.strip() else {}
    return parsed if isinstance(parsed, dict) else {}
