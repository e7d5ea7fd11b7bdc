"""What can be asked of the projections: SQL text and the values made of its rows.

Every function takes `rows`, which runs one query and returns mappings by column name; so the
engine of `store.memory` and the bare sqlite3 of `store.sql.quick` run the very same text. Nothing
here imports SQLAlchemy. All that a reader learns (state, successors, votes, counts) comes from
rows that they may read: a successor that they can't read doesn't exist.
"""

# ruff: noqa: S608 - the text is built of this module's constants; every value is bound by name

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from store.core.events import read_day, read_instant, read_person, read_place, read_quote
from store.core.ids import normal
from store.core.model import Alternative, Decision, DecisionId, Person, Reader, Scope, State, Status, Verdict
from store.core.outcomes import voices, voter_key
from store.core.paths import beginnings, glob_of, located, may_be_path
from store.core.views import Claim, Vote

Rows = Callable[[str, Mapping[str, object]], Sequence[Mapping[str, Any]]]
"""Runs one query with named parameters."""

END_OF_TIME = "9999-12-31"
SHORTEST_PREFIX = 7
"""Hexadecimal digits from which on a decision's id may be cut short: 268 million of them."""


def readable(alias: str) -> str:
    """Return the condition under which the reader may read a row with `scope` and `open`."""
    return f"(:sees_all OR ({alias}.open AND :sees_open) OR {alias}.scope IN (SELECT value FROM json_each(:scopes)))"


def reading(reader: Reader, as_of: date | None = None) -> dict[str, object]:
    """Return the parameters that every query takes: who reads, and as of which day."""
    return {
        "sees_all": int(reader.sees_all),
        "sees_open": int(reader.sees_open),
        "scopes": json.dumps(sorted(reader.scopes)),
        "as_of": as_of.isoformat() if as_of else END_OF_TIME,
    }


_SHOWN = f"{readable('d')} AND NOT d.hidden AND d.day <= :as_of"


def _others(columns: str, table: str, mine: str, theirs: str, condition: str = "1") -> str:
    return (
        f"(SELECT json_group_array(x.id) FROM (SELECT o.id AS id FROM {table} t JOIN decisions o ON o.id = t.{theirs}"
        f" WHERE t.{mine} = d.id AND {condition} AND NOT o.hidden AND o.day <= :as_of AND {readable('o')}"
        f" ORDER BY o.day, o.id) x) AS {columns}"
    )


_SELECT = f"""
SELECT d.n, d.id, d.scope, d.open, d.source, d.anchor, d.ref, d.permalink, d.title, d.status, d.decided_on,
       d.confidence, d.confirmed, d.retracted, d.recorded_at, d.provenance, d.doc,
       {_others("superseded_by", "edges", "older", "newer", "NOT t.skipped AND o.in_force")},
       {_others("supersedes", "edges", "newer", "older", "NOT t.skipped")},
       {_others("cited", "cites", "citing", "cited")},
       (SELECT json_group_array(json_array(v.voter, v.voter_id, v.verdict, v.counts, v.reason, v.at, v.scope, v.open))
          FROM (SELECT * FROM votes v WHERE v.decision = d.id AND substr(v.at, 1, 10) <= :as_of AND {readable("v")}
                ORDER BY v.lamport, v.event) v) AS votes
FROM decisions d
"""

_NEWEST_FIRST = " ORDER BY d.day DESC, d.lamport DESC, d.id DESC"
_OLDEST_FIRST = " ORDER BY d.day, d.lamport, d.id"

