"""The door: who is let in, how fast, and what happens when things break behind it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.playground import screen
from bot.settings import Settings
from bot.slack.app import check_http
from store import Post
from tests.builders_slack import PATIENCE_S, Gateway, Stage, staged, wait_for, without_table

WHY = "why are we on postgres for search?"


def test_a_request_with_a_bad_signature_is_refused_and_changes_nothing(stage: Stage) -> None:
    stage.play.hold()
    stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    body, headers = stage.play.signed(stage.play.deliveries("app_mention")[0])

    forged = stage.bot.dispatch(body.decode(), {**headers, "X-Slack-Signature": "v0=" + "0" * 64})
    old = stage.bot.dispatch(body.decode(), {**headers, "X-Slack-Request-Timestamp": "1500000000"})

    assert (forged.status, old.status) == (401, 401)
    assert stage.memory.inbox.counts().waiting == 0


def test_slacks_check_of_the_address_is_answered(stage: Stage) -> None:
    reply = stage.send('{"type": "url_verification", "challenge": "c0ffee"}', "application/json")

    assert (reply.status, reply.body) == (200, '{"challenge": "c0ffee"}')


@pytest.mark.parametrize("error", ["internal_error", "fatal_error", "service_unavailable"])
def test_a_fault_of_slacks_own_is_waited_out(stage: Stage, error: str) -> None:
    stage.play.fail("chat.postMessage", error)

    ts = stage.decided()
    stage.later(seconds=2)

    assert len(stage.screens("search", thread_ts=ts)) == 1


def test_an_answer_whose_address_ran_out_is_shown_in_the_channel(stage: Stage) -> None:
    stage.decided()
    stage.play.fail("response_url", "expired_url")

    stage.play.command("mia", "search", "/why", WHY)
    stage.settle()

    assert any("Search stays on Postgres" in told for told in stage.whispers("mia"))


def test_http_is_not_served_without_a_signing_secret(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="SLACK_SIGNING_SECRET"):
        check_http(Settings(home=tmp_path))


def test_a_token_that_slack_does_not_take_is_named(tmp_path: Path, gateway: Gateway) -> None:
    with (
        pytest.raises(SettingsError, match="SLACK_BOT_TOKEN: Slack says"),
        staged(tmp_path, gateway, token="xoxb-wrong"),
    ):
        pass


def test_the_process_says_how_it_is(stage: Stage, gateway: Gateway) -> None:
    with urllib.request.urlopen(gateway.url.replace("/slack/events", "/healthz"), timeout=10) as reply:  # noqa: S310
        told = json.load(reply)

    assert told == {"ok": True, "waiting": 0, "claimed": 0, "failed": 0}


def test_a_request_too_large_is_refused(stage: Stage, gateway: Gateway) -> None:
    request = urllib.request.Request(gateway.url, data=b"x" * 4_000_001, method="POST")  # noqa: S310

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)  # noqa: S310

    assert refused.value.code == 413
    refused.value.close()


def test_whoever_asks_by_command_sees_at_once_that_it_looks(stage: Stage) -> None:
    stage.decided()

    receipt = stage.play.command("mia", "search", "/why", WHY)

    assert "Looking through what was decided" in screen(receipt.responses[0])
    stage.settle()


def test_the_alias_answers_like_the_command(stage: Stage) -> None:
    stage.decided()

    receipt = stage.play.command("mia", "search", "/backstory", WHY)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()

    assert "Search stays on Postgres" in screen(receipt.responses[-1])


def test_the_command_alone_says_what_it_is_for_with_questions_that_have_answers(stage: Stage) -> None:
    stage.decided()

    answer = stage.ask("mia", "search", "")

    assert "Search stays on Postgres" in answer


def test_fifty_commands_at_once_are_each_answered_once(stage: Stage) -> None:
    stage.decided()
    stage.play.deliver_twice = True

    receipts = [stage.play.command("mia", "search", "/why", f"{WHY} {number}", wait=False) for number in range(50)]
    stage.settle()

    answers = [[shown for shown in receipt.responses if "Looking through" not in screen(shown)] for receipt in receipts]
    assert [len(shown) for shown in answers] == [1] * 50
    assert all(receipt.acked for receipt in receipts)


def test_when_the_memory_fails_whoever_asked_is_told_with_a_reference(stage: Stage) -> None:
    stage.decided()

    with without_table(stage.memory.home / "memory.db", "decisions"):
        receipt = stage.play.command("mia", "search", "/why", WHY)
        stage.settle()
        stage.later(seconds=2)
        wait_for(lambda: len(receipt.responses) > 1)

    told = screen(receipt.responses[-1])
    assert "I couldn't answer (ref" in told
    assert "Error" not in told


def test_a_post_that_stood_before_a_crash_is_found_and_not_posted_again(stage: Stage) -> None:
    stage.decided()
    stage.play.hold()
    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    key = f"answer:question:T0PLAY:C0SEARCH:{ts}"
    plan = Post(
        key=key, kind="answer", channel="C0SEARCH", ts="", thread_ts=ts, ref="s1", decisions=(), body={"text": "said"},
        planned_at=stage.clock(),
    )  # fmt: skip
    stage.memory.posts.plan(plan)
    stage.bot.room.client.post("C0SEARCH", {"text": "said"}, thread_ts=ts, key=key)

    stage.play.release()
    stage.settle()

    assert stage.screens("search", thread_ts=ts) == ["said"]


def test_a_planned_post_that_never_went_out_is_sent_as_it_was_planned(stage: Stage) -> None:
    stage.decided()
    stage.play.hold()
    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    plan = Post(
        key=f"answer:question:T0PLAY:C0SEARCH:{ts}", kind="answer", channel="C0SEARCH", ts="", thread_ts=ts, ref="s1",
        decisions=(), body={"text": "as planned"}, planned_at=stage.clock(),
    )  # fmt: skip
    stage.memory.posts.plan(plan)

    stage.play.release()
    stage.settle()

    assert stage.screens("search", thread_ts=ts) == ["as planned"]


def test_where_slack_shows_no_history_a_planned_post_is_sent_rather_than_lost(stage: Stage) -> None:
    stage.decided()
    stage.play.hold()
    ts = stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    plan = Post(
        key=f"answer:question:T0PLAY:C0SEARCH:{ts}", kind="answer", channel="C0SEARCH", ts="", thread_ts=ts, ref="s1",
        decisions=(), body={"text": "as planned"}, planned_at=stage.clock(),
    )  # fmt: skip
    stage.memory.posts.plan(plan)
    stage.play.fail("conversations.replies", "missing_scope")

    stage.play.release()
    stage.settle()

    assert stage.screens("search", thread_ts=ts) == ["as planned"]


def test_an_answer_that_was_shown_before_a_crash_is_not_shown_again(stage: Stage) -> None:
    stage.play.hold()
    stage.play.command("mia", "search", "/why", WHY, wait=False)
    (command,) = stage.play.deliveries("/why")
    shown = Post(
        key=f"answer:command:{command.payload['trigger_id']}", kind="answer", channel="C0SEARCH", ts="alone",
        thread_ts="", ref="s1", decisions=(), body=None, planned_at=stage.clock(),
    )  # fmt: skip
    stage.memory.posts.plan(shown)

    stage.play.release()
    stage.settle()

    assert not any("Nothing recorded" in told for told in stage.whispers("mia"))
    assert stage.memory.inbox.counts().failed == 0


def test_a_channel_kept_out_by_a_setting_is_told_and_not_read(tmp_path: Path, gateway: Gateway) -> None:
    with staged(tmp_path, gateway, blocked_channels=frozenset({"platform"})) as stage:
        stage.play.invite_bot("ana", "platform")
        stage.settle()
        ts = stage.play.post("raj", "platform", "we use kafka, agreed")
        stage.play.react("raj", "platform", ts, "bookmark")
        stage.settle()

        assert "keeps me out of this channel" in stage.screens("platform")[-1]
        assert stage.decisions() == ()


def test_a_finished_question_leaves_no_words_in_the_inbox(stage: Stage) -> None:
    stage.decided()
    stage.ask("mia", "search", "why does the zebra like postgres?")

    stage.memory.beside.sessions.clear()
    stage.memory.beside.posts.clear()
    stage.memory.beside.tidy()

    assert b"zebra" not in (stage.memory.home / "inbox.db").read_bytes()


def test_a_token_in_the_environment_as_well_is_no_warning(
    tmp_path: Path, gateway: Gateway, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-of-the-environment")

    with staged(tmp_path, gateway) as stage:
        answer = stage.ask("mia", "search", "which HR system do we use?")

    assert "Nothing recorded" in answer
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == []


def test_a_command_that_cannot_be_kept_is_answered_with_that(stage: Stage) -> None:
    with without_table(stage.memory.home / "inbox.db", "inbox"):
        receipt = stage.play.command("mia", "search", "/why", WHY)

    assert receipt.acked
    (told,) = receipt.responses
    assert "I couldn't keep your question" in screen(told)


def test_a_message_that_cannot_be_kept_is_left_to_slack_to_deliver_again(stage: Stage) -> None:
    stage.play.hold()
    stage.play.post("mia", "search", f"{stage.play.mention} {WHY}")
    body, headers = stage.play.signed(stage.play.deliveries("app_mention")[0])

    with without_table(stage.memory.home / "inbox.db", "inbox"):
        refused = stage.bot.dispatch(body.decode(), headers)
    again = stage.bot.dispatch(body.decode(), headers)

    assert (refused.status, again.status) == (500, 200)
