"""The month's budget where people meet it: the admins hear of it once, threads and questions are served without it."""

from __future__ import annotations

from pathlib import Path

from bot.budget import Purpose
from tests.builders_claude import proposed
from tests.builders_slack import Gateway, Stage, staged
from tests.fakes.claude_server import ClaudeServer, Received, Scripted, structured

LIMIT = 1_000_000
HOUR_S = 3600


def reads(received: Received) -> Scripted:
    """Find the decision about the database, and leave the wording of answers alone."""
    if "Question:" in received.user:
        return structured({"answered": False, "claims": [], "recommendations": []})
    line = next(line for line in received.user.splitlines() if "stay on postgres" in line)
    return structured({"decisions": [proposed("Search stays on Postgres", 1, line.partition(": ")[2])]})


def spend(stage: Stage, tokens: int) -> None:
    stage.bot.room.budget.reserve(Purpose.ANSWER, tokens).settle(tokens)


def notices(stage: Stage, user: str) -> list[str]:
    return [said for said in stage.screens(stage.play.direct(user)) if "model budget" in said]


def point_at_a_decision(stage: Stage) -> str:
    ts = stage.play.post("lena", "search", "so we stay on postgres for this, nobody on call knows the other one")
    stage.play.post("omar", "search", "agreed, that settles it", thread_ts=ts)
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    return ts


def test_a_month_is_spent_in_view_of_the_admins_and_everybody_is_served_to_its_end(
    tmp_path: Path, gateway: Gateway
) -> None:
    mia = frozenset({"U0MIA"})
    with (
        ClaudeServer(reads) as claude,
        staged(tmp_path, gateway, claude=claude, monthly_tokens=LIMIT, admins=mia) as stage,
    ):
        stage.later(HOUR_S)
        early = notices(stage, "mia")
        spend(stage, LIMIT * 8 // 10)

        ts = point_at_a_decision(stage)
        stage.later(HOUR_S)
        stage.later(HOUR_S)
        spend(stage, LIMIT * 2 // 10)
        answer = stage.ask("omar", "search", "why do we stay on postgres?")

        (told,) = notices(stage, "mia")
        assert early == []
        assert "Most of this month's model budget is used: 0.8 of 1.0 million tokens." in told
        assert notices(stage, "omar") == []
        assert [
            said for said in stage.whispers("lena") if "This month's model budget is used: read by rules" in said
        ] != []
        assert any("Recorded" in card for card in stage.screens("search", thread_ts=ts))
        assert "… This month's model budget is used: quoted, not summed up." in answer
        assert "stay on postgres" in answer
        assert claude.received == []
