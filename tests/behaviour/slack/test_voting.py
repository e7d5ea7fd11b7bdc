"""What a vote means, however it is given."""

from __future__ import annotations

from typing import Any

from bot.playground import screen
from bot.slack.layout import actions as act
from bot.slack.layout import modals
from store import EVERYTHING, Verdict
from tests.builders_slack import PATIENCE_S, Stage

WHY = "why are we on postgres for search?"


def answered(stage: Stage, user: str = "mia") -> dict[str, Any]:
    """Return the bot's reply to a mention."""
    stage.decided()
    ts = stage.play.post(user, "search", f"{stage.play.mention} {WHY}")
    stage.settle()
    (answer,) = stage.play.bot_messages("search", thread_ts=ts)
    return answer


def whispered(stage: Stage, user: str = "mia") -> dict[str, Any]:
    """Return the answer that somebody alone sees."""
    stage.decided()
    receipt = stage.play.command(user, "search", "/why", WHY)
    receipt.wait_for_response(count=2, timeout_s=PATIENCE_S)
    stage.settle()
    return receipt.responses[-1]


def verdicts(stage: Stage) -> dict[str, Verdict]:
    (decision,) = stage.decisions()
    return {vote.voter.id: vote.verdict for vote in stage.memory.votes(decision.id, EVERYTHING)}


def test_thumbs_by_emoji_count_under_both_names_and_the_latest_stands(stage: Stage) -> None:
    answer = answered(stage)

    stage.play.react("lena", "search", answer["ts"], "thumbsup")
    stage.play.react("omar", "search", answer["ts"], "+1::skin-tone-5")
    stage.settle()
    stage.play.react("omar", "search", answer["ts"], "thumbsdown")
    stage.settle()

    assert verdicts(stage) == {"U0LENA": Verdict.WORKED, "U0OMAR": Verdict.FAILED}


def test_a_thumb_that_is_removed_is_taken_back(stage: Stage) -> None:
    answer = answered(stage)
    stage.play.react("lena", "search", answer["ts"], "+1")
    stage.settle()

    stage.play.unreact("lena", "search", answer["ts"], "+1")
    stage.settle()

    assert verdicts(stage) == {}


def test_removing_an_older_thumb_leaves_the_newer_one(stage: Stage) -> None:
    answer = answered(stage)
    stage.play.react("lena", "search", answer["ts"], "+1")
    stage.settle()
    stage.play.react("lena", "search", answer["ts"], "-1")
    stage.settle()

    stage.play.unreact("lena", "search", answer["ts"], "+1")
    stage.settle()

    assert verdicts(stage) == {"U0LENA": Verdict.FAILED}


def test_a_first_thumb_is_explained_to_its_voter_alone_once(stage: Stage) -> None:
    answer = answered(stage)

    stage.play.react("lena", "search", answer["ts"], "+1")
    stage.settle()
    stage.play.unreact("lena", "search", answer["ts"], "+1")
    stage.play.react("lena", "search", answer["ts"], "+1")
    stage.settle()

    assert sum("I counted that" in told for told in stage.whispers("lena")) == 1
    assert stage.whispers("omar") == []


def test_just_thanks_takes_the_thumb_back(stage: Stage) -> None:
    answer = answered(stage)
    stage.play.react("lena", "search", answer["ts"], "+1")
    stage.settle()
    told = stage.play.ephemerals("lena")[-1]

    stage.play.press("lena", told, act.ACTION_JUST_THANKS)
    stage.settle()

    assert verdicts(stage) == {}


def test_a_thumb_on_anything_but_an_answer_counts_for_nothing(stage: Stage) -> None:
    ts = stage.decided()

    stage.play.react("omar", "search", ts, "+1")
    stage.settle()

    assert verdicts(stage) == {}


def test_a_guest_votes_in_a_channel_that_they_are_in(stage: Stage) -> None:
    answer = answered(stage)

    stage.play.react("gus", "search", answer["ts"], "+1")
    stage.settle()

    assert list(verdicts(stage).values()) == [Verdict.WORKED]


