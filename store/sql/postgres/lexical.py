"""The lexical index on Postgres: a tsvector a decision, searched by a function that sees one tenant's rows alone.

Words are cut in `entry` as FTS5 cuts them (runs of letters and digits, accents folded) and stemmed by Postgres' English
stemmer, with no stop words: those are left out of questions. Columns that weigh the same share one of the four labels
that a tsvector has.

Row-level security keeps a condition like `@@` from using an index (it might leak what it is compared with), so the
table has one more policy, for a role without a login that owns the searching function; the function itself asks for
the tenant's rows.
"""

# ruff: noqa: S608 - the text is built of this module's constants; every value is bound by name

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from store.sql import lexical
from store.sql.postgres.functions import SCHEMA
from store.sql.tx import Tx

WORDS_ROLE = "backstory_words"
"""Owns the searching function; nobody logs in as it."""

DOCUMENTS, TERMS, SIZES = TABLES = ("lexical_documents", "lexical_terms", "lexical_sizes")
"""Each decision's words; how many decisions of a scope hold each word; how many there are and how long in all."""

COUNTED = {TERMS: "scope, open, term, documents", SIZES: "scope, open, documents, words"}
"""What of the counts follows from the documents."""

LABELS = dict(zip(sorted(set(lexical.WEIGHTS[: len(lexical.TEXTS)]), reverse=True), "ABCD", strict=False))
"""A tsvector's label by the weight of the columns that have it."""

MOST_CHARACTERS = 200_000
"""Characters of one column that are indexed: a tsvector takes a megabyte."""

_WORD = re.compile(r"[^\W_]+")

_TENANT = "tenant TEXT COLLATE \"C\" NOT NULL DEFAULT current_setting('backstory.tenant')"
_MOVE = f"""
    INSERT INTO {SCHEMA}.lexical_terms AS t (scope, open, term, documents)
    SELECT scope, open, term, sum(sign) FROM (%s) AS moved, unnest(tsvector_to_array(words)) AS term
    GROUP BY scope, open, term ORDER BY term
    ON CONFLICT (tenant, scope, open, term) DO UPDATE SET documents = t.documents + excluded.documents;
    INSERT INTO {SCHEMA}.lexical_sizes AS s (scope, open, documents, words)
    SELECT scope, open, sum(sign), sum(sign * size) FROM (%s) AS moved GROUP BY scope, open
    ON CONFLICT (tenant, scope, open) DO UPDATE
    SET documents = s.documents + excluded.documents, words = s.words + excluded.words;
    %s
    RETURN NULL;"""

_UNSAID = f"""DELETE FROM {SCHEMA}.lexical_terms AS t WHERE t.documents = 0
    AND t.term IN (SELECT term FROM gone, unnest(tsvector_to_array(words)) AS term);"""
"""A word that no document has any more goes: it may have been erased."""


_WHEN = " ".join(f"WHEN '{label}' THEN {weight}" for weight, label in LABELS.items())
_RANKED = (
    "{" + ",".join(str(weight / max(LABELS)) for weight, _ in sorted(LABELS.items(), key=lambda e: e[1])[::-1]) + "}"
)
"""The labels' weights from D to A, as ts_rank takes them: at most 1."""


def _trigger(event: str, rows: str, tables: str, then: str = "") -> tuple[str, str]:
    name = f"{SCHEMA}.lexical_count_{event.lower()}"
    return (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN {_MOVE % (rows, rows, then)} END $f$",
        f"CREATE TRIGGER count_{event.lower()} AFTER {event} ON {SCHEMA}.lexical_documents REFERENCING {tables}"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
    )


_ADDED = "SELECT scope, open, words, size, 1 AS sign FROM added"
_GONE = "SELECT scope, open, words, size, -1 AS sign FROM gone"

