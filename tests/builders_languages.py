"""Thirty threads that decide something in German, Portuguese and Japanese, and a Claude that reads them rightly."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.capture import masked_thread
from bot.claude.window import numbered
from store import Place, Reaction, Scope, Thread, Turn, TurnId
from tests.fakes.claude_server import Received, Scripted, structured

THREADS = Path(__file__).parent / "fixtures" / "threads_in_other_languages.jsonl"
START = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """One thread with what Claude would write of it, and a question on it in its language and in English."""

    language: str
    thread: Thread
    truth: Mapping[str, Any]
    asked: str
    asked_in_english: str


def foreign_threads() -> tuple[Foreign, ...]:
    """Return all of them, ten a language."""
    lines = THREADS.read_text(encoding="utf-8").splitlines()
    return tuple(_foreign(number, json.loads(line)) for number, line in enumerate(lines, start=1))


def _foreign(number: int, given: Mapping[str, Any]) -> Foreign:
    turns = tuple(
        Turn(
            turn_id=TurnId(f"C1/{number}.{place}"),
            thread_id=f"C1/{number}",
            author=said["user"],
            author_id=f"U{said['user'].upper()}",
            occurred_at=START + timedelta(days=number, minutes=place),
            text=said["text"],
            permalink=f"https://acme.slack.com/archives/C1/p{number}{place}",
            reactions=tuple(
                Reaction(name=name, users=tuple(f"U{user.upper()}" for user in users))
                for name, users in said.get("reactions", ())
            ),
        )
        for place, said in enumerate(given["turns"], start=1)
    )
    place = Place(source="slack", anchor=f"C1/{number}")
    return Foreign(
        language=given["lang"],
        thread=Thread(place=place, scope=Scope(id="channel:C1", open=True), turns=turns, basis="1"),
        truth=given["truth"],
        asked=given["ask"],
        asked_in_english=given["ask_english"],
    )


_BLOCK = re.compile(r"^Decision \([^)]*\): (?P<title>.*?)\n(?:  .*\n)*\[(?P<n>\d+)\]", re.MULTILINE)


def reads_and_answers(threads: Sequence[Foreign]) -> Any:
    """Return a script: what is true of each thread, and of each question the decision that it is about, if shown."""
    known = {numbered(masked_thread(each.thread)): each for each in threads}
    asked = {question: each for each in threads for question in (each.asked, each.asked_in_english)}

    def answer(received: Received) -> Scripted:
        if (question := re.search(r"^Question: (.*)$", received.user, re.MULTILINE)) is not None:
            return structured(_answered(asked[question[1]], question[1], received.user))
        (held,) = (each for text, each in known.items() if text in received.user)
        return structured({"decisions": [dict(held.truth)]})

    return answer


def _answered(about: Foreign, question: str, shown: str) -> dict[str, Any]:
    numbers = {match["title"]: int(match["n"]) for match in _BLOCK.finditer(shown)}
    title = about.truth["title"]
    if title not in numbers:
        return {"answered": False, "claims": [], "recommendations": [], "search_words": about.truth["search_words"]}
    text = title if question == about.asked else about.truth["english_title"]
    claim = {"kind": "headline", "text": f"{text}.", "citations": [numbers[title]]}
    return {"answered": True, "claims": [claim], "recommendations": []}
