"""Menus, forms and buttons, and those who may not press them."""

from __future__ import annotations

from typing import Any

from bot.playground import screen
from bot.slack.layout import actions as act
from bot.slack.layout import modals
from bot.slack.recording.settle_form import settle_view
from store import EVERYTHING, Decision, State, Verdict
from tests.builders_slack import PATIENCE_S, Stage

WHY = "why are we on postgres for search?"


def card(stage: Stage, ts: str, channel: str = "search") -> dict[str, Any]:
    (shown,) = stage.play.bot_messages(channel, thread_ts=ts)
    return shown


def two(stage: Stage) -> tuple[Decision, Decision]:
    """Let two things be decided and return them, the older first."""
    stage.decided()
    stage.extractor.finds.clear()
    stage.decided(word="elastic", title="Search moves to elastic")
    newer, older = stage.decisions()
    return older, newer


def test_a_decision_is_said_to_replace_an_older_one(stage: Stage) -> None:
    older, newer = two(stage)
    ts = newer.place.anchor.partition("/")[2]

    stage.play.choose("mia", card(stage, ts), act.ACTION_CARD_MENU, "Replaces…")
    stage.settle()
    (view,) = stage.play.views("mia")
    stage.submit("U0MIA", view, replaces=older.id)

    states = {decision.title: decision.state for decision in stage.decisions()}
    assert states["Search stays on Postgres"] is State.SUPERSEDED


def test_how_it_went_is_said_with_a_reason_that_counts_at_once(stage: Stage) -> None:
    ts = stage.decided()

    stage.play.choose("raj", card(stage, ts), act.ACTION_CARD_MENU, "How did it go")
    stage.settle()
    (view,) = stage.play.views("raj")
    stage.submit("U0RAJ", view, choice="failed", reason="it charged twice")

    (decision,) = stage.decisions()
    (vote,) = stage.memory.votes(decision.id, EVERYTHING)
    assert (vote.verdict, vote.reason) == (Verdict.FAILED, "it charged twice")
    assert decision.voices.failed == 1


def test_a_thread_is_left_out_from_its_card(stage: Stage) -> None:
    ts = stage.decided()
    reads = len(stage.extractor.read)

    stage.play.choose("mia", card(stage, ts), act.ACTION_CARD_MENU, "Leave this thread out")
    stage.settle()
    stage.play.post("omar", "search", "and elastic it is after all", thread_ts=ts)
    stage.play.react("omar", "search", ts, "bookmark")
    stage.settle()

    assert len(stage.extractor.read) == reads
    assert any("Left out" in told for told in stage.whispers("mia"))


def test_the_one_chosen_of_two_stands(stage: Stage) -> None:
    older, newer = two(stage)
    view = {**settle_view(older, newer), "id": "V1"}
    block = view["blocks"][-1]["block_id"]

    stage.submit("U0MIA", view, **{block: older.id})

    states = {decision.title: decision.state for decision in stage.decisions()}
    assert states == {older.title: State.CURRENT, newer.title: State.SUPERSEDED}


def test_a_form_names_what_it_is_about_and_grants_nothing(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")
    (secret,) = stage.decisions()

    for view in (modals.edit_view(secret), modals.second_tap_view(secret)):
        stage.submit("U0NOOR", {**view, "id": f"V{view['callback_id']}"}, title="mine now")

    assert [(one.title, one.state) for one in stage.decisions()] == [("Pricing goes up in May", State.CURRENT)]


def test_a_button_of_another_app_or_of_next_year_is_acknowledged_and_does_nothing(stage: Stage) -> None:
    ts = stage.decided()
    pressed = {
        "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": "U0MIA"}, "trigger_id": "1.1",
        "actions": [{"action_id": "of_next_year", "block_id": "b", "action_ts": "1.0", "value": "{}"}],
        "channel": {"id": "C0SEARCH"}, "container": {"message_ts": ts},
    }  # fmt: skip

    reply = stage.interact(pressed)

    assert reply.status == 200
    assert stage.memory.inbox.counts().failed == 0


