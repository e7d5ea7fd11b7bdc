"""Edits, deletions and news of channels follow through; what was forgotten is in no file."""

from __future__ import annotations

from typing import Any

import pytest

from bot.playground import screen
from bot.slack.layout import actions as act
from bot.slack.room import Mode
from store import State
from tests.builders_slack import Stage

WHY = "why are we on postgres for search?"


def held(stage: Stage, words: bytes) -> list[str]:
    """Return the files of the memory that hold these bytes."""
    return [path.name for path in stage.memory.home.rglob("*") if path.is_file() and words in path.read_bytes()]


def test_a_deleted_message_takes_its_quotes_and_its_decision_with_it(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search keeps postgres zebra")
    ts = stage.play.post("lena", "search", "search keeps postgres zebra, agreed")
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    answer = stage.ask("mia", "search", "why does search keep postgres zebra?")

    stage.play.delete("lena", "search", ts)
    stage.settle()

    assert "zebra" in answer
    assert [decision.title for decision in stage.decisions() if decision.state is State.CURRENT] == []
    assert held(stage, b"zebra, agreed") == []


def test_a_reply_that_is_deleted_is_no_longer_quoted(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search keeps postgres")
    ts = stage.play.post("lena", "search", "which one?")
    reply = stage.play.post("omar", "search", "search keeps postgres zebra, agreed", thread_ts=ts)
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()

    stage.play.delete("omar", "search", reply)
    stage.settle()

    assert held(stage, b"zebra") == []
    assert all("postgres" not in shown for shown in stage.screens("search", thread_ts=ts))


def test_an_answer_in_a_channel_that_quotes_a_deleted_message_is_taken_back(stage: Stage) -> None:
    ts = stage.decided()
    asked = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    stage.settle()
    before = stage.screens("search", thread_ts=asked)

    stage.play.delete("lena", "search", ts)
    stage.settle()

    assert "nobody on call" in before[0]
    assert "nobody on call" not in stage.screens("search", thread_ts=asked)[0]


def test_an_edited_message_revises_its_decision_and_its_card(stage: Stage) -> None:
    ts = stage.decided()
    stage.extractor.finds.clear()
    stage.extractor.find("postgres", "Search stays on postgres 18")

    stage.play.edit("lena", "search", ts, "so search stays on postgres 18 for this")
    stage.settle()

    current = [decision.title for decision in stage.decisions() if decision.state is State.CURRENT]
    assert current == ["Search stays on postgres 18"]
    assert "Search stays on postgres 18" in stage.screens("search", thread_ts=ts)[0]


def test_words_that_were_edited_away_are_no_longer_quoted(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search keeps postgres")
    ts = stage.play.post("lena", "search", "search keeps postgres, the password is zebra, agreed")
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    stage.extractor.finds.clear()

    stage.play.edit("lena", "search", ts, "never mind")
    stage.settle()

    assert held(stage, b"zebra") == []


def test_words_edited_away_are_in_no_earlier_version_of_what_still_stands(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search keeps postgres, zebra")
    ts = stage.play.post("lena", "search", "search keeps postgres, the password is zebra, agreed")
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    asked = stage.play.post("mia", "search", f"{stage.play.mention} why does search keep postgres?")
    stage.settle()
    before = stage.screens("search", thread_ts=asked)
    stage.extractor.finds.clear()
    stage.extractor.find("postgres", "Search keeps postgres")

    stage.play.edit("lena", "search", ts, "search keeps postgres, agreed")
    stage.settle()

    assert "zebra" in before[0]
    assert held(stage, b"zebra") == []
    assert all("zebra" not in shown for at in (ts, asked) for shown in stage.screens("search", thread_ts=at))
    assert [one.title for one in stage.decisions() if one.state is State.CURRENT] == ["Search keeps postgres"]
    assert stage.memory.verify().faults == ()


def test_an_edit_that_leaves_the_quoted_words_leaves_what_was_posted(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", "which one?")
    reply = stage.play.post("omar", "search", "so we stay on postgres, agreed", thread_ts=ts)
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    before = stage.screens("search", thread_ts=ts)

    stage.play.edit("lena", "search", ts, "which one is it?")
    stage.settle()

    assert stage.screens("search", thread_ts=ts) == before
    assert stage.play.message("search", reply)["text"] == "so we stay on postgres, agreed"
    assert [quote.quote for quote in stage.decisions()[0].evidence] == ["so we stay on postgres, agreed"]


def test_an_edited_secret_is_compared_as_it_was_kept(stage: Stage) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", f"so we stay on postgres with {token}, agreed")
    reply = stage.play.post("omar", "search", "which one?", thread_ts=ts)
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    before = stage.decisions()[0].evidence

    stage.play.edit("omar", "search", reply, "which token?")
    stage.play.edit("lena", "search", ts, f"yes: so we stay on postgres with {token}, agreed")
    stage.settle()

    assert before[0] in stage.decisions()[0].evidence


def test_a_card_that_was_deleted_is_posted_anew_when_somebody_points_again(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)

    stage.play.delete("lena", "search", card["ts"])
    stage.settle()
    stage.play.react("mia", "search", ts, "bookmark")
    stage.settle()

    assert len(stage.screens("search", thread_ts=ts)) == 1


@pytest.mark.parametrize("gone", [False, True])
def test_a_card_of_an_archived_channel_follows_once_the_bot_is_back(stage: Stage, gone: bool) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)
    stage.play.press("omar", card, act.ACTION_EDIT)
    stage.settle()
    (form,) = stage.play.views("omar")
    stage.play.archive("lena", "search")
    if gone:
        stage.memory.redact_turn("slack", f"C0SEARCH/{ts}")
        stage.memory.inbox.insert("erased:1", "erased", {"post": f"card:C0SEARCH/{ts}"}, priority=2)
        stage.bot.worker.wake()
    else:
        stage.play.submit("omar", form, {"title": "Search stays on Postgres 18"})
    stage.settle()
    archived = stage.screens("search", thread_ts=ts)

    stage.play.unarchive("lena", "search")
    stage.play.invite_bot("lena", "search")
    stage.settle()

    shown = stage.screens("search", thread_ts=ts)
    assert [one.startswith("🔖 Recorded: Search stays on Postgres\n") for one in archived] == [True]
    assert [one.startswith("🔖 Recorded: Search stays on Postgres 18\n") for one in shown] == ([] if gone else [True])
    assert stage.memory.inbox.counts().failed == 0
    assert stage.whispers("omar") == []


def test_archiving_a_channel_deletes_nothing(stage: Stage) -> None:
    stage.decided()

    stage.play.archive("lena", "search")
    stage.settle()

    assert len(stage.decisions()) == 1
    assert "Search stays on Postgres" in stage.ask("mia", "general", WHY)


# --- coming into a channel, and its mode ---


def first_contact(stage: Stage) -> dict[str, Any]:
    stage.play.invite_bot("ana", "platform")
    stage.settle()
    return stage.play.bot_messages("platform")[-1]


def test_it_introduces_itself_once_a_channel_and_says_what_it_keeps(stage: Stage) -> None:
    introduced = screen(first_contact(stage))

    stage.play.kick("lena", "platform", "UBACKSTORY")
    stage.play.invite_bot("lena", "platform")
    stage.settle()

    assert "Ana" in introduced
    assert "Here I keep only what you point at" in introduced
    assert sum("I remember decisions" in shown for shown in stage.screens("platform")) == 1


def test_whoever_invited_it_may_set_the_mode_and_everybody_is_told(stage: Stage) -> None:
    shown = first_contact(stage)

    stage.play.press("ana", shown, act.ACTION_MODE)
    stage.settle()
    (view,) = stage.play.views("ana")
    stage.submit("U0ANA", view, choice="by_itself")

    assert stage.bot.room.mode("C0PLATFORM") is Mode.BY_ITSELF
    assert "By itself" in stage.screens("platform")[-1]


def test_others_may_not_set_the_mode(stage: Stage) -> None:
    shown = first_contact(stage)

    stage.play.press("raj", shown, act.ACTION_MODE)
    stage.settle()
    stage.play.press("raj", shown, act.ACTION_STAY_OUT)
    stage.settle()

    assert stage.play.views("raj") == () or not stage.play.views("raj")
    assert stage.bot.room.mode("C0PLATFORM") is Mode.WHEN_ASKED
    assert any("can change that" in told for told in stage.whispers("raj"))


def test_where_capture_is_off_pointing_says_who_can_turn_it_on(stage: Stage) -> None:
    shown = first_contact(stage)
    stage.play.press("ana", shown, act.ACTION_STAY_OUT)
    stage.settle()
    ts = stage.play.post("raj", "platform", "we use kafka, agreed")

    stage.play.react("raj", "platform", ts, "bookmark")
    stage.settle()

    assert stage.decisions() == ()
    assert any("Capture is off here. Ana" in told for told in stage.whispers("raj"))


def test_a_submitted_mode_of_somebody_who_may_not_is_refused(stage: Stage) -> None:
    shown = first_contact(stage)
    stage.play.press("ana", shown, act.ACTION_MODE)
    stage.settle()
    (view,) = stage.play.views("ana")

    stage.submit("U0RAJ", view, choice="by_itself")

    assert stage.bot.room.mode("C0PLATFORM") is Mode.WHEN_ASKED


# --- Home ---


def test_home_shows_what_one_may_read_and_ones_own_questions_alone(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")
    stage.ask("omar", "search", "does pricing go up in May?")

    for user in ("omar", "noor"):
        stage.play.open_home(user)
    stage.settle()

    omar, noor = (screen(stage.play.home(user) or {}) for user in ("omar", "noor"))
    assert "Pricing goes up in May" in omar
    assert "does pricing go up" in omar
    assert "ricing" not in noor


def test_a_reply_that_is_taken_out_leaves_its_card(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search keeps postgres")
    ts = stage.play.post("lena", "search", "which one?")
    stage.play.post("omar", "search", "search keeps postgres zebra, agreed", thread_ts=ts)
    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()
    stage.play.open_home("omar")
    stage.settle()
    home = stage.play.home("omar")
    assert home is not None

    stage.play.press("omar", home, act.ACTION_TAKE_OUT)
    stage.settle()

    assert held(stage, b"zebra") == []
    assert all("postgres" not in shown for shown in stage.screens("search", thread_ts=ts))


def test_a_message_is_taken_out_by_its_author(stage: Stage) -> None:
    stage.decided()
    stage.play.open_home("lena")
    stage.settle()

    home = stage.play.home("lena")
    assert home is not None
    stage.play.press("lena", home, act.ACTION_TAKE_OUT)
    stage.settle()

    assert held(stage, b"so we stay on postgres for this") == []
