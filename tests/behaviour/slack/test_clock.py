"""What is due by the clock goes into the inbox once."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.slack.app import SlackBot
from bot.slack.clock import DAILY, Clock, tick
from store import Memory, State, StoreBusy
from tests.builders_slack import Stage, wait_for


def test_the_clock_puts_in_what_is_due_and_stops(stage: Stage) -> None:
    clock = Clock(stage.memory, stage.clock)
    day = f"purge:{stage.clock().date().isoformat()}"

    clock.start()
    wait_for(lambda: stage.memory.inbox.result(day) is not None)
    clock.stop()
    stage.settle()

    assert "dropped" in (stage.memory.inbox.result(day) or "")


def test_a_quiet_thread_is_put_in_once(stage: Stage) -> None:
    now = stage.clock()
    stage.memory.watch.touch("C0SEARCH", "1.0", "1.0", now)

    first, again = tick(stage.memory, now), tick(stage.memory, now)
    stage.settle()

    assert (first > 0, again) == (True, 0)
    assert stage.memory.inbox.result("quiet:C0SEARCH:1.0:1.0:0") is not None


def test_an_answer_is_forgotten_when_its_days_are_over(stage: Stage) -> None:
    stage.decided()
    stage.ask("mia", "search", "why are we on postgres for search?")

    stage.later(seconds=timedelta(days=91).total_seconds())

    assert stage.memory.sessions.of_asker("U0MIA") == ()


def test_a_capture_that_nobody_confirmed_is_gone_after_ninety_days(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres", confidence=60)
    stage.memory.set_setting("channel:C0SEARCH:mode", "by itself", by=stage.bot.room.person("U0LENA"))
    ts = stage.play.post("lena", "search", "shall search stay on postgres? nobody on call knows the zebra")
    stage.play.post("omar", "search", "agreed. decision: we go with postgres", thread_ts=ts)
    stage.settle()
    stage.later(seconds=601)
    waiting = stage.decisions()

    stage.later(seconds=timedelta(days=91).total_seconds())

    assert [one.confirmed for one in waiting] == [False]
    assert [one for one in stage.decisions() if one.state is State.CURRENT] == []


def test_after_days_on_which_nothing_ran_each_daily_job_runs_once(stage: Stage) -> None:
    tick(stage.memory, stage.clock())
    stage.clock.advance(timedelta(days=3).total_seconds())

    first, again = tick(stage.memory, stage.clock()), tick(stage.memory, stage.clock())
    stage.settle()

    day = stage.clock().date()
    ran = [f"{kind}:{day - timedelta(days=back)}" for kind in DAILY for back in (1, 2)]
    assert (first >= len(DAILY), again) == (True, 0)
    assert all(stage.memory.inbox.result(f"{kind}:{day}") for kind in DAILY)
    assert [stage.memory.inbox.result(key) for key in ran] == [None] * len(ran)


def test_only_one_process_looks_at_the_clock_of_a_memory(stage: Stage) -> None:
    before = stage.memory.inbox.counts()
    with closing(Memory.open(stage.memory.home, clock=stage.clock, index="off")) as second:
        other = SlackBot(replace(stage.bot.room, memory=second), stage.bot.app, stage.bot.worker)

        with pytest.raises(StoreBusy):
            other.start()

    assert stage.memory.inbox.counts() == before
