"""What people do with one decision, inside a writing transaction that `store.memory` opened."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta

from store.core import events
from store.core.admission import draft_of, trimmed
from store.core.events import Kind
from store.core.fold import is_one
from store.core.ids import normal, sha256, statement_of
from store.core.model import EVERYTHING, Decision, DecisionId, Draft, Person, Place, Quote, Scope, State, Verdict
from store.core.outcomes import voter_key
from store.core.views import Vote
from store.errors import UnknownDecision
from store.sql import queries
from store.sql.bridging import bridge
from store.sql.edges import WITHDRAWN
from store.sql.partners import partners, partners_seen
from store.sql.redaction import redact_parts
from store.sql.stating import free_ordinal, state_there
from store.sql.writing import BY_HAND, Writing, added_places, apart_key, record, same_fact

UNDO_DAYS = 30
"""Days within which "Not a decision" can be undone."""

_RETRACTED_SINCE = (
    "SELECT 1 FROM event_about a JOIN events e ON e.position = a.position WHERE a.target = :id"
    " AND e.kind = 'DecisionRetracted' AND e.header ->> 'recorded_at' >= :since LIMIT 1"
)


def found(writing: Writing, decision: str) -> Decision:
    """Return a decision by id or ref, whoever may read it.

    Raises:
        UnknownDecision: there is none.
    """
    named = writing.decision(decision)
    if named is None:
        raise UnknownDecision(f"{decision}: no decision of that id or ref")
    return named


def narrower(one: Scope, other: Scope) -> Scope:
    """Return the scope in which a fact about both is said: closed if either is."""
    return one if other.open else other


def retract(writing: Writing, decision: str, *, by: Person, reason: str) -> bool:
    """Take a decision back; False if it was already."""
    known = found(writing, decision)
    if known.state is State.RETRACTED:
        return False
    bridge(writing, known.id, erased=False)
    fact = events.word_on(Kind.DECISION_RETRACTED, known.id, by=by, reason=reason)
    return bool(writing.say((known.scope, fact)))


def restore(writing: Writing, decision: str, *, by: Person) -> bool:
    """Undo a retraction of the last `UNDO_DAYS`; False if there is none, or the text is erased."""
    known = found(writing, decision)
    since = events.instant(writing.now - timedelta(days=UNDO_DAYS))
    recent = writing.rows(_RETRACTED_SINCE, {"id": known.id, "since": since})
    if known.state is not State.RETRACTED or not known.title or not recent:
        return False
    return bool(writing.say((known.scope, events.word_on(Kind.DECISION_RESTORED, known.id, by=by))))


def confirm(writing: Writing, decision: str, *, by: Person) -> bool:
    """Confirm a capture; False if it was confirmed already."""
    known = found(writing, decision)
    if known.confirmed:
        return False
    key = _unused(writing, f"confirmed:{known.id}")
    fact = events.word_on(Kind.DECISION_CONFIRMED, known.id, by=by, key=key)
    return bool(writing.say((known.scope, fact)))


def withdraw_confirmation(writing: Writing, decision: str, *, by: Person) -> bool:
    """Take a confirmation back, so that the capture waits again; False if it waits."""
    known = found(writing, decision)
    if not known.confirmed:
        return False
    return bool(writing.say((known.scope, events.word_on(Kind.CONFIRMATION_WITHDRAWN, known.id, by=by))))


def revise(writing: Writing, decision: str, draft: Draft, *, by: Person) -> DecisionId:
    """Word a decision anew; place, and evidence and day where the draft has none, stay."""
    old = found(writing, decision)
    draft = trimmed(draft)
    if statement_of(draft) == statement_of(draft_of(old)):
        return old.id
    evidence = _own_words(writing, old, draft.evidence or old.evidence)
    draft = replace(draft, evidence=evidence, decided_on=draft.decided_on or old.decided_on)
    ordinal, id_ = free_ordinal(writing, old.place, draft)
    one = queries.decisions_by_ids(writing.rows, partners_seen(writing.rows, old, old.scope), EVERYTHING)
    writing.say_later(*((narrower(old.scope, each.scope), same_fact(id_, each.id, by=None)) for each in one))
    return record(
        writing,
        draft,
        id_=id_,
        ordinal=ordinal,
        place=old.place,
        basis=f"edit:{sha256(f'{old.id} {id_}'.encode())[:16]}",
        scope=old.scope,
        provenance=BY_HAND,
        confirmed=True,
        by=by,
        revises=old,
    )


def _own_words(writing: Writing, old: Decision, quotes: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """Leave out what was said in further places of a decision: those go along by themselves."""
    further = {(said.turn_id, said.quote) for _, _, words in added_places(writing, old) for said in words}
    return tuple(each for each in quotes if (each.turn_id, each.quote) not in further)


def supersede(writing: Writing, newer: str, older: str, *, by: Person) -> bool:
    """Say that one decision replaces another; False if that stands already."""
    new, old = found(writing, newer), found(writing, older)
    return _said_to_replace(writing, new, old, why="person", by=by)


def _said_to_replace(writing: Writing, new: Decision, old: Decision, *, why: str, by: Person) -> bool:
    if _replaces(writing, new, old):
        return False
    key = _unused(writing, f"supersedes:{new.id}:{old.id}")
    fact = events.decision_superseded(new.id, older=old.id, why=why, by=by, key=key)
    return bool(writing.say((narrower(new.scope, old.scope), fact)))


def _replaces(writing: Writing, new: Decision, old: Decision) -> bool:
    """Whether the edge stands, even where it doesn't count because it would close a cycle."""
    found = writing.rows(queries.EDGE_BETWEEN, {"newer": new.id, "older": old.id})
    return any(row["skipped"] != WITHDRAWN for row in found)


