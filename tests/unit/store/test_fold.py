"""From facts to state, on literal facts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from store.core.events import Event, Kind
from store.core.fold import Edge, Folded, closing_cycles, fold_decision, hidden_variants
from store.core.model import DecisionId, EventId, Place, Scope, Status

MOMENT = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


def event(
    kind: str, lamport: int, *, about: tuple[str, ...] = ("d1",), stream: str = "w1/open/channel:C1", **parts: Any
) -> Event:
    parts = {name.replace("evidence_", "evidence/"): part for name, part in parts.items()}
    return Event(
        id=EventId(f"e{lamport}"),
        kind=kind,
        v=1,
        stream=stream,
        seq=lamport,
        prev="",
        lamport=lamport,
        recorded_at=MOMENT + timedelta(seconds=lamport),
        about=about,
        digests={},
        parts=parts,
    )


def recorded(lamport: int = 1, **fields: Any) -> Event:
    parts: dict[str, Any] = {
        "statement": {"title": "Search stays", "status": "accepted"},
        "place": {"source": "slack", "anchor": "C1/1.0", "ordinal": 0, "basis": "1"},
        "people": {"decided_by": []},
        "meta": {"confidence": 90, "confirmed": 0, "provenance": "rules-1", "decided_on": "2026-03-01"},
        "more": {"tags": ["search"]},
        "evidence_0": {"quote": "then we stay", "turn_id": "C1/1.0"},
    }
    return event(Kind.DECISION_RECORDED, lamport, **{**parts, **fields})


def folded(*events: Event) -> Folded:
    found = fold_decision("d1", events)
    assert found is not None
    return found


def test_a_decision_that_was_not_recorded_yet_is_none() -> None:
    assert fold_decision("d1", [event(Kind.DECISION_RETRACTED, 1), recorded(2, about=("d2",))]) is None


def test_a_recorded_decision_has_what_its_parts_say() -> None:
    found = folded(recorded())

    assert (found.title, found.status, found.decided_on, found.day) == (
        "Search stays",
        Status.ACCEPTED,
        date(2026, 3, 1),
        date(2026, 3, 1),
    )
    assert (found.confirmed, found.retracted, found.erased, found.in_force) == (False, False, False, True)
    assert found.places == (Place(source="slack", anchor="C1/1.0"),)
    assert [each.quote for each in found.quotes] == ["then we stay"]


def test_without_a_day_of_decision_the_day_of_recording_sorts_it() -> None:
    found = folded(recorded(meta={"confidence": 90, "confirmed": 1}))

    assert (found.decided_on, found.day, found.confirmed) == (None, MOMENT.date(), True)


def test_later_words_stand_in_canonical_order_whichever_comes_first() -> None:
    facts = [
        event(Kind.DECISION_RESTORED, 3),
        event(Kind.DECISION_RETRACTED, 2),
        recorded(),
        event(Kind.DECISION_CONFIRMED, 4),
    ]

    found = folded(*facts)

    assert (found.retracted, found.confirmed) == (False, True)
    assert not folded(*facts, event(Kind.DECISION_RETRACTED, 5)).in_force


def test_further_evidence_and_places_are_added_once() -> None:
    more = event(
        Kind.EVIDENCE_ADDED,
        2,
        place={"source": "jira", "anchor": "PAY-1"},
        evidence_0={"quote": "then we stay", "turn_id": "C1/1.0"},
        evidence_1={"quote": "agreed", "turn_id": "PAY-1/1"},
    )

    found = folded(more, recorded(), more)

    assert [each.quote for each in found.quotes] == ["then we stay", "agreed"]
    assert [each.event for each in found.held] == ["e1", "e2", "e2"]
    assert [each.anchor for each in found.places] == ["C1/1.0", "PAY-1"]


def test_an_erased_decision_keeps_its_place_and_loses_its_words() -> None:
    erased = event(Kind.TEXT_REDACTED, 2, redaction={"events": {}, "decisions": ["d1"]})

    found = folded(recorded(), erased)

    assert (found.erased, found.title, found.status, found.quotes) == (True, "", Status.WITHDRAWN, ())
    assert found.place.anchor == "C1/1.0"


def test_a_decision_whose_statement_is_gone_counts_as_erased() -> None:
    whole = recorded()
    blank = replace(whole, parts={name: part for name, part in whole.parts.items() if name == "place"})

    assert folded(blank).erased


def test_the_first_living_part_of_two_machines_facts_stands_and_the_narrower_scope() -> None:
    first = recorded(1, meta={"confidence": 70, "confirmed": 0})
    second = recorded(2, meta={"confidence": 95, "confirmed": 1}, stream="w2/closed/channel:C1")

    found = folded(second, first)

    assert (found.meta["confidence"], found.confirmed, found.writer) == (70, True, "w1")
    assert found.scope == Scope(id="channel:C1", open=False)


def test_a_newer_version_of_a_kind_is_left_alone() -> None:
    newer = replace(event(Kind.DECISION_RETRACTED, 2), v=2)

    assert not folded(recorded(), newer, event("DecisionDreamt", 3)).retracted


def test_the_second_writers_wording_of_one_basis_is_hidden() -> None:
    mine = folded(recorded())
    also_mine = replace(mine, id=DecisionId("d2"), order=(2, "e2"))
    theirs = replace(mine, id=DecisionId("d3"), order=(3, "e3"), writer="w2")
    other_basis = replace(theirs, id=DecisionId("d4"), basis="2")
    unplaced = replace(theirs, id=DecisionId("d5"), place=Place(source="record", anchor=""))

    assert hidden_variants([theirs, also_mine, mine, other_basis, unplaced]) == {"d3"}


def edge(newer: str, older: str, lamport: int) -> Edge:
    return Edge(newer=newer, older=older, order=(lamport, f"e{lamport}"))


def test_the_edge_that_closes_a_circle_is_skipped_in_canonical_order() -> None:
    ring = [edge("c", "b", 2), edge("a", "c", 3), edge("b", "a", 1)]

    assert closing_cycles(ring) == closing_cycles(reversed(ring)) == {("a", "c")}


def test_edges_said_twice_and_side_branches_close_nothing() -> None:
    edges = [
        edge("b", "a", 1),
        edge("b", "a", 2),
        edge("c", "a", 3),
        edge("c", "b", 4),
        edge("d", "d", 5),
        edge("e", "c", 6),
    ]

    assert closing_cycles(edges) == {("d", "d")}


def test_what_few_can_read_does_not_change_which_open_edge_counts() -> None:
    through_closed = [
        replace(edge("b", "c", 1), closed=frozenset({"channel:EXEC"})),
        replace(edge("c", "a", 2), closed=frozenset({"channel:EXEC"})),
    ]

    assert closing_cycles([edge("a", "b", 3), *through_closed]) == {("c", "a")}


def test_a_confirmation_that_was_withdrawn_waits_until_it_is_given_again() -> None:
    confirmed, withdrawn = event(Kind.DECISION_CONFIRMED, 2), event(Kind.CONFIRMATION_WITHDRAWN, 3)

    states = [
        folded(recorded(), *words).confirmed
        for words in ((confirmed,), (withdrawn, confirmed), (confirmed, withdrawn, event(Kind.DECISION_CONFIRMED, 4)))
    ]

    assert states == [True, False, True]
