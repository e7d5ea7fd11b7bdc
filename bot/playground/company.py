"""The sample company at work: its Slack on loopback, the real bot in it, and what its people have pointed at."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.app import opened
from bot.playground.playground import Playground
from bot.playground.sample import SampleThread, sample_workspace, tell
from bot.playground.world import Json
from bot.settings import Settings
from bot.slack.app import slack_bot
from bot.slack.layout.actions import ACTION_CARD_MENU, BLOCK_REPLACES
from bot.slack.layout.words import MENU_REPLACES
from store import Memory, Question, Ranked, Reader

PATIENCE_S = 60.0
"""Seconds until a step that takes a moment is given up; on a busy machine the first one takes ten."""
RESPONSES = 2
"""What `/why` shows: a line that it is looking, then the answer."""


@dataclass(frozen=True, slots=True)
class Company:
    """A running workspace with the bot in it."""

    playground: Playground
    threads: dict[str, SampleThread]
    memory: Memory

    def remember(self) -> None:
        """Let people react to their decisions with 🔖, and say which of them replace others."""
        pointed = [thread for thread in self.threads.values() if thread.pointed_by]
        for thread in pointed:
            self.playground.react(thread.pointed_by, thread.channel, thread.ts, "bookmark")
        for thread in pointed:
            self._card(thread)
        for thread in pointed:
            if thread.replaces:
                self._replace(thread)
        self.memory.follow()

    def _card(self, thread: SampleThread) -> Json:
        """Return the card in a thread, once it is there."""
        cards = self.playground.wait_until(
            lambda: self.playground.bot_messages(thread.channel, thread_ts=thread.ts), PATIENCE_S
        )
        found: Json = cards[-1]
        return found

    def _replace(self, thread: SampleThread) -> None:
        """Choose Replaces… on a thread's card, and in the modal what the older thread decided."""
        playground, person = self.playground, thread.pointed_by
        older = self._title_at(self.threads[thread.replaces])
        playground.choose(person, self._card(thread), ACTION_CARD_MENU, MENU_REPLACES)
        (view,) = playground.wait_until(lambda: playground.views(person), PATIENCE_S)
        playground.submit(person, view, {BLOCK_REPLACES: older})
        playground.wait_until(lambda: not self._title_at(self.threads[thread.replaces]), PATIENCE_S)

    def _title_at(self, thread: SampleThread) -> str:
        """Return what a thread decided as far as it still holds, "" where that was replaced."""
        channel = self.playground.world.conversation(thread.channel).id
        everyone = Reader(sees_open=True)
        held = self.memory.at_place("slack", f"{channel}/{thread.ts}", everyone)
        return next((decision.title for decision in held if decision.state == "current"), "")

    def ask(self, user: str, channel: str, question: str) -> Json:
        """Let somebody type `/why` and return the answer that they alone see."""
        receipt = self.playground.command(user, channel, "/why", question)
        return receipt.wait_for_response(count=RESPONSES, timeout_s=PATIENCE_S)[-1]

    def order(self, question: str) -> tuple[Ranked, ...]:
        """Return how the memory ranks what it has on a question, for someone who reads the public channels."""
        return self.memory.recall(Question(text=question), Reader(sees_open=True)).ranked


@contextmanager
def at_work() -> Iterator[Company]:
    """Open the company: in a folder of its own, without accounts or a key; all of it is gone afterwards."""
    with _quiet(), Playground(sample_workspace(), retry_delays_s=()) as playground:
        threads = {thread.key: thread for thread in tell(playground)}
        with tempfile.TemporaryDirectory(prefix="backstory-demo-", ignore_cleanup_errors=True) as home:
            settings = Settings(
                home=Path(home),
                slack_bot_token=playground.bot_token,
                slack_app_token=playground.app_token,
                slack_api_url=playground.api_url,
            )
            with opened(settings, index="own") as parts:
                bot = slack_bot(
                    settings=settings,
                    memory=parts.memory,
                    answers=parts.answers,
                    extractor=parts.extractor,
                    rules=parts.offline_extractor,
                    clock=parts.clock,
                    with_claude=parts.with_claude,
                )
                try:
                    bot.start()
                    bot.connect(settings.slack_app_token)
                    playground.wait_until(playground.sockets, PATIENCE_S)
                    yield Company(playground, threads, parts.memory)
                finally:
                    bot.stop()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep every library's log to itself for as long as this lasts."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
