"""A person's right to be forgotten: their words go, others' decisions stay without their name."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import EVERYTHING, Memory, Person, State, Trajectory, Verdict
from tests.builders_databases import held_in
from tests.builders_log import EXEC, LENA, NOW, OMAR, RAJ, admission, draft, memory_in, quote

CANARY = "zanzibar"
RUTH = Person(name="Ruth Canary", id="UCANARY")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return memory_in(tmp_path)


def grep(home: Path, *words: str) -> list[str]:
    """Return those of these words that a home's files or tables hold, whatever their case."""
    held = held_in(home).lower()
    return [word for word in words if word.lower().encode() in held]


def test_nothing_of_a_forgotten_person_is_left_in_any_file(memory: Memory) -> None:
    theirs = draft(
        f"Use the {CANARY} queue", evidence=(quote(f"we take {CANARY}", "C1/1.0", by=RUTH),), decided_by=(RUTH,)
    )
    both = draft("Search stays on Postgres", decided_by=(OMAR, RUTH), evidence=(
        quote("no second cluster", "C1/2.0", by=OMAR), quote(f"{CANARY} agrees too", "C1/2.1", by=RUTH)))  # fmt: skip
    alone = memory.admit(admission(theirs, anchor="C1/1.0", by=RUTH)).new[0]
    shared = memory.admit(admission(both, anchor="C1/2.0")).new[0]
    memory.observe_outcome(
        shared, voter=RUTH, verdict=Verdict.FAILED, counts=True, key="v1", reason=f"{CANARY} broke", scope=EXEC, at=NOW
    )
    memory.reject(
        node="", recommendation="", category="wrong", reason=f"{CANARY} again", role="", decision=shared, by=RUTH,
        scope=EXEC, key="r1",
    )  # fmt: skip
    asked = Trajectory(session="s1", question=f"why {CANARY}?", answer={}, asker_id=RUTH.id, asked_at=NOW)
    memory.sessions.record(asked)
    memory.members.put_person(RUTH.id, name=RUTH.name, kind="member", at=NOW)
    memory.inbox.insert("k1", "command", {"user": RUTH.id, "text": CANARY})

    forgotten = memory.forget_person(RUTH)

    assert set(forgotten.decisions) >= {alone, shared}
    assert (forgotten.quotes, forgotten.turns) == (2, ("C1/1.0", "C1/2.1"))
    memory.close()
    assert grep(memory.home, CANARY, RUTH.name, RUTH.id) == []


def test_what_others_decided_stays_with_its_other_deciders(memory: Memory) -> None:
    both = draft(decided_by=(OMAR, RUTH), evidence=(quote("no second cluster", "C1/2.0", by=OMAR),))
    shared = memory.admit(admission(both, by=RUTH)).new[0]

    memory.forget_person(RUTH)

    left = memory.decision(shared, EVERYTHING)
    assert left is not None
    assert (left.title, left.state, left.decided_by) == ("Search stays on Postgres", State.CURRENT, (OMAR,))
    assert [one.quote for one in left.evidence] == ["no second cluster"]


def test_a_decision_that_rested_on_their_words_alone_is_gone(memory: Memory) -> None:
    theirs = draft(evidence=(quote("I say so", "C1/1.0", by=RUTH),))
    alone = memory.admit(admission(theirs)).new[0]

    memory.forget_person(RUTH)

    left = memory.decision(alone, EVERYTHING)
    assert left is not None
    assert (left.title, left.state) == ("", State.RETRACTED)


def test_what_they_replaced_edited_and_confirmed_stays_so(memory: Memory) -> None:
    older = memory.admit(admission(draft("Search on Elastic"), anchor="C1/1.0")).new[0]
    newer = memory.admit(admission(draft("Search on Postgres"), anchor="C1/2.0", pointed=False)).new[0]
    memory.confirm(newer, by=RUTH)
    memory.supersede(newer, older, by=RUTH)
    worded = memory.revise(newer, draft("Search stays on Postgres"), by=RUTH)

    memory.forget_person(RUTH)

    states = {name: one.state for name in (older, newer, worded) if (one := memory.decision(name, EVERYTHING))}
    assert states == {older: State.SUPERSEDED, newer: State.SUPERSEDED, worded: State.CURRENT}
    found = memory.decision(worded, EVERYTHING)
    assert found is not None
    assert found.confirmed
    memory.close()
    assert grep(memory.home, RUTH.name, RUTH.id) == []


def test_the_log_verifies_and_replays_to_the_same_state_afterwards(memory: Memory) -> None:
    older = memory.admit(admission(draft("One", decided_by=(RUTH, LENA)), anchor="C1/1.0", by=RUTH)).new[0]
    newer = memory.admit(admission(draft("Two", decided_by=(RAJ,)), anchor="C1/2.0")).new[0]
    memory.supersede(newer, older, by=RUTH)
    memory.forget_person(RUTH)
    before = memory.digest(EVERYTHING)

    report = memory.verify()
    memory.rebuild()

    assert report.faults == ()
    assert memory.digest(EVERYTHING) == before
    assert memory.verify().clean


def test_another_machine_that_receives_the_log_holds_nothing_of_them_either(memory: Memory, tmp_path: Path) -> None:
    both = draft(f"Queue {CANARY}x", decided_by=(OMAR, RUTH), evidence=(
        quote("no second cluster", "C1/2.0", by=OMAR), quote(f"{CANARY} agrees too", "C1/2.1", by=RUTH)))  # fmt: skip
    older = memory.admit(admission(draft("One"), anchor="C1/1.0")).new[0]
    newer = memory.admit(admission(both, anchor="C1/2.0")).new[0]
    memory.supersede(newer, older, by=RUTH)
    other = memory_in(tmp_path / "other")
    other.receive(memory.envelopes())
    memory.forget_person(RUTH)

    other.receive(reversed(memory.envelopes()))

    assert other.digest(EVERYTHING) == memory.digest(EVERYTHING)
    assert other.verify().clean
    other.close()
    assert grep(other.home, RUTH.name, RUTH.id) == []


def test_a_person_whom_a_source_names_without_an_id_is_found_by_name(memory: Memory) -> None:
    named = draft(decided_by=(Person(name="ruth canary"), OMAR))
    kept = memory.admit(admission(named)).new[0]

    memory.forget_person(RUTH)

    left = memory.decision(kept, EVERYTHING)
    assert left is not None
    assert left.decided_by == (OMAR,)


def test_forgetting_twice_changes_nothing(memory: Memory) -> None:
    memory.admit(admission(draft(decided_by=(RUTH, OMAR), evidence=(quote("yes", "C1/1.0", by=RUTH),)), by=RUTH))
    memory.forget_person(RUTH)
    count = len(memory.envelopes())

    again = memory.forget_person(RUTH)

    assert (again.quotes, again.names, len(memory.envelopes())) == (0, 0, count)