EVERY_VOTE = f"""
SELECT d.id, (SELECT json_group_array(json_array(v.voter, v.voter_id, v.verdict, v.counts, v.reason, v.at, v.scope,
       v.open)) FROM (SELECT * FROM votes v WHERE v.decision = d.id AND {readable("v")} ORDER BY v.lamport, v.event) v)
       AS votes
FROM decisions d WHERE {_SHOWN} AND d.id IN (SELECT decision FROM votes) ORDER BY d.id
"""
BY_IDS = _SELECT + f"WHERE {_SHOWN} AND d.id IN (SELECT value FROM json_each(:ids))"
BY_PLACE = (
    _SELECT + f"WHERE {_SHOWN} AND NOT d.erased AND d.id IN (SELECT p.decision FROM decision_places p"
    " WHERE p.source = :source AND p.anchor = :anchor)" + _OLDEST_FIRST
)
BY_ELEMENTS = (
    _SELECT + f"WHERE {_SHOWN} AND NOT d.erased AND d.id IN (SELECT m.decision FROM decision_mentions m"
    " WHERE m.element IN (SELECT value FROM json_each(:elements)))" + _OLDEST_FIRST
)
LISTED = (
    _SELECT + f"WHERE {_SHOWN} AND NOT d.erased AND d.day BETWEEN :since AND :until"
    " AND (:any_element OR d.id IN (SELECT m.decision FROM decision_mentions m"
    " WHERE m.element IN (SELECT value FROM json_each(:elements))))" + _NEWEST_FIRST
)
ID_OF_NAME = (
    f"SELECT d.id, d.ref, d.in_force, d.day, d.lamport FROM decisions d WHERE {_SHOWN}"
    " AND (d.id = :name OR (d.ref = :name AND d.ref <> ''))"
)
ID_OF_PREFIX = f"SELECT d.id FROM decisions d WHERE {_SHOWN} AND d.id >= :prefix AND d.id < :after LIMIT 2"
ELEMENTS_ASKED = (
    "SELECT DISTINCT m.element FROM decision_mentions m JOIN decisions d ON d.id = m.decision"
    f" WHERE {_SHOWN} AND (m.mention = :asked OR m.element = :asked OR m.name = :asked OR m.slug_id = :asked"
    " OR m.hash_id = :asked) ORDER BY m.element"
)
ELEMENT_NAMES = (
    "SELECT m.element, max(d.open) AS open, min(CASE WHEN m.mention = m.element THEN m.written END) AS written,"
    " min(m.slug_id) AS slug_id, min(m.hash_id) AS hash_id"
    " FROM decision_mentions m JOIN decisions d ON d.id = m.decision"
    f" WHERE {_SHOWN} AND m.element IN (SELECT value FROM json_each(:elements)) GROUP BY m.element"
)
_REPLACED = (
    "EXISTS (SELECT 1 FROM edges t JOIN decisions o ON o.id = t.newer WHERE t.older = d.id AND NOT t.skipped"
    f" AND o.in_force AND NOT o.hidden AND o.day <= :as_of AND {readable('o')})"
)
CLAIMS = f"""
SELECT c.element, c.glob, c.decision FROM path_claims c JOIN decisions d ON d.id = c.decision
WHERE c.prefix IN (SELECT value FROM json_each(:beginnings)) AND {_SHOWN} AND d.in_force AND NOT {_REPLACED}
"""
DISPUTED = f"""
WITH standing AS (
    SELECT s.element, s.property, s.value, d.id FROM decision_sets s JOIN decisions d ON d.id = s.decision
    WHERE {_SHOWN} AND d.in_force AND NOT {_REPLACED}
)
SELECT * FROM standing WHERE (element, property) IN
      (SELECT element, property FROM standing GROUP BY element, property HAVING count(DISTINCT value) > 1)
ORDER BY element, property, id
"""
NOTED = f"""
SELECT p.first, p.second FROM pairs p JOIN decisions d ON d.id = p.first JOIN decisions o ON o.id = p.second
WHERE p.kind = 'conflict' AND {readable("p")} AND {_SHOWN} AND {readable("o")} AND NOT o.hidden
      AND d.in_force AND o.in_force
      AND NOT EXISTS (SELECT 1 FROM pairs b WHERE b.kind = 'both' AND b.first = p.first AND b.second = p.second)
ORDER BY p.first, p.second
"""
BOTH_APPLY = """
SELECT p.first, p.second FROM pairs p WHERE p.kind = 'both' AND p.first IN (SELECT value FROM json_each(:ids))
      AND p.second IN (SELECT value FROM json_each(:ids))
"""


