"""The composition root: the one module that chooses real objects.

With `ANTHROPIC_API_KEY` Claude extracts and words answers; without it the rules of `bot/offline` do both.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from bot import logs
from bot.answer import Answers
from bot.budget import Budget
from bot.errors import SettingsError
from bot.ports import BatchReader, Extractor, Synthesiser
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.slack.app import SlackBot
    from bot.slack.history import SlackHistory
    from store import Memory

IndexRole = Literal["own", "read", "off"]
Clock = Callable[[], datetime]


def now() -> datetime:
    """Return the time, aware, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The product, put together; who builds it closes it (`opened` does)."""

    settings: Settings
    memory: Memory
    extractor: Extractor
    synthesiser: Synthesiser
    offline_extractor: Extractor
    offline_synthesiser: Synthesiser
    answers: Answers
    clock: Clock
    pause: Callable[[float], None]
    """Waits that many seconds."""
    with_claude: bool
    budget: Budget
    batches: BatchReader | None
    """Reads many threads at half the price; None without Claude."""
    endings: ExitStack

    def close(self) -> None:
        """Close the memory, and the connections to the model."""
        self.endings.close()


def build(
    settings: Settings,
    *,
    index: IndexRole = "read",
    clock: Clock = now,
    pause: Callable[[float], None] = time.sleep,
) -> Parts:
    """Open the memory and choose who extracts and who answers.

    Args:
        settings: of this process.
        index: "own" for long-lived processes and for writers, "read" for short ones, "off" for words only.
        clock: what time it is; tests and the demo bring their own.
        pause: what waits between tries.

    Raises:
        StoreError: the memory can't be opened.
    """
    from bot import offline  # loaded with the memory: `why --help` needs neither
    from store import Memory

    endings = ExitStack()
    memory = Memory.open(settings.home, clock=clock, index=index, progress=_told_once(), servers=settings.servers)
    endings.callback(memory.close)
    threshold = offline.learned_threshold(memory.capture_counts(offline.NAME))
    offline_extractor, offline_synthesiser = offline.OfflineExtractor(threshold=threshold), offline.OfflineSynthesiser()
    extractor: Extractor = offline_extractor
    synthesiser: Synthesiser = offline_synthesiser
    budget = Budget(memory.spending, limit=settings.monthly_tokens, clock=clock)
    batches: BatchReader | None = None
    if settings.anthropic_api_key:
        from bot.claude import ClaudeBatches, ClaudeExtractor, ClaudeSynthesiser, client_of  # 0.5 s, only with a key

        client = client_of(
            settings.anthropic_api_key, base_url=settings.anthropic_base_url, model=settings.model, budget=budget
        )
        endings.callback(client.close)
        extractor, synthesiser, batches = ClaudeExtractor(client), ClaudeSynthesiser(client), ClaudeBatches(client)
    return Parts(
        settings=settings,
        memory=memory,
        extractor=extractor,
        synthesiser=synthesiser,
        offline_extractor=offline_extractor,
        offline_synthesiser=offline_synthesiser,
        answers=Answers(memory, synthesiser, offline_synthesiser, clock),
        clock=clock,
        pause=pause,
        with_claude=bool(settings.anthropic_api_key),
        budget=budget,
        batches=batches,
        endings=endings,
    )


def _told_once() -> Callable[[int, int], None]:
    """Return what says once that a memory of an older version is carried forward: a million decisions take a while."""
    said: list[int] = []

    def tell(_done: int, total: int) -> None:
        if not said:
            print(f"carrying {total:,} events of an older version forward", file=sys.stderr, flush=True)
            said.append(total)

    return tell


@contextmanager
def opened(settings: Settings, *, index: IndexRole = "read", clock: Clock = now) -> Iterator[Parts]:
    """Build the product for one command and close it afterwards."""
    parts = build(settings, index=index, clock=clock)
    try:
        yield parts
    finally:
        parts.close()


def run(settings: Settings, *, stopped: threading.Event | None = None) -> int:
    """Serve Slack over Socket Mode, all in one process, until SIGINT or SIGTERM.

    Args:
        settings: SLACK_BOT_TOKEN and SLACK_APP_TOKEN are needed.
        stopped: ends it from inside the process; signals are left alone then.

    Raises:
        SettingsError: a token is missing, or Slack doesn't take it.
    """
    if not settings.slack_app_token:
        raise SettingsError("SLACK_APP_TOKEN: not set; Socket Mode needs the app's xapp-… token")
    logs.start()
    with _slack_bot(settings) as bot:
        ending = stopped or _until_signalled()
        bot.start()
        try:
            bot.connect(settings.slack_app_token)
            print("Backstory is listening; Ctrl-C ends it.", file=sys.stderr, flush=True)
            ending.wait()
        finally:
            bot.stop()
    return 0


def serve(settings: Settings, *, works: bool = True) -> int:
    """Serve Slack over HTTP on the settings' port and work the inbox, until SIGINT or SIGTERM.

    Args:
        settings: SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET are needed.
        works: False leaves the inbox to `why worker` processes, and needs servers that they share.

    Raises:
        SettingsError: something is missing, or Slack doesn't take the token.
    """
    from bot.slack.app import check_http
    from bot.web.server import serve as serve_http

    check_http(settings)
    if not works:
        _check_shared(settings, "why serve --no-worker")
    logs.start()
    with _slack_bot(settings, index="own" if works else "read") as bot:
        _until_signalled()  # uvicorn hands its signals on once it has stopped: they must not end the clean-up
        serve_http(bot, port=settings.port, works=works)
    return 0


def work(settings: Settings, *, stopped: threading.Event | None = None) -> int:
    """Work off the inbox that other processes fill, beside other workers, until SIGINT or SIGTERM.

    Args:
        settings: SLACK_BOT_TOKEN, DATABASE_URL and CHROMA_URL are needed.
        stopped: ends it from inside the process; signals are left alone then.

    Raises:
        SettingsError: something is missing, or Slack doesn't take the token.
    """
    _check_shared(settings, "why worker")
    logs.start()
    with _slack_bot(settings) as bot:
        ending = stopped or _until_signalled()
        bot.start()
        try:
            print("Backstory is working; Ctrl-C ends it.", file=sys.stderr, flush=True)
            ending.wait()
        finally:
            bot.stop()
    return 0


def _check_shared(settings: Settings, command: str) -> None:
    """Refuse what needs several processes on one memory where that lies in files: each has one owner."""
    missing = [
        name for name, url in (("DATABASE_URL", settings.database_url), ("CHROMA_URL", settings.chroma_url)) if not url
    ]
    if missing:
        raise SettingsError(
            f"{' and '.join(missing)}: not set; `{command}` shares inbox and vectors with other processes, which needs"
            " a Postgres and a Chroma server. On one machine `why run` or `why serve` does all of it"
        )


@contextmanager
def _slack_bot(settings: Settings, *, index: IndexRole = "own") -> Iterator[SlackBot]:
    """Put the bot together over its own memory, which is closed at the end; who starts the bot stops it."""
    from bot.slack.app import slack_bot  # half a second, for those who serve

    with opened(settings, index=index) as parts:
        bot = slack_bot(
            settings=settings,
            memory=parts.memory,
            answers=parts.answers,
            extractor=parts.extractor,
            rules=parts.offline_extractor,
            clock=parts.clock,
            with_claude=parts.with_claude,
        )
        _warm_up(parts)
        yield bot


def slack_history(
    parts: Parts, target: str, *, since: datetime | None, counts: bool, pause: Callable[[float], None]
) -> SlackHistory:
    """Choose channels whose past is read from Slack; arguments and errors as `bot.slack.app.slack_history` has them."""
    from bot.slack.app import slack_history as chosen  # half a second, for those who read there

    return chosen(
        target,
        since=since,
        counts=counts,
        settings=parts.settings,
        memory=parts.memory,
        answers=parts.answers,
        extractor=parts.extractor,
        clock=parts.clock,
        pause=pause,
    )


def _warm_up(parts: Parts) -> None:
    """Load before the first delivery what would else be loaded between it and its acknowledgement."""
    from bot.masking import mask  # the detector's rules, 0.15 s
    from store import PUBLIC, Question

    mask("nothing secret")
    parts.memory.recall(Question(text="is everything loaded?"), PUBLIC)


def _until_signalled() -> threading.Event:
    """Return what is set when the process is told to stop."""
    ending = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda number, frame: ending.set())
    return ending
