"""Home: opened, used and drawn anew, by people of all kinds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.budget import Purpose
from bot.playground import screen
from bot.slack.home.overseeing import overseen
from bot.slack.layout import actions as act
from bot.slack.layout import words
from store import EVERYTHING, PUBLIC, Admission, Draft, Person, Place, Quote, Scope, Verdict
from tests.builders_slack import Stage, wait_for, without_table


def opened(stage: Stage, user: str) -> dict[str, Any]:
    stage.play.open_home(user)
    stage.settle()
    return home(stage, user)


def home(stage: Stage, user: str) -> dict[str, Any]:
    found = stage.play.home(user)
    assert found is not None
    return dict(found)


def lines(view: Any) -> list[str]:
    return screen(view).splitlines()


def value_of(view: Any, action: str) -> str:
    elements = [
        part for block in view["blocks"] for part in (block.get("accessory"), *block.get("elements", ())) if part
    ]
    return str(next(part["value"] for part in elements if part and part.get("action_id") == action))


def press(stage: Stage, user: str, view: Any, action: str, *, choice: str = "") -> dict[str, Any]:
    stage.play.press(user, view, action, choice=choice)
    stage.settle()
    return home(stage, user)


def modal(stage: Stage, user: str) -> dict[str, Any]:
    return dict(stage.play.views(user)[-1])


def test_a_question_from_home_is_answered_to_its_asker_and_stands_among_their_questions(stage: Stage) -> None:
    stage.decided()
    first = opened(stage, "mia")

    after = press(stage, "mia", first, act.ACTION_SEARCH, choice="why does search stay on postgres?")

    answer = modal(stage, "mia")
    assert "Search stays on Postgres" in screen(answer)
    assert "[👍 It worked]" in screen(answer)
    assert words.SHARE not in screen(answer)
    assert any("why does search stay on postgres?" in line for line in lines(after))
    assert not any("why does search" in line for line in lines(opened(stage, "noor")))
    assert all("why does search" not in text for text in stage.screens("search"))
    assert after["blocks"][0]["block_id"] != first["blocks"][0]["block_id"], "so that the field is empty again"


def test_asking_nothing_opens_nothing_and_asking_about_the_bot_offers_questions(stage: Stage) -> None:
    first = opened(stage, "mia")
    stage.interact(forged("U0MIA", first, act.ACTION_SEARCH, "", typed="  "))
    nothing = stage.play.views("mia")

    after = press(stage, "mia", first, act.ACTION_SEARCH, choice="help")

    assert nothing == ()
    assert "I remember what was decided in Slack, and why." in screen(modal(stage, "mia"))
    assert words.HOME_QUESTIONS not in lines(after), "that was no question of theirs"


def test_an_old_answer_that_is_closed_to_its_asker_by_now_is_answered_anew(stage: Stage) -> None:
    stage.decided("exec", word="price", title="The price goes up")
    shown = press(stage, "mia", opened(stage, "mia"), act.ACTION_SEARCH, choice="does the price go up?")
    first = screen(modal(stage, "mia"))
    stage.play.leave("mia", "exec")
    stage.settle()
    for view in reversed(stage.play.views("mia")):
        stage.play.dismiss("mia", view)

    press(stage, "mia", shown, act.ACTION_REOPEN)

    assert "The price goes up" in first
    assert "The price goes up" not in screen(modal(stage, "mia"))


def test_an_admin_sees_what_the_model_cost_where_there_is_one(stage: Stage) -> None:
    room = replace(stage.bot.room, with_claude=True)
    room.budget.reserve(Purpose.ANSWER, 1_000).settle(900)

    month = overseen(room, room.access.reader_of("U0LENA")).month

    assert month is not None
    assert (month.spent, month.calls, month.limit) == (900, 1, room.budget.limit)
    assert month.for_answers * 5 == month.limit


def test_a_vote_in_the_answer_of_home_is_noted_in_it(stage: Stage) -> None:
    stage.decided()
    press(stage, "lena", opened(stage, "lena"), act.ACTION_SEARCH, choice="why postgres for search?")

    stage.play.press("lena", modal(stage, "lena"), act.ACTION_WORKED)
    stage.settle()

    (decision,) = stage.decisions()
    assert [vote.verdict for vote in stage.memory.votes(decision.id, EVERYTHING)] == [Verdict.WORKED]
    assert words.YOU_SAID[Verdict.WORKED] in screen(modal(stage, "lena"))


def test_what_stands_behind_the_answer_opens_over_it_and_an_old_question_opens_again(stage: Stage) -> None:
    stage.decided()
    after = press(stage, "mia", opened(stage, "mia"), act.ACTION_SEARCH, choice="why postgres for search?")
    stage.play.press("mia", modal(stage, "mia"), act.ACTION_MORE)
    stage.settle()

    over = modal(stage, "mia")
    for view in reversed(stage.play.views("mia")):
        stage.play.dismiss("mia", view)
    press(stage, "mia", after, act.ACTION_REOPEN)

    assert over["title"]["text"] == words.TITLE_DETAILS
    assert over["previous_view_id"]
    assert modal(stage, "mia")["title"]["text"] == words.TITLE_ANSWER
    assert "Search stays on Postgres" in screen(modal(stage, "mia"))


def test_what_somebody_decided_waits_for_their_word_and_goes_when_they_give_it(stage: Stage) -> None:
    unsure(stage)
    waits = opened(stage, "lena")

    after = press(stage, "lena", waits, act.ACTION_CONFIRM)

    assert "Reindex nightly" in screen(waits)
    assert words.HOME_CONFIRM in lines(waits)
    assert words.HOME_CONFIRM not in lines(opened(stage, "raj")), "he took no part"
    assert lines(after)[0] == words.NOTED_YES
    assert words.HOME_CONFIRM not in lines(after)
    assert "Reindex nightly" in screen(after), "it is recent now"
    assert lines(opened(stage, "lena"))[0] != words.NOTED_YES


def test_what_was_denied_on_home_can_be_had_back_and_edited_into_what_was_meant(stage: Stage) -> None:
    waits(stage)
    asked = opened(stage, "lena")

    denied = press(stage, "lena", asked, act.ACTION_DENY)
    back = press(stage, "lena", denied, act.ACTION_UNDO)
    press(stage, "lena", back, act.ACTION_EDIT)
    stage.play.submit("lena", modal(stage, "lena"), {act.BLOCK_TITLE: "Reindex at two in the morning"})
    stage.settle()

    assert lines(denied)[:2] == [f"{words.NOTED_NO} Reindex nightly", f"[{words.UNDO}]"]
    assert words.HOME_CONFIRM not in lines(denied)
    assert words.HOME_CONFIRM in lines(back)
    assert words.HOME_CONFIRM not in lines(home(stage, "lena"))
    assert "Reindex at two in the morning" in screen(home(stage, "lena"))


def waits(stage: Stage) -> None:
    """Keep a capture of #search that waits for Lena's word."""
    said = Quote(quote="ok, nightly then", author="Lena", author_id="U0LENA", turn_id="C0SEARCH/1.000001")
    draft = Draft(
        title="Reindex nightly", confidence=60, decided_by=(Person(name="Lena", id="U0LENA"),), evidence=(said,)
    )  # fmt: skip
    stage.memory.admit(
        Admission(
            place=Place(source="slack", anchor="C0SEARCH/1.000001"),
            basis="1",
            scope=Scope(id="channel:C0SEARCH", open=True),
            drafts=(draft,),
            provenance="test",
        )
    )


