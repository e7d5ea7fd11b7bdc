"""What one person's Home lists, by queries that look at a few rows however many decisions there are.

Ids are chosen first and read after: the columns that say where a decision stands cost more than the choice.
Counts are of what the reader may read, like everything else.
"""

# ruff: noqa: S608 - the text is built of this module's constants; every value is bound by name

from __future__ import annotations

import json
from collections.abc import Iterator

from store.core.events import read_instant, read_person, read_quote
from store.core.kept import Kept, ScopeCount, SettingChange
from store.core.model import Decision, Person, Quote, Reader, State
from store.sql.queries import DOC, THESE, Rows, decisions_by_ids, readable, reading

PAGE = 40
"""Ids chosen at once: twice what a list shows, since some of them turn out to be replaced."""

_THERE = f"{readable('d')} AND NOT d.hidden AND NOT d.erased"
_NEWEST = f"""
SELECT d.id FROM decision_days y JOIN decisions d ON d.n = y.n WHERE {_THERE} AND NOT d.retracted AND d.confirmed
ORDER BY y.day DESC, y.lamport DESC, d.id DESC LIMIT :limit OFFSET :offset
"""
_WAITING = f"""
SELECT d.id FROM decisions d WHERE NOT d.confirmed AND NOT d.retracted AND {_THERE} AND instr({DOC}, :named) > 0
ORDER BY d.day DESC, d.lamport DESC, d.id DESC
"""
_NAMING = f"""
SELECT d.id FROM decisions d WHERE {_THERE} AND instr({DOC}, :named) > 0 ORDER BY d.day DESC, d.lamport DESC, d.id DESC
"""
_TURN, _SAID_AT = "json_extract(q.value, '$.turn_id')", "json_extract(q.value, '$.at')"
_QUOTES = f"""
SELECT x.quote, count(*) OVER () AS number FROM (
    SELECT q.value AS quote, {_TURN} AS turn, {_SAID_AT} AS at,
           row_number() OVER (PARTITION BY {_TURN} ORDER BY {_SAID_AT} DESC, d.id) AS nth
    FROM decisions d, json_each({DOC}) q
    WHERE q.key GLOB 'evidence/*' AND {_THERE} AND instr({DOC}, :named) > 0
          AND json_extract(q.value, '$.author_id') = :person AND json_extract(q.value, '$.quote') <> '') x
WHERE x.nth = 1 ORDER BY x.at DESC, x.turn LIMIT :limit
"""
_QUOTING = f"""
SELECT DISTINCT d.id FROM held_quotes h JOIN decisions d ON d.n = h.n
WHERE h.turn = :turn AND {_THERE} ORDER BY d.id
"""
_VOTED = f"""
SELECT d.id FROM votes v JOIN decisions d ON d.n = v.decision
WHERE v.voter_id = :person AND {readable("v")} AND {_THERE} GROUP BY d.id, d.day ORDER BY d.day DESC, d.id
"""
_KEPT = f"""
SELECT count(*) AS decisions, min(d.recorded_at) AS oldest FROM decisions d WHERE {_THERE} AND NOT d.retracted
"""
_MESSAGES = f"""
SELECT count(DISTINCT h.turn) AS messages FROM held_quotes h JOIN decisions d ON d.n = h.n
WHERE {_THERE} AND h.turn <> ''
"""
_BY_SCOPE = f"""
SELECT d.scope, max(d.recorded_at) AS latest,
       sum(d.recorded_at >= :since AND d.confirmed AND NOT d.retracted) AS kept,
       sum(d.recorded_at >= :since AND d.retracted) AS removed
FROM decisions d WHERE {readable("d")} AND NOT d.hidden GROUP BY d.scope ORDER BY d.scope
"""
_HELD = "held_quotes h JOIN decisions d ON d.n = h.n WHERE h.source = :source AND h.turn <> ''"
_THREADS = f"SELECT DISTINCT d.anchor FROM {_HELD} ORDER BY d.anchor"
_TURNS = f"SELECT DISTINCT h.turn FROM {_HELD} AND d.anchor = :anchor ORDER BY h.turn"
_SAID = "substr(h.turn, instr(h.turn, '/') + 1)"
_BEFORE = f"""
SELECT DISTINCT d.anchor, h.turn, {_SAID} AS said FROM {_HELD} AND {_SAID} < :ts ORDER BY said, d.anchor LIMIT :limit
"""
_CHANGES = """
SELECT s.name, s.value, json_extract(e.header, '$.recorded_at') AS at, e.parts ->> '$.people' AS people
FROM settings s JOIN event_ids i ON i.id = s.event JOIN events e ON e.position = i.position
WHERE substr(s.name, 1, length(:prefix)) = :prefix ORDER BY s.name
"""


def newest(rows: Rows, reader: Reader, within: Reader, *, limit: int) -> tuple[Decision, ...]:
    """Return confirmed decisions in force, newest first: those of scopes that `within` holds, as `reader` sees them."""
    found: list[Decision] = []
    for page in _pages(rows, within):
        found += [one for one in decisions_by_ids(rows, page, reader) if one.state is State.CURRENT]
        if len(found) >= limit:
            break
    return tuple(found[:limit])


