"""Threads, evidence and scripted answers for tests that talk to the loopback Claude."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from bot.ports import Evidence
from store import Decision, DecisionId, Person, Place, Scope, State, Status, Thread, Turn, TurnId

START = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


def thread_of(*lines: tuple[str, str], label: str = "#search") -> Thread:
    """Return a thread of (author, text), a minute apart."""
    turns = tuple(
        Turn(
            turn_id=TurnId(f"C1/{number}"),
            thread_id="C1/1",
            author=author,
            author_id=f"U{author.upper()}",
            occurred_at=START + timedelta(minutes=number),
            text=text,
            permalink=f"https://acme.slack.com/archives/C1/p{number}",
        )
        for number, (author, text) in enumerate(lines, start=1)
    )
    place = Place(source="slack", anchor="C1/1")
    return Thread(place=place, scope=Scope(id="channel:C1", open=True), turns=turns, basis="1", label=label)


SEARCH = thread_of(
    ("Ana", "Elasticsearch for search? trigrams get us to 90 ms, a cluster costs 1,900 a month"),
    ("Raj", "nobody on call knows Elasticsearch, I'd rather not"),
    ("Ana", "then we stay on Postgres for search"),
    ("Lena", "agreed, look again past 5 M rows"),
)


def proposed(title: str, turn: int, quote: str, **fields: Any) -> dict[str, Any]:
    """Return one decision as the extractor's schema has it."""
    return {
        "quotes": [{"turn": turn, "quote": quote}],
        "title": title,
        "reasoning": "",
        "alternatives": [],
        "trade_offs": [],
        "edge_cases": [],
        "decided_by": [turn],
        "elements": [],
        "tags": [],
        "english_title": "",
        "search_words": [],
        "status": "accepted",
        "revisit_when": "",
        "replaces": [],
        "confidence": 95,
        **fields,
    }


def decision_of(title: str, number: int = 1, **fields: Any) -> Decision:
    """Return a current decision made in #search on 4 March 2026."""
    values: dict[str, Any] = {
        "id": DecisionId(f"{number:064x}"),
        "title": title,
        "place": Place(source="slack", anchor=f"C1/{number}"),
        "scope": Scope(id="channel:C1", open=True),
        "status": Status.ACCEPTED,
        "state": State.CURRENT,
        "confirmed": True,
        "recorded_at": START,
        "decided_on": date(2026, 3, 4),
        "decided_by": (Person(name="Lena"),),
    }
    return Decision(**{**values, **fields})


def evidence_of(decision: Decision, *quotes: tuple[str, str], start: int = 1) -> tuple[Evidence, ...]:
    """Return numbered lines of (author, quote) for one decision."""
    return tuple(
        Evidence(n=n, decision=decision, quote=quote, author=author, at=date(2026, 3, 4), label="#search")
        for n, (author, quote) in enumerate(quotes, start=start)
    )


def claim(kind: str, text: str, *citations: int) -> dict[str, Any]:
    """Return one claim as the synthesiser's schema has it."""
    return {"kind": kind, "text": text, "citations": list(citations)}


def worded(*claims: dict[str, Any], answered: bool = True, steps: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """Return an answer as the synthesiser's schema has it."""
    return {"answered": answered, "claims": list(claims), "recommendations": list(steps)}
