"""Questions in Slack and their answers."""

from __future__ import annotations

import pytest

from bot.playground import pings, screen
from tests.builders_slack import Stage


def test_a_thread_that_somebody_points_at_answers_why(stage: Stage) -> None:
    ts = stage.decided()

    answer = stage.ask("mia", "search", "why are we on postgres for search?")

    assert len(stage.decisions()) == 1
    (card,) = stage.screens("search", thread_ts=ts)
    assert "Recorded: Search stays on Postgres" in card
    assert "Search stays on Postgres" in answer


@pytest.mark.parametrize("text", ["", "help", "?", "hi!", "How does this work?", "who are you", "@Backstory", "\u200b"])
def test_who_asks_about_the_bot_is_told_what_to_ask_it(stage: Stage, text: str) -> None:
    stage.decided()

    assert stage.ask("noor", "search", text).startswith("I remember what was decided in Slack, and why. Ask me:")


def test_settings_where_the_bot_is_no_member_says_that_it_is_not_there(stage: Stage) -> None:
    shown = [stage.ask("lena", channel, "settings") for channel in ("platform", "hiring")]

    assert shown == ["I am not in this channel, so I can't read it. Add me, then try again."] * 2


def test_somebody_of_another_organisation_who_asks_is_told_that_they_can_not(stage: Stage) -> None:
    told = stage.ask("eve", "partner", "why postgres?")

    assert told == "Only members of this workspace can do that, guests in their own channels."


@pytest.mark.parametrize(
    ("text", "told"), [("help", 1), ("what can you do?", 1), ("thanks!", 0), ("thank you so much", 0)]
)
def test_a_mention_that_asks_nothing_is_no_question_for_the_channel(stage: Stage, text: str, told: int) -> None:
    stage.decided()

    ts = stage.play.post("noor", "search", f"{stage.play.mention} {text}")
    stage.settle()

    assert stage.screens("search", thread_ts=ts) == []
    assert len(stage.whispers("noor")) == told


def test_help_in_a_direct_message_is_answered_there(stage: Stage) -> None:
    stage.decided()
    there = stage.play.direct("noor")

    stage.play.post("noor", there, "help")
    stage.settle()

    (told,) = stage.screens(there)
    assert told.startswith("I remember what was decided in Slack, and why. Ask me:")


@pytest.mark.parametrize("text", ["record this please", "Can you record this?", "please save this thread, thanks!"])
def test_asking_politely_records_a_thread_as_well(stage: Stage, text: str) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", "so we stay on postgres for this, nobody on call knows the other one")

    stage.play.post("noor", "search", f"{stage.play.mention} {text}", thread_ts=ts)
    stage.settle()

    (card,) = stage.screens("search", thread_ts=ts)
    assert card.startswith("🔖 Recorded: Search stays on Postgres")


def test_who_points_at_a_thread_that_is_left_out_is_told_how_to_let_it_in(stage: Stage) -> None:
    ts = stage.play.post("lena", "search", "so we stay on postgres for this")
    stage.play.react("omar", "search", ts, "see_no_evil")
    stage.settle()

    stage.play.react("raj", "search", ts, "bookmark")
    stage.settle()

    (told,) = stage.whispers("raj")
    assert told.startswith("This thread is left out, so I didn't read it. To let it in again, put 🙈 on it")


def test_a_question_is_shown_as_its_asker_typed_it(stage: Stage) -> None:
    shown = stage.ask("noor", "search", "does @lena know what R&D says in #search on a < b?")

    assert shown.startswith('Nothing recorded on "does @Lena Brandt know what R&D says in #search on a < b?"')


def test_a_question_that_names_people_pings_nobody(stage: Stage) -> None:
    ts = stage.play.post(
        "noor", "search", f"{stage.play.mention} does <@U0LENA> know the payroll? <!here> &lt;!channel&gt;"
    )
    stage.settle()

    (answer,) = stage.play.bot_messages("search", thread_ts=ts)
    assert "does @Lena Brandt know the payroll? @here <!channel>" in screen(answer)
    assert pings(answer) == ()
