"""When a quiet thread looks settled."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from bot.slack.recording.settled import may_have_turned, settled, worth_a_model, worth_reading
from bot.sources.slack import VOCABULARY
from store import Place, Reaction, Scope, Thread, Turn, TurnId
from tests.builders_languages import foreign_threads

START = datetime(2026, 5, 4, 12, tzinfo=UTC)


def thread(*said: tuple[str, str], reactions: tuple[Reaction, ...] = ()) -> Thread:
    """Return a thread of (author, text); the reactions stand on the first turn."""
    turns = tuple(
        Turn(
            turn_id=TurnId(f"C1/{number}.0"), thread_id="C1/0.0", author=author, author_id=author, text=text,
            occurred_at=START + timedelta(minutes=number), reactions=reactions if number == 0 else (),
        )
        for number, (author, text) in enumerate(said)
    )  # fmt: skip
    return Thread(
        place=Place(source="slack", anchor="C1/0.0"), scope=Scope(id="channel:C1", open=True), turns=turns, basis="1"
    )


@pytest.mark.parametrize(
    "said",
    [
        (("lena", "postgres?"), ("omar", "sounds good")),
        (("lena", "postgres?"), ("omar", "+1")),
        (("lena", "decision: postgres"),),
    ],
)
def test_agreement_of_somebody_else_or_explicit_words_settle(said: tuple[tuple[str, str], ...]) -> None:
    assert settled(thread(*said))


def test_a_nod_by_somebody_else_settles() -> None:
    assert settled(thread(("lena", "postgres then"), reactions=(Reaction(name="+1::skin-tone-2", users=("omar",)),)))


@pytest.mark.parametrize(
    "said",
    [
        (("lena", "postgres or elastic?"),),
        (("lena", "postgres?"), ("omar", "not so fast, what about the index size?")),
        (("lena", "postgres?"), ("lena", "ok")),
        (("lena", "decimal everywhere?"), ("omar", "decimal is ok in python but turns into a float in JSON")),
        (("lena", "postgres then"), ("omar", "ok, and who tells the data team?")),
    ],
)
def test_a_question_doubt_or_talking_to_oneself_does_not(said: tuple[tuple[str, str], ...]) -> None:
    assert not settled(thread(*said))


def test_a_nod_to_oneself_does_not() -> None:
    assert not settled(thread(("lena", "postgres?"), reactions=(Reaction(name="+1", users=("lena",)),)))


@pytest.mark.parametrize(
    "said",
    [
        (("lena", "so we stay on postgres for this, nobody on call knows the other one"), ("omar", "agreed")),
        (("lena", "shall search stay on postgres?"), ("omar", "agreed, let's go with postgres")),
    ],
)
def test_an_announcement_or_a_plain_answer_is_worth_reading_short_as_it_is(said: tuple[tuple[str, str], ...]) -> None:
    assert worth_reading(thread(*said), VOCABULARY)


@pytest.mark.parametrize(
    "said",
    [
        (("lena", "how do I reset my token?"), ("omar", "settings, at the bottom"), ("lena", "thanks, that worked")),
        (("lena", "deploy is done, all green"), ("omar", "great, thanks")),
    ],
)
def test_help_and_news_are_not_worth_reading(said: tuple[tuple[str, str], ...]) -> None:
    assert not worth_reading(thread(*said), VOCABULARY)


@pytest.mark.parametrize(
    ("news", "turned"),
    [
        (("lena", "wait, the licence forbids that. elastic after all"), True),
        (("omar", "no, we can't have that"), True),
        (("omar", "thanks, doc is up"), False),
        (("mia", "great :tada:"), False),
    ],
)
def test_a_thread_may_have_turned_by_what_was_said_since_not_by_thanks(news: tuple[str, str], turned: bool) -> None:
    said = thread(("lena", "so we stay on postgres for this"), ("omar", "agreed"), news)

    assert may_have_turned(said, VOCABULARY, since=2) is turned


def test_a_model_reads_nine_of_ten_threads_that_decide_in_other_languages() -> None:
    read = Counter(each.language for each in foreign_threads() if worth_a_model(each.thread, VOCABULARY))

    assert {language: count for language, count in read.items() if count < 9} == {}
    assert len(read) == 3
