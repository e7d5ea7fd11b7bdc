"""The projections: after each append, the rows of what the new facts touch are folded anew.

A row is a pure function of the facts about its decision (`store.core.fold`), so folding the
touched ones again gives what a replay of the whole log gives, in whichever order facts came.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from store import failpoints
from store.core.events import Event, Kind, scope_of_setting
from store.core.fold import Folded, fold_decision, hidden_variants, records
from store.sql import lexical
from store.sql.disputed import Disputed
from store.sql.edges import Edges
from store.sql.log import events_about, events_between, tip
from store.sql.rows import (
    Resolver,
    Row,
    claim_rows,
    decision_row,
    element_columns,
    held_rows,
    lexical_document,
    mentions_of,
    place_rows,
    resolver,
    rows_between,
    rows_of_event,
    set_rows,
    spelling,
    spelling_row,
)
from store.sql.tx import Tx

FOLDED = frozenset(
    {
        Kind.DECISION_RECORDED,
        Kind.EVIDENCE_ADDED,
        Kind.PLACE_WITHDRAWN,
        Kind.DECISION_RETRACTED,
        Kind.DECISION_RESTORED,
        Kind.DECISION_CONFIRMED,
        Kind.CONFIRMATION_WITHDRAWN,
        Kind.TEXT_REDACTED,
    }
)
"""Facts that change the row of a decision; the others have rows of their own."""

NUMBERS = (
    "SELECT d.id, d.n FROM event_about a JOIN decisions d ON d.n = a.position AND d.id = a.target"
    " WHERE a.target IN (SELECT value FROM json_each(:ids))"
)
"""The numbers of decisions by id."""


def spelling_key(tx: Tx) -> bytes:
    """Return the key of this database's spellings (`store.sql.rows.spelling`)."""
    return bytes.fromhex(tx.rows("SELECT value FROM about_me WHERE name = 'spellings'", {})[0]["value"])


