"""What a chunk of admissions will ask of the memory, asked in one query each.

An answer stands for the beginning of the chunk. What the chunk says since is noted, and where that could have changed
an answer there is none any more: then it is asked the ordinary way, with all that was said projected first. So a chunk
of any size says what its admissions would have said one by one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from store.core.admission import Admission, sets_something
from store.core.events import scope_of_setting
from store.core.ids import normal
from store.core.model import EVERYTHING, Decision, DecisionId, Draft, Place, Scope, channel_scope
from store.sql import queries
from store.sql.queries import Rows
from store.sql.rivals import Property, edges_among, rival_of, rivals_by_property
from store.sql.rows import resolver

_FORGOTTEN = (
    "SELECT kind, anchor FROM forgotten WHERE kind IN ('place', 'turn') AND source = :source"
    " AND anchor IN (SELECT value FROM json_each(:anchors))"
)
_CLOSED = "SELECT source, anchor FROM forgotten WHERE kind = 'channel'"
_READINGS = (
    "SELECT anchor, basis FROM readings WHERE source = :source AND anchor IN (SELECT value FROM json_each(:anchors))"
)
_TAKEN = (
    "SELECT DISTINCT source, anchor FROM decision_places"
    " WHERE source = :source AND anchor IN (SELECT value FROM json_each(:anchors))"
)
_SPOKEN_OF = "SELECT DISTINCT target FROM event_about WHERE target IN (SELECT value FROM json_each(:ids))"
_REOPENED = "SELECT name, value FROM settings WHERE name GLOB 'scope:*:open'"
_RESOLUTIONS = "SELECT * FROM resolutions WHERE mention IN (SELECT value FROM json_each(:mentions))"


@dataclass(slots=True)
class Places:
    """What is known of the places of a chunk, by (source, anchor)."""

    forgotten: set[tuple[str, str]] = field(default_factory=set)
    forgotten_turns: set[tuple[str, str]] = field(default_factory=set)
    channels: set[tuple[str, str]] = field(default_factory=set)
    """Source and id of those that were erased."""
    read: set[tuple[str, str, str]] = field(default_factory=set)
    """Source, anchor and basis of each reading."""
    taken: set[tuple[str, str]] = field(default_factory=set)
    """Those that hold a decision, whoever sees it."""

    @classmethod
    def of(cls, rows: Rows, admissions: Iterable[Admission]) -> Places:
        """Look the places of some admissions up."""
        anchors: dict[str, dict[str, None]] = defaultdict(dict)
        turns: dict[str, dict[str, None]] = defaultdict(dict)
        for each in admissions:
            anchors[each.place.source][each.place.anchor] = None
            for draft in each.drafts:
                turns[each.place.source].update((quote.turn_id, None) for quote in draft.evidence if quote.turn_id)
        found = cls(channels={(row["source"], row["anchor"]) for row in rows(_CLOSED, {})})
        for source, named in anchors.items():
            asked = {"source": source, "anchors": json.dumps([*named, *turns[source]])}
            for row in rows(_FORGOTTEN, asked):
                (found.forgotten if row["kind"] == "place" else found.forgotten_turns).add((source, row["anchor"]))
            if placed := [each for each in named if each]:
                asked = {"source": source, "anchors": json.dumps(placed)}
                found.read |= {(source, row["anchor"], row["basis"]) for row in rows(_READINGS, asked)}
                found.taken |= {(source, row["anchor"]) for row in rows(_TAKEN, asked)}
        return found

    def is_forgotten(self, place: Place, scope: Scope) -> bool:
        """Whether this place is never to be captured again, nor anything that is for its channel alone."""
        if (place.source, place.anchor) in self.forgotten:
            return True
        return any(scope.id == channel_scope(id_) for _, id_ in self.channels) or self._in_one(
            place.source, place.anchor
        )

    def is_forgotten_turn(self, source: str, turn: str) -> bool:
        """Whether this turn is never to be quoted again."""
        return (source, turn) in self.forgotten_turns or self._in_one(source, turn)

    def _in_one(self, source: str, place: str) -> bool:
        """Whether a thread or turn lies in a channel that was erased."""
        return any(source == of and place.startswith(f"{id_}/") for of, id_ in self.channels)

    def is_read(self, place: Place, basis: str) -> bool:
        """Whether this place was admitted at this basis."""
        return (place.source, place.anchor, basis) in self.read

    def is_empty(self, place: Place) -> bool:
        """Whether no decision stands there."""
        return (place.source, place.anchor) not in self.taken

    def admitted(self, place: Place, basis: str) -> None:
        """Note that a place was read, and may hold something from now on."""
        self.read.add((place.source, place.anchor, basis))
        self.taken.add((place.source, place.anchor))


class Foreseen:
    """What is known of the statements of a chunk: whether they are new, and what sets the same properties."""

    def __init__(self, rows: Rows, drafts: Mapping[DecisionId, tuple[Draft, Scope]], *, today: date) -> None:
        """Look everything up that admitting these will ask, each named by the id that it would get."""
        self._today = today
        self._spoken_of = {row["target"] for row in rows(_SPOKEN_OF, {"ids": json.dumps(list(drafts))})}
        known = queries.decisions_by_ids(rows, self._spoken_of, EVERYTHING) if self._spoken_of else ()
        self._known = {each.id: each for each in known}
        setting = [each for each in drafts.values() if sets_something(each[0])]
        mentions = sorted({normal(each[0]) for draft, _ in setting for each in draft.sets})
        self._resolve = resolver(rows(_RESOLUTIONS, {"mentions": json.dumps(mentions)}) if mentions else ())
        self._asked: dict[Property, set[date]] = defaultdict(set)
        for draft, scope in setting:
            for one in self._properties(draft, scope):
                self._asked[one].add(draft.decided_on or today)
        self._rivals = rivals_by_property(rows, self._asked, today=today)
        reopened = rows(_REOPENED, {}) if setting else ()
        self._reopened = {scope_of_setting(row["name"]): row["value"] == "yes" for row in reopened}
        self._set: set[Property] = set()
        self._touched: set[str] = set()
        self._by_ref = self._over = False

    def is_new(self, id_: DecisionId) -> bool:
        """Whether no fact is about this decision."""
        return id_ not in self._spoken_of and id_ not in self._touched

    def known(self, id_: DecisionId) -> Decision | None:
        """Return a decision as it stood at the beginning, if it stood and nothing was said of it since."""
        return None if self._over or id_ in self._touched else self._known.get(id_)

    def replacing(self, id_: DecisionId, draft: Draft, scope: Scope) -> dict[tuple[str, str], Scope] | None:
        """Return what a new decision replaces, or is replaced by, as (newer, older) with the scope to say it in.

        None where that can't be told from here.
        """
        if self._over or not self.is_new(id_):
            return None
        pairs: dict[tuple[str, str], Scope] = {}
        stands = Scope(id=scope.id, open=self._reopened.get(scope.id, scope.open))
        new = rival_of(id_, draft, stands, today=self._today)
        by_ref = self._by_ref or bool(draft.supersedes)  # it may name one of them
        for each in self._properties(draft, scope):
            rivals = self._rivals.get(each, ())
            changed = each in self._set or (rivals and by_ref) or any(one.id in self._touched for one in rivals)
            if changed or each not in self._asked:
                return None
            pairs |= edges_among(new, rivals)
        return pairs

    def said(self, id_: DecisionId, draft: Draft, scope: Scope, *, edges: Iterable[tuple[str, str]]) -> None:
        """Note that a decision was recorded and which edges came with it."""
        self.spoke_of(id_, *(end for edge in edges for end in edge))
        self._by_ref |= bool(draft.supersedes)
        if sets_something(draft):
            self._set |= set(self._properties(draft, scope))

    def spoke_of(self, *decisions: str) -> None:
        """Note that something was said of these."""
        self._touched.update(decisions)

    def is_over(self) -> None:
        """Note that anything may be different now."""
        self._over = True

    def _properties(self, draft: Draft, scope: Scope) -> Sequence[Property]:
        return sorted({(self._resolve(normal(e), scope.id), normal(name)) for e, name, _ in draft.sets})
