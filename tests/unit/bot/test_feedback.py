"""What a vote means: whose counts, from when on, and what the answer may then say."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot import feedback
from bot.errors import WrongInput
from bot.slack.layout.surface import outcome_words
from store import NOBODY, PUBLIC, Admission, DecisionId, Draft, Memory, Person, Place, Scope, Verdict, Voices

START = datetime(2026, 11, 1, 9, tzinfo=UTC)
SEARCH = Scope(id="channel:C1", open=True)
LENA = Person(name="Lena", id="ULENA")
OMAR = Person(name="Omar", id="UOMAR")
RAJ = Person(name="Raj", id="URAJ")
NOOR = Person(name="Noor", id="UNOOR")
WORKED, FAILED = Verdict.WORKED, Verdict.FAILED


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = Memory.open(tmp_path, index="off")
    yield opened
    opened.close()


@pytest.fixture
def kept(memory: Memory) -> DecisionId:
    """Search stays on Postgres, decided by Lena and by an Ana of whom no id is known."""
    draft = Draft(title="Search stays on Postgres", decided_by=(LENA, Person(name="Ana")))
    place = Place(source="slack", anchor="C1/1700000000.000100")
    admission = Admission(place=place, basis="1", scope=SEARCH, drafts=(draft,), provenance="rules-1", pointed=True)
    return memory.admit(admission).decisions[0].id


def vote(
    memory: Memory, decision: str, voter: Person, verdict: Verdict, minute: int = 0, **more: Any
) -> feedback.Voted:
    at = START + timedelta(minutes=minute)
    voted = feedback.vote(
        memory, decision, voter, verdict, reader=PUBLIC, occasion=f"{voter.id}-{minute}", at=at, **more
    )
    assert voted is not None
    return voted


def test_a_deciders_vote_counts_at_once(memory: Memory, kept: DecisionId) -> None:
    voted = vote(memory, kept, LENA, FAILED)

    assert voted.counted
    assert voted.voices == Voices(failed=1, label=FAILED)


def test_one_outsiders_bare_vote_changes_no_label(memory: Memory, kept: DecisionId) -> None:
    voted = vote(memory, kept, RAJ, FAILED)

    assert not voted.counted
    assert voted.voices.label is None
    assert outcome_words(voted.decision) == ("1 person says it didn't work",)


def test_an_outsiders_vote_counts_from_the_second_person_on(memory: Memory, kept: DecisionId) -> None:
    vote(memory, kept, RAJ, FAILED)

    voted = vote(memory, kept, NOOR, FAILED)

    assert voted.counted
    assert voted.voices == Voices(failed=2, label=FAILED)


def test_an_outsiders_reason_makes_the_vote_count_but_not_the_label(memory: Memory, kept: DecisionId) -> None:
    voted = vote(memory, kept, RAJ, FAILED, reason="charged twice")

    assert voted.counted
    assert voted.voices == Voices(failed=1)


def test_a_follow_ups_vote_counts_at_once(memory: Memory, kept: DecisionId) -> None:
    assert vote(memory, kept, RAJ, WORKED, follow_up=True).voices == Voices(worked=1, label=WORKED)


def test_a_person_has_one_vote_and_the_latest_stands(memory: Memory, kept: DecisionId) -> None:
    vote(memory, kept, LENA, WORKED, 0)
    vote(memory, kept, LENA, FAILED, 1)

    voted = vote(memory, kept, LENA, WORKED, 2)

    assert voted.changed
    assert voted.voices == Voices(worked=1, label=WORKED)


def test_a_vote_delivered_twice_is_one(memory: Memory, kept: DecisionId) -> None:
    vote(memory, kept, LENA, WORKED)

    again = vote(memory, kept, LENA, WORKED)

    assert not again.changed
    assert len(memory.votes(kept, PUBLIC)) == 1


def test_an_old_vote_that_arrives_late_does_not_undo_a_younger_one(memory: Memory, kept: DecisionId) -> None:
    vote(memory, kept, LENA, FAILED, 5)

    late = vote(memory, kept, LENA, WORKED, 1)

    assert not late.changed
    assert late.voices.label is FAILED


def test_a_vote_is_taken_back(memory: Memory, kept: DecisionId) -> None:
    vote(memory, kept, LENA, FAILED, 0)

    taken = feedback.withdraw(memory, kept, LENA, reader=PUBLIC, occasion="x", at=START + timedelta(minutes=1))

    assert taken
    assert memory.votes(kept, PUBLIC) == ()
    assert not feedback.withdraw(memory, kept, LENA, reader=PUBLIC, occasion="y")


def test_taking_back_an_older_vote_leaves_the_younger_one(memory: Memory, kept: DecisionId) -> None:
    vote(memory, kept, LENA, FAILED, 5)

    taken = feedback.withdraw(memory, kept, LENA, reader=PUBLIC, occasion="x", at=START)

    assert not taken
    assert len(memory.votes(kept, PUBLIC)) == 1


def test_who_cannot_read_a_decision_has_no_vote_on_it(memory: Memory, kept: DecisionId) -> None:
    voted = feedback.vote(memory, kept, LENA, FAILED, reader=NOBODY, occasion="x", at=START)

    assert voted is None
    assert not feedback.withdraw(memory, kept, LENA, reader=NOBODY, occasion="x")
    assert memory.votes(kept, PUBLIC) == ()


def test_a_wrong_answer_is_no_outcome(memory: Memory, kept: DecisionId) -> None:
    noted = feedback.wrong_answer(
        memory, category="outdated", by=RAJ, scope=SEARCH, occasion="x", recommendation="Search stays", decision=kept
    )

    assert noted
    assert memory.votes(kept, PUBLIC) == ()


def test_a_wrong_answer_delivered_twice_is_one(memory: Memory) -> None:
    said: dict[str, Any] = {"category": "wrong", "by": RAJ, "scope": SEARCH, "occasion": "x", "recommendation": "r"}
    feedback.wrong_answer(memory, **said)

    assert not feedback.wrong_answer(memory, **said)


def test_an_unknown_category_is_refused(memory: Memory) -> None:
    with pytest.raises(WrongInput, match="'rude' is none of"):
        feedback.wrong_answer(memory, category="rude", by=RAJ, scope=SEARCH, occasion="x", recommendation="r")


@pytest.mark.parametrize(
    ("person", "decided"),
    [(LENA, True), (Person(name="Lena", id="UOTHER"), False), (Person(name="ana", id="UANA"), True),
     (Person(name="", id="UX"), False)],
)  # fmt: skip
def test_a_decider_is_known_by_id_and_by_name_only_where_there_is_none(
    memory: Memory, kept: DecisionId, person: Person, decided: bool
) -> None:
    found = memory.decision(kept, PUBLIC)

    assert found is not None
    assert feedback.is_decider(found, person) is decided


def test_nobody_votes_on_what_was_forgotten(memory: Memory, kept: DecisionId) -> None:
    memory.forget_decision(kept)

    voted = feedback.vote(memory, kept, LENA, WORKED, reader=PUBLIC, occasion="late", at=START)

    assert voted is None
    assert memory.votes(kept, PUBLIC) == ()
