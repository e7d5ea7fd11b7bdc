"""Socket Mode: Bolt's own client against the loopback workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.slack.layout import actions as act
from tests.builders_slack import PATIENCE_S, Gateway, Stage, staged, wait_for

WHY = "why are we on postgres for search?"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, gateway: Gateway) -> Iterator[Stage]:
    home: Path = tmp_path_factory.mktemp("socket")
    with staged(home, gateway, sockets=True) as opened:
        opened.decided()
        yield opened


def test_a_command_is_acknowledged_and_answered_over_a_socket(stage: Stage) -> None:
    receipt = stage.play.command("mia", "search", "/why", WHY)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)

    assert receipt.acked
    assert "Search stays on Postgres" in receipt.responses[-1]["text"]


def test_a_channel_is_set_to_ask_first_and_whoever_decided_says_no_over_a_socket(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.settle()
    stage.play.press("ana", stage.play.bot_messages("platform")[-1], act.ACTION_MODE)
    stage.settle()
    stage.play.submit("ana", stage.play.views("ana")[-1], {"choice": "ask_first"})
    stage.settle()
    stage.extractor.finds.clear()
    stage.extractor.find("go with postgres", "Search stays on Postgres here", confidence=95)
    ts = stage.play.post("mia", "platform", "Elasticsearch or Postgres for search?")
    said = "Decided: we go with postgres for search, nobody on call knows Elasticsearch."
    stage.play.post("raj", "platform", said, thread_ts=ts)
    stage.play.post("mia", "platform", "agreed, let's do that", thread_ts=ts)
    stage.settle()
    stage.later(700)

    (question,) = stage.play.ephemerals("raj")
    stage.play.press("raj", question, act.ACTION_DENY)
    stage.settle()

    assert "and ask first" in stage.screens("platform")[1]
    assert stage.whispers("raj") == ["Not kept. Thanks."]
    assert stage.screens("platform", thread_ts=ts) == []


def test_when_slack_asks_for_a_new_socket_nothing_is_lost(stage: Stage) -> None:
    before = stage.play.sockets()

    stage.play.disconnect()
    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    wait_for(lambda: stage.screens("search", thread_ts=ts), timeout_s=60)

    assert before >= 1
    assert len(stage.screens("search", thread_ts=ts)) == 1


def test_when_the_socket_drops_without_a_word_it_comes_back(stage: Stage) -> None:
    stage.play.drop_sockets()
    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")

    wait_for(lambda: stage.screens("search", thread_ts=ts), timeout_s=60)

    assert len(stage.screens("search", thread_ts=ts)) == 1
