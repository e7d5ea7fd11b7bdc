"""From SQLite's dialect to Postgres': one pass over the text of a statement, kept for the next time.

What the store writes is a small part of SQLite's dialect; this knows that part and no more (the list is in the
tests). Functions that only have another name there are made in the schema instead (`store.sql.postgres.schema`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

_LITERAL = re.compile(r"'(?:[^']|'')*'")
_KEPT = re.compile("\x00(\\d+)\x00")
_IN_LIST = re.compile(
    r"(?P<no>\bNOT\s+)?\bIN\s*\(\s*SELECT\s+value\s+FROM\s+json_each\(\s*:(?P<name>\w+)\s*\)\s*\)", re.I
)
_TEXTS = re.compile(r"\bSELECT\s+value(?P<named>\s+AS\s+\w+)?\s+FROM\s+json_each\(\s*:(?P<name>\w+)\s*\)", re.I)
_EACH = re.compile(r"\bjson_each\(\s*:(?P<name>\w+)\s*\)", re.I)
_TEXTS_WITHIN = re.compile(r"\bSELECT\s+value\s+FROM\s+json_each\((?=\s*[a-z_.]+\s*,)", re.I)
_LATERAL = re.compile(r"(?<!CROSS )\bJOIN(?=\s+json_each\(\s*[a-z_.]+\s*\)\s+\w+\s+(?!ON\b))", re.I)
_IGNORE = re.compile(r"\bINSERT\s+OR\s+IGNORE\s+INTO\b", re.I)
_GLOB = re.compile(r"\bGLOB\s+\x00(?P<pattern>\d+)\x00", re.I)
_IS_NOT = re.compile(r"\bIS\s+NOT\s+(?!NULL\b|DISTINCT\b|TRUE\b|FALSE\b)", re.I)
_NUMBER = re.compile(r"(?P<json>[\w.]+\s*->>\s*\x00\d+\x00)(?=\s*(?:<=|>=|<>|=|<|>)\s*\d)")
_NOT_NUMBER = re.compile(r"\bNOT\s+(?P<column>(?:\w+\.)?skipped)\b")
_TARGET = re.compile(r"\bON\s+CONFLICT\s*\(", re.I)
_START = re.compile(r"\bAS\s*\(\s*VALUES\s*\(\s*(?P<value>:\w+)\s*\)\s*UNION", re.I)
_HINT = re.compile(r"\bCROSS\s+JOIN\b(?=\s+\w+(?:\s+\w+)?\s+ON\b)", re.I)
_CAST = re.compile(r"\bAS\s+INTEGER\s*\)", re.I)
_REAL = re.compile(r"\bAS\s+REAL\s*\)", re.I)
_CALL = re.compile(r"\b(?P<name>json_group_array|json_group_object|json_array|json_object)\s*\(", re.I)
_PARAMETER = re.compile(r"(?<![:\w]):(?P<name>[A-Za-z_]\w*)")

_CALLS: Mapping[str, tuple[str, str]] = {
    "json_group_array": ("COALESCE(json_agg(", "), '[]')::text"),
    "json_group_object": ("COALESCE(json_object_agg(", "), '{}')::text"),
    "json_array": ("json_build_array(", ")"),
    "json_object": ("json_build_object(", ")"),
}

LIST = "__list"
"""Ends the name of a parameter that is bound as an array: `ids` is the JSON text, `ids__list` its elements."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement for psycopg: its text and which of its parameters are lists."""

    text: str
    lists: tuple[str, ...]


@lru_cache(maxsize=1024)
def translated(sql: str) -> Statement:
    """Return a statement of SQLite's dialect with `:name` parameters as one of Postgres'."""
    literals: list[str] = []
    text = _LITERAL.sub(lambda match: _keep(match[0], literals), sql)
    lists: dict[str, None] = {}

    def among(match: re.Match[str]) -> str:
        lists[match["name"]] = None
        return f"{'<> ALL' if match['no'] else '= ANY'} (:{match['name']}{LIST})"

    text = _IN_LIST.sub(among, text)
    text = _TEXTS.sub(r"SELECT value\g<named> FROM jsonb_array_elements_text(CAST(:\g<name> AS jsonb))", text)
    text = _LATERAL.sub("CROSS JOIN", text)
    text = _TEXTS_WITHIN.sub("SELECT value FROM json_texts(", text)
    text = _EACH.sub(r"jsonb_array_elements(CAST(:\g<name> AS jsonb))", text)
    text = _GLOB.sub(lambda match: f"LIKE {_keep(_like(literals[int(match['pattern'])]), literals)}", text)
    text = _NUMBER.sub(r"CAST(\g<json> AS BIGINT)", _NOT_NUMBER.sub(r"\g<column> = 0", text))
    text = _START.sub(r'AS (VALUES (CAST(\g<value> AS TEXT) COLLATE "C") UNION', text)
    text = _HINT.sub("JOIN", _TARGET.sub("ON CONFLICT (tenant, ", text))
    text = _CAST.sub("AS BIGINT)", _IS_NOT.sub("IS DISTINCT FROM ", text))
    text = _REAL.sub("AS DOUBLE PRECISION)", text)
    text = _called(text)
    if _IGNORE.search(text):
        text = _IGNORE.sub("INSERT INTO", text) + " ON CONFLICT DO NOTHING"
    text = _PARAMETER.sub(r"%(\g<name>)s", text.replace("%", "%%"))
    return Statement(_KEPT.sub(lambda match: literals[int(match[1])].replace("%", "%%"), text), tuple(lists))


def _keep(literal: str, literals: list[str]) -> str:
    literals.append(literal)
    return f"\x00{len(literals) - 1}\x00"


def _like(pattern: str) -> str:
    """Return a GLOB pattern of plain text and `*` as one for LIKE."""
    return re.sub(r"[\\%_]", r"\\\g<0>", pattern).replace("*", "%")


def _called(text: str) -> str:
    """Put Postgres' names and ends in the place of SQLite's JSON functions, innermost last."""
    while match := _CALL.search(text):
        before, after = _CALLS[match["name"].lower()]
        end = _closing(text, match.end())
        text = text[: match.start()] + before + text[match.end() : end] + after + text[end + 1 :]
    return text


def _closing(text: str, start: int) -> int:
    """Return where the parenthesis closes that was opened just before `start`."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if not depth:
            return place
    raise ValueError(f"a parenthesis without an end: {text}")


def array_of(values: Iterable[object]) -> str:
    """Return a list of texts or numbers as an array's literal, whose type its surroundings decide."""
    escaped = (str(each).replace("\\", "\\\\").replace('"', '\\"') for each in values)
    return "{" + ",".join(f'"{each}"' for each in escaped) + "}"
