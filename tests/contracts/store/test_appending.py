"""What a fact is when it has been said: the very event that the log gives back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import Memory, Scope
from store.core import events
from store.core.ids import decision_id, statement_of
from store.core.model import Place
from store.sql.log import events_between
from tests.builders_log import LENA, draft, full_draft, memory_in


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = memory_in(tmp_path)
    yield memory
    memory.close()


def test_what_was_said_reads_back_as_the_same_events(memory: Memory) -> None:
    closed = Scope(id="channel:Bu\u0308ro", open=False)
    facts = [
        events.decision_recorded(
            decision_id("slack", "C1/1.0", 0, statement_of(each)),
            each,
            place=Place(source="slack", anchor="C1/1.0"),
            ordinal=0,
            basis="1",
            provenance="rules-1",
            confirmed=True,
            by=LENA,
            key="",
        )
        for each in (full_draft("plain"), full_draft("u\u0308 \ud800 \u2028"), draft())
    ]
    facts.append(events.setting_changed("x", "y", by=LENA))

    with memory._writing() as tx:
        said = tx.say(*((closed, fact) for fact in facts))
        read = events_between(tx.tx, 1, len(facts))

    assert said == read
    assert [each.seq for each in read] == [1, 2, 3, 4]
    assert [each.position for each in said] == [each.position for each in read]


def test_a_stream_goes_on_where_it_ended_however_its_scope_is_spelt(memory: Memory) -> None:
    for number, scope in enumerate((Scope(id="channel:u\u0308", open=True), Scope(id="channel:\u00fc", open=True))):
        with memory._writing() as tx:
            (said,) = tx.say((scope, events.setting_changed("x", str(number), by=LENA)))

    assert said.seq == 2
