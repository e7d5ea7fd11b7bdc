"""`why bench`: how fast it is, on a load that is made for it and is the same everywhere."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.bench_log import Bench
from bot.cli.frame import OK, Misused, guarded, leave, put, tell
from bot.cli.importing import AsJson
from store import BenchRow, Load, bench_table

MOST_DECISIONS = 10_000_000
"""Ten times what the memory is made for: some 30 GB of scratch."""


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("bench")(_bench)


def _bench(
    subject: Annotated[str, typer.Argument(metavar="log", help="What is measured: the log of decisions.")],
    decisions: Annotated[int, typer.Option("--decisions", metavar="N", help="How large the load is.")] = 100_000,
    runs: Annotated[int, typer.Option("--runs", metavar="N", help="Processes started for a row.")] = 15,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Write every run to a JSON file in this folder.")
    ] = "",
    scratch: Annotated[
        str, typer.Option("--scratch", metavar="DIR", help="Work in this new folder and keep it; else a temporary one.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Measure how fast it is, on decisions made for that: nothing of yours is read or sent."""
    leave(
        guarded(lambda: _run_bench(subject, decisions=decisions, runs=runs, out=out, scratch=scratch, as_json=as_json))
    )


def _run_bench(subject: str, *, decisions: int, runs: int, out: str, scratch: str, as_json: bool) -> int:
    if subject != "log":
        raise Misused(f"bench {subject}: nothing of that name is measured; there is log")
    if not 1 <= decisions <= MOST_DECISIONS:
        raise Misused(f"--decisions {decisions}: from 1 to {MOST_DECISIONS:,}")
    if runs < 1:
        raise Misused(f"--runs {runs}: at least 1")
    load = Load(decisions=decisions)
    folder = Path(out) if out else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with _scratch(scratch) as where:
        rows = list(Bench(load, where, runs=runs, told=tell).rows())
    document = _document(load, rows)
    if folder is not None:
        path = folder / f"log-{decisions}.json"
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        tell(f"every run: {path}")
    put(document, lambda: bench_table(rows), as_json=as_json)
    return OK


@contextmanager
def _scratch(named: str) -> Iterator[Path]:
    """Yield an empty folder: the one named, which is kept, or one that goes at the end."""
    if not named:
        with tempfile.TemporaryDirectory(prefix="why-bench-") as folder:
            yield Path(folder)
        return
    found = Path(named)
    if found.exists() and (not found.is_dir() or any(found.iterdir())):
        raise Misused(f"--scratch {named}: not a new or empty folder")
    found.mkdir(parents=True, exist_ok=True)
    yield found.resolve()


def _document(load: Load, rows: list[BenchRow]) -> dict[str, object]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "decisions": load.decisions,
        "elements": load.elements,
        "writers": load.writers,
        "seed": load.seed,
        "machine": {
            "system": platform.platform(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "load_average": [round(each, 1) for each in os.getloadavg()] if hasattr(os, "getloadavg") else [],
        },
        "rows": [row.document() for row in rows],
    }
