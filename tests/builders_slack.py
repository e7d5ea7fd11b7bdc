"""Builders for behaviour tests: the playground, the real bot and the way between them."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

import uvicorn
from slack_sdk.signature import SignatureVerifier
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.answer import SYNTHESIS_DEADLINE_S, Answers
from bot.budget import Budget
from bot.claude import ClaudeClient, ClaudeExtractor, ClaudeSynthesiser
from bot.offline import OfflineExtractor, OfflineSynthesiser
from bot.playground import Delivery, HandClock, Playground, Workspace, screen, small_workspace
from bot.ports import Extraction, Extractor, Synthesiser
from bot.settings import Settings
from bot.slack.app import Reply, SlackBot, slack_bot
from bot.slack.clock import tick
from bot.web.server import web_app
from store import (
    EVERYTHING,
    WORKSPACE,
    Admission,
    Decision,
    Draft,
    Memory,
    Person,
    Place,
    Quote,
    Reader,
    Status,
    Thread,
    Vocabulary,
)
from tests.fakes.claude_server import ClaudeServer

PATIENCE_S = 20.0


class Gateway:
    """One HTTP server for all tests; it serves whatever bot is on stage."""

    def __init__(self) -> None:
        self.app: ASGIApp | None = None
        config = uvicorn.Config(self, interface="asgi3", host="127.0.0.1", port=0, log_config=None, lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        await self.app(scope, receive, send)

    def __enter__(self) -> Gateway:
        self._thread.start()
        wait_for(lambda: self._server.started)
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.should_exit = True
        self._thread.join()

    @property
    def url(self) -> str:
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/slack/events"


@contextmanager
def without_table(database: Path, table: str) -> Iterator[None]:
    """Take a table away for a while: every use of it fails meanwhile."""
    with closing(sqlite3.connect(database, isolation_level=None, timeout=10)) as other:
        other.execute(f"ALTER TABLE {table} RENAME TO {table}_away")
        try:
            yield
        finally:
            other.execute(f"ALTER TABLE {table}_away RENAME TO {table}")


def wait_for(condition: Callable[[], Any], timeout_s: float = PATIENCE_S) -> Any:
    """Return a condition's value once it is true; fail when it never is."""
    deadline = time.monotonic() + timeout_s
    pause = threading.Event()
    while not (value := condition()):
        assert time.monotonic() < deadline, "it never came true"
        pause.wait(0.01)
    return value


class Scripted:
    """An extractor that finds the decisions that a test says: by a word of the thread, with its sentence as quote."""

    name = "scripted"

    def __init__(self) -> None:
        self.finds: dict[str, dict[str, Any]] = {}
        self.read: list[Thread] = []
        self.error: Exception | None = None
        self.wait: threading.Event | None = None

    def find(self, word: str, title: str, **fields: Any) -> None:
        self.finds[word] = {"title": title, **fields}

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        self.read.append(thread)
        if self.wait is not None:
            self.wait.wait(PATIENCE_S)
        if self.error is not None:
            raise self.error
        return Extraction(drafts=tuple(self._drafts(thread)), provenance=self.name)

    def _drafts(self, thread: Thread) -> Iterator[Draft]:
        for word, fields in self.finds.items():
            for turn in thread.turns:
                if word in turn.text:
                    quote = Quote(
                        quote=turn.text, author=turn.author, author_id=turn.author_id, at=turn.occurred_at,
                        permalink=turn.permalink, turn_id=turn.turn_id,
                    )  # fmt: skip
                    said = {"decided_by": (Person(name=turn.author, id=turn.author_id),), "confidence": 95, **fields}
                    yield Draft(evidence=(quote,), status=Status.ACCEPTED, **said)
                    break


