"""The rows of `why bench log`: the load is made, and everything that people wait for is measured on it.

Look-ups are measured within this process; what a person types is measured as a fresh process. Nothing leaves the
scratch folder but loopback: a remote is a folder beside the memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from bot.ingest import Audience, ingest_lines
from store import WORKSPACE, BenchRow, Fresh, Load, Memory, bench_appends, bench_look_ups, bench_searches, timed

PROGRAM = ("-m", "bot")
"""What Python runs as `why`."""

INGESTED = 10_000
"""Lines of the file that is ingested; fewer where the load itself is smaller."""

COLD_ARGUMENTS: dict[str, tuple[str, str]] = {
    "history": ("history, whole process", "<= 120 ms, 80 MB"),
    "heads": ("heads, whole process", "<= 120 ms, 80 MB"),
}

Told = Callable[[str], None]


class Bench:
    """One run of the benchmark in a scratch folder, which is the caller's to remove."""

    def __init__(self, load: Load, scratch: Path, *, runs: int, told: Told) -> None:
        """`runs` is how often a process is started for a row; where one takes a minute at a million, at most thrice."""
        self._load = load
        self._later = replace(
            load, decisions=max(load.decisions, INGESTED), seed=load.seed + 1, began=load.moment(load.decisions)
        )
        self._scratch = scratch
        self._home = scratch / "home"
        self._runs = runs
        self._told = told
        self._fresh = Fresh(program=PROGRAM, home=self._home, cwd=scratch)
        self._chance = random.Random(load.seed)  # noqa: S311  # repeatable, and nothing to keep secret

    def rows(self) -> Iterator[BenchRow]:
        """Measure row after row; later ones write to the memory that earlier ones read."""
        self._told(f"making {self._load.decisions:,} decisions")
        self._fill()
        yield from self._rebuilds()
        yield from bench_look_ups(self._home, self._load)
        yield from self._cold()
        yield from bench_searches(self._home, self._load)
        yield from self._whole_graph()
        yield bench_appends(self._home, self._later, runs=10 * self._runs)
        yield self._ingest()

    def _fill(self) -> None:
        with closing(Memory.open(self._home, index="off")) as memory:
            memory.receive(self._load.envelopes())

    def _rebuilds(self) -> Iterator[BenchRow]:
        self._told("rebuilding")
        done = [self._fresh.python("-m", "store.bench.once", "rebuild", str(self._home)) for _ in range(self._few)]
        yield BenchRow.of_processes("rebuild, with words", "s", done, aim="<= 50 s, 1.5 GB")

    def _cold(self) -> Iterator[BenchRow]:
        self._told("looking up, a process each")
        names = self._load.names[: self._load.decisions]
        for command, (name, aim) in COLD_ARGUMENTS.items():
            done = [self._fresh.why(command, self._chance.choice(names)) for _ in range(self._runs)]
            yield BenchRow.of_processes(name, "ms", done, aim=aim)
        done = [self._fresh.why("conflicts", "--json", quiet=True) for _ in range(self._few)]
        yield BenchRow.of_processes("conflicts, whole process", "ms", done)

    def _whole_graph(self) -> Iterator[BenchRow]:
        self._told("the whole graph half-way")
        day = self._load.half_way.isoformat()
        for name, words in (("as-of, all half-way", ()), ("as-of, all half-way, --json", ("--json",))):
            done = [self._fresh.why("as-of", day, *words, quiet=True) for _ in range(self._few)]
            yield BenchRow.of_processes(name, "s", done, aim="<= 15 s")

    def _ingest(self) -> BenchRow:
        self._told("ingesting")
        count = min(INGESTED, self._load.decisions)
        lines = [line for line, _ in zip(self._later.lines(), range(count), strict=False)]
        audience = Audience(channel_scope=lambda channel: WORKSPACE)
        with closing(Memory.open(self._home, index="off")) as memory:
            return timed(f"ingest {count:,}", "s", [lambda: ingest_lines(memory, lines, audience)], aim="<= 4 s")

    @property
    def _few(self) -> int:
        """How often something is run that takes a minute at a million."""
        return min(3, self._runs)
