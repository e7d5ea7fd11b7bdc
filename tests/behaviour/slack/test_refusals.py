"""What is asked for and can't be done: by whom, where, too late, or of what never was."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Transient
from bot.playground import screen
from bot.slack.client import Refused
from bot.slack.layout import actions as act
from bot.slack.layout import modals
from bot.slack.recording.settle_form import settle_view
from bot.slack.room import mode_setting
from store import EVERYTHING, State, Verdict
from tests.builders_slack import PATIENCE_S, Stage

WHY = "why are we on postgres for search?"


def press(stage: Stage, user: str, action: str, value: str, *, channel: str = "C0SEARCH", url: str = "") -> None:
    """Let somebody press a button of our own making, as no screen would show it to them."""
    stage.interact(
        {
            "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": user}, "trigger_id": "1.1",
            "actions": [{"action_id": action, "block_id": "b", "action_ts": "1.0", "value": value}],
            "channel": {"id": channel}, "container": {"message_ts": "1.0", "is_ephemeral": True}, "response_url": url,
        }
    )  # fmt: skip


def react(stage: Stage, user: str, channel: str, ts: str, emoji: str) -> None:
    """Deliver a reaction that Slack itself would not have let through."""
    event = {
        "type": "reaction_added", "user": user, "reaction": emoji, "event_ts": "1700000000.000100",
        "item": {"type": "message", "channel": channel, "ts": ts},
    }  # fmt: skip
    stage.play.deliver(event)
    stage.settle()


def previewed(stage: Stage, user: str = "mia", channel: str = "search", text: str = "search stays on postgres") -> Any:
    """Let somebody use the shortcut on a message; returns the open modal."""
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", channel, text)
    stage.play.shortcut(user, "record_decision", stage.play.message(channel, ts))
    stage.settle()
    return stage.play.views(user)[-1]


def states(stage: Stage) -> list[State]:
    return [decision.state for decision in stage.decisions()]


def quiet(stage: Stage) -> bool:
    return stage.memory.inbox.counts().failed == 0


# --- reactions ---


def test_a_reaction_that_is_taken_back_removes_nothing_that_was_recorded(stage: Stage) -> None:
    ts = stage.decided()

    stage.play.unreact("lena", "search", ts, "bookmark")
    stage.settle()

    assert states(stage) == [State.CURRENT]


def test_a_monkey_by_an_outsider_leaves_the_thread_in(stage: Stage) -> None:
    stage.play.invite_bot("omar", "partner")
    ts = stage.play.post("omar", "partner", "the interface is rest")
    stage.play.react("eve", "partner", ts, "see_no_evil")
    stage.settle()
    stage.play.unreact("eve", "partner", ts, "see_no_evil")
    stage.extractor.find("rest", "The interface is REST")

    stage.play.react("omar", "partner", ts, "bookmark")
    stage.settle()

    assert states(stage) == [State.CURRENT]


def test_a_monkey_where_the_bot_can_not_read_is_no_failure(stage: Stage) -> None:
    ts = stage.play.post("lena", "general", "hello")

    react(stage, "U0LENA", "C0GENERAL", ts, "see_no_evil")

    assert quiet(stage)


def test_a_cross_on_a_message_that_is_no_card_removes_nothing(stage: Stage) -> None:
    stage.decided()
    other = stage.play.post("omar", "search", "hello")

    stage.play.react("omar", "search", other, "x")
    stage.settle()

    assert states(stage) == [State.CURRENT]


def test_a_thumb_by_who_can_not_read_the_channel_counts_for_nothing(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")
    asked = stage.play.post("omar", "exec", f"{stage.play.mention} does pricing go up in May?")
    stage.settle()
    (answer,) = stage.play.bot_messages("exec", thread_ts=asked)

    react(stage, "U0NOOR", "C0EXEC", answer["ts"], "+1")

    (decision,) = stage.decisions()
    assert stage.memory.votes(decision.id, EVERYTHING) == ()


# --- the shortcut ---


def test_the_shortcut_without_a_message_does_nothing(stage: Stage) -> None:
    stage.interact({"type": "message_action", "callback_id": "record_decision", "user": {"id": "U0MIA"},
                    "trigger_id": "1.1", "channel": {"id": "C0SEARCH"}})  # fmt: skip

    assert stage.play.views("mia") == ()
    assert quiet(stage)


def test_the_shortcut_where_capture_is_off_says_so(stage: Stage) -> None:
    stage.memory.set_setting(mode_setting("C0SEARCH"), "off", by=stage.bot.room.person("U0LENA"))

    assert "Capture is off here" in screen(previewed(stage))


def test_the_shortcut_says_when_the_thread_could_not_be_read_in_time(stage: Stage) -> None:
    stage.extractor.error = Transient("the model is away")

    assert "couldn't read the thread in time" in screen(previewed(stage))


def test_a_preview_sent_after_a_restart_records_what_the_thread_yields(stage: Stage) -> None:
    view = previewed(stage)
    stage.bot.room.previews.clear()

    stage.submit("U0MIA", view)

    assert [decision.title for decision in stage.decisions()] == ["Search stays on Postgres"]


def test_a_preview_with_nothing_ticked_records_nothing(stage: Stage) -> None:
    view = previewed(stage)
    bare = [
        {**block, "element": {**block["element"], "initial_options": []}} if "element" in block else block
        for block in view["blocks"]
    ]

    stage.submit("U0MIA", {**view, "blocks": bare})

    assert stage.decisions() == ()


def test_a_preview_sent_once_capture_is_off_says_so_and_records_nothing(stage: Stage) -> None:
    view = previewed(stage)
    stage.memory.set_setting(mode_setting("C0SEARCH"), "off", by=stage.bot.room.person("U0LENA"))

    stage.submit("U0MIA", view)

    assert stage.decisions() == ()
    assert any("Capture is off here" in told for told in stage.whispers("mia"))


def test_a_preview_of_no_thread_of_ours_is_not_read(stage: Stage) -> None:
    view = previewed(stage)

    stage.submit("U0MIA", {**view, "private_metadata": "{}"})

    assert stage.decisions() == ()
    assert quiet(stage)


# --- buttons and forms ---


@pytest.mark.parametrize(
    "action",
    [act.ACTION_NOT_DECISION, act.ACTION_UNDO, act.ACTION_EDIT, act.ACTION_CONFIRM, act.ACTION_DENY, act.ACTION_SETTLE],
)
def test_a_button_about_nothing_does_nothing(stage: Stage, action: str) -> None:
    stage.decided()

    press(stage, "U0MIA", action, act.encode(decision="f" * 64, session="none"))

    assert states(stage) == [State.CURRENT]
    assert quiet(stage)


@pytest.mark.parametrize("action", [act.ACTION_WORKED, act.ACTION_TAKE_BACK])
def test_a_vote_on_an_answer_that_is_kept_no_longer_says_so(stage: Stage, action: str) -> None:
    press(stage, "U0MIA", action, act.encode(session="none"))

    assert any("can't find that decision" in told for told in stage.whispers("mia"))


@pytest.mark.parametrize("view", [modals.wrong_view("none"), {**modals.wrong_view("s"), "private_metadata": "?"}])
def test_an_answer_that_never_was_is_not_noted_as_wrong(stage: Stage, view: dict[str, Any]) -> None:
    before = stage.memory.verify().events

    stage.submit("U0MIA", {**view, "id": "V1"}, choice="wrong")

    assert stage.memory.verify().events == before


def test_a_choice_between_two_of_which_one_is_out_of_sight_settles_nothing(stage: Stage) -> None:
    stage.decided()
    stage.extractor.finds.clear()
    stage.decided("exec", "pricing", "Pricing goes up in May")
    secret, other = sorted(stage.decisions(), key=lambda one: one.title)
    view = {**settle_view(other, secret), "id": "V1"}

    stage.submit("U0NOOR", view, choice=other.id)

    assert states(stage) == [State.CURRENT, State.CURRENT]


def test_an_edit_can_not_replace_what_its_author_can_not_read(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")
    (secret,) = stage.decisions()
    stage.extractor.finds.clear()
    stage.decided()
    mine = next(one for one in stage.decisions() if one.id != secret.id)
    view = {**modals.edit_view(mine, older=[secret]), "id": "V1"}

    stage.submit("U0NOOR", view, title="Search stays on Postgres 18", replaces=secret.id)

    assert {one.title for one in stage.decisions() if one.state is State.CURRENT} == {
        "Pricing goes up in May", "Search stays on Postgres 18",
    }  # fmt: skip


def test_a_record_that_is_no_thread_takes_a_second_tap_to_remove(stage: Stage) -> None:
    record = next(one for one in stage.memory.decisions(EVERYTHING) if one.place.source == "adr")
    stage.play.fail("views.open", "expired_trigger_id")

    press(stage, "U0MIA", act.ACTION_NOT_DECISION, act.encode(decision=record.id))

    assert [call.args["view"]["callback_id"] for call in stage.play.calls("views.open")] == [act.CALLBACK_SECOND_TAP]
    found = stage.memory.decision(record.id, EVERYTHING)
    assert found is not None
    assert found.state is State.CURRENT


def test_a_record_that_is_no_thread_is_confirmed_without_a_card(stage: Stage) -> None:
    record = next(one for one in stage.memory.decisions(EVERYTHING) if one.place.source == "adr")

    press(stage, "U0MIA", act.ACTION_CONFIRM, act.encode(decision=record.id))

    assert stage.screens("search") == []
    assert any("Recorded. Thanks." in told for told in stage.whispers("mia"))


def test_a_vote_counts_although_its_voter_can_be_told_nowhere(stage: Stage) -> None:
    stage.decided()
    stage.ask("lena", "hiring", WHY)
    (asked,) = stage.memory.sessions.of_asker("U0LENA")
    gone = stage.play.api_url.removesuffix("api/") + "actions/T0PLAY/1/gone"

    press(stage, "U0LENA", act.ACTION_WORKED, act.encode(session=asked.session), channel="C0HIRING", url=gone)

    (decision,) = stage.decisions()
    assert [vote.verdict for vote in stage.memory.votes(decision.id, EVERYTHING)] == [Verdict.WORKED]
    assert quiet(stage)


# --- Home and what opens from it ---


def test_home_of_somebody_unknown_stays_empty(stage: Stage) -> None:
    stage.play.deliver(
        {"type": "app_home_opened", "user": "U0NOBODY", "tab": "home", "channel": "D1", "event_ts": "1.0"}
    )
    stage.settle()

    assert stage.play.calls("views.publish") == ()


def test_home_that_slack_will_not_show_is_no_failure(stage: Stage) -> None:
    stage.play.fail("views.publish", "not_enabled")

    stage.play.open_home("mia")
    stage.settle()

    assert quiet(stage)


def test_an_admin_takes_a_message_of_somebody_else_out(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search keeps postgres")
    ts = stage.play.post("omar", "search", "search keeps postgres, agreed")
    stage.play.react("omar", "search", ts, "bookmark")
    stage.settle()

    press(stage, "U0LENA", act.ACTION_TAKE_OUT, act.encode(turn=f"C0SEARCH/{ts}"))

    assert [decision for decision in stage.decisions() if decision.evidence] == []


def test_what_stands_behind_an_answer_is_asked_anew_once_its_text_is_gone(stage: Stage) -> None:
    stage.decided()
    receipt = stage.play.command("mia", "search", "/why", WHY)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()
    (asked,) = stage.memory.sessions.of_asker("U0MIA")
    stage.memory.sessions.forget(asked.refs or stage.memory.sessions.get(asked.session).refs)  # type: ignore[union-attr]

    stage.play.press("mia", receipt.responses[-1], act.ACTION_MORE)
    stage.settle()

    (view,) = stage.play.views("mia")
    assert "nobody on call" in screen(view)


def test_details_closed_before_they_were_found_are_no_failure(stage: Stage) -> None:
    stage.decided()
    receipt = stage.play.command("mia", "search", "/why", WHY)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()
    stage.play.fail("views.update", "not_found")

    stage.play.press("mia", receipt.responses[-1], act.ACTION_MORE)
    stage.settle()

    assert quiet(stage)


# --- Slack itself ---


def test_what_slack_refuses_is_told_from_what_will_pass(stage: Stage) -> None:
    client = stage.bot.room.client

    with pytest.raises(Refused):
        client.respond(stage.play.api_url.removesuffix("api/") + "actions/T0PLAY/1/gone", {"text": "hello"})
    with pytest.raises(Transient):
        client.respond("http://127.0.0.1:9/nobody/listens", {"text": "hello"})


def test_a_message_that_is_gone_already_is_deleted_and_that_of_another_is_not(stage: Stage) -> None:
    ts = stage.play.post("mia", "search", "hello")

    stage.bot.room.client.delete("C0SEARCH", "1700000000.000100")

    with pytest.raises(Refused):
        stage.bot.room.client.delete("C0SEARCH", ts)


def test_a_post_that_never_was_is_not_found_in_its_thread_nor_in_its_channel(stage: Stage) -> None:
    ts = stage.play.post("mia", "search", "hello")

    found = [stage.bot.room.client.find_post("C0SEARCH", thread, "key") for thread in (ts, "")]

    assert found == ["", ""]


def test_a_card_that_slack_will_not_let_be_edited_is_tried_again(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)
    stage.play.limit("chat.update", retry_after_s=5)

    stage.play.press("omar", card, act.ACTION_NOT_DECISION)
    stage.settle()
    stage.later(seconds=6)

    assert "Removed by Omar" in stage.screens("search", thread_ts=ts)[0]


def test_a_card_that_went_unnoticed_is_posted_anew_when_somebody_points_again(stage: Stage) -> None:
    ts = stage.decided()
    stage.play.fail("chat.update", "message_not_found")

    stage.play.react("mia", "search", ts, "bookmark")
    stage.settle()

    assert len(stage.screens("search", thread_ts=ts)) == 2


def test_whoever_removes_what_a_card_can_no_longer_show_is_told(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)
    stage.play.fail("chat.update", "edit_window_closed")

    stage.play.press("omar", card, act.ACTION_NOT_DECISION)
    stage.settle()

    assert states(stage) == [State.RETRACTED]
    assert any("I couldn't answer (ref" in told for told in stage.whispers("omar"))


def test_a_decision_confirmed_where_the_bot_was_taken_out_stands_without_a_card(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres", confidence=60)
    stage.memory.set_setting(mode_setting("C0SEARCH"), "by itself", by=stage.bot.room.person("U0LENA"))
    ts = stage.play.post("lena", "search", "shall search stay on postgres? nobody on call knows the other one")
    stage.play.post("omar", "search", "agreed, decided: we go with postgres for search", thread_ts=ts)
    stage.settle()
    stage.later(seconds=601)
    stage.play.fail("chat.postMessage", "not_in_channel")
    (decision,) = stage.decisions()

    press(stage, "U0LENA", act.ACTION_CONFIRM, act.encode(decision=decision.id))

    assert [one.confirmed for one in stage.decisions()] == [True]
    assert quiet(stage)


def test_a_mention_without_words_is_told_how_to_ask_alone(stage: Stage) -> None:
    stage.decided()
    ts = stage.play.post("mia", "search", f"{stage.play.mention}")
    stage.settle()

    assert any("/why" in told for told in stage.whispers("mia"))
    assert stage.screens("search", thread_ts=ts) == []
