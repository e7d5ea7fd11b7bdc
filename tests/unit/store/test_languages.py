"""English or not, and the words of scripts that put no space between them."""

from __future__ import annotations

import pytest

from store.core.citations import broken_rule, verify_draft
from store.core.languages import asks_in_english, is_english, is_glue, paired, pieces
from store.core.model import Draft, Quote, TurnId
from store.core.passages import passages
from store.sql import lexical
from tests.builders_claude import thread_of


@pytest.mark.parametrize(
    "text",
    ["ok", "then we stay on Postgres", "Kafka?", "die Hard is on at eight, who comes?", ""],
)
def test_english_and_what_is_too_short_to_tell_is_english(text: str) -> None:
    assert is_english([text])


@pytest.mark.parametrize(
    "text",
    [
        "gut, dann bleiben wir bei Postgres",
        "está decidido, então cancelo a reserva",
        "on reste sur Postgres, c'est plus simple pour nous",
        "では検索はPostgreSQLのままでいきましょう",
        "мы остаёмся на Postgres",
    ],
)
def test_other_languages_are_not(text: str) -> None:
    assert not is_english([text])


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("why did we not pick Kafka?", True),
        ("Kafka retries?", True),
        ("Bis wann kann ich meinen Resturlaub nehmen?", False),
        ("O paciente ainda pode fazer triagem pelo WhatsApp?", False),
        ("iOS 14のサポートはいつまでですか？", False),
    ],
)
def test_a_question_is_told_by_its_function_words(question: str, english: bool) -> None:
    assert asks_in_english(question) is english


def test_a_run_of_signs_without_spaces_becomes_its_pairs_and_twice_is_once() -> None:
    once = paired("検索用にPostgres")

    assert once.split() == ["検索", "索用", "用に", "Postgres"]
    assert paired(once).split() == once.split()


def test_thai_is_paired_without_the_marks_above_and_below_its_letters() -> None:
    assert pieces("ที่") == ("ท",)
    assert pieces("เก็บ") == ("เก", "กบ")


def test_particles_and_single_signs_are_not_asked_for() -> None:
    assert lexical.terms("検索はなぜPostgreSQLのままなのですか？") == ("検索", "postgresql")
    assert is_glue("です")
    assert not is_glue("検索")


def test_a_foreign_question_leaves_out_its_own_function_words_and_an_english_one_keeps_them() -> None:
    assert lexical.terms("Warum nehmen wir die Queue?") == ("nehmen", "queue")
    assert "die" in lexical.terms("why did the servers die?")


def test_a_word_with_a_sharp_s_is_asked_for_as_it_is_indexed() -> None:
    assert lexical.terms("Größe der Straße") == ("größe", "straße")


def test_the_english_title_of_a_foreign_decision_is_a_passage_of_its_own() -> None:
    told = passages(
        "検索はPostgreSQLのままでいく", "運用できる人がいない", tags=("Search stays on PostgreSQL", "search")
    )
    plain = passages("Search stays on Postgres", "nobody on call knows it", tags=("search",))

    assert told[0] == "Search stays on PostgreSQL. search"
    assert plain == ("Search stays on Postgres. nobody on call knows it",)


@pytest.mark.parametrize(
    ("title", "quote", "kept"),
    [
        ("Kein Kafka für die Queue", "Kafka lassen wir für die Queue bleiben", True),
        ("Den Nightly-Job behalten wir nicht", "den Nightly-Job behalten wir", False),
        ("Não vamos usar Redis no catálogo", "então vamos usar Redis no catálogo", False),
        ("iOS 14は対象外にする", "では次のバージョンからiOS 14は対象外にします", True),
    ],
)
def test_a_foreign_title_is_refused_only_where_it_plainly_says_the_opposite(title: str, quote: str, kept: bool) -> None:
    thread = thread_of(("Ana", quote), ("Raj", "então está bem, isso é para nós"))

    draft, _ = verify_draft(Draft(title=title, evidence=(Quote(quote=quote, turn_id=TurnId("C1/1")),)), thread)

    assert (draft is not None) is kept


JAPANESE = {1: "では検索はPostgreSQLのままでいきましょう\n佐藤"}


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("Search stays on PostgreSQL, as nobody can operate the other one.", ""),
        ("Search stays on MongoDB.", "holds a name that isn't in its evidence"),
        ("Die Suche bleibt bei PostgreSQL, weil der Aufwand sonst zu groß wäre.", ""),
        ("Die Suche bleibt bei PostgreSQL, das spart 40 Prozent.", "holds a number that isn't in its evidence"),
        ('Die Suche bleibt, "weil Kafka besser ist".', "quotes words that aren't in its evidence"),
        ("明日の会議は中止にします", "its words aren't in its evidence"),
    ],
)
def test_a_claim_in_another_language_than_its_evidence_is_held_to_names_numbers_and_quotes(
    claim: str, rule: str
) -> None:
    assert broken_rule(claim, (1,), JAPANESE, question="検索は？") == rule
