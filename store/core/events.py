"""Facts in the log: what happened, in the past tense, and the bytes that name it.

An event is a header and parts. The header is canonical JSON, stored as the bytes that were
hashed; its SHA-256 is the event's id. All that people wrote, or that names one, lies in parts
beside it, each bound to the header by a salted digest, so that erasing a part leaves the id, the
chain of its stream and every signature as they were. Kinds are read forever; one that this
version doesn't know is kept, passed on and not folded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from store.core.ids import Json, canonical, sha256, statement_of
from store.core.model import DecisionId, Draft, EventId, Person, Place, Quote, Scope, Verdict

VERSION = 1
"""The shape of facts that this program writes; a changed shape gets the next number."""

SALT_BYTES = 16
"""Random bytes before a part when it is hashed: nobody can guess an erased text and confirm it."""

LARGEST_LAMPORT = 2**53
"""Above this a clock is refused: JSON numbers are exact only up to here."""

OUTLIER_DISTANCE = 1_000_000
"""A clock further ahead than the events held by this much is a fault of its writer, not time."""


class Kind(StrEnum):
    """Every kind of fact that this version folds."""

    DECISION_RECORDED = "DecisionRecorded"
    EVIDENCE_ADDED = "EvidenceAdded"
    DECISION_SUPERSEDED = "DecisionSuperseded"
    DECISION_RETRACTED = "DecisionRetracted"
    DECISION_RESTORED = "DecisionRestored"
    DECISION_CONFIRMED = "DecisionConfirmed"
    CONFIRMATION_WITHDRAWN = "ConfirmationWithdrawn"
    SUPERSESSION_WITHDRAWN = "SupersessionWithdrawn"
    SAME_AS = "SameAs"
    HELD_APART = "HeldApart"
    PLACE_WITHDRAWN = "PlaceWithdrawn"
    CITATION_ADDED = "CitationAdded"
    CONFLICT_NOTED = "ConflictNoted"
    CONFLICT_SETTLED = "ConflictSettled"
    MENTION_RESOLVED = "MentionResolved"
    RESOLUTION_CORRECTED = "ResolutionCorrected"
    OUTCOME_OBSERVED = "OutcomeObserved"
    OUTCOME_WITHDRAWN = "OutcomeWithdrawn"
    REJECTION_GIVEN = "RejectionGiven"
    SETTING_CHANGED = "SettingChanged"
    TEXT_REDACTED = "TextRedacted"


_KINDS = frozenset(kind.value for kind in Kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What is to be appended: the log adds stream, position and time.

    `about` names decisions (or, for a redaction, events); `key` is the idempotency key, "" where
    the fact has none.
    """

    kind: Kind
    about: tuple[str, ...]
    parts: Mapping[str, Json] = field(default_factory=dict)
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One fact as the log holds it. `parts` has the living ones only; `digests` has them all."""

    id: EventId
    kind: str
    v: int
    stream: str
    seq: int
    prev: str
    lamport: int
    recorded_at: datetime
    about: tuple[str, ...]
    digests: Mapping[str, str]
    parts: Mapping[str, Any]
    position: int = field(default=0, compare=False)
    """Its place in one database's log, which no hash covers; 0 where it stands in none."""

    @property
    def order(self) -> tuple[int, str]:
        """The canonical order of facts, the same on every machine."""
        return (self.lamport, self.id)

    @property
    def scope(self) -> Scope:
        """Who could read the place in which this was said."""
        return scope_of(self.stream)

    @property
    def known(self) -> bool:
        """Whether this version folds it; a newer kind or version is kept and left alone."""
        return self.v <= VERSION and self.kind in _KINDS


def stream_of(writer: str, scope: Scope) -> str:
    """Return the name of one writer's stream for one scope."""
    return f"{writer}/{'open' if scope.open else 'closed'}/{scope.id}"


@lru_cache(maxsize=4096)  # a workspace's channels: each fact is asked for its scope several times
def scope_of(stream: str) -> Scope:
    """Return the scope of a stream."""
    _, openness, scope_id = stream.split("/", 2)
    return Scope(id=scope_id, open=openness == "open")


def openness_setting(scope_id: str) -> str:
    """Return the name of the setting by which a scope opens or closes after things were said in it.

    Its value is "yes" or "no"; it holds for all that was ever said in the scope.
    """
    return f"scope:{scope_id}:open"