def withdraw_supersession(writing: Writing, newer: str, older: str, *, by: Person) -> bool:
    """Say that one decision does not replace another after all; False if nobody says that it does."""
    new, old = found(writing, newer), found(writing, older)
    if not _replaces(writing, new, old):
        return False
    return bool(writing.say((narrower(new.scope, old.scope), events.supersession_withdrawn(new.id, old.id, by=by))))


def unrevise(writing: Writing, decision: str, *, by: Person) -> DecisionId | None:
    """Put the wording before an edit back: it replaces the edit; None where there is none, or its text is erased."""
    new = found(writing, decision)
    earlier = writing.rows(_REVISED_BY, {"id": new.id})
    if new.provenance != BY_HAND or not earlier:
        return None
    old = found(writing, earlier[0]["older"])
    if not old.title or old.state is State.RETRACTED:
        return None
    withdraw_supersession(writing, new.id, old.id, by=by)
    _said_to_replace(writing, old, new, why="revision", by=by)
    return old.id


_REVISED_BY = (
    "SELECT o.id AS older FROM event_about a JOIN decisions d ON d.n = a.position AND d.id = a.target"
    " JOIN edges e ON e.newer = d.n JOIN decisions o ON o.n = e.older"
    " WHERE a.target = :id AND e.why = 'revision' AND e.skipped = 0 ORDER BY e.lamport DESC, e.event DESC"
)


def say_same(writing: Writing, one: str, other: str, *, by: Person | None) -> bool:
    """Say that two decisions of different scopes are one; False if that was said already."""
    first, second = found(writing, one), found(writing, other)
    return bool(writing.say((narrower(first.scope, second.scope), same_fact(first.id, second.id, by=by))))


def hold_apart(writing: Writing, one: str, other: str, *, by: Person) -> bool:
    """Say that two decisions are two after all; False if that was said, or nobody took them for one."""
    first, second = found(writing, one), found(writing, other)
    if second.id not in partners(writing.rows, [first.id]):
        return False
    key = f"apart:{min(first.id, second.id)}:{max(first.id, second.id)}"
    fact = events.held_apart(first.id, second.id, by=by, key=key)
    return bool(writing.say((narrower(first.scope, second.scope), fact)))


def withdraw_place(writing: Writing, decision: str, place: Place, *, by: Person) -> DecisionId | None:
    """Make what was said in one more place of a decision a decision of its own; None if it stands in no such place.

    It is worded by its deciding quote, since that is what was kept of it; its words leave the other one.
    """
    known = found(writing, decision)
    added = [each for each in added_places(writing, known) if is_one(each[1], place)]
    if is_one(known.place, place) or not added:
        return None
    where = added[0][1]
    quotes = tuple(dict.fromkeys(said for _, _, words in added for said in words))
    erased = {event.id: tuple(n for n in event.parts if n.startswith("evidence/")) for event, _, _ in added}
    writing.say((known.scope, events.place_withdrawn(known.id, where, by=by, key=apart_key(known.id, where))))
    redact_parts(writing, known.scope, {event: names for event, names in erased.items() if names})
    if not quotes:
        return known.id
    return state_there(writing, known, where, quotes, by=by)


