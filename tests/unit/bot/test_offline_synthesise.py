"""Answers by quoting: each claim cites evidence that bears it, and nothing is said beyond it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from bot.evidence import words_of
from bot.offline import OfflineSynthesiser
from bot.ports import Claim, ClaimKind, Evidence, Synthesis
from store import (
    Alternative,
    Decision,
    DecisionId,
    Person,
    Place,
    Scope,
    State,
    Status,
    Verdict,
    Voices,
    verify_claims,
)

BASE = Decision(
    id=DecisionId("d1"),
    title="Search stays on Postgres",
    place=Place(source="slack", anchor="C1/1"),
    scope=Scope(id="channel:C1", open=True),
    status=Status.ACCEPTED,
    state=State.CURRENT,
    confirmed=True,
    recorded_at=datetime(2026, 3, 5, tzinfo=UTC),
    rationale="nobody on call knows Elasticsearch. trigrams get us to 80 ms.",
    decided_on=date(2026, 3, 4),
    decided_by=(Person(name="Lena"), Person(name="Omar")),
    alternatives=(
        Alternative(option="Elasticsearch", reason="a second cluster to run"),
        Alternative(option="Typesense"),
    ),
    revisit_when="past 5 M rows",
)
SAID = Evidence(
    n=1, decision=BASE, quote="ok search stays on Postgres then", author="Lena", at=date(2026, 3, 4), label="#search"
)
WHY = replace(SAID, n=2, quote="nobody on call knows Elasticsearch", author="Omar")
OTHER = replace(
    BASE,
    id=DecisionId("d2"),
    title="Order search moves to Meilisearch",
    decided_by=(Person(name="Raj"),),
    alternatives=(),
    rationale="",
    revisit_when="",
)
OTHER_SAID = Evidence(
    n=3,
    decision=OTHER,
    quote="order search moves to Meilisearch from May",
    author="Raj",
    at=date(2026, 8, 2),
    label="#data",
)


def answered(*evidence: Evidence, contested: bool = False) -> Synthesis:
    return OfflineSynthesiser().synthesise("why Postgres for search?", evidence, contested=contested, deadline_s=1.0)


def line(synthesis: Synthesis, kind: ClaimKind) -> Claim | None:
    return next((claim for claim in synthesis.claims if claim.kind is kind), None)


def text_of(synthesis: Synthesis, kind: ClaimKind) -> str:
    claim = line(synthesis, kind)
    return claim.text if claim else ""


def test_without_evidence_nothing_is_claimed() -> None:
    assert answered().claims == ()


def test_the_headline_says_what_holds_since_when_and_who_decided() -> None:
    synthesis = answered(SAID, WHY)

    assert synthesis.claims[0] == Claim(
        kind=ClaimKind.HEADLINE,
        text="Search stays on Postgres. In force since 4 Mar 2026, Lena and Omar",
        citations=(1,),
    )


def test_the_reason_is_quoted_from_the_line_that_gives_it() -> None:
    synthesis = answered(SAID, WHY)

    assert line(synthesis, ClaimKind.WHY) == Claim(
        kind=ClaimKind.WHY, text="“nobody on call knows Elasticsearch”", citations=(2,)
    )


def test_what_lost_is_named_with_its_reason() -> None:
    synthesis = answered(SAID, WHY)

    assert text_of(synthesis, ClaimKind.INSTEAD_OF) == "Elasticsearch, a second cluster to run · Typesense"


@pytest.mark.parametrize(
    ("voices", "said"),
    [
        (Voices(worked=3, label=Verdict.WORKED), "worked. Look again: past 5 M rows"),
        (Voices(failed=2, label=Verdict.FAILED), "it didn't work. Look again: past 5 M rows"),
        (Voices(pending_failed=1), "1 person says it didn't work. Look again: past 5 M rows"),
        (Voices(pending_failed=2), "2 people say it didn't work. Look again: past 5 M rows"),
        (Voices(), "look again past 5 M rows"),
    ],
)
def test_what_came_of_it_is_said(voices: Voices, said: str) -> None:
    synthesis = answered(replace(SAID, decision=replace(BASE, voices=voices)))

    assert text_of(synthesis, ClaimKind.SINCE) == said


def test_a_condition_that_was_a_sentence_goes_on_in_ours() -> None:
    synthesis = answered(replace(SAID, decision=replace(BASE, revisit_when="If the bill doubles")))

    assert text_of(synthesis, ClaimKind.SINCE) == "look again if the bill doubles"


@pytest.mark.parametrize(
    ("status", "state", "said"),
    [
        (Status.REJECTED, State.CURRENT, "Search stays on Postgres. Turned down 4 Mar 2026, Lena and Omar"),
        (Status.PROPOSED, State.CURRENT, "Search stays on Postgres. Proposed 4 Mar 2026, not decided, Lena and Omar"),
        (Status.WITHDRAWN, State.CURRENT, "Search stays on Postgres. Withdrawn 4 Mar 2026, Lena and Omar"),
        (
            Status.ACCEPTED,
            State.SUPERSEDED,
            "Search stays on Postgres. No longer: replaced by a later decision, Lena and Omar",
        ),
        (Status.ACCEPTED, State.RETRACTED, "Search stays on Postgres. Taken back since"),
    ],
)
def test_the_headline_says_when_it_does_not_hold(status: Status, state: State, said: str) -> None:
    synthesis = answered(replace(SAID, decision=replace(BASE, status=status, state=state)))

    assert synthesis.claims[0].text == said


def test_what_replaced_the_best_match_is_the_answer() -> None:
    old = replace(BASE, state=State.SUPERSEDED, superseded_by=(OTHER.id,))

    synthesis = answered(replace(SAID, decision=old), OTHER_SAID)

    assert synthesis.claims[0].citations == (3,)


def test_a_mere_warning_is_not_the_answer() -> None:
    failed = replace(OTHER, voices=Voices(failed=2, label=Verdict.FAILED))

    synthesis = answered(replace(OTHER_SAID, n=1, decision=failed, cautionary=True), replace(SAID, n=2))

    assert synthesis.claims[0].citations == (2,)
    assert text_of(synthesis, ClaimKind.TRIED_BEFORE) == "Order search moves to Meilisearch"


def test_a_contested_answer_gives_both_sides_with_their_own_evidence() -> None:
    synthesis = answered(SAID, OTHER_SAID, contested=True)

    sides = [claim for claim in synthesis.claims if claim.kind is ClaimKind.SIDE]
    assert [claim.citations for claim in sides] == [(1,), (3,)]
    assert sides[0].text == "A · “ok search stays on Postgres then” Lena #search 4 Mar 2026"
    assert synthesis.claims[0].citations == (1, 3)


def test_what_is_contested_is_named_and_each_side_says_what_it_holds_in_words_that_stand() -> None:
    one = replace(BASE, sets=(("service:search-api", "retry_policy", "3"),), title="Search retries three times")
    other = replace(OTHER, sets=(("service:search-api", "retry_policy", "5"),), title="Batch jobs retry five times")
    evidence = (
        replace(SAID, decision=one, quote="a key per request, then we back off"), replace(OTHER_SAID, decision=other)
    )  # fmt: skip

    synthesis = answered(*evidence, contested=True)

    kept, refused = verify_claims(synthesis.claims, {each.n: words_of(each) for each in evidence})
    sides = [claim.text for claim in synthesis.claims if claim.kind is ClaimKind.SIDE]
    assert synthesis.claims[0].text == "Contested: two values for retry policy of search-api stand"
    assert sides[0].startswith("A · Search retries three times: “a key per request, then we back off” Lena #search")
    assert (kept, refused) == (synthesis.claims, ())


def test_one_side_alone_is_no_contest() -> None:
    assert line(answered(SAID, contested=True), ClaimKind.SIDE) is None


def test_a_turned_down_proposal_gives_what_was_held_against_it_as_its_reason() -> None:
    turned_down = replace(BASE, title="No Elasticsearch for search", status=Status.REJECTED, rationale="")

    synthesis = answered(replace(SAID, decision=turned_down, quote="so no Elasticsearch for search"))

    assert text_of(synthesis, ClaimKind.WHY) == "a second cluster to run"
    assert line(synthesis, ClaimKind.INSTEAD_OF) is None


def test_without_a_reason_the_deciding_words_are_quoted_where_they_say_more_than_the_title() -> None:
    bare = replace(BASE, rationale="", alternatives=())
    long_quote = "ok search stays on Postgres, trigram index on three columns, revisited yearly by whoever leads ops"

    said_more = answered(replace(SAID, decision=bare, quote=long_quote))
    said_same = answered(replace(SAID, decision=bare))

    assert text_of(said_more, ClaimKind.WHY).startswith("“ok search stays on Postgres")
    assert line(said_same, ClaimKind.WHY) is None


def test_an_answer_has_at_most_eighty_words() -> None:
    wordy = replace(
        BASE,
        title=" ".join(["Search"] * 14),
        rationale=" ".join(["because"] * 60),
        alternatives=tuple(Alternative(option=f"option {n}", reason=" ".join(["slow"] * 40)) for n in range(4)),
        revisit_when=" ".join(["later"] * 40),
    )

    synthesis = answered(replace(SAID, decision=wordy))

    assert sum(len(claim.text.split()) for claim in synthesis.claims) <= 80


def test_every_claim_is_borne_by_the_evidence_it_cites() -> None:
    voiced = replace(BASE, voices=Voices(pending_failed=1))
    failed = replace(OTHER, voices=Voices(failed=2, label=Verdict.FAILED))
    evidence = (replace(SAID, decision=voiced), replace(WHY, decision=voiced), replace(OTHER_SAID, decision=failed))

    for contested in (False, True):
        synthesis = answered(*evidence, contested=contested)
        kept, refused = verify_claims(synthesis.claims, {each.n: words_of(each) for each in evidence})
        assert (kept, refused) == (synthesis.claims, ())


def test_recommended_is_to_follow_what_stands_and_to_look_again_when_they_said_so() -> None:
    steps = answered(SAID, WHY).recommendations

    assert [(step.action_type, step.title, step.citations) for step in steps] == [
        ("follow", "Follow 1", (1,)),
        ("review", "Review 1", (1,)),
    ]


def test_recommended_is_to_settle_what_is_contested() -> None:
    steps = answered(SAID, OTHER_SAID, contested=True).recommendations

    assert (steps[0].action_type, steps[0].citations) == ("settle", (1, 3))


def test_recommended_is_to_avoid_what_failed_or_was_turned_down() -> None:
    failed = replace(OTHER, voices=Voices(failed=2, label=Verdict.FAILED))
    turned_down = replace(
        OTHER, id=DecisionId("d3"), title="No Solr", status=Status.REJECTED, rationale="nobody runs Java"
    )
    evidence = (SAID, replace(OTHER_SAID, decision=failed), replace(OTHER_SAID, n=4, decision=turned_down))

    steps = answered(*evidence).recommendations

    assert [step.title for step in steps] == [
        "Follow 1",
        "Avoid 3 because it didn't work",
        "Avoid 4 because it was turned down",
    ]
    assert steps[2].description == "No Solr: nobody runs Java"
    assert all(step.citations for step in steps)


def test_what_matches_best_is_the_answer_even_if_it_was_turned_down() -> None:
    turned_down = replace(BASE, id=DecisionId("d3"), title="No Elasticsearch for search", status=Status.REJECTED)
    best = replace(SAID, decision=turned_down, cautionary=True, score=0.9)

    synthesis = answered(best, replace(SAID, n=2, score=0.6))

    assert synthesis.claims[0].text.startswith("No Elasticsearch for search. Turned down")
    assert text_of(synthesis, ClaimKind.NOTE) == "Chosen instead: Search stays on Postgres"


def test_a_turned_down_proposal_names_no_choice_of_another_place() -> None:
    turned_down = replace(BASE, status=Status.REJECTED)
    elsewhere = replace(OTHER, place=Place(source="slack", anchor="C9/9"))

    synthesis = answered(replace(SAID, decision=turned_down), replace(OTHER_SAID, decision=elsewhere))

    assert line(synthesis, ClaimKind.NOTE) is None


def test_the_headline_says_that_it_did_not_work() -> None:
    failed = replace(BASE, voices=Voices(failed=2, label=Verdict.FAILED))

    synthesis = answered(replace(SAID, decision=failed))

    assert synthesis.claims[0].text == (
        "Search stays on Postgres. In force since 4 Mar 2026, but it didn't work, Lena and Omar"
    )


def test_a_warning_on_another_matter_is_not_shown_as_tried_before() -> None:
    other_matter = replace(OTHER, title="No websockets on the map", status=Status.REJECTED)

    synthesis = answered(SAID, replace(OTHER_SAID, decision=other_matter, cautionary=True))

    assert line(synthesis, ClaimKind.TRIED_BEFORE) is None


def test_what_fits_the_question_badly_is_no_answer() -> None:
    synthesis = answered(replace(SAID, unsure=True), replace(WHY, unsure=True))

    assert synthesis.claims == ()
    assert synthesis.recommendations == ()


def test_what_was_held_against_an_option_is_said_once() -> None:
    lost = (Alternative(option="Elasticsearch", reason="Nobody on call knows Elasticsearch."),)
    decided = replace(BASE, alternatives=lost)

    synthesis = answered(replace(SAID, decision=decided), replace(WHY, decision=decided))

    assert text_of(synthesis, ClaimKind.WHY) == "“nobody on call knows Elasticsearch”"
    assert text_of(synthesis, ClaimKind.INSTEAD_OF) == "Elasticsearch"


def test_words_that_repeat_the_title_are_no_reason() -> None:
    decided = replace(BASE, rationale="", alternatives=())
    said = (
        "let's say that search stays on Postgres and that it will go on doing so for as long as it can be, which is "
        * 2
    )
    line_of = replace(
        SAID, decision=decided, quote=f"{said}; the old page keeps its own query until somebody rewrites it"
    )

    assert line(answered(line_of), ClaimKind.WHY) is None


def test_words_that_are_cut_short_say_so() -> None:
    reason = "it would be one more cluster that somebody has to patch and back up and watch every single night"
    decided = replace(BASE, alternatives=(Alternative(option="Elasticsearch", reason=reason),))

    synthesis = answered(replace(SAID, decision=decided))

    assert text_of(synthesis, ClaimKind.INSTEAD_OF).endswith("patch and back up and watch…")


def test_what_lost_to_the_decision_itself_was_not_tried_before_it() -> None:
    turned_down = replace(BASE, id=DecisionId("d3"), title="No Elasticsearch for search", status=Status.REJECTED)

    synthesis = answered(SAID, replace(SAID, n=2, decision=turned_down, cautionary=True))

    assert line(synthesis, ClaimKind.TRIED_BEFORE) is None


def test_without_a_day_the_headline_says_only_that_it_is_in_force() -> None:
    undated = replace(BASE, decided_on=None, decided_by=(Person(name="Lena"),))

    synthesis = answered(replace(SAID, decision=undated, at=None))

    assert synthesis.claims[0].text == "Search stays on Postgres. In force, Lena"