def scope_of_setting(name: str) -> str:
    """Return the scope whose openness a setting of this name changes, "" if it is another setting."""
    return name[6:-5] if name.startswith("scope:") and name.endswith(":open") else ""


def writer_of(stream: str) -> str:
    """Return the writer of a stream."""
    return stream.partition("/")[0]


def part_digest(salt: bytes, body: str) -> str:
    """Return what binds a part to its header: sha256(salt and canonical part)."""
    return sha256(salt + body.encode())


def header_of(
    fact: Fact, *, stream: str, seq: int, prev: str, lamport: int, recorded_at: datetime, digests: Mapping[str, str]
) -> str:
    """Return the canonical header of a fact at its place in the log."""
    return canonical(
        {
            "v": VERSION,
            "kind": fact.kind.value,
            "stream": stream,
            "seq": seq,
            "prev": prev,
            "lamport": lamport,
            "recorded_at": instant(recorded_at),
            "about": list(fact.about),
            "parts": dict(digests),
        }
    )


def event_id(header: str) -> EventId:
    """Return the id of the event with this header."""
    return EventId(sha256(header.encode()))


def read_event(header: str, parts: Mapping[str, str | None]) -> Event:
    """Return the event of a header and the text of its parts (None: erased)."""
    living = {name: json.loads(body) for name, body in parts.items() if body is not None}
    return event_of(event_id(header), header, living)


def event_of(id_: str, header: str, parts: Mapping[str, Any], *, position: int = 0) -> Event:
    """Return the event of a header, its id and its living parts as read."""
    fields = json.loads(header)
    return Event(
        id=EventId(id_),
        kind=fields["kind"],
        v=fields["v"],
        stream=fields["stream"],
        seq=fields["seq"],
        prev=fields["prev"],
        lamport=fields["lamport"],
        recorded_at=read_instant(fields["recorded_at"]),
        about=tuple(fields["about"]),
        digests=fields["parts"],
        parts=parts,
        position=position,
    )


