"""Nobody waits for a rebuild: `/why` in Slack, cold commands and appends while `why rebuild` runs again and again.

    python -m tests.benchmarks.rebuild_meanwhile [--decisions 100000] [--home FOLDER] [--rebuilds 3]

Makes a memory of that many decisions out of the load of `why bench log` (or copies the one in FOLDER), asks for a
while with nothing else going on, while rebuilds run and once more without, and prints JSON of each: acks (Slack's
limit is 3,000 ms, ours 1,000), questions that were lost, whole cold processes and appends. The bot is a process of
its own; two others look elements up and record; the loopback workspace shares the machine with all of them. Vectors
are left out: embedding the load would be what is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from bot.playground import Playground, Receipt, small_workspace
from bot.slack.layout.words import UNKEPT
from store.bench.load import Load
from store.bench.remote import bench_seal

ASKERS = ("lena", "omar", "mia", "raj", "ana", "noor")
EVERY_S = 0.4
"""Seconds between two questions: a burst is measured by burst.py, this by who asks in the middle of a rebuild."""

ANSWER_S = 60.0
"""Seconds to wait for the last answer."""

QUIET_QUESTIONS = 25
"""Questions asked while nothing else goes on, to compare with."""


def why(home: Path, *words: str, **variables: str) -> subprocess.Popen[bytes]:
    """Start a command of the product on that memory."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BACKSTORY_", "SLACK_"))}
    with home.with_name("log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "bot", *words],
            env=kept | {"BACKSTORY_HOME": str(home), "BACKSTORY_FOLLOW": "later"} | variables,
            stdout=log,
            stderr=log,
        )


def ended(process: subprocess.Popen[bytes]) -> None:
    """Wait for a command and raise if it failed."""
    if process.wait() != 0:
        raise SystemExit(f"{process.args!r} failed with {process.returncode}")


def made(home: Path, load: Load) -> None:
    """Fill a memory with the load, as a new machine gets it: by a sync with the folder that all others share."""
    with tempfile.TemporaryDirectory() as folder:
        bench_seal(load, Path(folder) / "shared")
        ended(why(home, "sync", str(Path(folder) / "shared")))


class Looking(threading.Thread):
    """Runs one command after the other and keeps how long each took, until told to stop."""

    def __init__(self, home: Path, words: Iterator[tuple[str, ...]], stop: threading.Event) -> None:
        super().__init__()
        self._home, self._words, self._stop_it = home, words, stop
        self.ms: list[float] = []

    def run(self) -> None:
        while not self._stop_it.wait(EVERY_S):
            began = time.monotonic()
            ended(why(self._home, *next(self._words)))
            self.ms.append((time.monotonic() - began) * 1000)


@contextmanager
def looked_up(home: Path, load: Load) -> Iterator[dict[str, list[float]]]:
    """Look elements up and record decisions all the while; what each process took is there at the end."""
    stop = threading.Event()
    found: dict[str, list[float]] = {}
    elements = ((("history", "heads")[number % 2], name, "--json") for number, name in enumerate(load.names * 50))
    records = (("record", "--title", f"Noted meanwhile {time.time_ns()}", "--json") for _ in iter(int, 1))
    threads = {"look-up": Looking(home, elements, stop), "record": Looking(home, records, stop)}
    for thread in threads.values():
        thread.start()
    try:
        yield found
    finally:
        stop.set()
        for name, thread in threads.items():
            thread.join()
            found[name] = thread.ms


def asked(play: Playground, load: Load, until: Callable[[int], bool]) -> list[Receipt]:
    """Ask one question after the other until told that it is enough, and wait for the answers to all that were kept."""
    receipts: list[Receipt] = []
    while not until(len(receipts)):
        name = load.names[len(receipts) * 37 % len(load.names)]
        who = ASKERS[len(receipts) % len(ASKERS)]
        receipts.append(play.command(who, "#search", "/why", f"what did we decide on {name}?", wait=False))
        time.sleep(EVERY_S)
    play.wait_until(lambda: all(receipt.acked or receipt.error for receipt in receipts), timeout_s=ANSWER_S)
    for receipt in receipts:
        if not is_lost(receipt):
            receipt.wait_for_response(count=1, timeout_s=ANSWER_S)
    return receipts


def is_lost(receipt: Receipt) -> bool:
    """Say whether nobody answers a question: it wasn't acked in time, or the ack says that it couldn't be kept."""
    return bool(receipt.error) or UNKEPT.partition("{")[0] in str((receipt.delivery.ack or {}).get("text"))


def summary(values: Sequence[float]) -> dict[str, float]:
    """Return how many there were, their median, their 95th percentile and the worst, in ms."""
    ordered = sorted(values)
    return {
        "count": len(ordered),
        "p50_ms": round(statistics.median(ordered), 1),
        "p95_ms": round(ordered[max(0, int(len(ordered) * 0.95) - 1)], 1),
        "max_ms": round(ordered[-1], 1),
    }


def measured(play: Playground, home: Path, load: Load, until: Callable[[int], bool]) -> dict[str, object]:
    """Ask in Slack and in terminals, and return what it took."""
    with looked_up(home, load) as processes:
        receipts = asked(play, load, until)
    acks = [receipt.ack_ms for receipt in receipts if receipt.ack_ms is not None]
    lost = sum(map(is_lost, receipts))
    return {"lost": lost, "ack": summary(acks)} | {name: summary(ms) for name, ms in processes.items()}


def rebuilding(home: Path, times: int, seconds: list[float], over: threading.Event) -> None:
    """Rebuild so many times, one after the other."""
    for _ in range(times):
        began = time.monotonic()
        ended(why(home, "rebuild"))
        seconds.append(round(time.monotonic() - began, 2))
    over.set()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--home", type=Path, help="a memory that holds that load already; it is copied")
    parser.add_argument("--rebuilds", type=int, default=3)
    given = parser.parse_args()
    load = Load(decisions=given.decisions)
    over = threading.Event()
    seconds: list[float] = []
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Playground(workspace=small_workspace()) as play,
    ):
        home = Path(folder) / "home"
        if given.home:
            shutil.copytree(given.home, home)
        else:
            made(home, load)
        with FileLock(home / "index.lock"):  # so that nobody embeds a hundred thousand texts meanwhile
            slack = {"SLACK_API_URL": play.api_url, "SLACK_BOT_TOKEN": play.bot_token}
            bot = why(home, "run", SLACK_APP_TOKEN=play.app_token, **slack)
            try:
                play.wait_until(play.sockets, timeout_s=60)
                before = measured(play, home, load, lambda count: count >= QUIET_QUESTIONS)
                rebuilder = threading.Thread(target=rebuilding, args=(home, given.rebuilds, seconds, over))
                rebuilder.start()
                meanwhile = measured(play, home, load, lambda _: over.is_set())
                rebuilder.join()
                after = measured(play, home, load, lambda count: count >= QUIET_QUESTIONS)
            finally:
                bot.terminate()
                bot.wait(timeout=30)
    told = {"rebuild_s": seconds, "before": before, "while rebuilding": meanwhile, "after": after}
    print(json.dumps(told, indent=2))
    raise SystemExit(1 if meanwhile["lost"] else 0)


if __name__ == "__main__":
    main()
