"""What a coding session is told and asked: quick looks at a memory, by the standard library alone."""

# ruff: noqa: S608 - the text is built of constants; every value is bound by name

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from store.core.events import instant
from store.core.model import DecisionId, Reader
from store.sql import lexical, queries
from store.sql.queries import Rows

if TYPE_CHECKING:
    from store.sql.words import WordSearch

RARE = 25
"""Decisions that may hold a word which names something: a word in more of them says nothing of what is meant."""
LATEST = 200
"""Decisions looked at, newest first, for one that somebody recorded in this session: more than a session makes."""
MOST_WORDS = 40

_RECORDED = f"SELECT d.recorded_at, d.source FROM decisions d ORDER BY d.n DESC LIMIT {LATEST}"
_HOLDING = {
    table: f"SELECT d.id FROM {table} JOIN decisions d ON d.n = {table}.rowid"
    f" WHERE {table} MATCH :expression AND {queries.readable('d')} AND NOT d.hidden AND NOT d.erased"
    f" AND NOT d.retracted LIMIT {RARE + 1}"
    for table in lexical.TABLES
}


def recorded_since(rows: Rows, moment: datetime, *, source: str) -> bool:
    """Say whether a decision of that source was recorded since a moment."""
    since = instant(moment)
    return any(row["source"] == source and row["recorded_at"] >= since for row in rows(_RECORDED, {}))


def named_in(rows: Rows, text: str, reader: Reader) -> tuple[DecisionId, ...]:
    """Return the decisions that hold a text's rare words, those that hold most of them first, then by id."""
    found: Counter[DecisionId] = Counter()
    tables = lexical.TABLES if reader.scopes or reader.sees_all else (lexical.OPEN,)
    for word in _words(text):
        asked = {**queries.reading(reader), "expression": f'"{word}"'}
        holding = [row for table in tables for row in rows(_HOLDING[table], asked)]
        if len(holding) <= RARE:
            found.update(DecisionId(row["id"]) for row in holding)
    return _most_first(found)


def named_by(search: WordSearch, rows: Rows, text: str, reader: Reader) -> tuple[DecisionId, ...]:
    """Do what `named_in` does by another index of words, such as a server's."""
    often = search.find(rows, _words(text), reader, limit=0).often
    rare = [word for word, number in often.items() if 0 < number <= RARE]
    near = [id_ for id_, _ in search.find(rows, rare, reader, limit=RARE * len(rare)).scored]
    holding = search.holding(rows, rare, near)
    return _most_first(Counter(id_ for ids in holding.values() for id_ in ids))


def _words(text: str) -> list[str]:
    return [word for word in lexical.terms(text)[:MOST_WORDS] if len(word) > 3 and not word.isdigit()]


def _most_first(found: Counter[DecisionId]) -> tuple[DecisionId, ...]:
    return tuple(sorted(found, key=lambda id_: (-found[id_], id_)))
