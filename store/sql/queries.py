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

Loads = Callable[[str], Any]
"""Reads JSON: the standard library's, or a faster one that takes longer to import than a look-up."""

END_OF_TIME = "9999-12-31"
SHORTEST_PREFIX = 7
"""Hexadecimal digits from which on a decision's id may be cut short: 268 million of them."""

FOR_ALL, FOR_GUESTS = 0, 1
"""`whom` a property is in conflict for: somebody who sees what is open, or only who doesn't see all of that."""


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


def together(alias: str) -> str:
    """Return the condition under which nobody said since that two which a row of `pairs` takes for one are two."""
    return (
        f"NOT EXISTS (SELECT 1 FROM pairs a WHERE a.kind = 'apart' AND a.first = {alias}.first"
        f" AND a.second = {alias}.second)"
    )


_SHOWN = f"{readable('d')} AND NOT d.hidden AND d.day <= :as_of"


def _others(columns: str, table: str, mine: str, theirs: str, condition: str = "TRUE") -> str:
    return (
        f"(SELECT json_group_array(x.id) FROM (SELECT o.id AS id FROM {table} t JOIN decisions o ON o.n = t.{theirs}"
        f" WHERE t.{mine} = d.n AND {condition} AND NOT o.hidden AND o.day <= :as_of AND {readable('o')}"
        f" ORDER BY o.day, o.id) x) AS {columns}"
    )


DOC = "coalesce(d.doc, (SELECT e.parts FROM events e WHERE e.position = d.n))"
"""What is shown of a decision, as JSON by the names of parts (`store.core.fold.Folded.said`)."""

THESE = (
    "(SELECT y.n FROM event_about a JOIN decisions y ON y.n = a.position AND y.id = a.target"
    " WHERE a.target IN (SELECT value FROM json_each(:ids)))"
)
"""The numbers of the decisions named in `:ids`: the position that recorded a decision is one that is about it."""

ABOUT_ELEMENTS = (
    "(SELECT m.n FROM mentions s JOIN decision_mentions m ON m.s = s.s"
    " WHERE s.element IN (SELECT value FROM json_each(:elements)))"
)
"""The numbers of the decisions that mention the elements in `:elements`."""

_COLUMNS = f"""
SELECT d.n, d.id, d.scope, d.open, d.confidence, d.confirmed, d.retracted, d.erased, d.recorded_at, d.provenance,
       {DOC} AS doc,
       {_others("superseded_by", "edges", "older", "newer", "NOT t.skipped AND o.in_force")},
       {_others("supersedes", "edges", "newer", "older", "NOT t.skipped")},
       {_others("cited", "cites", "citing", "cited")},
       (SELECT json_group_array(json_array(v.voter, v.voter_id, v.verdict, v.counts, v.reason, v.at, v.scope, v.open))
          FROM (SELECT * FROM votes v WHERE v.decision = d.n AND substr(v.at, 1, 10) <= :as_of AND {readable("v")}
                ORDER BY v.lamport, v.event) v) AS votes
"""
_SELECT = f"{_COLUMNS} FROM decisions d "

_NEWEST_FIRST = " ORDER BY d.day DESC, d.lamport DESC, d.id DESC"
_OLDEST_FIRST = " ORDER BY d.day, d.lamport, d.id"

EVERY_VOTE = f"""
SELECT d.id, (SELECT json_group_array(json_array(v.voter, v.voter_id, v.verdict, v.counts, v.reason, v.at, v.scope,
       v.open)) FROM (SELECT * FROM votes v WHERE v.decision = d.n AND {readable("v")} ORDER BY v.lamport, v.event) v)
       AS votes
FROM decisions d WHERE {_SHOWN} AND d.n IN (SELECT decision FROM votes) ORDER BY d.id
"""
BY_IDS = _SELECT + f"WHERE {_SHOWN} AND d.n IN {THESE}"
BY_PLACE = (
    _SELECT + f"WHERE {_SHOWN} AND NOT d.erased AND d.n IN (SELECT p.n FROM decision_places p"
    " WHERE p.source = :source AND p.anchor = :anchor)" + _OLDEST_FIRST
)
ID_OF_NAME = (
    f"SELECT d.id, d.ref, d.in_force, d.day, d.lamport FROM decisions d WHERE {_SHOWN} AND d.n IN ("
    "SELECT y.n FROM event_about a JOIN decisions y ON y.n = a.position AND y.id = a.target WHERE a.target = :name"
    " UNION SELECT r.n FROM decision_refs r WHERE r.ref = :name)"
)
ID_OF_PREFIX = (
    "SELECT DISTINCT d.id FROM event_about a JOIN decisions d ON d.n = a.position AND d.id = a.target"
    f" WHERE a.target >= :prefix AND a.target < :after AND {_SHOWN} LIMIT 2"
)


