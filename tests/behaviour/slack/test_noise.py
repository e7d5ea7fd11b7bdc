"""A day of a small company stays within the noise budget; tests/benchmarks/noise.py runs a whole week."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.noise import broken
from tests.builders_slack import Gateway, staged
from tests.builders_week import CompanyWeek, Size, company, to_monday


def test_a_small_company_is_told_no_more_than_the_budget_has(tmp_path: Path, gateway: Gateway) -> None:
    size = Size(people=8, channels=2, threads=6, days=1, seeds=4, hours=(9,), looks=(9, 10, 14))
    workspace = company(size)
    with staged(tmp_path, gateway, workspace=workspace, one_clock=True) as stage:
        week = CompanyWeek(stage, workspace, size, seed=1)
        modes = week.settings()
        to_monday(stage)
        week.seed()
        to_monday(stage, weeks=1)

        week.run()
        noise = week.noise()

        assert broken(week, noise, modes) == []
        assert sum(noise.threads.values()) > 0
        assert sum(map(len, noise.people.values())) > 0
