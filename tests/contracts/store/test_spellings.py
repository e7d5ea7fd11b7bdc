"""Whatever people call an element, a property or a relation, each is one; a decision goes in whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from store import PUBLIC, Draft, Memory, State
from tests.builders_log import admission, draft, memory_in

SPELLINGS = ("service:Café API", "Service : cafe\u0301  api", "\u00a0SERVICE:CAFÉ\tAPI ")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with closing(memory_in(tmp_path)) as opened:
        yield opened


def put(memory: Memory, day: int, **fields: object) -> str:
    proposed: Draft = draft(f"Decision {day}", decided_on=date(2026, 3, day), **fields)
    return memory.admit(admission(proposed, anchor=f"C1/{day}")).new[0]


def test_spellings_of_one_property_of_one_element_replace_each_other(memory: Memory) -> None:
    for day, (element, name) in enumerate(
        zip(SPELLINGS, ("Retry Policy", "retry  policy", "RETRY POLICY"), strict=True)
    ):
        put(memory, day + 1, sets=((element, name, str(day)),))

    views = [memory.heads([each], PUBLIC) for each in (*SPELLINGS, "café api")]

    assert all(view == views[0] for view in views)
    assert [each.properties for each in views[0]] == [(("RETRY POLICY", "2", views[0][0].decisions[0].id),)]
    assert [one.state for one in memory.decisions(PUBLIC)] == [State.CURRENT, State.SUPERSEDED, State.SUPERSEDED]
    assert memory.conflicts(PUBLIC) == ()


def test_a_link_is_ended_in_another_spelling_and_under_another_name_of_its_element(memory: Memory) -> None:
    put(memory, 1, links=((SPELLINGS[0], "Depends  On", "db:Main"), ("CAFAPI", "reads", "db:main")))
    put(memory, 2, elements=(SPELLINGS[0],))
    memory.resolve_mention("cafapi", SPELLINGS[1])
    before = memory.heads([SPELLINGS[0]], PUBLIC)[0].links

    put(memory, 3, unlinks=((SPELLINGS[1], "depends on", "DB : main"), (SPELLINGS[2], "Reads", "db:main")))

    assert before == (("service:café api", "depends on", "db:main"), ("service:café api", "reads", "db:main"))
    assert memory.heads([SPELLINGS[0]], PUBLIC)[0].links == ()


def test_different_properties_of_one_element_never_replace_or_conflict(memory: Memory) -> None:
    for day, name in enumerate(("retries", "engine", "owner"), start=1):
        put(memory, day, sets=(("service:search", name, "x"),))

    view = memory.heads(["service:search"], PUBLIC)[0]

    assert [name for name, _, _ in view.properties] == ["engine", "owner", "retries"]
    assert len(view.decisions) == 3
    assert memory.conflicts(PUBLIC) == ()


def test_what_a_decision_sets_links_and_ends_goes_in_as_one_fact(memory: Memory) -> None:
    whole = draft(sets=(("service:a", "x", "1"), ("service:b", "y", "2")), links=(("service:a", "uses", "db:c"),),
                  unlinks=(("service:b", "uses", "db:c"),))  # fmt: skip

    memory.admit(admission(whole))

    assert len(memory.envelopes()) == 1
