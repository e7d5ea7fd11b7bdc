"""The rows of `why bench log`: the load is made, and everything that people wait for is measured on it.

Look-ups are measured within this process; what a person types is measured as a fresh process. Nothing leaves the
scratch folder: the remote is a folder beside the memories.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from bot.ingest import Audience, ingest_lines
from store import (
    WORKSPACE,
    BenchRow,
    Fresh,
    Load,
    Measured,
    Memory,
    bench_appends,
    bench_hot,
    bench_look_ups,
    bench_seal,
    bench_searches,
    timed,
)

PROGRAM = ("-m", "bot")
"""What Python runs as `why`."""

INGESTED = 10_000
"""Lines of the file that is ingested; fewer where the load itself is smaller."""

HOT = 10_000
"""Decisions on one element; fewer where the load itself is smaller."""

BOTH_WROTE = 100
"""Decisions that each of two machines recorded since they synced."""

Told = Callable[[str], None]


class Bench:
    """One run of the benchmark in a scratch folder, which is the caller's to remove."""

    def __init__(self, load: Load, scratch: Path, *, runs: int, told: Told) -> None:
        """`runs` is how often a process is started for a row; where one takes a minute at a million, at most thrice."""
        self._load = load
        self._scratch = scratch
        self._home, self._other, self._remote = scratch / "home", scratch / "other", scratch / "remote"
        self._runs = runs
        self._told = told
        self._fresh = Fresh(program=PROGRAM, home=self._home, cwd=scratch)
        self._chance = random.Random(load.seed)  # noqa: S311  # repeatable, and nothing to keep secret
        self._later = _lines_after(load)

    def rows(self) -> Iterator[BenchRow]:
        """Measure row after row; later ones write to the memories that earlier ones read."""
        yield from self._clone()
        yield from self._rebuilds()
        yield from bench_look_ups(self._home, self._load)
        yield from self._cold()
        yield from self._hot()
        yield from bench_searches(self._home, self._load)
        yield from self._whole_graph()
        yield from self._syncs()
        yield bench_appends(self._home, replace(self._load, seed=-1, began=_end(self._load)), runs=10 * self._runs)
        yield self._ingest()

    def _clone(self) -> Iterator[BenchRow]:
        self._told(f"making {self._load.decisions:,} decisions as {self._load.writers} machines left them in a folder")
        size = bench_seal(self._load, self._remote)
        yield BenchRow(name="segments on disk", unit="MB", runs=(round(size / 1e6, 3),), aim="<= 240 MB")
        self._told("cloning")
        done = [self._cloned(home) for home in (self._home, self._other)]
        yield BenchRow.of_processes("clone to first answer", "s", done, aim="<= 60 s, 1.5 GB")

    def _cloned(self, home: Path) -> Measured:
        fresh = replace(self._fresh, home=home)
        synced = fresh.why("sync", str(self._remote))
        answered = fresh.why("history", self._load.names[0])
        held = [each.memory_mb for each in (synced, answered) if each.memory_mb is not None]
        return Measured(seconds=synced.seconds + answered.seconds, memory_mb=max(held, default=None), out=answered.out)

    def _rebuilds(self) -> Iterator[BenchRow]:
        self._told("rebuilding")
        done = [self._fresh.python("-m", "store.bench.once", "rebuild", str(self._home)) for _ in range(self._few)]
        yield BenchRow.of_processes("rebuild, with words", "s", done, aim="<= 50 s, 1.5 GB")

    def _cold(self) -> Iterator[BenchRow]:
        self._told("looking up, a process each")
        names = self._load.names[: self._load.decisions]
        alone = [self._fresh.python("-c", "pass") for _ in range(self._runs)]
        yield BenchRow.of_processes("Python alone, whole process", "ms", alone)
        for command in ("history", "heads"):
            done = [self._fresh.why(command, self._chance.choice(names)) for _ in range(self._runs)]
            yield BenchRow.of_processes(f"{command}, whole process", "ms", done, aim="<= 120 ms, 80 MB")
        for command in ("conflicts", "list"):
            done = [self._fresh.why(command, quiet=True) for _ in range(self._few)]
            yield BenchRow.of_processes(f"{command}, whole process", "ms", done)

    def _hot(self) -> Iterator[BenchRow]:
        home = self._scratch / "hot"
        load = replace(self._load, decisions=min(HOT, self._load.decisions), elements=1)
        self._told(f"one element with {load.decisions:,} decisions")
        yield bench_hot(home, load)
        fresh = replace(self._fresh, home=home)
        done = [fresh.why("history", load.names[0], quiet=True) for _ in range(self._few)]
        yield BenchRow.of_processes(f"history of {load.decisions:,}, whole process", "ms", done)

    def _whole_graph(self) -> Iterator[BenchRow]:
        self._told("the whole graph half-way")
        day = self._load.half_way.isoformat()
        variants: dict[str, tuple[str, ...]] = {"": (), ", --json": ("--json",)}
        for name, words in variants.items():
            done = [self._fresh.why("as-of", day, *words, quiet=True) for _ in range(self._few)]
            yield BenchRow.of_processes(f"as-of, all half-way{name}", "s", done, aim="<= 15 s")

    def _syncs(self) -> Iterator[BenchRow]:
        self._told("syncing")
        aims = {0: ("nothing new", "<= 0.3 s"), 1: ("one new", "<= 0.4 s"), BOTH_WROTE: ("both wrote 100", "<= 1.5 s")}
        for count, (name, aim) in aims.items():
            done = [self._synced(theirs=count, ours=count if count > 1 else 0) for _ in range(self._runs)]
            yield BenchRow.of_processes(f"sync, {name}", "s", done, aim=aim)

    def _synced(self, *, theirs: int, ours: int) -> Measured:
        """Let the other machine record and sync, this one record, and measure this one's sync."""
        if theirs:
            self._record(self._other, theirs)
            replace(self._fresh, home=self._other).why("sync", str(self._remote))
        if ours:
            self._record(self._home, ours)
        return self._fresh.why("sync", str(self._remote))

    def _record(self, home: Path, count: int) -> None:
        with closing(Memory.open(home, index="off")) as memory:
            ingest_lines(memory, [next(self._later) for _ in range(count)], _EVERYBODY)

    def _ingest(self) -> BenchRow:
        self._told("ingesting")
        lines = [next(self._later) for _ in range(min(INGESTED, self._load.decisions))]
        with closing(Memory.open(self._home, index="off")) as memory:
            return timed(f"ingest {len(lines):,}", "s", [lambda: ingest_lines(memory, lines, _EVERYBODY)], aim="<= 4 s")

    @property
    def _few(self) -> int:
        """How often something is run that takes a minute at a million."""
        return min(3, self._runs)


_EVERYBODY = Audience(channel_scope=lambda channel: WORKSPACE)


def _lines_after(load: Load) -> Iterator[bytes]:
    """Yield lines to ingest, of decisions that came after the load's."""
    return replace(load, decisions=max(load.decisions, 10 * INGESTED), seed=load.seed + 1, began=_end(load)).lines()


def _end(load: Load) -> datetime:
    return load.moment(load.decisions)