WHO_REPLACED = """
SELECT p.body ->> '$.by.name' AS name, p.body ->> '$.by.id' AS id FROM event_about a
JOIN event_about b ON b.target = :older AND b.position = a.position
JOIN events e ON e.position = a.position AND e.kind = 'DecisionSuperseded' AND e.header ->> '$.about[0]' = :newer
JOIN event_parts p ON p.position = e.position AND p.name = 'edge'
WHERE a.target = :newer AND p.body ->> '$.by.name' IS NOT NULL ORDER BY e.lamport DESC, e.id DESC LIMIT 1
"""


# --- decisions --------------------------------------------------------------------------------


def decisions_by_ids(
    rows: Rows, ids: Iterable[str], reader: Reader, *, as_of: date | None = None
) -> tuple[Decision, ...]:
    """Return those of the decisions that the reader may read, in the order given (one query)."""
    wanted = list(dict.fromkeys(ids))
    found = {row["id"]: row for row in rows(BY_IDS, {**reading(reader, as_of), "ids": json.dumps(wanted)})}
    return tuple(decision_of(found[each]) for each in wanted if each in found)


def decision_named(rows: Rows, name: str, reader: Reader, *, as_of: date | None = None) -> Decision | None:
    """Return the decision of an id, a ref or the unambiguous beginning of an id.

    Of several decisions with one ref (revisions of one record) it is the one in force that came
    last.
    """
    parameters = reading(reader, as_of)
    found = rows(ID_OF_NAME, {**parameters, "name": name})
    if not found and len(name) >= SHORTEST_PREFIX and set(name) <= set("0123456789abcdef"):
        found = rows(ID_OF_PREFIX, {**parameters, "prefix": name, "after": name + "g"})
        if len(found) > 1:
            return None
    candidates = decisions_by_ids(rows, (row["id"] for row in found), reader, as_of=as_of)
    latest = {row["id"]: (row.get("in_force", 0), row.get("day", ""), row.get("lamport", 0)) for row in found}
    return max(candidates, key=lambda d: (d.state is State.CURRENT, latest[d.id], d.id), default=None)


def decisions_at(rows: Rows, source: str, anchor: str, reader: Reader) -> tuple[Decision, ...]:
    """Return the decisions of one place, oldest first."""
    return tuple(map(decision_of, rows(BY_PLACE, {**reading(reader), "source": source, "anchor": anchor})))


def decisions_listed(
    rows: Rows,
    reader: Reader,
    *,
    since: date | None = None,
    until: date | None = None,
    element: str = "",
    state: State | None = None,
    limit: int | None = None,
    as_of: date | None = None,
) -> tuple[Decision, ...]:
    """Return decisions, newest first, decided between two days (both included)."""
    parameters = {
        **reading(reader, as_of),
        "since": since.isoformat() if since else "",
        "until": until.isoformat() if until else END_OF_TIME,
        "any_element": int(not element),
        "elements": json.dumps(elements_asked(rows, element, reader, as_of=as_of) if element else ()),
    }
    found = rows(LISTED if limit is None or state else f"{LISTED} LIMIT {int(limit)}", parameters)
    kept = (each for each in map(decision_of, found) if state is None or each.state is state)
    return tuple(kept) if limit is None else tuple(each for each, _ in zip(kept, range(limit), strict=False))


def history(rows: Rows, element: str, reader: Reader, *, as_of: date | None = None) -> tuple[Decision, ...]:
    """Return an element's decisions, oldest first."""
    parameters = {**reading(reader, as_of), "elements": json.dumps(elements_asked(rows, element, reader, as_of=as_of))}
    return tuple(map(decision_of, rows(BY_ELEMENTS, parameters)))