def test_a_pressed_thumb_counts_and_can_be_taken_back(stage: Stage) -> None:
    answer = whispered(stage, "lena")

    pressed = stage.play.press("lena", answer, act.ACTION_WORKED)
    stage.settle()
    after = verdicts(stage)
    (shown,) = [told for told in stage.play.ephemerals("lena") if act.ACTION_TAKE_BACK in str(told["blocks"])]
    stage.play.press("lena", shown, act.ACTION_TAKE_BACK)
    stage.settle()

    assert pressed.acked
    assert after == {"U0LENA": Verdict.WORKED}
    assert verdicts(stage) == {}


def test_somebody_who_did_not_decide_counts_from_the_second_person_on(stage: Stage) -> None:
    answer = answered(stage)

    stage.play.react("raj", "search", answer["ts"], "-1")
    stage.settle()
    (one,) = stage.decisions()
    stage.play.react("noor", "search", answer["ts"], "-1")
    stage.settle()
    (two,) = stage.decisions()

    assert (one.voices.label, one.voices.pending_failed) == (None, 1)
    assert two.voices.label is Verdict.FAILED


def test_a_wrong_answer_is_a_rejection_and_no_outcome(stage: Stage) -> None:
    answer = whispered(stage)

    stage.play.press("mia", answer, act.ACTION_WRONG)
    stage.settle()
    (view,) = stage.play.views("mia")
    stage.submit("U0MIA", view, choice="outdated", reason="we moved")

    assert verdicts(stage) == {}
    assert stage.memory.inbox.counts().failed == 0


def test_a_choice_left_empty_is_said_on_the_form(stage: Stage) -> None:
    answer = whispered(stage)
    stage.play.press("mia", answer, act.ACTION_WRONG)
    stage.settle()
    (view,) = stage.play.views("mia")

    reply = stage.submit("U0MIA", view)

    assert '"response_action": "errors"' in reply.body


def test_sharing_posts_what_everybody_there_may_read(stage: Stage) -> None:
    answer = whispered(stage)

    stage.play.press("mia", answer, act.ACTION_SHARE)
    stage.settle()

    shared = stage.screens("search")[-1]
    assert "Search stays on Postgres" in shared
    assert "Shared by Mia" in shared


def test_sharing_twice_posts_once(stage: Stage) -> None:
    answer = whispered(stage)

    stage.play.press("mia", answer, act.ACTION_SHARE)
    stage.play.press("mia", answer, act.ACTION_SHARE)
    stage.settle()

    assert sum("Shared by Mia" in shown for shown in stage.screens("search")) == 1


def test_more_opens_what_stands_behind_an_answer(stage: Stage) -> None:
    answer = whispered(stage)

    stage.play.press("mia", answer, act.ACTION_MORE)
    stage.settle()

    (view,) = stage.play.views("mia")
    assert "nobody on call" in screen(view)


def test_a_wrong_answer_is_noted_to_its_presser_alone(stage: Stage) -> None:
    answer = whispered(stage)

    stage.play.press("mia", answer, act.ACTION_WRONG)
    stage.settle()
    (view,) = stage.play.views("mia")
    stage.submit("U0MIA", view, choice="outdated")

    assert any("Noted as a wrong answer" in told for told in stage.whispers("mia"))
    assert not any("Noted as a wrong answer" in told for told in stage.whispers("lena") + stage.screens("search"))


def test_a_question_that_found_nothing_never_enters_the_log_as_wrong_answer(stage: Stage) -> None:
    stage.ask("mia", "search", "who was sacked over the zebra affair?")
    (asked,) = stage.memory.sessions.of_asker("U0MIA")
    view = {**modals.wrong_view(asked.session), "id": "V1"}
    before = stage.memory.verify().events

    stage.submit("U0MIA", view, choice="wrong")

    log = b"".join(path.read_bytes() for path in stage.memory.home.glob("memory.db*"))
    assert stage.memory.inbox.counts().failed == 0
    assert stage.memory.verify().events == before + 1
    assert b"zebra" not in log


