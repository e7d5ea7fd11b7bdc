"""The sample company: threads that people could have written, and none of them old."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.playground import HandClock, Playground
from bot.playground.sample import SampleThread, sample_workspace, tell

NOW = datetime(2027, 2, 1, 8, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def playground() -> Playground:
    return Playground(sample_workspace(), clock=HandClock(NOW))


@pytest.fixture(scope="module")
def threads(playground: Playground) -> tuple[SampleThread, ...]:
    return tell(playground)


def test_it_covers_nine_months_up_to_now(threads: tuple[SampleThread, ...]) -> None:
    ages = [NOW - datetime.fromtimestamp(int(thread.ts.split(".")[0]), tz=UTC) for thread in threads]

    assert len(threads) >= 30
    assert ages == sorted(ages, reverse=True)
    assert timedelta(days=265) < ages[0] < timedelta(days=280)
    assert ages[-1] < timedelta(days=14)


def test_nobody_speaks_where_they_are_not(playground: Playground, threads: tuple[SampleThread, ...]) -> None:
    for thread in threads:
        members = playground.world.conversation(thread.channel).members
        said = playground.messages(thread.channel, thread_ts=thread.ts)

        assert {message["user"] for message in said} <= set(members)
        assert [message["ts"] for message in said] == sorted(message["ts"] for message in said)


def test_it_tells_the_app_nothing(playground: Playground, threads: tuple[SampleThread, ...]) -> None:
    assert threads
    assert playground.deliveries() == ()


def test_two_channels_are_private_and_noor_is_in_neither(playground: Playground) -> None:
    private = [each for each in playground.world.conversations.values() if each.private]

    assert {each.name for each in private} == {"exec", "hiring"}
    assert all("U0NOOR" not in each.members for each in private)


def test_what_replaces_something_is_later_than_it(threads: tuple[SampleThread, ...]) -> None:
    by_key = {thread.key: thread for thread in threads}
    pairs = [(thread, by_key[thread.replaces]) for thread in threads if thread.replaces]

    assert pairs
    assert all(newer.ts > older.ts and older.pointed_by for newer, older in pairs)


def test_mentions_become_ids(playground: Playground, threads: tuple[SampleThread, ...]) -> None:
    thread = next(each for each in threads if each.key == "incident-318")

    said = playground.messages("platform", thread_ts=thread.ts)

    assert any("<@U0NOOR>" in message["text"] for message in said)
