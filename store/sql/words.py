"""Finding by words: which decisions those of a question lead to, scored within what one reader may read.

FTS5 scores every row that holds a word, so the more a memory holds the longer it takes. Up to `Limits.scored` rows all
are scored. Beyond it the rarest words choose: a decision with one of them and a frequent one, then with one of them
alone; where even the rarest word stands in too many, those that hold all the words. Of what is still too much the
latest are taken. The best of it are scored anew, by every word, within what the reader may read.

Nothing is told of what a reader can't read: what is counted are rows of theirs alone, by the marks in the index
where they don't read a whole table; and of what is found only decisions that they may read are returned.
"""

# ruff: noqa: S608 - the text is built of this module's constants; every value is bound by name

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import accumulate, combinations
from typing import Protocol

from store.core import bm25
from store.core.model import DecisionId, Reader
from store.sql import counting, lexical, queries, varints
from store.sql.days import marks_between
from store.sql.queries import Rows

HELPERS = 3
"""Frequent words by which those with a rare one are told apart; each costs a pass over its rows."""
MOST_AT_ONCE = 5
"""Frequent words of which a decision is to hold all, at first."""
SPARE = 2
"""How many times as many as are kept are scored anew."""
COMMON = 0.05
"""Share of the decisions from which on a word tells them apart least; who asks for nothing else waits longer."""
PATIENCE = 5
"""How many times as many rows are gone through then."""
SIZES_AT_ONCE = 20_000
MEASURED = 500
"""Decisions of closed scopes whose length is looked up, the latest: the average of more is hardly another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is done for one question at most, in rows of the index: FTS5 scores one in half a microsecond.

    `tests.benchmarks.lexical` measures what they leave out on the load of a million decisions.
    """

    scored: int = 20_000
    """Up to which every decision with any of the words is scored; and how many those with a rare one may be."""
    of_many: int = 30_000
    """The latest, that are scored for one of the narrower queries."""
    also_alone: int = 5_000
    """With a rare word, that are scored for it alone too where enough have a frequent one beside it."""
    walked: int = 200_000
    """Of the frequent words together, that are gone through to tell apart decisions with a rarer one."""
    counted: int = 10_000
    """Up to which a word's are counted, at 0.03 microseconds each; beyond it their number is worked out from as many
    of the latest decisions, to within some 3 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a question's words lead to; `often` has how many readable decisions hold each, of `documents` in all.

    `scored` has the best with their BM25, best first, equals by id.
    """

    scored: tuple[tuple[DecisionId, float], ...]
    often: Mapping[str, int]
    documents: int