def test_a_thumb_on_a_forgotten_decision_says_that_it_is_gone(stage: Stage) -> None:
    answer = whispered(stage)
    (decision,) = stage.decisions()
    stage.memory.forget_decision(decision.id)

    stage.play.press("mia", answer, act.ACTION_WORKED)
    stage.settle()

    assert any("can't find that decision any more" in told for told in stage.whispers("mia"))


def test_an_answer_shows_the_vote_and_its_taking_back_without_asking_the_model_again(stage: Stage) -> None:
    answer = whispered(stage, "lena")
    (asked,) = stage.memory.sessions.of_asker("U0LENA")

    stage.play.press("lena", answer, act.ACTION_FAILED)
    stage.settle()
    voted = stage.whispers("lena")[-1]
    stage.play.press("lena", stage.play.ephemerals("lena")[-1], act.ACTION_TAKE_BACK)
    stage.settle()

    assert "You said: it didn't work." in voted
    assert "👎 It didn't" in stage.whispers("lena")[-1]
    assert stage.memory.sessions.of_asker("U0LENA") == (asked,)


def test_what_came_of_a_decision_is_shown_as_it_is_after_each_vote(stage: Stage) -> None:
    stage.decided()
    stage.ask("noor", "search", WHY)
    noors, gus = stage.play.ephemerals("noor")[-1], stage.play.command("gus", "search", "/why", WHY)
    stage.settle()

    stage.play.press("noor", noors, act.ACTION_FAILED)
    stage.settle()
    alone = stage.whispers("noor")[-1]
    stage.play.press("gus", gus.responses[-1], act.ACTION_FAILED)
    stage.settle()
    second = stage.whispers("gus")[-1]
    stage.play.press("noor", stage.play.ephemerals("noor")[-1], act.ACTION_TAKE_BACK)
    stage.settle()

    assert "Since: 1 person says it didn't work" in alone
    assert "Since: didn't work, say Noor Aziz and Gus Lind" in second
    assert "Since: 1 person says it didn't work" in stage.whispers("noor")[-1]


def test_a_lone_voice_with_a_reason_is_heard_in_answers_and_thanked(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)

    stage.play.choose("raj", card, act.ACTION_CARD_MENU, "How did it go")
    stage.settle()
    stage.submit("U0RAJ", stage.play.views("raj")[-1], choice="failed", reason="it charged twice")

    assert stage.whispers("raj") == ["Noted: it didn't work."]
    assert "Since: 1 person says it didn't work" in stage.ask("mia", "search", WHY)


def test_a_guest_acts_on_the_card_of_a_channel_that_they_are_in(stage: Stage) -> None:
    ts = stage.decided()
    (card,) = stage.play.bot_messages("search", thread_ts=ts)

    stage.play.press("gus", card, act.ACTION_NOT_DECISION)
    stage.settle()
    stage.submit("U0GUEST", stage.play.views("gus")[-1])

    (removed,) = stage.screens("search", thread_ts=ts)
    assert removed.startswith("Removed by Gus")


def test_a_lone_vote_is_given_a_reason_where_it_was_given_and_counts(stage: Stage) -> None:
    answer = whispered(stage, "raj")
    stage.play.press("raj", answer, act.ACTION_FAILED)
    stage.settle()
    (before,) = stage.decisions()

    stage.play.press("raj", stage.play.ephemerals("raj")[-1], act.ACTION_SAY_WHY)
    stage.settle()
    stage.clock.advance(600)
    stage.submit("U0RAJ", stage.play.views("raj")[-1], choice="failed", reason="it charged twice")

    (after,) = stage.decisions()
    assert (before.voices.pending_failed, before.voices.failed) == (1, 0)
    assert (after.voices.pending_failed, after.voices.failed, after.voices.label) == (0, 1, None)
    assert stage.whispers("raj")[-1] == "Noted: it didn't work."
