"""What a few rows of the lexical index hold of some words, counted: for scores within what one reader may read.

FTS5's own scores rest on every row of a table, and would tell how rare a word is there. So the texts of the candidates
go into an index in memory, which cuts them into words as the kept one does; the parts of its scores that rest on one
row alone are taken out, and `store.core.bm25` puts them together again with the numbers of what the reader may read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing

from store.core.bm25 import K1, B, Found, rarity
from store.sql import lexical, varints

RANK = f"bm25({{table}}, {', '.join(map(str, lexical.WEIGHTS))})"
"""FTS5's own score of a row, with our weights: below zero, the lowest is the best."""

_TABLE = "candidates"
_COLUMNS = ", ".join(lexical.COLUMNS)
_INSERT = f"INSERT INTO {_TABLE} (rowid, {_COLUMNS}) VALUES (?{', ?' * len(lexical.COLUMNS)})"  # noqa: S608  # constants
_LENGTHS = f"SELECT id, sz FROM {_TABLE}_docsize"  # noqa: S608  # constants
_HOLDING = f"SELECT rowid, -{RANK.format(table=_TABLE)} FROM {_TABLE} WHERE {_TABLE} MATCH ?"  # noqa: S608  # constants


def counted(rows: Iterable[Sequence[object]], words: Iterable[str]) -> list[Found]:
    """Return how long each row of the index is and how often it holds each of the words.

    Args:
        rows: `n`, which becomes the id, then the columns.
        words: of a question.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        memory.execute(lexical.definition(_TABLE))
        memory.execute("BEGIN")
        memory.executemany(_INSERT, rows)
        memory.execute("COMMIT")
        lengths = {n: sum(varints.read(sizes)) for n, sizes in memory.execute(_LENGTHS)}
        average = sum(lengths.values()) / len(lengths) if lengths else 1.0
        often: dict[int, dict[str, float]] = {n: {} for n in lengths}
        for word in words:
            holding = memory.execute(_HOLDING, (lexical.asked([word]),)).fetchall()
            weight = rarity(len(lengths), len(holding))
            for n, score in holding:
                often[n][word] = _occurrences(score / weight, lengths[n] / average)
    return [Found(id=str(n), size=lengths[n], often=held) for n, held in often.items()]


def _occurrences(saturated: float, length: float) -> float:
    """Return the weighted occurrences that BM25 saturated to this, in a document of a length in averages."""
    return saturated * K1 * (1 - B + B * length) / max(K1 + 1 - saturated, 1e-12)
