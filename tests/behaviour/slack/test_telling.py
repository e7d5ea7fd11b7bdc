"""A question that found nothing: put to the team on its asker's word, and answered later to those who wait."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bot.playground import buttons, screen
from bot.slack.answering.gaps import published
from bot.slack.answering.telling import due_look
from bot.slack.layout import actions as act
from store import EVERYTHING, NOBODY, Person
from tests.builders_slack import PATIENCE_S, Stage

WHY = "why are we on zanzibar for permissions?"


def asked(stage: Stage, user: str = "noor", channel: str = "search") -> dict[str, Any]:
    """Return the answer that somebody alone sees to a question on which nothing is recorded."""
    receipt = stage.play.command(user, channel, "/why", WHY)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()
    return receipt.responses[-1]


def direct(stage: Stage, user: str) -> list[str]:
    """Return what the bot wrote to somebody in direct messages."""
    return stage.screens(stage.play.direct(user))


def decide(stage: Stage, channel: str = "search") -> str:
    return stage.decided(channel, "zanzibar", "Permissions are kept in Zanzibar")


def test_who_wants_to_know_is_told_once_in_a_direct_message_with_the_answer(stage: Stage) -> None:
    answer = asked(stage)

    stage.play.press("noor", answer, act.ACTION_TELL_ME)
    stage.settle()
    noted = stage.play.ephemerals("noor")[-1]
    stage.later(60)
    before = direct(stage, "noor")
    stage.clock.advance(60)
    decide(stage)
    stage.later(60)
    stage.later(600)
    (told,) = direct(stage, "noor")
    (message,) = stage.play.bot_messages(stage.play.direct("noor"))
    stage.play.react("noor", message["channel"], message["ts"], "+1")
    stage.settle()

    assert "I'll tell you. Nobody sees your question unless you press Ask." in screen(noted)
    assert act.ACTION_TELL_ME_NOT in buttons(noted)
    assert before == []
    assert told.startswith(f'You wanted to know: "{WHY}"\nPermissions are kept in Zanzibar.')
    assert "[Share]" not in told
    assert stage.memory.wanted.behind(10**9) == ()
    assert [vote.voter.id for one in stage.decisions() for vote in stage.memory.votes(one.id, EVERYTHING)] == ["U0NOOR"]


def test_who_takes_a_wish_back_is_told_nothing(stage: Stage) -> None:
    stage.play.press("noor", asked(stage), act.ACTION_TELL_ME)
    stage.settle()
    stage.play.press("noor", stage.play.ephemerals("noor")[-1], act.ACTION_TELL_ME_NOT)
    stage.settle()
    shown = stage.play.ephemerals("noor")[-1]

    stage.clock.advance(60)
    decide(stage)
    stage.later(60)

    assert act.ACTION_TELL_ME in buttons(shown)
    assert direct(stage, "noor") == []


def test_what_was_decided_between_a_question_and_the_wish_is_told_at_once(stage: Stage) -> None:
    answer = asked(stage)
    stage.clock.advance(60)
    decide(stage)

    stage.play.press("noor", answer, act.ACTION_TELL_ME)
    stage.settle()
    stage.later(60)

    assert len(direct(stage, "noor")) == 1


def test_a_wish_is_met_only_by_what_its_person_may_read_by_then(stage: Stage) -> None:
    for user in ("noor", "lena"):
        stage.play.press(user, asked(stage, user), act.ACTION_TELL_ME)
        stage.settle()

    stage.clock.advance(60)
    decide(stage, "exec")
    stage.later(60)

    assert direct(stage, "noor") == []
    assert len(direct(stage, "lena")) == 1
    assert [wish.person for wish in stage.memory.wanted.behind(10**9)] == ["U0NOOR"]


def test_what_was_there_before_or_fits_badly_meets_no_wish(stage: Stage) -> None:
    decide(stage, "exec")
    stage.play.press("noor", asked(stage), act.ACTION_TELL_ME)
    stage.settle()

    stage.play.invite("lena", "exec", "noor")
    stage.clock.advance(60)
    stage.decided("search", "elastic", "Search moves to Elastic")
    stage.later(60)

    assert direct(stage, "noor") == []


def test_a_wish_outlives_neither_its_question_nor_its_person(stage: Stage) -> None:
    for user in ("noor", "lena"):
        stage.play.press(user, asked(stage, user), act.ACTION_TELL_ME)
        stage.settle()

    stage.memory.beside.forget_person(Person(name="Noor", id="U0NOOR"), named=())
    left = [wish.person for wish in stage.memory.wanted.behind(10**9)]
    stage.memory.beside.purge(stage.clock() + timedelta(days=91))

    assert left == ["U0LENA"]
    assert stage.memory.wanted.behind(10**9) == ()


def test_a_question_is_the_teams_from_the_moment_that_its_asker_says_so(stage: Stage) -> None:
    answer = asked(stage)
    reader = stage.bot.room.access.readers_of_channel("C0SEARCH")
    before = published(stage.bot.room, reader, since=stage.clock() - timedelta(days=7))

    stage.play.press("noor", answer, act.ACTION_ASK_TEAM)
    stage.play.press("noor", answer, act.ACTION_ASK_TEAM)
    stage.settle()
    (question,) = stage.play.bot_messages("search")
    (open_gap,) = published(stage.bot.room, reader, since=stage.clock() - timedelta(days=7))
    stage.extractor.find("zanzibar", "Permissions are kept in Zanzibar")
    stage.clock.advance(60)
    stage.play.post("lena", "search", "we took zanzibar, nobody wanted to write it anew", thread_ts=question["ts"])
    stage.play.react("noor", "search", question["ts"], "bookmark")
    stage.settle()
    stage.later(60)
    (closed,) = published(stage.bot.room, reader, since=stage.clock() - timedelta(days=7))

    assert before == ()
    assert screen(question).startswith(f"Noor Aziz asks the team: {WHY}")
    assert stage.whispers("noor")[-1].startswith("Asked. I'll tell you in a direct message")
    assert (open_gap.question, open_gap.answered) == (WHY, False)
    assert closed.answered
    (told,) = direct(stage, "noor")
    assert "Permissions are kept in Zanzibar" in told
    assert published(stage.bot.room, NOBODY, since=stage.clock() - timedelta(days=7)) == ()


def test_a_look_is_put_in_once_for_each_change_and_never_without_a_wish(stage: Stage) -> None:
    decide(stage, "exec")
    nobody_waits = due_look(stage.memory)
    stage.play.press("noor", asked(stage, "noor", "general"), act.ACTION_TELL_ME)
    stage.settle()

    unchanged = due_look(stage.memory)
    stage.decided("exec", "pricing", "Pricing goes up in May")
    first, again = due_look(stage.memory), due_look(stage.memory)

    assert (nobody_waits, unchanged, first, again) == (False, False, True, False)


def test_whoever_reads_a_question_asked_openly_may_wait_for_its_answer_too(stage: Stage) -> None:
    ts = stage.play.post("noor", "search", f"{stage.play.mention} {WHY}")
    stage.settle()
    (answer,) = stage.play.bot_messages("search", thread_ts=ts)
    for user in ("raj", "mia"):
        stage.play.press(user, answer, act.ACTION_TELL_ME)
    stage.settle()
    noted = stage.whispers("raj")[-1]
    stage.play.press("mia", stage.play.ephemerals("mia")[-1], act.ACTION_TELL_ME_NOT)
    stage.settle()

    stage.clock.advance(60)
    decide(stage)
    stage.later(60)

    assert noted == "I'll tell you in a direct message, once, when it is decided.\n[Don't tell me]"
    assert stage.whispers("mia")[-1] == "I won't tell you."
    assert [len(direct(stage, user)) for user in ("raj", "mia", "noor")] == [1, 0, 0]
