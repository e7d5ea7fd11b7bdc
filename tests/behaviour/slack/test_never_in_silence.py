"""When Slack says no or wait, and when the world moved on meanwhile: a question is never met with silence."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.playground import screen
from bot.slack.home.homing import KIND_DETAILS
from bot.slack.layout import actions as act
from store import EVERYTHING, State
from tests.builders_slack import PATIENCE_S, Gateway, Stage, staged, without_table

WHY = "why are we on postgres for search?"
HALF_AN_HOUR_S = 1_861


@pytest.fixture
def hourly(tmp_path: Path, gateway: Gateway) -> Iterator[Stage]:
    """Return a stage on which Slack's time and the bot's pass together."""
    with staged(tmp_path, gateway, one_clock=True) as opened:
        yield opened


def failed(stage: Stage) -> int:
    return stage.memory.inbox.counts().failed


def told_directly(stage: Stage, user: str) -> list[str]:
    """Return what the bot wrote to somebody in a direct message."""
    return stage.screens(stage.play.direct(user))


# --- Slack says wait ---


def test_an_answer_that_slack_asks_to_wait_with_comes_once_after_that(stage: Stage) -> None:
    stage.decided()
    stage.play.limit("chat.postMessage", retry_after_s=5)

    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    stage.settle()
    early = stage.screens("search", thread_ts=ts)
    stage.later(seconds=6)

    assert early == []
    assert ["Search stays on Postgres" in shown for shown in stage.screens("search", thread_ts=ts)] == [True]


def test_a_first_thumb_is_explained_once_also_when_slack_asks_to_wait(stage: Stage) -> None:
    stage.decided()
    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    stage.settle()
    (answer,) = stage.play.bot_messages("search", thread_ts=ts)
    stage.play.limit("chat.postEphemeral", retry_after_s=5)

    stage.play.react("lena", "search", answer["ts"], "+1")
    stage.settle()
    stage.later(seconds=6)

    (decision,) = stage.decisions()
    assert sum("I counted that" in told for told in stage.whispers("lena")) == 1
    assert len(stage.memory.votes(decision.id, EVERYTHING)) == 1


# --- Slack says no ---


def test_an_answer_that_comes_after_half_an_hour_is_shown_in_the_channel_to_its_asker_alone(hourly: Stage) -> None:
    hourly.decided()
    hourly.play.limit("users.conversations", retry_after_s=HALF_AN_HOUR_S)

    hourly.play.command("mia", "search", "/why", WHY)
    hourly.settle()
    hourly.later(seconds=HALF_AN_HOUR_S + 1)

    assert "Search stays on Postgres" in hourly.whispers("mia")[-1]
    assert failed(hourly) == 0


def test_where_the_bot_is_no_member_a_late_answer_comes_as_a_direct_message(hourly: Stage) -> None:
    hourly.decided()
    hourly.play.limit("users.conversations", retry_after_s=HALF_AN_HOUR_S)

    hourly.play.command("ana", "hiring", "/why", WHY)
    hourly.settle()
    hourly.later(seconds=HALF_AN_HOUR_S + 1)

    assert ["Search stays on Postgres" in told for told in told_directly(hourly, "ana")] == [True]
    assert failed(hourly) == 0


def test_a_bot_removed_before_it_answers_tells_the_asker_in_a_direct_message(stage: Stage) -> None:
    stage.decided()
    stage.play.hold()
    stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    stage.play.kick("lena", "search", "UBACKSTORY")

    stage.play.release()
    stage.settle()

    assert any("I couldn't answer" in told for told in told_directly(stage, "mia"))


def test_a_bot_removed_while_it_reads_a_thread_keeps_quiet(stage: Stage) -> None:
    stage.extractor.wait = threading.Event()
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", "so we stay on postgres")
    stage.play.react("lena", "search", ts, "bookmark")
    stage.play.wait_until(lambda: stage.extractor.read, timeout_s=PATIENCE_S)

    stage.play.kick("lena", "search", "UBACKSTORY")
    stage.extractor.wait.set()
    stage.settle()

    assert stage.screens("search", thread_ts=ts) == []
    assert failed(stage) == 0


# --- the world moved on ---


def edit_form(stage: Stage, user: str, card: dict[str, Any]) -> dict[str, Any]:
    stage.play.press(user, card, act.ACTION_EDIT)
    stage.settle()
    return dict(stage.play.views(user)[-1])


def test_an_edit_of_what_was_edited_meanwhile_changes_nothing_and_says_so(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)
    mine, theirs = edit_form(stage, "mia", card), edit_form(stage, "omar", card)
    stage.submit("U0OMAR", theirs, title="Search stays on Postgres 18")

    stage.submit("U0MIA", mine, title="Search stays on Postgres 17")

    current = [one.title for one in stage.decisions() if one.state is State.CURRENT]
    assert current == ["Search stays on Postgres 18"]
    assert any("replaced or removed that meanwhile" in told for told in stage.whispers("mia"))
    assert not any("meanwhile" in told for told in stage.whispers("omar"))


def test_a_removal_of_what_was_edited_meanwhile_removes_nothing_and_says_so(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)
    stage.play.press("ana", card, act.ACTION_NOT_DECISION)
    stage.settle()
    (view,) = stage.play.views("ana")
    stage.submit("U0OMAR", edit_form(stage, "omar", card), title="Search stays on Postgres 18")

    stage.submit("U0ANA", view)

    (shown,) = stage.screens("search", thread_ts=ts)
    assert any("replaced or removed that meanwhile" in told for told in stage.whispers("ana"))
    assert shown.startswith("🔖 Recorded: Search stays on Postgres 18")
    assert "Removed" not in shown


def test_how_it_went_is_noted_of_what_was_replaced_meanwhile(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)
    stage.play.choose("raj", card, act.ACTION_CARD_MENU, "How did it go")
    stage.settle()
    (view,) = stage.play.views("raj")
    (older,) = stage.decisions()
    stage.submit("U0OMAR", edit_form(stage, "omar", card), title="Search stays on Postgres 18")

    stage.submit("U0RAJ", view, choice="failed", reason="it was slow")

    assert [vote.reason for vote in stage.memory.votes(older.id, EVERYTHING)] == ["it was slow"]
    assert failed(stage) == 0


def test_a_form_on_what_was_forgotten_meanwhile_does_nothing(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)
    view = edit_form(stage, "mia", card)
    (decision,) = stage.decisions()
    stage.memory.forget_decision(decision.id)

    stage.submit("U0MIA", view, title="Search stays on Postgres 17")

    assert [one.title for one in stage.decisions()] in ([], [""])
    assert failed(stage) == 0


def test_a_button_pressed_too_late_for_its_form_says_so(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)
    stage.play.fail("views.open", "expired_trigger_id")

    stage.play.press("mia", card, act.ACTION_EDIT)
    stage.settle()

    assert any("I couldn't answer (ref" in told for told in stage.whispers("mia"))


def test_a_form_that_can_not_be_kept_says_so_to_whoever_sent_it(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)
    view = edit_form(stage, "mia", card)

    with without_table(stage.memory.home / "memory.db", "event_about"):
        stage.submit("U0MIA", view, title="Search stays on Postgres 17")
        for _ in range(9):
            stage.clock.advance(601)
            stage.bot.worker.wake()
            stage.settle()

    assert any("I couldn't answer (ref" in told for told in stage.whispers("mia"))


def test_more_on_an_answer_that_is_not_theirs_shows_nothing_and_ends_the_waiting(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")
    stage.ask("omar", "exec", "does pricing go up in May?")
    (theirs,) = stage.memory.sessions.of_asker("U0OMAR")
    stage.extractor.finds.clear()
    stage.decided()
    stage.ask("noor", "search", WHY)
    stage.play.press("noor", stage.play.ephemerals("noor")[-1], act.ACTION_MORE)
    stage.settle()
    (own,) = stage.play.views("noor")
    asked = {"user": "U0NOOR", "channel": "C0SEARCH", "session": theirs.session, "view": own["id"]}

    stage.memory.inbox.insert("details:theirs", KIND_DETAILS, asked)
    stage.settle()

    (view,) = stage.play.views("noor")
    assert "There is nothing more on this." in screen(view)
    assert "ricing" not in screen(view)
