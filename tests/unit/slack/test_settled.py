"""When a quiet thread looks settled."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.slack.settled import settled
from store import Place, Reaction, Scope, Thread, Turn, TurnId

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
    ],
)
def test_a_question_doubt_or_talking_to_oneself_does_not(said: tuple[tuple[str, str], ...]) -> None:
    assert not settled(thread(*said))


def test_a_nod_to_oneself_does_not() -> None:
    assert not settled(thread(("lena", "postgres?"), reactions=(Reaction(name="+1", users=("lena",)),)))
