"""BM25 from what one reader may read: FTS5's own counts every row, and would tell how rare a word is elsewhere.

FTS5 gives a score that rests on the whole table: how many rows there are, how long they are on average, how many
hold each word. The parts that rest on one row alone are taken out of it and put together again with
the numbers of the rows that the reader may read. So a score is what it would be if nothing else were there.
"""

# ruff: noqa: S608 - the text is built of this module's constants; every value is bound by name

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from store.core.model import DecisionId, Reader
from store.sql import lexical, queries
from store.sql.queries import Rows

K1, B = 1.2, 0.75
"""Fixed in FTS5."""
LEAST_RARITY = 1e-6
"""What FTS5 takes for a word that half of the rows hold, or more."""
DIGITS = 9
"""Decimals kept of a score, so that equals stay equals however they were computed."""

LIVING = f"{queries.readable('d')} AND NOT d.hidden AND NOT d.erased AND NOT d.retracted"
_ALL = "SELECT hex(block) AS numbers FROM decisions_fts_data WHERE id = 1"
_READABLE = f"SELECT hex(z.sz) AS numbers FROM decisions d JOIN decisions_fts_docsize z ON z.id = d.n WHERE {LIVING}"
HOLDING = "SELECT count(*) AS found FROM decisions_fts WHERE decisions_fts MATCH :expression"
_SCORES = (
    f"SELECT d.id, -bm25(decisions_fts, {', '.join(str(float(each)) for each in lexical.WEIGHTS)}) AS score,"
    " hex(z.sz) AS numbers FROM decisions_fts CROSS JOIN decisions d ON d.n = decisions_fts.rowid"
    " CROSS JOIN decisions_fts_docsize z ON z.id = d.n"
    f" WHERE decisions_fts MATCH :expression AND d.n IN {queries.THESE}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """How many documents there are and how many words they have in all."""

    documents: int
    words: int

    @property
    def average(self) -> float:
        """Return the words of a document; 1 where there are none, as nothing is divided by it then."""
        return self.words / self.documents if self.documents and self.words else 1.0

    def rarity(self, holding: int) -> float:
        """Return FTS5's weight of a word that so many documents hold."""
        weight = math.log((self.documents - holding + 0.5) / (holding + 0.5)) if holding <= self.documents else 0.0
        return weight if weight > 0 else LEAST_RARITY


def readable_collection(rows: Rows, reader: Reader) -> Collection:
    """Count what a reader may read: one pass over all of it."""
    lengths = [sum(_numbers(row["numbers"])) for row in rows(_READABLE, queries.reading(reader))]
    return Collection(documents=len(lengths), words=sum(lengths))


def scores(
    rows: Rows, ids: Sequence[DecisionId], frequencies: Mapping[str, int], own: Collection
) -> tuple[tuple[DecisionId, float], ...]:
    """Return decisions with their BM25 within a reader's collection, best first, equals by id.

    Args:
        rows: a snapshot.
        ids: decisions that the reader may read.
        frequencies: the question's terms, and how many decisions that the reader may read hold each.
        own: what the reader may read.
    """
    everything = _everything(rows)
    total = dict.fromkeys(ids, 0.0)
    named = json.dumps(list(ids))
    for word, frequency in frequencies.items():
        if not frequency:
            continue
        expression = {"expression": f'"{word}"'}
        outer = everything.rarity(int(rows(HOLDING, expression)[0]["found"]))
        for row in rows(_SCORES, {**expression, "ids": named}):
            length = sum(_numbers(row["numbers"]))
            often = _occurrences(row["score"] / outer, length / everything.average)
            total[row["id"]] += own.rarity(frequency) * _saturated(often, length / own.average)
    return tuple(sorted(((id, round(score, DIGITS)) for id, score in total.items()), key=lambda hit: (-hit[1], hit[0])))


def _saturated(often: float, length: float) -> float:
    """Return what a word adds by occurring so often in a document so many times as long as the average."""
    return often * (K1 + 1) / (often + K1 * (1 - B + B * length))


def _occurrences(saturated: float, length: float) -> float:
    """Return the weighted occurrences from which `_saturated` was computed."""
    return saturated * K1 * (1 - B + B * length) / max(K1 + 1 - saturated, 1e-12)


def _everything(rows: Rows) -> Collection:
    found = rows(_ALL, {})
    documents, *words = _numbers(found[0]["numbers"]) if found and found[0]["numbers"] else (0,)
    return Collection(documents=documents, words=sum(words))


def _numbers(digits: str) -> tuple[int, ...]:
    """Return SQLite's variable-length integers, as FTS5 keeps its counts."""
    return tuple(_varints(bytes.fromhex(digits)))


def _varints(data: Iterable[int]) -> Iterator[int]:
    value = place = 0
    for byte in data:
        place += 1
        if place == 9:
            yield value << 8 | byte
            value = place = 0
            continue
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            yield value
            value = place = 0
