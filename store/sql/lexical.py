"""The lexical index: what is put into FTS5 and which words of a question are asked for.

It is a projection of two tables, one of what is said in the open and one of what is said in closed scopes, both
of living decisions alone (not erased, retracted or hidden): so the totals that FTS5 keeps of the first are what
everybody may know. A last column, which no word of a question reaches, says where and when.

Tokeniser, column weights and stop words are data, so that measuring can change them without touching a query.
The tokeniser takes a run of signs without spaces for one word, so such runs stand in the index as their
overlapping pairs, and are asked for in the same way.
"""

# ruff: noqa: S608 - the text is built of this module's constants; every value is bound by name

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from store.core.languages import OTHER_TONGUES, asks_in_english, is_glue, paired, pieces
from store.sql.tx import Tx

OPEN, CLOSED = "decisions_fts", "closed_fts"
"""The index of what is said in the open, and that of closed scopes."""

TABLES = (OPEN, CLOSED)

TEXTS = ("title", "rationale", "alternatives", "elements", "quotes", "more", "text")
"""The columns that words are looked for in, in the order of `WEIGHTS`."""

MARKS = "marks"
"""The column of a decision's scope, month and day, each as one number that no stemming changes."""

COLUMNS = (*TEXTS, MARKS)

TITLE = "{title}"
"""The columns to ask in, where only those of a title count."""

WEIGHTS: tuple[float, ...] = (3.0, 1.5, 1.0, 2.0, 1.5, 1.0, 1.0, 0.0)
"""How much a word in each column counts: a title word three times one in the source text, a mark nothing.
Measured on two sets of questions; twice as much for titles did the same on one and worse on the other."""

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

Entry = tuple[str | int, ...]
"""One decision's row of the index: its `n`, then its texts and marks in the order of `COLUMNS`."""


def create(tx: Tx, table: str, schema: str = "main") -> None:
    """Make one table of the index."""
    tx.run(definition(table, schema))
    tx.run(f"INSERT INTO {schema}.{table} ({table}, rank) VALUES ('crisismerge', {SEGMENTS})")


SEGMENTS = 100
"""Segments of one level of an FTS5 index from which on they are merged at once, whatever it takes (16 by itself). As
many are never reached, since FTS5 merges some with each write; so no append waits for a merge of everything."""


def definition(table: str, schema: str = "main") -> str:
    """Return the statement that makes one table of the index."""
    return f"CREATE VIRTUAL TABLE {schema}.{table} USING fts5({', '.join(COLUMNS)}, tokenize='{TOKENIZER}')"


def terms(question: str) -> tuple[str, ...]:
    """Return a question's words without stop words, each once in order; all words if none is left.

    A question in another language than English leaves out that one's function words too.
    """
    words = tuple(dict.fromkeys(part for word in _WORD.findall(question.lower()) for part in pieces(word)))
    empty = STOP_WORDS if asks_in_english(question) else STOP_WORDS | OTHER_TONGUES
    kept = tuple(word for word in words if word not in empty and not is_glue(word))
    return (kept or words)[:MOST_TERMS]


def asked(words: Iterable[str], *, of: str = " OR ", columns: str = f"- {{{MARKS}}}") -> str:
    """Return the FTS5 query for decisions whose texts hold any of these words, or (`of=" AND "`) all of them."""
    quoted = of.join(f'"{word}"' for word in words)
    return f"({columns} : ({quoted}))"


def marked(tokens: Iterable[str]) -> str:
    """Return the FTS5 query for decisions that have any of these marks."""
    return f"({{{MARKS}}} : ({' OR '.join(tokens)}))"


# --- what stands in the index -----------------------------------------------------------------