def note_conflict(writing: Writing, one: str, other: str, *, quotes: tuple[str, str], by: Person | None) -> bool:
    """Say that two decisions can't both hold; False if that was said already, and nothing else since."""
    first, second = found(writing, one), found(writing, other)
    key = f"conflict:{min(first.id, second.id)}:{max(first.id, second.id)}"
    if _settled(writing, first, second):
        key = _unused(writing, key)
    fact = events.conflict_noted(first.id, second.id, quotes=quotes, by=by, key=key)
    return bool(writing.say((narrower(first.scope, second.scope), fact)))


def settle_conflict(writing: Writing, one: str, other: str, *, by: Person) -> bool:
    """Say that two decisions both apply; False if that was the last word on them already."""
    first, second = found(writing, one), found(writing, other)
    if _settled(writing, first, second):
        return False
    fact = events.conflict_settled(first.id, second.id, by=by)
    return bool(writing.say((narrower(first.scope, second.scope), fact)))


def _settled(writing: Writing, first: Decision, second: Decision) -> bool:
    return bool(writing.rows(queries.BOTH_APPLY, {"ids": json.dumps([first.id, second.id])}))


def add_place(writing: Writing, decision: str, place: Place, evidence: tuple[Quote, ...], *, scope: Scope) -> bool:
    """Say that a decision stands in one more place; False if it does already, or the scope differs.

    Places of different scope never merge: whoever reads one might learn what the other holds.
    """
    known = found(writing, decision)
    if scope.id != known.scope.id or any((p.source, p.anchor) == (place.source, place.anchor) for p in known.places):
        return False
    key = f"place:{known.id}:{place.source}:{place.anchor}"
    return bool(writing.say((known.scope, events.evidence_added(known.id, evidence, place=place, key=key))))


def resolve_mention(
    writing: Writing, mention: str, element: str, *, by: Person | None, method: str, score: int, scope: Scope
) -> bool:
    """Say which element a mention means; a person's word corrects a rule's. False if that was said last."""
    kind = Kind.RESOLUTION_CORRECTED if by else Kind.MENTION_RESOLVED
    last = writing.rows(_LAST_RESOLUTION, {"mention": normal(mention), "scope": scope.id, "corrected": int(bool(by))})
    if last and last[0]["element"] == normal(element):
        return False
    return bool(
        writing.say((scope, events.mention_resolved(kind, mention, element, method=method, score=score, by=by)))
    )


_LAST_RESOLUTION = (
    "SELECT element FROM resolutions WHERE mention = :mention AND scope = :scope AND corrected = :corrected"
    " ORDER BY lamport DESC, event DESC LIMIT 1"
)


# --- votes ------------------------------------------------------------------------------------


def observe_outcome(
    writing: Writing,
    decision: str,
    *,
    voter: Person,
    verdict: Verdict,
    counts: bool,
    key: str,
    reason: str,
    scope: Scope,
    at: datetime,
) -> bool:
    """Keep one person's word on what came of a decision; False if that very vote stands."""
    known = found(writing, decision)
    standing = _vote_of(writing, known.id, voter)
    if standing and (standing.verdict, standing.reason, standing.counts) == (verdict, reason, counts):
        return False
    fact = events.outcome_observed(
        known.id, voter=voter, verdict=verdict, counts=counts, reason=reason, at=at, key=_unused(writing, key)
    )
    return bool(writing.say((narrower(scope, known.scope), fact)))


def withdraw_outcome(writing: Writing, decision: str, *, voter: Person, key: str) -> bool:
    """Take a person's vote back; False if they have none."""
    known = found(writing, decision)
    standing = _vote_of(writing, known.id, voter)
    if standing is None:
        return False
    fact = events.outcome_withdrawn(known.id, voter=voter, key=_unused(writing, f"{key}:withdrawn"))
    return bool(writing.say((standing.scope, fact)))


def _vote_of(writing: Writing, decision: str, voter: Person) -> Vote | None:
    standing = queries.votes_on(writing.rows, decision, EVERYTHING)
    return next((each for each in standing if voter_key(each.voter) == voter_key(voter)), None)


def _unused(writing: Writing, key: str) -> str:
    """Return the key, numbered if it was used: a vote may be taken back and given again."""
    used = {
        row["key"]
        for row in writing.rows(
            "SELECT key FROM events WHERE key >= :key AND key < :after", {"key": key, "after": key + "\U0010ffff"}
        )
    }
    number, free = 1, key
    while free in used:
        number += 1
        free = f"{key}#{number}"
    return free
