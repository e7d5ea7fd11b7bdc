"""From folded decisions and single facts to rows of the projections; nothing here touches a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from store.core import paths
from store.core.bodies import joined
from store.core.events import Event, Kind, instant
from store.core.fold import Folded
from store.core.ids import canonical, element_id, kind_and_name, normal, spelled
from store.sql import lexical

Row = dict[str, object]
Resolver = Callable[[str, str], str]
"""From a normal mention and the scope of its decision to the element that it means."""
Numbers = Mapping[str, int]
"""The numbers of decisions by id: of those that were recorded."""


PAIRS = {Kind.SAME_AS: "same", Kind.HELD_APART: "apart", Kind.CONFLICT_NOTED: "conflict", Kind.CONFLICT_SETTLED: "both"}
"""What `pairs` calls what is said of two decisions."""


# --- rows of one decision ---------------------------------------------------------------------


def decision_row(
    folded: Folded, *, n: int, hidden: bool, spellings: Iterable[int], recorded: Mapping[str, Any] | None
) -> Row:
    """Return the row of a decision.

    Args:
        folded: what its facts come to.
        n: its number.
        hidden: whether it is a hidden variant.
        spellings: the numbers of the spellings that it uses.
        recorded: the living parts of the event at `n`; what they say already is not repeated.
    """
    said = folded.said
    return {
        "n": n,
        "id": folded.id,
        "lamport": folded.order[0],
        "writer": folded.writer,
        "scope": folded.scope.id,
        "open": int(folded.scope.open),
        "source": folded.place.source,
        "anchor": folded.place.anchor,
        "basis": folded.basis,
        "ref": folded.place.ref,
        "day": folded.day.isoformat(),
        "confidence": folded.meta.get("confidence", 0),
        "confirmed": int(folded.confirmed),
        "retracted": int(folded.retracted),
        "erased": int(folded.erased),
        "hidden": int(hidden),
        "in_force": int(folded.in_force),
        "recorded_at": instant(folded.recorded_at),
        "provenance": folded.meta.get("provenance", ""),
        "mentions": f"[{','.join(map(str, spellings))}]",
        "doc": None if said == recorded else joined({name: canonical(part) for name, part in said.items()}),
    }


def place_rows(folded: Folded, n: int) -> list[Row]:
    """Return the rows of a decision's places."""
    return [{"source": each.source, "anchor": each.anchor, "n": n} for each in folded.places if each.anchor]


def held_rows(folded: Folded, n: int) -> list[Row]:
    """Return which part of which event holds each quote that names its turn."""
    own = folded.place.source
    return [
        {"position": each.position, "part": each.part, "n": n, "turn": each.quote.turn_id, "source": each.source or own}
        for each in folded.held
        if each.quote.turn_id
    ]


def mentions_of(statement: Mapping[str, Any]) -> dict[str, str]:
    """Return the mentions in a statement as first written, by how they are compared.

    Its elements come first, then those that it sets or links.
    """
    named = [*statement.get("elements", ()), *(each[0] for each in statement.get("sets", ()))]
    for link in statement.get("links", ()):
        named += [link[0], link[2]]
    mentions: dict[str, str] = {}
    for each in dict.fromkeys(named):
        if compared := normal(each):
            mentions.setdefault(compared, spelled(each))
    return mentions


def spelling(written: str, scope: str, key: bytes) -> int:
    """Return the number of a spelling in one scope: 62 bits, of which a million meet in one store of ten million."""
    return int.from_bytes(blake2b(f"{written}\0{scope}".encode(), digest_size=8, key=key).digest()) >> 2


def spelling_row(s: int, written: str, scope: str, resolve: Resolver) -> Row:
    """Return the row of a spelling, resolved."""
    mention = normal(written)
    element = resolve(mention, scope)
    return {
        "s": s,
        "written": written,
        "scope": scope,
        "mention": mention,
        "name": kind_and_name(mention)[1],
        **element_columns(element),
    }


def element_columns(element: str) -> Row:
    """Return an element and the ids that it goes by."""
    return {
        "element": element,
        "slug_id": element_id(element, open_=True),
        "hash_id": element_id(element, open_=False),
    }


