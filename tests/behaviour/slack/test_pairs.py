"""What a decision may replace or pull against: asked once on its card, answered by people, undone by deciders."""

from __future__ import annotations

import itertools
from typing import Any

from bot.playground import screen
from bot.slack.layout import actions as act
from bot.slack.recording.carding import redraw_around
from bot.slack.room import mark_setting
from store import EVERYTHING, Alternative, State
from tests.builders_slack import Stage, wait_for

OLDER, NEWER = "Search stays on Postgres", "Search moves to elastic"


def card(stage: Stage, ts: str, channel: str = "search") -> dict[str, Any]:
    (shown,) = stage.play.bot_messages(channel, thread_ts=ts)
    return shown


def seen(stage: Stage, ts: str, channel: str = "search") -> str:
    return screen(card(stage, ts, channel))


def decided(stage: Stage, word: str, title: str, *instead: str, channel: str = "search", **fields: Any) -> str:
    """Let Lena decide something and point at it; returns the thread's ts."""
    options = tuple(Alternative(option=option, reason="nobody on call knows it") for option in instead)
    stage.extractor.finds.clear()
    stage.extractor.find(f"so {word}", title, alternatives=options, elements=("service:search",), **fields)
    turned_down = "".join(f", and not {option}: nobody on call knows it" for option in instead)
    ts = stage.play.post("lena", channel, f"{title.lower()}, so {word} it is{turned_down}")
    stage.play.react("lena", channel, ts, "bookmark")
    stage.settle()
    return ts


def two(stage: Stage) -> tuple[str, str]:
    """Let the second of two decisions turn down what the first chose; returns their threads."""
    return decided(stage, "postgres", OLDER), decided(stage, "elastic", NEWER, "stay on Postgres")


def states(stage: Stage) -> dict[str, State]:
    return {one.title: one.state for one in stage.decisions()}


def press(stage: Stage, user: str, ts: str, action: str) -> None:
    stage.play.press(user, card(stage, ts), action)
    stage.settle()


def test_what_seems_replaced_is_asked_and_on_somebodys_word_both_cards_say_so_until_a_decider_undoes_it(
    stage: Stage,
) -> None:
    first, second = two(stage)
    asked = seen(stage, second)

    press(stage, "mia", second, act.ACTION_IT_REPLACES)
    replaced, newer, older = states(stage), seen(stage, second), seen(stage, first)
    press(stage, "raj", second, act.ACTION_UNDO)
    refused = states(stage)
    press(stage, "lena", first, act.ACTION_UNDO)

    assert f"This seems to replace {OLDER}" in asked
    assert replaced == refused == {OLDER: State.SUPERSEDED, NEWER: State.CURRENT}
    assert f"Replaces: {OLDER} · Mia Sørensen said so" in newer
    assert "This seems to replace" not in newer
    assert f"Replaced by: {NEWER}" in older
    assert any("Only Lena Brandt and Mia Sørensen can undo that." in told for told in stage.whispers("raj"))
    assert states(stage) == {OLDER: State.CURRENT, NEWER: State.CURRENT}
    assert "Replaced by" not in seen(stage, first)
    assert "Both stand, says Lena Brandt" in seen(stage, second)


def test_of_two_who_answer_at_once_the_second_is_told_and_a_double_tap_is_not(stage: Stage) -> None:
    first, second = two(stage)
    asked = card(stage, second)

    stage.play.hold()
    stage.play.press("raj", asked, act.ACTION_IT_REPLACES, wait=False)
    stage.play.press("raj", asked, act.ACTION_IT_REPLACES, wait=False)
    stage.play.press("mia", asked, act.ACTION_BOTH_STAND, wait=False)
    stage.receive(stage.play.deliveries("block_actions")[-3])
    wait_for(lambda: states(stage)[OLDER] is State.SUPERSEDED)
    stage.play.release()
    stage.settle()

    assert states(stage) == {OLDER: State.SUPERSEDED, NEWER: State.CURRENT}
    assert stage.whispers("raj") == []
    assert ["meanwhile" in told for told in stage.whispers("mia")] == [True]
    assert f"Replaced by: {NEWER}" in seen(stage, first)


