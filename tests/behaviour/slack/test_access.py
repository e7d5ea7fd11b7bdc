"""Nobody learns from the bot what they could not read in Slack."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.playground import Channel, Member, small_workspace
from bot.playground.people import SCOPES
from bot.slack.layout import actions as act
from store import NOBODY, Scope
from tests.builders_slack import Gateway, Stage, staged

PRICES = "does pricing go up in May?"
SECRET = "Pricing goes up in May"
HERE = Scope(id="channel:C0EXEC", open=False)
OPEN = Scope(id="channel:C0ELSEWHERE", open=True)


def secret(stage: Stage) -> str:
    return stage.decided("exec", "pricing", SECRET)


@pytest.mark.parametrize("asker", ["noor", "raj", "ana", "gus"])
def test_who_is_not_in_a_private_channel_learns_nothing_of_it(stage: Stage, asker: str) -> None:
    secret(stage)

    answer = stage.ask(asker, "search", PRICES)

    assert SECRET not in answer
    assert "Lena" not in answer


def test_who_is_in_a_private_channel_is_answered_from_it(stage: Stage) -> None:
    secret(stage)

    answers = [stage.ask("lena", "search", PRICES), stage.ask("omar", "exec", PRICES)]

    assert all(SECRET in answer for answer in answers)


def test_a_mention_in_the_private_channel_is_answered_from_it(stage: Stage) -> None:
    secret(stage)

    ts = stage.play.post("omar", "exec", f"{stage.play.mention} {PRICES}")
    stage.settle()

    assert SECRET in stage.screens("exec", thread_ts=ts)[0]


def test_a_direct_message_is_answered_for_its_writer(stage: Stage) -> None:
    secret(stage)

    direct = {user: stage.play.direct(user) for user in ("omar", "noor")}
    for user, channel in direct.items():
        stage.play.post(user, channel, PRICES)
    stage.settle()

    shown = {user: stage.play.bot_messages(channel)[-1]["text"] for user, channel in direct.items()}
    assert SECRET in shown["omar"]
    assert SECRET not in shown["noor"]


def test_a_guest_reads_only_the_channels_that_they_are_in(stage: Stage) -> None:
    stage.decided("search", "postgres", "Search stays on Postgres")
    stage.play.invite_bot("ana", "platform")
    stage.decided("platform", "kafka", "Events go through Kafka")

    inside = stage.ask("gus", "search", "why does search stay on postgres?")
    outside = stage.ask("gus", "search", "why do events go through kafka?")

    assert "Search stays on Postgres" in inside
    assert "Kafka" not in outside.replace("why do events go through kafka?", "")


def test_an_outsider_is_answered_nothing_and_changes_nothing(stage: Stage) -> None:
    stage.play.invite_bot("omar", "partner")
    stage.decided("partner", "interface", "The interface is REST")

    receipt = stage.play.command("eve", "partner", "/why", "is the interface REST?")
    ts = stage.play.post("eve", "partner", f"{stage.play.mention} is the interface REST?")
    stage.settle()

    assert receipt.acked
    assert all("The interface is REST" not in message["text"] for message in receipt.responses)
    assert stage.screens("partner", thread_ts=ts) == []


def test_a_shared_channels_decision_is_no_open_one(stage: Stage) -> None:
    stage.play.invite_bot("omar", "partner")
    stage.decided("partner", "interface", "The interface is REST")

    (decision,) = stage.decisions()

    assert not decision.scope.open


def test_sharing_into_a_channel_leaves_out_what_some_there_can_not_read(stage: Stage) -> None:
    secret(stage)
    receipt = stage.play.command("lena", "search", "/why", PRICES)
    stage.settle()

    stage.play.press("lena", receipt.responses[-1], act.ACTION_SHARE)
    stage.settle()

    assert all(SECRET not in message["text"] for message in stage.play.bot_messages("search"))


def test_a_post_in_a_shared_channel_holds_nothing_of_a_private_one_that_all_in_it_now_can_read(stage: Stage) -> None:
    secret(stage)
    stage.play.add_channel(Channel(id="C0SHARED", name="shared", members=("U0LENA", "U0OMAR", "UBACKSTORY")))
    stage.play.share("shared", shared=True)
    stage.settle()

    ts = stage.play.post("omar", "shared", f"{stage.play.mention} {PRICES}")
    stage.settle()

    assert SECRET not in stage.screens("shared", thread_ts=ts)[0]


def test_who_leaves_a_private_channel_reads_it_no_longer_at_once(stage: Stage) -> None:
    secret(stage)
    before = stage.ask("omar", "search", PRICES)

    stage.play.leave("omar", "exec")
    stage.settle()

    assert SECRET in before
    assert SECRET not in stage.ask("omar", "search", PRICES)


def test_who_left_unnoticed_reads_it_no_longer_after_a_minute(stage: Stage) -> None:
    secret(stage)
    stage.ask("omar", "search", PRICES)
    stage.play.hold()
    stage.play.leave("omar", "exec")

    stage.clock.advance(60)

    assert not stage.bot.room.access.reader_of("U0OMAR").may_read(HERE)


def test_who_is_deactivated_reads_nothing(stage: Stage) -> None:
    secret(stage)
    stage.ask("omar", "search", PRICES)

    stage.play.deactivate("omar")
    stage.settle()

    assert stage.bot.room.access.reader_of("U0OMAR") == NOBODY


@pytest.mark.parametrize("who", ["U0NOSUCH", "", "UBACKSTORY"])
def test_who_is_unknown_or_a_bot_reads_nothing(stage: Stage, who: str) -> None:
    reader = stage.bot.room.access.reader_of(who)

    assert reader == NOBODY
    assert not stage.bot.room.access.may_act(who, "C0SEARCH")


def test_when_slack_does_not_say_who_is_in_a_channel_nothing_is_posted_from_it(stage: Stage) -> None:
    secret(stage)
    stage.play.fail("conversations.members", "internal_error_of_a_new_kind", times=100)

    reader = stage.bot.room.access.readers_of_channel("C0EXEC", fresh=True)

    assert reader == NOBODY


def test_a_private_channel_may_have_an_id_that_begins_with_c(stage: Stage) -> None:
    known = stage.bot.room.access.channel("C0EXEC")

    assert known is not None
    assert not known.open


def test_the_readers_of_a_large_private_channel_are_worked_out_without_a_call_for_each(stage: Stage) -> None:
    crowd = [Member(id=f"U1CROWD{number:02}", name=f"crowd{number:02}") for number in range(30)]
    for member in crowd:
        stage.play.add_member(member)
    stage.play.add_channel(
        Channel(id="C0CROWD", name="crowd", private=True, members=(*(member.id for member in crowd), "UBACKSTORY"))
    )
    stage.settle()

    reader = stage.bot.room.access.readers_of_channel("C0CROWD", fresh=True)

    assert reader.may_read(Scope(id="channel:C0CROWD", open=False))
    assert reader.may_read(OPEN)
    assert len(stage.play.calls("users.info")) < 5


def test_a_channel_that_becomes_private_closes_what_was_decided_in_it(stage: Stage) -> None:
    stage.play.invite_bot("ana", "platform")
    stage.decided("platform", "kafka", "Events go through Kafka")

    stage.play.leave("noor", "platform")
    stage.settle()
    before = stage.decisions(stage.bot.room.access.reader_of("U0NOOR"))
    stage.play.convert("ana", "platform", private=True)
    stage.settle()
    closed = stage.decisions(stage.bot.room.access.reader_of("U0NOOR"))
    stage.play.convert("ana", "platform", private=False)
    stage.settle()

    assert (len(before), len(closed)) == (1, 0)
    assert len(stage.decisions(stage.bot.room.access.reader_of("U0NOOR"))) == 1


def test_without_the_scopes_of_private_channels_these_are_left_alone_and_the_others_are_answered_from(
    tmp_path: Path, gateway: Gateway
) -> None:
    scopes = tuple(scope for scope in SCOPES if not scope.startswith(("groups:", "mpim:")))
    with staged(tmp_path, gateway, workspace=small_workspace(scopes=scopes)) as stage:
        stage.decided()

        told = stage.ask("mia", "search", "why postgres?")
        reader = stage.bot.room.access.reader_of("U0MIA", fresh=True)

        assert "Search stays on Postgres" in told
        assert reader.may_read(OPEN)
        assert not reader.may_read(HERE)
