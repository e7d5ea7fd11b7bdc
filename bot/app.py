"""The composition root: the one module that chooses real objects.

With `ANTHROPIC_API_KEY` Claude extracts and words answers; without it the rules of `bot/offline` do both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from bot.answer import Answers
from bot.offline import OfflineExtractor, OfflineSynthesiser
from bot.ports import Extractor, Synthesiser
from bot.settings import Settings
from store import Memory

IndexRole = Literal["own", "read", "off"]
Clock = Callable[[], datetime]


def now() -> datetime:
    """Return the time, aware, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The product, put together; who builds it closes its memory (`opened` does)."""

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
    memory = Memory.open(settings.home, database_url=settings.database_url, clock=clock, index=index)
    offline_extractor, offline_synthesiser = OfflineExtractor(), OfflineSynthesiser()
    extractor: Extractor = offline_extractor
    synthesiser: Synthesiser = offline_synthesiser
    if settings.anthropic_api_key:
        from bot.claude import ClaudeClient, ClaudeExtractor, ClaudeSynthesiser  # half a second, only with a key

        client = ClaudeClient(
            api_key=settings.anthropic_api_key, model=settings.model, base_url=settings.anthropic_base_url
        )
        extractor, synthesiser = ClaudeExtractor(client), ClaudeSynthesiser(client)
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
    )


@contextmanager
def opened(settings: Settings, *, index: IndexRole = "read", clock: Clock = now) -> Iterator[Parts]:
    """Build the product for one command and close its memory afterwards."""
    parts = build(settings, index=index, clock=clock)
    try:
        yield parts
    finally:
        parts.memory.close()
