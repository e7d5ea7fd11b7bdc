"""From facts to state: each row of a projection is a pure function of the facts about it.

Nothing here depends on the order in which facts arrived: they are folded in canonical order,
(lamport, id). So folding what came lately together with what was there (incremental) and folding
everything anew (replay) give the same rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from store.core.events import Event, Kind, place_json, read_day, read_place, read_quote, writer_of
from store.core.model import DecisionId, Place, Quote, Scope, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One quote and where it lies in the log, so that its erasure finds it."""

    event: str
    position: int
    part: str
    quote: Quote
    said: Mapping[str, Any]
    """The quote as the part has it."""
    source: str = ""
    """Of its turn, where it was said in one more place; "" for that of the decision's own place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """One decision as the facts about it have it, before anybody reads it."""

    id: DecisionId
    order: tuple[int, str]
    writer: str
    scope: Scope
    place: Place
    stood: Mapping[str, Any]
    """The place as its part has it, with ordinal and basis."""
    basis: str
    recorded_at: datetime
    statement: Mapping[str, Any]
    """Empty once it is erased; the status then counts as withdrawn."""
    people: Mapping[str, Any]
    meta: Mapping[str, Any]
    more: Mapping[str, Any]
    confirmed: bool
    retracted: bool
    erased: bool
    held: tuple[Held, ...]
    """Every living quote, the same words twice where two facts hold them."""
    places: tuple[Place, ...]

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The words that it rests on, each once, as the facts have them."""
        return tuple({(each.quote.turn_id, each.quote.quote): each.quote for each in reversed(self.held)}.values())[
            ::-1
        ]

    @property
    def said(self) -> dict[str, Any]:
        """All that is shown of it, by the names of parts; a single fact that says all of it has these very parts."""
        parts = {
            "statement": self.statement,
            "place": self.stood,
            "meta": self.meta,
            "people": self.people,
            "more": self.more,
        }
        said: dict[str, Any] = {name: part for name, part in parts.items() if part}
        once = {(each.quote.turn_id, each.quote.quote): each.said for each in reversed(self.held)}
        said |= {f"evidence/{number}": quote for number, quote in enumerate(reversed(once.values()))}
        if len(self.places) > 1:
            said["places"] = [place_json(each) for each in self.places]
        return said

    @property
    def title(self) -> str:
        """What was decided, in one line; "" once it is erased."""
        return str(self.statement.get("title", ""))

    @property
    def status(self) -> Status:
        """What its source says of it."""
        return Status(self.statement.get("status", Status.WITHDRAWN))

    @property
    def decided_on(self) -> date | None:
        """The day on which people decided, where the source gives one."""
        return read_day(self.meta.get("decided_on", ""))

    @property
    def day(self) -> date:
        """The day by which it is sorted: when it was decided, else when it was recorded."""
        return self.decided_on or self.recorded_at.date()

    @property
    def in_force(self) -> bool:
        """Whether it can stand, and can replace another: accepted and not retracted."""
        return self.status is Status.ACCEPTED and not self.retracted


def records(event: Event) -> str:
    """Return the decision that a fact records, "" where it records none."""
    if event.known and event.kind == Kind.DECISION_RECORDED and event.about and "place" in event.parts:
        return event.about[0]
    return ""


def fold_decision(decision: str, events: Iterable[Event]) -> Folded | None:
    """Fold the facts about one decision; None while it has not been recorded.

    Facts about other decisions and facts of unknown kinds are skipped.
    """
    facts = sorted({each.id: each for each in events if decision in each.about}.values(), key=lambda e: e.order)
    recorded = [each for each in facts if records(each) == decision]
    if not recorded:
        return None
    first = recorded[0]
    recorded = [each for each in recorded if each.scope.id == first.scope.id]
    standing = _Standing(decision)
    for each in facts:
        if each.kind not in _SAYING or each.scope.id == first.scope.id:
            standing.apply(each)
    place = first.parts["place"]
    erased = standing.erased or not any("statement" in each.parts for each in recorded)
    return Folded(
        id=DecisionId(decision),
        order=first.order,
        writer=writer_of(first.stream),
        scope=Scope(id=first.scope.id, open=all(each.scope.open for each in recorded)),
        place=read_place(place),
        stood=place,
        basis=place["basis"],
        recorded_at=first.recorded_at,
        statement={} if erased else _first_living(recorded, "statement"),
        people={} if erased else _first_living(recorded, "people"),
        meta=_first_living(recorded, "meta"),
        more={} if erased else _first_living(recorded, "more"),
        confirmed=standing.confirmed,
        retracted=standing.retracted,
        erased=erased,
        held=() if standing.erased else tuple(standing.evidence),
        places=tuple(standing.places),
    )


_SAYING = frozenset({Kind.DECISION_RECORDED, Kind.EVIDENCE_ADDED})
"""Facts that bring words; those of another scope than the decision's are for who reads them there."""


