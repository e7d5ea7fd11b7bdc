"""Threads for the gate's and the offline room's tests: who said what, a minute apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from store import Place, Scope, Thread, Turn, TurnId


def thread_of(*said: tuple[str, str], bots: frozenset[str] = frozenset()) -> Thread:
    """Build a thread in #C1 of turns (author, text); the author's id is the name in capitals behind a U."""
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    turns = tuple(
        Turn(
            turn_id=TurnId(f"C1/{index}"),
            thread_id="C1/0",
            author=author,
            author_id=f"U{author.upper()}",
            occurred_at=start + timedelta(minutes=index),
            text=text,
            is_bot=author in bots,
        )
        for index, (author, text) in enumerate(said)
    )
    scope = Scope(id="channel:C1", open=True)
    return Thread(place=Place(source="slack", anchor="C1/0"), scope=scope, turns=turns, basis="1")
