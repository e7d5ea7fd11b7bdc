"""Alternatives: what was on the table and not chosen, and the words that weighed it."""

from __future__ import annotations

import pytest

from bot.offline.options import MOST_OPTIONS, alternatives_of
from store import Alternative, Thread
from tests.builders_offline import thread_of


def lost(*said: tuple[str, str], denied_only: bool = False, because: str = "") -> tuple[Alternative, ...]:
    thread: Thread = thread_of(*said)
    return alternatives_of(thread, len(said) - 1, said[-1][1], because=because, denied_only=denied_only)


def options(*said: tuple[str, str]) -> list[str]:
    return [each.option for each in lost(*said)]


def test_what_the_deciding_words_turn_down_is_an_alternative_with_its_reason() -> None:
    found = lost(
        ("Ana", "Vault for the secrets?"),
        ("Raj", "Vault needs two people at night"),
        ("Ana", "parameter store it is, no Vault."),
    )

    assert found == (Alternative(option="Vault", reason="Vault needs two people at night"),)


def test_the_deciders_own_reason_stands_in_where_nobody_weighed_it() -> None:
    found = lost(
        ("Ana", "I would like a monorepo"),
        ("Raj", "hm"),
        ("Ana", "so no monorepo."),
        because="CI takes an hour already",
    )

    assert found == (Alternative(option="monorepo", reason="CI takes an hour already"),)


def test_a_condition_that_nobody_proposed_is_no_alternative() -> None:
    assert options(("Ana", "when do joiners get access?"), ("Raj", "four weeks plus training, no exceptions")) == []


def test_instead_of_names_what_was_replaced() -> None:
    assert options(
        ("Ana", "corrections are updates today and auditors hate updates"),
        ("Raj", "reversals are booked instead of updates"),
    ) == ["updates"]


def test_of_two_options_the_other_one_lost() -> None:
    assert options(
        ("Ana", "do we lease or buy?"), ("Raj", "leasing costs more from year four"), ("Ana", "we buy the printers")
    ) == ["lease"]


def test_of_a_list_all_but_the_chosen_one_lost() -> None:
    said = (
        ("Ana", "options: dual writes, nightly copy, change capture"),
        ("Raj", "nightly copy is too slow for couriers"),
        ("Ana", "let's go with dual writes from the api layer"),
    )

    assert options(*said) == ["nightly copy", "change capture"]


def test_lettered_options_lost_without_their_letters() -> None:
    assert options(
        ("Ana", "(a) nearest courier (b) auction (c) collect and solve"),
        ("Raj", "solving needs more than two weeks"),
        ("Ana", "nearest courier by road distance"),
    ) == ["auction", "collect and solve"]


def test_a_short_question_counts_once_somebody_spoke_against_it() -> None:
    weighed = options(
        ("Ana", "websockets?"), ("Raj", "corporate proxies kill websockets, but not plain http"), ("Ana", "going SSE")
    )
    unweighed = options(("Ana", "websockets?"), ("Raj", "sure, whatever"), ("Ana", "going SSE"))

    assert (weighed, unweighed) == (["websockets"], [])


def test_a_question_about_a_property_is_no_option() -> None:
    assert options(("Ana", "price?"), ("Raj", "too expensive for us"), ("Ana", "how wide?"), ("Ana", "going SSE")) == []


def test_what_somebody_wanted_counts_once_somebody_spoke_against_it() -> None:
    assert options(
        ("Ana", "I want to stand up Vault"), ("Raj", "nobody can run Vault at night"), ("Ana", "parameter store then")
    ) == ["Vault"]


def test_the_chosen_option_is_none_of_the_alternatives() -> None:
    assert "trigram index" not in options(
        ("Ana", "trigram index?"), ("Raj", "the trigram index costs 2 GB"), ("Ana", "ok, trigram index it is")
    )


def test_a_turned_down_proposal_has_only_itself_as_alternative() -> None:
    said = (("Ana", "options: Confluence, Notion"), ("Raj", "Confluence is too slow"), ("Ana", "so no Confluence here"))

    assert [each.option for each in lost(*said, denied_only=True)] == ["Confluence here"]