def _pages(rows: Rows, within: Reader) -> Iterator[list[str]]:
    offset = 0
    while page := [row["id"] for row in rows(_NEWEST, {**reading(within), "limit": PAGE, "offset": offset})]:
        yield page
        offset += PAGE


def unconfirmed_of(rows: Rows, reader: Reader, person: str) -> tuple[Decision, ...]:
    """Return captures that wait for a word and in which somebody decided or wrote; deciders' first, then newest."""
    found = decisions_by_ids(rows, _named(rows, _WAITING, reader, person), reader)
    decided = [one for one in found if any(each.id == person for each in one.decided_by)]
    wrote = [one for one in found if one not in decided and any(q.author_id == person for q in one.evidence)]
    return tuple(one for one in (*decided, *wrote) if one.state is State.CURRENT)


def decided_by(rows: Rows, reader: Reader, person: str) -> tuple[Decision, ...]:
    """Return what somebody decided, newest first."""
    found = decisions_by_ids(rows, _named(rows, _NAMING, reader, person), reader)
    return tuple(one for one in found if any(each.id == person for each in one.decided_by))


def _named(rows: Rows, sql: str, reader: Reader, person: str) -> list[str]:
    """Return ids of decisions in whose document a person's id stands; the caller looks where."""
    return [row["id"] for row in rows(sql, {**reading(reader), "named": json.dumps(person)})] if person else []


def quotes_of(rows: Rows, reader: Reader, person: str, *, limit: int) -> tuple[tuple[Quote, ...], int]:
    """Return what is kept of somebody's messages, newest first and each message once, and how many there are in all."""
    if not person:
        return (), 0
    parameters = {**reading(reader), "named": json.dumps(person), "person": person, "limit": limit}
    found = rows(_QUOTES, parameters)
    return tuple(read_quote(json.loads(row["quote"])) for row in found), int(found[0]["number"]) if found else 0


def quoting(rows: Rows, turn: str, reader: Reader) -> tuple[Decision, ...]:
    """Return the decisions that rest on one message."""
    return decisions_by_ids(rows, [row["id"] for row in rows(_QUOTING, {**reading(reader), "turn": turn})], reader)


def wordings(rows: Rows, decision: str) -> tuple[str, ...]:
    """Return the ids of a decision's wordings, its own among them: those before an edit, and after."""
    found = rows(
        f"WITH RECURSIVE chain(n) AS (SELECT d.n FROM decisions d WHERE d.n IN {THESE} UNION"
        " SELECT CASE WHEN e.newer = c.n THEN e.older ELSE e.newer END FROM edges e"
        " JOIN chain c ON c.n IN (e.newer, e.older) WHERE e.why = 'revision')"
        " SELECT d.id FROM chain c JOIN decisions d ON d.n = c.n ORDER BY d.id",
        {"ids": json.dumps([decision])},
    )
    return tuple(row["id"] for row in found)


def voted_by(rows: Rows, reader: Reader, person: str) -> tuple[Decision, ...]:
    """Return the decisions on which somebody ever said how they went, newest first; their word may be taken back."""
    found = rows(_VOTED, {**reading(reader), "person": person}) if person else ()
    return decisions_by_ids(rows, [row["id"] for row in found], reader)


def kept(rows: Rows, reader: Reader) -> Kept:
    """Count what is kept of decisions and messages, and since when."""
    (decided,), (quoted,) = rows(_KEPT, reading(reader)), rows(_MESSAGES, reading(reader))
    oldest = read_instant(decided["oldest"]) if decided["oldest"] else None
    return Kept(decisions=int(decided["decisions"]), messages=int(quoted["messages"]), oldest=oldest)


def by_scope(rows: Rows, reader: Reader, *, since: str) -> dict[str, ScopeCount]:
    """Count, by scope, what was recorded since an instant and stands, and what of it was removed."""
    return {
        row["scope"]: ScopeCount(kept=int(row["kept"]), removed=int(row["removed"]), latest=read_instant(row["latest"]))
        for row in rows(_BY_SCOPE, {**reading(reader), "since": since})
    }


def setting_changes(rows: Rows, prefix: str) -> tuple[SettingChange, ...]:
    """Return the settings whose names begin so, by name, with who set each and when."""
    return tuple(
        SettingChange(
            name=row["name"],
            value=row["value"],
            by=read_person(json.loads(row["people"]).get("by") or {}) if row["people"] else Person(name=""),
            at=read_instant(row["at"]),
        )
        for row in rows(_CHANGES, {"prefix": prefix})
    )


def threads_quoted(rows: Rows, source: str) -> tuple[str, ...]:
    """Return the anchors of a source's threads of which words are kept, in order."""
    return tuple(row["anchor"] for row in rows(_THREADS, {"source": source}))


def turns_quoted(rows: Rows, source: str, anchor: str) -> tuple[str, ...]:
    """Return the ids of the turns of one thread whose words are kept, in order."""
    return tuple(row["turn"] for row in rows(_TURNS, {"source": source, "anchor": anchor}))


def turns_before(rows: Rows, source: str, ts: str, *, limit: int) -> tuple[tuple[str, str], ...]:
    """Return (anchor, turn) of what was said before a `ts` of ten digits and a fraction, oldest first."""
    found = rows(_BEFORE, {"source": source, "ts": ts, "limit": limit})
    return tuple((row["anchor"], row["turn"]) for row in found)
