"""Who replaces whom and who cites whom: edges between decisions, by id or by ref.

An edge by ref leads to every decision of that ref, whichever arrives first. An edge that would
close a cycle is marked, not dropped: which one it is follows from canonical order alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, text

from store.core.fold import Edge, closing_cycles
from store.sql import tables
from store.sql.engine import rows_of
from store.sql.rows import RowClass


class Edges:
    """The tables `edges` and `cites`, kept within one transaction."""

    def __init__(self, connection: Connection) -> None:
        """Work within the caller's writing transaction."""
        self._connection = connection

    def connect(self, touched: Sequence[str], rows: Mapping[RowClass, Sequence[Mapping[str, object]]]) -> None:
        """Add the edges among `rows`, give references their targets, and mark cycles.

        Args:
            touched: decisions that were folded anew: they may be what a reference waited for.
            rows: of the facts that came, by table.
        """
        events = [row["event"] for row in rows.get(tables.RefRow, ())]
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
        edges += rows.get(tables.EdgeRow, ())
        cites: list[Mapping[str, Any]] = [
            {"citing": row["decision"], "cited": row["target"]} for row in found if row["kind"] == "cites"
        ]
        cites += rows.get(tables.CiteRow, ())
        self._run(_ADD_CITE, cites)
        self._run(_ADD_EDGE, edges)
        between = self._rows(_BETWEEN, ids=[*touched, *(str(each["newer"]) for each in edges)])
        self.break_cycles(row["id"] for row in between)

    def break_cycles(self, decisions: Iterable[str]) -> None:
        """Mark the edges that close a cycle through any of these decisions; none is the usual case."""
        for decision in decisions:
            below = self._reach(decision, "newer", "older")
            if not any(row["older"] == decision for row in below):
                continue
            above = {row["newer"] for row in self._reach(decision, "older", "newer")} | {decision}
            ring = [row for row in below if row["newer"] in above and row["older"] in above]
            skipped = closing_cycles(map(_edge, ring))
            marks = [
                {"newer": row["newer"], "older": row["older"], "skipped": int((row["newer"], row["older"]) in skipped)}
                for row in ring
            ]
            self._run("UPDATE edges SET skipped = :skipped WHERE newer = :newer AND older = :older", marks)

    def _reach(self, start: str, from_: str, to: str) -> Sequence[Mapping[str, Any]]:
        return rows_of(
            self._connection,
            f"WITH RECURSIVE reached(id) AS (VALUES (:start) UNION SELECT e.{to} FROM edges e"  # noqa: S608  # columns
            f" JOIN reached r ON e.{from_} = r.id)"
            " SELECT e.*, n.scope AS newer_scope, n.open AS newer_open, o.scope AS older_scope, o.open AS older_open"
            f" FROM edges e JOIN reached r ON e.{from_} = r.id"
            " LEFT JOIN decisions n ON n.id = e.newer LEFT JOIN decisions o ON o.id = e.older",
            {"start": start},
        )

    def _run(self, statement: str, parameters: Sequence[Mapping[str, Any]]) -> None:
        if parameters:
            self._connection.execute(text(statement), [dict(each) for each in parameters])

    def _rows(self, sql: str, **lists: Sequence[object]) -> Sequence[Mapping[str, Any]]:
        return rows_of(self._connection, sql, {name: json.dumps(list(value)) for name, value in lists.items()})


def _edge(row: Mapping[str, Any]) -> Edge:
    ends = ((row["newer_scope"], row["newer_open"]), (row["older_scope"], row["older_open"]))
    closed = frozenset(scope for scope, open_ in ends if scope and not open_)
    return Edge(newer=row["newer"], older=row["older"], order=(row["lamport"], row["event"]), closed=closed)


_TARGETS = """
WITH wanted(event) AS (
  SELECT value FROM json_each(:events)
  UNION SELECT r.event FROM refs r WHERE r.decision IN (SELECT value FROM json_each(:ids))
  UNION SELECT r.event FROM decisions d JOIN refs r ON r.ref = d.ref
         WHERE d.ref <> '' AND d.id IN (SELECT value FROM json_each(:ids)))
SELECT r.*, d.id AS target FROM wanted w JOIN refs r ON r.event = w.event JOIN decisions d ON d.ref = r.ref
WHERE d.id <> r.decision
"""

_BETWEEN = """
SELECT DISTINCT e.newer AS id FROM edges e JOIN edges f ON f.older = e.newer
WHERE e.newer IN (SELECT value FROM json_each(:ids))
"""

_ADD_EDGE = """
INSERT INTO edges (newer, older, lamport, event, why, skipped) VALUES (:newer, :older, :lamport, :event, :why, 0)
ON CONFLICT (newer, older) DO UPDATE SET lamport = excluded.lamport, event = excluded.event, why = excluded.why
WHERE (excluded.lamport, excluded.event) < (edges.lamport, edges.event)
"""

_ADD_CITE = "INSERT OR IGNORE INTO cites (citing, cited) VALUES (:citing, :cited)"
