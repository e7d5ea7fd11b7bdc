"""How did it go: one decider is asked once, at work, in one message a week, and one tap records the outcome."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bot.playground import buttons, pings, screen
from bot.slack.layout import words
from bot.slack.room import follow_ups_setting
from bot.slack.unasked import followups, nudging
from store import EVERYTHING, Delivery, Verdict, draft_of
from tests.builders_slack import Gateway, Stage, staged

BERLIN = ZoneInfo("Europe/Berlin")
ROW = ("follow_up_worked", "follow_up_failed", "follow_up_early", "follow_up_stop")


def until(stage: Stage, *, days: float = 0, hour: int = 10, weekday: int = 2, zone: ZoneInfo = BERLIN) -> None:
    """Let so many days pass, and then go on to that hour of that weekday there; look twice what is due."""
    there = (stage.clock() + timedelta(days=days)).astimezone(zone)
    day = there.date() + timedelta(days=(weekday - there.weekday()) % 7)
    at = datetime.combine(day, time(hour), tzinfo=zone)
    at += timedelta(days=7) if at <= there else timedelta()
    stage.later((at - stage.clock()).total_seconds())
    stage.later(20)


def asked(stage: Stage, user: str) -> list[dict[str, Any]]:
    """Return the direct messages that ask somebody how it went, as they stand now."""
    return [one for one in stage.play.messages(stage.play.direct(user)) if one.get("bot_id")]


def delivery_of(key: str, **payload: Any) -> Delivery:
    return Delivery(id=1, key=key, kind="nudge", payload=payload, priority=2, attempt=2, received_at=datetime.now(UTC))


def test_a_decider_is_asked_at_work_once_and_one_tap_says_how_it_went(stage: Stage) -> None:
    stage.decided()
    (decision,) = stage.decisions()

    until(stage, days=14, weekday=1, hour=4)
    at_night = asked(stage, "lena")
    until(stage, weekday=1, hour=10)
    (question,) = asked(stage, "lena")
    stage.play.press("lena", question, "follow_up_worked")
    stage.settle()
    (noted,) = asked(stage, "lena")
    voices = stage.memory.decision(decision.id, EVERYTHING).voices  # type: ignore[union-attr]

    assert at_night == []
    assert buttons(question) == ROW
    assert "How did it go?" in screen(question)
    assert "Search stays on Postgres" in screen(question)
    assert words.VOTE_COUNTED[Verdict.WORKED] in screen(noted)
    assert (buttons(noted), pings(noted)) == (("follow_up_undo",), ())
    assert (voices.label, voices.worked) == (Verdict.WORKED, 1)
    assert [asked(stage, user) for user in ("omar", "mia")] == [[], []]


def test_an_answer_is_undone_and_too_early_asks_again_twice_at_most(stage: Stage) -> None:
    stage.decided()
    (decision,) = stage.decisions()
    until(stage, days=14)
    (question,) = asked(stage, "lena")

    stage.play.press("lena", question, "follow_up_failed")
    stage.settle()
    stage.play.press("lena", asked(stage, "lena")[0], "follow_up_undo")
    stage.settle()
    votes = stage.memory.votes(decision.id, EVERYTHING)
    anew = buttons(asked(stage, "lena")[0])
    for round in (1, 2):
        stage.play.press("lena", asked(stage, "lena")[-1], "follow_up_early")
        stage.settle()
        assert words.FOLLOW_AGAIN.split("{")[0] in screen(asked(stage, "lena")[-1])
        until(stage, days=14)
        assert len(asked(stage, "lena")) == round + 1

    assert votes == ()
    assert anew == ROW
    assert buttons(asked(stage, "lena")[-1]) == (ROW[0], ROW[1], ROW[3])


def test_who_wants_no_more_of_it_is_asked_nothing_until_they_take_that_back(stage: Stage) -> None:
    stage.decided()
    until(stage, days=14)
    (question,) = asked(stage, "lena")

    stage.play.press("lena", question, "follow_up_stop")
    stage.settle()
    stage.decided(word="redis", title="Sessions stay in Redis")
    until(stage, days=20)
    stopped = asked(stage, "lena")
    stage.play.press("lena", stopped[0], "follow_up_resume")
    stage.settle()

    assert len(stopped) == 1
    assert words.FOLLOW_STOPPED in screen(stopped[0])
    assert stage.memory.setting(follow_ups_setting("U0LENA")) == "on"
    assert buttons(asked(stage, "lena")[0]) == ROW


def test_several_questions_come_in_one_message_a_week_and_home_lists_them(stage: Stage) -> None:
    stage.decided()
    stage.decided(word="redis", title="Sessions stay in Redis")
    until(stage, days=14)
    (together,) = asked(stage, "lena")
    stage.decided(word="kafka", title="Events stay on Kafka")
    waiting = followups.questions(stage.bot.room, "U0LENA")

    stage.play.press("lena", together, "follow_up_worked")
    stage.settle()
    left = followups.questions(stage.bot.room, "U0LENA")
    (message,) = asked(stage, "lena")

    assert words.FOLLOW_SEVERAL in screen(together)
    assert "Search stays on Postgres" in screen(together)
    assert "Sessions stay in Redis" in screen(together)
    assert buttons(together) == (ROW[3], *ROW[:3], *ROW[:3])
    assert (len(waiting), len(left)) == (2, 1)
    assert buttons(message).count("follow_up_undo") == 1


def test_only_whoever_was_asked_is_heard_and_nobody_is_asked_what_they_can_not_read(stage: Stage) -> None:
    stage.decided("exec")
    (decision,) = stage.decisions()
    stage.play.leave("lena", "exec")
    until(stage, days=14)
    forged = {"channel": {"id": stage.play.direct("omar")}, "user": {"id": "U0OMAR"}}

    stage.interact({
        "type": "block_actions", **forged, "team": {"id": "T0PLAY"}, "container": {}, "api_app_id": "ABACKSTORY",
        "actions": [{"action_id": "follow_up_worked", "value": f'{{"d":"{decision.id}"}}', "action_ts": "1.0"}],
    })  # fmt: skip

    assert asked(stage, "lena") == []
    assert stage.memory.votes(decision.id, EVERYTHING) == ()


def test_a_question_loses_its_words_when_their_message_is_deleted(stage: Stage) -> None:
    ts = stage.decided()
    until(stage, days=14)

    stage.play.delete("lena", "search", ts)
    stage.settle()

    (question,) = asked(stage, "lena")
    assert "Postgres" not in screen(question)
    assert "Postgres" not in question["text"]


def test_what_a_decider_has_said_already_and_what_was_imported_is_not_asked(stage: Stage) -> None:
    stage.decided()
    (decision,) = stage.decisions()
    lena = stage.bot.room.person("U0LENA")
    stage.memory.observe_outcome(
        decision.id, voter=lena, verdict=Verdict.WORKED, counts=True, key="k", scope=decision.scope, at=stage.clock()
    )

    until(stage, days=14)
    stage.memory.withdraw_outcome(decision.id, voter=lena, key="w")
    until(stage, days=30)

    assert asked(stage, "lena") == []


def test_a_message_that_was_sent_and_not_noted_is_found_again_and_a_slow_slack_is_waited_for(stage: Stage) -> None:
    stage.decided()
    stage.play.limit("chat.postMessage", retry_after_s=30)
    until(stage, days=14)
    limited = asked(stage, "lena")
    stage.later(31)
    (question,) = asked(stage, "lena")
    (nudge,) = stage.memory.nudges.of_person("U0LENA")
    post = stage.memory.posts.by_key(nudge.message)
    assert post is not None
    stage.memory.posts.drop(post.key)
    stage.memory.posts.plan(replace(post, channel="U0LENA", ts=""))

    again = nudging.send(stage.bot.room, delivery_of(nudge.message, person="U0LENA"))

    assert limited == []
    assert again == "said 1"
    assert asked(stage, "lena") == [question]
    assert stage.memory.posts.by_key(post.key) == post


def test_a_message_sent_and_not_noted_before_the_day_ended_is_not_sent_again_the_next(stage: Stage) -> None:
    stage.decided()
    until(stage, days=14, hour=16)
    (question,) = asked(stage, "lena")
    (nudge,) = stage.memory.nudges.of_person("U0LENA")
    post = stage.memory.posts.by_key(nudge.message)
    assert post is not None
    stage.memory.posts.drop(post.key)
    stage.memory.posts.plan(replace(post, channel="U0LENA", ts=""))

    until(stage, weekday=2, hour=18)
    late = nudging.send(stage.bot.room, delivery_of(nudge.message, person="U0LENA"))
    until(stage, weekday=3, hour=10)

    assert late == "not at work"
    assert asked(stage, "lena") == [question]


def test_deciders_take_turns_wordings_count_as_one_and_who_has_left_is_asked_nothing(stage: Stage) -> None:
    room, memory = stage.bot.room, stage.memory
    both = tuple(room.person(user) for user in ("U0LENA", "U0OMAR"))
    for word in ("postgres", "redis"):
        stage.extractor.find(word, f"It stays {word}", decided_by=both)
        ts = stage.play.post("lena", "search", f"we stay on {word}")
        stage.play.post("omar", "search", f"agreed, we go with {word}", thread_ts=ts)
        stage.play.react("lena", "search", ts, "bookmark")
        stage.settle()
    first = stage.decisions()[0]
    reworded = memory.revise(first.id, draft_of(replace(first, title="It stays as it was")), by=both[0])
    stage.clock.advance(timedelta(days=14, minutes=1).total_seconds())
    daily = delivery_of("follow_ups:1")

    planned = followups.plan_follow_ups(room, daily)
    people = {nudge.person for nudge in memory.nudges.of_kind("follow_up")}
    (asked_of,) = {nudge.person for nudge in memory.nudges.of_ref(reworded)}
    again = memory.revise(reworded, draft_of(replace(first, title="It stays once more")), by=both[0])
    replanned = followups.plan_follow_ups(room, daily)
    waiting = followups.questions(room, asked_of)
    stage.play.deactivate(asked_of)
    stage.settle()
    sent = nudging.send(room, delivery_of(f"nudge:{asked_of}", person=asked_of))
    other = followups.plan_follow_ups(room, daily)

    assert (planned, replanned) == ("planned 2", "planned 0")
    assert people == {"U0LENA", "U0OMAR"}
    assert [one.decision.id for one in waiting] == [again]
    assert (sent, other) == ("nobody to write to", "planned 1")
    assert {nudge.person for nudge in memory.nudges.of_ref(again)} == people - {asked_of}


def test_nobody_is_asked_where_that_is_switched_off(tmp_path: Path, gateway: Gateway) -> None:
    with staged(tmp_path, gateway, follow_up_days=0) as stage:
        stage.decided()
        (decision,) = stage.decisions()
        stage.memory.nudges.plan("k:1", person="U0LENA", kind="follow_up", ref=decision.id, due_at=stage.clock())

        until(stage, days=14)

        assert asked(stage, "lena") == []
        assert stage.memory.nudges.of_person("U0LENA") == ()
