"""A day of a small company stays within the noise budget; tests/benchmarks/noise.py runs a whole week."""

from __future__ import annotations

from pathlib import Path

from bot.slack.layout import notices
from bot.slack.room import mode_setting
from bot.slack.saying.posting import Words
from bot.slack.saying.quiet import post_unasked
from tests.benchmarks.noise import broken
from tests.builders_slack import Gateway, Stage, staged
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


def test_a_thread_gets_no_second_message_though_its_first_was_deleted_and_a_switched_off_channel_none(
    stage: Stage,
) -> None:
    def say(key: str, channel: str, thread: str) -> str:
        told = Words(message=notices.notice("noise"))
        return post_unasked(stage.bot.room, key=key, kind="note", channel=channel, thread_ts=thread, make=lambda: told)

    stage.memory.set_setting(mode_setting("C0EXEC"), "off", by=stage.bot.room.person("U0LENA"))
    roots = {name: stage.play.post("lena", name, "shall we?") for name in ("search", "exec")}

    first = say("a", "C0SEARCH", roots["search"])
    again = say("a", "C0SEARCH", roots["search"])
    other = say("b", "C0SEARCH", roots["search"])
    stage.play.delete("lena", "search", first)
    stage.settle()
    stage.clock.advance(3600)
    after = say("a", "C0SEARCH", roots["search"])

    assert (first == again, other, after) == (True, "", "")
    assert say("c", "C0EXEC", roots["exec"]) == ""