def set_rows(statement: Mapping[str, Any], n: int, spellings: Mapping[str, int]) -> list[Row]:
    """Return one row a mention and property set; of two values for one the first stands."""
    rows: dict[tuple[int, str], Row] = {}
    for rank, (written, name, value) in enumerate(statement.get("sets", ())):
        if (s := spellings.get(normal(written))) is not None:
            row: Row = {"s": s, "property": normal(name), "n": n, "rank": rank, "value": value.strip()}
            rows.setdefault((s, normal(name)), row)
    return list(rows.values())


def claim_rows(sets: Iterable[Row]) -> list[Row]:
    """Return one row a glob by which the decision that sets these properties lets an element claim files."""
    claims = {
        (glob.prefix, glob.text, row["s"]): row["n"]
        for row in sets
        if row["property"] == paths.PATHS
        for glob in paths.globs_of(str(row["value"]))
    }
    return [{"prefix": prefix, "glob": glob, "s": s, "n": n} for (prefix, glob, s), n in claims.items()]


def lexical_document(folded: Folded) -> dict[str, str]:
    """Return a decision's texts by column of the lexical index."""
    return lexical.document(
        folded.statement,
        folded.more,
        people=folded.people,
        quotes=[each.quote for each in folded.quotes],
        ref=folded.place.ref,
    )


def resolver(resolutions: Sequence[Mapping[str, Any]]) -> Resolver:
    """Return what resolves mentions by these rows of `resolutions`.

    A correction beats what was resolved by rule; among equals the latest in canonical order
    stands. One that was said in a closed scope holds for decisions of that scope alone.
    """
    ordered: dict[str, list[Mapping[str, Any]]] = {}
    for row in sorted(resolutions, key=lambda row: (row["corrected"], row["lamport"], row["event"]), reverse=True):
        ordered.setdefault(row["mention"], []).append(row)

    def resolve(mention: str, scope: str) -> str:
        for row in ordered.get(mention, ()):
            if row["open"] or row["scope"] == scope:
                return str(row["element"])
        return mention

    return resolve


# --- rows of one event ------------------------------------------------------------------------


def rows_of_event(event: Event) -> Iterable[tuple[str, Row]]:
    """Yield the rows that follow from one fact alone, whatever else the log holds."""
    said = {"scope": event.scope.id, "open": int(event.scope.open)}
    order = {"lamport": event.lamport, "event": event.id}
    match Kind(event.kind):
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
        case _:
            pass  # about decisions: `rows_between`, or folded with all that is about one of them


def rows_between(event: Event, numbers: Numbers) -> Iterable[tuple[str, Row]]:
    """Yield the rows that one fact gives to decisions that are here; the rest waits until they are.

    Args:
        event: a fact of a kind that this version folds.
        numbers: of the decisions that the fact is about.
    """
    here = [numbers[each] for each in event.about if each in numbers]
    if not here or event.about[0] not in numbers:
        return
    said = {"scope": event.scope.id, "open": int(event.scope.open)}
    match Kind(event.kind):
        case Kind.DECISION_SUPERSEDED if "edge" in event.parts:
            yield from _reference(event, "supersedes", event.parts["edge"], here)
        case Kind.CITATION_ADDED:
            yield from _reference(event, "cites", event.parts.get("citation", {}), here)
        case Kind.SAME_AS | Kind.HELD_APART | Kind.CONFLICT_NOTED | Kind.CONFLICT_SETTLED if (
            len(here) == len(event.about) == 2
        ):
            first, second = (numbers[each] for each in sorted(event.about))
            yield "pairs", {"kind": PAIRS[Kind(event.kind)], "first": first, "second": second, **said}
        case Kind.OUTCOME_OBSERVED | Kind.OUTCOME_WITHDRAWN:
            order = {"lamport": event.lamport, "event": event.id}
            yield "votes", {"decision": here[0], **_vote(event), **said, **order}
        case _:
            pass  # of one decision, of none, or waiting


def _reference(event: Event, kind: str, named: Mapping[str, Any], here: Sequence[int]) -> Iterable[tuple[str, Row]]:
    order = {"lamport": event.lamport, "event": event.id}
    subject = here[0]
    for target in here[1:]:
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
    if channel := redaction.get("channel"):
        yield "forgotten", {"kind": "channel", "source": channel["source"], "anchor": channel["id"]}
