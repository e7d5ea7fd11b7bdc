"""From folded decisions and single facts to rows of the projections; nothing here touches a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from store.core import paths
from store.core.events import Event, Kind, instant, place_json, quote_json
from store.core.fold import Folded
from store.core.ids import canonical, element_id, kind_and_name, normal, spelled

Row = dict[str, object]
Resolver = Callable[[str, str, bool], str]
"""From a normal mention and the scope of its decision (id, open) to the element that it means."""


PAIRS = {Kind.SAME_AS: "same", Kind.CONFLICT_NOTED: "conflict", Kind.CONFLICT_SETTLED: "both"}
"""What `pairs` calls what is said of two decisions."""


# --- rows of one decision ---------------------------------------------------------------------


def decision_row(folded: Folded, *, n: int, changed: int, hidden: bool) -> Row:
    """Return the row of a decision recorded at position `n` and last touched at `changed`."""
    doc: dict[str, Any] = {
        "statement": dict(folded.statement),
        "more": dict(folded.more),
        "decided_by": list(folded.people.get("decided_by", ())),
        "evidence": [quote_json(each) for each in folded.quotes],
        "places": [place_json(each) for each in folded.places],
    }
    return {
        "n": n,
        "id": folded.id,
        "changed": changed,
        "lamport": folded.order[0],
        "writer": folded.writer,
        "scope": folded.scope.id,
        "open": int(folded.scope.open),
        **place_json(folded.place),
        "ordinal": folded.ordinal,
        "basis": folded.basis,
        "title": folded.title,
        "status": folded.status.value,
        "day": folded.day.isoformat(),
        "decided_on": folded.decided_on.isoformat() if folded.decided_on else "",
        "confidence": folded.meta.get("confidence", 0),
        "confirmed": int(folded.confirmed),
        "retracted": int(folded.retracted),
        "erased": int(folded.erased),
        "hidden": int(hidden),
        "in_force": int(folded.in_force),
        "recorded_at": instant(folded.recorded_at),
        "provenance": folded.meta.get("provenance", ""),
        "doc": canonical(doc),
    }


def place_rows(folded: Folded) -> list[Row]:
    """Return the rows of a decision's places."""
    return [{"decision": folded.id, "source": each.source, "anchor": each.anchor} for each in folded.places]


def held_rows(folded: Folded) -> list[Row]:
    """Return which part of which event holds each quote that names its turn."""
    source = folded.place.source
    return [
        {"event": each.event, "part": each.part, "decision": folded.id, "turn": each.quote.turn_id, "source": source}
        for each in folded.held
        if each.quote.turn_id
    ]


def mentions_of(folded: Folded) -> tuple[str, ...]:
    """Return the mentions in a decision as written: its elements, then those it sets or links."""
    named = list(folded.statement.get("elements", ()))
    named += [each[0] for each in folded.statement.get("sets", ())]
    for link in folded.statement.get("links", ()):
        named += [link[0], link[2]]
    return tuple({normal(each): each for each in reversed(named) if normal(each)}.values())


def mention_rows(folded: Folded, resolve: Resolver) -> list[Row]:
    """Return one row a mention, resolved."""
    rows: list[Row] = []
    for written in mentions_of(folded):
        element = resolve(normal(written), folded.scope.id, folded.scope.open)
        rows.append(
            {
                "decision": folded.id,
                "mention": normal(written),
                "element": element,
                "name": kind_and_name(normal(written))[1],
                "slug_id": element_id(element, open_=True),
                "hash_id": element_id(element, open_=False),
                "written": spelled(written),
            }
        )
    return rows


def set_rows(folded: Folded, resolve: Resolver) -> list[Row]:
    """Return one row a property set; of two values for one property the first stands."""
    rows: dict[tuple[str, str], Row] = {}
    for written, name, value in folded.statement.get("sets", ()):
        element = resolve(normal(written), folded.scope.id, folded.scope.open)
        row: Row = {"decision": folded.id, "element": element, "property": normal(name), "value": value.strip()}
        rows.setdefault((element, normal(name)), row)
    return list(rows.values())


def claim_rows(folded: Folded, resolve: Resolver) -> list[Row]:
    """Return one row a glob by which a decision lets an element claim files."""
    return [
        {"prefix": glob.prefix, "glob": glob.text, "element": row["element"], "decision": folded.id}
        for row in set_rows(folded, resolve)
        if row["property"] == paths.PATHS
        for glob in paths.globs_of(str(row["value"]))
    ]


def lexical_document(folded: Folded) -> dict[str, str]:
    """Return a decision's texts by column of the lexical index."""
    statement, more = folded.statement, folded.more
    people = [each.get("name", "") for each in folded.people.get("decided_by", ())]
    return {
        "title": folded.title,
        "rationale": statement.get("rationale", ""),
        "alternatives": " \n".join(" ".join(each) for each in statement.get("alternatives", ())),
        "elements": " \n".join(
            [*statement.get("elements", ()), *(" ".join(each) for each in statement.get("sets", ()))]
        ),
        "quotes": " \n".join(each.quote for each in folded.quotes),
        "more": " \n".join(
            [
                *more.get("tags", ()),
                *more.get("trade_offs", ()),
                *more.get("edge_cases", ()),
                more.get("revisit_when", ""),
                *people,
                folded.place.ref,
            ]
        ),
        "text": more.get("text", ""),
    }


