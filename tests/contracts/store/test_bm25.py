"""Words are scored by what a reader may read, and just as FTS5 does it where that is a whole table."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import EVERYTHING, PUBLIC, Memory, Question, Reader, Scope
from store.core import bm25
from store.sql import counting
from store.sql.words import IndexedWords, Limits
from tests.builders_log import EXEC, admission, draft, memory_in

TOPICS = ("kafka", "postgres", "queue", "retries", "billing", "search", "cache", "mobile", "deploys", "logs")
FEW = Limits(scored=6, of_many=8, also_alone=2, counted=8)
"""So little that forty decisions are many."""


def forty(home: Path) -> Memory:
    memory = memory_in(home)
    for number in range(40):
        words = " ".join(TOPICS[: number % 10 + 1])
        title = f"{TOPICS[number % 10]} {TOPICS[number % 7]} number {number}"
        text = draft(title, rationale=words * (1 + number % 30))
        memory.admit(admission(text, anchor=f"C1/{number}"))
    return memory


@pytest.mark.sqlite_only
def test_who_reads_a_whole_table_gets_the_index_own_scores(tmp_path: Path) -> None:
    memory = forty(tmp_path)
    asked = ("kafka", "retries", "billing", "cache")

    with memory._reading() as rows:
        found = IndexedWords().find(rows, asked, PUBLIC, limit=40)
        texts = [tuple(row.values()) for row in rows("SELECT rowid AS n, * FROM decisions_fts", {})]
        ids = {row["n"]: row["id"] for row in rows("SELECT n, id FROM decisions", {})}
    counts = counting.counted(texts, asked)
    average = sum(each.size for each in counts) / len(counts)
    anew = bm25.scored(counts, found.often, documents=len(counts), average=average)

    assert found.documents == len(counts) == 40
    assert dict(found.scored) == pytest.approx({ids[int(n)]: score for n, score in anew if score}, abs=1e-6)


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


@pytest.mark.sqlite_only
def test_who_holds_a_closed_scope_counts_it_and_no_other(tmp_path: Path) -> None:
    memory = forty(tmp_path)
    for number, scope in enumerate([EXEC, EXEC, Scope(id="channel:OTHER", open=False)]):
        memory.admit(admission(draft(f"kafka behind a door {number}"), anchor=f"X/{number}", scope=scope))

    with memory._reading() as rows:
        found = {
            name: IndexedWords().find(rows, ("kafka", "door"), reader, limit=60)
            for name, reader in {
                "public": PUBLIC,
                "exec": Reader(sees_open=True, scopes=frozenset({EXEC.id})),
                "guest": Reader(sees_open=False, scopes=frozenset({EXEC.id})),
                "nobody": Reader(sees_open=False),
                "all": EVERYTHING,
            }.items()
        }

    assert {name: (each.documents, each.often["door"]) for name, each in found.items()} == {
        "public": (40, 0),
        "exec": (42, 2),
        "guest": (2, 2),
        "nobody": (0, 0),
        "all": (43, 3),
    }
    assert len(found["exec"].scored) == len(found["public"].scored) + 2
    assert len(found["guest"].scored) == 2


@pytest.mark.sqlite_only
def test_where_a_word_stands_in_too_many_the_best_are_found_by_the_others(tmp_path: Path) -> None:
    memory = forty(tmp_path)
    memory.admit(admission(draft("zookeeper beside kafka", rationale="kafka needs it"), anchor="C1/99"))

    with memory._reading() as rows:
        found = {
            words: (
                IndexedWords(FEW).find(rows, words, PUBLIC, limit=5),
                IndexedWords().find(rows, words, PUBLIC, limit=5),
            )
            for words in [("kafka", "zookeeper"), ("kafka", "postgres", "queue"), ("kafka",)]
        }

    for few, every in found.values():
        assert len(few.scored) == 5
        assert few.often == pytest.approx(every.often, rel=0.5)
    few, every = found["kafka", "zookeeper"]
    assert few.scored[0][0] == every.scored[0][0]


@pytest.mark.sqlite_only
def test_what_is_estimated_of_many_rests_on_what_the_reader_may_read(tmp_path: Path) -> None:
    alone, beside = forty(tmp_path / "alone"), forty(tmp_path / "beside")
    for number in range(30):
        beside.admit(admission(draft(f"kafka, zookeeper {number}"), anchor=f"X/{number}", scope=EXEC))

    found = []
    for memory in (alone, beside):
        with memory._reading() as rows:
            found.append(IndexedWords(FEW).find(rows, ("kafka", "zookeeper", "queue"), PUBLIC, limit=5))

    assert found[0] == found[1]
