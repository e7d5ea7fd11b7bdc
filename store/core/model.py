"""What the memory is made of: frozen values without behaviour of their own.

Order is part of a value's meaning: turns are oldest first, quotes stand as the thread has them,
ranked decisions are best first. Times are aware UTC; a day on which people decided is a `date`.
Confidence is a whole number of hundredths (0 to 100), because hashed JSON holds no floats.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import NewType

DecisionId = NewType("DecisionId", str)
EventId = NewType("EventId", str)
ElementId = NewType("ElementId", str)
TurnId = NewType("TurnId", str)
SessionId = NewType("SessionId", str)

RECORDED_AT = 90
"""Hundredths of confidence from which a capture is recorded without asking anybody."""


class Status(StrEnum):
    """What was said of an option, as its source states it."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    PROPOSED = "proposed"
    WITHDRAWN = "withdrawn"


class State(StrEnum):
    """Where a decision stands for one reader."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class Verdict(StrEnum):
    """What came of a decision, as one voice has it."""

    WORKED = "worked"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Who could read a place: `channel:ID` or `workspace`; an open one is readable by every member."""

    id: str
    open: bool


def channel_scope(channel: str) -> str:
    """Return the id of a channel's scope."""
    return f"channel:{channel}"


WORKSPACE = Scope(id="workspace", open=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who asks: whether they see open scopes at all, and which scopes they hold by name.

    Guests and external people see no open scope but those that they are in.
    """

    sees_open: bool
    scopes: frozenset[str] = frozenset()
    sees_all: bool = False

    def may_read(self, scope: Scope) -> bool:
        """Say whether this reader may read what was said in that scope."""
        return self.sees_all or (scope.open and self.sees_open) or scope.id in self.scopes

    def and_also(self, other: Reader) -> Reader:
        """Return who sees only what both see: a post is for the intersection of its readers."""
        if self.sees_all:
            return other
        if other.sees_all:
            return self
        return Reader(sees_open=self.sees_open and other.sees_open, scopes=self.scopes & other.scopes)


PUBLIC = Reader(sees_open=True)
EVERYTHING = Reader(sees_open=True, sees_all=True)
NOBODY = Reader(sees_open=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody as a source names them; the id is empty where the source has none."""

    name: str
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """One emoji on a turn; `name` as the source spells it, `users` in the order given."""

    name: str
    users: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One utterance. `turn_id` is unique within its source ("C1/1700000000.000100")."""

    turn_id: TurnId
    thread_id: str
    author: str
    occurred_at: datetime
    text: str
    permalink: str = ""
    author_id: str = ""
    is_bot: bool = False
    reactions: tuple[Reaction, ...] = ()
    about: tuple[str, ...] = ()
    """The elements, `kind:name`, that its source itself says it is about: a repository, a component."""
    resolves: bool = False
    """Its system calls the matter resolved, and nobody said anything between this turn and that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something was said; source and anchor name it alike on every machine."""

    source: str
    anchor: str
    ref: str = ""
    permalink: str = ""


class Happening(StrEnum):
    """What a system may report of the place of a thread."""

    INCIDENT = "incident"
    REVERT = "revert"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """What a system reports beside a thread's words: something broke, a change was taken back, a ticket was resolved.

    `undoes` holds the refs of what was taken back.
    """

    kind: Happening
    at: datetime
    undoes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """Ordered turns, oldest first: the unit of capture. `basis` is the version of its text."""

    place: Place
    scope: Scope
    turns: tuple[Turn, ...]
    basis: str
    label: str = ""
    """What people call the place ("#search"); shown, never an identity."""
    happened: Happened | None = None

    @property
    def about(self) -> tuple[str, ...]:
        """The elements that its source says it is about, each once."""
        return tuple(dict.fromkeys(element for turn in self.turns for element in turn.about))


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words by which one source says that something was decided, replaced or turned down."""

    decided: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """An option that was considered and not chosen, and why it lost ("" where nobody said)."""

    option: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words verbatim from one turn."""

    quote: str
    author: str = ""
    author_id: str = ""
    at: datetime | None = None
    permalink: str = ""
    turn_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A decision as proposed by a model, a rule, a file or a person; the core admits it or not.

    `sets` holds ("service:search-api", "retry_policy", "backoff"); `links` and `unlinks` hold
    (from, relation, to); `supersedes` and `cites` hold refs or decision ids as given.
    """

    title: str
    rationale: str = ""
    status: Status = Status.ACCEPTED
    decided_on: date | None = None
    decided_by: tuple[Person, ...] = ()
    elements: tuple[str, ...] = ()
    sets: tuple[tuple[str, str, str], ...] = ()
    links: tuple[tuple[str, str, str], ...] = ()
    unlinks: tuple[tuple[str, str, str], ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    trade_offs: tuple[str, ...] = ()
    edge_cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: int = 100
    revisit_when: str = ""
    evidence: tuple[Quote, ...] = ()
    text: str = ""
    supersedes: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    outcome: Verdict | None = None
    same_as: str = ""
    """The decision of another place that this one words again, by id, as rules found it; no part of what it states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voices:
    """The outcome votes that count for one decision, one a person.

    `pending_failed` counts people who said that it didn't work, while the label needs more.
    """

    worked: int = 0
    failed: int = 0
    pending_worked: int = 0
    pending_failed: int = 0
    label: Verdict | None = None
    """What an answer may say came of it; None is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision as one reader may see it; ids in a fixed order, quotes as the thread has them."""

    id: DecisionId
    title: str
    place: Place
    scope: Scope
    status: Status
    state: State
    confirmed: bool
    """False while a capture below `RECORDED_AT` waits for somebody's word."""
    recorded_at: datetime
    rationale: str = ""
    decided_on: date | None = None
    decided_by: tuple[Person, ...] = ()
    elements: tuple[str, ...] = ()
    sets: tuple[tuple[str, str, str], ...] = ()
    links: tuple[tuple[str, str, str], ...] = ()
    unlinks: tuple[tuple[str, str, str], ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    trade_offs: tuple[str, ...] = ()
    edge_cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: int = 100
    revisit_when: str = ""
    text: str = ""
    evidence: tuple[Quote, ...] = ()
    supersedes: tuple[DecisionId, ...] = ()
    superseded_by: tuple[DecisionId, ...] = ()
    cites: tuple[DecisionId, ...] = ()
    places: tuple[Place, ...] = ()
    voices: Voices = field(default_factory=Voices)
    provenance: str = ""
    """Who or what worded it: a model and prompt version, `rules`, `file`, or a person's name."""

    @property
    def day(self) -> date:
        """The day by which it is sorted: when it was decided, else when it was recorded."""
        return self.decided_on or self.recorded_at.date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody asks, and as of which day (None: today)."""

    text: str
    as_of: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One step of why a decision stands where it stands: "words", 0.61."""

    name: str
    value: float
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A decision with its place: score, reasons, and whether it is shown as a warning."""

    decision: Decision
    score: float
    reasons: tuple[Reason, ...] = ()
    cautionary: bool = False
    also: tuple[Decision, ...] = ()
    """The same decision as places of other scopes state it, which the reader reads too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What the memory has on a question, best first; nothing in `ranked` when it abstains.

    `nearest` holds the best of what did not clear the floor; `order` is the ranking before the
    cautionary placement, up to ten, whether it abstained or not (evaluation reads it).
    """

    ranked: tuple[Ranked, ...]
    nearest: tuple[Ranked, ...]
    order: tuple[Ranked, ...]
    abstained: bool
    contested: tuple[tuple[DecisionId, DecisionId], ...] = ()
    """Pairs among `ranked` that can't both hold."""
    words_only: bool = False
    """True when the vector index could not be asked."""
    candidates: int = 0
    ms: float = 0.0


def readable(scopes: Iterable[Scope], reader: Reader) -> tuple[Scope, ...]:
    """Return those scopes that the reader may read, in the order given."""
    return tuple(scope for scope in scopes if reader.may_read(scope))