def test_what_both_stand_is_never_asked_again(stage: Stage) -> None:
    _, second = two(stage)

    press(stage, "mia", second, act.ACTION_BOTH_STAND)
    answered = seen(stage, second)
    stage.extractor.find("more", "Elastic runs in two zones", alternatives=(Alternative(option="stay on Postgres"),))
    stage.play.post(
        "omar", "search", "one thing more: elastic runs in two zones, not stay on Postgres", thread_ts=second
    )
    stage.play.react("omar", "search", second, "bookmark")
    stage.settle()

    assert f"Both stand, says Mia Sørensen: this and {OLDER}" in answered
    assert "This seems to replace" not in answered
    assert f"Both stand, says Mia Sørensen: this and {OLDER}" in seen(stage, second)
    assert set(states(stage).values()) == {State.CURRENT}


def test_nothing_is_proposed_that_some_reader_of_the_thread_can_not_read(stage: Stage) -> None:
    decided(stage, "postgres", OLDER, channel="exec")

    second = decided(stage, "elastic", NEWER, "stay on Postgres")

    assert "replace" not in seen(stage, second).replace("Replaces…", "")
    assert stage.memory.proposals.of([one.id for one in stage.decisions()]) == ()


def test_what_may_pull_against_another_is_looked_at_contested_and_settled(stage: Stage) -> None:
    first = decided(stage, "three", "Batch jobs retry 3 times with backoff")
    second = decided(stage, "five", "Batch jobs retry 5 times with backoff")
    asked = seen(stage, second)

    press(stage, "mia", second, act.ACTION_LOOK)
    (look,) = stage.play.views("mia")
    stage.play.press("mia", look, act.ACTION_CONTEST)
    stage.settle()
    contested, noted = stage.memory.conflicts(EVERYTHING), screen(stage.play.views("mia")[-1])
    stage.play.press("mia", stage.play.views("mia")[-1], act.ACTION_SETTLE)
    stage.settle()
    form = stage.play.views("mia")[-1]
    older = next(one for one in stage.decisions() if "3 times" in one.title)
    stage.submit("U0MIA", form, choice=older.id)

    assert "↔ May pull against Batch jobs retry 3 times with backoff (Lena Brandt #search" in asked
    assert look["title"]["text"] == "Two decisions"
    assert "so three it is" in screen(look)
    assert len(contested) == 1
    assert "Noted: they can't both hold" in noted
    assert [option["text"]["text"][:1] for option in form["blocks"][-1]["element"]["options"]] == ["A", "B", "B"]
    assert stage.memory.conflicts(EVERYTHING) == ()
    assert "Replaces: Batch jobs retry 5 times" in seen(stage, first)
    assert "Replaced by: Batch jobs retry 3 times" in seen(stage, second)


def test_both_may_apply_in_different_cases_and_a_decider_contests_it_again(stage: Stage) -> None:
    decided(stage, "three", "Batch jobs retry 3 times with backoff")
    second = decided(stage, "five", "Batch jobs retry 5 times with backoff")
    newer, older = stage.decisions()
    stage.memory.note_conflict(newer.id, older.id, quotes=("five", "three"), by=stage.bot.room.person("U0MIA"))

    press(stage, "mia", second, act.ACTION_BOTH_STAND)
    settled = stage.memory.conflicts(EVERYTHING)
    press(stage, "lena", second, act.ACTION_UNDO)

    assert settled == ()
    assert len(stage.memory.conflicts(EVERYTHING)) == 1
    assert "May pull against" in seen(stage, second)


def test_an_edit_and_what_it_let_replace_are_undone_together(stage: Stage) -> None:
    first = decided(stage, "postgres", OLDER)
    second = decided(stage, "typesense", "Autocomplete runs on Typesense")
    older = next(one for one in stage.decisions() if one.title == OLDER)

    stage.play.press("mia", card(stage, second), act.ACTION_EDIT)
    stage.settle()
    (form,) = stage.play.views("mia")
    stage.submit("U0MIA", form, title="Everything runs on Typesense", replaces=older.id)
    edited, replaced = seen(stage, second), seen(stage, first)
    press(stage, "lena", second, act.ACTION_UNDO)

    assert "Edited by Mia Sørensen" in edited
    assert f"Replaces: {OLDER} · Mia Sørensen said so" in edited
    assert "Replaced by: Everything runs on Typesense" in replaced
    assert "Recorded: Autocomplete runs on Typesense" in seen(stage, second)
    assert "Edited by" not in seen(stage, second)
    assert "Replaced by" not in seen(stage, first)


