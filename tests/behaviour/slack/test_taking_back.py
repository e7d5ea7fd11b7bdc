"""What is forgotten by name goes from every file and from all that the bot has posted, in whatever wording it stood."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.forget import forget, forget_person
from bot.slack.layout import actions as act
from bot.slack.room import Mode, digest_setting, mode_setting
from store import Person
from tests.builders_slack import PATIENCE_S, Gateway, Stage, staged

LENA, NOOR = Person(name="Lena", id="U0LENA"), Person(name="Noor Aziz", id="U0NOOR")
CANARIES = ("zqtitle", "zqreason", "zqedit")


@pytest.fixture
def edited(tmp_path: Path, gateway: Gateway) -> Iterator[tuple[Stage, str]]:
    """A decision that was asked about, worded anew, and named by a digest and a follow-up since."""
    with staged(tmp_path, gateway, one_clock=True) as stage:
        stage.memory.set_setting(digest_setting("C0SEARCH"), "on", by=LENA)
        stage.memory.set_setting(mode_setting("C0SEARCH"), Mode.BY_ITSELF.value, by=LENA)
        stage.extractor.find("zqtitle", "Search stays on zqtitle", rationale="zqreason costs less")
        root = stage.play.post("lena", "search", "so search stays on zqtitle, zqreason costs less")
        stage.play.react("lena", "search", root, "bookmark")
        stage.settle()
        stage.play.post("mia", "search", f"{stage.play.mention} what does search stay on?")
        stage.settle()
        (card,) = stage.play.bot_messages("search", thread_ts=root)
        stage.play.press("omar", card, act.ACTION_EDIT)
        stage.settle()
        stage.play.submit("omar", stage.play.views("omar")[-1], {"title": "Search stays on zqtitle by zqedit"})
        stage.settle()
        to_monday(stage)
        to_monday(stage)
        to_monday(stage)
        yield stage, root


def to_monday(stage: Stage) -> None:
    """Let time pass until the next Monday, when digests come and people are at work."""
    now = stage.clock()
    noon = (now + timedelta(days=7 - now.weekday())).replace(hour=12)
    stage.later((noon - now).total_seconds())
    stage.later(3_600)


def posted(stage: Stage) -> str:
    """Return everything that the bot has posted anywhere, as it stands now."""
    talks = stage.play.world.conversations.values()
    return json.dumps([one for talk in talks for one in talk.messages.values() if one.get("bot_id")])


def in_files(stage: Stage) -> str:
    stage.memory.beside.tidy()
    return "".join(str(path.read_bytes()) for path in stage.memory.home.rglob("*") if path.is_file())


@pytest.mark.parametrize("what", ["message", "decision"])
def test_a_message_or_decision_that_is_forgotten_is_in_no_file_and_no_post_whatever_its_wording(
    edited: tuple[Stage, str], what: str
) -> None:
    stage, root = edited
    before = posted(stage)

    forget(stage.memory, f"C0SEARCH/{root}" if what == "message" else stage.decisions()[0].id)
    stage.bot.worker.wake()
    stage.settle()

    assert "This week in #search" in before
    assert "How did it go?" in before
    assert [word for word in CANARIES if word not in before] == []
    assert [word for word in CANARIES if word in posted(stage)] == []
    assert [word for word in CANARIES if word in in_files(stage)] == []


def test_what_a_forgotten_person_asked_the_team_is_taken_back_from_the_channel_and_its_digest(
    tmp_path: Path, gateway: Gateway
) -> None:
    with staged(tmp_path, gateway, one_clock=True) as stage:
        stage.memory.set_setting(digest_setting("C0SEARCH"), "on", by=LENA)
        receipt = stage.play.command("noor", "search", "/why", "why are we on zanzibar for zqkilns?")
        receipt.wait_for_response(timeout_s=PATIENCE_S)
        stage.settle()
        stage.play.press("noor", stage.play.ephemerals("noor")[-1], act.ACTION_ASK_TEAM)
        stage.settle()
        stage.play.post("noor", "search", f"{stage.play.mention} why are we on quasar for zqlooms?")
        to_monday(stage)
        before = posted(stage)

        forget_person(stage.memory, NOOR)
        stage.bot.worker.wake()
        stage.settle()

        assert "Noor Aziz asks the team" in before
        assert "This week in #search" in before
        assert [word for word in ("zqkilns", "zqlooms", "Noor") if word in posted(stage)] == []
        assert [word for word in ("zqkilns", "zqlooms") if word in in_files(stage)] == []


def test_a_question_that_its_asker_deletes_is_in_no_file_and_no_post(stage: Stage) -> None:
    stage.decided()
    nothing = stage.play.post("mia", "search", f"{stage.play.mention} why are we on zanzibar for zqkilns?")
    answered = stage.play.post("mia", "search", f"{stage.play.mention} why does search stay on postgres, zqlooms?")
    stage.settle()
    before = posted(stage)

    for ts in (nothing, answered):
        stage.play.delete("mia", "search", ts)
    stage.settle()

    assert "zqkilns" in before
    assert "Search stays on Postgres" in posted(stage), "the other answer lost more than its question"
    assert [word for word in ("zqkilns", "zqlooms") if word in posted(stage)] == []
    assert [word for word in ("zqkilns", "zqlooms") if word in in_files(stage)] == []
    assert stage.play.home("mia") is None or "zqlooms" not in json.dumps(stage.play.home("mia"))


def test_who_was_told_what_was_decided_loses_it_when_its_message_is_deleted(stage: Stage) -> None:
    stage.play.command("noor", "search", "/why", "why are we on zanzibar for zqkilns?")
    stage.settle()
    stage.play.press("noor", stage.play.ephemerals("noor")[-1], act.ACTION_ASK_TEAM)
    stage.settle()
    (asked,) = stage.play.bot_messages("search")
    stage.clock.advance(60)
    stage.extractor.find("zqtitle", "Logs go to zqtitle")
    own = stage.play.post("lena", "search", "logs go to zqtitle from today on", thread_ts=asked["ts"])
    stage.play.post("omar", "search", "agreed, that settles it", thread_ts=asked["ts"])
    stage.play.react("lena", "search", own, "bookmark")
    stage.settle()
    stage.later(60)
    told = stage.screens(stage.play.direct("noor"))

    stage.play.delete("lena", "search", own)
    stage.settle()

    assert "Logs go to zqtitle" in told[-1]
    assert "zqtitle" not in posted(stage)
