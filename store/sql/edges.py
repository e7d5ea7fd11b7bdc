"""Who replaces whom and who cites whom: edges between decisions, by id or by ref.

An edge by ref leads to every decision of that ref, whichever arrives first. An edge that would
close a cycle is marked, not dropped: which one it is follows from canonical order alone.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from store.core.fold import Edge, closing_cycles
from store.sql.disputed import Disputed
from store.sql.tx import Tx

WITHDRAWN = 2
"""Stands in `skipped` where somebody withdrew an edge; it may lie on a cycle, and breaks it."""


class Edges:
    """The tables `edges` and `cites`, kept within one transaction."""

    def __init__(self, tx: Tx, disputed: Disputed) -> None:
        """Work within the caller's writing transaction; `disputed` is told of every edge that changes."""
        self._tx = tx
        self._disputed = disputed

    def connect(self, touched: Sequence[int], rows: Mapping[str, Sequence[Mapping[str, object]]]) -> list[int]:
        """Add the edges among `rows` and give references their targets; return the decisions that may lie on a cycle.

        Args:
            touched: decisions, by number, that the facts are about: they may be what a reference waited for.
            rows: of the facts that came, by table.
        """
        events = [row["event"] for row in rows.get("refs", ())]
        found = self._rows(_TARGETS, events=events, ids=touched)
        edges: list[Mapping[str, Any]] = [
            {
                "newer": row["decision"],
                "older": row["target"],
                "lamport": row["lamport"],
                "event": row["event"],
                "why": "ref",
            }
            for row in found
            if row["kind"] == "supersedes"
        ]
        edges += rows.get("edges", ())
        cites: list[Mapping[str, Any]] = [
            {"citing": row["decision"], "cited": row["target"]} for row in found if row["kind"] == "cites"
        ]
        cites += rows.get("cites", ())
        self._run(_ADD_CITE, cites)
        self._change(_ADD_EDGE, edges)
        self._settle(
            [[row["first"], row["second"]] for row in rows.get("pairs", ()) if row["kind"] in ("conflict", "both")]
        )
        self._withdraw([*touched, *(int(each["newer"]) for each in edges)])
        return [*touched, *(int(each["newer"]) for each in edges)]

    def drop(self, events: Sequence[str]) -> None:
        """Drop the edges and references that these facts gave: they were erased."""
        those = "event IN (SELECT value FROM json_each(:events))"
        gone = self._rows(f"SELECT older FROM edges WHERE {those}", events=events)  # noqa: S608  # a constant
        self._disputed.changed(row["older"] for row in gone)
        for table in ("edges", "refs"):
            self._tx.run(
                f"DELETE FROM {table} WHERE {those}",  # noqa: S608  # constants
                {"events": json.dumps(list(events))},
            )

    def _withdraw(self, touched: Sequence[int]) -> None:
        """Mark edges that were withdrawn and not said again since: the last word in canonical order stands."""
        pairs = [[row["newer"], row["older"]] for row in self._rows(_KNOWN, ids=touched)]
        last: dict[tuple[int, int], tuple[tuple[int, str], int]] = {}
        for row in self._rows(_WORDS_ON, pairs=pairs) if pairs else ():
            pair = (row["newer"], row["older"])
            word = ((row["lamport"], row["event"]), row["withdrawn"])
            last[pair] = max(last.get(pair, word), word)
        marks = [
            {"newer": newer, "older": older, "withdrawn": withdrawn} for (newer, older), (_, withdrawn) in last.items()
        ]
        self._change(_MARK_WITHDRAWN, marks)

    def _settle(self, pairs: Sequence[Sequence[object]]) -> None:
        """Drop "both apply" of pairs that were contested again since, in canonical order."""
        last: dict[tuple[int, int], tuple[tuple[int, str], int]] = {}
        for row in self._rows(_WORDS_ON_PAIRS, pairs=pairs) if pairs else ():
            pair = (row["first"], row["second"])
            word = ((row["lamport"], row["event"]), row["contested"])
            last[pair] = max(last.get(pair, word), word)
        again = [{"first": one, "second": other} for (one, other), (_, contested) in last.items() if contested]
        self._run("DELETE FROM pairs WHERE kind = 'both' AND first = :first AND second = :second", again)

    def break_cycles(self, decisions: Iterable[int]) -> None:
        """Mark the edges that close a cycle through any of these decisions; none is the usual case."""
        between = [row["n"] for row in self._rows(_BETWEEN, ids=list(decisions))]
        for decision in between:
            below = self._reach(decision, "newer", "older")
            if not any(row["older"] == decision for row in below):
                continue
            above = {row["newer"] for row in self._reach(decision, "older", "newer")} | {decision}
            ring = [row for row in below if row["newer"] in above and row["older"] in above]
            counted = [row for row in ring if row["skipped"] != WITHDRAWN]
            skipped = closing_cycles(map(_edge, counted))
            marks = [
                {"newer": row["newer"], "older": row["older"], "skipped": int(_ends(row) in skipped)} for row in counted
            ]
            self._change("UPDATE edges SET skipped = :skipped WHERE newer = :newer AND older = :older", marks)

    def break_every_cycle(self) -> None:
        """Mark the edges that close a cycle, wherever they are: what only leads into or out of one is peeled off."""
        replaced: dict[int, set[int]] = defaultdict(set)
        for row in self._tx.rows(_COUNTED, {"withdrawn": WITHDRAWN}):
            replaced[row["newer"]].add(row["older"])
        self.break_cycles(sorted(_on_cycles(replaced)))

    def _reach(self, start: int, from_: str, to: str) -> Sequence[Mapping[str, Any]]:
        return self._tx.rows(
            f"WITH RECURSIVE reached(n) AS (VALUES (CAST(:start AS INTEGER)) UNION SELECT e.{to} FROM edges e"  # noqa: S608  # columns
            f" JOIN reached r ON e.{from_} = r.n)"
            " SELECT e.*, n.id AS newer_id, n.scope AS newer_scope, n.open AS newer_open,"
            " o.id AS older_id, o.scope AS older_scope, o.open AS older_open"
            f" FROM edges e JOIN reached r ON e.{from_} = r.n"
            " JOIN decisions n ON n.n = e.newer JOIN decisions o ON o.n = e.older",
            {"start": start},
        )

    def _change(self, statement: str, edges: Sequence[Mapping[str, Any]]) -> None:
        self._tx.run_many(statement, edges)
        self._disputed.changed(each["older"] for each in edges)

    def _run(self, statement: str, parameters: Sequence[Mapping[str, Any]]) -> None:
        self._tx.run_many(statement, parameters)

    def _rows(self, sql: str, **lists: Sequence[object]) -> Sequence[Mapping[str, Any]]:
        return self._tx.rows(sql, {name: json.dumps(list(value)) for name, value in lists.items()})


