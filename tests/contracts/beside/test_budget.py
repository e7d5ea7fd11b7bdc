"""The month's budget: set aside before a call, counted after it, shared by all who open the home."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.budget import Budget, Purpose
from bot.errors import BudgetUsed
from store import Spent
from store.sql.beside import Beside
from tests.builders_databases import beside_in

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)


def budget_of(beside: Beside, *, limit: int = 1000, now: datetime = NOON) -> Budget:
    return Budget(beside.spending, limit=limit, clock=lambda: now)


def test_a_call_counts_with_the_most_it_can_cost_until_it_is_known_what_it_did(beside: Beside) -> None:
    budget = budget_of(beside)

    held = budget.reserve(Purpose.ANSWER, 400)
    running = budget.spent()
    held.settle(90)
    held.settle(90)

    assert (running, budget.spent()) == (400, 90)
    assert budget.by_purpose() == (Spent(purpose="answer", calls=1, tokens=90, refused=0),)


def test_a_call_that_was_not_billed_gives_its_tokens_back(beside: Beside) -> None:
    budget = budget_of(beside)

    budget.reserve(Purpose.CAPTURE, 400).release()

    assert budget.spent() == 0


def test_the_last_fifth_is_kept_for_answers(beside: Beside) -> None:
    budget = budget_of(beside)
    budget.reserve(Purpose.CAPTURE, 800).settle(800)

    with pytest.raises(BudgetUsed):
        budget.reserve(Purpose.CAPTURE, 1)
    budget.reserve(Purpose.ANSWER, 200)
    with pytest.raises(BudgetUsed):
        budget.reserve(Purpose.ANSWER, 1)

    assert [(one.purpose, one.tokens, one.refused) for one in budget.by_purpose()] == [
        ("answer", 200, 1), ("capture", 800, 1)
    ]  # fmt: skip


def test_the_budget_is_low_once_a_thread_was_refused_though_its_estimate_alone_was_too_much(beside: Beside) -> None:
    budget = budget_of(beside)
    budget.reserve(Purpose.CAPTURE, 700).settle(700)
    before = budget.is_low()

    with pytest.raises(BudgetUsed) as refused:
        budget.reserve(Purpose.CAPTURE, 200)

    assert (before, budget.is_low()) == (False, True)
    assert refused.value.retry_after_s == 12 * 3600


def test_calls_side_by_side_in_two_processes_never_go_over_it_together(tmp_path: Path, beside: Beside) -> None:
    other = beside_in(tmp_path, lambda: NOON)
    both = (budget_of(beside), budget_of(other))

    def call(number: int) -> int:
        try:
            both[number % 2].reserve(Purpose.ANSWER, 150)
        except BudgetUsed:
            return 0
        return 1

    with ThreadPoolExecutor(max_workers=8) as pool:
        made = sum(pool.map(call, range(24)))
    other.close()

    assert made == 6
    assert both[0].spent() == 900


def test_a_call_that_a_crash_cut_off_counts_in_full_after_the_home_is_opened_again(tmp_path: Path) -> None:
    first = beside_in(tmp_path, lambda: NOON)
    budget_of(first).reserve(Purpose.ANSWER, 600)
    first.close()

    again = beside_in(tmp_path, lambda: NOON)
    spent = budget_of(again).spent()
    again.close()

    assert spent == 600


def test_a_month_of_utc_begins_with_nothing_spent_and_old_months_go(beside: Beside) -> None:
    budget_of(beside).reserve(Purpose.ANSWER, 1000)
    next_month = budget_of(beside, now=DECEMBER)

    spent = next_month.spent()
    beside.purge(datetime(2028, 1, 1, tzinfo=UTC))

    assert (spent, budget_of(beside).spent()) == (0, 0)
    assert budget_of(beside).renews_at() == DECEMBER


def test_a_limit_of_nothing_makes_no_call(beside: Beside) -> None:
    with pytest.raises(BudgetUsed):
        budget_of(beside, limit=0).reserve(Purpose.ANSWER, 1)
