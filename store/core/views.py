"""What the memory answers beside decisions: votes, elements, conflicts, reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from store.core.model import Decision, DecisionId, ElementId, Person, Place, Scope, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One person's standing word on what came of one decision.

    `counts` is true for deciders, follow-ups and confirmed events; a reason makes any vote count.
    """

    decision: DecisionId
    voter: Person
    verdict: Verdict
    counts: bool
    reason: str
    at: datetime
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementView:
    """What holds for one element: its heads, newest first, and what they set and link.

    `properties` has (property, value, decision), by property and then as the heads stand;
    `links` has (from, relation, to), sorted, without those that a later head ended.
    """

    id: ElementId
    element: str
    decisions: tuple[Decision, ...]
    properties: tuple[tuple[str, str, DecisionId], ...] = ()
    links: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An element's claim on a file: the glob, in its one spelling, and the decision that says so."""

    element: str
    glob: str
    decision: DecisionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What is left of an erased decision: when it was decided and erased, where it stood, what it was linked to."""

    id: DecisionId
    day: date
    erased_at: datetime
    place: Place
    captured_again: bool
    """Whether its place may be captured again."""
    supersedes: tuple[DecisionId, ...] = ()
    superseded_by: tuple[DecisionId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Heads that can't all hold; element and property are "" where a person or model noted it."""

    element: str
    property: str
    heads: tuple[Decision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that `verify` found: what, where in the log or tables, and what to do."""

    what: str
    where: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What `verify` checked and what it found; clean when there are no faults.

    `notes` names what is no fault but worth knowing: kinds of a newer version, cycles.
    """

    events: int
    decisions: int
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildReport:
    """What a rebuild read and wrote, and how long it took."""

    events: int
    decisions: int
    seconds: float
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """One living part that names a person: theirs as a quote, else as a decider, voter or whoever did something."""

    event: str
    kind: str
    scope: Scope
    part: str
    recorded_at: datetime
    about: tuple[str, ...]
    body: Mapping[str, Any]

    @property
    def is_quote(self) -> bool:
        """Whether the part holds their own words."""
        return self.part.startswith("evidence/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """What was taken out of one person: their messages' quotes, and facts that named them.

    `decisions` are those that this touched, by id; `turns` are their messages, by id.
    """

    quotes: int
    names: int
    decisions: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    beside: int = 0
    """Rows beside the log that went: questions, requests, memberships."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelForgetting:
    """What was taken out of one channel: its decisions, and messages of it that decisions of elsewhere quoted.

    `fresh` is false where it was forgotten before; `decisions` and `turns` are all that the log ever held of it, by id.
    """

    fresh: bool
    decisions: tuple[str, ...]
    turns: tuple[str, ...]
    erased: int = 0
    quotes: int = 0
    beside: int = 0
    """Rows beside the log that went: questions, requests, posts."""