def resolver(resolutions: Sequence[Mapping[str, Any]]) -> Resolver:
    """Return what resolves mentions by these rows of `resolutions`.

    A correction beats what was resolved by rule; among equals the latest in canonical order
    stands. One that was said in a closed scope holds for decisions of that scope alone.
    """
    ordered = sorted(resolutions, key=lambda row: (row["corrected"], row["lamport"], row["event"]))

    def resolve(mention: str, scope: str, _open: bool) -> str:
        for row in reversed(ordered):
            if row["mention"] == mention and (row["open"] or row["scope"] == scope):
                return str(row["element"])
        return mention

    return resolve


# --- rows of one event ------------------------------------------------------------------------


def rows_of_event(event: Event) -> Iterable[tuple[str, Row]]:
    """Yield the rows that follow from one fact alone, each with its table, whatever else the log holds."""
    said = {"scope": event.scope.id, "open": int(event.scope.open)}
    order = {"lamport": event.lamport, "event": event.id}
    match Kind(event.kind):
        case Kind.DECISION_SUPERSEDED if "edge" not in event.parts:
            pass  # it named somebody who was forgotten; another fact says the same without them
        case Kind.DECISION_SUPERSEDED:
            yield from _reference(event, "supersedes", event.parts.get("edge", {}))
        case Kind.CITATION_ADDED:
            yield from _reference(event, "cites", event.parts.get("citation", {}))
        case Kind.SAME_AS | Kind.CONFLICT_NOTED | Kind.CONFLICT_SETTLED:
            first, second = sorted(event.about[:2])
            yield "pairs", {"kind": PAIRS[Kind(event.kind)], "first": first, "second": second, **said}
        case Kind.OUTCOME_OBSERVED | Kind.OUTCOME_WITHDRAWN:
            yield "votes", {**_vote(event), **said, **order}
        case Kind.MENTION_RESOLVED | Kind.RESOLUTION_CORRECTED:
            resolution = event.parts.get("resolution", {})
            corrected = int(event.kind == Kind.RESOLUTION_CORRECTED)
            mention, element = normal(resolution.get("mention", "")), normal(resolution.get("element", ""))
            yield (
                "resolutions",
                {"mention": mention, "element": element, "corrected": corrected, **said, **order},
            )
        case Kind.REJECTION_GIVEN:
            doc = canonical({**event.parts.get("rejection", {}), **event.parts.get("people", {})})
            decision = event.about[0] if event.about else ""
            row = {"event": event.id, "lamport": event.lamport, "decision": decision, "doc": doc, **said}
            yield "rejections", row
        case Kind.SETTING_CHANGED:
            setting = event.parts.get("setting", {})
            yield "settings", {"name": setting.get("name", ""), "value": setting.get("value", ""), **order}
        case Kind.TEXT_REDACTED:
            yield from _redaction(event.parts.get("redaction", {}))
        case (
            Kind.DECISION_RECORDED
            | Kind.EVIDENCE_ADDED
            | Kind.DECISION_RETRACTED
            | Kind.DECISION_RESTORED
            | Kind.DECISION_CONFIRMED
            | Kind.CONFIRMATION_WITHDRAWN
        ):
            pass  # these are folded with all that is about their decision
        case Kind.SUPERSESSION_WITHDRAWN:
            pass  # it changes the row of the edge that it is about (`store.sql.edges`)


def _reference(event: Event, kind: str, named: Mapping[str, Any]) -> Iterable[tuple[str, Row]]:
    order = {"lamport": event.lamport, "event": event.id}
    subject = event.about[0]
    for target in event.about[1:]:
        if kind == "supersedes":
            edge = {"newer": subject, "older": target, "why": named.get("why", ""), "skipped": 0, **order}
            yield "edges", edge
        else:
            yield "cites", {"citing": subject, "cited": target}
    if ref := named.get("ref"):
        yield "refs", {"decision": subject, "ref": ref, "kind": kind, **order}


def _vote(event: Event) -> Row:
    vote, voter = event.parts.get("vote", {}), event.parts.get("voter", {})
    return {
        "decision": event.about[0],
        "voter": voter.get("name", ""),
        "voter_id": voter.get("id", ""),
        "verdict": vote.get("verdict", ""),
        "counts": vote.get("counts", 0),
        "reason": vote.get("reason", ""),
        "at": vote.get("at", instant(event.recorded_at)),
    }


def _redaction(redaction: Mapping[str, Any]) -> Iterable[tuple[str, Row]]:
    for event, names in redaction.get("events", {}).items():
        for name in names:
            yield "redacted_parts", {"event": event, "part": name}
    for decision in redaction.get("decisions", ()):
        yield "forgotten", {"kind": "decision", "source": "", "anchor": decision}
    if place := redaction.get("place"):
        yield "forgotten", {"kind": "place", "source": place["source"], "anchor": place["anchor"]}
    if turn := redaction.get("turn"):
        yield "forgotten", {"kind": "turn", "source": turn["source"], "anchor": turn["id"]}