def test_what_nobody_spoke_against_is_left_out_a_name_in_code_by_one_of_its_words_too() -> None:
    found = lost(
        ("ana", "the audit topic needs a user before Raj builds on it. candidates: user_id, account_id"),
        ("raj", "account_id sorts better"),
        ("ana", "key is account_id then"),
    )

    assert found == ()


def test_an_answer_that_argues_for_the_choice_is_not_held_against_a_question() -> None:
    found = options(
        ("lena", "how long do invoices stay?"),
        ("omar", "attachments as well?"),
        ("lena", "keep the whole invoice, otherwise nobody can audit it"),
        ("lena", "decided: we keep the whole invoice for ten years"),
    )

    assert found == []


def test_a_list_of_options_is_no_reason_against_one_of_them() -> None:
    found = lost(
        ("ana", "two ways, each needs a week: a) a bigger cache, b) a read replica"),
        ("omar", "a read replica it is"),
    )

    assert [each.reason for each in found] == ["" for _ in found]


def test_what_bots_say_is_not_on_the_table() -> None:
    thread = thread_of(("ci", "options: retry, abort, skip"), ("Ana", "we pin the runner"), bots=frozenset({"ci"}))

    assert alternatives_of(thread, 1, "we pin the runner") == ()


def test_there_are_never_too_many_alternatives() -> None:
    listed = ", ".join(f"vendor{letter}" for letter in "abcdefgh")

    found = lost(("Ana", f"options: {listed}"), ("Raj", "each needs its own contract"), ("Ana", "we build it"))

    assert len(found) == MOST_OPTIONS


@pytest.mark.parametrize(
    ("said", "option", "reason"),
    [
        (
            (
                ("Ana", "wire format for the feature store? pickled frames today"),
                ("Sanna", "we looked at Avro last spring but the reader was 10x slower"),
                ("Ana", "Arrow then"),
            ),
            "Avro",
            "we looked at Avro last spring but the reader was 10x slower",
        ),
        (
            (
                ("Lou", "why not parquet files?"),
                ("Ana", "parquet has no streaming, a frame sits in memory twice"),
                ("Ana", "Arrow then"),
            ),
            "parquet files",
            "parquet has no streaming, a frame sits in memory twice",
        ),
        (
            (
                ("Ana", "isolation: 1) schema per tenant 2) row level security"),
                ("Raj", "1 makes every migration run 900 times"),
                ("Ana", "Option 2."),
            ),
            "schema per tenant",
            "1 makes every migration run 900 times",
        ),
        (
            (
                ("Ilse", "14 cron jobs and no idea which failed. Airflow?"),
                ("Paz", "Airflow is a second product to run"),
                ("Paz", "let's keep cron over Airflow, and wrap each job"),
            ),
            "Airflow",
            "Airflow is a second product to run",
        ),
        (
            (
                ("Ana", "id format for orders"),
                ("Lou", "uuid4"),
                ("Raj", "index locality is bad"),
                ("Ana", "ULIDs then"),
            ),
            "uuid4",
            "index locality is bad",
        ),
    ],
)
def test_what_lost_is_found_however_it_came_up(said: tuple[tuple[str, str], ...], option: str, reason: str) -> None:
    assert Alternative(option=option, reason=reason) in lost(*said)


def test_what_sets_a_limit_and_who_writes_are_no_alternatives() -> None:
    found = options(
        ("Kim", "amounts as floats again, off by a cent"),
        ("Ana", "Kim needs a fix by noon, Kim can't wait"),
        ("Ana", "amounts are integers, and no floats past the parser"),
    )

    assert found == []


def test_what_was_answered_before_an_option_came_up_is_no_reason_against_it() -> None:
    said = (
        ("Mia", "Should we move search to Elasticsearch?"),
        ("Raj", "I'd be fine with it. Typo handling for free, and facets."),
        ("Omar", "It's a second cluster to patch, back up and get paged for."),
        ("Mia", "80 ms is plenty. What about facets?"),
        ("Omar", "Group by on the filtered set, 30 ms more."),
        ("Lena", "Then search stays on Postgres. No Elasticsearch."),
    )

    assert options(*said) == ["Elasticsearch"]
