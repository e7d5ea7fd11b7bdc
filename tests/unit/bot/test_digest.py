"""Twelve lines at most, each list with a fair share of them, and nobody's name."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.playground import screen
from bot.slack.answering.gaps import Gap
from bot.slack.unasked.digest import LINES_MAX, Week, digest, shares
from store import Conflict, Decision, DecisionId, Person, Place, Scope, State, Status, Verdict, Voices

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def decided(number: int, status: Status = Status.ACCEPTED, label: Verdict | None = None) -> Decision:
    return Decision(
        id=DecisionId(f"d{number}"), title=f"Choice {number} stands",
        place=Place(source="slack", anchor=f"C1/{number}"),
        scope=Scope(id="channel:C1", open=True), status=status, state=State.CURRENT, confirmed=True, recorded_at=NOW,
        decided_by=(Person(name="Lena Brandt", id="U1"),), voices=Voices(label=label),
    )  # fmt: skip


def lines(week: Week) -> list[str]:
    told = digest(week)
    return [line for line in screen({"text": told.text, "blocks": told.blocks}).splitlines() if line.strip()]


def test_a_full_week_has_twelve_lines_though_its_heading_wraps_and_says_how_many_more_there_are() -> None:
    asked = Gap(question="which queue?", channel="C1", ts="1.0", permalink="https://x.slack.com/1", asked_at=NOW)
    week = Week(
        channel="C1", label="#search", decided=[decided(one) for one in range(20)],
        contested=[Conflict(element="", property="", heads=(decided(30), decided(31)))],
        results=[decided(40, label=Verdict.FAILED)], waiting=[decided(50), decided(51)], questions=[asked],
    )  # fmt: skip

    told = lines(week)

    assert len(told) == LINES_MAX - 1
    assert told[0].startswith("This week in #search: 20 decided · 1 contested · 1 result · 2 waiting for")
    assert "18 more: ask /why, or see Home" in told
    assert any("Choice 30 stands ↔ Choice 31 stands" in line for line in told)
    assert any("It didn't work: Choice 40 stands" in line for line in told)
    assert any("Asked, no answer yet: which queue?" in line for line in told)
    assert not any("Lena" in line for line in told)


def test_what_was_turned_down_says_so_and_a_word_stands_before_each_line() -> None:
    week = Week(channel="C1", label="#search", decided=[decided(1, Status.REJECTED)])

    told = lines(week)

    assert told[1].startswith("Turned down: Choice 1 stands")


@pytest.mark.parametrize(
    ("wanted", "room", "given"),
    [([20, 1, 2], 9, (6, 1, 2)), ([2, 0, 1], 9, (2, 0, 1)), ([5, 5, 5], 2, (1, 1, 0)), ([], 9, ())],
)
def test_no_list_starves_another(wanted: list[int], room: int, given: tuple[int, ...]) -> None:
    assert shares(wanted, room) == given
