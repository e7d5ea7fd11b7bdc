"""Recall through the memory's own door: both retrievals, for one reader, whatever the index does."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from store import (
    PUBLIC,
    Admission,
    Draft,
    Memory,
    Person,
    Place,
    Question,
    Quote,
    Reader,
    Recall,
    Scope,
    Status,
    Verdict,
)
from store.index.embedder import BundledEmbedder

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
LENA = Person(name="Lena", id="U1")
PUBLIC_SCOPE = Scope(id="channel:C1", open=True)
EXEC = Scope(id="channel:G1", open=False)
MEMBER = Reader(sees_open=True, scopes=frozenset({EXEC.id}))

Tell = Callable[..., str]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = Memory.open(tmp_path, clock=lambda: NOW, index="own")
    yield opened
    opened.close()


@pytest.fixture
def tell(memory: Memory) -> Tell:
    """Admit one decision of a place of its own and return its id."""
    told = iter(range(100))

    def admit(title: str, rationale: str = "", *, scope: Scope = PUBLIC_SCOPE, **fields: object) -> str:
        draft = Draft(title=title, rationale=rationale, evidence=(Quote(quote=f"ok: {title}"),), **fields)  # type: ignore[arg-type]  # a test's own fields
        admitted = memory.admit(
            Admission(
                place=Place(source="slack", anchor=f"{scope.id}/{next(told)}"),
                basis="1",
                scope=scope,
                drafts=(draft,),
                provenance="test",
                pointed=True,
            )
        )
        return admitted.new[0]

    return admit


def titles(recall: Recall) -> list[str]:
    return [each.decision.title for each in recall.ranked]


def test_a_paraphrase_finds_the_decision(memory: Memory, tell: Tell) -> None:
    tell("Secrets live in the parameter store", "No self-hosted Vault to look after")
    tell("Couriers are paid weekly", "They asked for it")
    memory.follow()

    recall = memory.recall(Question(text="where are passwords and credentials kept?"), PUBLIC)

    assert titles(recall)[0] == "Secrets live in the parameter store"
    assert not recall.words_only
    assert {reason.name for reason in recall.ranked[0].reasons} >= {"meaning"}


def test_what_nobody_decided_is_not_answered_and_the_nearest_is_named(memory: Memory, tell: Tell) -> None:
    tell("Couriers are paid weekly", "They asked for it")
    memory.follow()

    recall = memory.recall(Question(text="why did we pick Workday as the HR system?"), PUBLIC)

    assert recall.abstained
    assert recall.ranked == ()
    assert [each.decision.title for each in recall.nearest] == ["Couriers are paid weekly"]
    assert recall.order == recall.nearest


def test_a_private_decision_is_recalled_by_its_channel_alone(memory: Memory, tell: Tell) -> None:
    tell("Instant payouts cost 1.5 percent", "Finance wants it", scope=EXEC)
    memory.follow()
    asked = Question(text="how much do instant payouts cost?")

    inside, outside = memory.recall(asked, MEMBER), memory.recall(asked, PUBLIC)

    assert titles(inside) == ["Instant payouts cost 1.5 percent"]
    assert (outside.ranked, outside.nearest, outside.order, outside.candidates) == ((), (), (), 0)


def test_a_private_decision_changes_nothing_for_those_who_cannot_read_it(memory: Memory, tell: Tell) -> None:
    tell("Payouts run twice a week", "Banks charge per run")
    memory.follow()
    asked = Question(text="when do payouts run?")
    before = memory.recall(asked, PUBLIC)

    tell("Payouts for Lumo run daily", "They are big", scope=EXEC)
    memory.follow()
    after = memory.recall(asked, PUBLIC)

    assert titles(after) == titles(before)
    assert (after.candidates, after.abstained) == (before.candidates, before.abstained)


def test_a_private_successor_does_not_exist_for_others(memory: Memory, tell: Tell) -> None:
    old = tell("Payouts run twice a week")
    new = tell("Payouts run every day", scope=EXEC)
    memory.supersede(new, old, by=LENA)
    memory.follow()
    asked = Question(text="how often do payouts run?")

    assert titles(memory.recall(asked, PUBLIC)) == ["Payouts run twice a week"]
    assert titles(memory.recall(asked, MEMBER)) == ["Payouts run every day"]


def test_what_was_replaced_leads_to_what_holds_and_is_reached_when_asked_for(memory: Memory, tell: Tell) -> None:
    old = tell("Idempotency keys live in Redis with expiry", "cheap")
    new = tell("Keys are rows in Postgres by day", "Redis evicted them")
    memory.supersede(new, old, by=LENA)
    memory.follow()

    now = memory.recall(Question(text="do idempotency keys live in Redis with expiry?"), PUBLIC)
    then = memory.recall(Question(text="where did idempotency keys live before that, in Redis with expiry?"), PUBLIC)

    assert titles(now) == ["Keys are rows in Postgres by day"]
    assert titles(then)[0] == "Idempotency keys live in Redis with expiry"


def test_a_question_as_of_a_day_knows_nothing_later(memory: Memory, tell: Tell) -> None:
    old = tell("Payouts run weekly", decided_on=date(2026, 1, 10))
    new = tell("Payouts run daily", decided_on=date(2026, 6, 10))
    memory.supersede(new, old, by=LENA)
    memory.follow()

    recall = memory.recall(Question(text="how often do payouts run?", as_of=date(2026, 3, 1)), PUBLIC)

    assert titles(recall) == ["Payouts run weekly"]


def test_the_decisions_of_a_quarter_are_those_and_no_others(memory: Memory, tell: Tell) -> None:
    tell("Kafka keys are order ids", decided_on=date(2026, 8, 1))
    tell("Kafka messages are protobuf", decided_on=date(2026, 5, 1))
    memory.follow()

    recall = memory.recall(Question(text="what did we decide about Kafka last quarter?"), PUBLIC)

    assert [each.decision.title for each in recall.order] == ["Kafka keys are order ids"]


def test_failure_pushes_down_and_a_question_for_failures_lifts_it_again(memory: Memory, tell: Tell) -> None:
    failed = tell("Search retries three times", "simple")
    tell("Search retries back off", "kinder to the index")
    memory.observe_outcome(
        failed, voter=LENA, verdict=Verdict.FAILED, counts=True, key="v1", scope=PUBLIC_SCOPE, at=NOW
    )
    memory.follow()

    plain = memory.recall(Question(text="does search retry three times?"), PUBLIC)
    past = memory.recall(Question(text="did search retries three times ever fail?"), PUBLIC)

    assert titles(plain) == ["Search retries back off", "Search retries three times"]
    assert [each.cautionary for each in plain.ranked] == [False, True]
    assert titles(past)[0] == "Search retries three times"


def test_the_best_warning_takes_fifth_place_and_the_order_is_kept_without_it(memory: Memory, tell: Tell) -> None:
    for n in range(6):
        tell(f"Search timeout of index part {n} is two seconds", "slow answers are worse than none")
    tell("Search across regions", "timeout too long", status=Status.REJECTED)
    memory.follow()

    recall = memory.recall(Question(text="what is the search timeout of an index part?"), PUBLIC)

    assert [each.cautionary for each in recall.ranked] == [False, False, False, False, True]
    assert recall.ranked[4].decision.title == "Search across regions"
    assert not recall.order[4].cautionary


def test_one_decision_told_in_two_scopes_is_shown_once_to_those_who_read_both(memory: Memory, tell: Tell) -> None:
    public = tell("Payouts run twice a week")
    private = tell("Payouts run twice a week, Tuesday and Friday", scope=EXEC)
    memory.say_same(public, private, by=LENA)
    memory.follow()
    asked = Question(text="how often do payouts run?")

    inside, outside = memory.recall(asked, MEMBER), memory.recall(asked, PUBLIC)

    assert len(inside.ranked) == 1
    assert titles(outside) == ["Payouts run twice a week"]


def test_two_that_cannot_both_hold_are_named(memory: Memory, tell: Tell) -> None:
    one = tell("Search retries five times")
    other = tell("Search retries three times")
    memory.note_conflict(one, other, quotes=("five times", "three times"), by=LENA)
    memory.follow()

    recall = memory.recall(Question(text="how often does search retry?"), PUBLIC)

    assert recall.contested == (tuple(sorted((one, other))),)


def test_a_lost_index_leaves_words_and_says_so(memory: Memory, tell: Tell, tmp_path: Path) -> None:
    tell("Couriers are paid weekly", "They asked for it")
    memory.follow()
    memory.close()
    shutil.rmtree(tmp_path / "index")
    reader = Memory.open(tmp_path, clock=lambda: NOW, index="read")

    recall = reader.recall(Question(text="why are couriers paid weekly?"), PUBLIC)

    assert titles(recall) == ["Couriers are paid weekly"]
    assert recall.words_only
    reader.close()


def test_a_lost_index_comes_back_while_questions_are_asked(memory: Memory, tell: Tell, tmp_path: Path) -> None:
    tell("Couriers are paid weekly", "They asked for it")
    memory.follow()
    asked = Question(text="why are couriers paid weekly?")

    shutil.rmtree(tmp_path / "index", ignore_errors=True)

    end = time.monotonic() + 20
    recalls = [memory.recall(asked, PUBLIC)]
    while not _whole(recalls[-1]) and time.monotonic() < end:
        time.sleep(0.05)
        recalls.append(memory.recall(asked, PUBLIC))
    assert _whole(recalls[-1])
    assert all(titles(each) == ["Couriers are paid weekly"] for each in recalls)


def _whole(recall: Recall) -> bool:
    return not recall.words_only and any(reason.name == "meaning" for reason in recall.order[0].reasons)


def test_a_forgotten_decision_leaves_no_vector_in_any_file(memory: Memory, tell: Tell, tmp_path: Path) -> None:
    kept = tell("Couriers are paid weekly")
    gone = tell("Marta may not drive at night")
    memory.follow()
    vectors = BundledEmbedder().embed(["Marta may not drive at night", "Couriers are paid weekly"])
    written = _in_files(tmp_path / "index", [vector.tobytes() for vector in vectors])

    memory.forget_decision(gone)
    memory.follow()

    left = _in_files(tmp_path / "index", [vector.tobytes() for vector in vectors])
    assert (written, left) == ([True, True], [False, True])
    recall = memory.recall(Question(text="who may not drive at night?"), PUBLIC)
    assert {each.decision.id for each in recall.order} <= {kept}


def _in_files(folder: Path, vectors: list[bytes]) -> list[bool]:
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    return [any(vector in file for file in files) for vector in vectors]


def test_without_an_index_words_answer(tmp_path: Path, memory: Memory, tell: Tell) -> None:
    tell("Couriers are paid weekly", "They asked for it")
    other = Memory.open(tmp_path, clock=lambda: NOW, index="off")

    recall = other.recall(Question(text="why are couriers paid weekly?"), PUBLIC)

    assert titles(recall) == ["Couriers are paid weekly"]
    assert recall.words_only
    other.close()


@pytest.mark.parametrize(
    "text",
    ["", "???", "🙂" * 40, "なぜPostgresを選んだのですか", '"unbalanced OR NEAR( AND', "why " * 2_500, "the of and"],
    ids=["empty", "signs", "emoji", "japanese", "syntax", "long", "stop words"],
)
def test_any_text_can_be_asked(memory: Memory, tell: Tell, text: str) -> None:
    tell("Couriers are paid weekly", "They asked for it")
    memory.follow()

    recall = memory.recall(Question(text=text), PUBLIC)

    assert recall.ms >= 0


def test_what_replaced_a_decision_is_fetched_though_no_search_found_it(memory: Memory, tell: Tell) -> None:
    old = tell("Idempotency keys live in Redis with expiry")
    for n in range(70):
        tell(f"Idempotency keys of service {n} live in Redis with expiry too")
    new = tell("Zebra")
    memory.supersede(new, old, by=LENA)
    memory.follow()

    recall = memory.recall(Question(text="do idempotency keys live in Redis with expiry?"), PUBLIC)

    assert "Zebra" in [each.decision.title for each in recall.order]


def test_parts_can_be_left_out_to_show_what_they_are_worth(memory: Memory, tell: Tell) -> None:
    tell("Couriers are paid weekly", "They asked for it", decided_on=date(2026, 5, 1))
    memory.follow()
    asked = Question(text="what was decided on paying riders in July 2026?")

    whole = memory.recall(asked, PUBLIC)
    without = memory.recall(asked, PUBLIC, without=("window", "lexical", "floor", "warning", "heirs"))

    assert whole.order == ()
    assert [reason.name for reason in without.ranked[0].reasons] == ["meaning"]


def test_a_memory_of_nothing_abstains(memory: Memory) -> None:
    recall = memory.recall(Question(text="why Postgres?"), PUBLIC)

    assert recall.abstained
    assert recall.nearest == ()


def test_equal_decisions_stand_in_the_order_of_their_ids(memory: Memory, tell: Tell) -> None:
    ids = [tell("Money is an integer", decided_on=date(2026, 5, 1)) for _ in range(3)]
    memory.follow()

    recall = memory.recall(Question(text="is money an integer?"), PUBLIC)

    assert [each.decision.id for each in recall.order] == sorted(ids)
