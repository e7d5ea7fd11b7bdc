"""What people say of decisions can be taken back: that one replaces another, an edit, a confirmation, a conflict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import PUBLIC, Memory, State
from tests.builders_databases import quick_in
from tests.builders_log import LENA, OMAR, RAJ, admission, draft, memory_in, quote, setting


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = memory_in(tmp_path)
    yield memory
    memory.close()


def two(memory: Memory) -> tuple[str, str]:
    """Record two decisions of two threads and return them, the older first."""
    older = memory.admit(admission(draft("Stay on pg"), anchor="C1/1")).new[0]
    return older, memory.admit(admission(draft("Move to elastic"), anchor="C1/2")).new[0]


def state(memory: Memory, decision: str) -> State:
    found = memory.decision(decision, PUBLIC)
    assert found is not None
    return found.state


def test_a_replacement_is_taken_back_and_said_again(memory: Memory) -> None:
    older, newer = two(memory)
    memory.supersede(newer, older, by=LENA)

    taken_back = memory.withdraw_supersession(newer, older, by=OMAR)
    then, twice = state(memory, older), memory.withdraw_supersession(newer, older, by=OMAR)
    again = memory.supersede(newer, older, by=LENA)

    assert (taken_back, then, twice) == (True, State.CURRENT, False)
    assert (again, state(memory, older), memory.supersede(newer, older, by=LENA)) == (True, State.SUPERSEDED, False)
    assert memory.verify().clean


def test_the_other_way_round_counts_once_the_first_is_taken_back(memory: Memory) -> None:
    older, newer = two(memory)
    memory.supersede(newer, older, by=LENA)
    memory.supersede(older, newer, by=OMAR)  # closes a cycle, so it doesn't count

    memory.withdraw_supersession(newer, older, by=OMAR)

    assert (state(memory, older), state(memory, newer)) == (State.CURRENT, State.SUPERSEDED)
    assert memory.verify().clean


def test_the_wording_before_an_edit_comes_back_and_outlives_a_new_reading(memory: Memory) -> None:
    words = (quote("then we stay on pg", "C1/1.1"),)
    first = memory.admit(admission(draft("Stay on pg", evidence=words))).new[0]
    edit = memory.revise(first, draft("Search stays on Postgres"), by=LENA)

    back = memory.unrevise(edit, by=OMAR)
    again = memory.admit(admission(draft("Stay on pg", evidence=words), basis="2"))

    assert (back, again.unchanged) == (first, (first,))
    assert [each.title for each in memory.decisions(PUBLIC, state=State.CURRENT)] == ["Stay on pg"]
    assert memory.unrevise(first, by=OMAR) is None
    assert memory.verify().clean


def test_an_edit_that_was_undone_can_be_made_again(memory: Memory) -> None:
    first = memory.admit(admission(draft("A"))).new[0]
    edit = memory.revise(first, draft("B"), by=LENA)
    memory.unrevise(edit, by=OMAR)

    again = memory.revise(first, draft("B"), by=LENA)

    assert again != edit
    assert [each.title for each in memory.decisions(PUBLIC, state=State.CURRENT)] == ["B"]


def test_what_a_model_revised_is_no_edit_to_undo(memory: Memory) -> None:
    words = (quote("then we stay on pg", "C1/1.1"),)
    memory.admit(admission(draft("Stay on pg", evidence=words)))
    revised = memory.admit(admission(draft("Search stays on Postgres", evidence=words), basis="2")).revised[0]

    assert memory.unrevise(revised, by=LENA) is None


def test_a_confirmation_is_taken_back_and_given_again(memory: Memory) -> None:
    id_ = memory.admit(admission(draft(confidence=60), pointed=False)).new[0]
    memory.confirm(id_, by=LENA)

    taken_back = memory.withdraw_confirmation(id_, by=OMAR)

    found = memory.decision(id_, PUBLIC)
    assert found is not None
    assert (taken_back, found.confirmed, memory.withdraw_confirmation(id_, by=OMAR)) == (True, False, False)
    assert memory.confirm(id_, by=LENA)


def test_two_that_both_apply_are_no_conflict_until_somebody_contests_them_again(memory: Memory, tmp_path: Path) -> None:
    one, other = two(memory)
    memory.note_conflict(one, other, quotes=("pg", "elastic"), by=LENA)

    settled = memory.settle_conflict(other, one, by=OMAR)
    none, twice = memory.conflicts(PUBLIC), memory.settle_conflict(one, other, by=OMAR)
    quick = quick_in(tmp_path)
    assert quick is not None
    quickly = quick.conflicts(PUBLIC)
    quick.close()
    memory.note_conflict(one, other, quotes=("pg", "elastic"), by=LENA)

    assert (settled, none, quickly, twice) == (True, (), (), False)
    assert len(memory.conflicts(PUBLIC)) == 1
    assert memory.verify().clean


def test_two_values_of_a_property_may_both_apply(memory: Memory) -> None:
    one = memory.admit(admission(setting("3", day=1), anchor="C1/1")).new[0]
    other = memory.admit(admission(setting("5", day=2), anchor="C1/2")).new[0]
    memory.withdraw_supersession(other, one, by=LENA)
    before = len(memory.conflicts(PUBLIC))

    memory.settle_conflict(one, other, by=LENA)

    assert (before, memory.conflicts(PUBLIC)) == (1, ())


def test_what_nobody_confirmed_is_in_no_conflict(memory: Memory) -> None:
    one, other = two(memory)
    memory.note_conflict(one, other, quotes=("pg", "elastic"), by=LENA)

    memory.withdraw_confirmation(one, by=LENA)

    assert memory.conflicts(PUBLIC) == ()


def test_what_was_taken_back_stays_so_when_whoever_had_said_it_is_forgotten(memory: Memory) -> None:
    older, newer = two(memory)
    memory.supersede(newer, older, by=RAJ)
    memory.withdraw_supersession(newer, older, by=OMAR)

    memory.forget_person(RAJ)

    assert state(memory, older) is State.CURRENT
    assert memory.verify().clean
