"""What systems report meets the decisions that it bears on, whichever came first, on each database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from bot.proposing import LOOKED_AT_ONCE, Watched, look, named, offered, reopen, settle
from store import (
    EVERYTHING,
    NOBODY,
    PUBLIC,
    WORKSPACE,
    Admission,
    DecisionId,
    Happened,
    Happening,
    Memory,
    Place,
    Scope,
    Thread,
    Turn,
    TurnId,
    Verdict,
    openness_setting,
)
from tests.builders_log import LENA, draft, memory_in

AT = datetime(2026, 5, 4, 14, 0, tzinfo=UTC)
PAY = "service:payment-api"


def decided(memory: Memory, title: str, place: Place, **fields: Any) -> DecisionId:
    made = draft(title, **{"decided_on": date(2026, 3, 4), **fields})
    admitted = memory.admit(Admission(place=place, basis="1", scope=WORKSPACE, drafts=(made,), provenance="file"))
    return admitted.new[0]


def thread(place: Place, text: str, kind: Happening | None, *, about: str = "", undoes: tuple[str, ...] = ()) -> Thread:
    turn = Turn(
        turn_id=TurnId(place.anchor), thread_id=place.anchor, author="", occurred_at=AT, text=text,
        about=(about,) if about else (),
    )  # fmt: skip
    happened = Happened(kind=kind, at=AT, undoes=undoes) if kind else None
    return Thread(place=place, scope=WORKSPACE, turns=(turn,), basis="1", happened=happened)


def incident(text: str, number: str = "318", *, about: str = "") -> Thread:
    place = Place(source="pagerduty", anchor=number, ref=f"incident:{number}", permalink="https://x.io/318")
    return thread(place, text, Happening.INCIDENT, about=about)


def github(number: int) -> Place:
    return Place(source="github", anchor=f"acme/shop#{number}", ref=f"acme/shop#{number}")


def test_each_kind_of_report_meets_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, clock=lambda: AT)
    alone = decided(memory, "Retries back off", github(1), elements=(PAY,))
    undone = decided(memory, "Orders are sharded", Place(source="git", anchor="0123abc4" * 5, ref="0123abc40123"))
    pulled = decided(memory, "Keys live in Redis", github(41))
    work = decided(memory, "Sessions are opaque", github(3), rationale="PAY-9 builds it")
    ticket = Place(source="jira", anchor="PAY-10", ref="PAY-10")
    decided(memory, "Weekly payouts become daily payouts", ticket)
    decided(memory, "Payouts run weekly, never daily", github(4))
    decided(memory, "Deploy it by hand", github(9), elements=("payments-prod",), decided_on=date(2025, 1, 2))
    memory.resolve_mention("payments-prod", PAY)
    said = (
        incident("charges fail", about="service:payments-prod"),
        thread(Place(source="git", anchor="f" * 40), "Revert it", Happening.REVERT, undoes=("0123abc4" * 5,)),
        thread(github(50), "Revert it", Happening.REVERT, undoes=("acme/shop#41",)),
        thread(Place(source="jira", anchor="PAY-9", ref="PAY-9"), "Build it", Happening.RESOLVED),
        thread(ticket, "Weekly payouts become daily payouts, never weekly", Happening.RESOLVED),
    )

    more = look(memory, said, ())

    found = offered(memory, memory.beside.occurrences, EVERYTHING)
    assert more == 4
    assert {(one.decision.id, one.proposal.verdict, named(one.proposal)) for one in found} == {
        (alone, Verdict.FAILED, "incident 318 https://x.io/318"),
        (undone, Verdict.FAILED, f"reverted by {'f' * 40}"),
        (pulled, Verdict.FAILED, "reverted by acme/shop#50"),
        (work, Verdict.WORKED, "resolved by PAY-9"),
    }
    assert look(memory, said, [alone, undone, pulled, work]) == 0
    assert offered(memory, memory.beside.occurrences, NOBODY) == ()


def test_what_is_worded_anew_is_asked_about_once_and_what_nobody_may_read_is_not_settled(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, clock=lambda: AT)
    first = decided(memory, "Move idempotency keys to Redis", github(1), decided_by=(LENA,))
    said = incident("the idempotency keys in Redis were evicted")
    look(memory, [said], ())

    newer = memory.revise(first, draft("Idempotency keys move to the Redis", decided_on=date(2026, 3, 4)), by=LENA)
    again = look(memory, [said], [newer])
    kept = memory.beside.occurrences
    (offer,) = offered(memory, kept, EVERYTHING)
    unread = settle(memory, kept, [offer], Verdict.FAILED, by=LENA, reader=NOBODY, occasion="a", at=AT)
    dropped = settle(memory, kept, [offer], None, by=LENA, reader=EVERYTHING, occasion="b", at=AT)

    assert (again, unread, dropped) == (0, None, None)
    assert (offer.decision.id, offer.proposal.decision) == (newer, first)
    assert offered(memory, kept, EVERYTHING) == ()
    assert reopen(kept, first, "pagerduty", "318", by="U9") is None
    assert reopen(kept, first, "pagerduty", "318", by="U1") == "unrelated"
    assert len(offered(memory, kept, EVERYTHING)) == 1


def test_of_what_was_taken_back_nothing_is_asked(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, clock=lambda: AT)
    one = decided(memory, "Move idempotency keys to Redis", github(1))
    look(memory, [incident("the idempotency keys in Redis were evicted")], ())
    before = offered(memory, memory.beside.occurrences, EVERYTHING)

    memory.retract(one, by=LENA)

    assert [each.decision.id for each in before] == [one]
    assert offered(memory, memory.beside.occurrences, EVERYTHING) == ()


def test_a_run_looks_every_so_often_and_what_was_forgotten_reports_nothing(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, clock=lambda: AT)
    gone = decided(memory, "Move idempotency keys to Redis", Place(source="pagerduty", anchor="7"))
    memory.forget_decision(gone)
    kept = decided(memory, "Move all idempotency keys to Redis", github(1))
    said = "the idempotency keys in Redis were evicted"
    run = Watched(memory)

    run.note(incident(said, "7"))
    run.note(incident(said, "8"))
    for number in range(LOOKED_AT_ONCE - 2):
        run.note(replace(thread(github(100 + number), "hello", None)))
    reports = {one.place.anchor for one in memory.beside.occurrences.all()}

    assert run.end() == 1
    assert reports == {"8"}
    assert [one.decision.id for one in offered(memory, memory.beside.occurrences, EVERYTHING)] == [kept]


def test_what_was_reported_in_a_channel_is_for_those_who_read_it_as_it_is_now(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, clock=lambda: AT)
    pulled = decided(memory, "Keys live in Redis", github(41))
    exec_, search = Scope(id="channel:C1", open=True), Scope(id="channel:C2", open=False)
    reports = [replace(incident("shop#41 broke", "1"), scope=exec_), replace(incident("shop#41", "2"), scope=search)]
    look(memory, reports, ())
    kept = memory.beside.occurrences
    before = len(offered(memory, kept, PUBLIC))

    memory.set_setting(openness_setting("channel:C1"), "no", by=LENA)

    offers = offered(memory, kept, EVERYTHING)
    assert (before, offered(memory, kept, PUBLIC), len(offers)) == (1, (), 2)
    settle(memory, kept, offers, Verdict.FAILED, by=LENA, reader=EVERYTHING, occasion="a", at=AT)
    (vote,) = memory.votes(pulled, EVERYTHING)
    assert (memory.votes(pulled, PUBLIC), vote.reason.count("incident")) == ((), 1)


def test_the_digests_of_a_report_go_with_a_turn_of_it_that_is_erased(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, clock=lambda: AT)
    look(memory, [thread(github(50), "Revert it", Happening.REVERT, undoes=("acme/shop#41",))], ())

    memory.beside.occurrences.forget_turn("acme/shop#50#comment-7")

    assert [one.marks for one in memory.beside.occurrences.all()] == [frozenset()]