def unsure(stage: Stage, channel: str = "search") -> None:
    """Let Lena half decide something in a channel that captures by itself, without an ask."""
    stage.extractor.find("nightly", "Reindex nightly", confidence=60)
    stage.bot.room.memory.set_setting(
        f"channel:{stage.play.world.conversation(channel).id}:mode", "by itself", by=stage.bot.room.person("U0OMAR")
    )
    ts = stage.play.post("lena", channel, "ok so we go with a nightly reindex then, agreed?")
    stage.play.post("omar", channel, "agreed, decision: nightly it is", thread_ts=ts)
    stage.settle()
    stage.later(700)
    stage.later(24 * 3600)


def test_a_conflict_is_looked_at_and_settled_from_home(stage: Stage) -> None:
    stage.decided(word="three", title="Three tries for search-api")
    stage.decided(word="five", title="Five tries for search-api")
    three, five = sorted(stage.decisions(), key=lambda one: one.title, reverse=True)
    stage.memory.note_conflict(three.id, five.id, quotes=("three", "five"))
    contested = opened(stage, "mia")

    press(stage, "mia", contested, act.ACTION_SETTLE)
    form = modal(stage, "mia")
    stage.play.submit("mia", form, {act.BLOCK_CHOICE: five.id})
    stage.settle()

    assert words.HOME_CONTESTED in lines(contested)
    assert stage.memory.conflicts(PUBLIC) == ()
    assert words.HOME_CONTESTED not in lines(home(stage, "mia"))


