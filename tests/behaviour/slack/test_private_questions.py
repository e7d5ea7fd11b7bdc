"""A question is its asker's alone until they say otherwise; what they share holds what all may read."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from bot.playground import screen
from bot.slack.layout import actions as act
from store import Alternative
from tests.builders_slack import PATIENCE_S, Stage

CANARY = "zqcanaryfish"
DAY_S = 86_400


def alone(stage: Stage, user: str, channel: str, question: str) -> dict[str, Any]:
    receipt = stage.play.command(user, channel, "/why", question)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()
    return dict(receipt.responses[-1])


def test_a_question_is_in_no_message_to_others_and_no_log_line_and_gone_after_ninety_days(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    stage.decided()
    there = stage.play.direct("noor")

    alone(stage, "noor", "search", f"is {CANARY} why search stays on postgres?")
    nothing = alone(stage, "noor", "general", f"who sacked whom over {CANARY}?")
    stage.play.post("noor", there, f"and what of {CANARY}?")
    stage.play.press("noor", nothing, act.ACTION_TELL_ME)
    stage.settle()
    stage.later(60)
    others = [json.dumps(stage.play.ephemerals(user)) for user in ("lena", "omar", "mia", "raj", "ana", "gus")]
    posted = [json.dumps(stage.play.bot_messages(channel)) for channel in ("search", "general", "exec", "platform")]
    kept = CANARY.encode() in b"".join(path.read_bytes() for path in stage.memory.home.rglob("inbox.db*"))
    stage.later(91 * DAY_S)

    files = [path for path in stage.memory.home.rglob("*") if path.is_file()]
    assert kept
    assert all(CANARY not in told for told in (*others, *posted))
    assert CANARY not in caplog.text
    assert [path.name for path in files if CANARY.encode() in path.read_bytes()] == []


def test_what_is_shared_holds_what_all_may_read_and_the_rest_follows_to_its_sharer_alone(stage: Stage) -> None:
    stage.decided("search", "postgres", "Search stays on Postgres for the price")
    stage.decided("exec", "pricing", "The price of search goes up in May")
    answer = alone(stage, "lena", "search", "what was decided on the price of search?")
    nothing_open = alone(stage, "lena", "search", "why does the price go up in May?")

    stage.play.press("lena", answer, act.ACTION_SHARE)
    stage.play.press("lena", answer, act.ACTION_SHARE)
    stage.settle()

    (post,) = [one for one in stage.screens("search") if "Shared by Lena" in one]
    own = [told for told in stage.whispers("lena") if told.startswith("Only you can read this")]
    assert "goes up in May" in screen(answer)
    assert "goes up in May" not in post
    assert "Search stays on Postgres for the price" in post
    assert len(own) == 1
    assert "The price of search goes up in May" in own[0]
    assert all("goes up" not in json.dumps(stage.play.ephemerals(user)) for user in ("noor", "raj", "mia"))
    assert "goes up" in screen(nothing_open)


def test_nothing_is_posted_where_not_everybody_may_read_any_of_it(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")
    answer = alone(stage, "lena", "search", "why does pricing go up?")

    stage.play.press("lena", answer, act.ACTION_SHARE)
    stage.settle()

    assert stage.screens("search") == []
    assert "Not everybody here can read what this rests on" in stage.whispers("lena")[-1]


def test_why_alone_offers_at_once_questions_that_it_answers_of_this_channel_first(stage: Stage) -> None:
    stage.extractor.find(
        "postgres",
        "Search stays on Postgres",
        alternatives=(Alternative(option="Elasticsearch", reason="who runs it"),),
    )
    for channel, word, title in (
        ("search", "postgres", "Search stays on Postgres"), ("exec", "pricing", "Pricing goes up in May"),
    ):  # fmt: skip
        stage.extractor.finds.setdefault(word, {"title": title})
        ts = stage.play.post("lena", channel, f"{title}: {word} it is, for Elasticsearch nobody is there, who runs it")
        stage.play.react("lena", channel, ts, "bookmark")
        stage.settle()

    receipt = stage.play.command("noor", "search", "/backstory", "")
    stage.settle()
    (shown,) = receipt.responses
    offered = [line.strip("`").removeprefix("/why ") for line in screen(shown).split("\n")[1:]]
    answers = [stage.ask("noor", "search", question) for question in offered]

    assert screen(shown).split("\n")[0] == "I remember what was decided in Slack, and why. Ask me:"
    assert len(offered) == 3
    assert offered[0] in ("not Elasticsearch?", "search stays on Postgres?", "Search stays on Postgres?")
    assert "Search stays on Postgres" in answers[0]
    assert all("Nothing recorded" not in answer for answer in answers)
    assert all("ricing" not in question for question in offered)


def test_what_is_said_after_a_form_survives_a_restart_while_it_stood_open(stage: Stage) -> None:
    stage.decided()
    told: list[str] = []
    for channel in ("search", "platform"):  # the bot is in the first alone
        stage.play.press("mia", alone(stage, "mia", channel, "why are we on postgres for search?"), act.ACTION_WRONG)
        stage.settle()
        stage.bot.room.pressed.clear()
        stage.submit("U0MIA", stage.play.views("mia")[-1], choice="outdated")
        told.append([*stage.whispers("mia"), *stage.screens(stage.play.direct("mia"))][-1])

    assert all(line.startswith("Noted as a wrong answer") for line in told)


def test_a_forged_button_with_anothers_question_or_a_decision_out_of_reach_does_nothing(stage: Stage) -> None:
    stage.decided("exec", "pricing", "Pricing goes up in May")
    (secret,) = stage.decisions()
    alone(stage, "lena", "search", "why does pricing go up?")
    alone(stage, "lena", "search", "who sacked whom?")
    sessions = [act.encode(session=one.session) for one in stage.memory.sessions.of_asker("U0LENA")]
    events = stage.memory.verify().events
    forged = [(action, value) for value in sessions for action in (act.ACTION_TELL_ME, act.ACTION_SAY_WHY)]
    about = act.encode(decision=secret.id)
    forged += [(act.ACTION_DIFFERENT_NOW, about), (act.ACTION_OTHER_THING, about)]

    for place, (action, value) in enumerate(forged):
        stage.interact({
            "type": "block_actions", "team": {"id": "T0PLAY"}, "user": {"id": "U0NOOR"}, "trigger_id": f"1.{place}",
            "actions": [{"action_id": action, "block_id": "b", "action_ts": f"{place}.0", "value": value}],
            "channel": {"id": "C0SEARCH"}, "container": {"message_ts": "1.0", "is_ephemeral": True},
        })  # fmt: skip

    assert stage.memory.wanted.behind(10**9) == ()
    assert stage.memory.verify().events == events
    assert all("ricing" not in told and "sacked" not in told for told in stage.whispers("noor"))
    assert stage.play.views("noor") == ()
    assert stage.memory.inbox.counts().failed == 0
