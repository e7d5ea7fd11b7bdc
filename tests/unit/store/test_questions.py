"""Which days a question names and whether it asks for the past."""

from datetime import date

import pytest

from store.core.questions import names_in, read, subject, window_of

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("what did we decide in March?", "2026-03-01", "2026-03-31"),
        ("what did we decide in December?", "2025-12-01", "2025-12-31"),
        ("decisions of last quarter", "2026-07-01", "2026-09-30"),
        ("what changed this quarter", "2026-10-01", "2026-12-31"),
        ("what was agreed last month", "2026-10-01", "2026-10-31"),
        ("what was agreed last week", "2026-11-23", "2026-11-29"),
        ("what was agreed last year", "2025-01-01", "2025-12-31"),
        ("what was agreed in the last 10 days", "2026-11-20", "2026-11-30"),
        ("what was decided yesterday", "2026-11-29", "2026-11-29"),
        ("what was decided in the first quarter of 2026", "2026-01-01", "2026-03-31"),
        ("what was decided in Q4 2025", "2025-10-01", "2025-12-31"),
        ("anything since September 2026", "2026-09-01", None),
        ("anything since 2026-05-02?", "2026-05-02", None),
        ("what did we choose before 2026", None, "2025-12-31"),
        ("what did we choose after June", "2026-07-01", None),
        ("decisions between June and August 2026", "2026-06-01", "2026-08-31"),
        ("decisions from November 2025 to February 2026", "2025-11-01", "2026-02-28"),
        ("what was decided on 2026-05-02", "2026-05-02", "2026-05-02"),
        ("what was decided in 2025?", "2025-01-01", "2025-12-31"),
        ("what was agreed in the past couple of weeks", "2026-11-16", "2026-11-30"),
        ("decided until March 2026", None, "2026-03-31"),
    ],
)
def test_days_are_read(question: str, since: str | None, until: str | None) -> None:
    window = window_of(question, TODAY)

    assert window is not None
    assert (window.since, window.until) == tuple(day and date.fromisoformat(day) for day in (since, until))


@pytest.mark.parametrize(
    "question",
    [
        "what changed since the migration?",
        "may we use Rust?",
        "who decided on 2026-02-31?",
        "why is the march of time slow?",
        "why 2026 connections?",
        "what happened with the SLA since launch?",
        "",
        "なぜPostgresを選んだのですか",
        "what did we do on our last day?",
        "the next of this 3 weeks",
    ],
)
def test_what_is_no_date_narrows_nothing(question: str) -> None:
    assert window_of(question, TODAY) is None


def test_the_words_of_the_days_are_left_out_of_the_search() -> None:
    reading = read("What was decided on Kafka in December 2025?", TODAY)

    assert reading.text == "What was decided on Kafka ?"
    assert reading.narrows


def test_a_question_of_nothing_but_days_keeps_its_words() -> None:
    assert read("in March", TODAY).text == "in March"


def test_a_day_that_is_only_mentioned_does_not_narrow() -> None:
    reading = read("Why did couriers get kicked out in June?", TODAY)

    assert reading.window is not None
    assert not reading.narrows


@pytest.mark.parametrize(
    "question",
    [
        "Has anyone tried throttling before?",
        "What went wrong when we kept it in memory?",
        "Who turned down GraphQL?",
        "how did the payout rhythm develop?",
        "which plan was replaced by zoneinfo?",
        "what was rejected?",
        "was there ever a proposal for a do loop?",
        "What is the history of the order key?",
        "why was the flag refused?",
    ],
)
def test_a_question_for_what_failed_was_rejected_or_came_before_is_about_the_past(question: str) -> None:
    assert read(question, TODAY).past


@pytest.mark.parametrize(
    "question",
    [
        "Why do merchants get their money on two fixed weekdays?",
        "What key do order messages use on Kafka today?",
        "Who decided that refunds go through the ledger?",
        "why does a string literal refuse backslash-x above 7F?",
        "how many card processors can take money?",
    ],
)
def test_other_questions_are_about_what_holds(question: str) -> None:
    assert not read(question, TODAY).past


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Why did we leave Snowflake for BigQuery?", {"snowflake", "bigquery"}),
        ("Kafka: why? Redis too?", set()),
        ("edge-Proxy woke me. What is PAPI?", {"proxy", "papi"}),
        ("WHY DID WE CHOOSE REDIS", set()),
        ("why is größe fine in Köln", {"köln"}),
        ("", set()),
    ],
)
def test_names_are_words_with_a_capital_that_no_sentence_begins_with(question: str, names: set[str]) -> None:
    assert names_in(question) == names


def test_the_decisions_of_days_gone_by_are_about_the_past() -> None:
    assert read("What was decided on Kafka in December 2025?", TODAY).past
    assert not read("What was decided on Kafka since October 2026?", TODAY).past


@pytest.mark.parametrize(
    ("question", "bare"),
    [
        ("Why did we choose Postgres?", "choose Postgres?"),
        ("how come type hints are lazy?", "type hints are lazy?"),
        ("Who decided that refunds go through the ledger?", "decided that refunds go through the ledger?"),
        ("Is it true that somebody asked for Roman numerals?", "somebody asked for Roman numerals?"),
        ("kafka-main: which choices?", "kafka-main: which choices?"),
        ("why", "why"),
        ("", ""),
    ],
)
def test_the_subject_is_the_question_without_what_makes_it_one(question: str, bare: str) -> None:
    assert subject(question) == bare