def _replaced(alias: str) -> str:
    """Return the condition under which something that the reader may read replaced a decision."""
    return (
        f"EXISTS (SELECT 1 FROM edges t JOIN decisions r ON r.n = t.newer WHERE t.older = {alias}.n AND NOT t.skipped"
        f" AND r.in_force AND NOT r.hidden AND r.day <= :as_of AND {readable('r')})"
    )


def _alone(condition: str = "TRUE") -> str:
    """Return the condition under which a decision is the one to be shown of those that are the same, to this reader.

    What was replaced comes first, since whatever replaced one replaced both; then what is confirmed, what is open, and
    what was decided first. Two of which one replaced the other are both shown. Without such pairs no more is asked.

    Args:
        condition: under which another one, `s`, would be shown in its stead.
    """
    theirs, ours = (
        f"({_replaced(one)}, {one}.confirmed, {one}.open, {other}.day, {other}.id)" for one, other in ("sd", "ds")
    )
    others = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM pairs p JOIN decisions s ON s.n = p.{other} WHERE p.kind = 'same'"
        f" AND p.{own} = d.n AND {readable('p')} AND {together('p')} AND {readable('s')} AND NOT s.hidden"
        f" AND NOT s.erased AND NOT s.retracted AND s.day <= :as_of AND {condition} AND {theirs} > {ours}"
        " AND NOT EXISTS (SELECT 1 FROM edges e WHERE NOT e.skipped"
        " AND ((e.newer = d.n AND e.older = s.n) OR (e.newer = s.n AND e.older = d.n))))"
        for own, other in (("first", "second"), ("second", "first"))
    )
    return f"(NOT EXISTS (SELECT 1 FROM pairs WHERE kind = 'same') OR d.retracted OR ({others}))"


def _used(condition: str = "") -> str:
    """Return the condition under which some decision that the reader may read uses the spelling `s`."""
    return (
        "EXISTS (SELECT 1 FROM decision_mentions m JOIN decisions d ON d.n = m.n"
        f" WHERE m.s = s.s AND {_SHOWN} {condition})"
    )


