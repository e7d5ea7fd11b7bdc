"""What was measured: runs, percentiles, and the table of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

from store.bench.processes import Measured

Unit = Literal["ms", "s", "MB"]
PER_SECOND = {"ms": 1000.0, "s": 1.0}

_HEADINGS = ("", "p50", "p95", "worst", "", "memory", "runs", "aim at 1,000,000")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRow:
    """One thing that was measured some times over, in the order of the runs."""

    name: str
    unit: Unit
    runs: tuple[float, ...]
    aim: str = ""
    """What it is to be at a million decisions, in words."""
    memory_mb: float | None = None
    """The most that one of its processes and that one's children held; None in process, or where nobody tells."""

    @classmethod
    def of_processes(cls, name: str, unit: Literal["ms", "s"], done: Sequence[Measured], *, aim: str = "") -> BenchRow:
        """Return the row of whole processes, with the most memory that any of them held."""
        held = [each.memory_mb for each in done if each.memory_mb is not None]
        runs = tuple(round(each.seconds * PER_SECOND[unit], 4) for each in done)
        return cls(name=name, unit=unit, runs=runs, aim=aim, memory_mb=max(held, default=None))

    def percentile(self, share: float) -> float:
        """Return the least run that at least that share of the runs don't exceed (the nearest rank)."""
        ordered = sorted(self.runs)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    def document(self) -> dict[str, object]:
        """Return it as JSON has it, every run kept."""
        return {
            "name": self.name,
            "unit": self.unit,
            "p50": self.percentile(0.5),
            "p95": self.percentile(0.95),
            "worst": max(self.runs),
            "memory_mb": self.memory_mb,
            "aim": self.aim,
            "runs": list(self.runs),
        }


def timed(name: str, unit: Literal["ms", "s"], acts: Iterable[Callable[[], object]], *, aim: str = "") -> BenchRow:
    """Do one act after another and say how long each took."""
    runs: list[float] = []
    for act in acts:
        began = perf_counter()
        act()
        runs.append(round((perf_counter() - began) * PER_SECOND[unit], 4))
    return BenchRow(name=name, unit=unit, runs=tuple(runs), aim=aim)


def bench_table(rows: Sequence[BenchRow]) -> list[str]:
    """Return the rows as lines whose columns stand under one another."""
    cells = [_HEADINGS, *map(_cells, rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_HEADINGS))]
    return ["  ".join(_aligned(line, widths)).rstrip() for line in cells]


def _cells(row: BenchRow) -> tuple[str, ...]:
    figures = (_figure(row.percentile(0.5)), _figure(row.percentile(0.95)), _figure(max(row.runs)))
    memory = "" if row.memory_mb is None else f"{row.memory_mb:,.0f} MB"
    return (row.name, *figures, row.unit, memory, str(len(row.runs)), row.aim)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    texts = (0, 4, len(line) - 1)
    aligned = enumerate(zip(line, widths, strict=True))
    return [cell.ljust(width) if column in texts else cell.rjust(width) for column, (cell, width) in aligned]
