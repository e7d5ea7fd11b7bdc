"""Lexical search on Postgres: the index gives the best few hundred matches with their counts, the core scores them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date

from store.core import bm25
from store.core.model import DecisionId, Reader
from store.sql import queries
from store.sql.postgres.lexical import folded
from store.sql.postgres.translate import array_of
from store.sql.queries import Rows
from store.sql.words import Found

BEST = 500
"""Matches that are scored: those that Postgres' own ranking puts first."""
COMMON, FEW = 0.05, 20_000
"""Share of the documents from which on a word is left out where rarer ones are asked for, and up to how many postings
none is: frequent words are most of the work, and tell decisions apart least."""

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
_HELD = (
    "SELECT d.id, array_to_json(tsvector_to_array(l.words)) AS words FROM event_about a"
    " JOIN decisions d ON d.n = a.position AND d.id = a.target JOIN lexical_documents l ON l.n = d.n"
    " WHERE a.target IN (SELECT value FROM json_each(:ids))"
)


class ServerWords:
    """Answers for words by Postgres' text index; it keeps nothing, so threads may share it."""

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
        stems = _stems(rows, words)
        given = {**queries.reading(reader), "stems": json.dumps(sorted(set(stems.values())))}
        sizes = rows(_SIZES, given)[0]
        documents, size = int(sizes["documents"]), int(sizes["words"])
        holding = {row["term"]: int(row["holding"]) for row in rows(_FREQUENCIES, given)}
        often = {word: holding.get(stems[word], 0) for word in words}
        asked = {stems[word]: number for word, number in often.items() if number}
        scored: tuple[tuple[str, float], ...] = ()
        if asked and limit:
            matches = _matches(rows, asked, reader, documents=documents, since=since, until=until)
            average = size / documents if documents else 1.0
            scored = bm25.scored(matches, asked, documents=documents, average=average)[:limit]
        return Found(scored=tuple((DecisionId(id), score) for id, score in scored), often=often, documents=documents)

    def holding(
        self, rows: Rows, words: Sequence[str], decisions: Sequence[DecisionId]
    ) -> Mapping[str, frozenset[DecisionId]]:
        """Return which of a few decisions, all of which the reader may read, hold each of the words."""
        stems = _stems(rows, words)
        held = [(row["id"], json.loads(row["words"])) for row in rows(_HELD, {"ids": json.dumps(list(decisions))})]
        return {
            word: frozenset(DecisionId(id) for id, lexemes in held if stem in lexemes) for word, stem in stems.items()
        }


def _matches(
    rows: Rows,
    asked: Mapping[str, int],
    reader: Reader,
    *,
    documents: int,
    since: date | None,
    until: date | None,
) -> list[bm25.Found]:
    """Return those of the decisions with the rarer of these stems that Postgres ranks best, with all their counts."""
    many = sum(asked.values()) > FEW
    rare = [stem for stem, holding in asked.items() if many and holding <= COMMON * documents]
    parameters = {
        "stems": array_of(sorted(rare or asked)),
        "counted": array_of(sorted(asked)),
        "sees_all": int(reader.sees_all),
        "sees_open": int(reader.sees_open),
        "scopes": array_of(sorted(reader.scopes)),
        "since": since.isoformat() if since else "",
        "until": until.isoformat() if until else queries.END_OF_TIME,
        "most": BEST,
    }
    return [
        bm25.Found(id=row["id"], size=int(row["size"]), often=json.loads(row["often"]))
        for row in rows(_MATCHES, parameters)
    ]


def _stems(rows: Rows, words: Sequence[str]) -> dict[str, str]:
    """Return each word as the index has it."""
    plain = {word: (folded(word) or [word])[0] for word in words}
    if not plain:
        return {}
    found = {row["word"]: row["stem"] for row in rows(_STEMS, {"words": json.dumps(sorted(set(plain.values())))})}
    return {word: found[plain[word]] for word in words}