@dataclass
class Stage:
    """A playground with the bot in it."""

    play: Playground
    bot: SlackBot
    memory: Memory
    extractor: Scripted
    clock: HandClock

    def settle(self) -> None:
        """Wait until everything that was delivered is worked off."""
        self.play.settle(timeout_s=PATIENCE_S, quiet_s=0.02)
        wait_for(self._idle)
        self.play.settle(timeout_s=PATIENCE_S, quiet_s=0.02)
        wait_for(self._idle)

    def _idle(self) -> bool:
        counts = self.memory.inbox.counts()
        later = self.memory.inbox.next_due()
        return counts.claimed == 0 and (counts.waiting == 0 or (later is not None and later > self.clock()))

    def later(self, seconds: float) -> None:
        """Let time pass for the bot, put in what is due, and work it off."""
        self.clock.advance(seconds)
        tick(self.memory, self.clock())
        self.bot.worker.wake()
        self.settle()

    def decided(self, channel: str = "search", word: str = "postgres", title: str = "Search stays on Postgres") -> str:
        """Let Lena and Omar decide something in a channel and point at it; returns the thread's ts."""
        self.extractor.find(word, title, rationale="nobody on call knows the other one")
        ts = self.play.post("lena", channel, f"so we stay on {word} for this, nobody on call knows the other one")
        self.play.post("omar", channel, "agreed, that settles it", thread_ts=ts)
        self.play.react("lena", channel, ts, "bookmark")
        self.settle()
        return ts

    def receive(self, delivery: Delivery, *, retry: int = 0) -> Reply:
        """Hand one held delivery to the bot, signed, and return its reply."""
        body, headers = self.play.signed(delivery, retry=retry, reason="http_timeout" if retry else "")
        return self.bot.dispatch(body.decode(), headers)

    def submit(self, user: str, view: Mapping[str, Any], **typed: str) -> Reply:
        """Hand in a view with what was typed or chosen, by block id; returns what the screen would show."""
        values = {}
        for block in view["blocks"]:
            if (element := block.get("element")) is not None:
                values[block["block_id"]] = {element["action_id"]: _entered(element, typed.get(block["block_id"]))}
        state = {**view, "hash": "h", "state": {"values": values}}
        payload = {
            "type": "view_submission", "team": {"id": "T0PLAY"}, "user": {"id": user, "team_id": "T0PLAY"},
            "api_app_id": "ABACKSTORY", "trigger_id": "1.1", "view": state,
        }  # fmt: skip
        return self.interact(payload)

    def interact(self, payload: Mapping[str, Any]) -> Reply:
        """Hand in an interactive payload of one's own making, signed."""
        return self.send(urlencode({"payload": json.dumps(payload)}), "application/x-www-form-urlencoded")

    def send(self, body: str, content_type: str) -> Reply:
        """Hand in a request of one's own making, signed."""
        at = str(int(time.time()))
        signature = SignatureVerifier(self.play.signing_secret).generate_signature(timestamp=at, body=body)
        headers = {
            "content-type": content_type,
            "x-slack-request-timestamp": at,
            "x-slack-signature": signature or "",
        }
        reply = self.bot.dispatch(body, headers)
        self.settle()
        return reply

    def decisions(self, reader: Reader | None = None) -> tuple[Decision, ...]:
        return tuple(one for one in self.memory.decisions(reader or EVERYTHING) if one.place.source == "slack")

    def screens(self, channel: str, **where: Any) -> list[str]:
        """Return what the bot posted in a channel, as people see it."""
        return [screen(message) for message in self.play.bot_messages(channel, **where)]

    def whispers(self, user: str) -> list[str]:
        """Return what one person alone was shown, oldest first."""
        return [screen(message) for message in self.play.ephemerals(user)]

    def ask(self, user: str, channel: str, text: str) -> str:
        """Let somebody type `/why …` and return the last thing that they are shown."""
        receipt = self.play.command(user, channel, "/why", text)
        self.settle()
        receipt.wait_for_response(timeout_s=PATIENCE_S)
        return screen(receipt.responses[-1])


