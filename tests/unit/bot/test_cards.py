"""The capture card: one a thread, the same call for its first post and each edit in place."""

from dataclasses import replace

import pytest

from bot.playground.blocks import check_message
from bot.slack.layout import actions as act
from bot.slack.layout.kit import Message
from bot.slack.layout.text import Mrkdwn
from bot.slack.recording.cards import Change, Mark, Other, Pair, Story, ask_first, card
from store import Alternative, Bearing, Status
from tests.builders_messages import decision, lines

KEPT = decision()


def pressed(message: Message) -> list[str]:
    rows = [block["elements"] for block in message.blocks if block["type"] == "actions"]
    rows += [[block["accessory"]] for block in message.blocks if "accessory" in block]
    return [part["action_id"] for row in rows for part in row]


def test_a_card_has_the_shape_of_its_picture() -> None:
    shown = card([KEPT])

    assert lines(shown) == [
        "🔖 Recorded: Search stays on Postgres",
        "Because: no second cluster to run · Instead of: Elasticsearch",
        "Decided by Lena and Omar · 3 messages above",
    ]
    assert pressed(shown) == [act.ACTION_NOT_DECISION, act.ACTION_EDIT, act.ACTION_CARD_MENU]


def test_its_menu_has_three_entries_that_name_the_decision() -> None:
    menu = card([KEPT]).blocks[-1]["elements"][-1]

    assert [option["text"]["text"] for option in menu["options"]] == [
        "Replaces…",
        "How did it go",
        "Leave this thread out",
    ]
    assert [act.decode(option["value"]) for option in menu["options"]] == [
        act.Target(decision=KEPT.id, menu=name) for name in (act.MENU_REPLACES, act.MENU_OUTCOME, act.MENU_LEAVE_OUT)
    ]


def test_several_decisions_of_a_thread_share_one_card() -> None:
    shown = card([KEPT, decision("b", title="Typesense is out", status=Status.REJECTED)])

    assert lines(shown)[0] == "🔖 Recorded: 2 decisions in this thread"
    assert "Search stays on Postgres" in lines(shown)
    assert "Turned down: Typesense is out" in lines(shown)
    assert pressed(shown).count(act.ACTION_NOT_DECISION) == 2


def test_a_removed_decision_says_by_whom_and_can_be_brought_back() -> None:
    shown = card([KEPT], story=Story(marks={KEPT.id: Mark(change=Change.REMOVED, by="Omar")}))

    assert lines(shown) == ["Removed by Omar: Search stays on Postgres"]
    assert pressed(shown) == [act.ACTION_UNDO]


def test_a_removed_decision_is_not_counted_among_those_of_its_thread() -> None:
    other = decision("b", title="Typesense is out")
    shown = card([KEPT, other], story=Story(marks={other.id: Mark(change=Change.REMOVED, by="Omar")}))

    assert lines(shown)[0] == "🔖 Recorded: Search stays on Postgres"
    assert "Removed by Omar: Typesense is out" in lines(shown)


@pytest.mark.parametrize(
    ("change", "said"), [(Change.EDITED, "Edited by Omar"), (Change.CONFIRMED, "Confirmed by Omar")]
)
def test_a_change_is_told_with_its_author(change: Change, said: str) -> None:
    shown = card([KEPT], story=Story(marks={KEPT.id: Mark(change=change, by="Omar")}))

    assert lines(shown)[-2:] == ["Decided by Lena and Omar · 3 messages above", said]
    assert pressed(shown)[-1] == act.ACTION_UNDO


def test_a_thread_that_turned_says_what_stood_before_and_in_whose_words() -> None:
    before = {KEPT.id: "Search moves to Elasticsearch"}

    turned, edited = Story(before=before), Story(before=before, worded_by={KEPT.id: "Mia"})

    assert "↻ The thread has turned. Before: Search moves to Elasticsearch" in lines(card([KEPT], story=turned))
    assert "↻ The thread has turned. Before: Search moves to Elasticsearch · in Mia's words" in lines(
        card([KEPT], story=edited)
    )


MYSQL = Other(id="m", title="Search on MySQL", where=Mrkdwn("Raj #data 2 Aug"), day=Mrkdwn("2 Aug"))


