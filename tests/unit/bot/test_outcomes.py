"""Which decisions a report bears on: by ref, by name, by half of a title; and which it leaves alone."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from bot.outcomes import (
    NAMED,
    SURE,
    could_bear,
    decided_at,
    may_bear,
    occurrence_of,
    proposal_of,
    searched,
    signs_of,
    strongest,
)
from bot.outcomes import bearing as bears
from bot.sources.document import Reported
from bot.sources.github import GithubSource
from bot.sources.happened import of_incident
from bot.sources.jira import JiraSource
from store import (
    WORKSPACE,
    Decision,
    Happened,
    Happening,
    Occurrence,
    OutcomeProposal,
    Place,
    State,
    Status,
    Thread,
    Turn,
    TurnId,
    Verdict,
    Voices,
)
from tests.builders_messages import decision

AT = datetime(2026, 5, 4, 14, 0, tzinfo=UTC)
KEYS = "Move idempotency keys to Redis with expiry"


def report(
    *said: str,
    kind: Happening = Happening.INCIDENT,
    about: tuple[str, ...] = (),
    undoes: tuple[str, ...] = (),
    anchor: str = "318",
    source: str = "pagerduty",
) -> Occurrence:
    found = occurrence_of(thread(*said, kind=kind, about=about, undoes=undoes, anchor=anchor, source=source))
    assert found is not None
    return found


def thread(
    *said: str,
    kind: Happening = Happening.INCIDENT,
    about: tuple[str, ...] = (),
    undoes: tuple[str, ...] = (),
    anchor: str = "318",
    source: str = "pagerduty",
) -> Thread:
    turns = tuple(
        Turn(turn_id=TurnId(f"{anchor}#{n}"), thread_id=anchor, author="", occurred_at=AT, text=text, about=about)
        for n, text in enumerate(said)
    )
    happened = Happened(kind=kind, at=AT, undoes=undoes)
    place = Place(source=source, anchor=anchor, ref=f"incident:{anchor}" if source == "pagerduty" else anchor)
    return Thread(place=place, scope=WORKSPACE, turns=turns, basis="1", happened=happened)


def decided(title: str = KEYS, *, on: date = date(2026, 3, 4), **changes: object) -> Decision:
    made: dict[str, object] = {"evidence": (), "elements": (), **changes}
    return replace(decision(title=title, decided_on=on), **made)  # type: ignore[arg-type]


def strength(found: Occurrence, one: Decision, **more: object) -> int:
    bearing = bears(found, one, signs_of(one), **more)  # type: ignore[arg-type]
    return bearing.strength if bearing else 0


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place(source="github", anchor="acme/payment-api#412"), "keys were moved there in payment-api#412"),
        (Place(source="github", anchor="acme/payment-api#412"), "see acme/payment-api#412."),
        (Place(source="jira", anchor="PAY-88", ref="PAY-88"), "Why: PAY-88 put a limit in front"),
        (
            Place(source="adr", anchor="docs/adr/0005.md", permalink="https://x.io/adr/5"),
            "see https://x.io/adr/5, no",
        ),
        (Place(source="git", anchor="0123abc4" * 5), "since 0123abc4 it fails"),
    ],
)
def test_a_report_that_calls_a_decision_by_its_place_is_sure_however_old_it_is(place: Place, text: str) -> None:
    old = decided(place=place, on=date(2024, 1, 2))

    assert strength(report("cards charged twice", text), old) == SURE


def test_a_bare_number_names_a_change_of_the_reports_own_repository() -> None:
    one = decided(place=Place(source="github", anchor="acme/payment-api#412"))

    own, other = (
        report("Closed by #412", kind=Happening.RESOLVED, anchor=f"acme/{repo}#500", source="github")
        for repo in ("payment-api", "shop")
    )

    assert (strength(own, one), strength(other, one)) == (SURE, 0)


def test_half_of_a_title_is_enough_and_less_or_too_little_is_not() -> None:
    enough = report("charged twice", "idempotency keys were evicted, the Redis was full")
    too_few = report("keys expire", "idempotency is hard")

    assert strength(enough, decided()) == 60
    assert strength(too_few, decided("Idempotency keys expire at once, said the whole platform team")) == 0
    assert strength(enough, decided("Redis keys")) == 0, "two words meet by chance"


def test_what_was_decided_long_before_is_only_met_by_its_ref() -> None:
    found = report("charged twice", "idempotency keys were evicted, the Redis was full")

    assert strength(found, decided(on=(AT - timedelta(days=180)).date())) == 60
    assert strength(found, decided(on=(AT - timedelta(days=181)).date())) == 0


def test_a_named_topic_takes_one_more_word_or_to_stand_alone_and_a_generic_name_is_none() -> None:
    named = report("payment-api is down", about=("service:payment-api",))
    on_it, other = (
        decided(title, elements=("service:payment-api",)) for title in ("Retries go down to three", "Use backoff")
    )
    generic = decided("Use backoff", elements=("service:api",))

    assert strength(named, on_it) == 33 + NAMED
    assert strength(named, other) == 0
    assert strength(named, other, alone=lambda: True) == NAMED
    assert strength(report("all is slow", "it was payment-api"), other, alone=lambda: True) == 0
    assert strength(report("the api is down"), generic, alone=lambda: True) == 0
    assert (
        strength(report("pays no more", about=("service:payments-prod",)), other, named=True, alone=lambda: True)
        == NAMED
    )


def test_a_revert_bears_on_what_it_takes_back_alone() -> None:
    undone = decided(place=Place(source="github", anchor="acme/shop#41"))
    pull = {
        "number": 50,
        "title": 'Revert "Move idempotency keys to Redis" (#41)',
        "body": "",
        "merged_at": "2026-05-04T10:00:00Z",
        "created_at": "2026-05-04T09:00:00Z",
        "url": "https://api.github.com/repos/acme/shop/pulls/50",
    }
    named = {**pull, "title": "Back to Postgres", "body": "Reverts acme/shop#41\nkeys got lost"}
    commit = {**pull, "title": "Back", "body": "This reverts commit 0123abc40123abc4."}
    open_still = {**pull, "merged_at": None}

    said = [reported(each) for each in (pull, named, commit, open_still)]

    assert [each.undoes for each in said if each] == [("acme/shop#41",), ("acme/shop#41",), ("0123abc40123abc4",)]
    assert said[-1] is None
    found = report("Revert it", KEYS, kind=Happening.REVERT, undoes=("acme/shop#41",), anchor="acme/shop#50")
    assert (strength(found, undone), strength(found, decided())) == (SURE, 0)


def reported(pull: dict[str, object]) -> Happened | None:
    found = GithubSource().turns(json.dumps([pull]), origin="x", dated=AT)
    return next((each.happened for each in found if isinstance(each, Reported)), None)


def test_a_ticket_counts_once_it_is_done_and_a_decision_may_name_it_as_its_work() -> None:
    def resolved(name: str, at: str | None = "2026-05-04T10:00:00.000+0000") -> list[Happening]:
        fields = {"summary": "Keys", "created": "2026-05-01", "resolution": {"name": name}, "resolutiondate": at}
        said = JiraSource().turns(json.dumps([{"key": "PAY-9", "fields": fields}]), origin="x", dated=AT)
        return [each.happened.kind for each in said if isinstance(each, Reported)]

    issue = {"number": 7, "title": "t", "url": "https://api.github.com/repos/a/b/issues/7", "closed_at": "2026-05-04"}

    assert [resolved(name) for name in ("Done", "fixed", "Won't Do", "Duplicate")] == [[Happening.RESOLVED]] * 2 + [
        []
    ] * 2
    assert resolved("Done", None) == []
    assert reported({**issue, "state_reason": "completed"}) is not None
    assert reported({**issue, "state_reason": "not_planned"}) is None
    work = report("Move them", kind=Happening.RESOLVED, anchor="PAY-9", source="jira")
    assert strength(work, decided("Retries", rationale="PAY-9 builds it")) == SURE
    assert strength(work, decided("Retries", rationale="PAY-10 builds it")) == 0


def test_only_what_was_in_force_then_and_is_open_still_is_asked_about() -> None:
    found = report("down")
    later, sooner = decided(on=date(2026, 5, 5)), decided(on=date(2026, 5, 1))

    assert could_bear(found, decided(), ())
    assert could_bear(found, decided(state=State.SUPERSEDED), (later,)), "people answered the incident"
    assert not could_bear(found, decided(state=State.SUPERSEDED), (sooner,))
    assert not could_bear(found, decided(state=State.RETRACTED), ())
    assert not could_bear(found, decided(status=Status.REJECTED), ())
    assert not could_bear(found, decided(voices=Voices(worked=1, label=Verdict.WORKED)), ())
    assert not could_bear(found, decided(place=Place(source="pagerduty", anchor="318")), ())
    assert not could_bear(found, decided(on=AT.date()), ()), "decided that day, nobody knows when"
    assert decided_at(decision(decided_on=date(2026, 3, 4))) < datetime(2026, 3, 5, tzinfo=UTC)


def test_many_reports_are_narrowed_to_those_worth_a_look_and_few_are_kept() -> None:
    near = report("keys", "idempotency keys were evicted, the Redis was full", anchor="1")
    far = report("dns", "conntrack table full", anchor="2")
    one = decided()

    assert may_bear([near, far])(signs_of(one)) == [near]
    shares = [replace(proposal(near, one), decision=str(n), strength=n) for n in (50, 60, 70)]
    assert [each.strength for each in strongest(shares)] == [70, 60]
    sure = replace(proposal(near, one), strength=SURE)
    assert strongest([*shares, sure]) == (sure,)


def proposal(found: Occurrence, one: Decision) -> OutcomeProposal:
    bearing = bears(found, one, signs_of(one))
    assert bearing is not None
    return proposal_of(found, bearing)


def test_a_report_keeps_no_word_and_a_thread_that_reports_nothing_is_none() -> None:
    said = thread("payment-api is down", "hunter2 was the cause")
    found = report("payment-api is down", "hunter2 was the cause")

    assert not any("payment" in mark or "hunter" in mark for mark in found.marks)
    assert occurrence_of(replace(said, happened=None)) is None
    assert of_incident({"id": "P1", "created_at": "one day"}, "1") is None
    assert searched(said).names == ("payment-api",)
    assert searched(replace(said, happened=None)).refs == ()