def document(
    statement: Mapping[str, Any], more: Mapping[str, Any], *, people: Mapping[str, Any], quotes: Iterable[str], ref: str
) -> dict[str, str]:
    """Return a decision's texts by column, of what its parts say; `quotes` are each once, as shown."""
    return {
        "title": str(statement.get("title", "")),
        "rationale": statement.get("rationale", ""),
        "alternatives": " \n".join(" ".join(each) for each in statement.get("alternatives", ())),
        "elements": " \n".join(
            [*statement.get("elements", ()), *(" ".join(each) for each in statement.get("sets", ()))]
        ),
        "quotes": " \n".join(quotes),
        "more": " \n".join(
            [
                *more.get("tags", ()),
                *more.get("trade_offs", ()),
                *more.get("edge_cases", ()),
                more.get("revisit_when", ""),
                *(each.get("name", "") for each in people.get("decided_by", ())),
                ref,
            ]
        ),
        "text": more.get("text", ""),
    }


def entry(n: int, document: Mapping[str, str], *, scope: str, day: str) -> Entry:
    """Return one decision's row, a missing text being ""; `day` is ISO text."""
    return (n, *(paired(document.get(column, "")) for column in TEXTS), marks(scope, day))


def marks(scope: str, day: str) -> str:
    """Return where and when as tokens."""
    return f"{scope_mark(scope)} {month_mark(day)} {day_mark(day)}"


@lru_cache(maxsize=1_024)
def scope_mark(scope: str) -> str:
    """Return a scope's token: 56 bits of its hash as a number."""
    return f"1{int.from_bytes(hashlib.sha256(scope.encode()).digest()[:7], 'big'):018}"


def month_mark(day: str) -> str:
    """Return the token of the month of an ISO day."""
    return f"2{day[:4]}{day[5:7]}"


def day_mark(day: str) -> str:
    """Return the token of an ISO day."""
    return f"3{day[:4]}{day[5:7]}{day[8:10]}"


_NAMES = ("n", *COLUMNS)


def put(tx: Tx, entries: Iterable[tuple[bool, Entry]], *, suffix: str = "") -> None:
    """Add rows, each with whether its scope is open; none of these decisions stands in the index.

    Args:
        tx: the transaction.
        entries: rows, each with whether its scope is open.
        suffix: of the tables' names, where they are being made anew.
    """
    if tx.texts is not None:
        tx.texts.put(list(entries))
        return
    given: dict[str, list[dict[str, object]]] = {OPEN: [], CLOSED: []}
    for open_, row in entries:
        given[OPEN if open_ else CLOSED].append(dict(zip(_NAMES, row, strict=True)))
    values = ", ".join(f":{name}" for name in _NAMES)
    for table, rows in given.items():
        tx.run_many(f"INSERT INTO {table}{suffix} (rowid, {', '.join(COLUMNS)}) VALUES ({values})", rows)


def take_out(tx: Tx, numbers: Sequence[int], *, suffix: str = "") -> None:
    """Remove decisions by their `n`, whether or not they stand in the index."""
    if tx.texts is not None:
        tx.texts.take_out(numbers)
        return
    for table in TABLES:
        tx.run(
            f"DELETE FROM {table}{suffix} WHERE rowid IN (SELECT value FROM json_each(:numbers))",
            {"numbers": json.dumps(list(numbers))},
        )


def move(tx: Tx, scope: str, *, open_: bool, suffix: str = "") -> None:
    """Bring what was said in a scope over to the table of what is open, or of what is closed.

    `suffix` ends the tables' names, where they are being made anew.
    """
    if tx.texts is not None:
        tx.texts.move(scope, open_=open_)
        return
    there, here = (f"{table}{suffix}" for table in ((CLOSED, OPEN) if open_ else (OPEN, CLOSED)))
    columns = f"rowid, {', '.join(COLUMNS)}"
    inside = {"marked": marked([scope_mark(scope)])}
    tx.run(f"INSERT INTO {here} ({columns}) SELECT {columns} FROM {there} WHERE {there} MATCH :marked", inside)
    tx.run(f"DELETE FROM {there} WHERE rowid IN (SELECT rowid FROM {there} WHERE {there} MATCH :marked)", inside)
