"""What holds of conflicts for every reader, whatever people did: one could work them out from what one reads."""

from __future__ import annotations

import itertools
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from store import EVERYTHING, PUBLIC, Memory, Reader, State, Status
from store.core.ids import normal
from tests.builders_log import EXEC, SEARCH, counted_salt, memory_in
from tests.builders_steps import Step, steps
from tests.properties.store.test_log import FEW, homes

READERS = (
    PUBLIC,
    EVERYTHING,
    Reader(sees_open=True, scopes=frozenset({EXEC.id})),
    Reader(sees_open=False, scopes=frozenset({SEARCH.id})),
    Reader(sees_open=False, scopes=frozenset({EXEC.id})),
)
"""A guest in one channel among them: what is open elsewhere doesn't exist for them."""

Contested = set[tuple[str, str, frozenset[str]]]


def contested(memory: Memory, reader: Reader) -> Contested:
    """Work it out from everything that a reader may read."""
    values: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for each in memory.decisions(reader):
        if each.state is State.CURRENT and each.status is Status.ACCEPTED and each.confirmed:
            for element, name, value in each.sets:
                values[normal(element), normal(name)].setdefault(each.id, value.strip())
    return {
        (element, name, frozenset(held))
        for (element, name), held in values.items()
        if any(
            held[one] != held[other] and not memory.both_apply(one, other)
            for one, other in itertools.combinations(sorted(held), 2)
        )
    }


def found(memory: Memory, reader: Reader) -> Contested:
    return {
        (normal(each.element), each.property, frozenset(head.id for head in each.heads))
        for each in memory.conflicts(reader)
        if each.property
    }


@FEW
@given(st.lists(steps(), min_size=3, max_size=9), st.lists(steps(), min_size=2, max_size=6))
def test_every_reader_is_shown_the_conflicts_of_what_they_read_and_no_other(one: list[Step], two: list[Step]) -> None:
    with homes() as home:
        first, second = memory_in(home / "1", salt=counted_salt()), memory_in(home / "2")
        for memory, done in ((first, one), (second, two)):
            for step in done:
                step(memory)
        first.receive(second.envelopes())
        for step in two[:2]:
            step(first)

        shown = [found(first, reader) for reader in READERS]
        first.rebuild()

        assert shown == [contested(first, reader) for reader in READERS]
        assert [found(first, reader) for reader in READERS] == shown
        first.close()
        second.close()
