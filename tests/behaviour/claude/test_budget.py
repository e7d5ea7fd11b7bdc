"""The month's budget against the loopback Claude: no call goes over it, and each counts for what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import BaseModel

from bot.budget import Budget, Purpose
from bot.claude.client import Ask, ClaudeClient
from bot.errors import BackstoryError, BudgetUsed
from store import Beside
from tests.builders_slack import wait_for
from tests.fakes import claude_server as fake
from tests.fakes.claude_server import ClaudeServer, Scripted

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Weather(BaseModel):
    degrees: int


ASK = Ask(system=("Say how warm it is.",), user="Berlin?", max_tokens=500, effort="low", purpose=Purpose.ANSWER)
WARM = fake.structured({"degrees": 12})
COST = 1200 + 150
MOST = ASK.most_tokens(Weather)
"""The most that the call can cost: little is asked, so nearly all of it is what may be written."""


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Beside]:
    opened = Beside.open(tmp_path / "inbox.db", lambda: NOON)
    yield opened
    opened.close()


@pytest.fixture
def claude() -> Iterator[ClaudeServer]:
    with ClaudeServer() as server:
        yield server


@contextmanager
def client_of(claude: ClaudeServer, beside: Beside, *, limit: int = 1_000_000) -> Iterator[tuple[ClaudeClient, Budget]]:
    budget = Budget(beside.spending, limit=limit, clock=lambda: NOON)
    client = ClaudeClient(
        api_key=claude.api_key, base_url=claude.base_url, model="claude-haiku-5-5", budget=budget, pause_s=0.001
    )
    yield client, budget
    client.close()


def test_the_model_sees_no_call_that_the_month_does_not_bear(claude: ClaudeServer, beside: Beside) -> None:
    with client_of(claude, beside, limit=MOST - 1) as (client, budget):
        with pytest.raises(BudgetUsed):
            client.ask(Weather, ASK, deadline_s=5)

        assert claude.received == []
        assert budget.spent() == 0


def test_reading_threads_stops_at_four_fifths_and_answers_go_on(claude: ClaudeServer, beside: Beside) -> None:
    with client_of(claude, beside, limit=MOST * 5 // 4) as (client, budget):
        budget.reserve(Purpose.ANSWER, 1)
        claude.then(WARM)

        with pytest.raises(BudgetUsed):
            client.ask(Weather, replace(ASK, purpose=Purpose.CAPTURE), deadline_s=5)
        client.ask(Weather, ASK, deadline_s=5)

        assert len(claude.received) == 1


@pytest.mark.parametrize(
    ("answers", "cost"),
    [
        ((WARM,), COST),
        ((fake.refusal(),), COST),
        ((fake.cut_short(),), COST),
        ((Scripted(text="warm", may_miss_schema=True), WARM), 2 * COST),
        ((fake.failure(529), WARM), COST),
        ((fake.failure(402),), 0),
        ((Scripted(dropped=True), WARM), MOST + COST),
    ],
    ids=[
        "answered",
        "refused",
        "cut off",
        "misshapen, then answered",
        "overloaded, then answered",
        "unpaid",
        "dropped",
    ],
)
def test_each_call_counts_for_what_was_billed_and_for_the_most_it_can_where_nobody_said(
    claude: ClaudeServer, beside: Beside, answers: tuple[Scripted, ...], cost: int
) -> None:
    with client_of(claude, beside) as (client, budget):
        claude.then(*(replace(answer, input_tokens=1200, output_tokens=150) for answer in answers))

        with suppress(BackstoryError):
            client.ask(Weather, ASK, deadline_s=5)

        assert budget.spent() == cost


def test_an_answer_that_comes_too_late_counts_for_what_it_cost_in_the_end(claude: ClaudeServer, beside: Beside) -> None:
    with client_of(claude, beside) as (client, budget):
        claude.then(replace(WARM, drip_s=0.002, input_tokens=1200, output_tokens=150))

        with pytest.raises(BackstoryError, match="in time"):
            client.ask(Weather, ASK, deadline_s=0.1)
        late = budget.spent()

        assert late == MOST
        wait_for(lambda: budget.spent() == COST)


def test_calls_side_by_side_never_go_over_the_month_together(claude: ClaudeServer, beside: Beside) -> None:
    with client_of(claude, beside, limit=4 * MOST) as (client, budget):
        claude.then(*[replace(WARM, delay_s=0.05, input_tokens=100, output_tokens=400)] * 20)
        seen: list[int] = []

        def one(_: int) -> None:
            with suppress(BudgetUsed):
                client.ask(Weather, ASK, deadline_s=5)
            seen.append(budget.spent())

        with ThreadPoolExecutor(max_workers=10) as pool:
            list(pool.map(one, range(20)))

        assert 4 <= len(claude.received) <= 8
        assert max(seen) <= 4 * MOST