class WordSearch(Protocol):
    """What answers for words: FTS5's index, or another database's."""

    def find(
        self,
        rows: Rows,
        words: Sequence[str],
        reader: Reader,
        *,
        limit: int,
        since: date | None = None,
        until: date | None = None,
    ) -> Found:
        """Return the best decisions for these words, of days between two, both included; none where `limit` is 0."""

    def holding(
        self, rows: Rows, words: Sequence[str], decisions: Sequence[DecisionId]
    ) -> Mapping[str, frozenset[DecisionId]]:
        """Return which of a few decisions, all of which the reader may read, hold each of the words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shelf:
    """One table of the index as far as a reader may read it: all of it, or what has certain marks."""

    table: str
    marks: str = ""
    documents: int = 0
    length: float = 0.0
    """Of all of them, in words."""

    def among(self, expression: str, when: str = "") -> str:
        """Return an FTS5 query, narrowed to what the reader may read, and to some days."""
        return " AND ".join(filter(None, (expression, self.marks, when)))


class IndexedWords:
    """Answers for words by the index in the memory's own file; it keeps nothing, so threads may share it."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Work within limits."""
        self._limits = limits or Limits()

    def find(
        self,
        rows: Rows,
        words: Sequence[str],
        reader: Reader,
        *,
        limit: int,
        since: date | None = None,
        until: date | None = None,
    ) -> Found:
        """Return the best decisions for these words, of days between two, both included; none where `limit` is 0."""
        shelves = tuple(each for shelf in _shelves(reader) if (each := _measured(rows, shelf)).documents)
        by_shelf = [self._frequencies(rows, words, shelf) for shelf in shelves]
        often = {word: sum(each[word] for each in by_shelf) for word in words}
        documents = sum(shelf.documents for shelf in shelves)
        asked = sorted((word for word in often if often[word]), key=lambda word: (often[word], word))
        days = {
            "since": since.isoformat() if since else "",
            "until": until.isoformat() if until else queries.END_OF_TIME,
        }
        when = marks_between(rows, **days) if asked and (since or until) else ""
        scores: dict[int, float] = {}
        if asked and limit and when is not None:
            scores = self._scores(rows, shelves, asked, often, when, limit)
        given = {**queries.reading(reader), **days, "numbers": json.dumps(list(scores))}
        found = ((DecisionId(row["id"]), round(scores[row["n"]], bm25.DIGITS)) for row in rows(_MAY_BE_FOUND, given))
        scored = tuple(sorted(found, key=lambda hit: (-hit[1], hit[0])))[:limit]
        return Found(scored=scored, often=often, documents=documents)

    def holding(
        self, rows: Rows, words: Sequence[str], decisions: Sequence[DecisionId]
    ) -> Mapping[str, frozenset[DecisionId]]:
        """Return which of a few decisions, all of which the reader may read, hold each of the words."""
        ids = {row["n"]: DecisionId(row["id"]) for row in rows(_NUMBERS, {"ids": json.dumps(list(decisions))})}
        numbers = json.dumps(list(ids))
        return {
            word: frozenset(
                ids[row["n"]]
                for table in lexical.TABLES
                for row in rows(
                    f"SELECT rowid AS n FROM {table} WHERE {table} MATCH :expression"
                    " AND rowid IN (SELECT value FROM json_each(:numbers))",
                    {"expression": lexical.asked([word]), "numbers": numbers},
                )
            )
            for word in words
        }

    # --- how many hold a word -----------------------------------------------------------------

    def _frequencies(self, rows: Rows, words: Sequence[str], shelf: _Shelf) -> dict[str, int]:
        most = self._limits.counted
        asked = {word: shelf.among(lexical.asked([word])) for word in words}
        found = {word: _count(rows, shelf, asked[word], most=most + 1) for word in words}
        frequent = [word for word in words if found[word] > most]
        edge = _edge(rows, shelf, most) if frequent else 0
        for word in frequent:
            late = _count(rows, shelf, asked[word], after=edge)
            found[word] = max(found[word], round(late / most * shelf.documents))
        return found

    # --- which decisions ----------------------------------------------------------------------

    def _scores(
        self,
        rows: Rows,
        shelves: Sequence[_Shelf],
        words: Sequence[str],
        often: Mapping[str, int],
        when: str,
        limit: int,
    ) -> dict[int, float]:
        """Return the BM25 of the best by their `n`: FTS5's own where it is the reader's, else worked out anew."""
        best = {shelf: self._best(rows, shelf, words, often, when, limit * SPARE) for shelf in shelves}
        if len(shelves) == 1 and not shelves[0].marks and self._all_scored(shelves[0], words, often):
            return best[shelves[0]]
        texts = [row for shelf, found in best.items() for row in _texts(rows, shelf.table, found)]
        documents = sum(shelf.documents for shelf in shelves)
        average = sum(shelf.length for shelf in shelves) / max(documents, 1)
        counted = counting.counted(texts, words)
        return {int(n): score for n, score in bm25.scored(counted, often, documents=documents, average=average)}

    def _all_scored(self, shelf: _Shelf, words: Sequence[str], often: Mapping[str, int]) -> bool:
        return min(shelf.documents, sum(often[word] for word in words)) <= self._limits.scored

    def _best(
        self, rows: Rows, shelf: _Shelf, words: Sequence[str], often: Mapping[str, int], when: str, enough: int
    ) -> dict[int, float]:
        """Return the candidates of one shelf, with FTS5's score by the words that found them."""
        if self._all_scored(shelf, words, often):
            return _scored(rows, shelf, lexical.asked(words), when, enough)
        found: dict[int, float] = {}
        for asked in self._narrower(words, often, shelf.documents):
            for expression in asked:
                scored = _scored(rows, shelf, expression, when, enough, most=self._limits.of_many)
                found |= {n: max(score, found.get(n, 0.0)) for n, score in scored.items()}
            if len(found) >= enough:
                break
        return dict(sorted(found.items(), key=lambda hit: (-hit[1], hit[0]))[:enough])

    def _narrower(self, words: Sequence[str], often: Mapping[str, int], documents: int) -> Iterator[tuple[str, ...]]:
        """Yield what to ask for instead of every decision with any of the words, until enough is found.

        Args:
            words: the rarest first.
            often: how many decisions hold each.
            documents: how many there are.
        """
        walked = self._limits.walked * (PATIENCE if often[words[0]] > COMMON * documents else 1)
        upto = accumulate(often[word] for word in words)
        rare = [word for word, rows in zip(words, upto, strict=True) if rows <= self._limits.scored]
        others = words[len(rare) :]
        if rare:
            helpers = others[: max(1, min(HELPERS, _within(others, often, walked)))]
            beside = f"{lexical.asked(rare)} AND {lexical.asked(helpers)}"
            if sum(often[word] for word in rare) <= self._limits.also_alone:
                yield beside, lexical.asked(rare)
            else:
                pairs = (lexical.asked(pair, of=" AND ") for pair in combinations(rare[:HELPERS], 2))
                yield beside, lexical.asked(rare, columns=lexical.TITLE), *pairs
                yield (lexical.asked(rare),)
            yield (lexical.asked(helpers, of=" AND "),)
        else:
            at_once = min(MOST_AT_ONCE, len(words), max(2, _within(words, often, walked)))
            for most in range(at_once, 1, -1):
                yield (lexical.asked(words[:most], of=" AND "),)
            yield (lexical.asked(words, columns=lexical.TITLE),)
        yield (lexical.asked(others),)


