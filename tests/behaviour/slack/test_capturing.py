"""How threads become decisions in Slack, and what people do about them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.playground import screen
from bot.slack.layout import actions as act
from store import State
from tests.builders_slack import Stage

MODE = "mode"


def card_of(stage: Stage, ts: str, channel: str = "search") -> dict[str, Any]:
    (card,) = stage.play.bot_messages(channel, thread_ts=ts)
    return card


def by_itself(stage: Stage, channel: str = "C0SEARCH", mode: str = "by itself") -> None:
    stage.memory.set_setting(f"channel:{channel}:mode", mode, by=stage.bot.room.person("U0LENA"))


def discussed(stage: Stage, *, agreed: bool = True) -> str:
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", "shall search stay on postgres? nobody on call knows the other one")
    if agreed:
        stage.play.post("omar", "search", "agreed, decided: we go with postgres for search", thread_ts=ts)
    stage.settle()
    return ts


# --- pointing ---


def test_a_reaction_on_a_reply_records_the_whole_thread(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", "shall search stay on postgres?")
    reply = stage.play.post("omar", "search", "agreed", thread_ts=ts)

    stage.play.react("mia", "search", reply, "bookmark")
    stage.settle()

    assert "Recorded: Search stays on Postgres" in screen(card_of(stage, ts))
    assert len(stage.extractor.read[-1].turns) == 2


def test_a_mention_that_says_so_records_its_thread(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", "so search stays on postgres")

    stage.play.post("omar", "search", f"{stage.play.mention} record this", thread_ts=ts)
    stage.settle()

    assert "Recorded: Search stays on Postgres" in screen(card_of(stage, ts))


def test_pointing_twice_makes_one_decision_and_one_card(stage: Stage) -> None:
    ts = stage.decided()

    stage.play.react("mia", "search", ts, "bookmark")
    stage.settle()

    assert len(stage.decisions()) == 1
    assert len(stage.screens("search", thread_ts=ts)) == 1


def test_a_thread_that_turns_edits_its_card_and_says_so(stage: Stage) -> None:
    ts = stage.decided()
    stage.extractor.finds.clear()
    stage.extractor.find("postgres", "We stay on postgres for now", rationale="elastic comes next year")
    stage.play.post("lena", "search", "for now, that is: elastic comes next year", thread_ts=ts)

    stage.play.react("omar", "search", ts, "bookmark")
    stage.settle()

    card = screen(card_of(stage, ts))
    assert "We stay on postgres for now" in card
    assert "The thread has turned. Before: Search stays on Postgres" in card


def test_later_turns_of_a_channel_that_captures_by_itself_edit_the_same_card(stage: Stage) -> None:
    by_itself(stage)
    ts = discussed(stage)
    stage.later(seconds=600)
    stage.extractor.finds.clear()
    stage.extractor.find("postgres", "Search stays on postgres for now")
    stage.play.post("omar", "search", "for now, that is; agreed?", thread_ts=ts)
    stage.play.post("lena", "search", "yes, for now", thread_ts=ts)
    stage.settle()

    stage.later(seconds=600)

    assert "Search stays on postgres for now" in screen(card_of(stage, ts))


def test_whoever_points_at_a_thread_without_a_decision_is_told_alone(stage: Stage) -> None:
    ts = stage.play.post("lena", "search", "lunch?")

    stage.play.react("mia", "search", ts, "bookmark")
    stage.settle()

    assert stage.screens("search", thread_ts=ts) == []
    assert any("no decision" in told for told in stage.whispers("mia"))


def test_the_shortcut_shows_what_it_would_keep_and_keeps_what_is_chosen(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", "so search stays on postgres")

    stage.play.shortcut("mia", "record_decision", stage.play.message("search", ts))
    stage.settle()
    before, (view,) = stage.decisions(), stage.play.views("mia")
    stage.play.submit("mia", view)
    stage.settle()

    assert before == ()
    assert "Search stays on Postgres" in screen(view)
    assert [decision.title for decision in stage.decisions()] == ["Search stays on Postgres"]


def test_the_shortcut_takes_a_sentence_where_it_found_nothing(stage: Stage) -> None:
    ts = stage.play.post("lena", "search", "search stays on postgres then")

    stage.play.shortcut("mia", "record_decision", stage.play.message("search", ts))
    stage.settle()
    (view,) = stage.play.views("mia")
    stage.play.submit("mia", view, {act.INPUT: "Search stays on postgres"})
    stage.settle()

    assert [decision.title for decision in stage.decisions()] == ["Search stays on postgres"]


def test_the_shortcut_where_the_bot_is_no_member_says_so(stage: Stage) -> None:
    ts = stage.play.post("lena", "hiring", "we hire two")

    stage.play.shortcut("lena", "record_decision", stage.play.message("hiring", ts))
    stage.settle()

    (view,) = stage.play.views("lena")
    assert "not in this channel" in screen(view)


def test_secrets_in_a_thread_are_masked_before_anything_reads_it(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres")
    secret = "xoxb-1234567890-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx"
    ts = stage.play.post("lena", "search", f"so we stay on postgres, token {secret}")

    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()

    assert all(secret not in turn.text for thread in stage.extractor.read for turn in thread.turns)
    assert all(secret.encode() not in path.read_bytes() for path in stage.memory.home.rglob("*.db*"))


# --- channels that capture by themselves ---


def test_a_thread_is_read_when_it_has_been_quiet_for_ten_minutes_and_looks_settled(stage: Stage) -> None:
    by_itself(stage)
    ts = discussed(stage)

    stage.later(seconds=599)
    early = stage.screens("search", thread_ts=ts)
    stage.later(seconds=1)

    assert early == []
    assert "Recorded: Search stays on Postgres" in screen(card_of(stage, ts))


def test_a_thread_that_is_not_settled_is_read_once_more_after_a_day(stage: Stage) -> None:
    by_itself(stage)
    ts = discussed(stage, agreed=False)
    reads = f"quiet:C0SEARCH:{ts}:{ts}"

    stage.later(seconds=600)
    first, second = stage.memory.inbox.result(f"{reads}:0"), stage.memory.inbox.result(f"{reads}:1")
    stage.later(seconds=86_400)

    assert (first, second) == ("not settled", None)
    assert stage.memory.inbox.result(f"{reads}:1") in ("gated out", "nothing", "card", "asked")


def test_in_a_channel_that_captures_when_asked_nothing_is_read_and_no_words_are_kept(stage: Stage) -> None:
    discussed(stage)

    stage.later(seconds=600)

    assert stage.extractor.read == []
    assert all(b"nobody on call" not in path.read_bytes() for path in stage.memory.home.rglob("*.db*"))


def test_no_more_than_three_cards_a_channel_and_day_are_posted_unasked(stage: Stage) -> None:
    by_itself(stage)
    for number in range(5):
        word = f"cluster{number}"
        stage.extractor.find(word, f"We use {word}")
        ts = stage.play.post("lena", "search", f"shall we use {word}? decision: we use {word}")
        stage.play.post("omar", "search", f"agreed, let's go with {word}", thread_ts=ts)
    stage.settle()

    stage.later(seconds=601)

    assert len(stage.decisions()) == 5
    assert len(stage.play.calls("chat.postMessage")) == 3


def test_an_unsure_capture_asks_whoever_said_it_once_and_alone(stage: Stage) -> None:
    by_itself(stage, mode="ask first")
    ts = discussed(stage)

    stage.later(seconds=600)
    (asked,) = stage.play.ephemerals("lena")
    stage.play.press("lena", asked, act.ACTION_CONFIRM)
    stage.settle()

    assert "Did you decide here?" in screen(asked)
    assert "Search stays on Postgres" in screen(card_of(stage, ts))
    assert [decision.confirmed for decision in stage.decisions()] == [True]


def test_a_no_removes_an_unsure_capture(stage: Stage) -> None:
    by_itself(stage, mode="ask first")
    ts = discussed(stage)
    stage.later(seconds=600)
    (asked,) = stage.play.ephemerals("lena")

    stage.play.press("lena", asked, act.ACTION_DENY)
    stage.settle()

    assert [decision.state for decision in stage.decisions()] == [State.RETRACTED]
    assert stage.screens("search", thread_ts=ts) == []


# --- the card's buttons ---


def test_who_took_part_removes_a_capture_with_one_tap_and_anybody_can_undo_it(stage: Stage) -> None:
    ts = stage.decided()

    stage.play.press("omar", card_of(stage, ts), act.ACTION_NOT_DECISION)
    stage.settle()
    removed = screen(card_of(stage, ts))
    stage.play.press("mia", card_of(stage, ts), act.ACTION_UNDO)
    stage.settle()

    assert "Removed by Omar Haddad" in removed
    assert "Recorded: Search stays on Postgres" in screen(card_of(stage, ts))
    assert [decision.state for decision in stage.decisions()] == [State.CURRENT]


@pytest.mark.parametrize("undone", [False, True])
def test_what_was_edited_is_removed_and_brought_back_whole(stage: Stage, undone: bool) -> None:
    ts = stage.decided()
    stage.play.press("mia", card_of(stage, ts), act.ACTION_EDIT)
    stage.settle()
    stage.play.submit("mia", stage.play.views("mia")[-1], {"title": "Search stays on Postgres 18"})
    stage.settle()
    if undone:
        stage.play.press("mia", card_of(stage, ts), act.ACTION_UNDO)
        stage.settle()
    title = "Search stays on Postgres" if undone else "Search stays on Postgres 18"

    stage.play.press("omar", card_of(stage, ts), act.ACTION_NOT_DECISION)
    stage.settle()
    removed, left = screen(card_of(stage, ts)), {one.state for one in stage.decisions()}
    stage.play.press("omar", card_of(stage, ts), act.ACTION_UNDO)
    stage.settle()

    assert removed.startswith(f"Removed by Omar Haddad: {title}\n")
    assert left == {State.RETRACTED}
    assert screen(card_of(stage, ts)).startswith(f"🔖 Recorded: {title}\n")
    assert [one.title for one in stage.decisions() if one.state is State.CURRENT] == [title]


def test_who_took_no_part_is_asked_twice_and_named(stage: Stage) -> None:
    ts = stage.decided()

    stage.play.press("raj", card_of(stage, ts), act.ACTION_NOT_DECISION)
    stage.settle()
    still, (view,) = stage.decisions(), stage.play.views("raj")
    stage.play.submit("raj", view)
    stage.settle()

    assert [decision.state for decision in still] == [State.CURRENT]
    assert "Removed by Raj" in screen(card_of(stage, ts))


def test_a_cross_by_who_took_part_removes_and_by_others_does_not(stage: Stage) -> None:
    ts = stage.decided()
    card = card_of(stage, ts)

    stage.play.react("raj", "search", card["ts"], "x")
    stage.settle()
    still = stage.decisions()
    (told,) = stage.whispers("raj")
    stage.play.react("omar", "search", card["ts"], "x")
    stage.settle()

    assert [decision.state for decision in still] == [State.CURRENT]
    assert told.endswith("To remove it all the same, press Not a decision on the card.")
    assert [decision.state for decision in stage.decisions()] == [State.RETRACTED]


def test_an_edit_is_a_revision_with_its_authors_name(stage: Stage) -> None:
    ts = stage.decided()

    stage.play.press("mia", card_of(stage, ts), act.ACTION_EDIT)
    stage.settle()
    (view,) = stage.play.views("mia")
    stage.submit("U0MIA", view, title="Search stays on Postgres 18")

    current = [decision for decision in stage.decisions() if decision.state is State.CURRENT]
    assert [decision.title for decision in current] == ["Search stays on Postgres 18"]
    assert "Edited by Mia" in screen(card_of(stage, ts))


def test_a_monkey_keeps_a_thread_out(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", "so we stay on postgres")
    stage.play.react("lena", "search", ts, "see_no_evil")
    stage.settle()

    stage.play.react("mia", "search", ts, "bookmark")
    stage.settle()

    assert stage.decisions() == ()


def test_a_long_decision_fits_into_slacks_limits(stage: Stage) -> None:
    long = "because " * 900
    stage.extractor.find("postgres", "Search stays on postgres " + "and so on " * 100, rationale=long)
    ts = stage.play.post("lena", "search", "search stays on postgres and so on, agreed")

    stage.play.react("lena", "search", ts, "bookmark")
    stage.settle()

    assert stage.memory.inbox.counts().failed == 0