def test_replaces_is_cleared_where_it_was_set(stage: Stage) -> None:
    _, second = two(stage)
    press(stage, "mia", second, act.ACTION_IT_REPLACES)

    stage.play.choose("raj", card(stage, second), act.ACTION_CARD_MENU, "Replaces…")
    stage.settle()
    (form,) = stage.play.views("raj")
    shown = next(block["element"] for block in form["blocks"] if block.get("block_id") == act.BLOCK_REPLACES)
    chosen = shown.pop("initial_option")
    stage.submit("U0RAJ", form)

    assert chosen["text"]["text"] == OLDER
    assert states(stage) == {OLDER: State.CURRENT, NEWER: State.CURRENT}
    assert "Replaces:" not in seen(stage, second)


def test_a_thread_that_turns_after_an_edit_says_whose_words_stood_before(stage: Stage) -> None:
    ts = decided(stage, "postgres", OLDER)
    stage.play.press("mia", card(stage, ts), act.ACTION_EDIT)
    stage.settle()
    (form,) = stage.play.views("mia")
    stage.submit("U0MIA", form, title="Search is on Postgres till March")
    stage.extractor.finds.clear()
    stage.extractor.find("after all", NEWER)

    stage.play.post("omar", "search", "search moves to elastic after all", thread_ts=ts)
    stage.play.react("omar", "search", ts, "bookmark")
    stage.settle()

    shown = seen(stage, ts)
    assert f"Recorded: {NEWER}" in shown
    assert "The thread has turned. Before: Search is on Postgres till March · in Mia Sørensen's words" in shown
    assert "Edited by" not in shown
    assert [one.title for one in stage.decisions() if one.state is State.CURRENT] == [NEWER]


def test_where_a_channel_marks_with_an_emoji_a_pair_is_told_by_one_message_that_follows_what_is_said(
    stage: Stage,
) -> None:
    stage.memory.set_setting(mark_setting("C0SEARCH"), "emoji", by=stage.bot.room.person("U0LENA"))

    first, second = two(stage)
    told = seen(stage, second)
    press(stage, "mia", second, act.ACTION_IT_REPLACES)
    replaced = seen(stage, second)
    press(stage, "lena", second, act.ACTION_UNDO)

    assert f"This seems to replace {OLDER}" in told
    assert not stage.play.bot_messages("search", thread_ts=first)
    assert f"Replaces: {OLDER} · Mia Sørensen said so" in replaced
    assert "Both stand, says Lena Brandt" in seen(stage, second)


def test_what_is_removed_or_erased_leaves_the_cards_that_named_it(stage: Stage) -> None:
    first, second = two(stage)

    press(stage, "lena", first, act.ACTION_NOT_DECISION)
    removed = seen(stage, second)
    press(stage, "lena", first, act.ACTION_UNDO)
    restored = seen(stage, second)
    stage.play.delete("lena", "search", first)
    stage.settle()

    assert OLDER not in removed
    assert f"This seems to replace {OLDER}" in restored
    assert OLDER not in seen(stage, second)


def test_a_cross_on_a_card_removes_its_own_decision_alone(stage: Stage) -> None:
    _, second = two(stage)

    stage.play.react("lena", "search", card(stage, second)["ts"], "x")
    stage.settle()

    assert states(stage) == {OLDER: State.CURRENT, NEWER: State.RETRACTED}


