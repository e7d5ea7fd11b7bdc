"""What of a proposal is new, what revises, what replaces what."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime

import pytest

from store.core.admission import Admission, Rival, match, numbered, once_each, refusals, replacements, sets_something
from store.core.ids import decision_id, statement_of
from store.core.model import (
    WORKSPACE,
    Decision,
    DecisionId,
    Draft,
    Person,
    Place,
    Quote,
    Scope,
    State,
    Status,
    Verdict,
    Voices,
)
from store.core.outcomes import voices
from store.core.views import Vote

PLACE = Place(source="slack", anchor="C1/1.0")
CLOSED, OTHER = Scope(id="channel:EXEC", open=False), Scope(id="channel:HR", open=False)
NONE: frozenset[str] = frozenset()


def said(turn: str) -> tuple[Quote, ...]:
    return (Quote(quote="ok", turn_id=turn),)


def known(title: str, *, turn: str = "", id_: str = "", state: State = State.CURRENT) -> Decision:
    return Decision(
        id=DecisionId(id_ or decision_id("slack", "C1/1.0", 0, statement_of(Draft(title=title)))),
        title=title,
        place=PLACE,
        scope=WORKSPACE,
        status=Status.ACCEPTED,
        state=state,
        confirmed=True,
        recorded_at=datetime(2026, 3, 4, tzinfo=UTC),
        evidence=said(turn) if turn else (),
    )


def test_drafts_match_by_statement_then_turn_then_likeness_one_to_one() -> None:
    existing = [known("Stay on pg", turn="1"), known("Reindex nightly"), known("Typesense is out", turn="3")]
    drafts = [
        Draft(title="Typesense is out for good"),
        Draft(title="Search stays on Postgres", evidence=said("1")),
        Draft(title="Reindex nightly"),
        Draft(title="A new thing", evidence=said("1")),
    ]

    matched = match(PLACE, drafts, existing, NONE)

    assert [each.existing.title if each.existing else None for each in matched] == [
        "Typesense is out",
        "Stay on pg",
        "Reindex nightly",
        None,
    ]
    assert [each.same for each in matched] == [False, False, True, False]


def test_a_statement_that_came_back_after_it_was_reworded_is_its_own_decision() -> None:
    first = known("A", state=State.SUPERSEDED)

    matched = match(PLACE, [Draft(title="A")], [first, known("B", turn="1")], frozenset({first.id}))[0]

    assert (matched.ordinal, matched.same) == (1, False)
    assert matched.id != first.id


def test_one_statement_twice_in_a_thread_rests_on_the_words_of_both() -> None:
    drafts = once_each([Draft(title="A", evidence=said("1")), Draft(title="B"), Draft(title="A", evidence=said("2"))])

    assert [(each.title, len(each.evidence)) for each in drafts] == [("A", 2), ("B", 0)]


def test_statements_are_numbered_over_the_pieces_of_one_input() -> None:
    seen: Counter[str] = Counter()

    first = numbered("record", [Draft(title="A"), Draft(title="B"), Draft(title="A")], seen)
    then = numbered("record", [Draft(title="A")], seen)

    assert [each.ordinal for each in (*first, *then)] == [0, 0, 1, 2]
    assert len({each.id for each in (*first, *then)}) == 4


def test_what_breaks_a_rule_is_refused_by_name() -> None:
    admitted, refused = refusals([Draft(title=""), Draft(title="A", confidence=101), Draft(title="B")])

    assert [each.title for each in admitted] == ["B"]
    assert ["title" in refused[0], "101" in refused[1]] == [True, True]


@pytest.mark.parametrize(
    ("pointed", "recorded_from", "confidence", "confirmed"),
    [
        (False, "capture", 89, False),
        (False, "capture", 90, True),
        (True, "capture", 10, True),
        (False, "ingest", 10, True),
    ],
)
def test_a_capture_is_confirmed_by_pointing_or_confidence(
    pointed: bool, recorded_from: str, confidence: int, confirmed: bool
) -> None:
    draft = Draft(title="A", confidence=confidence)
    admission = Admission(
        place=PLACE,
        basis="1",
        scope=WORKSPACE,
        drafts=(draft,),
        provenance="",
        pointed=pointed,
        recorded_from=recorded_from,
    )

    assert admission.confirms(draft) is confirmed


def rival(name: str, day: int, *, scope: Scope = WORKSPACE, by: tuple[Scope, ...] = (), moment: str = "") -> Rival:
    return Rival(id=DecisionId(name), scope=scope, day=date(2026, 3, day), moment=moment, replaced_by=by)


@pytest.mark.parametrize(
    ("new", "others", "pairs"),
    [
        (rival("n", 2), [rival("a", 1)], {("n", "a")}),
        (rival("n", 1), [rival("a", 2)], {("a", "n")}),
        (rival("n", 2), [rival("a", 2)], {("n", "a")}),
        (rival("n", 2, moment="09"), [rival("a", 2, moment="10")], {("a", "n")}),
        (rival("n", 3), [rival("a", 1, by=(WORKSPACE,)), rival("b", 2)], {("n", "b")}),
        (rival("n", 1), [rival("b", 2, by=(WORKSPACE,)), rival("c", 3)], {("b", "n")}),
        (rival("n", 2), [rival("a", 1, by=(WORKSPACE,)), rival("c", 3)], {("n", "a"), ("c", "n")}),
        (rival("n", 3), [rival("a", 1, by=(CLOSED,)), rival("b", 2, scope=CLOSED)], {("n", "a"), ("n", "b")}),
        (rival("n", 1), [rival("b", 2, scope=CLOSED), rival("c", 3)], {("b", "n"), ("c", "n")}),
        (rival("n", 3, scope=OTHER), [rival("a", 1, scope=CLOSED, by=(CLOSED,)), rival("n", 3)], set()),
    ],
)
def test_the_later_decided_replaces_the_earlier_for_whoever_reads_both(
    new: Rival, others: list[Rival], pairs: set[tuple[str, str]]
) -> None:
    assert set(replacements(new, others)) == pairs


def test_only_what_is_accepted_and_sets_something_can_replace() -> None:
    sets = (("a", "b", "c"),)

    assert sets_something(Draft(title="A", sets=sets))
    assert not sets_something(Draft(title="A", sets=sets, status=Status.PROPOSED))
    assert not sets_something(Draft(title="A"))


def vote(verdict: str, *, counts: bool = False, reason: str = "") -> Vote:
    return Vote(
        decision=DecisionId("d1"),
        voter=Person(name="x"),
        verdict=Verdict(verdict),
        counts=counts,
        reason=reason,
        at=datetime(2026, 3, 4, tzinfo=UTC),
        scope=WORKSPACE,
    )


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([], Voices()),
        ([vote("failed")], Voices(pending_failed=1)),
        ([vote("failed", reason="slow")], Voices(failed=1)),
        ([vote("failed", counts=True)], Voices(failed=1, label=Verdict.FAILED)),
        ([vote("failed"), vote("failed")], Voices(failed=2, label=Verdict.FAILED)),
        ([vote("worked")], Voices(pending_worked=1)),
        ([vote("worked", counts=True)], Voices(worked=1, label=Verdict.WORKED)),
        ([vote("worked", counts=True), vote("failed")], Voices(worked=1, pending_failed=1, label=Verdict.WORKED)),
        ([vote("worked", counts=True), vote("failed", counts=True)], Voices(worked=1, failed=1, label=Verdict.FAILED)),
        (
            [vote("worked", counts=True), vote("worked"), vote("failed", counts=True)],
            Voices(worked=2, failed=1, label=Verdict.WORKED),
        ),
    ],
)
def test_votes_count_and_label_by_who_gave_them(votes: list[Vote], expected: Voices) -> None:
    assert voices(votes) == expected