@contextmanager
def staged(
    home: Path,
    gateway: Gateway,
    *,
    workspace: Workspace | None = None,
    extractor: Extractor | None = None,
    synthesiser: Synthesiser | None = None,
    token: str = "",
    sockets: bool = False,
    one_clock: bool = False,
    claude: ClaudeServer | None = None,
    patience_s: float = SYNTHESIS_DEADLINE_S,
    index: Literal["own", "off"] = "off",
    busy_ms: int = 10_000,
    **settings: Any,
) -> Iterator[Stage]:
    """Open a playground with the bot in it, its memory in `home`; `one_clock` lets Slack's time stand still too.

    With `claude` the bot has a key: that server reads threads and words answers, within the month's budget.
    """
    now = HandClock(datetime.now(UTC))
    retries = (1.0, 3.0, 6.0) if sockets else ()
    slacks = {"clock": now} if one_clock else {}
    with Playground(workspace or small_workspace(), ack_timeout_s=2.0, retry_delays_s=retries, **slacks) as play:
        memory = Memory.open(home, clock=now, index=index, busy_ms=busy_ms)
        offline, scripted = OfflineSynthesiser(), Scripted()
        chosen = Settings(
            home=home,
            slack_bot_token=token or play.bot_token,
            slack_signing_secret=play.signing_secret,
            slack_api_url=play.api_url,
            **settings,
        )
        client = _client(claude, memory, chosen, now) if claude else None
        if client is not None:
            extractor, synthesiser = ClaudeExtractor(client), ClaudeSynthesiser(client)
        bot = slack_bot(
            settings=chosen,
            memory=memory,
            answers=Answers(memory, synthesiser or offline, offline, now),
            extractor=extractor or scripted,
            clock=now,
            with_claude=claude is not None,
            rules=OfflineExtractor() if claude else None,
            patience_s=patience_s,
        )
        _seed(memory)
        if sockets:
            bot.connect(play.app_token)
        else:
            gateway.app = web_app(bot)
            play.deliver_to(gateway.url)
        memory.beside.take_work()
        bot.worker.start()
        try:
            yield Stage(play=play, bot=bot, memory=memory, extractor=scripted, clock=now)
        finally:
            assert bot.stop(), "the worker still ran"
            if client is not None:
                client.close()
            memory.close()


def _client(claude: ClaudeServer, memory: Memory, settings: Settings, clock: HandClock) -> ClaudeClient:
    budget = Budget(memory.spending, limit=settings.monthly_tokens, clock=clock)
    return ClaudeClient(
        api_key=claude.api_key, base_url=claude.base_url, model=settings.model, budget=budget, pause_s=0.01
    )


def _entered(element: Mapping[str, Any], typed: str | None) -> dict[str, Any]:
    """Return what a view's state holds of one input."""
    kind = element["type"]
    if kind == "plain_text_input":
        return {"type": kind, "value": element.get("initial_value") if typed is None else typed}
    if kind == "checkboxes":
        return {"type": kind, "selected_options": element.get("initial_options", [])}
    chosen = next((option for option in element["options"] if option["value"] == typed), element.get("initial_option"))
    return {"type": kind, "selected_option": chosen}


ELSEWHERE = (
    "Deploys go out on Tuesdays and Thursdays",
    "Invoices are sent as PDF by mail",
    "The mobile app drops support for old phones",
    "Logs are kept for thirty days",
    "Interns get a mentor each",
    "The billing job runs at night",
    "Feature flags live in one file",
    "Support answers within a working day",
)


def _seed(memory: Memory) -> None:
    """Record what was decided elsewhere, so that words have a frequency."""
    for number, title in enumerate(ELSEWHERE):
        place = Place(source="adr", anchor=f"adr/{number}.md", ref=f"adr:{number}")
        draft = Draft(title=title, evidence=(Quote(quote=title),))
        memory.admit(
            Admission(
                place=place, basis="1", scope=WORKSPACE, drafts=(draft,), provenance="file", recorded_from="ingest"
            )
        )


__all__ = ["Gateway", "OfflineExtractor", "Scripted", "Stage", "staged", "wait_for", "without_table"]
