"""In a town of thirty people nobody is shown what they could not read, whatever is asked, pressed or changed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders_slack import Gateway, staged
from tests.builders_town import BOT, Town, town
from tests.builders_town_busy import BusyTown, busy_town

STEPS, BUSY_STEPS = 30, 20


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with Gateway() as opened:
        yield opened


def test_nothing_that_the_bot_says_in_a_town_holds_what_its_readers_could_not_read(
    tmp_path: Path, gateway: Gateway
) -> None:
    with staged(tmp_path, gateway, workspace=town(7)) as stage:
        place = Town(stage, random.Random(7))
        place.decide(120)

        for _ in range(STEPS):
            place.step()

    assert place.leaks == []
    assert place.words > STEPS


def test_nor_does_it_when_everything_happens_that_may_happen_in_a_workspace(tmp_path: Path, gateway: Gateway) -> None:
    with staged(tmp_path, gateway, workspace=busy_town(7)) as stage:
        place = BusyTown(stage, random.Random(7))
        place.decide(120)

        for _ in range(BUSY_STEPS):
            place.step()

    assert place.leaks == []
    assert place.words > BUSY_STEPS


def test_the_oracle_of_the_town_finds_what_is_shown_to_somebody_who_does_not_read_it(
    tmp_path: Path, gateway: Gateway
) -> None:
    with staged(tmp_path, gateway, workspace=town(7)) as stage:
        place = Town(stage, random.Random(7))
        room = next(one for one in stage.play.world.conversations.values() if one.private and BOT in one.members)
        place.said_in["zqa1q"] = room.id
        inside = next(one for one in room.members if one != BOT)
        outside = next(user for user in stage.play.world.users if user not in room.members)

        stage.bot.room.client.post_to_person(inside, {"text": "zqa1q", "blocks": []}, key="1")
        place.check()
        held = list(place.leaks)
        stage.bot.room.client.post_to_person(outside, {"text": "zqa1q", "blocks": []}, key="2")
        place.check()

    assert held == []
    assert [leak for leak in place.leaks if outside in leak]