ELEMENTS_ASKED = (
    "SELECT DISTINCT s.element FROM mentions s WHERE (s.mention = :asked OR s.element = :asked OR s.name = :asked"
    f" OR s.slug_id = :asked OR s.hash_id = :asked) AND {_used()} ORDER BY s.element"
)
ELEMENT_NAMES = f"""
SELECT x.element, max(x.open) AS open, min(CASE WHEN x.mention = x.element THEN x.written END) AS written,
       min(x.slug_id) AS slug_id, min(x.hash_id) AS hash_id
FROM (SELECT s.element, s.mention, s.written, s.slug_id, s.hash_id,
             CASE WHEN {_used("AND d.open")} THEN 1 ELSE 0 END AS open
      FROM mentions s WHERE s.element IN (SELECT value FROM json_each(:elements)) AND {_used()}) x
GROUP BY x.element
"""
BY_ELEMENTS = (
    _SELECT + f"WHERE {_SHOWN} AND NOT d.erased AND d.n IN {ABOUT_ELEMENTS} AND {_alone(f's.n IN {ABOUT_ELEMENTS}')}"
    f"{_OLDEST_FIRST}"
)
_REPLACED = _replaced("d")
_IN_STATE = {
    None: "",
    State.CURRENT: f"AND NOT d.retracted AND NOT {_REPLACED}",
    State.SUPERSEDED: f"AND NOT d.retracted AND {_REPLACED}",
    State.RETRACTED: "AND d.retracted",
}
LISTED = {
    state: f"""{_COLUMNS} FROM decision_days y JOIN decisions d ON d.n = y.n
    WHERE y.day BETWEEN :since AND :until AND {_SHOWN} AND NOT d.erased {condition}
    AND {_alone("s.day BETWEEN :since AND :until")}
    ORDER BY y.day DESC, y.lamport DESC, d.id DESC"""
    for state, condition in _IN_STATE.items()
}
"""By state, None for any: newest first, read in that order, so that a limit ends it early."""
LISTED_OF = {
    state: f"""{_SELECT} WHERE d.n IN {ABOUT_ELEMENTS} AND d.day BETWEEN :since AND :until AND {_SHOWN} AND NOT d.erased
    {condition} AND {_alone(f"s.day BETWEEN :since AND :until AND s.n IN {ABOUT_ELEMENTS}")} {_NEWEST_FIRST}"""
    for state, condition in _IN_STATE.items()
}
"""The same of the elements in `:elements`."""
CLAIMS = f"""
SELECT s.element, c.glob, d.id AS decision FROM path_claims c JOIN decisions d ON d.n = c.n JOIN mentions s ON s.s = c.s
WHERE c.prefix IN (SELECT value FROM json_each(:beginnings)) AND {_SHOWN} AND d.in_force AND NOT {_REPLACED}
"""
_DISPUTED = f"""
WITH standing AS (
    SELECT s.element, p.property, p.value, p.rank, d.id FROM decision_sets p JOIN decisions d ON d.n = p.n
    JOIN mentions s ON s.s = p.s
    WHERE {_SHOWN} AND d.in_force AND NOT {_REPLACED}%s
)
SELECT * FROM standing WHERE (element, property) IN
      (SELECT element, property FROM standing GROUP BY element, property HAVING count(DISTINCT value) > 1)
ORDER BY element, property, id, rank
"""
DISPUTED_THEN = _DISPUTED % ""
DISPUTED = (
    _DISPUTED % " AND (s.element, p.property) IN (SELECT q.element, q.property FROM disputed q WHERE q.whom <= :whom)"
)
NOTED = f"""
SELECT d.id AS first, o.id AS second FROM pairs p JOIN decisions d ON d.n = p.first JOIN decisions o ON o.n = p.second
WHERE p.kind = 'conflict' AND {readable("p")} AND {_SHOWN} AND {readable("o")} AND NOT o.hidden
      AND d.in_force AND o.in_force
      AND NOT EXISTS (SELECT 1 FROM pairs b WHERE b.kind = 'both' AND b.first = p.first AND b.second = p.second)
ORDER BY d.id, o.id
"""
_SET_BY_TWO = f"""
AND (s.element, p.property) IN (
    SELECT m.element, q.property FROM decisions x JOIN json_each(x.mentions) j
    JOIN decision_sets q ON q.s = CAST(j.value AS INTEGER) AND q.n = x.n JOIN mentions m ON m.s = q.s
    WHERE x.n IN {THESE} GROUP BY m.element, q.property HAVING count(DISTINCT q.n) > 1
)
"""
DISPUTED_AMONG = _DISPUTED % _SET_BY_TWO
"""Of properties that two of the decisions in `:ids` set; on any day."""
NOTED_AMONG = NOTED.replace("ORDER BY", f"AND p.first IN {THESE} AND p.second IN {THESE} ORDER BY")
BOTH_APPLY = f"""
SELECT d.id AS first, o.id AS second FROM pairs p JOIN decisions d ON d.n = p.first JOIN decisions o ON o.n = p.second
WHERE p.kind = 'both' AND p.first IN {THESE} AND p.second IN {THESE}
"""


WHO_REPLACED = """
SELECT e.parts ->> '$.edge.by.name' AS name, e.parts ->> '$.edge.by.id' AS id FROM event_about a
JOIN event_about b ON b.target = :older AND b.position = a.position
JOIN events e ON e.position = a.position AND e.kind = 'DecisionSuperseded' AND e.header ->> '$.about[0]' = :newer
WHERE a.target = :newer AND e.parts ->> '$.edge.by.name' IS NOT NULL ORDER BY e.lamport DESC, e.id DESC LIMIT 1
"""


EDGE_BETWEEN = """
SELECT e.skipped FROM event_about a JOIN decisions d ON d.n = a.position AND d.id = a.target
JOIN edges e ON e.newer = d.n JOIN decisions o ON o.n = e.older AND o.id = :older WHERE a.target = :newer
"""
"""Whether one decision is said to replace another (`skipped` as in `edges`)."""

LATE_TURNS = """
SELECT DISTINCT h.source, h.turn FROM forgotten f JOIN held_quotes h ON h.turn = f.anchor AND h.source = f.source
WHERE f.kind = 'turn' ORDER BY h.source, h.turn
"""
"""Messages that were erased and of which another machine's words came in."""


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
    }
    sql = LISTED[state]
    if element:
        sql = LISTED_OF[state]
        parameters["elements"] = json.dumps(elements_asked(rows, element, reader, as_of=as_of))
    return tuple(map(decision_of, rows(sql if limit is None else f"{sql} LIMIT {int(limit)}", parameters)))


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
    """Return the standing votes in a row of `_COLUMNS`: each voter's latest, in the order given."""
    if row["votes"] == _NO_ROWS:
        return ()
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


