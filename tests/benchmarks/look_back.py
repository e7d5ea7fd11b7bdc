"""From the invitation to the first cited answer, over a channel of 1,000 messages: bar 120 s without a model.

    python -m tests.benchmarks.look_back [EXPORT] [--messages 1000]

EXPORT is a Slack export whose threads are said in one channel of a loopback workspace before the bot comes. The bot is
a process of its own (`why run`, its index included). Lena, an admin, invites it, presses [Look back 90 days…],
starts, keeps all that was found and asks about one of them. Done twice: straight through, and with a stop, a
SIGKILL and a new process on the way. Prints JSON: seconds by step, what was read and found, and how often Slack was
asked.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from subprocess import Popen
from typing import Any

from bot.playground import Playground, screen, small_workspace
from bot.slack.layout import actions as act
from bot.sources.slack_export import SlackExport
from tests.benchmarks.burst import why

EXPORT = Path(__file__).parents[3] / "shared" / "company" / "slack_export"
CHANNEL = "platform"
PEOPLE = ("lena", "omar", "mia", "noor", "raj", "ana")
ASKED_OF_SLACK = ("conversations.history", "conversations.replies", "chat.getPermalink", "chat.update")
PATIENCE_S = 300.0
BAR_S = 120.0


def said(play: Playground, export: Path, most: int) -> int:
    """Say an export's threads in one channel, by as many people; returns how many messages that were."""
    count = 0
    with SlackExport(export) as opened:
        for thread in opened.threads(newest_first=True):
            if count >= most:
                break
            who = {
                author: PEOPLE[n % len(PEOPLE)]
                for n, author in enumerate(dict.fromkeys(t.author for t in thread.turns))
            }
            root = ""
            for turn in thread.turns:
                text = turn.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                ts = play.post(who[turn.author], CHANNEL, text, thread_ts=root)
                root, count = root or ts, count + 1
    return count


def until(condition: Callable[[], Any]) -> Any:
    """Return a condition's value once it is true."""
    deadline = time.monotonic() + PATIENCE_S
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError("it never came true")
        time.sleep(0.02)
    return value


class Lena:
    """An admin at her screen, and the bot's process beside her."""

    def __init__(self, play: Playground, home: Path) -> None:
        """Start the bot and wait until it listens."""
        self.play, self.home = play, home
        self.bot = self.start()

    def start(self) -> Popen[bytes]:
        """Start the bot's process."""
        tokens = {"SLACK_BOT_TOKEN": self.play.bot_token, "SLACK_APP_TOKEN": self.play.app_token}
        process = why(self.home, "run", SLACK_API_URL=self.play.api_url, **tokens)
        until(lambda: self.play.sockets() > 0)
        return process

    def kill(self) -> None:
        """Kill the bot and start it anew."""
        self.bot.kill()
        self.bot.wait()
        until(lambda: self.play.sockets() == 0)
        self.bot = self.start()

    def first_contact(self) -> Mapping[str, Any] | None:
        """Return what the bot said when it came."""
        told = (one for one in self.play.bot_messages(CHANNEL) if "I remember decisions" in screen(one))
        return next(told, None)

    def counts(self) -> Mapping[str, Any] | None:
        """Return the form once it says what there is to read."""
        return next((view for view in self.play.views("lena") if "about" in screen(view)), None)

    def listed(self) -> Mapping[str, Any] | None:
        """Return the list as it stands now."""
        found = self.play.bot_messages(self.play.direct("lena"))
        return found[-1] if found else None

    def shows(self, words: str) -> bool:
        """Say whether the list says something."""
        listed = self.listed()
        return listed is not None and words in screen(listed)

    def read(self) -> int:
        """Return how many threads the list says are read."""
        listed = self.listed()
        match = re.search(r"(\d+) of (\d+) threads read", screen(listed)) if listed else None
        return int(match[1]) if match else 0

    def press(self, action: str) -> None:
        """Press a button of the list."""
        listed = self.listed()
        assert listed is not None
        self.play.press("lena", listed, action)

    def offers(self, action: str) -> bool:
        """Say whether the list has a button."""
        listed = self.listed() or {}
        return any(
            part.get("action_id") == action for block in listed.get("blocks", ()) for part in block.get("elements", ())
        )


def look_back(play: Playground, home: Path, *, interrupted: bool) -> dict[str, Any]:
    """Go from the invitation to the first cited answer and return the seconds of each step."""
    lena, marks = Lena(play, home), [("start", time.monotonic())]

    def mark(step: str) -> None:
        marks.append((step, time.monotonic()))

    play.invite_bot("lena", CHANNEL)
    play.press("lena", until(lena.first_contact), act.ACTION_LOOK_BACK)
    view = until(lena.counts)
    counts = re.search(r"\d+ threads?, about \d+ decisions?", screen(view))
    mark("invited and counted")
    play.submit("lena", view)
    if interrupted:
        until(lambda: lena.read() > 0)
        lena.press(act.ACTION_LOOK_STOP)
        until(lambda: lena.offers(act.ACTION_LOOK_GO_ON))
        stopped_at = lena.read()
        lena.press(act.ACTION_LOOK_GO_ON)
        until(lambda: lena.read() > stopped_at or lena.shows("Looked back"))
        lena.kill()
    until(lambda: lena.shows("Looked back"))
    mark("read")
    title = re.search(r"found\n(?:.*\n)?(.+)\n", screen(lena.listed() or {}))
    while lena.offers(act.ACTION_LOOK_KEEP_ALL) or lena.offers(act.ACTION_LOOK_KEEP):
        before = screen(lena.listed() or {})
        lena.press(act.ACTION_LOOK_KEEP_ALL if lena.offers(act.ACTION_LOOK_KEEP_ALL) else act.ACTION_LOOK_KEEP)
        until(lambda: screen(lena.listed() or {}) != before)  # noqa: B023  # asked at once
    mark("kept")
    question = f"why {title[1].strip().rstrip('.')}?" if title else ""
    receipt = play.command("lena", CHANNEL, "/why", question)
    answer = until(lambda: next((shown for one in receipt.responses[1:] if "[1]" in (shown := screen(one))), ""))
    mark("answered")
    lena.bot.terminate()
    lena.bot.wait()
    calls = Counter(call.method for call in play.calls())
    steps = {step: round(at - before, 1) for (_, before), (step, at) in pairwise(marks)}
    return {
        "interrupted": interrupted, "seconds": steps, "total_s": round(marks[-1][1] - marks[0][1], 1), "bar_s": BAR_S,
        "counts": counts[0] if counts else "", "list": screen(lena.listed() or {}).splitlines()[0],
        "asked": question, "answer": answer.splitlines()[0],
        "calls": {name: calls[name] for name in ASKED_OF_SLACK},
    }  # fmt: skip


def main() -> None:
    """Measure both ways and print what came of them."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("export", type=Path, nargs="?", default=EXPORT)
    asked.add_argument("--messages", type=int, default=1_000)
    given = asked.parse_args()
    if not given.export.is_dir():
        sys.exit(f"{given.export}: no export there")
    runs = []
    for interrupted in (False, True):
        with tempfile.TemporaryDirectory() as folder, Playground(small_workspace()) as play:
            messages = said(play, given.export, given.messages)
            runs.append({"messages": messages} | look_back(play, Path(folder) / "home", interrupted=interrupted))
    print(json.dumps(runs, indent=2, ensure_ascii=False))
    sys.exit(0 if all(run["total_s"] <= BAR_S for run in runs) else 1)


if __name__ == "__main__":
    main()