def _on_cycles(edges: Mapping[int, Set[int]]) -> set[int]:
    """Return the nodes that have a way to a cycle and one from a cycle."""
    left = set(edges) | {end for ends in edges.values() for end in ends}
    for links in (edges, _turned(edges)):
        ways = {node: sum(end in left for end in links.get(node, ())) for node in left}
        back = _turned(links)
        front = [node for node, count in ways.items() if not count]
        while front:
            node = front.pop()
            left.discard(node)
            for other in back.get(node, ()):
                if other in left:
                    ways[other] -= 1
                    if not ways[other]:
                        front.append(other)
    return left


def _turned(edges: Mapping[int, Set[int]]) -> dict[int, set[int]]:
    turned: dict[int, set[int]] = defaultdict(set)
    for node, ends in edges.items():
        for end in ends:
            turned[end].add(node)
    return turned


def _edge(row: Mapping[str, Any]) -> Edge:
    ends = ((row["newer_scope"], row["newer_open"]), (row["older_scope"], row["older_open"]))
    closed = frozenset(scope for scope, open_ in ends if not open_)
    newer, older = _ends(row)
    return Edge(newer=newer, older=older, order=(row["lamport"], row["event"]), closed=closed)


def _ends(row: Mapping[str, Any]) -> tuple[str, str]:
    return (row["newer_id"], row["older_id"])


