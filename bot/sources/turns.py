"""Conversations of any other origin as JSON or JSON lines: one object a turn, its fields named here.

`{"thread": "T1", "author": "Ana", "at": "2026-05-02T10:00:00Z", "text": "…", "id": "…", "permalink": "…"}`;
`text` is required, the others are what makes it findable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from bot.errors import UnreadableDocument
from bot.sources.document import Unread, moment
from bot.sources.fields import text_of
from bot.sources.json_text import read_json
from store import Turn, TurnId, Vocabulary


class TurnsSource:
    """Turns in the product's own words."""

    name = "turns"
    suffixes = (".json", ".jsonl")
    vocabulary = Vocabulary(
        decided=("decided", "decision:", "agreed", "let's go with", "we go with", "settled"),
        superseded=("no longer", "replaces", "instead of what we said", "supersedes"),
        rejected=("not going with", "ruled out", "rejected", "we won't"),
    )

    def turns(self, document: str, *, origin: str, dated: datetime) -> Iterator[Turn | Unread]:
        """Yield one turn an object; turns without a thread belong to the file."""
        for number, found in _objects(document):
            where = f"{origin}:{number}"
            if isinstance(found, UnreadableDocument):
                yield Unread(where=where, rule=str(found))
            elif not isinstance(found, Mapping) or not text_of(found, "text"):
                yield Unread(where=where, rule="not an object with a text")
            else:
                yield Turn(
                    turn_id=TurnId(text_of(found, "id") or f"{origin}#{number}"),
                    thread_id=text_of(found, "thread") or origin,
                    author=text_of(found, "author"),
                    author_id=text_of(found, "author_id"),
                    occurred_at=moment(found.get("at")) or dated + timedelta(seconds=number),
                    text=text_of(found, "text"),
                    permalink=text_of(found, "permalink") or f"{origin}#{number}",
                )

    def ref(self, thread_id: str) -> str:
        """A thread is called as its file has it."""
        return thread_id


def _objects(document: str) -> Iterator[tuple[int, object]]:
    """Yield (line or entry, object) of a list or of lines; what a broken line breaks comes in its place."""
    begins = document.lstrip("\ufeff \t\r\n")
    if begins.startswith("["):
        found = read_json(document)
        yield from enumerate(found if isinstance(found, list) else (), start=1)
        return
    if begins.split("\n", 1)[0].strip() == "{":  # one object, written over several lines
        yield 1, read_json(document)
        return
    for number, line in enumerate(document.split("\n"), start=1):
        if line.strip():
            try:
                yield number, read_json(line)
            except UnreadableDocument as error:
                yield number, error
