"""Lexical search on Postgres: the index gives the best few hundred matches with their counts, the core scores them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date

from store.core import bm25
from store.core.bm25 import Found
from store.core.model import DecisionId, Reader
from store.sql import queries
from store.sql.postgres.lexical import folded
from store.sql.postgres.translate import array_of
from store.sql.queries import Rows
from store.sql.words import Found as WordsFound

BEST = 500
"""Matches that are scored: those that Postgres' own ranking puts first."""
COMMON = 0.05
"""Share of the documents from which on a word is left out where rarer ones are asked for: its postings are most of the
work, and tell decisions apart least."""

_STEMS = "SELECT w.word, lexical_stem(w.word) AS stem FROM (SELECT value AS word FROM json_each(:words)) w"
_SIZES = (
    "SELECT coalesce(sum(s.documents), 0) AS documents, coalesce(sum(s.words), 0) AS words"  # noqa: S608  # constants
    f" FROM lexical_sizes s WHERE {queries.readable('s')}"
)
_FREQUENCIES = (
    "SELECT t.term, sum(t.documents) AS holding FROM lexical_terms t"  # noqa: S608  # constants
    f" WHERE t.term IN (SELECT value FROM json_each(:stems)) AND {queries.readable('t')} GROUP BY t.term"
)
_MATCHES = (
    "SELECT m.id, m.size, m.often FROM lexical_matches(CAST(:stems AS text[]), CAST(:counted AS text[]),"
    " CAST(:sees_all AS boolean), CAST(:sees_open AS boolean), CAST(:scopes AS text[]), CAST(:since AS text),"
    " CAST(:until AS text), CAST(:most AS bigint)) m"
)
_HOLDING = (
    "SELECT d.id FROM decisions d JOIN lexical_documents l ON l.n = d.n"
    " WHERE d.id IN (SELECT value FROM json_each(:ids)) AND CAST(:stem AS text) = ANY (tsvector_to_array(l.words))"
)


def collection(rows: Rows, reader: Reader) -> tuple[int, int]:
    """Return how many documents a reader may read, and how many words they have in all."""
    found = rows(_SIZES, queries.reading(reader))[0]
    return int(found["documents"]), int(found["words"])


def frequencies(rows: Rows, words: Sequence[str], reader: Reader) -> dict[str, int]:
    """Return of each word how many of the documents hold it that a reader may read."""
    stems = _stems(rows, words)
    parameters = {**queries.reading(reader), "stems": json.dumps(sorted(set(stems.values())))}
    holding = {row["term"]: int(row["holding"]) for row in rows(_FREQUENCIES, parameters)}
    return {word: holding.get(stems[word], 0) for word in words}


def search(
    rows: Rows,
    often: Mapping[str, int],
    reader: Reader,
    *,
    limit: int,
    since: date | None = None,
    until: date | None = None,
) -> tuple[tuple[DecisionId, float], ...]:
    """Return (decision, score) within what a reader may read, best first, equals by id.

    Args:
        rows: a snapshot.
        often: the question's words, and how many documents that the reader may read hold each.
        reader: who asks.
        limit: how many at most, of the `BEST` that are scored.
        since: decided on that day or later.
        until: decided on that day or earlier.
    """
    documents, size = collection(rows, reader)
    asked = {word: holding for word, holding in often.items() if holding}
    rare = {word for word, holding in asked.items() if holding <= COMMON * documents}
    stems = _stems(rows, sorted(asked))
    if not asked:
        return ()
    parameters = {
        "stems": array_of(sorted({stems[word] for word in rare or asked})),
        "counted": array_of(sorted(set(stems.values()))),
        "sees_all": int(reader.sees_all),
        "sees_open": int(reader.sees_open),
        "scopes": array_of(sorted(reader.scopes)),
        "since": since.isoformat() if since else "",
        "until": until.isoformat() if until else queries.END_OF_TIME,
        "most": BEST,
    }
    found = [
        Found(id=row["id"], size=int(row["size"]), often=json.loads(row["often"])) for row in rows(_MATCHES, parameters)
    ]
    held = {stems[word]: holding for word, holding in asked.items()}
    scores = bm25.scored(found, held, documents=documents, average=size / documents if documents else 1.0)
    return tuple((DecisionId(id), score) for id, score in scores[:limit])


def held_by(rows: Rows, word: str, ids: Sequence[str]) -> frozenset[str]:
    """Return those of these decisions that hold a word."""
    parameters = {"ids": json.dumps(list(ids)), "stem": _stems(rows, [word])[word]}
    return frozenset(row["id"] for row in rows(_HOLDING, parameters))


class ServerWords:
    """Answers for words by the index on the server, as `store.sql.words.WordSearch` asks."""

    def find(
        self,
        rows: Rows,
        words: Sequence[str],
        reader: Reader,
        *,
        limit: int,
        since: date | None = None,
        until: date | None = None,
    ) -> WordsFound:
        """Return the best decisions for these words, of days between two, both included; none where `limit` is 0."""
        often = frequencies(rows, words, reader)
        scored = search(rows, often, reader, limit=limit, since=since, until=until) if limit else ()
        return WordsFound(scored=scored, often=often, documents=collection(rows, reader)[0])

    def holding(
        self, rows: Rows, words: Sequence[str], decisions: Sequence[DecisionId]
    ) -> Mapping[str, frozenset[DecisionId]]:
        """Return which of a few decisions, all of which the reader may read, hold each of the words."""
        return {word: frozenset(map(DecisionId, held_by(rows, word, decisions))) for word in words}


def _stems(rows: Rows, words: Sequence[str]) -> dict[str, str]:
    """Return each word as the index has it."""
    plain = {word: (folded(word) or [word])[0] for word in words}
    found = {row["word"]: row["stem"] for row in rows(_STEMS, {"words": json.dumps(sorted(set(plain.values())))})}
    return {word: found[plain[word]] for word in words}
