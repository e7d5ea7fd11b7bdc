"""What is a proposal, and what of it was turned down before: by words, and rather silent than wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.slack.answering.said_before import said_before
from bot.turned_down import TurnedDown, proposes, turned_down
from store import Alternative, Decision, Ranked, Reason, State, Status
from tests.builders_messages import decision, lines

KEPT = decision(
    revisit_when="past 5 M rows", alternatives=(Alternative(option="Elasticsearch", reason="nobody on call knows it"),)
)
NO = decision(
    "b", title="No GraphQL on the partner API", status=Status.REJECTED, alternatives=(), rationale="auth is hard"
)
OLD = decision("c", title="Idempotency keys move to Redis", state=State.SUPERSEDED, alternatives=())
NEW = decision("d", title="Idempotency keys back in Postgres", alternatives=(), supersedes=(OLD.id,))


def ranked(one: Decision, fit: float = 0.6, *more: Reason) -> Ranked:
    return Ranked(decision=one, score=fit**3, reasons=(Reason(name="meaning", value=fit), *more))


def met(text: str, *found: Ranked) -> TurnedDown | None:
    return turned_down(text, found, lambda ids: [one for one in (OLD, NEW, KEPT, NO) if one.id in set(ids)])


@pytest.mark.parametrize(
    "text",
    ["could we spin up Elasticsearch for search?", "let's go back to Redis for the keys",
     "hear me out, what if we had GraphQL",
     "I'd vote for tail sampling on all", "anyone against starting with next.js here?"],
)  # fmt: skip
def test_a_proposal_is_known_by_its_words(text: str) -> None:
    assert proposes(text)


@pytest.mark.parametrize(
    "text",
    ["the redis alert fires again, looking", "let's postpone the retrain today", "can it follow",
     "we could " + "x " * 400,
     "how about a runbook for Redis failover?", "should we tell merchants about Monday?", "where do the schemas live?"],
)  # fmt: skip
def test_what_is_done_to_what_one_has_proposes_nothing(text: str) -> None:
    assert not proposes(text)


def test_an_option_that_lost_is_met_by_its_name_or_the_beginning_of_it() -> None:
    for text in ("why not use elasticsearch for search?", "I could spin up an elastic cluster for search"):
        found = met(text, ranked(KEPT))

        assert found is not None
        assert (found.decision, found.option, found.why) == (KEPT, "Elasticsearch", "nobody on call knows it")


def test_what_was_chosen_meets_nothing_however_near_it_is() -> None:
    assert met("should we put the trigram index on postgres too?", ranked(KEPT, 0.9)) is None


def test_a_name_alone_is_not_enough_where_the_matter_is_another() -> None:
    assert met("could we use elasticsearch for the security audit?", ranked(KEPT, 0.4)) is None
    assert met("could we use graphql for the intranet?", ranked(NO, 0.4)) is None


def test_what_was_turned_down_is_met_by_its_meaning_where_that_is_near() -> None:
    assert met("could partners query us with one flexible endpoint?", ranked(NO, 0.5)) is None
    assert met("could partners query us with one flexible endpoint?", ranked(NO, 0.65)) is not None
    assert met("could we give partners a graphql endpoint?", ranked(NO, 0.5)) is not None


def test_what_was_replaced_is_met_by_a_word_that_its_successor_lacks() -> None:
    found = met("let's move the idempotency keys to redis", ranked(NEW))

    assert found is not None
    assert found.decision == OLD
    assert met("let's keep idempotency keys in postgres longer", ranked(NEW)) is None


def test_a_capture_that_nobody_confirmed_meets_nothing() -> None:
    assert met("why not use elasticsearch for search?", ranked(replace(KEPT, confirmed=False))) is None


def test_who_proposes_reads_what_was_turned_down_when_why_and_when_to_look_again() -> None:
    found = met("why not use elasticsearch for search?", ranked(KEPT))

    assert found is not None
    assert lines(said_before(found)) == [
        'Elasticsearch was turned down on 4 Mar 2026: "nobody on call knows it" [1]',
        "Decided instead: Search stays on Postgres. Look again past 5 M rows.",
        "Only you see this. This channel chose it; /why settings changes that.",
    ]
    assert lines(said_before(TurnedDown(decision=NO, fit=1.0, why="auth is hard")))[0] == (
        "Turned down on 4 Mar 2026: No GraphQL on the partner API: auth is hard [1]"
    )
    assert lines(said_before(TurnedDown(decision=OLD, fit=1.0)))[0].startswith(
        "Idempotency keys move to Redis was replaced since; it was decided on 4 Mar 2026"
    )
