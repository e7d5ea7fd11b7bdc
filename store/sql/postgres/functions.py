"""What SQLite calls otherwise or has alone, as functions of the schema: so that a query's text is the same on both."""

# ruff: noqa: S608 - the text is built of constants

from __future__ import annotations

SCHEMA = "backstory"
"""Where the log's side and these functions lie."""


def _function(signature: str, kind: str, body: str, *, stable: bool = False) -> str:
    """Return what makes a function of one expression."""
    volatility = "STABLE" if stable else "IMMUTABLE"
    return f"CREATE FUNCTION {SCHEMA}.{signature} RETURNS {kind} LANGUAGE sql {volatility} AS $f$ SELECT {body} $f$"


_DOC = r"CAST(replace(doc, '\u0000', '\ufffd') AS jsonb)"
"""A text as JSON: an escaped NUL, which jsonb refuses, reads as the sign for what can't be read."""


def _if_it_is(kind: str) -> str:
    return f"CASE jsonb_typeof({_DOC}) WHEN '{kind}' THEN {_DOC} END"


_PATH = "CAST(CASE WHEN left(path, 1) = '$' THEN path ELSE '$.\"' || path || '\"' END AS jsonpath)"
"""SQLite's paths ("$.by.name") are jsonpaths too; what is none is a name at the top."""

FUNCTIONS: tuple[str, ...] = (
    _function("json_extract(doc jsonb, path text)", "text", f"jsonb_path_query_first(doc, {_PATH}) #>> '{{}}'"),
    _function("json_extract(doc text, path text)", "text", f"{SCHEMA}.json_extract({_DOC}, path)"),
    f"CREATE OPERATOR {SCHEMA}.->> (LEFTARG = text, RIGHTARG = text, FUNCTION = {SCHEMA}.json_extract)",
    _function(
        "json_each(doc text, path text, OUT value jsonb)",
        "SETOF jsonb",
        f"* FROM jsonb_path_query({_DOC}, CAST(path || '[*]' AS jsonpath))",
    ),
    _function(
        "json_texts(doc text, path text, OUT value text)",
        "SETOF text",
        f"each #>> '{{}}' FROM jsonb_path_query({_DOC}, CAST(path || '[*]' AS jsonpath)) each",
    ),
    _function(
        "json_each(doc text, OUT key text, OUT value jsonb)",
        "SETOF record",
        f"o.key, o.value FROM jsonb_each({_if_it_is('object')}) o"
        " UNION ALL SELECT CAST(a.number - 1 AS text), a.value"
        f" FROM jsonb_array_elements({_if_it_is('array')}) WITH ORDINALITY a(value, number)",
    ),
    _function("hex(bytes bytea)", "text", "upper(encode(bytes, 'hex'))"),
    _function("instr(whole text, sought text)", "integer", "strpos(whole, sought)"),
    _function(
        "julianday(moment text)",
        "double precision",
        "extract(epoch FROM CAST(moment AS timestamp)) / 86400.0 + 2440587.5",
        stable=True,
    ),
    _function("max(one bigint, other bigint)", "bigint", "greatest(one, other)"),
    _function("min(one bigint, other bigint)", "bigint", "least(one, other)"),
    _function("counted(sum bigint, one boolean)", "bigint", "sum + CAST(coalesce(one, FALSE) AS integer)"),
    f"CREATE AGGREGATE {SCHEMA}.sum(boolean) (SFUNC = {SCHEMA}.counted, STYPE = bigint, INITCOND = '0')",
    f"CREATE AGGREGATE {SCHEMA}.max(boolean) (SFUNC = boolor_statefunc, STYPE = boolean)",
    f"CREATE AGGREGATE {SCHEMA}.min(boolean) (SFUNC = booland_statefunc, STYPE = boolean)",
)
