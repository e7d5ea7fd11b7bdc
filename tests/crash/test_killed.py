"""The bot as a real process, killed at each failpoint and started again: nothing acknowledged is lost or done twice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.playground import Playground, small_workspace
from store import EVERYTHING, Memory
from store.failpoints import STEPS

POINTS = [f"{step}.{side}" for step in STEPS for side in ("before", "after")]
DEADLINE_S = 60.0

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")


def environment(home: Path, play: Playground | None = None, failpoint: str = "") -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("BACKSTORY_", "SLACK_"))}
    inherited.pop("ANTHROPIC_API_KEY", None)
    named = {"BACKSTORY_HOME": str(home)}
    if failpoint:
        named["BACKSTORY_FAILPOINT"] = failpoint
    if play is not None:
        named |= {
            "SLACK_API_URL": play.api_url,
            "SLACK_APP_TOKEN": play.app_token,
            "SLACK_BOT_TOKEN": play.bot_token,
        }
    return inherited | named


@contextmanager
def bot(variables: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    log = Path(variables["BACKSTORY_HOME"]).with_suffix(".log").open("ab")
    process = subprocess.Popen([sys.executable, "-m", "bot", "run"], env=variables, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        log.close()


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the home of a bot that has done what it does at its first start, so that a point isn't met there."""
    home = tmp_path_factory.mktemp("begun") / "home"
    with Playground(workspace=small_workspace()) as play, bot(environment(home, play)) as first:
        play.wait_until(play.sockets, timeout_s=DEADLINE_S)
        play.settle(timeout_s=DEADLINE_S, quiet_s=1.0)
        first.terminate()
        first.wait(timeout=DEADLINE_S)
    return home


def conversation(play: Playground) -> tuple[str, str]:
    """Say what the bot will be pointed at, and return the ts of the thread and of the question."""
    root = play.post("omar", "#search", "should we move search to Elasticsearch?")
    play.post("raj", "#search", "nobody on call knows it, and trigrams get us to 80 ms", thread_ts=root)
    play.post("lena", "#search", "ok decided: we stay on Postgres for search, no Elasticsearch", thread_ts=root)
    play.react("lena", "#search", root, "bookmark")
    asked = play.post("mia", "#search", f"{play.mention} why is the payroll export monthly?")
    return root, asked


@pytest.mark.parametrize("point", POINTS)
def test_killed_there_and_started_again_it_works_each_delivery_off_once(
    point: str, begun: Path, tmp_path: Path
) -> None:
    home = shutil.copytree(begun, tmp_path / "home")
    with Playground(
        workspace=small_workspace(), ack_timeout_s=1.0, retry_delays_s=(0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
    ) as play:
        with bot(environment(home, play, point)) as doomed:
            play.wait_until(play.sockets, timeout_s=DEADLINE_S)
            root, asked = conversation(play)
            assert doomed.wait(timeout=DEADLINE_S) == -signal.SIGKILL

        with bot(environment(home, play)):
            play.wait_until(lambda: play.bot_messages("#search", thread_ts=root), timeout_s=DEADLINE_S)
            play.wait_until(lambda: play.bot_messages("#search", thread_ts=asked), timeout_s=DEADLINE_S)
            play.settle(timeout_s=DEADLINE_S, quiet_s=1.0)
            cards = play.bot_messages("#search", thread_ts=root)
            answers = play.bot_messages("#search", thread_ts=asked)

    memory = Memory.open(home, index="off")
    try:
        before = memory.digest(EVERYTHING)
        memory.rebuild()
        assert len(cards) == 1
        assert len(answers) == 1
        assert len(memory.decisions(EVERYTHING)) == 1
        assert memory.verify().faults == ()
        assert memory.digest(EVERYTHING) == before
    finally:
        memory.close()
