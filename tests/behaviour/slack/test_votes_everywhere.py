"""Votes wherever an answer stands: a mention's reply, a shared post, a direct message, one's own eyes."""

from __future__ import annotations

from typing import Any

import pytest

from bot.playground import screen
from bot.slack.layout import actions as act
from bot.slack.room import Room
from store import EVERYTHING, Verdict
from tests.builders_slack import PATIENCE_S, Stage

WHY = "why are we on postgres for search?"
W, F = Verdict.WORKED, Verdict.FAILED


def votes(stage: Stage) -> dict[str, Verdict]:
    """Return who stands by what, over all decisions in Slack."""
    return {
        vote.voter.id: vote.verdict
        for one in stage.memory.decisions(EVERYTHING)
        for vote in stage.memory.votes(one.id, EVERYTHING)
    }


def mentioned(stage: Stage) -> dict[str, Any]:
    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    stage.settle()
    return dict(stage.play.bot_messages("search", thread_ts=ts)[-1])


def alone(stage: Stage, user: str, channel: str = "search", question: str = WHY) -> dict[str, Any]:
    receipt = stage.play.command(user, channel, "/why", question)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()
    return dict(receipt.responses[-1])


def shared(stage: Stage) -> dict[str, Any]:
    stage.play.press("mia", alone(stage, "mia"), act.ACTION_SHARE)
    stage.settle()
    return dict(next(one for one in stage.play.bot_messages("search") if "Shared by" in screen(one)))


def direct(stage: Stage, user: str = "lena") -> dict[str, Any]:
    there = stage.play.direct(user)
    stage.play.post(user, there, WHY)
    stage.settle()
    return dict(stage.play.bot_messages(there)[-1])


EMOJI = {
    "+1": W, "thumbsup": W, "+1::skin-tone-2": W, "thumbsup::skin-tone-6": W,
    "-1": F, "thumbsdown": F, "-1::skin-tone-4": F,
    "heart": None, "tada": None, "clap": None,
}  # fmt: skip


def test_a_thumb_counts_by_any_of_its_names_and_no_other_emoji_does(stage: Stage) -> None:
    stage.decided()
    answer = mentioned(stage)
    found: dict[str, Verdict | None] = {}

    for name in EMOJI:
        stage.play.react("raj", "search", answer["ts"], name)
        stage.settle()
        found[name] = votes(stage).get("U0RAJ")
        stage.play.unreact("raj", "search", answer["ts"], name)
        stage.settle()
        assert votes(stage) == {}

    assert found == EMOJI


@pytest.mark.parametrize("where", [mentioned, shared, direct])
def test_a_thumb_counts_wherever_the_answer_stands_and_is_taken_back_there(stage: Stage, where: Any) -> None:
    stage.decided()
    answer = where(stage)

    stage.play.react("lena", answer["channel"], answer["ts"], "thumbsup")
    stage.settle()
    given = votes(stage)
    stage.play.unreact("lena", answer["channel"], answer["ts"], "thumbsup")
    stage.settle()
    stage.play.press("lena", answer, act.ACTION_FAILED)
    stage.settle()

    assert given == {"U0LENA": W}
    assert votes(stage) == {"U0LENA": F}


def test_the_bots_own_thumb_an_outsiders_and_one_delivered_twice_change_nothing_more(stage: Stage) -> None:
    stage.decided()
    stage.play.deliver_twice = True
    answer = mentioned(stage)
    thumb = {"type": "reaction_added", "reaction": "+1", "item_user": "UBACKSTORY", "event_ts": "1.5"}
    item = {"type": "message", "channel": "C0SEARCH", "ts": answer["ts"]}

    for user in ("UBACKSTORY", "U0EVE", "U0NOBODY"):
        stage.play.deliver({**thumb, "user": user, "item": item})
    stage.play.react("raj", "search", answer["ts"], "+1")
    stage.settle()

    (decision,) = stage.decisions()
    assert votes(stage) == {"U0RAJ": W}
    assert decision.voices.pending_worked == 1


def test_who_lost_access_meanwhile_votes_on_nothing_and_is_told_nothing_of_it(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")
    answer = alone(stage, "omar", "search", "why does pricing go up?")
    assert "Pricing goes up in May" in screen(answer)

    stage.play.leave("omar", "exec")
    stage.settle()
    stage.play.press("omar", answer, act.ACTION_FAILED)
    stage.settle()

    assert votes(stage) == {}
    assert "I can't find that decision any more" in stage.whispers("omar")[-1]
    assert "Pricing" not in stage.whispers("omar")[-1]


def test_a_vote_on_an_answer_whose_decision_was_replaced_meanwhile_is_about_what_was_answered(stage: Stage) -> None:
    stage.decided()
    answer = alone(stage, "lena")
    old = stage.decisions()[0]
    stage.decided(word="elastic", title="Search moves to Elastic")
    new = next(one for one in stage.decisions() if one.id != old.id)
    stage.memory.supersede(new.id, old.id, by=_person(stage.bot.room))

    stage.play.press("lena", answer, act.ACTION_FAILED)
    stage.settle()

    told = stage.whispers("lena")[-1]
    found = {one.title: one.voices.failed for one in stage.decisions()}
    assert found == {"Search stays on Postgres": 1, "Search moves to Elastic": 0}
    assert "Didn't work: Search stays on Postgres" in told or "Replaced since: Search stays on Postgres" in told
    assert "You said: it didn't work." in told


def test_what_is_contested_has_no_thumbs_and_a_thumb_by_emoji_on_it_counts_for_neither_side(stage: Stage) -> None:
    stage.decided()
    stage.decided("search", "elastic", "Search moves to Elastic")
    one, other = stage.decisions()
    quotes = (one.evidence[0].quote, other.evidence[0].quote)
    stage.memory.note_conflict(one.id, other.id, quotes=quotes, by=_person(stage.bot.room))
    ts = stage.play.post("mia", "search", f"{stage.play.mention} is search on postgres or elastic?")
    stage.settle()
    answer = stage.play.bot_messages("search", thread_ts=ts)[-1]

    stage.play.react("lena", "search", answer["ts"], "+1")
    stage.settle()

    assert screen(answer).startswith("⚠ Contested: ")
    assert "[👍 It worked]" not in screen(answer)
    assert "[Settle…] [Wrong answer] [⋯]" in screen(answer)
    assert votes(stage) == {}


def _person(room: Room) -> Any:
    return room.person("U0LENA")
