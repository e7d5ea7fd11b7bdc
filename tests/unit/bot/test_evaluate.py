"""Figures over questions whose answers are known, on a memory that answers as told."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import pytest

from bot.errors import WrongInput
from bot.evaluate import evaluate
from store import (
    EVERYTHING,
    NOBODY,
    PUBLIC,
    WORKSPACE,
    Decision,
    DecisionId,
    Place,
    Question,
    Ranked,
    Reader,
    Recall,
    State,
    Status,
)


def decision(ref: str) -> Decision:
    return Decision(
        id=DecisionId(f"id-{ref}"),
        title=ref,
        place=Place(source="file", anchor=f"anchor-{ref}", ref=ref),
        scope=WORKSPACE,
        status=Status.ACCEPTED,
        state=State.CURRENT,
        confirmed=True,
        recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


@dataclass
class Told:
    """A memory that finds what it was told for a question, best first, or abstains."""

    orders: dict[str, list[str]]
    abstains: frozenset[str] = frozenset()
    asked: list[tuple[Question, Reader, frozenset[str]]] = field(default_factory=list)

    def recall(self, question: Question, reader: Reader, *, without: Collection[str] = ()) -> Recall:
        self.asked.append((question, reader, frozenset(without)))
        order = tuple(Ranked(decision=decision(ref), score=1.0) for ref in self.orders.get(question.text, []))
        quiet = question.text in self.abstains
        return Recall(
            ranked=() if quiet else order[:5], nearest=order[:5] if quiet else (), order=order, abstained=quiet
        )


def line(id: str, *expect: object, **more: object) -> str:
    return json.dumps({"id": id, "question": id, "expect": list(expect), **more})


def test_a_question_counts_at_the_rank_of_the_first_expected_one() -> None:
    memory = Told({"q1": ["a", "b"], "q2": ["x", "y", "b"], "q3": ["x"]})

    report = evaluate(memory, [line("q1", "a"), line("q2", "c", "b"), line("q3", "a")])

    assert report["recall@1"] == pytest.approx(1 / 3, abs=1e-4)
    assert report["recall@5"] == pytest.approx(2 / 3, abs=1e-4)
    assert report["mrr"] == pytest.approx((1 + 1 / 3) / 3, abs=1e-4)
    assert [each["rank"] for each in report["per_question"]] == [1, 3, None]


def test_ten_deep_counts_for_recall_at_ten_alone() -> None:
    memory = Told({"q": [f"x{n}" for n in range(9)] + ["a"]})

    report = evaluate(memory, [line("q", "a")])

    assert (report["recall@5"], report["recall@10"], report["ndcg@5"]) == (0.0, 1.0, 0.0)


def test_gain_counts_every_expected_one() -> None:
    memory = Told({"q": ["a", "x", "b"]})

    report = evaluate(memory, [line("q", "a", "b")])

    assert report["ndcg@5"] == pytest.approx(1.5 / (1 + 1 / math.log2(3)), abs=1e-4)


@pytest.mark.parametrize("name", ["a", "id-a", {"source": "file", "anchor": "anchor-a"}])
def test_refs_ids_and_places_all_name_a_decision(name: object) -> None:
    report = evaluate(Told({"q": ["a"]}), [line("q", name)])

    assert report["recall@1"] == 1.0


def test_abstention_has_precision_recall_and_what_is_still_answered() -> None:
    memory = Told({"q1": ["a"], "q2": ["a"], "q3": ["x"], "q4": []}, abstains=frozenset({"q2", "q4"}))
    lines = [line("q1", "a"), line("q2", "a"), line("q3", unanswerable=True), line("q4", unanswerable=True)]

    report = evaluate(memory, lines)

    assert report["abstention"] == {"precision": 0.5, "recall": 0.5, "answered": 0.5}


def test_recall_is_measured_where_the_memory_abstained_too() -> None:
    report = evaluate(Told({"q": ["a"]}, abstains=frozenset({"q"})), [line("q", "a")])

    assert report["recall@1"] == 1.0
    assert report["per_question"][0]["abstained"] is True


def test_what_must_not_be_shown_is_counted_once_wherever_it_is_seen() -> None:
    memory = Told({"q1": ["a", "secret"], "q2": ["secret"]}, abstains=frozenset({"q2"}))

    report = evaluate(memory, [line("q1", "a", must_not_show=["secret"]), line("q2", must_not_show=["secret"])])

    assert report["leaks"] == 2


def test_a_line_asks_as_its_reader_and_as_of_its_day() -> None:
    memory = Told({})
    lines = [line("q1"), line("q2", reader="all", as_of="2026-03-01"), line("q3", reader="U1")]

    evaluate(memory, lines, readers=lambda name: NOBODY, without={"dense"})

    assert [reader for _, reader, _ in memory.asked] == [PUBLIC, EVERYTHING, NOBODY]
    assert [question.as_of for question, _, _ in memory.asked] == [None, date(2026, 3, 1), None]
    assert {without for _, _, without in memory.asked} == {frozenset({"dense"})}


@pytest.mark.parametrize(
    ("broken", "rule"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"id": ' + "9" * 5000 + "}", "a number of thousands of digits"),
        ('{"question": "q", "expect": []}', "id: missing"),
        ('{"id": "q", "question": " ", "expect": []}', "question: missing"),
        ('{"id": "q", "question": "q"}', "expect: missing"),
        ('{"id": "q", "question": "q", "expect": [7]}', "expect: each must be"),
        ('{"id": "q", "question": "q", "expect": [{"source": "slack"}]}', "expect: each must be"),
        ('{"id": "q", "question": "q", "expect": ["a"], "unanswerable": true}', "yet it expects"),
        ('{"id": "q", "question": "q", "expect": [], "unanswerable": "no"}', "unanswerable: neither"),
        ('{"id": "q", "question": "q", "expect": [], "as_of": "2026-02-30"}', "as_of: '2026-02-30' is not a date"),
        ('{"id": "q", "question": "q", "expect": [], "reader": 7}', "reader: not a text"),
        ('{"id": "q", "question": "q", "expect": [], "reader": "U9"}', "reader: nobody called U9"),
        ('{"id": "good", "question": "q", "expect": []}', "id: 'good' stands on an earlier line"),
    ],
)
def test_a_broken_line_is_named_by_number_and_rule_and_the_others_count(broken: str, rule: str) -> None:
    def readers(name: str) -> Reader:
        raise WrongInput(f"nobody called {name} is known")

    report = evaluate(Told({"good": ["a"]}), [line("good", "a"), "", broken], readers=readers)

    assert report["questions"] == 1
    assert [each["line"] for each in report["broken"]] == [3]
    assert rule in report["broken"][0]["rule"]


def test_the_document_has_its_promised_fields() -> None:
    report = evaluate(Told({"q": ["a"]}), [line("q", "a")])

    assert set(report) == {
        *("questions", "recall@1", "recall@5", "recall@10", "mrr", "ndcg@5", "abstention", "leaks"),
        *("citation_validity", "p50_ms", "p95_ms", "per_question", "broken"),
    }
    assert report["per_question"] == [{"id": "q", "rank": 1, "abstained": False, "ids": ["a"]}]


def test_nothing_asked_gives_zeros() -> None:
    report: dict[str, Any] = evaluate(Told({}), [])

    assert (report["questions"], report["recall@5"], report["p95_ms"]) == (0, 0.0, 0.0)


def test_progress_counts_questions() -> None:
    told: list[int] = []

    evaluate(Told({}), [line("q1"), line("q2")], progress=told.append)

    assert told == [1, 2]


def test_a_part_that_does_not_exist_cannot_be_left_out() -> None:
    with pytest.raises(WrongInput, match="magic: no part"):
        evaluate(Told({}), [line("q")], without={"magic"})


def test_without_a_directory_only_public_and_all_are_readers() -> None:
    report = evaluate(Told({}), [line("q", reader="U1")])

    assert report["broken"] == [{"line": 1, "rule": "reader: nobody called 'U1' is known here"}]