_COUNTED = "SELECT newer, older FROM edges WHERE skipped <> :withdrawn"

_TARGETS = """
WITH wanted(event) AS (
  SELECT value FROM json_each(:events)
  UNION SELECT r.event FROM refs r WHERE r.decision IN (SELECT value FROM json_each(:ids))
  UNION SELECT r.event FROM decisions d JOIN refs r ON r.ref = d.ref
         WHERE d.ref <> '' AND d.n IN (SELECT value FROM json_each(:ids)))
SELECT r.*, d.n AS target FROM wanted w JOIN refs r ON r.event = w.event JOIN decision_refs d ON d.ref = r.ref
WHERE d.n <> r.decision
"""

_KNOWN = """
SELECT DISTINCT e.newer, e.older FROM edges e JOIN decisions n ON n.n = e.newer JOIN decisions d ON d.n = e.older
JOIN event_about w ON w.target = n.id JOIN event_about o ON o.target = d.id AND o.position = w.position
JOIN events k ON k.position = w.position AND k.kind = 'SupersessionWithdrawn'
WHERE e.newer IN (SELECT value FROM json_each(:ids))
"""

_WORDS_ON = """
WITH pair(newer, older) AS (
  SELECT CAST(value ->> 0 AS INTEGER), CAST(value ->> 1 AS INTEGER) FROM json_each(:pairs))
SELECT p.newer, p.older, e.lamport, e.id AS event, e.kind = 'SupersessionWithdrawn' AS withdrawn FROM pair p
JOIN decisions n ON n.n = p.newer JOIN decisions d ON d.n = p.older
JOIN event_about a ON a.target = n.id JOIN event_about b ON b.target = d.id AND b.position = a.position
JOIN events e ON e.position = a.position
WHERE (e.kind = 'SupersessionWithdrawn' OR (e.kind = 'DecisionSuperseded' AND e.parts ->> '$.edge' IS NOT NULL))
      AND e.header ->> '$.about[0]' = n.id AND e.header ->> 'v' <= 1
UNION ALL
SELECT p.newer, p.older, r.lamport, r.event, FALSE FROM pair p
JOIN refs r ON r.decision = p.newer AND r.kind = 'supersedes' JOIN decisions d ON d.n = p.older AND d.ref = r.ref
"""

_WORDS_ON_PAIRS = """
WITH pair(first, second) AS (
  SELECT CAST(value ->> 0 AS INTEGER), CAST(value ->> 1 AS INTEGER) FROM json_each(:pairs))
SELECT p.first, p.second, e.lamport, e.id AS event, e.kind = 'ConflictNoted' AS contested FROM pair p
JOIN decisions f ON f.n = p.first JOIN decisions s ON s.n = p.second
JOIN event_about a ON a.target = f.id JOIN event_about b ON b.target = s.id AND b.position = a.position
JOIN events e ON e.position = a.position
WHERE e.kind IN ('ConflictNoted', 'ConflictSettled') AND e.header ->> 'v' <= 1
"""

_MARK_WITHDRAWN = f"""
UPDATE edges SET skipped = CASE WHEN :withdrawn THEN {WITHDRAWN} WHEN skipped = {WITHDRAWN} THEN 0 ELSE skipped END
WHERE newer = :newer AND older = :older
"""  # noqa: S608  # a constant

_BETWEEN = """
SELECT DISTINCT e.newer AS n FROM edges e JOIN edges f ON f.older = e.newer
WHERE e.newer IN (SELECT value FROM json_each(:ids))
"""

_ADD_EDGE = """
INSERT INTO edges (newer, older, lamport, event, why, skipped) VALUES (:newer, :older, :lamport, :event, :why, 0)
ON CONFLICT (newer, older) DO UPDATE SET lamport = excluded.lamport, event = excluded.event, why = excluded.why
WHERE (excluded.lamport, excluded.event) < (edges.lamport, edges.event)
"""

_ADD_CITE = "INSERT OR IGNORE INTO cites (citing, cited) VALUES (:citing, :cited)"
