"""The steps of trust: marked by 🔖 instead of a card, asked first, and the offer to capture by itself."""

from __future__ import annotations

from typing import Any

import pytest

from bot.playground import screen
from bot.slack.layout import actions as act
from bot.slack.room import Mode, mark_setting, mode_setting
from store import EVERYTHING, Admission, Draft, Place, Quote, Scope, State
from tests.behaviour.slack.test_follow_ups import until
from tests.builders_slack import Stage

PLATFORM = "C0PLATFORM"
SAID = "Decided: we go with postgres for search, nobody on call knows Elasticsearch."


def captured(stage: Stage, count: int, *, removed: int = 0, first: int = 0) -> None:
    """Let so many unsure captures of a channel be kept, some of them removed."""
    ana = stage.bot.room.person("U0ANA")
    for number in range(first, first + count):
        draft = Draft(title=f"Rule {number} holds", confidence=60, evidence=(Quote(quote=f"rule {number} it is"),))
        admitted = stage.memory.admit(
            Admission(
                place=Place(source="slack", anchor=f"{PLATFORM}/{number}.0"), basis="1", drafts=(draft,),
                scope=Scope(id=f"channel:{PLATFORM}", open=True), provenance="rules-1", recorded_from="capture",
            )
        )  # fmt: skip
        if number - first < removed:
            stage.memory.retract(admitted.new[0], by=ana)
        else:
            stage.memory.confirm(admitted.new[0], by=ana)


def offers(stage: Stage, user: str = "ana") -> list[dict[str, Any]]:
    return [one for one in stage.play.messages(stage.play.direct(user)) if one.get("bot_id") and "right" in screen(one)]


def test_eighteen_right_of_twenty_offer_to_capture_by_itself_to_whoever_invited_it(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.settle()
    captured(stage, 20, removed=2)

    until(stage, days=1)
    (offer,) = offers(stage)
    stage.play.press("ana", offer, act.ACTION_OFFER_YES)
    stage.settle()

    assert "In #platform, 18 of 20 captures were right. Capture by itself?" in screen(offer)
    assert not any("were right" in told for told in stage.screens("platform"))
    assert stage.bot.room.mode(PLATFORM) is Mode.BY_ITSELF
    assert offers(stage) == []
    assert "Here I capture by myself" in stage.screens("platform")[1]


def test_keep_asking_is_the_last_word_until_twenty_more(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.settle()
    captured(stage, 20)
    until(stage, days=1)
    (offer,) = offers(stage)

    stage.play.press("ana", offer, act.ACTION_OFFER_KEEP)
    stage.settle()
    captured(stage, 19, first=20)
    until(stage, days=8)
    too_few = len(offers(stage))
    captured(stage, 1, first=39)
    until(stage, days=8)

    assert stage.bot.room.mode(PLATFORM) is Mode.WHEN_ASKED
    assert (too_few, len(offers(stage))) == (0, 1)


def test_three_wrong_of_twenty_offer_nothing(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.settle()
    captured(stage, 20, removed=3)

    until(stage, days=1)

    assert offers(stage) == []


def marked_by(stage: Stage, ts: str) -> list[str]:
    message = next(one for one in stage.play.messages("search") if one["ts"] == ts)
    return [one["name"] for one in message.get("reactions", ()) if "UBACKSTORY" in one["users"]]


def test_a_channel_may_have_its_messages_marked_instead_of_cards(stage: Stage) -> None:
    stage.memory.set_setting(mark_setting("C0SEARCH"), "emoji", by=stage.bot.room.person("U0LENA"))

    ts = stage.decided()
    on = marked_by(stage, ts)
    stage.play.react("lena", "search", ts, "x")
    stage.settle()
    off = marked_by(stage, ts)
    stage.play.press("lena", stage.play.ephemerals("lena")[-1], act.ACTION_UNDO)
    stage.settle()

    assert on == ["bookmark"]
    assert off == []
    assert marked_by(stage, ts) == ["bookmark"]
    assert stage.screens("search") == []
    assert [one.state for one in stage.decisions()] == [State.CURRENT]
    assert any(told.startswith("Removed: Search stays on Postgres") for told in stage.whispers("lena"))


def test_where_it_may_not_react_a_card_stands_in_for_the_mark(stage: Stage) -> None:
    stage.memory.set_setting(mark_setting("C0SEARCH"), "emoji", by=stage.bot.room.person("U0LENA"))
    stage.play.fail("reactions.add", "missing_scope")

    stage.decided()

    assert "Recorded: Search stays on Postgres" in stage.screens("search")[-1]


def asked_first(stage: Stage) -> dict[str, Any]:
    stage.memory.set_setting(mode_setting("C0SEARCH"), "ask first", by=stage.bot.room.person("U0LENA"))
    stage.extractor.find("go with postgres", "Search stays on Postgres", confidence=95)
    ts = stage.play.post("mia", "search", "Elasticsearch or Postgres for search?")
    stage.play.post("omar", "search", SAID, thread_ts=ts)
    stage.play.post("mia", "search", "agreed, let's do that", thread_ts=ts)
    stage.settle()
    stage.later(700)
    (question,) = stage.play.ephemerals("omar")
    return question


def test_an_edit_of_what_was_asked_is_a_yes_and_takes_the_questions_place(stage: Stage) -> None:
    question = asked_first(stage)
    stage.play.press("omar", question, act.ACTION_EDIT)
    stage.settle()
    (form,) = stage.play.views("omar")

    stage.play.submit("omar", form, {"title": "Search stays on Postgres for now"})
    stage.settle()

    assert stage.whispers("omar") == ["Recorded. Thanks."]
    assert [(one.title, one.confirmed) for one in stage.decisions() if one.state is State.CURRENT] == [
        ("Search stays on Postgres for now", True)
    ]
    assert "Search stays on Postgres for now" in stage.screens("search")[-1]


def test_whoever_said_the_deciding_words_is_asked_once_and_alone(stage: Stage) -> None:
    question = asked_first(stage)
    ts = question["thread_ts"]

    stage.play.post("mia", "search", "and reindex at night, agreed", thread_ts=ts)
    stage.settle()
    stage.later(700)

    asks = f'Did you decide here? Search stays on Postgres: "{SAID}"'
    assert screen(question).startswith(asks)
    assert "No answer is fine; I won't ask again." in screen(question)
    assert len(stage.play.ephemerals("omar")) == 1
    assert stage.play.ephemerals("mia") == ()
    assert stage.screens("search") == []
    assert [one.confirmed for one in stage.memory.decisions(EVERYTHING) if one.place.source == "slack"] == [False]


@pytest.mark.parametrize("action", [act.ACTION_CONFIRM, act.ACTION_DENY])
def test_a_yes_or_no_to_what_the_thread_has_left_behind_is_asked_of_what_stands_now(stage: Stage, action: str) -> None:
    question = asked_first(stage)
    stage.extractor.finds.clear()
    stage.extractor.find("MySQL", "Search moves to MySQL", confidence=60)
    stage.play.post("omar", "search", "wait, ok decided: we move to MySQL instead", thread_ts=question["thread_ts"])
    stage.play.post("mia", "search", "agreed", thread_ts=question["thread_ts"])
    stage.settle()
    stage.later(700)

    stage.play.press("omar", question, action)
    stage.settle()

    assert [told.startswith("Did you decide here? Search moves to MySQL") for told in stage.whispers("omar")] == [True]
    assert {(one.title, one.confirmed) for one in stage.decisions() if one.state is State.CURRENT} == {
        ("Search moves to MySQL", False)
    }
    assert stage.screens("search") == []
