"""Who proposes what was turned down before is told so, alone and once, where a channel chose that."""

from __future__ import annotations

import pytest

from bot.playground import buttons, screen
from bot.slack.layout import actions as act
from bot.slack.room import Mode, mode_setting, said_before_setting
from store import Alternative, Person
from tests.builders_slack import Stage

PROPOSAL = "let's do search on Elasticsearch after all"
TOLD = "Elasticsearch was turned down on"
LENA = Person(name="Lena", id="U0LENA")


@pytest.fixture
def turned_down(stage: Stage) -> Stage:
    """Elasticsearch lost in #search, which wants proposers to be told."""
    stage.extractor.find(
        "postgres",
        "Search stays on Postgres",
        rationale="Elasticsearch: nobody on call knows it",
        alternatives=(Alternative(option="Elasticsearch", reason="nobody on call knows it"),),
    )
    ts = stage.play.post("lena", "search", "search stays on postgres, for Elasticsearch nobody on call knows it")
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    stage.memory.set_setting(said_before_setting("C0SEARCH"), "on", by=LENA)
    return stage


def propose(stage: Stage, user: str = "noor", text: str = PROPOSAL, channel: str = "search") -> str:
    ts = stage.play.post(user, channel, text)
    stage.settle()
    return ts


def test_the_proposer_alone_is_told_once_what_was_turned_down_and_nothing_of_the_message_is_kept(
    turned_down: Stage,
) -> None:
    stage = turned_down
    propose(stage, text="let's do search on Elasticsearch, nobody on call knows postgres, zirkon")
    (told,) = stage.play.ephemerals("noor")

    stage.clock.advance(2 * 86_400)
    propose(stage)

    assert screen(told).startswith(TOLD)
    assert '"nobody on call knows it" [1]' in screen(told)
    assert "Decided instead: Search stays on Postgres." in screen(told)
    assert buttons(told) == (act.ACTION_DIFFERENT_NOW, act.ACTION_OTHER_THING)
    assert len(stage.whispers("noor")) == 1
    assert all(stage.whispers(user) == [] for user in ("lena", "omar", "mia", "raj"))
    assert all(TOLD not in shown for shown in stage.screens("search"))
    stage.memory.beside.tidy()
    files = [path for path in stage.memory.home.rglob("*") if path.is_file()]
    assert all(b"zirkon" not in path.read_bytes() for path in files)


def test_another_thing_is_a_rejection_without_outcome_and_different_now_is_only_noted(turned_down: Stage) -> None:
    stage = turned_down
    before = stage.memory.verify().events
    for user, action in (("noor", act.ACTION_OTHER_THING), ("raj", act.ACTION_DIFFERENT_NOW)):
        propose(stage, user)
        stage.play.press(user, stage.play.ephemerals(user)[-1], action)
        stage.settle()

    (decision,) = stage.decisions()
    assert stage.whispers("noor") == ["Thanks. I won't bring that up with you again."]
    assert stage.whispers("raj")[0].startswith("Noted. When it is decided anew")
    assert stage.memory.verify().events == before + 1
    assert decision.voices.worked == decision.voices.failed == 0


@pytest.mark.parametrize(
    ("user", "channel", "text"),
    [
        ("noor", "search", "elasticsearch of the old trial is slow again, looking"),
        ("noor", "platform", PROPOSAL),
        ("gus", "search", "could we have lunch at the new place after all?"),
    ],
)
def test_what_proposes_nothing_or_stands_elsewhere_is_left_alone(
    turned_down: Stage, user: str, channel: str, text: str
) -> None:
    propose(turned_down, user, text, channel)

    assert turned_down.whispers(user) == []


def test_nobody_is_told_where_capture_or_the_setting_is_off_nor_who_is_left_out(turned_down: Stage) -> None:
    stage = turned_down
    stage.memory.set_setting("person:U0RAJ:left_out", "yes", by=LENA)
    propose(stage, "raj")
    stage.memory.set_setting(mode_setting("C0SEARCH"), Mode.OFF, by=LENA)
    propose(stage)
    stage.memory.set_setting(mode_setting("C0SEARCH"), Mode.WHEN_ASKED, by=LENA)
    stage.memory.set_setting(said_before_setting("C0SEARCH"), "off", by=LENA)
    propose(stage)

    assert stage.whispers("noor") == stage.whispers("raj") == []
    assert stage.memory.inbox.counts().failed == 0


def test_what_a_proposer_may_not_read_or_what_this_thread_decided_is_not_brought_up(stage: Stage) -> None:
    stage.extractor.find(
        "postgres",
        "Search stays on Postgres",
        alternatives=(Alternative(option="Elasticsearch", reason="who runs it"),),
    )
    for channel in ("C0SEARCH", "C0EXEC"):
        stage.memory.set_setting(said_before_setting(channel), "on", by=LENA)
    ts = stage.play.post("lena", "exec", "search stays on postgres, for Elasticsearch nobody on call knows it")
    stage.play.react("lena", "exec", ts, "bookmark")
    stage.settle()

    propose(stage, "noor")
    stage.play.post("mia", "exec", PROPOSAL, thread_ts=ts)
    propose(stage, "omar", channel="exec")

    assert stage.whispers("noor") == stage.whispers("mia") == []
    assert stage.whispers("omar")[0].startswith(TOLD)
