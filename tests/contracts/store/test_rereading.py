"""A thread that is read again: a person's wording stands unless the thread itself turns, and contraries never do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from store import PUBLIC, Alternative, Draft, Memory, Quote, State
from tests.builders_log import LENA, NOW, admission, draft, memory_in


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = memory_in(tmp_path)
    yield memory
    memory.close()


def said(words: str, minute: int) -> Quote:
    return Quote(quote=words, author="Lena", author_id="U1", at=NOW + timedelta(minutes=minute), turn_id=f"C1/{minute}")


STAYS = draft("Search stays on Postgres", evidence=(said("so search stays on postgres", 1),))
MOVES = draft("Search moves to Elasticsearch", evidence=(said("elastic it is after all", 9),))


def standing(memory: Memory) -> list[str]:
    return sorted(each.title for each in memory.decisions(PUBLIC, state=State.CURRENT))


def read(memory: Memory, *drafts: Draft, basis: str) -> None:
    memory.admit(admission(*drafts, anchor="C1/1", basis=basis))


def edited(memory: Memory, title: str = "Search is on Postgres till March") -> None:
    """Let somebody word anew what the thread decided at first."""
    first = memory.admit(admission(STAYS, anchor="C1/1")).new[0]
    memory.revise(first, draft(title), by=LENA)


def test_a_thread_that_turns_replaces_what_it_decided_before(memory: Memory) -> None:
    read(memory, STAYS, basis="1")

    again = memory.admit(admission(MOVES, anchor="C1/1", basis="2"))

    assert (len(again.revised), again.new) == (1, ())
    assert standing(memory) == ["Search moves to Elasticsearch"]


def test_a_thread_that_turns_replaces_a_persons_wording_too(memory: Memory) -> None:
    edited(memory)

    read(memory, MOVES, basis="2")

    assert standing(memory) == ["Search moves to Elasticsearch"]


def test_that_holds_where_the_new_reading_quotes_the_old_words_beside_the_new(memory: Memory) -> None:
    edited(memory)
    old = said("so search stays on postgres", 1)

    read(memory, draft("We go to Elasticsearch", evidence=(said("elastic it is after all", 9), old)), basis="2")

    assert standing(memory) == ["We go to Elasticsearch"]


def test_an_agreement_that_follows_leaves_a_persons_wording_alone(memory: Memory) -> None:
    edited(memory)

    read(memory, draft("Search stays on Postgres", evidence=(said("agreed, search stays on postgres", 9),)), basis="2")

    assert standing(memory) == ["Search is on Postgres till March"]


def test_a_reading_like_the_wording_before_an_edit_is_no_second_decision(memory: Memory) -> None:
    edited(memory, "We move everything to Elasticsearch")

    read(memory, draft("Search stays on Postgres then", evidence=(said("yes, postgres it stays", 9),)), basis="2")

    assert standing(memory) == ["We move everything to Elasticsearch"]


def test_a_second_decision_of_a_thread_stands_beside_the_first(memory: Memory) -> None:
    read(memory, STAYS, basis="1")

    read(memory, draft("Reindex every night", evidence=(said("and we reindex every night", 9),)), basis="2")

    assert standing(memory) == ["Reindex every night", "Search stays on Postgres"]


def test_of_two_contraries_that_one_reading_gives_the_later_stands(memory: Memory) -> None:
    edited(memory, "Search stays on Postgres")
    moves = draft(
        "Search moves to Elasticsearch",
        alternatives=(Alternative(option="stay on Postgres"),),
        elements=("service:search",),
        evidence=(said("no, search moves to elastic, not postgres", 9),),
    )

    again = memory.admit(admission(STAYS, moves, anchor="C1/1", basis="2"))

    assert len(again.revised) == 1
    assert standing(memory) == ["Search moves to Elasticsearch"]
    assert memory.verify().clean
