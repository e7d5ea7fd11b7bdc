"""The projections: after each append, the rows of what the new facts touch are folded anew.

A row is a pure function of the facts about its decision (`store.core.fold`), so folding the
touched ones again gives what a replay of the whole log gives, in whichever order facts came.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from store import failpoints
from store.core.events import Event, Kind, scope_of_setting
from store.core.fold import Folded, fold_decision, hidden_variants
from store.core.ids import normal
from store.sql import lexical
from store.sql.edges import Edges
from store.sql.log import events_about, events_between, tip
from store.sql.rows import (
    Row,
    claim_rows,
    decision_row,
    held_rows,
    lexical_document,
    mention_rows,
    mentions_of,
    place_rows,
    resolver,
    rows_of_event,
    set_rows,
)
from store.sql.tx import Tx


class Projector:
    """Applies events to the projections within one transaction."""

    def __init__(self, tx: Tx) -> None:
        """Work within the caller's writing transaction."""
        self._tx = tx
        self._edges = Edges(tx)
        self._openness: dict[str, tuple[int, int]] | None = None

    def apply(self, events: Sequence[Event]) -> None:
        """Bring every projection up to these events, which the log already holds.

        Idempotent: rows are replaced, never added up.
        """
        if not events:
            return
        failpoints.hit("projection.before")
        known = [each for each in events if each.known]
        known += self._beside_erased_edges(known)
        rows: dict[str, list[dict[str, object]]] = defaultdict(list)
        for event in known:
            for table, row in rows_of_event(event):
                rows[table].append(self._opened(row))
        for table, given in rows.items():
            self._replace(table, given)
        if "settings" in rows:
            self._reopen([str(row["name"]) for row in rows["settings"]])
        touched = self._touched(known)
        self._fold(touched)
        self._edges.connect(touched, rows)
        failpoints.hit("projection.after")

    def _beside_erased_edges(self, known: Sequence[Event]) -> list[Event]:
        """Drop the edges whose facts were erased; return the other facts on what those replaced."""
        erased = [each for each in known if each.kind == Kind.DECISION_SUPERSEDED and "edge" not in each.parts]
        if not erased:
            return []
        self._edges.drop([each.id for each in erased])
        others = events_about(self._tx, [each.about[0] for each in erased])
        return [each for each in others if each.known and each.kind == Kind.DECISION_SUPERSEDED and each.parts]

    # --- openness -----------------------------------------------------------------------------

    def _opened(self, row: Row) -> Row:
        """Return the row as its scope stands now, if it was opened or closed since."""
        if found := self._changed_scopes().get(str(row.get("scope"))):
            row["open"], position = found
            if "changed" in row:
                row["changed"] = max(int(str(row["changed"])), position)
        return row

    def _changed_scopes(self) -> dict[str, tuple[int, int]]:
        """Openness by scope, and the position that set it, for scopes that opened or closed."""
        if self._openness is None:
            self._openness = {
                scope_of_setting(row["name"]): (int(row["value"] == "yes"), row["position"])
                for row in self._rows(
                    "SELECT s.name, s.value, e.position FROM settings s JOIN events e ON e.id = s.event"
                    " WHERE s.name GLOB 'scope:*:open'"
                )
            }
        return self._openness

    def _reopen(self, names: Iterable[str]) -> None:
        """Open or close everything that was said in the scopes of these settings."""
        self._openness = None
        for scope in filter(None, map(scope_of_setting, names)):
            open_, position = self._changed_scopes()[scope]
            parameters = {"open": open_, "scope": scope, "position": position}
            for table in _SCOPED:
                self._tx.run(f"UPDATE {table} SET open = :open WHERE scope = :scope", parameters)  # noqa: S608  # constants
            self._tx.run("UPDATE decisions SET changed = max(changed, :position) WHERE scope = :scope", parameters)
            inside = self._rows(
                "SELECT id FROM decisions WHERE scope IN (SELECT value FROM json_each(:scopes))", scopes=[scope]
            )
            self._edges.break_cycles([row["id"] for row in inside])

    # --- decisions ----------------------------------------------------------------------------

    def _touched(self, events: Iterable[Event]) -> tuple[str, ...]:
        """The decisions whose rows may change: those that events are about, by themselves or not."""
        targets = dict.fromkeys(target for event in events for target in event.about)
        redacted = [t for event in events if event.kind == Kind.TEXT_REDACTED for t in event.about]
        if redacted:
            found = self._rows(
                "SELECT DISTINCT a.target FROM events e JOIN event_about a ON a.position = e.position"
                " WHERE e.id IN (SELECT value FROM json_each(:ids))",
                ids=redacted,
            )
            targets |= dict.fromkeys(row["target"] for row in found)
        mentions = {
            normal(event.parts["resolution"]["mention"])
            for event in events
            if event.kind in (Kind.MENTION_RESOLVED, Kind.RESOLUTION_CORRECTED) and "resolution" in event.parts
        }
        if mentions:
            found = self._rows(
                "SELECT DISTINCT decision FROM decision_mentions"
                " WHERE mention IN (SELECT value FROM json_each(:mentions))",
                mentions=sorted(mentions),
            )
            targets |= dict.fromkeys(row["decision"] for row in found)
        return tuple(targets)

    def _fold(self, touched: Sequence[str]) -> None:
        if not touched:
            return
        facts: dict[str, list[Event]] = defaultdict(list)
        for event in events_about(self._tx, touched):
            for target in event.about:
                facts[target].append(event)
        folded = [each for target in touched if (each := fold_decision(target, facts.get(target, ())))]
        if not folded:
            return
        positions = self._positions([each.id for each in folded])
        resolved = self._resolutions(folded)
        hidden = self._hidden(folded)
        self._forget_rows([each.id for each in folded])
        rows: dict[str, list[dict[str, object]]] = defaultdict(list)
        for each in folded:
            first, last = positions[each.id]
            row = decision_row(each, n=first, changed=last, hidden=each.id in hidden)
            rows["decisions"].append(self._opened(row))
            rows["decision_places"] += place_rows(each)
            rows["held_quotes"] += held_rows(each)
            rows["decision_mentions"] += mention_rows(each, resolved)
            rows["decision_sets"] += set_rows(each, resolved)
            rows["path_claims"] += claim_rows(each, resolved)
        for table, given in rows.items():
            self._tx.insert(table, given)
        entries = [lexical.entry(positions[each.id][0], lexical_document(each)) for each in folded if not each.erased]
        self._tx.run_many(lexical.INSERT, entries)

    def _positions(self, decisions: Sequence[str]) -> dict[str, tuple[int, int]]:
        found = self._rows(
            "SELECT a.target, min(CASE WHEN e.kind = 'DecisionRecorded' THEN e.position END) AS first,"
            " max(e.position) AS last FROM event_about a JOIN events e ON e.position = a.position"
            " WHERE a.target IN (SELECT value FROM json_each(:ids)) GROUP BY a.target",
            ids=list(decisions),
        )
        positions = {row["target"]: (row["first"], row["last"]) for row in found}
        erasures = self._rows(
            "SELECT a.target, max(r.position) AS last FROM event_about a JOIN events e ON e.position = a.position"
            " JOIN event_about r ON r.target = e.id WHERE a.target IN (SELECT value FROM json_each(:ids))"
            " GROUP BY a.target",
            ids=list(decisions),
        )
        for row in erasures:
            first, last = positions[row["target"]]
            positions[row["target"]] = (first, max(last, row["last"]))
        return positions

    def _resolutions(self, folded: Iterable[Folded]) -> Callable[[str, str, bool], str]:
        mentions = {normal(each) for decision in folded for each in mentions_of(decision)}
        return resolver(
            self._rows(
                "SELECT * FROM resolutions WHERE mention IN (SELECT value FROM json_each(:mentions))",
                mentions=sorted(mentions),
            )
        )

    def _hidden(self, folded: Sequence[Folded]) -> frozenset[str]:
        """Hidden variants among these; others of their places whose standing changes are updated."""
        places = [[each.place.source, each.place.anchor, each.basis] for each in folded if each.place.anchor]
        mine = {each.id for each in folded}
        neighbours = [
            row["id"]
            for row in self._rows(
                "SELECT d.id FROM decisions d JOIN json_each(:places) p ON d.source = p.value ->> 0"
                " AND d.anchor = p.value ->> 1 AND d.basis = p.value ->> 2",
                places=places,
            )
            if row["id"] not in mine
        ]
        if not neighbours:
            return hidden_variants(folded)
        facts = events_about(self._tx, neighbours)
        others = [each for target in neighbours if (each := fold_decision(target, facts))]
        hidden = hidden_variants([*folded, *others])
        for each in others:
            self._tx.run(
                "UPDATE decisions SET hidden = :hidden WHERE id = :id",
                {"hidden": int(each.id in hidden), "id": each.id},
            )
        return hidden

    def _forget_rows(self, decisions: Sequence[str]) -> None:
        ids = json.dumps(list(decisions))
        gone = self._rows(
            "SELECT n FROM decisions WHERE id IN (SELECT value FROM json_each(:ids))", ids=list(decisions)
        )
        if not gone:
            return
        self._tx.run(lexical.DELETE, {"rowids": json.dumps([row["n"] for row in gone])})
        for statement in _FORGET:
            self._tx.run(statement, {"ids": ids})

    # --- rows ---------------------------------------------------------------------------------

    def _replace(self, table: str, given: Sequence[Mapping[str, object]]) -> None:
        if table == "settings":
            self._tx.run_many(_KEEP_LATEST_SETTING, given)
        elif table not in ("cites", "edges"):
            self._tx.insert(table, given, on_conflict="replace")

    def _rows(self, sql: str, **lists: Sequence[object]) -> Sequence[Mapping[str, Any]]:
        return self._tx.rows(sql, {name: json.dumps(value) for name, value in lists.items()})


_SCOPED = ("decisions", "pairs", "rejections", "resolutions", "votes")
"""The tables whose rows are read by scope."""

_FORGET = tuple(
    f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(:ids))"  # noqa: S608  # constants
    for table, column in (
        ("decision_places", "decision"),
        ("decision_mentions", "decision"),
        ("decision_sets", "decision"),
        ("path_claims", "decision"),
        ("held_quotes", "decision"),
        ("decisions", "id"),
    )
)

_KEEP_LATEST_SETTING = (
    "INSERT INTO settings (name, value, lamport, event) VALUES (:name, :value, :lamport, :event)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value, lamport = excluded.lamport, event = excluded.event"
    " WHERE (excluded.lamport, excluded.event) > (settings.lamport, settings.event)"
)


def replay(tx: Tx, progress: Callable[[int, int], None] | None = None, *, chunk: int = 500) -> int:
    """Apply the whole log to empty projections and return how many events it has."""
    last = tip(tx)
    projector = Projector(tx)
    for first in range(1, last + 1, chunk):
        projector.apply(events_between(tx, first, first + chunk - 1))
        if progress:
            progress(min(first + chunk - 1, last), last)
    return last
