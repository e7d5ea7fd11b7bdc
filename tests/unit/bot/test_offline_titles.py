"""Titles: the deciding words without how people start and end such a sentence."""

from __future__ import annotations

import pytest

from bot.offline.titles import MOST_CHARACTERS, bare_sentence, title_of, topic_of
from tests.builders_offline import thread_of

ROOT = "where do the thumbnails live? bucket or database?"


def title(sentence: str, root: str = ROOT) -> str:
    return title_of(sentence, thread_of(("Ana", root), ("Raj", sentence)))


@pytest.mark.parametrize(
    ("sentence", "bare"),
    [
        ("ok so: key table in the payments Postgres, kept 24h.", "key table in the payments Postgres, kept 24h"),
        ("Settled: access tokens 15 min, all clients.", "access tokens 15 min, all clients"),
        ("Right, weekly payouts on Monday, done.", "weekly payouts on Monday"),
        ("let's go with dual writes from the api layer", "dual writes from the api layer"),
        ("Then we stay on SwiftPay alone.", "we stay on SwiftPay alone"),
        ("then parameter store it is, no self hosted Vault.", "parameter store, no self hosted Vault"),
        ("ok calling it. No Elasticsearch for logs.", "No Elasticsearch for logs"),
        ("Good Friday, 08:00 to 12:00.", "Good Friday, 08:00 to 12:00"),
        ("*agreed*, _amounts_ are `order_id` integers :tada:", "amounts are `order_id` integers"),
        ("quiet hours 22:00-07:00 for all", "quiet hours 22:00-07:00 for all"),
        ("so no monorepo.", "no monorepo"),
        ("Let's go with that: failed calls are retried.", "failed calls are retried"),
        ("Then it's decided: no meetings on Wednesdays.", "no meetings on Wednesdays"),
        ("not doing the rewrite", "not doing the rewrite"),
        ("Fine with me: retries stop after five.", "retries stop after five"),
        ("In short: five attempts within one hour", "five attempts within one hour"),
    ],
)
def test_openers_and_closers_go_and_denials_stay(sentence: str, bare: str) -> None:
    assert bare_sentence(sentence) == bare


def test_a_title_starts_with_a_capital_but_a_name_keeps_its_own() -> None:
    assert title("ok thumbnails go to the bucket") == "Thumbnails go to the bucket"
    assert title("`thumb_url` stays in the bucket") == "`thumb_url` stays in the bucket"


@pytest.mark.parametrize(
    ("sentence", "root", "expected"),
    [
        ("Redgrove then.", "pentest quotes: Redgrove 18k, Ostler 11k", "Pentest quotes: Redgrove"),
        ("Buy.", "Printers. Do we lease or buy at renewal?", "Printers: Buy"),
        ("mode.", "should we have permadeath in the first release?", "Have permadeath in the first release: mode"),
        ("then do it.", "we have to decide on the offsite in Lisbon", "The offsite in Lisbon: do it"),
    ],
)
def test_words_that_say_too_little_stand_behind_what_the_thread_is_about(
    sentence: str, root: str, expected: str
) -> None:
    assert title(sentence, root) == expected


def test_a_word_that_many_turns_repeat_says_what_a_short_title_is_about() -> None:
    thread = thread_of(
        ("Ana", "the payouts come when somebody remembers"),
        ("Raj", "payouts cost 9 euro a file"),
        ("Mia", "weekly payouts?"),
        ("Ana", "ok Tuesdays and Fridays it is"),
    )

    assert title_of("ok Tuesdays and Fridays it is", thread) == "Payouts: Tuesdays and Fridays"


def test_a_decision_in_the_first_turn_needs_no_topic() -> None:
    assert title("ship it", root="ship it") == "Ship it"


def test_a_long_title_ends_at_a_clause() -> None:
    sentence = (
        "agreed, amounts are integers in minor units with a currency field, everywhere: API, columns and bus events,"
        " and no floats past the parser"
    )

    assert title(sentence) == "Amounts are integers in minor units with a currency field, everywhere"


def test_a_reason_is_no_part_of_a_long_title() -> None:
    sentence = "we stay on the current provider for another year because the migration would cost five months"

    assert title(sentence) == "We stay on the current provider for another year"


@pytest.mark.parametrize(
    "sentence", ["then " * 40 + "go", "x" * 300, "a, " * 60, "we move the " + "very " * 40 + "big table"]
)
def test_no_title_is_longer_than_its_limit(sentence: str) -> None:
    assert 0 < len(title(sentence)) <= MOST_CHARACTERS


def test_a_sentence_of_nothing_but_openers_is_kept_as_it_is() -> None:
    assert title("ok then", root="hm") != ""


def test_a_denial_that_names_its_thing_needs_no_topic() -> None:
    thread = thread_of(
        ("ana", "can we talk about one big repository? the schema took six reviews"),
        ("raj", "the schema again"),
        ("omar", "no monorepo"),
        ("ana", "the schema stays where it is"),
    )

    assert title_of("no monorepo", thread) == "No monorepo"


def test_who_did_something_is_no_part_of_a_topic() -> None:
    assert title("keeping it", root="did anyone change the log level? I see debug lines").startswith("The log level")


def test_a_greeting_is_no_topic() -> None:
    assert topic_of("hi all. the backup job takes nine hours") == "backup job takes nine hours"


def test_without_words_there_is_no_topic() -> None:
    assert topic_of("???") == ""


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("quick one: we keep the standup at 9:30", "We keep the standup at 9:30"),
        ("fyi after talking to everyone: we're moving the handover to Tuesday", "We're moving the handover to Tuesday"),
        ("we're going to freeze the schema on Friday", "Freeze the schema on Friday"),
        ("ok go Clerk for the login", "Clerk for the login"),
        ("hourly for everybody and 15 min if they opt in", "Hourly for everybody and 15 min if they opt in"),
        (
            "we share the client via codegen and leave it at that",
            "We share the client via codegen and leave it at that",
        ),
    ],
)
def test_how_people_begin_is_left_out_and_a_sentence_that_ends_is_not_cut(said: str, title: str) -> None:
    assert title_of(said, thread_of(("Ana", "where were we with this?"), ("Raj", said))) == title


def test_numbers_alone_say_nothing_without_what_they_are_about() -> None:
    thread = thread_of(("Ana", "Swift renewal: 12 months or 36?"), ("Raj", "let's take the 12 months"))

    assert title_of("let's take the 12 months", thread) == "Swift renewal: take the 12 months"
