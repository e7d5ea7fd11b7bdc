"""Two places say one decision where names or words are sure of it, and never where something tells them apart."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from store import Alternative, Draft, Place, Quote, Status
from store.core.corroboration import Told, is_the_same, told
from store.core.naming_places import names_in, names_of, names_replaced

CHAT = Place(source="slack", anchor="C1/1770976931.116879")
RECORD = Place(source="adr", anchor="0005-keys.md", ref="adr:0005")
TICKET = Place(source="jira", anchor="PAY-233", ref="PAY-233", permalink="https://x.example/browse/PAY-233")
KEYS = "Idempotency keys go to Postgres, partitioned by day"
AGAIN = "Keys for idempotency are stored in one Postgres partition per day"
DAY, WEEKS_LATER, MONTHS_LATER = date(2026, 2, 13), date(2026, 3, 2), date(2026, 6, 1)


def said(title: str, place: Place = CHAT, *, day: date = DAY, thread: str = "", **fields: Any) -> Told:
    return told(Draft(title=title, **{"evidence": (Quote(quote=title),), **fields}), place, day=day, thread=thread)


def test_a_decision_written_down_elsewhere_in_other_words_is_the_same_either_way_round() -> None:
    chat, record = said(KEYS), said(AGAIN, RECORD, day=date(2026, 2, 17))

    alike = is_the_same(chat, record)

    assert alike > 0.8
    assert is_the_same(record, chat) == alike


@pytest.mark.parametrize(
    ("title", "fields"),
    [
        (AGAIN, {"status": Status.REJECTED}),
        ("Idempotency keys don't go to Postgres, partitioned by day", {}),
        ("Idempotency keys go to Postgres in 4 partitions a day", {}),
        ("Idempotency keys go to MySQL, partitioned by day", {}),
        (AGAIN, {"sets": (("service:pay", "keys", "Redis"),)}),
        ("By day, idempotency keys are partitioned in a Redis store", {}),
    ],
    ids=["status", "denial", "number", "a word of a copy", "value", "an option that lost"],
)
def test_whatever_tells_two_decisions_apart_ends_the_matter(title: str, fields: dict[str, Any]) -> None:
    chat = said(
        f"{KEYS}, in 2 tables",
        sets=(("service:pay", "keys", "Postgres"),),
        alternatives=(Alternative(option="a Redis store"), Alternative(option="keep Postgres")),
    )

    assert is_the_same(chat, said(title, RECORD, **fields)) == 0.0


def test_what_is_long_apart_is_the_same_only_where_one_place_names_the_other() -> None:
    record = said(AGAIN, RECORD, day=MONTHS_LATER)

    unnamed, named = said(KEYS), said(KEYS, thread="written down as ADR 5")

    assert is_the_same(unnamed, record) == 0.0
    assert is_the_same(named, record) > 0.0


def test_a_place_that_is_said_to_be_replaced_does_not_say_the_same() -> None:
    newer = said(KEYS, thread="This replaces ADR-0005, which had the keys in one table.")

    assert is_the_same(newer, said(AGAIN, RECORD)) == 0.0


def test_the_longer_two_are_apart_the_more_alike_they_must_be() -> None:
    ticket = said("Payments keeps idempotency keys in Postgres, one partition a day, dropped whole after two", TICKET)
    words = "Idempotency keys sit in Postgres partitions which the nightly cleanup safely detaches"

    soon, later = said(words), said(words, day=WEEKS_LATER)

    assert is_the_same(soon, ticket) > 0.0
    assert is_the_same(later, ticket) == 0.0


def test_two_records_of_one_kind_are_two_decisions_unless_one_names_the_other() -> None:
    one = Place(source="jira", anchor="PAY-1", ref="PAY-1")

    unnamed, named = said(KEYS, one), said(KEYS, one, thread="as in PAY-233")

    assert is_the_same(unnamed, said(AGAIN, TICKET)) == 0.0
    assert is_the_same(named, said(AGAIN, TICKET)) > 0.0


def test_two_threads_of_one_source_must_be_nearly_one() -> None:
    elsewhere = Place(source="slack", anchor="C2/1770980000.000100")
    words = "Payments keeps idempotency keys in Postgres, one partition a day, dropped whole after two"
    like = "Idempotency keys sit in Postgres partitions which the nightly cleanup detaches"

    assert is_the_same(said(words), said(like, elsewhere)) == 0.0
    assert is_the_same(said(words), said(f"FYI: {words}", elsewhere)) > 0.0


def test_a_copy_with_words_of_its_own_is_the_same_only_by_name() -> None:
    longer = f"{KEYS}, for refunds"

    assert is_the_same(said(KEYS), said(longer, TICKET)) == 0.0
    assert is_the_same(said(KEYS, thread="PAY-233"), said(longer, TICKET)) > 0.0


def test_deciding_words_that_differ_in_what_they_chose_decide_two_things() -> None:
    words = "so we stay on {} for this, nobody on call knows the other one"

    one = said("Search stays on Postgres", evidence=(Quote(quote=words.format("postgres")),))
    other = said("Search moves to elastic", TICKET, evidence=(Quote(quote=words.format("elastic")),))

    assert is_the_same(one, other) == 0.0


def test_an_option_to_leave_a_thing_as_it_is_tells_nothing_apart() -> None:
    one = said("Northbank becomes a second payment provider", alternatives=(Alternative(option="keep SwiftPay only"),))
    other = said("A second provider, Northbank, takes payments that SwiftPay fails", TICKET)

    assert is_the_same(one, other) > 0.0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("see https://x.slack.com/archives/C1/p1770976931116879", "slack:C1/1770976931.116879"),
        (
            "<https://x.slack.com/archives/C1/p1770979500846781?thread_ts=1770976931.116879&cid=C1>",
            "slack:C1/1770976931.116879",
        ),
        ("https://github.com/Acme/Pay/pull/41#issuecomment-1", "acme/pay#41"),
        ("closes acme/pay#41.", "acme/pay#41"),
        ("moved to PAY-233 today", "PAY-233"),
        ("ADR 6, ADR-0006 or adr#6", "adr:6"),
        ("during INC-327", "incident:327"),
        ("after incident #327", "incident:327"),
        ("reverts 3f2a91bc07d1", "commit:3f2a91b"),
        ("https://x.pagerduty.com/incidents/PFW371.", "https://x.pagerduty.com/incidents/pfw371"),
    ],
)
def test_places_are_known_by_how_people_write_them(text: str, name: str) -> None:
    assert name in names_in(text)


def test_a_bare_number_names_a_change_of_the_same_repository() -> None:
    change = Place(source="github", anchor="acme/pay#7", ref="acme/pay#7")

    assert names_in("as in #41", within=change) == {"acme/pay#41"}
    assert names_in("as in #41") == frozenset()


def test_a_place_goes_by_the_names_by_which_it_is_named() -> None:
    commit = Place(source="git", anchor="3f2a91bc07d1" + 28 * "0", ref="3f2a91bc07d1")

    assert names_of(CHAT) == {"slack:C1/1770976931.116879"}
    assert "adr:5" in names_of(RECORD)
    assert {"PAY-233", "https://x.example/browse/pay-233"} <= names_of(TICKET)
    assert "commit:3f2a91b" in names_of(commit)


def test_only_what_follows_a_word_of_replacing_is_replaced() -> None:
    assert names_replaced("Bus events move to protobuf, ADR 6 replaces ADR 1.") == {"adr:1"}