def test_ones_own_message_is_taken_out_from_home_and_then_all_of_them(stage: Stage) -> None:
    stage.decided()
    stage.decided(word="kafka", title="Events go through Kafka")
    first = opened(stage, "lena")

    one_less = press(stage, "lena", first, act.ACTION_TAKE_OUT)
    press(stage, "lena", one_less, act.ACTION_TAKE_ALL)

    assert "2 messages of yours are kept." in screen(first)
    assert lines(one_less)[0] == words.DATA_TAKEN_OUT
    assert "1 message of yours is kept." in screen(one_less)
    assert words.HOME_DATA_NONE in screen(opened(stage, "lena"))
    assert stage.memory.quotes_of("U0LENA", EVERYTHING, limit=9) == ((), 0)
    assert stage.memory.verify().clean


def test_nobody_takes_out_the_message_of_another(stage: Stage) -> None:
    stage.decided()
    theirs = value_of(opened(stage, "lena"), act.ACTION_TAKE_OUT)
    raj = opened(stage, "raj")

    stage.interact(forged("U0RAJ", raj, act.ACTION_TAKE_OUT, theirs))

    assert stage.memory.quotes_of("U0LENA", EVERYTHING, limit=9)[1] == 1


def forged(user: str, view: dict[str, Any], action: str, value: str, *, typed: str = "") -> dict[str, Any]:
    """Return a press on Home that no button there sends, or something typed."""
    kind = {"type": "plain_text_input", "value": typed} if typed else {"type": "button", "value": value}
    return {
        "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": user}, "trigger_id": f"1.{action}",
        "container": {"type": "view", "view_id": view["id"]}, "view": {"type": "home", "id": view["id"]},
        "actions": [{"action_id": action, "block_id": "b", "action_ts": "1.2", **kind}],
    }  # fmt: skip


def test_somebody_is_left_out_and_let_in_again_on_their_own_word_alone(stage: Stage) -> None:
    left_out = press(stage, "mia", opened(stage, "mia"), act.ACTION_LEAVE_ME_OUT)
    was = stage.memory.setting("person:U0MIA:left_out")

    let_in = press(stage, "mia", left_out, act.ACTION_LEAVE_ME_OUT)

    assert was == "yes"
    assert "You are left out." in screen(left_out)
    assert stage.memory.setting("person:U0MIA:left_out") == "no"
    assert "You are left out." not in screen(let_in)
    assert [change.by.id for change in stage.memory.setting_changes("person:")] == ["U0MIA"]


def test_follow_ups_are_switched_off_and_on(stage: Stage) -> None:
    off = press(stage, "mia", opened(stage, "mia"), act.ACTION_FOLLOW_STOP)
    was = stage.memory.setting("person:U0MIA:follow_ups")

    press(stage, "mia", off, act.ACTION_FOLLOW_RESUME)

    assert was == "off"
    assert stage.memory.setting("person:U0MIA:follow_ups") == "on"