def decision_of(row: Mapping[str, Any], loads: Loads = json.loads) -> Decision:
    """Return the decision in a row of `_COLUMNS`; `loads` reads its JSON."""
    said = loads(row["doc"])
    statement, more, meta = said.get("statement", {}), said.get("more", {}), said["meta"]
    superseded_by = _ids(row["superseded_by"])
    state = State.RETRACTED if row["retracted"] else State.SUPERSEDED if superseded_by else State.CURRENT
    links, place = statement.get("links", ()), read_place(said["place"])
    return Decision(
        id=DecisionId(row["id"]),
        title=statement.get("title", ""),
        place=place,
        scope=Scope(id=row["scope"], open=bool(row["open"])),
        status=_STATUS[statement.get("status", Status.WITHDRAWN)],
        state=state,
        confirmed=bool(row["confirmed"]),
        recorded_at=read_instant(row["recorded_at"]),
        rationale=statement.get("rationale", ""),
        decided_on=read_day(meta.get("decided_on", "")),
        decided_by=tuple([read_person(each) for each in said.get("people", {}).get("decided_by", ())]),
        elements=tuple(statement.get("elements", ())),
        sets=tuple([(each[0], each[1], each[2]) for each in statement.get("sets", ())]),
        links=tuple([(each[0], each[1], each[2]) for each in links if len(each) == 3]),
        unlinks=tuple([(each[0], each[1], each[2]) for each in links if len(each) == 4]),
        alternatives=tuple([Alternative(option=each[0], reason=each[1]) for each in statement.get("alternatives", ())]),
        trade_offs=tuple(more.get("trade_offs", ())),
        edge_cases=tuple(more.get("edge_cases", ())),
        tags=tuple(more.get("tags", ())),
        confidence=row["confidence"],
        revisit_when=more.get("revisit_when", ""),
        text=more.get("text", ""),
        evidence=tuple([read_quote(each) for each in quotes_in(said)]),
        supersedes=_ids(row["supersedes"]),
        superseded_by=superseded_by,
        cites=_ids(row["cited"]),
        places=tuple(map(read_place, said["places"])) if "places" in said else (place,),
        voices=voices(votes_of(row)),
        provenance=row["provenance"],
    )


_STATUS = {each.value: each for each in Status}
_NO_ROWS = "[]"
"""What a list of other rows is for most decisions: reading it as JSON would take a tenth of all reading."""


def _ids(text: str) -> tuple[DecisionId, ...]:
    return () if text == _NO_ROWS else tuple(map(DecisionId, json.loads(text)))


def may_stand(row: Mapping[str, Any]) -> bool:
    """Say whether the decision in a row of `_COLUMNS` is neither replaced nor retracted."""
    return row["superseded_by"] == _NO_ROWS and not row["retracted"]


def quotes_in(said: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """Return the quotes in what is shown of a decision (`DOC`, as read), in order."""
    if "evidence/0" not in said:
        return []
    count = sum(name.startswith("evidence/") for name in said)
    return [said[f"evidence/{number}"] for number in range(count)]


# --- for the indexes --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A decision that changed since a position: what an index is to hold of it now.

    `alive` is false once its text is erased, it is retracted or it is a hidden variant. `said` is what is shown of it,
    by the names of parts.
    """

    id: DecisionId
    position: int
    scope: Scope
    alive: bool
    erased: bool
    day: str
    said: Mapping[str, Any]


CHANGED = f"""
WITH few(position) AS (
    SELECT position FROM (
        SELECT * FROM (SELECT d.n AS position FROM decisions d WHERE d.n > :after
                       AND NOT EXISTS (SELECT 1 FROM decision_changes c WHERE c.n = d.n) ORDER BY d.n LIMIT :limit) one
        UNION ALL
        SELECT * FROM (SELECT c.changed AS position FROM decision_changes c WHERE c.changed > :after
                       ORDER BY c.changed LIMIT :limit) other
    ) either ORDER BY position LIMIT :limit),
touched(n, changed) AS (
    SELECT d.n, d.n FROM decisions d WHERE d.n > :after AND d.n <= (SELECT max(position) FROM few)
           AND NOT EXISTS (SELECT 1 FROM decision_changes c WHERE c.n = d.n)
    UNION ALL
    SELECT c.n, c.changed FROM decision_changes c
    WHERE c.changed > :after AND c.changed <= (SELECT max(position) FROM few))
SELECT d.id, t.changed, d.scope, d.open, d.retracted, d.erased, d.hidden, d.day, {DOC} AS doc
FROM touched t JOIN decisions d ON d.n = t.n ORDER BY t.changed, d.id
"""
LAST_CHANGE = (
    "SELECT coalesce(max(position), 0) AS position FROM"
    " (SELECT max(n) AS position FROM decisions UNION ALL SELECT max(changed) FROM decision_changes) either"
)
"""The last position at which a decision changed."""


def changed_since(rows: Rows, after: int, *, limit: int) -> tuple[Changed, ...]:
    """Return decisions whose facts grew after a position, by the position of the latest.

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
            said=json.loads(row["doc"]),
        )
        for row in rows(CHANGED, {"after": after, "limit": limit})
    )