def test_a_forged_value_does_nothing(stage: Stage) -> None:
    ts = stage.decided()
    pressed = {
        "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": "U0MIA"}, "trigger_id": "1.1",
        "actions": [{"action_id": act.ACTION_NOT_DECISION, "block_id": "b", "action_ts": "1.0", "value": "[[["}],
        "channel": {"id": "C0SEARCH"}, "container": {"message_ts": ts},
    }  # fmt: skip

    stage.interact(pressed)

    assert [one.state for one in stage.decisions()] == [State.CURRENT]


def test_an_outsider_who_presses_is_told_and_changes_nothing(stage: Stage) -> None:
    stage.play.invite_bot("omar", "partner")
    ts = stage.decided("partner", "interface", "The interface is REST")

    stage.play.press("eve", card(stage, ts, "partner"), act.ACTION_NOT_DECISION)
    stage.settle()

    assert [one.state for one in stage.decisions()] == [State.CURRENT]
    assert any("Only members" in told for told in stage.whispers("eve"))


def test_sharing_where_the_bot_is_no_member_says_so(stage: Stage) -> None:
    stage.decided()
    receipt = stage.play.command("lena", "hiring", "/why", WHY)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()

    stage.play.press("lena", receipt.responses[-1], act.ACTION_SHARE)
    stage.settle()

    assert any("I am not in this channel" in told for told in stage.whispers("lena"))


def test_an_unsure_capture_in_an_answer_is_confirmed_from_there(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres", confidence=60)
    stage.memory.set_setting("channel:C0SEARCH:mode", "by itself", by=stage.bot.room.person("U0LENA"))
    ts = stage.play.post("lena", "search", "shall search stay on postgres? nobody on call knows the other one")
    stage.play.post("omar", "search", "agreed, decided: we go with postgres for search", thread_ts=ts)
    stage.settle()
    stage.later(seconds=601)
    receipt = stage.play.command("omar", "search", "/why", WHY)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()

    stage.play.press("omar", receipt.responses[-1], act.ACTION_CONFIRM)
    stage.settle()

    assert [one.confirmed for one in stage.decisions()] == [True]


def test_settings_shows_how_a_channel_captures_with_a_way_to_change_it(stage: Stage) -> None:
    shown = stage.ask("lena", "search", "settings")

    assert "When asked" in shown
    assert "Change" in shown
    assert len(stage.whispers("lena")) == 1


def test_ones_own_question_opens_again_from_home(stage: Stage) -> None:
    stage.decided()
    stage.ask("mia", "search", WHY)
    stage.play.open_home("mia")
    stage.settle()
    home = stage.play.home("mia")
    assert home is not None

    stage.play.press("mia", home, act.ACTION_REOPEN)
    stage.settle()

    (view,) = stage.play.views("mia")
    assert "nobody on call" in screen(view)


def test_anothers_answer_does_not_open(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")
    stage.ask("omar", "exec", "does pricing go up in May?")
    (asked,) = stage.memory.sessions.of_asker("U0OMAR")
    pressed = {
        "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": "U0NOOR"}, "trigger_id": "1.1",
        "actions": [{"action_id": act.ACTION_WORKED, "block_id": "b", "action_ts": "1.0",
                     "value": act.encode(session=asked.session)}],
        "channel": {"id": "C0SEARCH"}, "container": {"message_ts": "1.0", "is_ephemeral": True},
    }  # fmt: skip

    stage.interact(pressed)

    (secret,) = stage.decisions()
    assert stage.memory.votes(secret.id, EVERYTHING) == ()


def test_a_message_of_somebody_else_is_not_taken_out(stage: Stage) -> None:
    ts = stage.decided()
    pressed = {
        "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": "U0RAJ"}, "trigger_id": "1.1",
        "actions": [{"action_id": act.ACTION_TAKE_OUT, "block_id": "b", "action_ts": "1.0",
                     "value": act.encode(turn=f"C0SEARCH/{ts}")}],
        "view": {"id": "V1", "type": "home"},
    }  # fmt: skip

    stage.interact(pressed)

    (kept,) = stage.decisions()
    assert kept.evidence