def test_how_it_went_is_said_on_home_and_can_be_taken_back(stage: Stage) -> None:
    stage.decided()
    (decision,) = stage.decisions()
    stage.memory.nudges.plan(
        f"follow_up:{decision.id}:1", person="U0LENA", kind="follow_up", ref=decision.id, due_at=stage.clock()
    )
    asked = opened(stage, "lena")

    told = press(stage, "lena", asked, act.ACTION_FOLLOW_WORKED)
    voted = stage.memory.votes(decision.id, EVERYTHING)
    again = press(stage, "lena", told, act.ACTION_FOLLOW_UNDO)

    assert words.HOME_WENT in lines(asked)
    assert [vote.verdict for vote in voted] == [Verdict.WORKED]
    assert lines(told)[0].startswith("Noted: it worked.")
    assert words.HOME_WENT not in lines(told)
    assert words.HOME_WENT in lines(again)


def test_everything_about_me_is_shown_to_me(stage: Stage) -> None:
    stage.decided()
    stage.ask("lena", "search", "why postgres?")

    press(stage, "lena", opened(stage, "lena"), act.ACTION_MINE)

    told = lines(modal(stage, "lena"))
    assert {words.MINE_MESSAGES, words.MINE_DECIDED, words.MINE_ASKED} <= set(told)


def test_admins_set_a_channel_from_home_and_see_who_did(stage: Stage) -> None:
    before = opened(stage, "lena")

    stage.play.press("lena", before, act.ACTION_MODE, block_id=block_of(before, "C0SEARCH"))
    stage.settle()
    form = modal(stage, "lena")
    stage.play.submit("lena", form, {act.BLOCK_CHOICE: "ask_first"})
    stage.settle()

    assert lines(form)[1] == "#search", "it is not opened in its channel"
    assert words.ADMIN_CHANNELS in lines(before)
    assert words.ADMIN_KEPT in lines(before)
    assert any(line.startswith("#search · Ask first") for line in lines(home(stage, "lena")))
    assert any(line.startswith("Set by Lena Brandt, ") for line in lines(home(stage, "lena")))


def test_what_comes_of_a_form_is_said_in_the_modal_that_it_lay_over_and_on_home(stage: Stage) -> None:
    every = {"type": "block_actions", "actions": []} | forged(
        "U0LENA", opened(stage, "lena"), act.ACTION_ALL_CHANNELS, ""
    )
    every["trigger_id"] = stage.play.world.new_trigger("U0LENA")
    stage.interact(every)

    stage.play.press("lena", modal(stage, "lena"), act.ACTION_MODE)
    stage.settle()
    stage.play.submit("lena", modal(stage, "lena"), {act.BLOCK_CHOICE: "off"})
    stage.settle()

    told = lines(modal(stage, "lena"))
    assert told[0] == f"[[ {words.ADMIN_CHANNELS} ]]"
    assert told[1].startswith(words.MODE_SAVED)
    assert any(line.startswith("#exec") for line in told)
    assert any(line.startswith("#exec · Off") for line in lines(home(stage, "lena")))


def test_whoever_made_a_channel_sets_that_one_and_sees_no_more_of_it_than_they_may(stage: Stage) -> None:
    made = lines(opened(stage, "omar"))

    assert words.CHANNELS_NOTE in made
    assert [line for line in made if line.startswith("#")] == ["#search · When asked"]
    assert "[Change…]" in made, "looking back is for admins"
    assert words.ADMIN_KEPT not in made
    assert words.ADMIN_CHANNELS not in lines(opened(stage, "noor"))


def block_of(view: Any, channel: str) -> str:
    """Return the block of a channel's buttons."""
    named = (block for block in view["blocks"] if channel in json.dumps(block.get("elements", ())))
    return str(next(named)["block_id"])


@pytest.mark.parametrize(("user", "reads"), [("gus", False), ("noor", False), ("mia", True)])
def test_nobody_sees_of_a_private_channel_what_they_are_not_in(stage: Stage, user: str, reads: bool) -> None:
    stage.decided("exec", word="price", title="The price goes up")

    shown = json.dumps(opened(stage, user), ensure_ascii=False)

    assert ("The price goes up" in shown) is reads
    assert ("exec" in shown) is reads


