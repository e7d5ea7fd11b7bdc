"""Looking back: counts first, then a private list; nothing in old threads, and it goes on after a stop or a kill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.capture import leave_person_out
from bot.playground import screen
from bot.slack.channel.lookback import KIND_READ
from bot.slack.layout import actions as act
from bot.slack.listeners import tell_failure
from store import Delivery
from tests.builders_slack import Gateway, Stage, staged

CHANNEL = "C0PLATFORM"


@pytest.fixture
def past(stage: Stage) -> Stage:
    """A channel with three threads that decided something and two that didn't, before the bot came."""
    talk = (
        ("kafka", "we decided: kafka stays, rabbitmq loses messages when a node dies"),
        ("retries", "decision: three retries with backoff, five charged people twice"),
        ("postgres", "agreed, we go with postgres for the ledger, mongo has no transactions"),
        ("", "lunch at noon?"),
        ("", "who has the key to the meeting room?"),
    )
    for word, text in talk:
        if word:
            stage.extractor.find(word, f"It stays with {word}", confidence=95)
        ts = stage.play.post("ana", "platform", text)
        stage.play.post("raj", "platform", "agreed, let's do that", thread_ts=ts)
    stage.play.invite_bot("lena", "platform")
    stage.settle()
    return stage


def press_look_back(stage: Stage, user: str = "lena") -> None:
    first = next(one for one in stage.play.bot_messages("platform") if "I remember" in screen(one))
    stage.play.press(user, first, act.ACTION_LOOK_BACK)
    stage.settle()


def start(stage: Stage) -> dict[str, Any]:
    press_look_back(stage)
    (view,) = stage.play.views("lena")
    stage.play.submit("lena", view)
    stage.settle()
    return the_list(stage)


def the_list(stage: Stage) -> dict[str, Any]:
    return stage.play.bot_messages(stage.play.direct("lena"))[-1]


def roots(stage: Stage) -> list[tuple[str, int]]:
    return [(one["ts"], one["reply_count"]) for one in stage.play.messages("platform") if one.get("reply_count")]


def press(stage: Stage, action: str, number: int = 0) -> dict[str, Any]:
    blocks = [block for block in the_list(stage)["blocks"] if block["type"] == "actions"]
    rows = [block for block in blocks if any(part["action_id"] == action for part in block["elements"])]
    stage.play.press("lena", the_list(stage), action, block_id=rows[number]["block_id"])
    stage.settle()
    return the_list(stage)


def test_counts_come_first_and_nothing_is_kept_before_the_word(past: Stage) -> None:
    press_look_back(past)

    (view,) = past.play.views("lena")
    shown = screen(view)
    assert "5 threads, about" in shown
    assert "tokens" not in shown
    assert past.extractor.read == []
    assert past.decisions() == ()


def test_what_was_found_is_kept_or_dropped_by_whoever_asked_alone(past: Stage) -> None:
    before = past.play.messages("platform")

    listed = screen(start(past))
    unconfirmed = [one.confirmed for one in past.decisions()]
    after_keep = screen(press(past, act.ACTION_LOOK_KEEP))
    after_no = screen(press(past, act.ACTION_LOOK_NO))
    done = screen(press(past, act.ACTION_LOOK_KEEP))

    assert "Looked back 90 days in #platform: 5 threads · 3 decisions found" in listed
    assert '"we decided: kafka stays' in listed
    assert unconfirmed == [False, False, False]
    assert "1 kept" in after_keep
    assert "1 kept · 1 not kept" in after_no
    assert "2 kept · 1 not kept" in done
    assert [one.confirmed for one in past.decisions()] == [True, True]
    assert len(past.play.messages("platform")) == len(before)
    assert past.ask("raj", "platform", "why does it stay with kafka?") != ""


def test_what_was_dropped_is_in_no_file_any_more(past: Stage) -> None:
    start(past)
    (dropped,) = [one for one in past.decisions() if "kafka" in one.title]
    value = act.encode(session=past.memory.lookbacks.latest(CHANNEL).run, decision=dropped.id)  # type: ignore[union-attr]
    block = next(
        block["block_id"]
        for block in the_list(past)["blocks"]
        for part in block.get("elements", ())
        if part.get("action_id") == act.ACTION_LOOK_NO and part["value"] == value
    )

    past.play.press("lena", the_list(past), act.ACTION_LOOK_NO, block_id=block)
    past.settle()
    past.memory.beside.tidy()

    files = [path for path in past.memory.home.rglob("*") if path.is_file()]
    assert not [path.name for path in files if b"rabbitmq loses messages" in path.read_bytes()]
    assert "kafka" not in screen(the_list(past))


def test_all_are_kept_at_once(past: Stage) -> None:
    start(past)

    done = screen(press(past, act.ACTION_LOOK_KEEP_ALL))

    assert "3 kept" in done
    assert "Keep all" not in done
    assert all(one.confirmed for one in past.decisions())