class _Standing:
    """What the later words on a decision come to, fact by fact in canonical order."""

    def __init__(self, decision: str) -> None:
        self.decision = decision
        self.confirmed = False
        self.retracted = False
        self.erased = False
        self.evidence: list[Held] = []
        self.places: list[Place] = []

    def apply(self, event: Event) -> None:
        if not event.known:
            return
        match Kind(event.kind):
            case Kind.DECISION_RECORDED | Kind.EVIDENCE_ADDED:
                self.confirmed |= bool(event.parts.get("meta", {}).get("confirmed"))
                self._rest_on(event)
            case Kind.PLACE_WITHDRAWN if "place" in event.parts:
                self._leave(read_place(event.parts["place"]))
            case Kind.DECISION_RETRACTED:
                self.retracted = True
            case Kind.DECISION_RESTORED:
                self.retracted = False
            case Kind.DECISION_CONFIRMED:
                self.confirmed = True
            case Kind.CONFIRMATION_WITHDRAWN:
                self.confirmed = False
            case Kind.TEXT_REDACTED:
                self.erased |= self.decision in event.parts.get("redaction", {}).get("decisions", ())
            case _:
                pass  # edges, votes, citations and the rest have rows of their own

    def _rest_on(self, event: Event) -> None:
        source = ""
        if place := event.parts.get("place"):
            self._stand_in(read_place(place))
            source = str(place["source"])
        for name in sorted((n for n in event.parts if n.startswith("evidence/")), key=_number):
            said = event.parts[name]
            quote = read_quote(said)
            held = Held(event=event.id, position=event.position, part=name, quote=quote, said=said, source=source)
            self.evidence.append(held)

    def _stand_in(self, place: Place) -> None:
        if not any(is_one(each, place) for each in self.places):
            self.places.append(place)

    def _leave(self, place: Place) -> None:
        """Take out a place that was added; where it was recorded stays. Its words are erased by a fact of their own."""
        self.places = [each for at, each in enumerate(self.places) if at == 0 or not is_one(each, place)]


def is_one(one: Place, other: Place) -> bool:
    """Say whether two name one place, whatever it is called."""
    return (one.source, one.anchor) == (other.source, other.anchor)


def _number(part: str) -> int:
    return int(part.partition("/")[2])


def _first_living(events: Sequence[Event], part: str) -> Mapping[str, Any]:
    return next((each.parts[part] for each in events if part in each.parts), {})


def hidden_variants(decisions: Iterable[Folded]) -> frozenset[str]:
    """Return the decisions that are second wordings of a place and basis already worded.

    Two machines may extract one version of a thread in two wordings. The writer that comes first
    in canonical order stands; what only others recorded is hidden. Places without an anchor
    are inputs, not threads, and have no variants.
    """
    groups: dict[tuple[str, str, str], list[Folded]] = defaultdict(list)
    for each in decisions:
        if each.place.anchor:
            groups[each.place.source, each.place.anchor, each.basis].append(each)
    return frozenset(
        each.id
        for group in groups.values()
        for first in [min(group, key=lambda d: d.order)]
        for each in group
        if each.writer != first.writer
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One supersession, as a fact has it: in canonical order by `order`.

    `closed` has the scopes of those ends that not everybody may read.
    """

    newer: str
    older: str
    order: tuple[int, str]
    closed: frozenset[str] = frozenset()


def closing_cycles(edges: Iterable[Edge]) -> frozenset[tuple[str, str]]:
    """Return the (newer, older) pairs that would close a cycle, taken in canonical order.

    Edges between decisions that more people read come first: whether one of them counts must not
    follow from what only some can read. Only edges that lie on a common cycle matter to each
    other; so any set that holds whole cycles gives the same answer as the set of all.
    """
    ordered = sorted(edges, key=lambda e: (e.order, e.newer, e.older))
    skipped: set[tuple[str, str]] = set()
    for audience in sorted({each.closed for each in ordered}, key=lambda a: (len(a), sorted(a))):
        replaced: dict[str, set[str]] = defaultdict(set)
        for edge in ordered:
            if edge.closed < audience and (edge.newer, edge.older) not in skipped:
                replaced[edge.newer].add(edge.older)
        for edge in ordered:
            if edge.closed != audience or edge.older in replaced[edge.newer]:
                continue
            if edge.newer == edge.older or _reaches(replaced, edge.older, edge.newer):
                skipped.add((edge.newer, edge.older))
            else:
                replaced[edge.newer].add(edge.older)
    return frozenset(skipped)


def _reaches(replaced: Mapping[str, set[str]], start: str, goal: str) -> bool:
    seen, front = {start}, [start]
    while front:
        for older in replaced.get(front.pop(), ()):
            if older == goal:
                return True
            if older not in seen:
                seen.add(older)
                front.append(older)
    return False