def test_a_guest_sees_and_confirms_what_was_said_in_their_channel(stage: Stage) -> None:
    stage.decided()

    shown = opened(stage, "gus")
    after = press(stage, "gus", shown, act.ACTION_SEARCH, choice="why postgres for search?")

    assert "Search stays on Postgres" in screen(shown)
    assert "Deploys go out" not in screen(modal(stage, "gus"))
    assert "Search stays on Postgres" in screen(modal(stage, "gus"))
    assert any("why postgres for search?" in line for line in lines(after))


def test_somebody_of_another_organisation_sees_one_sentence_and_presses_nothing(stage: Stage) -> None:
    stage.decided()

    shown = opened(stage, "eve")
    stage.interact(forged("U0EVE", shown, act.ACTION_LEAVE_ME_OUT, act.encode(menu="yes")))

    assert lines(shown) == [words.HOME_NOT_FOR_YOU]
    assert stage.memory.setting("person:U0EVE:left_out") == ""


def test_an_answer_that_fails_says_so_in_its_modal_with_a_reference(stage: Stage) -> None:
    first = opened(stage, "mia")

    with without_table(stage.memory.home / "memory.db", "decisions"):
        stage.play.press("mia", first, act.ACTION_SEARCH, choice="why postgres?")
        stage.settle()
        stage.later(seconds=3)
        told = wait_for(lambda: [line for line in lines(modal(stage, "mia")) if "(ref " in line])

    assert told[0].startswith("I couldn't answer (ref ")


def test_a_page_of_ones_data_is_drawn_anew_after_a_message_of_it_was_taken_out(stage: Stage) -> None:
    stage.decided()
    stage.decided(word="kafka", title="Events go through Kafka")
    press(stage, "lena", opened(stage, "lena"), act.ACTION_MINE)
    before = modal(stage, "lena")

    stage.play.press("lena", before, act.ACTION_TAKE_OUT)
    stage.settle()

    after = modal(stage, "lena")
    assert screen(before).count(words.TAKE_OUT) == 2
    assert screen(after).count(f"[{words.TAKE_OUT}]") == 1
    assert lines(after)[1] == words.DATA_TAKEN_OUT, "at its top, below its title"


def test_a_button_that_somebody_made_up_sets_no_channel(stage: Stage) -> None:
    shown = opened(stage, "noor")

    for action in (act.ACTION_MODE, act.ACTION_ALL_CHANNELS):
        stage.interact(forged("U0NOOR", shown, action, act.encode(channel="C0SEARCH")))

    assert stage.play.views("noor") == ()
    assert stage.memory.setting_changes("channel:C0SEARCH:mode") == ()


def test_an_admin_erases_a_channel_from_its_form_and_it_is_never_captured_again(stage: Stage) -> None:
    stage.decided()
    decided = next(one for one in stage.memory.decisions(EVERYTHING) if one.place.anchor.startswith("C0SEARCH"))
    before = opened(stage, "lena")
    stage.play.press("lena", before, act.ACTION_MODE, block_id=block_of(before, "C0SEARCH"))
    stage.settle()

    stage.play.press("lena", modal(stage, "lena"), act.ACTION_ERASE_CHANNEL)
    stage.settle()

    left = stage.memory.decision(decided.id, EVERYTHING)
    assert left is not None
    assert (left.title, left.evidence) == ("", ())
    assert stage.memory.forgotten(decided.place)
    assert words.CHANNEL_ERASED in lines(home(stage, "lena"))
    assert stage.memory.verify().faults == ()


def test_nobody_else_erases_a_channel_whatever_they_send(stage: Stage) -> None:
    stage.decided()
    before = stage.memory.decisions(EVERYTHING)
    made = opened(stage, "omar")
    stage.play.press("omar", made, act.ACTION_MODE, block_id=block_of(made, "C0SEARCH"))
    stage.settle()

    stage.interact(forged("U0OMAR", made, act.ACTION_ERASE_CHANNEL, act.encode(channel="C0SEARCH")))
    stage.settle()

    assert words.CHANNEL_ERASE not in screen(modal(stage, "omar"))
    assert stage.memory.decisions(EVERYTHING) == before
