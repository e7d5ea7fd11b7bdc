"""Whether a later decision turns on an earlier one, on literal statements."""

from __future__ import annotations

import pytest

from store import Alternative, Bearing, Draft, Quote, Status, alike, bearing


def said(title: str, *options: str, quote: str = "", about: tuple[str, ...] = (), turned_down: bool = False) -> Draft:
    return Draft(
        title=title,
        status=Status.REJECTED if turned_down else Status.ACCEPTED,
        alternatives=tuple(Alternative(option=option) for option in options),
        elements=about,
        evidence=(Quote(quote=quote),) if quote else (),
    )


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        (
            said("Payouts go out daily", "stay weekly", about=("ledger",)),
            said("Weekly payouts on Monday", about=("ledger",)),
        ),
        (said("Sessions go back to Postgres from Redis"), said("Login sessions move from Postgres to Redis")),
        (
            said("The edge limit is gone", quote="the global edge limit is removed for good", about=("service:api",)),
            said("One global edge limit in front of the API", about=("api",)),
        ),
    ],
)
def test_what_turns_the_earlier_choice_down_or_says_that_it_goes_replaces_it(newer: Draft, older: Draft) -> None:
    assert bearing(newer, older) is Bearing.REPLACES


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        (
            said("Batch jobs retry 5 times with backoff", about=("job-runner",)),
            said("Batch jobs retry 3 times with backoff", about=("job-runner",)),
        ),
        (
            said("Order lists show one time of arrival", about=("eta",)),
            said("Arrival is always shown as a window", "one single time", about=("eta",)),
        ),
    ],
)
def test_another_number_of_the_same_thing_or_what_was_turned_down_pulls_against_it(newer: Draft, older: Draft) -> None:
    assert bearing(newer, older) is Bearing.PULLS_AGAINST


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        (said("Python 3.14 release schedule"), said("Python 3.12 release schedule")),
        (said("Budget for the search team 2026"), said("Budget for the search team 2025")),
        (said("Search stays on Postgres for now"), said("Search stays on Postgres")),
        (said("Cache geocodes in Postgres for 90 days"), said("Idempotency keys in Postgres for 2 days")),
        (said("No more nightly reindex", "nightly reindex"), said("Invoices are sent as PDF")),
        (said("Typesense is out", "Typesense", turned_down=True), said("Search runs on Typesense")),
        (said(""), said("")),
    ],
)
def test_likeness_alone_says_nothing(newer: Draft, older: Draft) -> None:
    assert bearing(newer, older) is None


def test_a_title_worded_anew_is_alike_and_another_choice_is_not() -> None:
    assert alike("Search stays on Postgres", "Search stays on Postgres for now")
    assert not alike("Search stays on Postgres", "Search moves to Elasticsearch")