@dataclass(frozen=True, slots=True)
class _Replaced:
    """What came of replacing the rows of decisions."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    """Their numbers by id."""
    unnamed: frozenset[int] = frozenset()
    """Those that had no row before and have no ref: no reference can have waited for them, and no edge is known."""
    waiting: Sequence[Event] = ()
    """Facts that had waited for those that had no row before."""


class Projector:
    """Applies events to the projections within one transaction."""

    def __init__(self, tx: Tx) -> None:
        """Work within the caller's writing transaction."""
        self._tx = tx
        self._disputed = Disputed(tx)
        self.edges = Edges(tx, self._disputed)
        self._key = spelling_key(tx)
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
        self.apply_rules(known)
        folded = self._fold(self._touched(known), events)
        numbers = self._numbered([*known, *folded.waiting], folded)
        named = [n for n in numbers.values() if n not in folded.unnamed]
        self.edges.break_cycles(self.connect([*known, *folded.waiting], numbers, named))
        self._disputed.settle()
        self._note_changes(known, numbers)
        failpoints.hit("projection.after")

    def refold(self, decisions: Sequence[str]) -> None:
        """Fold these decisions anew from all facts about them; what lies between decisions stays as it is."""
        self._fold(tuple(dict.fromkeys(decisions)), ())

    def _beside_erased_edges(self, known: Sequence[Event]) -> list[Event]:
        """Drop the edges whose facts were erased; return the other facts on what those replaced."""
        erased = [each for each in known if each.kind == Kind.DECISION_SUPERSEDED and "edge" not in each.parts]
        if not erased:
            return []
        self.edges.drop([each.id for each in erased])
        others = events_about(self._tx, [each.about[0] for each in erased])
        return [each for each in others if each.known and each.kind == Kind.DECISION_SUPERSEDED and each.parts]

    # --- what one fact says of more than one decision --------------------------------------------

    def apply_rules(self, known: Sequence[Event]) -> None:
        """Replace the rows that follow from single facts: settings, resolutions, erasures, rejections."""
        rows: dict[str, list[Row]] = defaultdict(list)
        for event in known:
            for table, row in rows_of_event(event):
                rows[table].append(row)
        if settings := rows.pop("settings", []):
            self._tx.run_many(_KEEP_LATEST_SETTING, settings)
            self._openness = None
            self._reopen({scope for row in settings if (scope := scope_of_setting(str(row["name"])))})
        for table, given in rows.items():
            self._tx.insert(table, list(map(self._opened, given)), on_conflict="replace")
        self._resolve_anew({str(row["mention"]) for row in rows.get("resolutions", ())})

    def _opened(self, row: Row) -> Row:
        """Return the row as its scope stands now, if it was opened or closed since."""
        if found := self._changed_scopes().get(str(row.get("scope"))):
            row["open"] = found[0]
        return row

    def _changed_scopes(self) -> dict[str, tuple[int, int]]:
        """Openness by scope, and the position that set it, for scopes that opened or closed."""
        if self._openness is None:
            self._openness = {
                scope_of_setting(row["name"]): (int(row["value"] == "yes"), row["position"])
                for row in self._rows(
                    "SELECT s.name, s.value, i.position FROM settings s JOIN event_ids i ON i.id = s.event"
                    " WHERE s.name GLOB 'scope:*:open'"
                )
            }
        return self._openness

    def _reopen(self, scopes: Set[str]) -> None:
        """Open or close, as the settings stand, everything that was said in these scopes."""
        changed = self._changed_scopes()
        for open_ in (0, 1):
            among = sorted(scope for scope in scopes if changed[scope][0] == open_)
            for table in _SCOPED if among else ():
                self._tx.run(
                    f"UPDATE {table} SET open = :open WHERE scope IN (SELECT value FROM json_each(:scopes))",  # noqa: S608
                    {"open": open_, "scopes": json.dumps(among)},
                )
            for scope in among:
                lexical.move(self._tx, scope, open_=bool(open_))
        inside = self._rows(
            "SELECT n, scope FROM decisions WHERE scope IN (SELECT value FROM json_each(:scopes))",
            scopes=sorted(scopes),
        )
        numbers = [row["n"] for row in inside]
        self.change({row["n"]: changed[row["scope"]][1] for row in inside})
        self.edges.break_cycles(numbers)
        self._disputed.changed(numbers)

    def _resolve_anew(self, mentions: set[str]) -> None:
        """Give these mentions, in every scope, the elements that they mean now."""
        if not mentions:
            return
        resolve = self._resolver(mentions)
        found = self._rows(
            "SELECT s, mention, scope FROM mentions WHERE mention IN (SELECT value FROM json_each(:mentions))",
            mentions=sorted(mentions),
        )
        self._disputed.respelled(row["s"] for row in found)
        self._tx.run_many(
            "UPDATE mentions SET element = :element, slug_id = :slug_id, hash_id = :hash_id WHERE s = :s",
            [{"s": row["s"], **element_columns(resolve(row["mention"], row["scope"]))} for row in found],
        )
        self._disputed.respelled(row["s"] for row in found)

    def _resolver(self, mentions: Iterable[str]) -> Resolver:
        return resolver(
            self._rows(
                "SELECT * FROM resolutions WHERE mention IN (SELECT value FROM json_each(:mentions))",
                mentions=sorted(mentions),
            )
        )

    # --- decisions ----------------------------------------------------------------------------

    def _touched(self, events: Iterable[Event]) -> tuple[str, ...]:
        """The decisions whose rows may change: those that events are about, by themselves or not."""
        folded = [event for event in events if event.kind in FOLDED]
        targets = dict.fromkeys(target for event in folded for target in event.about)
        redacted = [target for event in folded if event.kind == Kind.TEXT_REDACTED for target in event.about]
        if redacted:
            found = self._rows(
                "SELECT DISTINCT a.target FROM event_ids i JOIN event_about a ON a.position = i.position"
                " WHERE i.id IN (SELECT value FROM json_each(:ids))",
                ids=redacted,
            )
            targets |= dict.fromkeys(row["target"] for row in found)
        return tuple(targets)

    def _fold(self, touched: Sequence[str], at_hand: Sequence[Event]) -> _Replaced:
        """Replace the rows of these decisions; what of the facts about them is at hand isn't read again."""
        facts = self._facts(touched, at_hand)
        folded = [each for target in touched if (each := fold_decision(target, facts.get(target, ())))]
        if not folded:
            return _Replaced()
        recorded = {each.id: next(one for one in facts[each.id] if records(one) == each.id) for each in folded}
        hidden = self._hidden(folded)
        known = self.forget([one.position for one in recorded.values()])
        spelled = self._spell(folded)
        rows: dict[str, list[Row]] = defaultdict(list)
        for each in folded:
            n, spellings = recorded[each.id].position, spelled[each.id]
            row = decision_row(
                each,
                n=n,
                hidden=each.id in hidden,
                spellings=spellings.values(),
                recorded=recorded[each.id].parts,
            )
            rows["decisions"].append(self._opened(row))
            rows["decision_days"].append({"day": row["day"], "lamport": row["lamport"], "n": n})
            rows["decision_places"] += place_rows(each, n)
            rows["decision_refs"] += [{"ref": row["ref"], "n": n}] if row["ref"] else []
            rows["held_quotes"] += held_rows(each, n)
            rows["decision_mentions"] += [{"s": s, "n": n} for s in spellings.values()]
            sets = set_rows(each.statement, n, spellings)
            rows["decision_sets"] += sets
            rows["path_claims"] += claim_rows(sets)
        for table, given in rows.items():
            self._tx.insert(table, given)
        scopes = self._changed_scopes()
        self.change(
            {recorded[each.id].position: scopes[each.scope.id][1] for each in folded if each.scope.id in scopes}
        )
        self._index((recorded[each.id].position, each) for each in folded if each.id not in hidden)
        self._disputed.changed(one.position for one in recorded.values())
        return _Replaced(
            numbers={id_: one.position for id_, one in recorded.items()},
            unnamed=frozenset(
                recorded[each.id].position
                for each in folded
                if recorded[each.id].position not in known and not each.place.ref
            ),
            waiting=[
                fact
                for each in folded
                if recorded[each.id].position not in known
                for fact in facts[each.id]
                if fact.known and fact.kind not in FOLDED
            ],
        )

    def _facts(self, targets: Sequence[str], at_hand: Sequence[Event]) -> Mapping[str, Sequence[Event]]:
        """Return all facts about decisions by id, each by position: where some are missing they are read."""
        facts: dict[str, dict[int, Event]] = {target: {} for target in targets}
        for event in at_hand:
            for target in event.about:
                if target in facts:
                    facts[target][event.position] = event
        counts = {row["target"]: row["held"] for row in self._rows(_HOW_MANY, ids=targets)} if targets else {}
        missing = [target for target in targets if counts.get(target) != len(facts[target])]
        for event in events_about(self._tx, missing) if missing else ():
            for target in event.about:
                if target in facts:
                    facts[target][event.position] = event
        return {target: [each for _, each in sorted(found.items())] for target, found in facts.items()}

    def _index(self, standing: Iterable[tuple[int, Folded]]) -> None:
        """Put decisions that aren't hidden into the lexical index, by number; erased and retracted ones stay out."""
        scopes = self._changed_scopes()
        lexical.put(
            self._tx,
            [
                (
                    bool(scopes[each.scope.id][0]) if each.scope.id in scopes else each.scope.open,
                    lexical.entry(n, lexical_document(each), scope=each.scope.id, day=each.day.isoformat()),
                )
                for n, each in standing
                if not each.erased and not each.retracted
            ],
        )

    def _spell(self, folded: Iterable[Folded]) -> dict[str, dict[str, int]]:
        """Return the numbers of each decision's spellings by mention, and see to it that they have rows."""
        spelled: dict[str, dict[str, int]] = {}
        written: dict[int, tuple[str, str]] = {}
        for each in folded:
            spelled[each.id] = {}
            for mention, text in mentions_of(each.statement).items():
                s = spelling(text, each.scope.id, self._key)
                spelled[each.id][mention] = s
                written[s] = (text, each.scope.id)
        if written:
            there = self._rows(
                "SELECT s FROM mentions WHERE s IN (SELECT value FROM json_each(:these))", these=[*written]
            )
            held = {row["s"] for row in there}
            resolve = self._resolver({mention for mentions in spelled.values() for mention in mentions})
            rows = [spelling_row(s, text, scope, resolve) for s, (text, scope) in written.items() if s not in held]
            self._tx.insert("mentions", rows, on_conflict="ignore")
        return spelled

    def _hidden(self, folded: Sequence[Folded]) -> frozenset[str]:
        """Hidden variants among these; others of their places whose standing changes are updated."""
        places = [[each.place.source, each.place.anchor, each.basis] for each in folded if each.place.anchor]
        mine = {each.id for each in folded}
        neighbours = {
            row["id"]: row
            for row in self._rows(
                "SELECT d.id, d.n, d.hidden FROM json_each(:places) p"
                " JOIN decision_places q ON q.source = p.value ->> 0 AND q.anchor = p.value ->> 1"
                " JOIN decisions d ON d.n = q.n AND d.source = q.source AND d.anchor = q.anchor"
                " AND d.basis = p.value ->> 2",
                places=places,
            )
            if row["id"] not in mine
        }
        if not neighbours:
            return hidden_variants(folded)
        facts = events_about(self._tx, list(neighbours))
        others = [each for target in neighbours if (each := fold_decision(target, facts))]
        hidden = hidden_variants([*folded, *others])
        turned = [
            (neighbours[each.id]["n"], each)
            for each in others
            if bool(neighbours[each.id]["hidden"]) != (each.id in hidden)
        ]
        self._tx.run_many(
            "UPDATE decisions SET hidden = :hidden WHERE n = :n",
            [{"hidden": int(each.id in hidden), "n": n} for n, each in turned],
        )
        lexical.take_out(self._tx, [n for n, _ in turned])
        self._index((n, each) for n, each in turned if each.id not in hidden)
        self._disputed.changed(n for n, _ in turned)
        return hidden

    def forget(self, numbers: Sequence[int]) -> frozenset[int]:
        """Drop the rows of those of these decisions that have some; return which."""
        known = self._rows(
            "SELECT n, mentions FROM decisions WHERE n IN (SELECT value FROM json_each(:numbers))", numbers=numbers
        )
        if known:
            self._disputed.changing(row["n"] for row in known)
            given = {"numbers": json.dumps([row["n"] for row in known])}
            lexical.take_out(self._tx, [row["n"] for row in known])
            for statement in _FORGET:
                self._tx.run(statement, given)
            spellings = sorted({s for row in known for s in json.loads(row["mentions"])})
            self._tx.run(_FORGET_UNUSED, {"spellings": json.dumps(spellings)})
        return frozenset(row["n"] for row in known)

    # --- between decisions ----------------------------------------------------------------------

    def _numbered(self, facts: Sequence[Event], folded: _Replaced) -> Mapping[str, int]:
        """Return the numbers of all decisions that these facts are about and that were recorded."""
        targets = {target for event in facts for target in event.about}
        others = targets - folded.numbers.keys()
        numbers = {id_: n for id_, n in folded.numbers.items() if id_ in targets}
        return {**numbers, **self.numbers(others)} if others else numbers

    def connect(self, facts: Sequence[Event], numbers: Mapping[str, int], touched: Sequence[int]) -> list[int]:
        """Replace what facts say of more than one decision, once all of those are here.

        Returns the decisions, by number, that may lie on a cycle now.

        Args:
            facts: of kinds that this version folds.
            numbers: of the decisions that they are about, by id.
            touched: those for which a reference may have waited.
        """
        rows: dict[str, list[Row]] = defaultdict(list)
        for event in facts:
            for table, row in rows_between(event, numbers):
                rows[table].append(self._opened(row))
        for table in ("pairs", "refs", "votes"):
            self._tx.insert(table, rows[table], on_conflict="replace")
        return self.edges.connect(touched, rows)

    def _note_changes(self, known: Sequence[Event], numbers: Mapping[str, int]) -> None:
        """Note the last position that touched each decision: of a fact about it, or of the erasure of one."""
        last = self.touches(known)
        more = last.keys() - numbers.keys()
        erases = any(event.kind == Kind.TEXT_REDACTED for event in known)
        numbers = {**numbers, **self.numbers(more)} if erases and more else numbers
        self.change({n: last[id_] for id_, n in numbers.items() if id_ in last})

    def touches(self, known: Sequence[Event]) -> dict[str, int]:
        """Return the last position that touches each decision, by id: of a fact about it, or of the erasure of one."""
        last: dict[str, int] = {}
        for event in known:
            for target in event.about:
                last[target] = max(last.get(target, 0), event.position)
        erased = [target for event in known if event.kind == Kind.TEXT_REDACTED for target in event.about]
        for row in self._rows(_ABOUT_EVENTS, ids=erased) if erased else ():
            last[row["target"]] = max(last.get(row["target"], 0), last[row["event"]])
        return last

    def change(self, positions: Mapping[int, int]) -> None:
        """Note that decisions, by number, were touched at positions."""
        later = [{"n": n, "changed": position} for n, position in positions.items() if position > n]
        self._tx.run_many(_CHANGE, later)

    def numbers(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the numbers of those of these decisions that were recorded."""
        return {row["id"]: row["n"] for row in self._rows(NUMBERS, ids=sorted(set(ids)))}

    def _rows(self, sql: str, **lists: Sequence[object]) -> Sequence[Mapping[str, Any]]:
        return self._tx.rows(sql, {name: json.dumps(list(value)) for name, value in lists.items()})


_SCOPED = ("decisions", "pairs", "rejections", "resolutions", "votes")
"""The tables whose rows are read by scope."""

_THESE = "(SELECT value FROM json_each(:numbers))"

_FORGET = (
    f"DELETE FROM decision_days WHERE (day, lamport, n) IN (SELECT day, lamport, n FROM decisions WHERE n IN {_THESE})",  # noqa: S608
    f"""DELETE FROM decision_places WHERE (source, anchor, n) IN (
          SELECT source, anchor, n FROM decisions WHERE n IN {_THESE}
          UNION SELECT p.value ->> 'source', p.value ->> 'anchor', d.n FROM decisions d, json_each(d.doc, '$.places') p
          WHERE d.n IN {_THESE})""",  # noqa: S608
    f"DELETE FROM decision_refs WHERE (ref, n) IN (SELECT ref, n FROM decisions WHERE n IN {_THESE})",  # noqa: S608
    f"DELETE FROM held_quotes WHERE n IN {_THESE}",  # noqa: S608
    *(
        f"DELETE FROM {table} WHERE n IN {_THESE} AND s IN"  # noqa: S608
        f" (SELECT CAST(m.value AS INTEGER) FROM decisions d, json_each(d.mentions) m WHERE d.n IN {_THESE})"
        for table in ("decision_mentions", "decision_sets", "path_claims")
    ),
    f"DELETE FROM decisions WHERE n IN {_THESE}",  # noqa: S608
)
"""What drops the rows of decisions, in this order: the row itself says where the others lie."""

_FORGET_UNUSED = """
DELETE FROM mentions WHERE s IN (SELECT value FROM json_each(:spellings))
       AND NOT EXISTS (SELECT 1 FROM decision_mentions m WHERE m.s = mentions.s)
"""

_HOW_MANY = """
SELECT target, count(*) AS held FROM event_about WHERE target IN (SELECT value FROM json_each(:ids)) GROUP BY target
"""

_ABOUT_EVENTS = (
    "SELECT i.id AS event, a.target FROM event_ids i JOIN event_about a ON a.position = i.position"
    " WHERE i.id IN (SELECT value FROM json_each(:ids))"
)

_CHANGE = (
    "INSERT INTO decision_changes (n, changed) VALUES (:n, :changed)"
    " ON CONFLICT (n) DO UPDATE SET changed = max(decision_changes.changed, excluded.changed)"
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
