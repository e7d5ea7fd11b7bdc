"""The capture card: one a thread, the same call for its first post and each edit in place."""

import pytest

from bot.playground.blocks import check_message
from bot.slack import actions as act
from bot.slack.cards import Change, Mark, Story, ask_first, card
from bot.slack.kit import Message
from store import Status
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


@pytest.mark.parametrize(
    ("change", "said"), [(Change.EDITED, "Edited by Omar"), (Change.CONFIRMED, "Confirmed by Omar")]
)
def test_a_change_is_told_with_its_author(change: Change, said: str) -> None:
    shown = card([KEPT], story=Story(marks={KEPT.id: Mark(change=change, by="Omar")}))

    assert lines(shown)[-1] == f"Decided by Lena and Omar · 3 messages above · {said}"


def test_a_thread_that_turned_says_what_stood_before() -> None:
    shown = card([KEPT], story=Story(before={KEPT.id: "Search moves to Elasticsearch"}))

    assert "↻ The thread has turned. Before: Search moves to Elasticsearch" in lines(shown)


def test_what_it_replaces_is_named() -> None:
    shown = card([KEPT], story=Story(replaces={KEPT.id: "Search on MySQL"}))

    assert "Replaces: Search on MySQL" in lines(shown)


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
