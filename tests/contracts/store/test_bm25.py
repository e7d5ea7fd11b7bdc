"""Words are scored by what a reader may read, and just as FTS5 does it where that is everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import EVERYTHING, PUBLIC, Question, Reader
from store.sql import bm25, lexical, queries
from tests.builders_log import EXEC, admission, draft, memory_in

TOPICS = ("kafka", "postgres", "queue", "retries", "billing", "search", "cache", "mobile", "deploys", "logs")


def test_who_reads_everything_gets_the_index_own_scores(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    for number in range(40):
        words = " ".join(TOPICS[: number % 10 + 1])
        title = f"{TOPICS[number % 10]} {TOPICS[number % 7]} number {number}"
        memory.admit(admission(draft(title, rationale=words * (1 + number % 30)), anchor=f"C1/{number}"))

    with memory._reading() as rows:
        own = bm25.readable_collection(rows, EVERYTHING)
        expression = lexical.match_expression("kafka retries billing cache")
        found = queries.lexical_search(rows, expression, lexical.WEIGHTS, EVERYTHING, limit=100)
        often = {
            word: int(rows(bm25.HOLDING, {"expression": word})[0]["found"])
            for word in ("kafka", "retries", "billing", "cache")
        }
        scored = dict(bm25.scores(rows, [id for id, _ in found], often, own))

    assert own.documents == 40
    assert scored == pytest.approx(dict(found), abs=1e-6)


def test_what_was_said_elsewhere_changes_no_score(tmp_path: Path) -> None:
    alone, beside = memory_in(tmp_path / "alone"), memory_in(tmp_path / "beside")
    for number, topic in enumerate(TOPICS):
        for memory in (alone, beside):
            memory.admit(admission(draft(f"{topic} stays as it is", rationale=f"{topic} works"), anchor=f"C1/{number}"))
        beside.admit(admission(draft(f"kafka goes, {topic}", text="kafka " * 40), anchor=f"X/{number}", scope=EXEC))

    reasons = [
        [
            (one.decision.title, one.score, one.reasons)
            for one in memory.recall(Question(text="kafka, why?"), reader).order
        ]
        for memory in (alone, beside)
        for reader in (PUBLIC, Reader(sees_open=True, scopes=frozenset({"channel:OTHER"})))
    ]

    assert reasons[0]
    assert reasons == [reasons[0]] * 4
    alone.close()
    beside.close()
