"""Fusion, the two phases, the place kept for a warning and the floor, on literal values."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from store.core import ranking
from store.core.model import (
    WORKSPACE,
    Decision,
    DecisionId,
    Place,
    Ranked,
    State,
    Status,
    Verdict,
    Voices,
)
from store.core.questions import Reading, Window
from store.core.ranking import Candidate, Floor, Fused, Fusion, Parameters, Signals, Term

PLAIN = Reading(text="why", past=False)
PAST = Reading(text="what failed", past=True)
FAILED = Voices(failed=1, label=Verdict.FAILED)
WORKED = Voices(worked=1, label=Verdict.WORKED)


def decision(
    id: str,
    *,
    status: Status = Status.ACCEPTED,
    state: State = State.CURRENT,
    voices: Voices | None = None,
    day: date | None = None,
    superseded_by: tuple[str, ...] = (),
) -> Decision:
    return Decision(
        id=DecisionId(id),
        title=f"Title of {id}",
        place=Place(source="slack", anchor=id),
        scope=WORKSPACE,
        status=status,
        state=State.SUPERSEDED if superseded_by else state,
        confirmed=True,
        recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
        decided_on=day,
        voices=voices or Voices(),
        superseded_by=tuple(map(DecisionId, superseded_by)),
    )


def candidate(score: float, of: Decision) -> Candidate:
    return Candidate(decision=of, fused=Fused(score=score, words=score / 2, meaning=score / 2))


def ranked(score: float, of: Decision) -> Ranked:
    return Ranked(decision=of, score=score)


def ids(given: tuple[Ranked, ...]) -> list[str]:
    return [each.decision.id for each in given]


def hits(**scores: float) -> tuple[tuple[DecisionId, float], ...]:
    return tuple((DecisionId(id), score) for id, score in scores.items())


# --- words as a share ---------------------------------------------------------------------------


def test_a_share_of_words_is_one_where_every_term_saturates() -> None:
    ceiling = ranking.BM25_CEILING * (ranking.rarity(1, 100) + ranking.rarity(3, 100))

    share = ranking.share_of_words(ceiling, [1, 3], 100)

    assert share == pytest.approx(1.0)


def test_a_term_that_no_document_has_lowers_every_share() -> None:
    known = ranking.share_of_words(4.0, [2], 100)

    with_unknown = ranking.share_of_words(4.0, [2, 0], 100)

    assert with_unknown < known / 2


def test_no_terms_share_nothing() -> None:
    share = ranking.share_of_words(1.0, [], 10)

    assert share == 0.0


def test_rarity_is_never_negative() -> None:
    rarities = [ranking.rarity(frequency, 10) for frequency in range(11)]

    assert rarities == sorted(rarities, reverse=True)
    assert min(rarities) >= 0


# --- fusion -------------------------------------------------------------------------------------


@pytest.mark.parametrize("fusion", Fusion)
def test_what_both_retrievers_put_first_is_first(fusion: Fusion) -> None:
    words, meaning = hits(a=0.6, b=0.3, c=0.1), hits(a=0.7, c=0.4, d=0.2)

    fused = ranking.fuse(words, meaning, Parameters(fusion=fusion))

    assert ranking.best_fused(fused, 4)[0] == "a"
    assert set(fused) == {"a", "b", "c", "d"}


@pytest.mark.parametrize("fusion", Fusion)
def test_one_retriever_alone_keeps_its_order(fusion: Fusion) -> None:
    words = hits(a=0.6, b=0.3, c=0.1)

    by_words = ranking.best_fused(ranking.fuse(words, (), Parameters(fusion=fusion)), 3)
    by_meaning = ranking.best_fused(ranking.fuse((), words, Parameters(fusion=fusion)), 3)

    assert by_words == by_meaning == ("a", "b", "c")


def test_what_only_the_words_found_counts_as_near_as_the_last_of_the_vectors() -> None:
    fused = ranking.fuse(hits(a=0.5), hits(b=0.6, c=0.2), Parameters(words_weight=1.0))

    assert fused[DecisionId("a")].score == pytest.approx(0.7)
    assert fused[DecisionId("a")].meaning is None


def test_nothing_found_fuses_to_nothing() -> None:
    assert ranking.fuse((), ()) == {}


def test_equals_end_at_the_id() -> None:
    fused = ranking.fuse(hits(b=0.5, a=0.5, c=0.5), ())

    assert ranking.best_fused(fused, 2) == ("a", "b")


# --- first phase --------------------------------------------------------------------------------


def test_what_is_superseded_is_hidden_and_what_replaced_it_takes_its_place() -> None:
    old, new, other = decision("old", superseded_by=("new",)), decision("new"), decision("other")

    first = ranking.first_phase([candidate(0.9, old), candidate(0.2, new), candidate(0.5, other)], PLAIN)

    assert ids(first) == ["new", "other"]
    assert [reason.note for reason in first[0].reasons if reason.name == "replaced"] == ["Title of old"]


def test_a_chain_of_replacements_leads_to_what_holds_now() -> None:
    chain = [decision("a", superseded_by=("b",)), decision("b", superseded_by=("c",)), decision("c")]

    first = ranking.first_phase([candidate(0.9 - n / 10, each) for n, each in enumerate(chain)], PLAIN)

    assert ids(first) == ["c"]
    assert first[0].score == pytest.approx(0.9 * ranking.DEFAULTS.heir_share)


def test_a_circle_of_replacements_ends() -> None:
    circle = [decision("a", superseded_by=("b",)), decision("b", superseded_by=("a",))]

    first = ranking.first_phase([candidate(0.9, each) for each in circle], PLAIN)

    assert first == ()


def test_a_successor_that_the_reader_cannot_see_gets_nothing() -> None:
    old = decision("old", superseded_by=("secret",))

    first = ranking.first_phase([candidate(0.9, old)], PLAIN)

    assert first == ()


def test_a_question_about_the_past_reaches_what_was_superseded() -> None:
    old, new = decision("old", superseded_by=("new",)), decision("new")

    first = ranking.first_phase([candidate(0.9, old), candidate(0.2, new)], PAST)

    assert ids(first) == ["old", "new"]


def test_what_was_taken_back_is_never_shown() -> None:
    gone = decision("gone", state=State.RETRACTED)

    first = ranking.first_phase([candidate(0.9, gone)], PAST)

    assert first == ()


@pytest.mark.parametrize("status", Status)
def test_no_status_changes_a_score(status: Status) -> None:
    first = ranking.first_phase([candidate(0.6, decision("a", status=status))], PLAIN)

    assert first[0].score == 0.6


def test_a_question_for_the_decisions_of_some_days_leaves_others_out() -> None:
    march = Window(since=date(2026, 3, 1), until=date(2026, 3, 31), words="in March")
    given = [decision("in", day=date(2026, 3, 31)), decision("out", day=date(2026, 4, 1)), decision("undated")]

    first = ranking.first_phase(
        [candidate(0.5, each) for each in given], Reading(text="", past=False, window=march, narrows=True)
    )

    assert ids(first) == ["in"]


def test_days_that_a_question_only_mentions_favour_and_leave_nothing_out() -> None:
    march = Window(since=date(2026, 3, 1), until=None, words="since March")
    given = [decision("after", day=date(2026, 4, 1)), decision("before", day=date(2026, 2, 1))]

    first = ranking.first_phase([candidate(0.5, each) for each in given], Reading(text="", past=False, window=march))

    assert ids(first) == ["after", "before"]
    assert first[0].score > first[1].score


def test_each_place_has_its_reasons() -> None:
    first = ranking.first_phase([candidate(0.6, decision("a"))], PLAIN)

    assert [(reason.name, reason.value) for reason in first[0].reasons] == [("words", 0.3), ("meaning", 0.3)]


# --- second phase -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("worked", "failed", "factor"),
    [(0, 0, 1.0), (1, 0, 1.5), (7, 0, 1.5), (0, 1, 0.3), (0, 4, 0.3), (1, 1, (1.5 * 0.3) ** 0.5)],
)
def test_the_outcome_factor(worked: int, failed: int, factor: float) -> None:
    assert ranking.outcome_factor(Voices(worked=worked, failed=failed)) == pytest.approx(factor)


def test_pending_voices_change_nothing() -> None:
    assert ranking.outcome_factor(Voices(pending_failed=1, pending_worked=1)) == 1.0


def test_failure_pushes_down_and_success_lifts() -> None:
    first = [
        ranked(0.8, decision("failed", voices=FAILED)),
        ranked(0.6, decision("plain")),
        ranked(0.5, decision("ok", voices=WORKED)),
    ]

    order = ranking.second_phase(first, PLAIN)

    assert ids(order) == ["plain", "ok", "failed"]
    assert order[-1].score == pytest.approx(0.3 * 0.8**3)
    assert order[-1].reasons[-1].note == "0 worked, 1 failed"


def test_what_worked_passes_what_is_nearly_as_good_and_no_more() -> None:
    first = [ranked(0.8, decision("best")), ranked(0.6, decision("plain")), ranked(0.55, decision("ok", voices=WORKED))]

    order = ranking.second_phase(first, PLAIN)

    assert ids(order) == ["best", "ok", "plain"]


def test_without_outcomes_the_order_of_the_first_phase_stands() -> None:
    first = [ranked(0.8, decision("failed", voices=FAILED)), ranked(0.6, decision("ok", voices=WORKED))]

    order = ranking.second_phase(first, PLAIN, outcomes=False)

    assert ids(order) == ["failed", "ok"]


def test_exactly_ten_are_scored_again() -> None:
    first = [ranked(1 - n / 100, decision(f"{n:02}")) for n in range(11)]
    first.append(ranked(0.5, decision("99", voices=WORKED)))

    order = ranking.second_phase(first, PLAIN)

    assert len(order) == 10
    assert "99" not in ids(order)


def test_a_question_about_the_past_switches_outcomes_off() -> None:
    first = [ranked(0.8, decision("failed", voices=FAILED)), ranked(0.6, decision("plain"))]

    order = ranking.second_phase(first, PAST)

    assert ids(order) == ["failed", "plain"]


# --- the place kept for a warning ---------------------------------------------------------------


def ten(**special: Decision) -> list[Ranked]:
    given = [ranked(1 - n / 100, decision(f"d{n}")) for n in range(10)]
    for place, of in special.items():
        n = int(place[1:])
        given[n] = replace(given[n], decision=of)
    return given


@pytest.mark.parametrize(
    "warning",
    [decision("warning", voices=FAILED), decision("warning", status=Status.REJECTED)],
    ids=["failed", "rejected"],
)
def test_the_best_warning_of_the_ten_takes_fifth_place(warning: Decision) -> None:
    shown = ranking.place_warning(ten(d7=warning, d9=decision("worse", status=Status.REJECTED)))

    assert ids(shown) == ["d0", "d1", "d2", "d3", "warning"]
    assert [each.cautionary for each in shown] == [False, False, False, False, True]


def test_a_warning_that_earned_a_higher_place_keeps_it() -> None:
    shown = ranking.place_warning(
        ten(d1=decision("earned", status=Status.REJECTED), d6=decision("next", voices=FAILED))
    )

    assert ids(shown) == ["d0", "earned", "d2", "d3", "d4"]
    assert shown[1].cautionary


def test_what_was_withdrawn_is_no_warning() -> None:
    shown = ranking.place_warning(ten(d6=decision("withdrawn", status=Status.WITHDRAWN)))

    assert ids(shown) == ["d0", "d1", "d2", "d3", "d4"]


def test_fewer_than_five_stay_as_they_are() -> None:
    shown = ranking.place_warning(ten()[:3])

    assert ids(shown) == ["d0", "d1", "d2"]


# --- the floor ----------------------------------------------------------------------------------


FLOOR = Floor(bias=-0.5, cosine=1.0, missing=-0.1, unknown=-1.0, growth=0.0, narrows=0.2)


def seen(**changes: Any) -> Signals:
    return replace(Signals(cosine=0.6, missing=0.0, unknown=False, documents=100), **changes)


@pytest.mark.parametrize(("cosine", "clears"), [(0.49, False), (0.5, True), (0.9, True)])
def test_nearness_clears_the_floor(cosine: float, clears: bool) -> None:
    assert (ranking.certainty(seen(cosine=cosine), FLOOR) >= 0) is clears


def test_words_that_the_best_candidates_lack_count_against_an_answer() -> None:
    assert ranking.certainty(seen(missing=2.0), FLOOR) < 0 < ranking.certainty(seen(missing=0.5), FLOOR)


def test_a_name_that_nothing_has_counts_against_an_answer() -> None:
    assert ranking.certainty(seen(unknown=True), FLOOR) < 0


def test_a_larger_memory_must_be_surer_up_to_what_was_measured() -> None:
    sure = [ranking.certainty(seen(documents=n), ranking.FLOOR) for n in (1, 100, 500, 1_000, 100_000)]

    assert sure == sorted(sure, reverse=True)
    assert sure[0] == sure[1]
    assert sure[3] == sure[4]


def test_the_signals_are_of_the_best_candidates() -> None:
    terms = [
        Term(word="kafka", frequency=2, held_by=frozenset({DecisionId("a")})),
        Term(word="zebra", frequency=0, is_name=True),
    ]
    best = [DecisionId(id) for id in "abcd"]

    found = ranking.signals(best, [Fused(score=1, meaning=0.7), Fused(score=1)], terms, documents=50)

    assert found.cosine == 0.7
    assert found.unknown
    assert found.missing == pytest.approx(ranking.rarity(0, 50) / 2)


def test_what_the_fourth_best_has_is_not_looked_at() -> None:
    terms = [Term(word="kafka", frequency=1, held_by=frozenset({DecisionId("d")}))]

    found = ranking.signals([DecisionId(id) for id in "abcd"], [], terms, documents=50)

    assert found.missing == pytest.approx(ranking.rarity(1, 50))


def test_a_name_that_something_has_is_known() -> None:
    terms = [Term(word="kafka", frequency=1, is_name=True)]

    found = ranking.signals([], [], terms, documents=50)

    assert not found.unknown


def test_no_words_and_nothing_found_give_empty_signals() -> None:
    assert ranking.signals([], [], [], documents=0) == Signals(cosine=0.0, missing=0.0, unknown=False, documents=0)


# --- one decision told twice --------------------------------------------------------------------


def test_of_two_that_are_the_same_the_better_stands() -> None:
    given = [candidate(0.5, decision("a")), candidate(0.7, decision("b")), candidate(0.6, decision("c"))]

    standing = ranking.as_one(given, [(DecisionId("a"), DecisionId("b")), (DecisionId("x"), DecisionId("c"))])

    assert [each.decision.id for each in standing] == ["b", "c"]


def test_of_two_equals_the_smaller_id_stands() -> None:
    given = [candidate(0.5, decision("b")), candidate(0.5, decision("a"))]

    standing = ranking.as_one(given, [(DecisionId("a"), DecisionId("b"))])

    assert [each.decision.id for each in standing] == ["a"]


def test_those_that_are_the_same_through_others_are_one_with_the_best_score_and_go_along() -> None:
    given = [candidate(0.5, decision("a")), candidate(0.7, decision("b")), candidate(0.6, decision("c"))]
    pairs = [(DecisionId("a"), DecisionId("b")), (DecisionId("a"), DecisionId("c"))]

    (standing,) = ranking.as_one(given, pairs)

    assert (standing.decision.id, standing.fused.score) == ("b", 0.7)
    assert [each.id for each in standing.also] == ["c", "a"]


def test_what_was_replaced_stands_for_its_equals_and_what_was_removed_for_itself() -> None:
    replaced = decision("a", state=State.SUPERSEDED, superseded_by=("x",))
    given = [
        candidate(0.5, replaced),
        candidate(0.7, decision("b")),
        candidate(0.6, decision("c", state=State.RETRACTED)),
    ]
    pairs = [(DecisionId("a"), DecisionId("b")), (DecisionId("b"), DecisionId("c"))]

    standing = ranking.as_one(given, pairs)

    assert [(each.decision.id, each.fused.score) for each in standing] == [("a", 0.7), ("c", 0.6)]


def test_two_of_which_one_replaced_the_other_are_two() -> None:
    replaced = decision("a", state=State.SUPERSEDED, superseded_by=("b",))
    given = [candidate(0.5, replaced), candidate(0.7, decision("b"))]

    standing = ranking.as_one(given, [(DecisionId("a"), DecisionId("b"))])

    assert [each.decision.id for each in standing] == ["a", "b"]
