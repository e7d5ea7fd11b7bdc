"""Questions in Slack and their answers."""

from __future__ import annotations

from tests.builders_slack import Stage


def test_a_thread_that_somebody_points_at_answers_why(stage: Stage) -> None:
    ts = stage.decided()

    answer = stage.ask("mia", "search", "why are we on postgres for search?")

    assert len(stage.decisions()) == 1
    (card,) = stage.screens("search", thread_ts=ts)
    assert "Recorded: Search stays on Postgres" in card
    assert "Search stays on Postgres" in answer
