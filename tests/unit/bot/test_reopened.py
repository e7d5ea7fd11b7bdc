"""An answer opened again shows only what its reader may still read."""

from dataclasses import replace
from typing import Any

import pytest

from bot.answer_shape import answer_json
from bot.ports import Answer, Recommendation
from bot.slack.answering.reopened import reopened
from store import Decision, State, Trajectory, Verdict, Voices
from tests.builders_messages import MEMBER, WHEN, contested, decision, nothing, sure, waiting

STEP = Recommendation(title="t", action="a", description="d", action_type="follow", citations=(1,))


def session(answer: Answer) -> Trajectory:
    return Trajectory(
        session=answer.session, question=answer.question, answer=answer_json(answer), asker_id="U1", asked_at=WHEN
    )


def known(*answers: Answer) -> dict[str, Decision]:
    lines = [line for answer in answers for line in (*answer.evidence, *answer.nearest, *answer.unconfirmed)]
    return {line.decision.id: line.decision for line in lines}


@pytest.mark.parametrize(
    "answer", [sure(recommendations=(STEP,)), sure(unconfirmed=(waiting(),)), contested(), nothing()]
)
def test_an_answer_comes_back_as_it_was_but_for_what_came_of_it(answer: Answer) -> None:
    found = reopened(session(answer), MEMBER, known(answer).get)

    said = "worked, say Lena and 2 others. "
    assert found == replace(
        answer, claims=tuple(replace(claim, text=claim.text.removeprefix(said)) for claim in answer.claims)
    )


def test_a_claim_on_what_is_closed_to_them_now_goes() -> None:
    answer = contested()
    closed = answer.evidence[2].decision.id

    found = reopened(session(answer), MEMBER, {**known(answer), closed: None}.get)

    assert found is not None
    assert [claim.citations for claim in found.claims] == [(1, 2), (1,), (2,)]
    assert {line.n for line in found.evidence} == {1, 2}


def test_with_its_headline_gone_nothing_is_recorded_for_them() -> None:
    found = reopened(session(sure()), MEMBER, lambda _: None)

    assert found is not None
    assert (found.shape, found.claims, found.evidence, found.main) == ("nothing", (), (), None)


def test_a_removed_decision_is_shown_no_more() -> None:
    found = reopened(session(sure()), MEMBER, lambda _: decision(state=State.RETRACTED))

    assert found is not None
    assert found.shape == "nothing"


def test_what_came_of_it_is_read_anew() -> None:
    failed = decision(voices=Voices(failed=2, label=Verdict.FAILED))

    found = reopened(session(sure()), MEMBER, lambda _: failed)

    assert found is not None
    assert found.main_outcome is Verdict.FAILED


@pytest.mark.parametrize("document", [None, {}, {"evidence": [{}]}, {"evidence": 7}])
def test_a_record_without_its_text_is_not_reopened(document: Any) -> None:
    assert reopened(replace(session(sure()), answer=document), MEMBER, known(sure()).get) is None
