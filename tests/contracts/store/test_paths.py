"""A file's path finds what was decided on the elements that claim it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from store import EVERYTHING, PUBLIC, Draft, Memory, QuickMemory, Scope, Status
from tests.builders_log import EXEC, SEARCH, admission, draft, memory_in

RETRY = "services/payment/retry.py"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with closing(memory_in(tmp_path)) as opened:
        yield opened


def claiming(element: str, paths: str, *, day: int = 1, **fields: object) -> Draft:
    return draft(f"{element} owns {paths}", sets=((element, "paths", paths),), decided_on=date(2026, 3, day), **fields)


def put(memory: Memory, *drafts: Draft, scope: Scope = SEARCH) -> str:
    anchor = f"C1/{len(memory.decisions(EVERYTHING))}"
    return memory.admit(admission(*drafts, anchor=anchor, scope=scope)).new[0]


def claimed(memory: Memory, path: str, **asked: object) -> list[str]:
    return [one.element for one in memory.claims(path, PUBLIC, **asked)]  # type: ignore[arg-type]


def test_heads_history_and_list_answer_from_a_files_path(memory: Memory) -> None:
    put(memory, claiming("service:payment-api", "services/payment/**, libs/pay"))
    retries = draft("Payment retries back off", elements=("service:payment-api",))
    put(memory, retries)
    put(memory, draft("Search stays on Postgres", elements=("service:search",)))

    heads = memory.heads([f".\\{RETRY}"], PUBLIC)

    titles = ["Payment retries back off", "service:payment-api owns services/payment/**, libs/pay"]
    assert [(one.element, [each.title for each in one.decisions]) for one in heads] == [("service:payment-api", titles)]
    assert [one.title for one in memory.history("libs/pay/a.py", PUBLIC)] == titles[::-1]
    assert [one.title for one in memory.decisions(PUBLIC, element=RETRY)] == titles
    assert memory.heads(["services/search/a.py"], PUBLIC) == ()


@pytest.mark.sqlite_only
def test_the_quick_way_answers_from_a_path_as_the_engine_does(memory: Memory) -> None:
    put(memory, claiming("service:payment-api", "services/payment/**"))

    with closing(QuickMemory.open(memory.home) or pytest.fail("no memory")) as quick:
        views, claims = quick.heads([RETRY], PUBLIC), quick.claims(RETRY, PUBLIC)

    assert [one.element for one in views] == ["service:payment-api"]
    assert (views, claims) == (memory.heads([RETRY], PUBLIC), memory.claims(RETRY, PUBLIC))


def test_the_most_specific_claim_comes_first_and_equals_by_name(memory: Memory) -> None:
    for element, paths in (("repo:shop", "**"), ("b:two", "services/*/**"), ("team:pay", "services/payment/**"),
                           ("a:one", "services/*/**"), ("file:retry", RETRY)):  # fmt: skip
        put(memory, claiming(element, paths))

    views = memory.heads([RETRY], PUBLIC)

    assert [one.element for one in views] == ["file:retry", "team:pay", "a:one", "b:two", "repo:shop"]
    assert claimed(memory, RETRY) == [one.element for one in views]


def test_a_claim_that_one_cant_read_does_not_exist(memory: Memory) -> None:
    put(memory, claiming("service:secret", "services/**"), scope=EXEC)

    assert (memory.claims(RETRY, PUBLIC), memory.heads([RETRY], PUBLIC)) == ((), ())
    assert [one.element for one in memory.claims(RETRY, EVERYTHING)] == ["service:secret"]


def test_a_claim_stands_from_its_day_until_it_is_replaced_rejected_or_taken_back(memory: Memory) -> None:
    put(memory, claiming("service:pay", "services/payment/**", day=1))
    put(memory, claiming("service:pay", "moved/payment/**", day=5))
    put(memory, claiming("service:old", "services/**", day=2, status=Status.REJECTED))
    gone = put(memory, claiming("service:gone", "services/**", day=3))
    memory.forget_decision(gone)

    days = {day: claimed(memory, RETRY, as_of=date(2026, 3, day)) for day in (1, 4, 5)}

    assert days == {1: ["service:pay"], 4: ["service:pay"], 5: []}
    assert claimed(memory, "moved/payment/retry.py") == ["service:pay"]
    assert [one.element for one in memory.heads([RETRY], PUBLIC, as_of=date(2026, 3, 4))] == ["service:pay"]


def test_a_name_means_its_element_before_it_means_a_file(memory: Memory) -> None:
    put(memory, draft("Makefile goes", elements=("tool:makefile",)))
    put(memory, claiming("repo:shop", "**"))

    assert [one.element for one in memory.heads(["Makefile"], PUBLIC)] == ["tool:makefile"]
    assert [one.element for one in memory.heads(["./Makefile"], PUBLIC)] == ["repo:shop"]


def test_what_an_alias_claims_its_element_claims(memory: Memory) -> None:
    put(memory, claiming("PAPI", "services/payment/**"))
    put(memory, draft("Payment retries back off", elements=("service:payment-api",)))

    memory.resolve_mention("papi", "service:payment-api")

    assert [one.element for one in memory.heads([RETRY], PUBLIC)] == ["service:payment-api"]
    assert memory.verify().faults == ()