def elements_asked(rows: Rows, asked: str, reader: Reader, *, as_of: date | None = None) -> tuple[str, ...]:
    """Return the elements that a mention, a bare name, an alias or an element id means to a reader.

    What names none may be a file's path: then it is those that claim it, the most specific claim first.
    """
    found = elements_named(rows, asked, reader)
    if found or not may_be_path(asked):
        return found
    return tuple(dict.fromkeys(each.element for each in claims(rows, asked, reader, as_of=as_of)))


def elements_named(rows: Rows, asked: str, reader: Reader) -> tuple[str, ...]:
    """Return the elements that have this mention, bare name, alias or id, as far as a reader knows."""
    found = rows(ELEMENTS_ASKED, {**reading(reader), "asked": normal(asked)})
    return tuple(row["element"] for row in found)


def claims(rows: Rows, path: str, reader: Reader, *, as_of: date | None = None) -> tuple[Claim, ...]:
    """Return the claims on a file's path that stand, the most specific first; elements by their normal form."""
    wanted = located(path)
    if not wanted:
        return ()
    found = rows(CLAIMS, {**reading(reader, as_of), "beginnings": json.dumps(beginnings(wanted))})
    held = ((glob_of(row["glob"]), row) for row in found)
    standing = [(glob, row) for glob, row in held if glob.claims(wanted)]
    standing.sort(key=lambda each: (each[1]["element"], each[1]["decision"]))
    standing.sort(key=lambda each: each[0].specificity, reverse=True)
    return tuple(
        Claim(element=row["element"], glob=row["glob"], decision=DecisionId(row["decision"])) for _, row in standing
    )


# --- votes ------------------------------------------------------------------------------------


def votes_of(row: Mapping[str, Any]) -> tuple[Vote, ...]:
    """Return the standing votes in a row of `_SELECT`: each voter's latest, in the order given."""
    latest: dict[str, Vote | None] = {}
    for voter, voter_id, verdict, counts, reason, at, scope, open_ in json.loads(row["votes"]):
        person = Person(name=voter, id=voter_id)
        latest.pop(voter_key(person), None)
        latest[voter_key(person)] = (
            Vote(
                decision=DecisionId(row["id"]),
                voter=person,
                verdict=Verdict(verdict),
                counts=bool(counts),
                reason=reason,
                at=read_instant(at),
                scope=Scope(id=scope, open=bool(open_)),
            )
            if verdict
            else None
        )
    return tuple(vote for vote in latest.values() if vote)


def votes_on(rows: Rows, decision: str, reader: Reader) -> tuple[Vote, ...]:
    """Return the standing votes on one decision, oldest first."""
    found = rows(BY_IDS, {**reading(reader), "ids": json.dumps([decision])})
    return votes_of(found[0]) if found else ()


# --- from rows to values ----------------------------------------------------------------------


