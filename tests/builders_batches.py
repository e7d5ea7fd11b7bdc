"""A few threads to be read in batches by the loopback Claude, in this process and in one that is killed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.backfill import Tally
from bot.batching import import_in_batches
from bot.budget import Budget
from bot.claude import ClaudeBatches, ClaudeClient
from bot.sources.document import Stated
from store import Memory, Thread, Vocabulary
from tests.builders_claude import proposed
from tests.builders_verbs import NOW, thread
from tests.fakes.claude_server import Received, Scripted, structured

MODEL = "claude-haiku-5-5"
TALK = (
    "Do we put {what} on Elasticsearch or keep it on Postgres?",
    "Elasticsearch means a second cluster and nobody on call knows it",
    "Agreed. Decision: {what} stays on Postgres, not Elasticsearch.",
    "+1, agreed",
)
_SAID = re.compile(r"Agreed\. Decision: (\w+) stays on Postgres, not Elasticsearch\.")


class Talks:
    """A source of as many threads as wanted, each of which decides about something of its own."""

    vocabulary = Vocabulary(decided=("decision:", "agreed"))

    def __init__(self, count: int) -> None:
        self.all = [talk(number) for number in range(1, count + 1)]

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield each thread once."""
        yield from reversed(self.all) if newest_first else self.all

    def stated(self, _thread: Thread) -> Stated | None:
        """Return None: talk states nothing by its form."""
        return None


def talk(number: int, *more: str, basis: str = "1") -> Thread:
    """Return one thread about thing number so and so."""
    return thread(*(text.format(what=f"thing{number}") for text in TALK), *more, root=f"{number}.000001", basis=basis)


def decided(received: Received) -> Scripted:
    """Answer with what the thread says, as Claude would."""
    found = _SAID.search(received.user)
    assert found is not None
    return structured({"decisions": [proposed(f"{found[1]} stays on Postgres", 3, found[0])]})


class Time:
    """A clock that only waiting moves; remembers the pauses."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now
        self.pauses: list[float] = []

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def pause(self, seconds: float) -> None:
        """Wait."""
        self.pauses.append(seconds)
        self.now += timedelta(seconds=seconds)


def batched(
    memory: Memory, server: Any, source: Talks, time: Time, *, limit: int = 10**9, cancel: bool = False,
    said: Callable[[str], None] = lambda line: None, most_requests: int = 100_000,
) -> Tally:  # fmt: skip
    """Import a source in batches over the loopback Claude."""
    with closing(ClaudeClient(api_key=server.api_key, base_url=server.base_url, model=MODEL)) as client:
        reader = ClaudeBatches(client)
        reader.most_requests = most_requests
        return import_in_batches(
            memory,
            reader,
            source,
            budget=Budget(memory.spending, limit=limit, clock=time),
            clock=time,
            pause=time.pause,
            said=said,
            cancel=cancel,
        )


class At:
    """Where a server is, for another process."""

    def __init__(self, api_key: str, base_url: str) -> None:
        self.api_key, self.base_url = api_key, base_url


def batched_until_killed(home: str, at: At, count: int, point: str) -> None:
    """Do the same, in a process of its own that ends at a failpoint."""
    os.environ["BACKSTORY_FAILPOINT"] = point
    memory = Memory.open(Path(home), clock=lambda: NOW, index="off")
    batched(memory, at, Talks(count), Time())
    memory.close()
