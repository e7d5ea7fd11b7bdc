"""Socket Mode: Bolt's own client against the loopback workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
