"""A simulated week of 40 people and 12 channels: what the bot says unasked, counted against the noise budget.

    python -m tests.benchmarks.noise [--people 40] [--channels 12] [--threads 8] [--days 8] [--seed 1]

The week runs through the real bot and the loopback workspace with the clock moved: threads that decide, turn, are
edited and deleted, questions and votes; a hundred decisions of two weeks before wait for "how did it go". Prints a
table by channel and what was said to people, and fails where more was said than the budget of PEOPLE.md has.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from bot.slack.saying.quiet import ASKS_A_DAY, KEPT_BACK
from tests.builders_slack import Gateway, staged
from tests.builders_week import CompanyWeek, Noise, Size, company, most_within, outside_work, to_monday

DAY, WEEK = timedelta(days=1), timedelta(days=7)


def broken(week: CompanyWeek, noise: Noise, modes: dict[str, str]) -> list[str]:
    """Return what was said beyond the budget, a line each."""
    found = [f"thread {key}: {count} messages" for key, count in noise.threads.items() if count > 1]
    for channel, times in noise.channels.items():
        if (most := most_within(times, DAY)) > 3:
            found.append(f"channel {channel}: {most} messages within a day")
        if modes[channel] == "off":
            found.append(f"channel {channel}: {len(times)} messages though capture is off")
    for user, times in noise.people.items():
        if (most := most_within(times, WEEK)) > 1:
            found.append(f"person {user}: {most} direct messages within a week")
        if late := outside_work(times, week.zones[user]):
            found.append(f"person {user}: written to outside working hours, {late}")
    for user in week.zones:
        if (most := most_within(noise.asked.get(user, []), DAY)) > ASKS_A_DAY:
            found.append(f"person {user}: asked alone {most} times within a day whether they decided")
    found += [f"asked {count} times about one thread: {key}" for key, count in noise.whispers.items() if count > 1]
    return found


def main() -> int:
    """Run the week, print the table, and say whether the budget held."""
    asked = argparse.ArgumentParser(description=__doc__)
    for name, default in (("people", 40), ("channels", 12), ("threads", 8), ("days", 8), ("seeds", 100), ("seed", 1)):
        asked.add_argument(f"--{name}", type=int, default=default)
    chosen = asked.parse_args()
    size = Size(
        people=chosen.people, channels=chosen.channels, threads=chosen.threads, days=chosen.days, seeds=chosen.seeds
    )
    began, workspace = time.monotonic(), company(size)
    with (
        tempfile.TemporaryDirectory() as home,
        Gateway() as gateway,
        staged(Path(home), gateway, workspace=workspace, one_clock=True) as stage,
    ):
        week = CompanyWeek(stage, workspace, size, seed=chosen.seed)
        modes = week.settings()
        to_monday(stage)
        week.seed()
        to_monday(stage, weeks=1)
        week.run()
        noise = week.noise()
        kept = {one: len(stage.memory.posts.of_kind(KEPT_BACK, one)) for one in modes}
    _print(week, noise, modes, kept)
    print(f"{time.monotonic() - began:.0f} s")
    over = broken(week, noise, modes)
    print("\n".join(over) or "The budget held.")
    return 1 if over else 0


def _print(week: CompanyWeek, noise: Noise, modes: dict[str, str], kept: dict[str, int]) -> None:
    print(f"{'channel':9}{'mode':13}{'unasked':>9}{'most a day':>12}{'most a thread':>15}{'kept back':>11}")
    for channel, mode in modes.items():
        times = noise.channels.get(channel, [])
        thread = max((count for (where, _), count in noise.threads.items() if where == channel), default=0)
        print(f"{channel:9}{mode:13}{len(times):9}{most_within(times, DAY):12}{thread:15}{kept[channel]:11}")
    direct = [most_within(times, WEEK) for times in noise.people.values()]
    asked = [len(times) for times in noise.asked.values()] or [0]
    print(f"direct messages: {sum(map(len, noise.people.values()))} to {len(direct)} people, most a week {max(direct)}")
    print(f"asked first, alone: {sum(asked)}, most of one person {max(asked)}, about a thread at most once")
    print(f"said: {dict(noise.said)}")
    print(f"happened: {dict(week.counts)}, pointed at {len(week.pointed)}")


if __name__ == "__main__":
    sys.exit(main())
