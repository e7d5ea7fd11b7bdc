"""What systems reported is kept without words, proposed once for each decision, and forgotten with what it is about."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from store import WORKSPACE, Happening, Occurrence, OutcomeProposal, Person, Place, Scope, Verdict
from store.sql.occurrences import KEEP_DAYS
from tests.builders_databases import beside_in

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
INCIDENT = Place(source="pagerduty", anchor="318", ref="incident:318", permalink="https://x/318")
TICKET = Place(source="jira", anchor="PAY-9", ref="PAY-9")
EXEC = Scope(id="channel:EXEC", open=False)
FOUND = Occurrence(place=INCIDENT, scope=WORKSPACE, kind=Happening.INCIDENT, at=NOW, marks=frozenset({"a", "b"}))
FAILED = OutcomeProposal(
    decision="d1", place=INCIDENT, scope=WORKSPACE, kind=Happening.INCIDENT, happened_at=NOW, verdict=Verdict.FAILED,
    strength=60,
)  # fmt: skip
WORKED = replace(
    FAILED, decision="d2", place=TICKET, scope=EXEC, kind=Happening.RESOLVED, verdict=Verdict.WORKED,
    happened_at=NOW - timedelta(days=1),
)  # fmt: skip


def test_a_proposal_is_new_once_takes_newer_facts_and_keeps_what_was_answered(tmp_path: Path) -> None:
    first = beside_in(tmp_path)
    new = first.occurrences.propose([FAILED, WORKED], NOW), first.occurrences.propose([FAILED], NOW)
    first.occurrences.propose([replace(FAILED, strength=80)], NOW)
    answered = first.occurrences.answer("d2", "jira", "PAY-9", "unrelated", by="U1")
    unknown = first.occurrences.answer("d9", "jira", "PAY-9", "unrelated", by="U1")
    first.occurrences.propose([replace(WORKED, strength=99)], NOW)
    first.close()

    again = beside_in(tmp_path)

    assert (new, answered, unknown) == ((2, 0), True, False)
    assert again.occurrences.unanswered() == (replace(FAILED, strength=80),)
    assert again.occurrences.about(["d2"]) == (replace(WORKED, answer="unrelated", by="U1"),)
    again.occurrences.withdraw("pagerduty", "318")
    again.occurrences.withdraw("jira", "PAY-9")
    assert again.occurrences.unanswered() == ()
    assert [one.answer for one in again.occurrences.about(["d1", "d2"])] == ["unrelated"]
    again.close()


def test_a_report_read_again_takes_the_place_of_the_first_and_goes_in_time(tmp_path: Path) -> None:
    beside = beside_in(tmp_path)
    beside.occurrences.keep([FOUND], NOW)
    beside.occurrences.keep([replace(FOUND, marks=frozenset({"c"}))], NOW)
    beside.occurrences.propose([FAILED, WORKED], NOW)
    beside.occurrences.answer("d2", "jira", "PAY-9", "worked", by="U1")

    (kept,) = beside.occurrences.all()
    beside.purge(NOW + timedelta(days=KEEP_DAYS, seconds=1))

    assert kept == replace(FOUND, marks=frozenset({"c"}))
    assert (beside.occurrences.all(), beside.occurrences.unanswered()) == ((), ())
    assert [one.decision for one in beside.occurrences.about(["d1", "d2"])] == ["d2"], "so that it isn't asked again"
    beside.close()


def test_what_is_forgotten_takes_its_reports_and_proposals_along(tmp_path: Path) -> None:
    beside = beside_in(tmp_path)

    def begin() -> None:
        beside.clear()
        beside.occurrences.keep([FOUND, replace(FOUND, place=TICKET, scope=EXEC)], NOW)
        beside.occurrences.propose([FAILED, WORKED], NOW)
        beside.occurrences.answer("d2", "jira", "PAY-9", "worked", by="U1")

    def left() -> tuple[set[tuple[str, int]], set[tuple[str, str]]]:
        about = beside.occurrences.about(["d1", "d2"])
        return {(o.place.anchor, len(o.marks)) for o in beside.occurrences.all()}, {(o.decision, o.by) for o in about}

    begin()
    beside.forget_decision("d1")
    assert left() == ({("318", 2), ("PAY-9", 2)}, {("d2", "U1")})
    begin()
    beside.forget_place("pagerduty", "318")
    assert left() == ({("PAY-9", 2)}, {("d2", "U1")})
    begin()
    beside.forget_channel("EXEC", decisions=())
    assert left() == ({("318", 2)}, {("d1", "")})
    begin()
    beside.forget_turn("318#note-1")
    assert left()[0] == {("318", 0), ("PAY-9", 2)}
    begin()
    assert beside.forget_person(Person(name="Nobody", id=""), named=()) == 0  # digests name nobody
    begin()
    beside.forget_person(Person(name="Lena", id="U1"), named=())
    assert left() == ({("318", 0), ("PAY-9", 0)}, {("d1", ""), ("d2", "")})
    beside.close()
