"""One writing transaction: facts said in it are appended and projected together.

Opened by `store.memory` alone; what is here runs inside and may be repeated, as each fact's key
makes saying it again a no-op.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from store.core import events
from store.core.admission import (
    Admission,
    Admitted,
    Matched,
    Rival,
    match,
    numbered,
    once_each,
    refusals,
    replacements,
    sets_something,
    trimmed,
)
from store.core.events import Event, Kind, evidence_added, read_day
from store.core.ids import decision_id, statement_of
from store.core.model import (
    EVERYTHING,
    WORKSPACE,
    Decision,
    DecisionId,
    Draft,
    Person,
    Place,
    Scope,
    State,
)
from store.sql import queries
from store.sql.log import Appender, Said
from store.sql.projections import Projector
from store.sql.tx import Tx


class Writing:
    """A transaction in which facts are said; `now` is when the log learns them."""

    def __init__(self, tx: Tx, *, writer: str, now: datetime, salt: Callable[[int], bytes]) -> None:
        """Take the log's end as it stands; the transaction's lock keeps it."""
        self.tx = tx
        self.now = now
        self._appender = Appender(tx, writer=writer, now=now, salt=salt)
        self._projector = Projector(tx)

    def rows(self, sql: str, parameters: Mapping[str, object]) -> Sequence[Mapping[str, Any]]:
        """Run one query in this transaction."""
        return self.tx.rows(sql, parameters)

    def say(self, *said: Said) -> tuple[Event, ...]:
        """Append facts and bring the projections up to them; those already known are left out."""
        events = self._appender.append(said)
        self._projector.apply(events)
        return events

    def project(self, changed: Sequence[Event]) -> None:
        """Fold again what events of the log touch whose parts were erased."""
        self._projector.apply(changed)

    def has_read(self, place: Place, basis: str) -> bool:
        """Whether this place was admitted at this basis."""
        return bool(self.rows(HAS_READ, {"source": place.source, "anchor": place.anchor, "basis": basis}))

    def is_forgotten(self, place: Place) -> bool:
        """Whether this place is never to be captured again."""
        return bool(self.rows(IS_FORGOTTEN, {"source": place.source, "anchor": place.anchor}))

    def decision(self, id_: str) -> Decision | None:
        """Return a decision by id or ref, whoever may read it."""
        return queries.decision_named(self.rows, id_, EVERYTHING)


HAS_READ = "SELECT 1 FROM readings WHERE source = :source AND anchor = :anchor AND basis = :basis"
IS_FORGOTTEN = "SELECT 1 FROM forgotten WHERE kind = 'place' AND source = :source AND anchor = :anchor"

_RIVALS = """
SELECT DISTINCT d.id, d.scope, d.open, d.day, d.doc,
       (SELECT json_group_array(json_array(n.scope, n.open)) FROM edges e JOIN decisions n ON n.id = e.newer
         WHERE e.older = d.id AND NOT e.skipped AND n.in_force) AS replaced_by
