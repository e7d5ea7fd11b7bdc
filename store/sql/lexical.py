"""Lexical search: FTS5's own index over what a decision says, asked in the reader's words.

The index is a projection. Tokeniser, column weights and stop words are data, so that measuring
can change them without touching a query. The tokeniser takes a run of signs without spaces for one word, so such
runs stand in the index as their overlapping pairs, and are asked for in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from store.core.languages import OTHER_TONGUES, asks_in_english, is_glue, paired, pieces

COLUMNS = ("title", "rationale", "alternatives", "elements", "quotes", "more", "text")
"""The columns of the index, in the order of `WEIGHTS`."""

WEIGHTS: tuple[float, ...] = (3.0, 1.5, 1.0, 2.0, 1.5, 1.0, 1.0)
"""How much a word in each column counts: a title word three times one in the source text. Measured on
two sets of questions; twice as much for titles did the same on one and worse on the other."""

TOKENIZER = "porter unicode61 remove_diacritics 2"
"""Stems ("retries", "retry") and folds accents; measured in the design notes against unicode61."""

MOST_TERMS = 64
"""Terms kept of a question: more of them makes a search slower and no better."""

_WORD = re.compile(r"\w+")

STOP_WORDS = frozenset(
    _WORD.findall(
        """a about above after again all also am an and any are as at be because been before being below between
        both but by can could did do does doing don down during each else ever few for from further get
        go had has have having he her here him his how i if in into is it its just let like made make me
        more most my no nor not now of off on once only or other our out over own same she should so some
        such than that the their them then there these they this those through to too under until up us
        use very was we were what when where which while who whom why will with would you your s t d ll
        re ve m isn didn doesn wasn weren won aren couldn wouldn shouldn hasn haven hadn decide decided
        decision decisions choose chose chosen choice reason reasons happened happen come came say said tell told
        give got get know remind makes want wanted us anyone anybody anything everyone everybody everything someone
        somebody something thing things one ones every still really instead without rather"""
    )
)
"""Words that questions are made of and that tell decisions apart least."""

CREATE = f"CREATE VIRTUAL TABLE IF NOT EXISTS decisions_fts USING fts5({', '.join(COLUMNS)}, tokenize='{TOKENIZER}')"
OPTIMIZE = "INSERT INTO decisions_fts(decisions_fts) VALUES ('optimize')"

INSERT = (
    "INSERT INTO decisions_fts(rowid, title, rationale, alternatives, elements, quotes, more, text) "
    "VALUES (:rowid, :title, :rationale, :alternatives, :elements, :quotes, :more, :text)"
)
DELETE = "DELETE FROM decisions_fts WHERE rowid IN (SELECT value FROM json_each(:rowids))"


def terms(question: str) -> tuple[str, ...]:
    """Return a question's words without stop words, each once in order; all words if none is left.

    A question in another language than English leaves out that one's function words too.
    """
    words = tuple(dict.fromkeys(part for word in _WORD.findall(question.lower()) for part in pieces(word)))
    empty = STOP_WORDS if asks_in_english(question) else STOP_WORDS | OTHER_TONGUES
    kept = tuple(word for word in words if word not in empty and not is_glue(word))
    return (kept or words)[:MOST_TERMS]


def match_expression(question: str) -> str:
    """Return the FTS5 query of a question: its terms, quoted and joined by OR; "" if it has none."""
    return " OR ".join(f'"{term}"' for term in terms(question))


def entry(rowid: int, document: Mapping[str, str]) -> dict[str, object]:
    """Return the parameters of `INSERT` for one decision's texts, a missing column being ""."""
    return {"rowid": rowid, **{column: paired(document.get(column, "")) for column in COLUMNS}}