def instant(moment: datetime) -> str:
    """Return a moment as text that sorts by time: UTC, microseconds, `Z`."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def read_instant(text: str) -> datetime:
    """Return the moment that `instant` wrote."""
    return datetime.fromisoformat(text)


# --- what each kind carries -------------------------------------------------------------------


def decision_recorded(
    decision: DecisionId,
    draft: Draft,
    *,
    place: Place,
    ordinal: int,
    basis: str,
    provenance: str,
    confirmed: bool,
    by: Person | None,
    key: str,
) -> Fact:
    """Say that a decision was admitted: what it states, where, by whom, resting on which words."""
    meta: dict[str, Json] = {"confidence": draft.confidence, "provenance": provenance, "confirmed": int(confirmed)}
    if draft.decided_on:
        meta["decided_on"] = draft.decided_on.isoformat()
    parts: dict[str, Json] = {
        "statement": statement_of(draft),
        "place": {**place_json(place), "ordinal": ordinal, "basis": basis},
        "meta": meta,
    }
    people: dict[str, Json] = {"decided_by": [person_json(each) for each in draft.decided_by]}
    if by:
        people["by"] = person_json(by)
    if by or draft.decided_by:
        parts["people"] = people
    if draft.tags or draft.trade_offs or draft.edge_cases or draft.revisit_when or draft.text:
        parts["more"] = {
            "tags": list(draft.tags),
            "trade_offs": list(draft.trade_offs),
            "edge_cases": list(draft.edge_cases),
            "revisit_when": draft.revisit_when,
            "text": draft.text,
        }
    parts |= evidence_parts(draft.evidence)
    return Fact(kind=Kind.DECISION_RECORDED, about=(decision,), parts=parts, key=key)


def evidence_added(decision: str, evidence: tuple[Quote, ...], *, place: Place | None = None, key: str) -> Fact:
    """Say that a decision rests on further words, or stands in one more place."""
    parts = evidence_parts(evidence)
    if place:
        parts["place"] = place_json(place)
    return Fact(kind=Kind.EVIDENCE_ADDED, about=(decision,), parts=parts, key=key)


def decision_superseded(
    newer: str, *, older: str = "", ref: str = "", why: str, by: Person | None = None, key: str = ""
) -> Fact:
    """Say that a decision replaces another, which is named by id or, before it arrives, by ref.

    `why` is "ref" (its source says so), "sets" (it sets the same property), "revision" or "person".
    """
    edge: dict[str, Json] = {"why": why}
    if ref:
        edge["ref"] = ref
    if by:
        edge["by"] = person_json(by)
    about = (newer, older) if older else (newer,)
    return Fact(kind=Kind.DECISION_SUPERSEDED, about=about, parts={"edge": edge}, key=key)


def supersession_withdrawn(newer: str, older: str, *, by: Person | None) -> Fact:
    """Say that a decision does not replace another after all; a later `decision_superseded` says it anew."""
    parts: dict[str, Json] = {"word": {"by": person_json(by)}} if by else {}
    return Fact(kind=Kind.SUPERSESSION_WITHDRAWN, about=(newer, older), parts=parts)


def citation_added(citing: str, *, cited: str = "", ref: str = "", key: str = "") -> Fact:
    """Say that a decision cites another, named like a superseded one."""
    about = (citing, cited) if cited else (citing,)
    return Fact(kind=Kind.CITATION_ADDED, about=about, parts={"citation": {"ref": ref}}, key=key)


def word_on(kind: Kind, decision: str, *, by: Person | None, reason: str = "", key: str = "") -> Fact:
    """Say that somebody retracted, restored, confirmed or no longer confirms a decision (nobody: a retention rule)."""
    word: dict[str, Json] = {}
    if reason:
        word["reason"] = reason
    if by:
        word["by"] = person_json(by)
    return Fact(kind=kind, about=(decision,), parts={"word": word} if word else {}, key=key)


def outcome_observed(
    decision: str, *, voter: Person, verdict: Verdict, counts: bool, reason: str, at: datetime, key: str
) -> Fact:
    """Say that somebody saw what came of a decision."""
    vote: dict[str, Json] = {"verdict": verdict.value, "counts": int(counts), "reason": reason, "at": instant(at)}
    parts: dict[str, Json] = {"vote": vote, "voter": person_json(voter)}
    return Fact(kind=Kind.OUTCOME_OBSERVED, about=(decision,), parts=parts, key=key)


def outcome_withdrawn(decision: str, *, voter: Person, key: str) -> Fact:
    """Say that somebody took their vote back."""
    return Fact(kind=Kind.OUTCOME_WITHDRAWN, about=(decision,), parts={"voter": person_json(voter)}, key=key)


def same_as(one: str, other: str, *, by: Person | None, key: str = "") -> Fact:
    """Say that two decisions in different scopes are one and the same."""
    first, second = sorted((one, other))
    parts: dict[str, Json] = {"word": {"by": person_json(by)}} if by else {}
    return Fact(kind=Kind.SAME_AS, about=(first, second), parts=parts, key=key)


def held_apart(one: str, other: str, *, by: Person | None, key: str = "") -> Fact:
    """Say that two decisions that were taken for one are two; no rule links them again."""
    first, second = sorted((one, other))
    parts: dict[str, Json] = {"word": {"by": person_json(by)}} if by else {}
    return Fact(kind=Kind.HELD_APART, about=(first, second), parts=parts, key=key)


def place_withdrawn(decision: str, place: Place, *, by: Person | None, key: str = "") -> Fact:
    """Say that a place which was added to a decision states another one; its words are erased by another fact."""
    parts: dict[str, Json] = {"place": place_json(place)}
    if by:
        parts["word"] = {"by": person_json(by)}
    return Fact(kind=Kind.PLACE_WITHDRAWN, about=(decision,), parts=parts, key=key)


def conflict_noted(one: str, other: str, *, quotes: tuple[str, str], by: Person | None, key: str = "") -> Fact:
    """Say that two decisions can't both hold, with the words of each that show it."""
    first, second = sorted((one, other))
    shown = quotes if first == one else (quotes[1], quotes[0])
    word: dict[str, Json] = {"quotes": list(shown)}
    if by:
        word["by"] = person_json(by)
    return Fact(kind=Kind.CONFLICT_NOTED, about=(first, second), parts={"word": word}, key=key)


def conflict_settled(one: str, other: str, *, by: Person | None) -> Fact:
    """Say that two decisions both apply, each in its cases; a later `conflict_noted` contests them anew."""
    first, second = sorted((one, other))
    parts: dict[str, Json] = {"word": {"by": person_json(by)}} if by else {}
    return Fact(kind=Kind.CONFLICT_SETTLED, about=(first, second), parts=parts)