def decision_of(row: Mapping[str, Any]) -> Decision:
    """Return the decision in a row of `_SELECT`."""
    doc = json.loads(row["doc"])
    statement, more = doc["statement"], doc["more"]
    superseded_by = tuple(map(DecisionId, json.loads(row["superseded_by"])))
    state = State.RETRACTED if row["retracted"] else State.SUPERSEDED if superseded_by else State.CURRENT
    links = statement.get("links", ())
    return Decision(
        id=DecisionId(row["id"]),
        title=row["title"],
        place=read_place(row),
        scope=Scope(id=row["scope"], open=bool(row["open"])),
        status=Status(row["status"]),
        state=state,
        confirmed=bool(row["confirmed"]),
        recorded_at=read_instant(row["recorded_at"]),
        rationale=statement.get("rationale", ""),
        decided_on=read_day(row["decided_on"]),
        decided_by=tuple(map(read_person, doc["decided_by"])),
        elements=tuple(statement.get("elements", ())),
        sets=tuple((each[0], each[1], each[2]) for each in statement.get("sets", ())),
        links=tuple((each[0], each[1], each[2]) for each in links if len(each) == 3),
        unlinks=tuple((each[0], each[1], each[2]) for each in links if len(each) == 4),
        alternatives=tuple(Alternative(option=each[0], reason=each[1]) for each in statement.get("alternatives", ())),
        trade_offs=tuple(more.get("trade_offs", ())),
        edge_cases=tuple(more.get("edge_cases", ())),
        tags=tuple(more.get("tags", ())),
        confidence=row["confidence"],
        revisit_when=more.get("revisit_when", ""),
        text=more.get("text", ""),
        evidence=tuple(map(read_quote, doc["evidence"])),
        supersedes=tuple(map(DecisionId, json.loads(row["supersedes"]))),
        superseded_by=superseded_by,
        cites=tuple(map(DecisionId, json.loads(row["cited"]))),
        places=tuple(map(read_place, doc["places"])),
        voices=voices(votes_of(row)),
        provenance=row["provenance"],
    )


# --- for the indexes --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A decision that changed since a position: what an index is to hold of it now.

    `alive` is false once its text is erased, it is retracted or it is a hidden variant.
    `texts` has the lexical index's columns by name.
    """

    id: DecisionId
    position: int
    scope: Scope
    alive: bool
    erased: bool
    day: str
    title: str
    doc: Mapping[str, Any]


CHANGED = (
    "SELECT d.id, d.changed, d.scope, d.open, d.retracted, d.erased, d.hidden, d.day, d.title, d.doc FROM decisions d"
    " WHERE d.changed > :after AND d.changed <= (SELECT max(c.changed) FROM (SELECT changed FROM decisions"
    " WHERE changed > :after ORDER BY changed LIMIT :limit) c) ORDER BY d.changed, d.id"
)


def changed_since(rows: Rows, after: int, *, limit: int) -> tuple[Changed, ...]:
    """Return decisions whose facts grew after a position, by the position of the latest.

    `doc` holds statement, more, decided_by, evidence and places as `decision_of` reads them.
    Decisions that changed at one position always come together, even beyond `limit`: so asking
    again after the last position given misses none.
    """
    return tuple(
        Changed(
            id=DecisionId(row["id"]),
            position=row["changed"],
            scope=Scope(id=row["scope"], open=bool(row["open"])),
            alive=not (row["retracted"] or row["erased"] or row["hidden"]),
            erased=bool(row["erased"]),
            day=row["day"],
            title=row["title"],
            doc=json.loads(row["doc"]),
        )
        for row in rows(CHANGED, {"after": after, "limit": limit})
    )


def lexical_search(
    rows: Rows,
    expression: str,
    weights: Sequence[float],
    reader: Reader,
    *,
    limit: int,
    as_of: date | None = None,
    since: date | None = None,
    until: date | None = None,
) -> tuple[tuple[DecisionId, float], ...]:
    """Return (decision, score), best first, higher is better; what is retracted stays out.

    `expression` comes from `store.sql.lexical.match_expression`; "" finds nothing.
    """
    if not expression:
        return ()
    sql = (
        f"SELECT d.id, -bm25(decisions_fts, {', '.join(str(float(each)) for each in weights)}) AS score"
        " FROM decisions_fts JOIN decisions d ON d.n = decisions_fts.rowid"
        f" WHERE decisions_fts MATCH :expression AND {_SHOWN} AND NOT d.erased AND NOT d.retracted"
        " AND d.day BETWEEN :since AND :until ORDER BY score DESC, d.id LIMIT :limit"
    )
    parameters = {
        **reading(reader, as_of),
        "expression": expression,
        "limit": limit,
        "since": since.isoformat() if since else "",
        "until": until.isoformat() if until else END_OF_TIME,
    }
    return tuple((DecisionId(row["id"]), float(row["score"])) for row in rows(sql, parameters))
