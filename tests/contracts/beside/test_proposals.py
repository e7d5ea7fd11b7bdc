"""Proposed pairs are asked about once, whichever way round they are named."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.builders_databases import beside_in

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


def test_a_pair_is_proposed_once_and_its_answer_outlives_a_restart(tmp_path: Path) -> None:
    first = beside_in(tmp_path)
    proposed = first.proposals.propose("b", "a", "replaces", NOW), first.proposals.propose("a", "b", "replaces", NOW)
    answered = first.proposals.answer("a", "b", "both", by="U1", at=NOW)
    first.close()

    again = beside_in(tmp_path)
    (kept,) = again.proposals.of(["b"])

    assert (proposed, answered) == ((True, False), True)
    assert (kept.newer, kept.older, kept.answer, kept.by) == ("b", "a", "both", "U1")
    assert again.proposals.of(["a"]) == ()
    assert again.proposals.between("a", "b") == kept
    assert again.proposals.about("a") == again.proposals.about("b") == (kept,)
    assert not again.proposals.propose("b", "a", "replaces", NOW)
    again.close()


def test_what_was_forgotten_is_in_no_pair_and_a_person_in_no_answer(tmp_path: Path) -> None:
    beside = beside_in(tmp_path)
    beside.proposals.propose("b", "a", "replaces", NOW)
    beside.proposals.propose("c", "b", "pulls against", NOW)
    beside.proposals.answer("c", "b", "both", by="U1", at=NOW)

    beside.proposals.forget_person("U1")
    beside.forget_decision("a")

    (left,) = beside.proposals.of(["b", "c"])
    assert (left.newer, left.by) == ("c", "")
    beside.clear()
    assert beside.proposals.of(["c"]) == ()
    beside.close()
