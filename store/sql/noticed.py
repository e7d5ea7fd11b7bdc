"""What a coding session is told and asked: quick looks at a memory, by the standard library alone."""

# ruff: noqa: S608 - the text is built of constants; every value is bound by name

from __future__ import annotations

from collections import Counter
from datetime import datetime

from store.core.events import instant
from store.core.model import DecisionId, Reader
from store.sql import lexical, queries
from store.sql.queries import Rows

RARE = 25
"""Decisions that may hold a word which names something: a word in more of them says nothing of what is meant."""
LATEST = 200
"""Decisions looked at, newest first, for one that somebody recorded in this session: more than a session makes."""
MOST_WORDS = 40

_RECORDED = f"SELECT d.recorded_at, d.source FROM decisions d ORDER BY d.n DESC LIMIT {LATEST}"
_HOLDING = (
    "SELECT d.id FROM decisions_fts JOIN decisions d ON d.n = decisions_fts.rowid"
    f" WHERE decisions_fts MATCH :expression AND {queries.readable('d')} AND NOT d.hidden AND NOT d.erased"
    f" AND NOT d.retracted LIMIT {RARE + 1}"
)


def recorded_since(rows: Rows, moment: datetime, *, source: str) -> bool:
    """Say whether a decision of that source was recorded since a moment."""
    since = instant(moment)
    return any(row["source"] == source and row["recorded_at"] >= since for row in rows(_RECORDED, {}))


def named_in(rows: Rows, text: str, reader: Reader) -> tuple[DecisionId, ...]:
    """Return the decisions that hold a text's rare words, those that hold most of them first, then by id."""
    found: Counter[DecisionId] = Counter()
    for word in lexical.terms(text)[:MOST_WORDS]:
        if len(word) > 3 and not word.isdigit():
            holding = rows(_HOLDING, {**queries.reading(reader), "expression": f'"{word}"'})
            if len(holding) <= RARE:
                found.update(DecisionId(row["id"]) for row in holding)
    return tuple(sorted(found, key=lambda id_: (-found[id_], id_)))
