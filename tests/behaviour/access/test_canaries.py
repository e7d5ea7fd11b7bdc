"""Marked messages are looked for in every file, message and log line: what must not be kept is nowhere."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot import logs
from bot.forget import forget_person
from bot.slack.room import Mode, mode_setting
from store import Person
from tests.builders_slack import Gateway, Stage, staged

MESSAGES = 1_000
CANARY = re.compile(rb"canary-\d{4}")
MIA = Person(name="Mia", id="UMIA")


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with Gateway() as opened:
        yield opened


def in_files(home: Path) -> set[str]:
    """Return the canaries that any file under a home holds."""
    return {found.decode() for path in home.rglob("*") if path.is_file() for found in CANARY.findall(path.read_bytes())}


def said_to(stage: Stage, *, but: str) -> str:
    """Return everything that the bot sent, except to one person alone, as one text."""
    calls = [call for call in stage.play.calls() if call.args.get("user") != but]
    return json.dumps([call.args for call in calls if call.method != "response_url"])


def test_of_a_thousand_messages_those_of_the_captured_thread_alone_are_kept(tmp_path: Path, gateway: Gateway) -> None:
    with staged(tmp_path, gateway) as stage:
        search = stage.play.world.conversation("search").id
        stage.memory.set_setting(mode_setting(search), Mode.BY_ITSELF.value, by=MIA)
        kept = [f"canary-{number:04}" for number in range(3)]
        stage.extractor.find(kept[0], "Search stays on Postgres")
        root = stage.play.post("lena", "search", f"so we stay on postgres {kept[0]}")
        for canary in kept[1:]:
            stage.play.post("omar", "search", f"agreed {canary}", thread_ts=root)
        for number in range(3, MESSAGES):
            channel, thread = ("search", "") if number % 2 else ("exec", "")
            last = stage.play.post("omar", channel, f"canary-{number:04} is on the way", thread_ts=thread)
            if number % 10 == 1:
                stage.play.post("lena", channel, f"ok canary-{number:04}", thread_ts=last)
        stage.play.react("lena", "search", root, "bookmark")
        stage.settle()

        stage.later(15 * 60)
        stage.later(25 * 3600)

        assert [one.title for one in stage.decisions()] == ["Search stays on Postgres"]
        due = stage.memory.inbox.next_due()
        assert due is None or due > stage.clock()
    assert in_files(tmp_path) <= set(kept)
    assert kept[0] in in_files(tmp_path)


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """Collect the product's log lines as an operator would see them."""
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(logs.JsonLines())
    root = logging.getLogger(logs.ROOT)
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def test_a_private_question_is_its_askers_alone_and_gone_after_ninety_days(tmp_path: Path, gateway: Gateway) -> None:
    with logged() as lines, staged(tmp_path, gateway, one_clock=True) as stage:
        asker = stage.play.world.user("mia")["id"]
        shown = stage.ask("mia", "search", "who signs off canary-0001?")
        stage.play.open_home("lena")
        stage.settle()

        elsewhere = said_to(stage, but=asker)
        stage.later(91 * 86_400)

        assert "canary-0001" in shown
        assert "canary-0001" not in elsewhere
        assert "canary-0001" not in lines.getvalue()
        assert '"kind": "command"' in lines.getvalue()
        assert stage.memory.sessions.of_asker(asker) == ()
    assert in_files(tmp_path) == set()


def test_after_a_person_is_forgotten_nothing_of_theirs_is_anywhere(tmp_path: Path, gateway: Gateway) -> None:
    with staged(tmp_path, gateway) as stage:
        omar = Person(id=stage.play.world.user("omar")["id"], name=str(stage.play.world.user("omar")["real_name"]))
        stage.extractor.find("canary-0001", "Search stays on canary-0001")
        own = stage.play.post("omar", "search", "so we stay on canary-0001")
        stage.play.react("omar", "search", own, "bookmark")
        stage.decided()
        stage.settle()
        answer = stage.play.post("lena", "search", f"{stage.play.mention} what does search stay on?")
        stage.ask("omar", "search", "what of canary-0002?")

        forgotten = forget_person(stage.memory, omar)
        stage.bot.worker.wake()
        stage.settle()

        assert forgotten.quotes >= 1
        posted = json.dumps([stage.play.messages("search", thread_ts=ts) for ts in (own, answer)])
        bots = [one for one in json.loads(posted) for one in one if one.get("bot_id")]
        assert "canary-0001" not in json.dumps(bots)
        assert stage.memory.verify().clean
    assert in_files(tmp_path) == set()
    held = [path for path in tmp_path.rglob("*") if path.is_file() and omar.name.encode() in path.read_bytes()]
    assert held == []