def test_what_it_replaces_is_named_with_whoever_said_so() -> None:
    by_rule = card([KEPT], story=Story(replaces={KEPT.id: [MYSQL]}))
    by_mia = card([KEPT], story=Story(replaces={KEPT.id: [replace(MYSQL, by="Mia")]}))

    assert "Replaces: Search on MySQL" in lines(by_rule)
    assert "Replaces: Search on MySQL · Mia said so" in lines(by_mia)
    assert (act.ACTION_UNDO in pressed(by_rule), act.ACTION_UNDO in pressed(by_mia)) == (False, True)


def test_what_was_replaced_names_first_what_holds_now_and_offers_nothing_but_the_way_back() -> None:
    shown = card([KEPT], story=Story(replaced={KEPT.id: replace(MYSQL, by="Mia")}))

    assert lines(shown) == ["↻ Replaced by: Search on MySQL", "Before: Search stays on Postgres", "Mia said so"]
    assert pressed(shown) == [act.ACTION_UNDO]


def test_what_it_seems_to_replace_is_asked_with_its_day() -> None:
    shown = card([KEPT], story=Story(pairs={KEPT.id: [Pair(kind=Bearing.REPLACES, other=MYSQL)]}))

    assert lines(shown)[-1] == "This seems to replace Search on MySQL (2 Aug)."
    assert pressed(shown)[3:] == [act.ACTION_IT_REPLACES, act.ACTION_BOTH_STAND]
    check_message(shown.blocks)


def test_what_it_may_pull_against_is_told_with_who_where_and_when() -> None:
    shown = card([KEPT], story=Story(pairs={KEPT.id: [Pair(kind=Bearing.PULLS_AGAINST, other=MYSQL)]}))

    assert lines(shown)[-1] == "↔ May pull against Search on MySQL (Raj #data 2 Aug)."
    assert pressed(shown)[3:] == [act.ACTION_IT_REPLACES, act.ACTION_BOTH_STAND, act.ACTION_LOOK]


def test_that_both_stand_is_told_with_whoever_said_so() -> None:
    pair = Pair(kind=Bearing.REPLACES, other=MYSQL, both=True, by="Mia")

    assert lines(card([KEPT], story=Story(pairs={KEPT.id: [pair]})))[-1] == (
        "↔ Both stand, says Mia: this and Search on MySQL"
    )


def test_what_nobody_confirmed_says_so_and_can_be_confirmed() -> None:
    shown = card([decision(confirmed=False)])

    assert lines(shown)[0] == "○ Not confirmed: Search stays on Postgres"
    assert pressed(shown)[0] == act.ACTION_CONFIRM


def test_asking_first_quotes_the_deciding_words_and_promises_to_ask_once() -> None:
    shown = ask_first(KEPT)

    assert lines(shown) == [
        'Did you decide here? Search stays on Postgres: "then we stay on pg"',
        "No answer is fine; I won't ask again.",
    ]
    assert pressed(shown) == [act.ACTION_CONFIRM, act.ACTION_EDIT, act.ACTION_DENY]


def test_a_thread_with_many_decisions_stays_one_message() -> None:
    shown = card([decision(f"{place:02}", title=f"Decision {place}") for place in range(30)])

    check_message(shown.blocks)
    assert lines(shown)[-1] == "20 more: ask /why"


def test_a_third_option_is_counted_where_two_are_named() -> None:
    options = tuple(Alternative(option=name) for name in ("Elasticsearch", "Typesense", "Meilisearch"))

    shown = card([decision(alternatives=options)])

    assert "Because: no second cluster to run · Instead of: Elasticsearch, Typesense and 1 other" in lines(shown)


def test_a_thread_with_much_to_say_of_many_decisions_stays_one_whole_message() -> None:
    many = [decision(f"{place:02}", title=f"Decision {place}") for place in range(10)]
    pairs = [Pair(kind=kind, other=MYSQL) for kind in Bearing]
    by_mia = [replace(MYSQL, by="Mia")] * 2

    shown = card(many, story=Story(pairs={one.id: pairs for one in many}, replaces={one.id: by_mia for one in many}))

    check_message(shown.blocks)
    assert lines(shown)[-1] == "5 more: ask /why"
    assert pressed(shown).count(act.ACTION_NOT_DECISION) == 5
