"""One hash of the state that a reader can read: the same wherever the same facts were folded.

It covers decisions, edges, citations, elements, resolutions, outcomes, rejections and tombstones;
not when or in which order the log learned of them, nor what lies beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from store.core.ids import Json, canonical
from store.core.model import Reader
from store.core.outcomes import voter_key
from store.sql import queries
from store.sql.queries import DOC, Rows, readable, reading

# ruff: noqa: S608 - the text is built of constants; every value is bound by name

_ENDS = f"{readable('d')} AND NOT d.hidden AND {readable('o')} AND NOT o.hidden"

_PIECE = """(
    SELECT y.n FROM event_about a JOIN decisions y ON y.n = a.position AND y.id = a.target
    WHERE a.target > :after AND a.target <= :until)"""
"""Decisions by id, some at a time: a million of them at once would fill the memory."""

_END_OF_PIECE = """
SELECT a.target FROM event_about a JOIN decisions y ON y.n = a.position AND y.id = a.target
WHERE a.target > :after ORDER BY a.target LIMIT 1 OFFSET :size
"""
LAST = "\U0010ffff"
"""Sorts after every id."""
AT_ONCE = 2_000
"""Decisions read at once: a few megabytes."""

_DECISIONS = f"""
SELECT d.id, d.scope, d.open, d.confirmed, d.retracted, d.erased, {DOC} AS doc
FROM decisions d WHERE {readable("d")} AND NOT d.hidden AND d.n IN {_PIECE} ORDER BY d.id
"""
_EDGES = f"""
SELECT d.id AS newer, o.id AS older, e.skipped FROM edges e JOIN decisions d ON d.n = e.newer
JOIN decisions o ON o.n = e.older WHERE {_ENDS} ORDER BY d.id, o.id
"""
_REFS = f"""
SELECT DISTINCT r.kind, d.id AS decision, r.ref FROM refs r JOIN decisions d ON d.n = r.decision
WHERE {readable("d")} AND NOT d.hidden ORDER BY r.kind, d.id, r.ref
"""
_CITES = f"""
SELECT d.id AS citing, o.id AS cited FROM cites c JOIN decisions d ON d.n = c.citing JOIN decisions o ON o.n = c.cited
WHERE {_ENDS} ORDER BY d.id, o.id
"""
_PAIRS = f"""
SELECT p.kind, d.id AS first, o.id AS second FROM pairs p JOIN decisions d ON d.n = p.first
JOIN decisions o ON o.n = p.second WHERE {readable("p")} AND {_ENDS} ORDER BY p.kind, d.id, o.id
"""
_MENTIONS = f"""
SELECT d.id AS decision, s.mention, s.element FROM decisions d CROSS JOIN json_each(d.mentions) m
JOIN mentions s ON s.s = CAST(m.value AS INTEGER)
WHERE {readable("d")} AND NOT d.hidden AND d.n IN {_PIECE} ORDER BY d.id, s.mention
"""
_RESOLUTIONS = f"""
SELECT DISTINCT r.mention, r.element, r.corrected, r.scope FROM resolutions r WHERE {readable("r")}
ORDER BY r.mention, r.element, r.corrected, r.scope
"""
_REJECTIONS = f"""
SELECT r.decision, r.scope, r.doc FROM rejections r WHERE {readable("r")} ORDER BY r.decision, r.scope, r.doc
"""
_FORGOTTEN = "SELECT kind, source, anchor FROM forgotten WHERE :sees_all ORDER BY kind, source, anchor"
_SETTINGS = "SELECT name, value FROM settings WHERE :sees_all ORDER BY name"

SECTIONS = {
    "decision": _DECISIONS,
    "edge": _EDGES,
    "ref": _REFS,
    "cite": _CITES,
    "pair": _PAIRS,
    "mention": _MENTIONS,
    "resolution": _RESOLUTIONS,
    "rejection": _REJECTIONS,
    "forgotten": _FORGOTTEN,
    "setting": _SETTINGS,
}
"""Each section's query; every row of it is one line of what is hashed, in this order."""


def digest(rows: Rows, reader: Reader) -> str:
    """Return the hash of all that the reader can read, in hexadecimal."""
    total = hashlib.sha256()
    for line in _lines(rows, reader):
        total.update(line.encode())
        total.update(b"\n")
    return total.hexdigest()


def _lines(rows: Rows, reader: Reader) -> Iterator[str]:
    parameters = reading(reader)
    for name, sql in SECTIONS.items():
        for piece in _pieces(rows) if _PIECE in sql else ({},):
            for row in rows(sql, {**parameters, **piece}):
                yield canonical([name, *row.values()])
    for row in rows(queries.EVERY_VOTE, parameters):
        for vote in sorted(queries.votes_of(row), key=lambda v: voter_key(v.voter)):
            said: list[Json] = [vote.verdict.value, int(vote.counts), vote.reason, vote.scope.id]
            yield canonical(["vote", row["id"], voter_key(vote.voter), *said])


def _pieces(rows: Rows) -> Iterator[dict[str, object]]:
    """Yield the bounds of the ids of some decisions after others, all of them together."""
    after = ""
    while found := rows(_END_OF_PIECE, {"after": after, "size": AT_ONCE}):
        yield {"after": after, "until": found[0]["target"]}
        after = found[0]["target"]
    yield {"after": after, "until": LAST}