def mention_resolved(
    kind: Kind, mention: str, element: str, *, method: str, score: int, by: Person | None = None
) -> Fact:
    """Say which element a mention means; `score` in hundredths, `kind` tells a correction apart."""
    resolution: dict[str, Json] = {"mention": mention, "element": element, "method": method, "score": score}
    parts: dict[str, Json] = {"resolution": resolution}
    if by:
        parts["people"] = {"by": person_json(by)}
    return Fact(kind=kind, about=(), parts=parts)


def rejection_given(
    decision: str | None, *, node: str, recommendation: str, category: str, reason: str, role: str, by: Person, key: str
) -> Fact:
    """Say that somebody turned an answer or a recommendation down, and why."""
    rejection: dict[str, Json] = {
        "node": node,
        "recommendation": recommendation,
        "category": category,
        "reason": reason,
        "role": role,
    }
    about = (decision,) if decision else ()
    parts: dict[str, Json] = {"rejection": rejection, "people": {"by": person_json(by)}}
    return Fact(kind=Kind.REJECTION_GIVEN, about=about, parts=parts, key=key)


def setting_changed(name: str, value: str, *, by: Person) -> Fact:
    """Say that somebody changed a setting that alters what the memory means."""
    setting: dict[str, Json] = {"name": name, "value": value}
    return Fact(
        kind=Kind.SETTING_CHANGED, about=(), parts={"setting": setting, "people": {"by": person_json(by)}}, key=""
    )


def text_redacted(
    events: Mapping[str, tuple[str, ...]],
    *,
    decisions: tuple[str, ...] = (),
    place: Place | None = None,
    turn: tuple[str, str] | None = None,
    channel: tuple[str, str] | None = None,
    key: str = "",
) -> Fact:
    """Say which parts of which events are erased.

    Args:
        events: names of parts by event id.
        decisions: those whose text goes, in whichever event it stands or will stand.
        place: one that is never captured again.
        turn: (source, turn id) of words that are never quoted again.
        channel: (source, channel id) of which nothing is captured again; words of its scope are stored blank.
        key: the idempotency key.
    """
    redaction: dict[str, Json] = {"events": {each: list(names) for each, names in events.items()}}
    redaction["decisions"] = list(decisions)
    if place:
        redaction["place"] = {"source": place.source, "anchor": place.anchor}
    if turn:
        redaction["turn"] = {"source": turn[0], "id": turn[1]}
    if channel:
        redaction["channel"] = {"source": channel[0], "id": channel[1]}
    return Fact(kind=Kind.TEXT_REDACTED, about=(*sorted(events), *decisions), parts={"redaction": redaction}, key=key)


# --- values in parts --------------------------------------------------------------------------


def evidence_parts(evidence: tuple[Quote, ...]) -> dict[str, Json]:
    """Return one part a quote, `evidence/0` first."""
    return {f"evidence/{number}": quote_json(quote) for number, quote in enumerate(evidence)}


def person_json(person: Person) -> dict[str, Json]:
    """Return a person as a part holds them."""
    return {"name": person.name, "id": person.id}


def read_person(value: Mapping[str, str]) -> Person:
    """Return the person that `person_json` wrote."""
    return Person(name=value.get("name", ""), id=value.get("id", ""))


def place_json(place: Place) -> dict[str, Json]:
    """Return a place as a part holds it."""
    return {"source": place.source, "anchor": place.anchor, "ref": place.ref, "permalink": place.permalink}


def read_place(value: Mapping[str, Any]) -> Place:
    """Return the place that `place_json` wrote."""
    return Place(
        source=value["source"],
        anchor=value["anchor"],
        ref=value.get("ref", ""),
        permalink=value.get("permalink", ""),
    )


def quote_json(quote: Quote) -> dict[str, Json]:
    """Return a quote as a part holds it; a time that nobody gave is left out."""
    value: dict[str, Json] = {
        "quote": quote.quote,
        "author": quote.author,
        "author_id": quote.author_id,
        "permalink": quote.permalink,
        "turn_id": quote.turn_id,
    }
    if quote.at:
        value["at"] = instant(quote.at)
    return value


def read_quote(value: Mapping[str, str]) -> Quote:
    """Return the quote that `quote_json` wrote."""
    return Quote(
        quote=value["quote"],
        author=value.get("author", ""),
        author_id=value.get("author_id", ""),
        at=read_instant(value["at"]) if value.get("at") else None,
        permalink=value.get("permalink", ""),
        turn_id=value.get("turn_id", ""),
    )


def read_day(text: str) -> date | None:
    """Return the day, None for ""."""
    return date.fromisoformat(text) if text else None
