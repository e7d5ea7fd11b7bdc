"""One writing transaction: facts said in it are appended and projected together.

Opened by `store.memory` alone; what is here runs inside and may be repeated, as each fact's key
makes saying it again a no-op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from store.core import events
from store.core.admission import sets_something
from store.core.contrary import alike
from store.core.events import Event, Fact, Kind, read_place, read_quote
from store.core.model import EVERYTHING, Decision, DecisionId, Draft, Person, Place, Quote, Scope, Verdict
from store.sql import queries
from store.sql.log import Appender, Said, events_about
from store.sql.projections import Projector
from store.sql.rivals import edges_among, rivals_by_property
from store.sql.tx import Tx

if TYPE_CHECKING:
    from store.sql.foreseen import Foreseen

BY_HAND = "edited"
"""The provenance of a wording that a person gave: a later extraction leaves it alone."""
HAS_READ = "SELECT 1 FROM readings WHERE source = :source AND anchor = :anchor AND basis = :basis"
IS_FORGOTTEN = """
SELECT 1 FROM forgotten WHERE kind = 'place' AND source = :source AND anchor = :anchor
UNION ALL SELECT 1 FROM forgotten
WHERE kind = 'channel' AND source = :source AND substr(:anchor, 1, length(anchor) + 1) = anchor || '/'
"""


class Writing:
    """A transaction in which facts are said; `now` is when the log learns them."""

    def __init__(self, tx: Tx, *, writer: str, now: datetime, salt: Callable[[int], bytes]) -> None:
        """Take the log's end as it stands; the transaction's lock keeps it."""
        self._tx = tx
        self.now = now
        self._appender = Appender(tx, writer=writer, now=now, salt=salt)
        self._projector = Projector(tx)
        self._waiting: list[Said] = []
        self._read: list[Mapping[str, object]] = []

    @property
    def tx(self) -> Tx:
        """The transaction, with everything in it that was said."""
        self.settle()
        return self._tx

    def rows(self, sql: str, parameters: Mapping[str, object]) -> Sequence[Mapping[str, Any]]:
        """Run one query in this transaction."""
        return self.tx.rows(sql, parameters)

    def say(self, *said: Said) -> tuple[Event, ...]:
        """Append facts and bring the projections up to them; those already known are left out."""
        self.settle()
        return self._say(said)

    def say_later(self, *said: Said) -> None:
        """Say facts together with those after them, before anything is asked; whoever ends the transaction settles."""
        self._waiting += said

    def settle(self) -> None:
        """Say what was left for later; twice is once."""
        read, self._read = self._read, []
        self._tx.insert("readings", read, on_conflict="ignore")
        if self._waiting:
            said, self._waiting = self._waiting, []
            self._say(said)

    def _say(self, said: Sequence[Said]) -> tuple[Event, ...]:
        events = self._appender.append(said)
        self._projector.apply(events)
        return events

    def project(self, changed: Sequence[Event]) -> None:
        """Fold again what events of the log touch whose parts were erased."""
        self.settle()
        self._projector.apply(changed)

    def remember_reading(self, place: Place, basis: str) -> None:
        """Remember that a place was read at a basis."""
        self._read.append({"source": place.source, "anchor": place.anchor, "basis": basis})

    def was_said(self, key: str) -> bool:
        """Say whether a fact of that key is in the log."""
        return bool(self.rows("SELECT 1 FROM events WHERE key = :key", {"key": key}))

    def decision(self, id_: str) -> Decision | None:
        """Return a decision by id or ref, whoever may read it."""
        return queries.decision_named(self.rows, id_, EVERYTHING)


def record(
    writing: Writing,
    draft: Draft,
    *,
    id_: DecisionId,
    ordinal: int,
    place: Place,
    basis: str,
    scope: Scope,
    provenance: str,
    confirmed: bool,
    by: Person | None,
    revises: Decision | None = None,
    foreseen: Foreseen | None = None,
    same: frozenset[str] = frozenset(),
) -> DecisionId:
    """Say that a decision was made, and what it cites, replaces and came to.

    `revises` is the earlier wording that it supersedes, if it words a known decision anew; what
    replaces that one replaces the new wording too. `foreseen` knows what was there before, and is told of this one.
    What is the `same`, told elsewhere, neither replaces it nor is replaced by it.

    Idempotency key: the decision's id.
    """
    recorded = events.decision_recorded(
        id_,
        draft,
        place=place,
        ordinal=ordinal,
        basis=basis,
        provenance=provenance,
        confirmed=confirmed,
        by=by,
        key=f"recorded:{id_}",
    )
    said: list[Said] = [(scope, recorded)]
    if revises:
        said += _revision(writing, id_, scope, revises, by=by)
    said += _references(writing, draft, id_, place, scope, by=by)
    said += _outcome(writing, id_, draft.outcome, scope, provenance)
    writing.say_later(*said, *(_carried(writing, id_, draft, revises, provenance) if revises else ()))
    edges: Iterable[tuple[str, str]] = [(fact.about[0], fact.about[-1]) for _, fact in said[1:]]
    if sets_something(draft):
        pairs = foreseen.replacing(id_, draft, scope) if foreseen else None
        edges = [*edges, *_replace_rivals(writing, id_, pairs, same)]
    if foreseen:
        foreseen.said(id_, draft, scope, edges=edges)
    return id_


def _outcome(
    writing: Writing, id_: DecisionId, verdict: Verdict | None, scope: Scope, provenance: str
) -> Iterator[Said]:
    """Say what came of a decision, as its source has it."""
    if verdict:
        seen = events.outcome_observed(
            id_,
            voter=Person(name=provenance),
            verdict=verdict,
            counts=True,
            reason="",
            at=writing.now,
            key=f"outcome:{id_}",
        )
        yield (scope, seen)


def _revision(
    writing: Writing, id_: DecisionId, scope: Scope, revises: Decision, *, by: Person | None
) -> Iterator[Said]:
    key = f"supersedes:{id_}:{revises.id}"
    fact = events.decision_superseded(id_, older=revises.id, why="revision", by=by, key=key)
    yield (scope if revises.scope.open else revises.scope, fact)
    for newer in queries.decisions_by_ids(writing.rows, revises.superseded_by, EVERYTHING):
        fact = events.decision_superseded(newer.id, older=id_, why="sets", key=f"supersedes:{newer.id}:{id_}")
        yield (scope if newer.scope.open else newer.scope, fact)


def _carried(writing: Writing, id_: DecisionId, draft: Draft, revises: Decision, provenance: str) -> Iterator[Said]:
    """Say of a new wording where else the old one stands, in which words; not where its thread has turned since."""
    if provenance == BY_HAND or alike(draft.title, revises.title):
        for event, place, quotes in added_places(writing, revises):
            yield (event.scope, events.evidence_added(id_, quotes, place=place, key=f"carried:{id_}:{event.id}"))


def added_places(writing: Writing, decision: Decision) -> tuple[tuple[Event, Place, tuple[Quote, ...]], ...]:
    """Return the facts by which a decision stands in more places than its own, with the living words of each."""
    if len(decision.places) == 1:
        return ()
    found = events_about(writing.tx, [decision.id])
    added = [
        (each, read_place(each.parts["place"]))
        for each in found
        if each.kind == Kind.EVIDENCE_ADDED and "place" in each.parts
    ]
    return tuple(
        (
            each,
            place,
            tuple(read_quote(body) for name, body in sorted(each.parts.items()) if name.startswith("evidence/")),
        )
        for each, place in added
        if place in decision.places
    )


def apart_key(decision: str, place: Place) -> str:
    """Return the key under which a place is withdrawn from a decision: once it is, no rule adds it again."""
    return f"apart:{decision}:{place.source}:{place.anchor}"


def same_fact(one: str, other: str, *, by: Person | None) -> Fact:
    """Return the fact that two decisions are one. Idempotency key: the pair."""
    return events.same_as(one, other, by=by, key=f"same:{min(one, other)}:{max(one, other)}")


def _references(
    writing: Writing, draft: Draft, id_: DecisionId, place: Place, scope: Scope, *, by: Person | None
) -> Iterator[Said]:
    for name in _named(draft.supersedes, place):
        older, ref = _target(name)
        key = f"supersedes:{id_}:{name}"
        fact = events.decision_superseded(id_, older=older, ref=ref, why="ref", by=by, key=key)
        yield (_narrower(writing, scope, older), fact)
    for name in _named(draft.cites, place):
        cited, ref = _target(name)
        fact = events.citation_added(id_, cited=cited, ref=ref, key=f"cites:{id_}:{name}")
        yield (_narrower(writing, scope, cited), fact)


def _named(names: Sequence[str], place: Place) -> tuple[str, ...]:
    """What a draft names, each once, its own place left out."""
    return tuple(dict.fromkeys(name for each in names if (name := each.strip()) and name != place.ref))


def _target(name: str) -> tuple[str, str]:
    """What a draft names: (id, "") if it is the id of a decision, else ("", ref)."""
    is_id = len(name) == 64 and set(name) <= set("0123456789abcdef")
    return (name, "") if is_id else ("", name)


def _narrower(writing: Writing, scope: Scope, other: str) -> Scope:
    """The scope in which a fact about two decisions is said: closed if either of them is."""
    if not other or not scope.open:
        return scope
    found = queries.decisions_by_ids(writing.rows, [other], EVERYTHING)
    return found[0].scope if found and not found[0].scope.open else scope


def _replace_rivals(
    writing: Writing, id_: DecisionId, foreseen: Mapping[tuple[str, str], Scope] | None, same: frozenset[str]
) -> Iterable[tuple[str, str]]:
    """Say which decisions a new one replaces, or is replaced by, as both set one property; returns (newer, older)."""
    pairs = dict(foreseen or {})
    if foreseen is None:
        mine = writing.rows(_MINE, {"id": id_})
        properties = [(row["element"], row["property"]) for row in mine]
        rivals = rivals_by_property(writing.rows, dict.fromkeys(properties, ()), today=writing.now.date())
        for each in properties:
            if new := next((one for one in rivals.get(each, ()) if one.id == id_), None):
                pairs |= edges_among(new, rivals[each])
    pairs = {ends: scope for ends, scope in pairs.items() if not same.intersection(ends)}
    for (newer, older), scope in pairs.items():
        fact = events.decision_superseded(newer, older=older, why="sets", key=f"supersedes:{newer}:{older}")
        writing.say_later((scope, fact))
    return pairs


_MINE = (
    "SELECT DISTINCT s.element, p.property FROM event_about a JOIN decisions d ON d.n = a.position AND d.id = a.target"
    " CROSS JOIN json_each(d.mentions) m JOIN mentions s ON s.s = CAST(m.value AS INTEGER)"
    " JOIN decision_sets p ON p.s = s.s AND p.n = d.n"
    " WHERE a.target = :id ORDER BY s.element, p.property"
)
