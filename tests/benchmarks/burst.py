"""Fifty `/why` at once, each delivered twice, while an import and rebuilds run on the same memory.

    python tests/benchmarks/burst.py EXPORT [--commands 50] [--rounds 5]

EXPORT is a Slack export that is imported meanwhile. Prints JSON: acks in ms (Slack's limit is 3,000, ours 1,000),
answers lost and answers given twice over all rounds. The bot is a process of its own (`why run`) with the
loopback workspace in this one, so that both share the machine's cores with the import and the rebuilds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bot.playground import Playground, Receipt, small_workspace

ASKERS = ("lena", "omar", "mia", "raj", "ana", "noor")
ANSWER_S = 120.0
"""Seconds to wait for the last answer of a round; the product's own promise is fifteen for each."""


def why(home: Path, *words: str, **variables: str) -> subprocess.Popen[bytes]:
    """Start a command of the product on that memory."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BACKSTORY_", "SLACK_"))}
    log = home.with_name("burst.log").open("ab")
    with log:
        return subprocess.Popen(
            [sys.executable, "-m", "bot", *words],
            env=kept | {"BACKSTORY_HOME": str(home)} | variables,
            stdout=log,
            stderr=log,
        )


def keep_busy(home: Path, export: Path, stop: threading.Event, runs: dict[str, int]) -> None:
    """Import and rebuild side by side, again and again, until told to stop; counts what ended well."""
    running: dict[str, subprocess.Popen[bytes]] = {}
    words = {"import": ("import", str(export), "--source", "slack-export"), "rebuild": ("rebuild",)}
    while not stop.wait(0.05):
        for name, command in words.items():
            process = running.get(name)
            if process is None or process.poll() is not None:
                if process is not None:
                    runs[f"{name} {'ended' if process.returncode == 0 else 'failed'}"] += 1
                running[name] = why(home, *command)
    for process in running.values():
        process.wait()


def burst(play: Playground, commands: int, number: int) -> tuple[list[float], int, int]:
    """Ask that many questions at once; returns acks in ms, and how many were lost and answered twice."""
    receipts: list[Receipt] = [
        play.command(
            ASKERS[i % len(ASKERS)], "#search", "/why", f"why is retry policy {number}-{i} like it is?", wait=False
        )
        for i in range(commands)
    ]
    deadline = time.monotonic() + ANSWER_S
    play.wait_until(lambda: all(receipt.acked for receipt in receipts), timeout_s=ANSWER_S)
    for receipt in receipts:
        receipt.wait_for_response(count=1, timeout_s=max(1.0, deadline - time.monotonic()))
    play.settle(timeout_s=ANSWER_S, quiet_s=2.0)
    answers = [len(receipt.responses) for receipt in receipts]
    acks = [receipt.ack_ms for receipt in receipts if receipt.ack_ms is not None]
    return acks, sum(each < 1 for each in answers), sum(each > 1 for each in answers)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=Path)
    parser.add_argument("--commands", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    acks: list[float] = []
    seconds: list[float] = []
    worst: list[float] = []
    lost = twice = 0
    runs = {f"{name} {end}": 0 for name in ("import", "rebuild") for end in ("ended", "failed")}
    with tempfile.TemporaryDirectory() as folder, Playground(workspace=small_workspace()) as play:
        home = Path(folder) / "home"
        bot = why(
            home, "run",
            SLACK_API_URL=play.api_url, SLACK_BOT_TOKEN=play.bot_token, SLACK_APP_TOKEN=play.app_token,
        )  # fmt: skip
        stop = threading.Event()
        busy = threading.Thread(target=keep_busy, args=(home, given.export, stop, runs))
        try:
            play.wait_until(play.sockets, timeout_s=60)
            play.deliver_twice = True
            busy.start()
            for number in range(given.rounds):
                began = time.monotonic()
                some, missing, double = burst(play, given.commands, number)
                seconds.append(time.monotonic() - began)
                acks += some
                worst.append(round(max(some), 1))
                lost += missing
                twice += double
        finally:
            stop.set()
            if busy.ident is not None:
                busy.join()
            bot.terminate()
            bot.wait(timeout=30)
    acks.sort()
    print(
        json.dumps(
            {
                "commands": given.commands * given.rounds,
                "ack_p50_ms": round(statistics.median(acks), 1),
                "ack_p99_ms": round(acks[int(len(acks) * 0.99) - 1], 1),
                "ack_max_ms": round(acks[-1], 1),
                "ack_max_ms_by_round": worst,
                "acked": len(acks),
                "lost": lost,
                "answered_twice": twice,
                "round_s_median": round(statistics.median(seconds), 1),
                "meanwhile": runs,
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