def test_a_preview_that_was_closed_meanwhile_keeps_nothing(stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres")
    ts = stage.play.post("lena", "search", "so search stays on postgres")
    stage.play.fail("views.update", "not_found")

    stage.play.shortcut("mia", "record_decision", stage.play.message("search", ts))
    stage.settle()

    assert stage.decisions() == ()
    assert stage.memory.inbox.counts().failed == 0


def test_a_guest_can_not_point_at_a_thread_of_a_channel_that_they_are_not_in(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.extractor.find("kafka", "Events go through Kafka")
    ts = stage.play.post("ana", "platform", "events go through kafka")

    stage.play.deliver(
        {
            "type": "reaction_added", "user": "U0GUEST", "reaction": "bookmark", "event_ts": "1700000000.000100",
            "item": {"type": "message", "channel": "C0PLATFORM", "ts": ts},
        },
        "platform",
    )  # fmt: skip
    stage.settle()

    assert stage.decisions() == ()


def test_more_says_at_once_that_it_looks_things_up(stage: Stage) -> None:
    stage.decided()
    receipt = stage.play.command("mia", "search", "/why", WHY)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()

    stage.play.press("mia", receipt.responses[-1], act.ACTION_MORE)
    stage.settle()

    (opened,) = stage.play.calls("views.open")
    assert "Looking it up" in str(opened.args["view"])


def test_a_question_is_seen_by_the_team_only_once_its_asker_puts_it_to_them(stage: Stage) -> None:
    receipt = stage.play.command("mia", "search", "/why", "which HR system do we use?")
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()
    answer, before = receipt.responses[-1], stage.screens("search")

    stage.play.press("mia", answer, act.ACTION_ASK_TEAM)
    stage.settle()

    assert "Nobody sees your question unless you press Ask." in screen(answer)
    assert not any("HR system" in shown for shown in before)
    assert [shown.partition("\n")[0] for shown in stage.screens("search")] == [
        "Mia Sørensen asks the team: which HR system do we use?"
    ]


def test_a_question_is_not_put_to_the_team_by_anybody_else(stage: Stage) -> None:
    stage.ask("mia", "search", "which HR system do we use?")
    (asked,) = stage.memory.sessions.of_asker("U0MIA")
    pressed = {
        "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": "U0RAJ"}, "trigger_id": "1.1",
        "actions": [{"action_id": act.ACTION_ASK_TEAM, "block_id": "b", "action_ts": "1.0",
                     "value": act.encode(session=asked.session)}],
        "channel": {"id": "C0SEARCH"}, "container": {"message_ts": "1.0", "is_ephemeral": True},
    }  # fmt: skip

    stage.interact(pressed)

    assert stage.screens("search") == []


def contested(stage: Stage) -> Decision:
    """Let two limits stand against each other in one channel, the vector index off; returns the older."""
    for word, title in (("three", "Retries for search-api stop at three"),
                        ("five", "Retries for search-api stop at five")):  # fmt: skip
        stage.extractor.finds.clear()
        stage.extractor.find(word, title, elements=("search-api",))
        ts = stage.play.post("lena", "search", f"retries for search-api stop at {word}, agreed")
        stage.play.react("lena", "search", ts, "bookmark")
        stage.settle()
    newer, older = stage.decisions()
    quotes = (older.evidence[0].quote, newer.evidence[0].quote)
    stage.memory.note_conflict(older.id, newer.id, quotes=quotes, by=stage.bot.room.person("U0LENA"))
    return older


def test_a_contested_answer_is_settled_from_its_button_and_the_next_answer_is_sure(stage: Stage) -> None:
    older = contested(stage)
    receipt = stage.play.command("mia", "search", "/why", "when do retries for search-api stop?")
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()

    stage.play.press("mia", receipt.responses[-1], act.ACTION_SETTLE)
    stage.settle()
    (view,) = stage.play.views("mia")
    stage.submit("U0MIA", view, choice=older.id)

    assert "Contested" in screen(receipt.responses[-1])
    states = {one.title: one.state for one in stage.decisions()}
    assert states[older.title] is State.CURRENT
    assert list(states.values()).count(State.SUPERSEDED) == 1
    assert "Contested" not in stage.ask("mia", "search", "when do retries for search-api stop?")


def test_a_question_that_can_not_be_put_to_the_team_says_so(stage: Stage) -> None:
    receipt = stage.play.command("lena", "hiring", "/why", "which HR system do we use?")
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()

    stage.play.press("lena", receipt.responses[-1], act.ACTION_ASK_TEAM)
    stage.settle()

    assert any("I can't post here" in told for told in stage.whispers("lena"))