def test_only_admins_may_look_back_and_the_button_says_so(past: Stage) -> None:
    press_look_back(past, "ana")

    assert past.play.views("ana") == () or not past.play.views("ana")
    assert any("Only Slack's admins and owners" in told for told in past.whispers("ana"))


def test_it_stops_and_goes_on_where_it_was(past: Stage) -> None:
    press_look_back(past)
    (view,) = past.play.views("lena")
    past.play.limit("conversations.replies", retry_after_s=3600)
    past.play.submit("lena", view)
    past.settle()
    running = screen(the_list(past))
    stopped = screen(press(past, act.ACTION_LOOK_STOP))

    done = screen(press(past, act.ACTION_LOOK_GO_ON))

    assert "Looking back 90 days in #platform: 0 of 5 threads read" in running
    assert "Stopped looking back in #platform" in stopped
    past.later(3601)
    assert "3 decisions found" in done
    assert len(past.extractor.read) == len({thread.place for thread in past.extractor.read})


def test_after_a_kill_that_lost_what_was_noted_no_model_reads_a_thread_twice(past: Stage) -> None:
    start(past)
    read = len(past.extractor.read)
    run = past.memory.lookbacks.latest(CHANNEL)
    assert run is not None
    kafka = past.memory.lookbacks.waiting(run.run)[0]
    past.memory.lookbacks.drop(run.run)
    past.memory.lookbacks.begin(run.run, channel=CHANNEL, person="U0LENA", oldest=run.oldest, at=run.started_at)
    past.memory.lookbacks.listed(run.run, roots(past), cursor="")
    past.memory.lookbacks.change(run.run, state="reading", step=99)

    past.memory.inbox.insert("again", KIND_READ, {"run": run.run, "step": 99})
    past.settle()

    assert len(past.extractor.read) == read
    assert kafka in past.memory.lookbacks.waiting(run.run)
    assert "3 decisions found" in screen(the_list(past))


def test_the_list_is_shown_although_slack_asked_for_patience_at_the_end(past: Stage) -> None:
    press_look_back(past)
    (view,) = past.play.views("lena")
    past.play.limit("chat.update", retry_after_s=60)

    past.play.submit("lena", view)
    past.settle()
    before = screen(the_list(past))
    past.later(61)

    assert "3 decisions found" not in before
    assert "3 decisions found" in screen(the_list(past))


def test_a_run_whose_row_was_given_up_offers_to_go_on(past: Stage) -> None:
    press_look_back(past)
    (view,) = past.play.views("lena")
    past.play.limit("conversations.replies", retry_after_s=60)
    past.play.submit("lena", view)
    past.settle()
    run = past.memory.lookbacks.latest(CHANNEL)
    assert run is not None

    payload = {"run": run.run, "step": run.step}
    given_up = Delivery(
        id=1, key="k", kind=KIND_READ, payload=payload, priority=4, attempt=8, received_at=past.clock()
    )  # fmt: skip
    tell_failure(past.bot.room, given_up, "7F3K")

    assert screen(the_list(past)).startswith("Stopped looking back in #platform")


def test_counts_that_fail_end_in_a_word_in_their_form(past: Stage) -> None:
    past.play.fail("conversations.history", "internal_error", times=100)
    press_look_back(past)
    waiting = screen(past.play.views("lena")[-1])

    for _ in range(10):
        past.later(700)

    assert "Counting what was said here" in waiting
    assert "(ref " in screen(past.play.views("lena")[-1])


def test_what_is_deleted_leaves_the_list_too(past: Stage) -> None:
    start(past)
    ts = next(one["ts"] for one in past.play.messages("platform") if "kafka stays" in one["text"])

    past.play.delete("ana", "platform", ts)
    past.settle()

    assert "kafka" not in screen(the_list(past))


def test_threads_and_people_that_are_left_out_are_not_read(tmp_path: Path, gateway: Gateway) -> None:
    with staged(tmp_path, gateway) as stage:
        stage.extractor.find("kafka", "It stays with kafka")
        ts = stage.play.post("ana", "platform", "we decided: kafka stays, rabbitmq loses messages")
        stage.play.react("raj", "platform", ts, "see_no_evil")
        stage.play.post("raj", "platform", "agreed", thread_ts=ts)
        leave_person_out(stage.memory, stage.bot.room.person("U0MIA"), left_out=True)
        other = stage.play.post("raj", "platform", "kafka or rabbitmq for events?")
        stage.play.post("mia", "platform", "decided: kafka stays, rabbitmq loses messages", thread_ts=other)
        stage.play.post("raj", "platform", "agreed, let's do that, we go with it", thread_ts=other)
        stage.play.invite_bot("lena", "platform")
        stage.settle()

        listed = screen(start(stage))

        assert "2 threads" in listed
        assert "rabbitmq loses messages" not in listed
        assert {turn.author_id for thread in stage.extractor.read for turn in thread.turns} <= {"U0RAJ"}