def _within(words: Sequence[str], often: Mapping[str, int], most: int) -> int:
    """Return how many of the words, from the first on, stand in so many rows together."""
    return sum(upto <= most for upto in accumulate(often[word] for word in words))


_MAY_BE_FOUND = (
    "SELECT d.n, d.id FROM decisions d WHERE d.n IN (SELECT value FROM json_each(:numbers))"
    f" AND {queries.readable('d')} AND NOT d.hidden AND NOT d.erased AND NOT d.retracted"
    " AND d.day BETWEEN :since AND :until"
)
_NUMBERS = f"SELECT d.n, d.id FROM decisions d WHERE d.n IN {queries.THESE}"


def _shelves(reader: Reader) -> Iterator[_Shelf]:
    """Yield what a reader may read, uncounted."""
    marks = lexical.marked(map(lexical.scope_mark, sorted(reader.scopes))) if reader.scopes else ""
    if reader.sees_all or reader.sees_open:
        yield _Shelf(table=lexical.OPEN)
    elif marks:
        yield _Shelf(table=lexical.OPEN, marks=marks)
    if reader.sees_all:
        yield _Shelf(table=lexical.CLOSED)
    elif marks:
        yield _Shelf(table=lexical.CLOSED, marks=marks)


def _measured(rows: Rows, shelf: _Shelf) -> _Shelf:
    """Count decisions and words: of a whole table FTS5 keeps both, else the words come from the latest few."""
    if not shelf.marks:
        found = rows(f"SELECT block FROM {shelf.table}_data WHERE id = 1", {})
        documents, *columns = varints.read(found[0]["block"]) if found and found[0]["block"] else (0,)
        return replace(shelf, documents=documents, length=float(sum(columns)))
    documents = _count(rows, shelf, shelf.marks)
    sql = (
        f"SELECT z.sz FROM (SELECT rowid AS n FROM {shelf.table} WHERE {shelf.table} MATCH :expression"
        f" ORDER BY rowid DESC LIMIT {MEASURED}) f JOIN {shelf.table}_docsize z ON z.id = f.n"
    )
    lengths = [sum(varints.read(row["sz"])) for row in rows(sql, {"expression": shelf.marks})]
    return replace(shelf, documents=documents, length=sum(lengths) / max(len(lengths), 1) * documents)


def counts_hold(rows: Rows, table: str) -> bool:
    """Say whether what FTS5 keeps of a table's size, on which every score rests, is what its documents come to."""
    documents = length = after = 0
    sql = f"SELECT id, sz FROM {table}_docsize WHERE id > :after ORDER BY id LIMIT {SIZES_AT_ONCE}"
    while found := rows(sql, {"after": after}):
        if not all(isinstance(row["sz"], bytes) for row in found):
            return False
        documents += len(found)
        length += sum(sum(varints.read(row["sz"])) for row in found)
        after = found[-1]["id"]
    kept = _measured(rows, _Shelf(table=table))
    return (kept.documents, kept.length) == (documents, length)


def _count(rows: Rows, shelf: _Shelf, expression: str, *, most: int = -1, after: int = 0) -> int:
    sql = (
        f"SELECT count(*) AS found FROM (SELECT 1 FROM {shelf.table} WHERE {shelf.table} MATCH :expression"
        f"{' AND rowid > :after' if after else ''} LIMIT :most)"
    )
    return int(rows(sql, {"expression": expression, "most": most, "after": after})[0]["found"])


def _edge(rows: Rows, shelf: _Shelf, latest: int) -> int:
    """Return the `n` after which the latest so many decisions of a shelf come."""
    if shelf.marks:
        sql = f"SELECT rowid AS n FROM {shelf.table} WHERE {shelf.table} MATCH :expression ORDER BY rowid DESC"
    else:
        sql = f"SELECT id AS n FROM {shelf.table}_docsize ORDER BY id DESC"
    found = rows(f"{sql} LIMIT 1 OFFSET {latest}", {"expression": shelf.marks})
    return int(found[0]["n"]) if found else 0


def _texts(rows: Rows, table: str, numbers: Iterable[int]) -> list[tuple[object, ...]]:
    sql = (
        f"SELECT rowid AS n, {', '.join(lexical.COLUMNS)} FROM {table}"
        " WHERE rowid IN (SELECT value FROM json_each(:numbers))"
    )
    return [tuple(row.values()) for row in rows(sql, {"numbers": json.dumps(list(numbers))})]


def _scored(
    rows: Rows, shelf: _Shelf, expression: str, when: str, limit: int, *, most: int | None = None
) -> dict[int, float]:
    """Return the best `n` of a shelf for a query with FTS5's score; of more than `most` rows only the latest."""
    latest = "" if most is None else f" ORDER BY rowid DESC LIMIT {most}"
    sql = (
        f"SELECT n, score FROM (SELECT rowid AS n, -{counting.RANK.format(table=shelf.table)} AS score"
        f" FROM {shelf.table} WHERE {shelf.table} MATCH :expression{latest}) found ORDER BY score DESC, n LIMIT :limit"
    )
    found = rows(sql, {"expression": shelf.among(expression, when), "limit": limit})
    return {row["n"]: row["score"] for row in found}