FROM decision_sets s JOIN decisions d ON d.id = s.decision
WHERE d.in_force AND NOT d.hidden AND s.element = :element AND s.property = :property ORDER BY d.id
"""


def admit(writing: Writing, admission: Admission, seen: Counter[str] | None = None) -> Admitted:
    """Admit the drafts of one place at one basis.

    Idempotency key: place and basis; without an anchor, each statement and its ordinal.

    Args:
        writing: the transaction.
        admission: what to admit.
        seen: how often each statement without a place stood before in this input.
    """
    place = admission.place
    if writing.is_forgotten(place):
        return Admitted(refused=tuple(f"{d.title}: its place was forgotten" for d in admission.drafts))
    drafts, refused = refusals(map(trimmed, admission.drafts))
    drafts = _without_forgotten_turns(writing, place.source, drafts)
    if place.anchor and writing.has_read(place, admission.basis):
        existing = queries.decisions_at(writing.rows, place.source, place.anchor, EVERYTHING)
        return Admitted(decisions=_current(existing), duplicates=len(drafts), refused=refused)
    if place.anchor:
        existing = queries.decisions_at(writing.rows, place.source, place.anchor, EVERYTHING)
        _close_what_closed(writing, admission, existing)
        matched = match(place, once_each(drafts), existing, _reworded(writing, existing))
    else:
        matched = _unplaced(writing, admission, drafts, Counter() if seen is None else seen)
    outcome = _Outcome()
    for each in matched:
        _admit_one(writing, admission, each, outcome)
    if place.anchor:
        _remember_reading(writing, place, admission.basis)
        existing = queries.decisions_at(writing.rows, place.source, place.anchor, EVERYTHING)
    else:
        existing = queries.decisions_by_ids(writing.rows, [each.id for each in matched], EVERYTHING)
    return Admitted(
        decisions=_current(existing),
        new=tuple(outcome.new),
        revised=tuple(outcome.revised),
        unchanged=tuple(outcome.unchanged),
        duplicates=len(outcome.unchanged),
        refused=refused,
    )


def _close_what_closed(writing: Writing, admission: Admission, existing: Sequence[Decision]) -> None:
    """Close a scope that was open when this place was read before, and is not any more: nobody may have told."""
    scope = admission.scope
    if scope.open or not any(each.scope.open and each.scope.id == scope.id for each in existing):
        return
    by = admission.by or Person(name=admission.provenance)
    writing.say((WORKSPACE, events.setting_changed(events.openness_setting(scope.id), "no", by=by)))


def _reworded(writing: Writing, decisions: Sequence[Decision]) -> frozenset[str]:
    found = writing.rows(
        "SELECT older FROM edges WHERE why = 'revision' AND skipped <> 2"
        " AND older IN (SELECT value FROM json_each(:ids))",
        {"ids": json.dumps([each.id for each in decisions])},
    )
    return frozenset(row["older"] for row in found)


def _without_forgotten_turns(writing: Writing, source: str, drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """Leave out quotes of turns that were erased, which an old export may bring back."""
    turns = {quote.turn_id for draft in drafts for quote in draft.evidence if quote.turn_id}
    found = writing.rows(
        "SELECT anchor FROM forgotten WHERE kind = 'turn' AND source = :source"
        " AND anchor IN (SELECT value FROM json_each(:turns))",
        {"source": source, "turns": json.dumps(sorted(turns))},
    )
    gone = {row["anchor"] for row in found}
    if not gone:
        return tuple(drafts)
    return tuple(
        replace(draft, evidence=tuple(quote for quote in draft.evidence if quote.turn_id not in gone))
        for draft in drafts
        if not draft.evidence or any(quote.turn_id not in gone for quote in draft.evidence)
    )


class _Outcome:
    def __init__(self) -> None:
        self.new: list[DecisionId] = []
        self.revised: list[DecisionId] = []
        self.unchanged: list[DecisionId] = []


def _current(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    return tuple(each for each in decisions if each.state is State.CURRENT)


def _remember_reading(writing: Writing, place: Place, basis: str) -> None:
    reading = {"source": place.source, "anchor": place.anchor, "basis": basis}
    writing.tx.insert("readings", [reading], on_conflict="ignore")


def _unplaced(
    writing: Writing, admission: Admission, drafts: Sequence[Draft], seen: Counter[str]
) -> tuple[Matched, ...]:
    """Number drafts without a place: by their input or, for `record`, by what is replaced."""
    source = admission.place.source
    if admission.recorded_from == "record":
        return tuple(_next_free(writing, source, draft) for draft in drafts)
    matched = []
    for draft, ordinal in zip(drafts, numbered(drafts, seen), strict=True):
        id_ = decision_id(source, "", ordinal, statement_of(draft))
        existing = queries.decisions_by_ids(writing.rows, [id_], EVERYTHING)
        matched.append(_numbered(draft, id_, ordinal, existing))
    return tuple(matched)


def _next_free(writing: Writing, source: str, draft: Draft) -> Matched:
    """The first ordinal of this statement that is not replaced or retracted."""
    ordinal = 0
    while True:
        id_ = decision_id(source, "", ordinal, statement_of(draft))
        existing = queries.decisions_by_ids(writing.rows, [id_], EVERYTHING)
        if not existing or existing[0].state is State.CURRENT:
            return _numbered(draft, id_, ordinal, existing)
        ordinal += 1


def _numbered(draft: Draft, id_: DecisionId, ordinal: int, existing: Sequence[Decision]) -> Matched:
    found = existing[0] if existing else None
    return Matched(draft=draft, id=id_, ordinal=ordinal, existing=found, same=found is not None)


def _admit_one(writing: Writing, admission: Admission, matched: Matched, outcome: _Outcome) -> None:
    existing, draft = matched.existing, matched.draft
    by_hand = existing is not None and _worded_by_hand(existing) and not matched.turned
    if existing and (matched.same or existing.state is State.RETRACTED or by_hand):
        outcome.unchanged.append(existing.id)
        _refresh(writing, admission, existing, draft)
        return
    decided = record(
        writing,
        draft,
        id_=matched.id,
        ordinal=matched.ordinal,
        place=admission.place,
        basis=admission.basis,
        scope=admission.scope,
        provenance=admission.provenance,
        confirmed=admission.confirms(draft) or bool(existing and existing.confirmed),
        by=admission.by,
        revises=existing,
    )
    if existing:
        outcome.revised.append(decided)
    else:
        outcome.new.append(decided)


BY_HAND = "edited"
"""The provenance of a wording that a person gave: a later extraction leaves it alone."""


def _worded_by_hand(decision: Decision) -> bool:
    return decision.provenance == BY_HAND


def _refresh(writing: Writing, admission: Admission, existing: Decision, draft: Draft) -> None:
    """Add what a new reading of a known decision brings: further quotes, or somebody's pointing."""
    held = {(each.turn_id, each.quote) for each in existing.evidence}
    fresh = tuple(each for each in draft.evidence if (each.turn_id, each.quote) not in held)
    if existing.state is State.RETRACTED or existing.scope.id != admission.scope.id:
        return  # what was said elsewhere is for those who read it there
    scope = existing.scope if admission.scope.open else admission.scope
    if fresh:
        key = f"evidence:{existing.id}:{admission.place.anchor}:{admission.basis}"
        writing.say((scope, evidence_added(existing.id, fresh, key=key)))
    if admission.confirms(draft) and not existing.confirmed:
        key = f"confirmed:{existing.id}"
        writing.say((scope, events.word_on(Kind.DECISION_CONFIRMED, existing.id, by=admission.by, key=key)))


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
) -> DecisionId:
    """Say that a decision was made, and what it cites, replaces and came to.

    `revises` is the earlier wording that it supersedes, if it words a known decision anew; what
    replaces that one replaces the new wording too.

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
    if draft.outcome:
        seen = events.outcome_observed(
            id_,
            voter=Person(name=provenance),
            verdict=draft.outcome,
            counts=True,
            reason="",
            at=writing.now,
            key=f"outcome:{id_}",
        )
        said.append((scope, seen))
    writing.say(*said)
    if sets_something(draft):
        _replace_rivals(writing, draft, id_, scope)
    return id_


def _revision(
    writing: Writing, id_: DecisionId, scope: Scope, revises: Decision, *, by: Person | None
) -> Iterator[Said]:
    key = f"supersedes:{id_}:{revises.id}"
    fact = events.decision_superseded(id_, older=revises.id, why="revision", by=by, key=key)
    yield (scope if revises.scope.open else revises.scope, fact)
    for newer in queries.decisions_by_ids(writing.rows, revises.superseded_by, EVERYTHING):
        fact = events.decision_superseded(newer.id, older=id_, why="sets", key=f"supersedes:{newer.id}:{id_}")
        yield (scope if newer.scope.open else newer.scope, fact)


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


def _replace_rivals(writing: Writing, draft: Draft, id_: DecisionId, scope: Scope) -> None:
    """Say which decisions a new one replaces, or is replaced by, as both set one property."""
    mine = writing.rows(
        "SELECT element, property FROM decision_sets WHERE decision = :id ORDER BY element, property", {"id": id_}
    )
    said: dict[tuple[str, str], Said] = {}
    for row in mine:
        rivals = [
            Rival(
                id=DecisionId(each["id"]),
                scope=Scope(id=each["scope"], open=bool(each["open"])),
                day=read_day(each["day"]) or writing.now.date(),
                moment=max((quote.get("at", "") for quote in json.loads(each["doc"])["evidence"]), default=""),
                replaced_by=tuple(Scope(id=s, open=bool(o)) for s, o in json.loads(each["replaced_by"])),
            )
            for each in writing.rows(_RIVALS, {"element": row["element"], "property": row["property"]})
        ]
        new = next((each for each in rivals if each.id == id_), None)
        if new is None:
            continue
        scopes = {each.id: each.scope for each in rivals}
        for newer, older in replacements(new, rivals):
            where = scopes[newer] if not scopes[newer].open else scopes[older]
            fact = events.decision_superseded(newer, older=older, why="sets", key=f"supersedes:{newer}:{older}")
            said[newer, older] = (where, fact)
    writing.say(*said.values())
