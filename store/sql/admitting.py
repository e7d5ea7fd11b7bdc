"""Admitting drafts within a writing transaction, one place or a chunk of them: the same code, the same facts.

What the chunk will ask is looked up at its beginning (`store.sql.foreseen`), and what it says is appended and projected
together; where one admission needs to see what another said, that is projected first.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from store.core import events
from store.core.admission import Admission, Admitted, Matched, at_ordinal, match, numbered, once_each, refusals, trimmed
from store.core.events import Kind, evidence_added
from store.core.fold import is_one
from store.core.model import EVERYTHING, WORKSPACE, Decision, DecisionId, Draft, Person, Scope, State
from store.sql import queries
from store.sql.foreseen import Foreseen, Places
from store.sql.partners import partners_seen, reader_of
from store.sql.writing import BY_HAND, Writing, apart_key, record, same_fact


@dataclass(slots=True, kw_only=True)
class _Given:
    """One admission on its way: what of it can be admitted, and what would become of it were its place empty."""

    admission: Admission
    drafts: tuple[Draft, ...] = ()
    refused: tuple[str, ...] = ()
    matched: tuple[Matched, ...] = ()
    new: list[DecisionId] = field(default_factory=list)
    revised: list[DecisionId] = field(default_factory=list)
    unchanged: list[DecisionId] = field(default_factory=list)
    again: list[DecisionId] = field(default_factory=list)
    """Those of them that stand at another place too."""
    stands: list[DecisionId] = field(default_factory=list)
    """New, revised and unchanged ones, in the order of the drafts."""
    duplicates: int = 0

    def came_to(self, decision: DecisionId, among: list[DecisionId]) -> None:
        among.append(decision)
        self.stands.append(decision)

    def admitted(self) -> Admitted:
        return Admitted(
            new=tuple(self.new),
            revised=tuple(self.revised),
            unchanged=tuple(self.unchanged),
            duplicates=self.duplicates or len(self.unchanged),
            again=tuple(self.again),
            refused=self.refused,
        )


def admit(writing: Writing, admission: Admission) -> Admitted:
    """Admit the drafts of one place at one basis, and return what stands there then for those who read it there.

    Idempotency key: place and basis; without an anchor, each statement and its ordinal.
    """
    places = Places.of(writing.rows, (admission,))
    (given,) = _all_given(writing, (admission,), Counter(), places)
    place = admission.place
    if places.is_forgotten(place, admission.scope):
        return given.admitted()
    if place.anchor:
        found = queries.decisions_at(writing.rows, place.source, place.anchor, reader_of(admission.scope))
    else:
        found = queries.decisions_by_ids(writing.rows, given.stands, EVERYTHING)
    return replace(given.admitted(), decisions=tuple(each for each in found if each.state is State.CURRENT))


def admit_all(writing: Writing, admissions: Sequence[Admission], seen: Counter[str]) -> tuple[Admitted, ...]:
    """Admit the drafts of many places, in order; what each says is what it would say by itself.

    `decisions` of what is returned stays empty: that is a question for each place, which `admit` asks.

    Idempotency key: place and basis; without an anchor, each statement and its ordinal.

    Args:
        writing: the transaction.
        admissions: what to admit.
        seen: how often each statement without a place stood before in this input; it is added to.
    """
    given = _all_given(writing, admissions, seen, Places.of(writing.rows, admissions))
    return tuple(each.admitted() for each in given)


def _all_given(
    writing: Writing, admissions: Sequence[Admission], seen: Counter[str], places: Places
) -> Sequence[_Given]:
    given = [_given(each, places, seen) for each in admissions]
    drafts = {one.id: (one.draft, each.admission.scope) for each in given for one in each.matched}
    foreseen = Foreseen(writing.rows, drafts, today=writing.now.date())
    for each in given:
        _admit(writing, each, places, foreseen)
    return given


def _given(admission: Admission, places: Places, seen: Counter[str]) -> _Given:
    place = admission.place
    if places.is_forgotten(place, admission.scope):
        return _Given(
            admission=admission, refused=tuple(f"{d.title}: its place was forgotten" for d in admission.drafts)
        )
    drafts, refused = refusals(map(trimmed, admission.drafts))
    drafts = tuple(each for draft in drafts for each in _without_forgotten_turns(draft, place.source, places))
    given = _Given(admission=admission, drafts=drafts, refused=refused)
    if not place.anchor:
        if admission.recorded_from == "record":
            given.matched = tuple(at_ordinal(place.source, each, 0) for each in drafts)
        else:
            given.matched = numbered(place.source, drafts, seen)
    elif not places.is_read(place, admission.basis):
        given.matched = match(place, once_each(drafts), (), frozenset())
    return given


def _without_forgotten_turns(draft: Draft, source: str, places: Places) -> Sequence[Draft]:
    """Leave out quotes of turns that were erased, which an old export may bring back, and what rested on them alone."""
    left = tuple(quote for quote in draft.evidence if not places.is_forgotten_turn(source, quote.turn_id))
    if len(left) == len(draft.evidence):
        return (draft,)
    return (replace(draft, evidence=left),) if left else ()


def _admit(writing: Writing, given: _Given, places: Places, foreseen: Foreseen) -> None:
    admission = given.admission
    place = admission.place
    if places.is_forgotten(place, admission.scope):
        return
    if not place.anchor:
        given.matched = tuple(_numbered(writing, admission, each, foreseen) for each in given.matched)
    elif places.is_read(place, admission.basis):
        given.duplicates = len(given.drafts)
        return
    elif not places.is_empty(place):
        existing = queries.decisions_at(writing.rows, place.source, place.anchor, EVERYTHING)
        _close_what_closed(writing, admission, existing, foreseen)
        given.matched = match(place, once_each(given.drafts), existing, _reworded(writing, existing))
        foreseen.spoke_of(*(each.id for each in given.matched))  # one may be a hidden variant: only its row can tell
    for each in given.matched:
        _admit_one(writing, given, each, foreseen)
    if place.anchor:
        writing.remember_reading(place, admission.basis)
        places.admitted(place, admission.basis)


def _numbered(writing: Writing, admission: Admission, matched: Matched, foreseen: Foreseen) -> Matched:
    """Put a draft without a place beside what has its number.

    Its input numbers it or, for `record`, what is replaced or retracted: then the next number is its own.
    """
    while not foreseen.is_new(matched.id):
        known = foreseen.known(matched.id)
        found = (known,) if known else queries.decisions_by_ids(writing.rows, [matched.id], EVERYTHING)
        if not found:
            break
        if admission.recorded_from != "record" or found[0].state is State.CURRENT:
            return replace(matched, existing=found[0], same=True)
        matched = at_ordinal(admission.place.source, matched.draft, matched.ordinal + 1)
    return matched


def _close_what_closed(
    writing: Writing, admission: Admission, existing: Sequence[Decision], foreseen: Foreseen
) -> None:
    """Close a scope that was open when these were recorded, and is not any more: nobody may have told."""
    scope = admission.scope
    if scope.open or not any(each.scope.open and each.scope.id == scope.id for each in existing):
        return
    by = admission.by or Person(name=admission.provenance)
    writing.say((WORKSPACE, events.setting_changed(events.openness_setting(scope.id), "no", by=by)))
    foreseen.is_over()


def _reworded(writing: Writing, decisions: Sequence[Decision]) -> frozenset[str]:
    found = writing.rows(
        "SELECT d.id AS older FROM edges e JOIN decisions d ON d.n = e.older WHERE e.why = 'revision'"  # noqa: S608
        f" AND e.skipped <> 2 AND e.older IN {queries.THESE}",
        {"ids": json.dumps([each.id for each in decisions])},
    )
    return frozenset(row["older"] for row in found)


def _admit_one(writing: Writing, given: _Given, matched: Matched, foreseen: Foreseen) -> None:
    admission, existing, draft = given.admission, matched.existing, matched.draft
    if existing and not is_one(existing.place, admission.place) and existing.state is not State.RETRACTED:
        draft = draft if draft.same_as or not matched.same else replace(draft, same_as=existing.id)
        existing = None  # recorded elsewhere: what is said here now either says it again or is another decision
    other = _other_of(writing, admission, draft) if draft.same_as else None
    if other and other.scope.id == admission.scope.id and existing is None:
        _close_what_closed(writing, admission, (other,), foreseen)
        given.came_to(other.id, given.unchanged)
        given.again.append(other.id)
        _refresh(writing, admission, other, draft, foreseen)
        return
    linked = _linked(writing, admission, other)
    by_hand = existing is not None and existing.provenance == BY_HAND and not matched.turned
    if existing and (matched.same or existing.state is State.RETRACTED or by_hand):
        given.came_to(existing.id, given.unchanged)
        _refresh(writing, admission, existing, draft, foreseen)
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
        foreseen=foreseen,
        same=frozenset(each.id for each in linked),
    )
    given.came_to(decided, given.revised if existing else given.new)
    if linked:
        given.again.append(decided)
    for each in linked:
        scope = admission.scope if each.scope.open else each.scope
        writing.say_later((scope, same_fact(decided, each.id, by=None)))


def _other_of(writing: Writing, admission: Admission, draft: Draft) -> Decision | None:
    """Return the decision that a draft says again, looked at anew: current, stated elsewhere, and not held apart.

    Of several that are the same it is the one of this scope, since places of one scope merge.
    """
    theirs = reader_of(admission.scope)  # to them, what they can't read has replaced nothing
    known = queries.decisions_by_ids(writing.rows, [draft.same_as], theirs)
    known = known or queries.decisions_by_ids(writing.rows, [draft.same_as], EVERYTHING)
    named = {id_ for each in known for id_ in partners_seen(writing.rows, each, admission.scope)}
    found = [
        each
        for each in (*known, *queries.decisions_by_ids(writing.rows, sorted(named), theirs))
        if each.state is State.CURRENT and each.title and not is_one(each.place, admission.place)
        and not writing.was_said(apart_key(each.id, admission.place))
    ]  # fmt: skip
    here = [each for each in found if each.scope.id == admission.scope.id]
    return next(iter((*here, *(each for each in found if each.id == draft.same_as))), None)


def _linked(writing: Writing, admission: Admission, other: Decision | None) -> tuple[Decision, ...]:
    """Return what a decision to be recorded is linked to: what it says again of another scope, and all its equals."""
    if other is None or other.scope.id == admission.scope.id:
        return ()
    equal = partners_seen(writing.rows, other, admission.scope)
    return queries.decisions_by_ids(writing.rows, [other.id, *equal], EVERYTHING)


def _refresh(writing: Writing, admission: Admission, existing: Decision, draft: Draft, foreseen: Foreseen) -> None:
    """Add what a reading of a known decision brings: further quotes, somebody's pointing, one more place.

    Of a place that words the decision again, only its quotes are kept: title, reasons and options stay as they were
    recorded, however much more the other place says. Key: the decision and the place, then the basis as well.
    """
    held = {(each.turn_id, each.quote) for each in existing.evidence}
    fresh = tuple(each for each in draft.evidence if (each.turn_id, each.quote) not in held)
    if existing.state is State.RETRACTED or existing.scope.id != admission.scope.id:
        return  # what was said elsewhere is for those who read it there
    scope: Scope = existing.scope if admission.scope.open else admission.scope
    place = None if is_one(existing.place, admission.place) else admission.place
    if place and not any(is_one(each, place) for each in existing.places):
        key = f"place:{existing.id}:{place.source}:{place.anchor}"
        key = f"{key}:{admission.basis}" if writing.was_said(key) else key  # it had no words left for a while
        writing.say_later((scope, evidence_added(existing.id, fresh, place=place, key=key)))
    elif fresh:
        key = f"evidence:{existing.id}:{admission.place.anchor}:{admission.basis}"
        writing.say_later((scope, evidence_added(existing.id, fresh, place=place, key=key)))
    if admission.confirms(draft) and not existing.confirmed:
        key = f"confirmed:{existing.id}"
        writing.say_later((scope, events.word_on(Kind.DECISION_CONFIRMED, existing.id, by=admission.by, key=key)))
    foreseen.spoke_of(existing.id)
