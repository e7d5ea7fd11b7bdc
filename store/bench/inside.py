"""What is measured within one process: look-ups, conflicts, search by words, appends."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from store.bench.load import Load, vocabulary
from store.bench.rows import BenchRow, timed
from store.core.admission import Admission
from store.core.model import PUBLIC, WORKSPACE, Draft, Place
from store.errors import StoreError
from store.memory import Memory
from store.sql import lexical
from store.sql.quick import QuickMemory
from store.sql.words import IndexedWords

LOOKED_UP = 200
"""Elements or words asked for in a row: enough for a 95th percentile that ten of them lie above."""

LISTED = 20
"""Decisions on one page of a list."""

CANDIDATES = 60
"""Decisions that a search by words hands on to ranking."""

COMMON_RANKS, RARER_RANKS = (41, 70), (300, 3000)
"""Ranks of words in the load: of those that are in more than 5 % of its decisions and aren't stop words, and of words
that are in some tenths of a percent."""


class NothingThere(StoreError):
    """There is no memory in the folder that was to be measured."""


def bench_look_ups(home: Path, load: Load) -> Iterator[BenchRow]:
    """Measure what is read by name; one process, one connection, as a running bot has it."""
    chance = random.Random(load.seed)  # noqa: S311  # repeatable, and nothing to keep secret
    names = load.names[: load.decisions]
    asked = [chance.choice(names) for _ in range(LOOKED_UP)]
    with closing(_opened(home)) as memory:
        ids = [each.id for each in memory.decisions(PUBLIC, limit=LOOKED_UP)]

        half_way = load.half_way
        acts: dict[str, tuple[Sequence[str], Callable[[str], object], str]] = {
            "history": (asked, lambda element: memory.history(element, PUBLIC), "p95 <= 2 ms"),
            "heads": (asked, lambda element: memory.heads([element], PUBLIC), "p95 <= 2 ms"),
            "as-of, one element": (asked, lambda e: memory.heads([e], PUBLIC, as_of=half_way), "<= 5 ms"),
            "show": (ids, lambda one: memory.decision(one[:12], PUBLIC), ""),
        }
        for name, (words, act, aim) in acts.items():
            yield timed(name, "ms", [partial(act, word) for word in words], aim=aim)
        yield timed("list, newest 20", "ms", [lambda: memory.decisions(PUBLIC, limit=LISTED)] * 10)
        yield timed("conflicts, all", "ms", [lambda: memory.conflicts(PUBLIC)] * 10, aim="<= 100 ms")


def bench_hot(home: Path, load: Load) -> BenchRow:
    """Make a memory of a load on one element, and measure the history of that."""
    with closing(Memory.open(home, index="off")) as made:
        made.receive(load.envelopes())
    with closing(_opened(home)) as memory:
        history = partial(memory.history, load.names[0], PUBLIC)
        return timed(f"history of {load.decisions:,}", "ms", [history] * 5)


def bench_searches(home: Path, load: Load) -> Iterator[BenchRow]:
    """Measure search by words alone: two words of a question, with a rarer one and with none."""
    chance = random.Random(load.seed)  # noqa: S311  # repeatable, and nothing to keep secret
    words, words_index = vocabulary(), IndexedWords()
    questions = {
        "words, one of them rarer": (RARER_RANKS, "p95 <= 60 ms (40 at 100,000)"),
        "words, each in 5 % or more": (COMMON_RANKS, "p95 <= 250 ms (40 at 100,000)"),
    }
    with closing(_opened(home)) as memory:

        def search(question: str) -> object:
            with memory._reading() as rows:
                return words_index.find(rows, lexical.terms(question), PUBLIC, limit=CANDIDATES)

        for name, (ranks, aim) in questions.items():
            asked = [f"{words[chance.randint(*COMMON_RANKS)]} {words[chance.randint(*ranks)]}" for _ in range(50)]
            yield timed(name, "ms", [partial(search, one) for one in asked], aim=aim)


def bench_appends(home: Path, load: Load, *, runs: int) -> BenchRow:
    """Measure admitting one decision, durably: it is on the disk when the call returns."""
    drafts = load.drafts()
    with closing(Memory.open(home, index="off")) as memory:

        def append() -> object:
            return memory.admit(_admission(next(drafts)))

        append()
        return timed("append one, durable", "ms", [append] * runs, aim="<= 5 ms")


def _admission(draft: Draft) -> Admission:
    return Admission(
        place=Place(source="file", anchor=""),
        basis="",
        scope=WORKSPACE,
        drafts=(draft,),
        provenance="file",
        recorded_from="ingest",
    )


def _opened(home: Path) -> QuickMemory:
    memory = QuickMemory.open(home)
    if memory is None:
        raise NothingThere(f"{home}: no memory to measure")
    return memory
