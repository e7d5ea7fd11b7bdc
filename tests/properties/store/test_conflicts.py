"""What holds of conflicts for every reader, whatever people did: one could work them out from what one reads."""

from __future__ import annotations

import itertools
from collections import defaultdict
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from store import EVERYTHING, PUBLIC, Memory, Reader, Scope, State, Status
from store.core.ids import normal
from tests.builders_log import EXEC, LENA, SEARCH, admission, counted_salt, memory_in, setting
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

        shown, report = [found(first, reader) for reader in READERS], first.verify()
        first.rebuild()

        assert report.faults == ()
        assert shown == [contested(first, reader) for reader in READERS]
        assert [found(first, reader) for reader in READERS] == shown
        first.close()
        second.close()


def test_a_successor_in_another_open_channel_settles_nothing_for_a_guest_who_is_not_in_it(tmp_path: Path) -> None:
    elsewhere = Scope(id="channel:OPS", open=True)
    guest = Reader(sees_open=False, scopes=frozenset({SEARCH.id}))
    first, second = memory_in(tmp_path / "1"), memory_in(tmp_path / "2", salt=counted_salt())
    first.admit(admission(setting("3"), anchor="C1/1", scope=SEARCH))
    second.admit(admission(setting("5"), anchor="C1/2", scope=SEARCH))
    first.receive(second.envelopes())
    heads = len(first.conflicts(PUBLIC)), len(first.conflicts(guest))

    first.admit(admission(setting("7", day=5), anchor="C2/1", scope=elsewhere))

    assert heads == (1, 1)
    assert first.conflicts(PUBLIC) == ()
    assert [{head.title for head in each.heads} for each in first.conflicts(guest)] == [{"Retries: 3", "Retries: 5"}]
    assert first.verify().faults == ()
    first.close()
    second.close()


def test_what_was_withdrawn_or_merged_since_is_in_conflict_again(tmp_path: Path) -> None:
    first, second = memory_in(tmp_path / "1"), memory_in(tmp_path / "2", salt=counted_salt())
    one = first.admit(admission(setting("3"), anchor="C1/1")).new[0]
    other = second.admit(admission(setting("5"), anchor="C1/2")).new[0]
    first.receive(second.envelopes())
    second.close()

    first.supersede(one, other, by=LENA)
    settled, report = len(first.conflicts(PUBLIC)), first.verify()
    first.withdraw_supersession(one, other, by=LENA)
    again = len(first.conflicts(PUBLIC))
    first.resolve_mention("service:search", "service:find", by=LENA)

    assert (settled, again) == (0, 1)
    assert [each.element for each in first.conflicts(PUBLIC)] == ["service:find"]
    assert report.faults == first.verify().faults == ()
    first.close()
