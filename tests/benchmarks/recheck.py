"""A night's comparison with Slack: how long it takes, and how many calls a minute it makes.

    python -m tests.benchmarks.recheck [--threads 1000] [--gone 20] [--edited 20]

Threads of the loopback workspace are kept as decisions; some messages are deleted and edited while the bot listens
to nothing. Prints JSON: minutes of a night by the moved clock, calls a minute, ms of work a thread, what was erased.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bot.slack.recheck import CHUNK
from store import Admission, Draft, Place, Quote, Scope
from tests.builders_slack import Gateway, Stage, staged

NIGHT_S = 24 * 3600
SCOPE = Scope(id="channel:C0SEARCH", open=True)


def keep(stage: Stage, count: int) -> list[str]:
    """Let Lena say so many things and keep each as a decision; returns their ts."""
    posted = [stage.play.post("lena", "search", f"we stay on word{number}") for number in range(count)]
    kept = stage.memory.ingest(
        Admission(
            place=Place(source="slack", anchor=f"C0SEARCH/{ts}"), basis=ts, scope=SCOPE, provenance="test",
            drafts=(Draft(title=f"It stays word{number}", evidence=(_quote(stage, number, ts),)),), pointed=True,
        )
        for number, ts in enumerate(posted)
    )  # fmt: skip
    assert len(list(kept)) == count
    return posted


def _quote(stage: Stage, number: int, ts: str) -> Quote:
    return Quote(quote=f"we stay on word{number}", author_id="U0LENA", at=stage.clock(), turn_id=f"C0SEARCH/{ts}")


def main() -> int:
    """Run one night and print what it took."""
    asked = argparse.ArgumentParser(description=__doc__)
    for name, default in (("threads", 1000), ("gone", 20), ("edited", 20)):
        asked.add_argument(f"--{name}", type=int, default=default)
    chosen = asked.parse_args()
    with (
        tempfile.TemporaryDirectory() as home,
        Gateway() as gateway,
        staged(Path(home), gateway) as stage,
    ):
        posted = keep(stage, chosen.threads)
        stage.settle()
        stage.play.deliver_to("http://127.0.0.1:9/nobody")
        for ts in posted[: chosen.gone]:
            stage.play.delete("lena", "search", ts)
        for ts in posted[chosen.gone : chosen.gone + chosen.edited]:
            stage.play.edit("lena", "search", ts, "never mind")
        before, began, minutes = len(stage.play.calls()), time.monotonic(), 0
        stage.later(NIGHT_S)
        while stage.memory.inbox.counts().waiting:
            minutes += 1
            stage.later(60)
        took = time.monotonic() - began
        calls = Counter(call.method for call in stage.play.calls()[before:])
        left = len(stage.memory.threads_quoted("slack"))
    erased = chosen.threads - left
    print(
        json.dumps(
            {
                "threads": chosen.threads, "a minute": CHUNK, "minutes": minutes, "calls": dict(calls),
                "calls of a minute": round(sum(calls.values()) / max(minutes, 1), 1),
                "ms a thread": round(took * 1000 / chosen.threads, 1), "erased": erased,
            },
            indent=1,
        )
    )  # fmt: skip
    return 0 if erased == chosen.gone + chosen.edited else 1


if __name__ == "__main__":
    sys.exit(main())
