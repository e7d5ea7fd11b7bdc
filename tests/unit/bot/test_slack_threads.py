from datetime import UTC, datetime

import pytest

from bot.sources.slack import (
    SlackChannel,
    SlackPerson,
    plain_text,
    thread_from_messages,
    ts_time,
)
from store import Thread

SEARCH = SlackChannel(id="C1", name="search", open=True, members=frozenset({"U1", "U2"}))
PEOPLE = {"U1": SlackPerson(id="U1", name="Lena Ortiz"), "U2": SlackPerson(id="U2", name="Omar Haddad")}
ROOT = "1700000000.000100"


def message(ts: str = ROOT, text: str = "we stay on pg", user: str = "U1", **more: object) -> dict[str, object]:
    return {"type": "message", "ts": ts, "text": text, "user": user, "thread_ts": ROOT, **more}


def thread_of(*messages: dict[str, object], leave_out: frozenset[str] = frozenset()) -> Thread:
    thread = thread_from_messages(messages, channel=SEARCH, thread_ts=ROOT, people=PEOPLE, leave_out=leave_out)
    assert thread is not None
    return thread


def test_turns_come_oldest_first_whatever_order_they_are_given_in() -> None:
    late, early = message("1700000009.000000", "second"), message("1700000001.000000", "first")

    thread = thread_of(late, early)

    assert [turn.text for turn in thread.turns] == ["first", "second"]
    assert thread.turns[0].turn_id == "C1/1700000001.000000"


def test_place_scope_and_label_are_the_channels_own() -> None:
    thread = thread_of(message())

    assert thread.place.anchor == f"C1/{ROOT}"
    assert (thread.scope.id, thread.scope.open, thread.label) == ("channel:C1", True, "#search")


def test_the_basis_is_the_latest_message_or_edit() -> None:
    edited = message(edited={"user": "U1", "ts": "1700000050.000000"})

    thread = thread_of(edited, message("1700000020.000000"))

    assert thread.basis == "1700000050.000000"


def test_a_ts_keeps_its_microseconds() -> None:
    assert ts_time("1700000000.999999") == datetime(2023, 11, 14, 22, 13, 20, 999999, UTC)


def test_a_broadcast_counts_once_and_the_reply_stands() -> None:
    reply = message("1700000002.000000", "the reply", user="U2")

    thread = thread_of(message(), reply, {**reply, "subtype": "thread_broadcast"})

    assert len(thread.turns) == 2


def test_a_lone_broadcast_is_a_turn() -> None:
    thread = thread_of(message("1700000002.000000", "so: pg", subtype="thread_broadcast"))

    assert [turn.text for turn in thread.turns] == ["so: pg"]


def test_what_nobody_said_is_left_out_and_a_deleted_root_keeps_its_thread() -> None:
    gone = message(text="This message was deleted.", user="USLACKBOT", subtype="tombstone")
    joined = message("1700000001.000000", "<@U2> has joined the channel", subtype="channel_join")

    thread = thread_of(gone, joined, message("1700000002.000000", "ok, pg"))

    assert [turn.text for turn in thread.turns] == ["ok, pg"]
    assert thread.place.anchor == f"C1/{ROOT}"


@pytest.mark.parametrize(
    "broken", [{"ts": None}, {"ts": 1700000000.5}, {"ts": "yesterday"}, {"text": None}, {"text": 7}]
)
def test_a_message_without_time_or_words_is_passed_over(broken: dict[str, object]) -> None:
    thread = thread_of(message(), {**message("1700000003.000000"), **broken})

    assert len(thread.turns) == 1


def test_nobody_said_anything_is_no_thread() -> None:
    assert thread_from_messages([message(text="")], channel=SEARCH, thread_ts=ROOT, people=PEOPLE) is None


def test_text_reads_as_people_see_it() -> None:
    text = "<@U1> &amp; <@U9|raj>: see <https://x.example/a|the plan>, <#C2|ops> <!here> if a &lt; b"

    assert plain_text(text, PEOPLE) == "@Lena Ortiz & @raj: see the plan (https://x.example/a), #ops @here if a < b"


def test_an_unknown_author_goes_by_what_the_message_says_and_else_by_the_id() -> None:
    named = message(user="U8", user_profile={"real_name": "Raj Rao"})

    thread = thread_of(named, message("1700000001.000000", user="U9"))

    assert [turn.author for turn in thread.turns] == ["Raj Rao", "U9"]


def test_a_bots_message_is_marked_and_its_attachments_are_its_words() -> None:
    alert: dict[str, object] = {
        "ts": ROOT,
        "subtype": "bot_message",
        "username": "PagerDuty",
        "attachments": [{"fallback": "5xx > 5%"}],
    }

    thread = thread_of(alert)

    assert (thread.turns[0].author, thread.turns[0].text, thread.turns[0].is_bot) == ("PagerDuty", "5xx > 5%", True)


def test_the_bots_own_card_is_no_turn_and_makes_no_new_version_of_the_thread() -> None:
    card = message("1700000004.000000", "Recorded: pg", user="UBOT", bot_id="B1")

    thread = thread_of(message(), card, leave_out=frozenset({"B1"}))

    assert len(thread.turns) == 1
    assert thread.basis == ROOT


def test_reactions_survive_without_times_or_users() -> None:
    thread = thread_of(message(reactions=[{"name": "+1", "users": ["U1", None]}, {"count": 2}, "odd"]))

    assert [(one.name, one.users) for one in thread.turns[0].reactions] == [("+1", ("U1",))]