def test_a_card_names_nothing_any_more_of_a_channel_that_became_private(stage: Stage) -> None:
    for channel in ("platform", "general"):
        stage.play.invite_bot("ana", channel)
    decided(stage, "postgres", OLDER, channel="platform")
    second = decided(stage, "elastic", NEWER, "stay on Postgres", channel="general")
    asked = seen(stage, second, "general")

    stage.play.convert("ana", "platform", private=True)
    stage.settle()

    assert f"This seems to replace {OLDER}" in asked
    assert OLDER not in seen(stage, second, "general")


def test_a_confirmation_is_undone_by_a_decider_and_twice_is_told(stage: Stage) -> None:
    ts = decided(stage, "postgres", OLDER)
    (one,) = stage.decisions()
    stage.memory.withdraw_confirmation(one.id, by=stage.bot.room.person("U0LENA"))
    redraw_around(stage.bot.room, one)
    press(stage, "mia", ts, act.ACTION_CONFIRM)
    confirmed = seen(stage, ts)
    shown = card(stage, ts)

    stage.play.press("lena", shown, act.ACTION_UNDO)
    stage.settle()
    value = act.encode(decision=one.id, menu=act.UNDO_CONFIRM)
    stage.interact(made_up("U0LENA", act.ACTION_UNDO, value, "C0SEARCH"))

    assert "Confirmed by Mia Sørensen" in confirmed
    assert [each.confirmed for each in stage.decisions()] == [False]
    assert "Not confirmed" in seen(stage, ts)
    assert any("nothing to undo" in told for told in stage.whispers("lena"))


def test_a_pair_of_which_one_was_removed_meanwhile_is_left_as_it_is(stage: Stage) -> None:
    two(stage)
    newer, older = stage.decisions()
    stage.memory.retract(older.id, by=stage.bot.room.person("U0LENA"))

    value = act.encode(decision=newer.id, other=older.id)
    stage.interact(made_up("U0MIA", act.ACTION_IT_REPLACES, value, "C0SEARCH"))

    assert stage.memory.who_replaced(newer.id, older.id) is None
    assert any("Somebody replaced or removed that meanwhile" in told for told in stage.whispers("mia"))


def test_a_pair_of_which_one_is_out_of_sight_is_untouched(stage: Stage) -> None:
    decided(stage, "postgres", OLDER, channel="exec")
    decided(stage, "elastic", NEWER)
    newer, secret = stage.decisions()
    pair = {"decision": newer.id, "other": secret.id}

    for action in (act.ACTION_IT_REPLACES, act.ACTION_BOTH_STAND, act.ACTION_LOOK, act.ACTION_CONTEST):
        stage.interact(made_up("U0NOOR", action, act.encode(**pair), "C0SEARCH"))
        stage.interact(made_up("U0NOOR", action, act.encode(decision=newer.id, other=newer.id), "C0SEARCH"))
    for menu in (act.UNDO_REPLACES, "of_next_year"):
        stage.interact(made_up("U0NOOR", act.ACTION_UNDO, act.encode(**pair, menu=menu), "C0SEARCH"))

    assert set(states(stage).values()) == {State.CURRENT}
    assert stage.memory.conflicts(EVERYTHING) == ()
    assert stage.memory.proposals.of([newer.id, secret.id]) == ()
    assert stage.whispers("noor") == []


def test_what_a_capture_replaces_by_rule_is_told_in_both_threads_and_nobody_is_asked(stage: Stage) -> None:
    sets = [(("service:search", "engine", value),) for value in ("postgres", "elastic")]
    first = decided(stage, "postgres", OLDER, sets=sets[0])

    second = decided(stage, "elastic", NEWER, "stay on Postgres", sets=sets[1])

    assert f"Replaced by: {NEWER}" in seen(stage, first)
    assert f"Replaces: {OLDER}" in seen(stage, second)
    assert "Undo" not in seen(stage, first) + seen(stage, second)
    assert "This seems to replace" not in seen(stage, second)


_PRESSES = itertools.count()


def made_up(user: str, action: str, value: str, channel: str) -> dict[str, Any]:
    return {
        "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": user}, "trigger_id": "1.1",
        "actions": [{"action_id": action, "block_id": "b", "action_ts": f"1.{next(_PRESSES)}", "value": value}],
        "channel": {"id": channel}, "container": {"message_ts": "1.0"},
    }  # fmt: skip