CREATE: tuple[str, ...] = (
    f"CREATE TEXT SEARCH DICTIONARY {SCHEMA}.stem (TEMPLATE = snowball, LANGUAGE = english)",
    f"CREATE TEXT SEARCH CONFIGURATION {SCHEMA}.words (COPY = pg_catalog.simple)",
    f"ALTER TEXT SEARCH CONFIGURATION {SCHEMA}.words ALTER MAPPING FOR asciiword, word, numword WITH {SCHEMA}.stem",
    f"""CREATE TABLE {SCHEMA}.lexical_documents ({_TENANT}, n BIGINT NOT NULL, scope TEXT COLLATE "C" NOT NULL,
    open BOOLEAN NOT NULL, size BIGINT NOT NULL, words TSVECTOR NOT NULL, often JSONB NOT NULL,
    PRIMARY KEY (tenant, n))""",
    f"CREATE INDEX lexical_by_word ON {SCHEMA}.lexical_documents USING gin (words) WITH (fastupdate = off)",
    f"""CREATE TABLE {SCHEMA}.lexical_terms ({_TENANT}, scope TEXT COLLATE "C" NOT NULL, open BOOLEAN NOT NULL,
    term TEXT COLLATE "C" NOT NULL, documents BIGINT NOT NULL, PRIMARY KEY (tenant, scope, open, term))""",
    f"CREATE INDEX lexical_terms_by_term ON {SCHEMA}.lexical_terms (tenant, term)",
    f"""CREATE TABLE {SCHEMA}.lexical_sizes ({_TENANT}, scope TEXT COLLATE "C" NOT NULL, open BOOLEAN NOT NULL,
    documents BIGINT NOT NULL, words BIGINT NOT NULL, PRIMARY KEY (tenant, scope, open))""",
    f"ALTER TABLE {SCHEMA}.lexical_documents ALTER COLUMN words SET STATISTICS 0",
    f"ALTER TABLE {SCHEMA}.lexical_documents ALTER COLUMN often SET STATISTICS 0",
    *_trigger("INSERT", _ADDED, "NEW TABLE AS added"),
    *_trigger("DELETE", _GONE, "OLD TABLE AS gone", _UNSAID),
    *_trigger("UPDATE", f"{_ADDED} UNION ALL {_GONE}", "NEW TABLE AS added OLD TABLE AS gone", _UNSAID),
    f"""CREATE FUNCTION {SCHEMA}.lexical_stem(word text) RETURNS text LANGUAGE sql IMMUTABLE AS $f$
    SELECT coalesce((ts_lexize('{SCHEMA}.stem', word))[1], word) $f$""",
    f"""CREATE FUNCTION {SCHEMA}.lexical_matches(asked text[], counted text[], sees_all boolean, sees_open boolean,
        scopes text[], since text, until text, most bigint)
    RETURNS TABLE (id text, size bigint, often text) LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = {SCHEMA}, pg_temp AS $f$
    WITH query AS MATERIALIZED (
        SELECT CAST(string_agg(quote_literal(each), '|') AS tsquery) AS words FROM unnest(asked) AS each),
    best AS (
        SELECT d.id, l.size, l.often FROM lexical_documents l JOIN decisions d ON d.tenant = l.tenant AND d.n = l.n
        WHERE l.tenant = current_setting('backstory.tenant') AND l.words @@ (SELECT words FROM query)
          AND (sees_all OR (l.open AND sees_open) OR l.scope = ANY (scopes))
          AND NOT d.hidden AND NOT d.erased AND NOT d.retracted AND d.day BETWEEN since AND until
        ORDER BY ts_rank('{_RANKED}', l.words, (SELECT words FROM query), 1) DESC, l.n LIMIT most)
    SELECT best.id, best.size, CAST(json_object_agg(word, best.often -> word) AS text)
    FROM best, unnest(counted) AS word WHERE best.often -> word IS NOT NULL
    GROUP BY best.id, best.size $f$""",
)

_PUT = f"""
INSERT INTO lexical_documents (n, scope, open, size, words, often)
SELECT d.n, d.scope, :open, :size, w.words, (
    SELECT COALESCE(jsonb_object_agg(u.lexeme, (SELECT sum(CASE label {
    _WHEN
} END) FROM unnest(u.weights) AS label)), '{{}}')
    FROM unnest(w.words) AS u)
FROM decisions d, (SELECT {
    " || ".join(f"setweight(to_tsvector('{SCHEMA}.words', :{label}), '{label}')" for label in sorted(LABELS.values()))
} AS words) w WHERE d.n = :n
"""
_TAKE_OUT = "DELETE FROM lexical_documents WHERE n IN (SELECT value FROM json_each(:numbers))"
_MOVE_OVER = "UPDATE lexical_documents SET open = :open WHERE scope = :scope AND open <> :open"


class ServerTexts:
    """Keeps the index within one transaction; the calls are those of `store.sql.lexical`."""

    def __init__(self, tx: Tx) -> None:
        """Work within the caller's transaction."""
        self._tx = tx

    def put(self, entries: Sequence[tuple[bool, tuple[str | int, ...]]]) -> None:
        """Add rows, each with whether its scope is open; the decisions have their rows already."""
        self._tx.run_many(_PUT, [_entry(row, open_=open_) for open_, row in entries])

    def take_out(self, numbers: Sequence[int]) -> None:
        """Remove decisions by their `n`."""
        self._tx.run(_TAKE_OUT, {"numbers": json.dumps(list(numbers))})

    def move(self, scope: str, *, open_: bool) -> None:
        """Bring what was said in a scope over to what is open, or closed."""
        self._tx.run(_MOVE_OVER, {"scope": scope, "open": int(open_)})

    def settle(self) -> None:
        """Leave no word that no decision holds; the rest is VACUUM's, which runs after the commit of an erasure."""
        self._tx.run("DELETE FROM lexical_terms WHERE documents = 0")


def _entry(row: Sequence[str | int], *, open_: bool) -> dict[str, object]:
    """Return the parameters of `_PUT` for a row of `store.sql.lexical.entry`: number, texts, marks."""
    labelled: dict[str, list[str]] = {label: [] for label in LABELS.values()}
    for text, weight in zip(row[1 : len(lexical.TEXTS) + 1], lexical.WEIGHTS, strict=False):
        labelled[LABELS[weight]] += folded(str(text)[:MOST_CHARACTERS])
    size = sum(map(len, labelled.values()))
    return {
        "n": row[0], "open": int(open_), "size": size, **{label: " ".join(words) for label, words in labelled.items()}
    }  # fmt: skip


def folded(text: str) -> list[str]:
    """Return a text's words as they are indexed: in small letters, without accents."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return _WORD.findall(plain.lower())
