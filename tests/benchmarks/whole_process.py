"""What a look-up costs as a whole process, and what the bot holds while nothing happens, at ten thousand decisions.

    python -m tests.benchmarks.whole_process [--decisions 10000] [--runs 15] [--home FOLDER]

Prints JSON: medians of whole cold processes in ms (`why history`, `heads`, `show`, `list`; a bare interpreter beside
them says what of it is Python's own start), and the resident memory of an idle `why run` in MB, as Linux tells it.
A home that is given is kept and used again.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bot.playground import Playground, small_workspace
from store import WORKSPACE, Admission, Draft, Memory, Place

WORDS = ("retry", "cache", "queue", "token", "index", "ledger", "export", "schema", "limit", "backup", "deploy")
ELEMENTS = 500
SETTLED_S = 5.0
"""Seconds after which an idle bot's memory is read."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return this process's variables without settings, and with that home."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BACKSTORY_", "SLACK_"))}
    return kept | {"BACKSTORY_HOME": str(home)} | more


def fill(home: Path, decisions: int) -> None:
    """Record that many decisions, a few of each element replacing one another, unless they are there."""
    memory = Memory.open(home, index="off")
    try:
        for _ in memory.ingest(_admission(number) for number in range(decisions)):
            pass
    finally:
        memory.close()


def _admission(number: int) -> Admission:
    words = [WORDS[(number * step + number // step) % len(WORDS)] for step in (1, 3, 5, 7)]
    draft = Draft(
        title=f"The {words[0]} {words[1]} of part {number % ELEMENTS} is {number}",
        rationale=f"the {words[2]} could not keep up with the {words[3]} after change {number}",
        elements=(f"service:part-{number % ELEMENTS}",),
        sets=((f"service:part-{number % ELEMENTS}", words[0], str(number)),) if number % 5 == 0 else (),
    )
    place = Place(source="file", anchor=f"made-up:{number}", ref=f"made-up:{number}")
    return Admission(
        place=place, basis="1", scope=WORKSPACE, drafts=(draft,), provenance="file", recorded_from="ingest"
    )


def cold(home: Path, runs: int, *words: str) -> float:
    """Return the median of whole processes, in ms."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run(words, env=environment(home), stdout=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - began) * 1000)
    return round(statistics.median(times), 1)


def idle_mb(home: Path) -> float:
    """Return the resident memory of `why run` once it is connected and quiet, in MB."""
    with Playground(workspace=small_workspace()) as play:
        variables = environment(
            home, SLACK_API_URL=play.api_url, SLACK_BOT_TOKEN=play.bot_token, SLACK_APP_TOKEN=play.app_token
        )
        process = subprocess.Popen([sys.executable, "-m", "bot", "run"], env=variables, stderr=subprocess.DEVNULL)
        try:
            play.wait_until(play.sockets, timeout_s=60)
            time.sleep(SETTLED_S)
            status = Path(f"/proc/{process.pid}/status").read_text()
        finally:
            process.terminate()
            process.wait(timeout=60)
    return round(int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) / 1024, 1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--home", type=Path)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        home = given.home or Path(folder) / "home"
        fill(home, given.decisions)
        why = str(Path(sys.executable).with_name("why"))
        report = {
            "decisions": given.decisions,
            "python_alone_ms": cold(home, given.runs, sys.executable, "-c", "pass"),
            "history_ms": cold(home, given.runs, why, "history", "service:part-7", "--json"),
            "heads_ms": cold(home, given.runs, why, "heads", "service:part-7", "--json"),
            "show_ms": cold(home, given.runs, why, "show", "made-up:7", "--json"),
            "list_20_ms": cold(home, given.runs, why, "list", "--limit", "20", "--json"),
            "run_idle_mb": idle_mb(home),
        }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
