"""What one person's Home lists: theirs and readable alone, however it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from store import EVERYTHING, NOBODY, PUBLIC, Memory, Reader, Verdict
from tests.builders_log import EXEC, LENA, NOW, OMAR, RAJ, SEARCH, admission, draft, memory_in, quote

INSIDE = Reader(sees_open=True, scopes=frozenset({EXEC.id}))
OWN = Reader(sees_open=False, scopes=frozenset({SEARCH.id}))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = memory_in(tmp_path)
    yield opened
    opened.close()


def titles(decisions: tuple[object, ...]) -> list[str]:
    return [str(one.title) for one in decisions]  # type: ignore[attr-defined]


def decide(memory: Memory, title: str, anchor: str, *, day: int = 4, unsure: bool = False, **fields: object) -> str:
    scope = fields.pop("scope", SEARCH)
    stated = draft(title, decided_on=date(2026, 3, day), confidence=60 if unsure else 95, **fields)
    return memory.admit(admission(stated, anchor=anchor, scope=scope, pointed=not unsure)).new[0]


def test_the_newest_are_confirmed_in_force_and_of_the_channels_asked_for(memory: Memory) -> None:
    old = decide(memory, "Old", "C1/1", day=1)
    decide(memory, "New", "C1/2", day=5, supersedes=(old,))
    decide(memory, "Middle", "C1/3", day=3)
    decide(memory, "Unsure", "C1/4", day=6, unsure=True)
    decide(memory, "Elsewhere", "C2/1", day=7, scope=EXEC)
    memory.retract(decide(memory, "Removed", "C1/5", day=8), by=LENA)

    assert titles(memory.newest(INSIDE, OWN, limit=5)) == ["New", "Middle"]
    assert titles(memory.newest(INSIDE, INSIDE, limit=1)) == ["Elsewhere"]
    assert memory.newest(PUBLIC, Reader(sees_open=False, scopes=frozenset({EXEC.id})), limit=5) == ()


def test_what_a_closed_channel_replaced_is_in_force_for_those_outside(memory: Memory) -> None:
    old = decide(memory, "Old", "C1/1", day=1)
    decide(memory, "New", "C2/1", day=5, supersedes=(old,), scope=EXEC)

    assert titles(memory.newest(PUBLIC, OWN, limit=5)) == ["Old"]
    assert memory.newest(INSIDE, OWN, limit=5) == ()


def test_captures_that_wait_stand_first_for_who_decided_then_for_who_wrote(memory: Memory) -> None:
    said = quote("ok, nightly", "C1/9.1", by=OMAR)
    decide(memory, "Wrote", "C1/1", day=9, unsure=True, decided_by=(LENA,), evidence=(said,))
    decide(memory, "Decided", "C1/2", day=1, unsure=True, decided_by=(OMAR,))
    decide(memory, "Hidden", "C2/1", unsure=True, decided_by=(OMAR,), scope=EXEC)
    decide(memory, "Sure", "C1/3", decided_by=(OMAR,))

    assert titles(memory.unconfirmed_of(OMAR.id, PUBLIC)) == ["Decided", "Wrote"]
    assert memory.unconfirmed_of(RAJ.id, EVERYTHING) == ()
    assert memory.unconfirmed_of("", EVERYTHING) == ()


def test_somebodys_messages_come_once_each_and_those_erased_not_at_all(memory: Memory) -> None:
    one, two = quote("we stay on pg", "C1/1.1"), quote("and it is 80 ms", "C1/1.2")
    decide(memory, "A", "C1/1", evidence=(one, two, quote("agreed", "C1/1.3", by=OMAR)))
    decide(memory, "B", "C1/2", evidence=(one,))
    decide(memory, "C", "C2/1", evidence=(quote("the price", "C2/1.1"),), scope=EXEC)

    before, hidden = memory.quotes_of(LENA.id, PUBLIC, limit=1), memory.quotes_of(LENA.id, INSIDE, limit=9)
    memory.redact_turn("slack", "C1/1.1")

    assert (len(before[0]), before[1], hidden[1]) == (1, 2, 3)
    assert [each.quote for each in memory.quotes_of(LENA.id, PUBLIC, limit=9)[0]] == ["and it is 80 ms"]
    assert memory.quotes_of("", EVERYTHING, limit=9) == ((), 0)
    assert memory.quotes_of(LENA.id, NOBODY, limit=9) == ((), 0)


def test_the_decisions_that_rest_on_a_message_are_those_that_one_may_read(memory: Memory) -> None:
    decide(memory, "A", "C1/1", evidence=(quote("words", "C1/1.1"),))
    decide(memory, "B", "C2/1", evidence=(quote("words", "C1/1.1"),), scope=EXEC)

    assert titles(memory.quoting("C1/1.1", PUBLIC)) == ["A"]
    assert sorted(titles(memory.quoting("C1/1.1", INSIDE))) == ["A", "B"]


def test_what_somebody_decided_and_voted_on_is_listed_for_them(memory: Memory) -> None:
    mine = decide(memory, "Mine", "C1/1")
    theirs = decide(memory, "Theirs", "C1/2", decided_by=(OMAR,), evidence=(quote("i wrote there", "C1/2.1"),))
    memory.observe_outcome(theirs, voter=LENA, verdict=Verdict.WORKED, counts=False, key="1", scope=SEARCH, at=NOW)

    assert titles(memory.decided_by(LENA.id, PUBLIC)) == ["Mine"]
    assert titles(memory.voted_by(LENA.id, PUBLIC)) == ["Theirs"]
    assert memory.voted_by(OMAR.id, PUBLIC) == ()
    assert memory.decision(mine, PUBLIC) is not None


def test_counts_are_of_what_one_may_read(memory: Memory) -> None:
    decide(memory, "A", "C1/1", evidence=(quote("a", "C1/1.1"), quote("b", "C1/1.2")))
    memory.retract(decide(memory, "B", "C1/2", evidence=(quote("c", "C1/2.1"),)), by=OMAR)
    decide(memory, "C", "C2/1", scope=EXEC)

    counted, later = memory.by_scope(INSIDE, since=NOW), memory.by_scope(PUBLIC, since=NOW + timedelta(days=1))

    assert (memory.kept(PUBLIC).decisions, memory.kept(INSIDE).decisions) == (1, 2)
    assert memory.kept(NOBODY).oldest is None
    assert (counted[SEARCH.id].kept, counted[SEARCH.id].removed) == (1, 1)
    assert counted[EXEC.id].kept == 1
    assert (later[SEARCH.id].kept, set(later)) == (0, {SEARCH.id})


def test_a_setting_says_who_set_it_last_and_when(memory: Memory) -> None:
    memory.set_setting("channel:C1:mode", "off", by=OMAR)
    memory.set_setting("channel:C1:mode", "by itself", by=LENA)
    memory.set_setting("person:U1:left_out", "yes", by=LENA)

    (change,) = memory.setting_changes("channel:")

    assert (change.name, change.value, change.by) == ("channel:C1:mode", "by itself", LENA)
    assert change.at > NOW
