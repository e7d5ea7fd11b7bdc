"""A decision as the JSON that others build on: the fields that `why ingest` reads, and what reading adds.

Standard library only, since the cold commands pass through here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime

from bot.decision_markdown import link_of
from store import Decision, DecisionId, Place, Quote, Scope, State, Status, Tombstone, Vote

SHORT_ID = 12
"""Digits of an id that lists show: enough that no two of a trillion begin alike."""

MOST_WHY_CHARS = 160
"""Two lines of a terminal; the whole reason is behind `why show`."""


def decision_json(one: Decision) -> dict[str, object]:
    """Return D of `why list --json`; `why ingest` reads it back."""
    return {
        "id": one.id,
        "ref": one.place.ref,
        "title": one.title,
        "rationale": one.rationale,
        "status": one.status.value,
        "state": one.state.value,
        "confirmed": one.confirmed,
        "decided_on": one.decided_on.isoformat() if one.decided_on else None,
        "decided_by": [person.name for person in one.decided_by],
        "elements": list(one.elements),
        "sets": {f"{element}.{name}": value for element, name, value in one.sets},
        "links": [list(link) for link in one.links],
        "unlinks": [list(link) for link in one.unlinks],
        "alternatives": [{"option": other.option, "reason": other.reason} for other in one.alternatives],
        "trade_offs": list(one.trade_offs),
        "edge_cases": list(one.edge_cases),
        "tags": list(one.tags),
        "confidence": one.confidence / 100,
        "revisit_when": one.revisit_when,
        "permalink": one.place.permalink,
        "link": link_of(one),
        "scope": scope_text(one.scope),
        "source": one.place.source,
        "anchor": one.place.anchor,
        "evidence": [quote_json(quote) for quote in one.evidence],
        "text": one.text,
        "supersedes": list(one.supersedes),
        "superseded_by": list(one.superseded_by),
        "cites": list(one.cites),
        "places": [place_json(place) for place in one.places],
        "outcome": one.voices.label.value if one.voices.label else None,
        "recorded_at": moment_text(one.recorded_at),
        "provenance": one.provenance,
    }


def show_json(
    one: Decision, votes: Sequence[Vote], erased: Tombstone | None = None, same: Sequence[Decision] = ()
) -> dict[str, object]:
    """Return the document of `why show` and `why record`: the decision and who said what came of it.

    `erased` is what is left of it, where its text was taken out; `same` is what other places state of it, for others
    to read.
    """
    return {
        "decision": decision_json(one),
        "evidence": [quote_json(quote) for quote in one.evidence],
        "supersedes": list(one.supersedes),
        "superseded_by": list(one.superseded_by),
        "cites": list(one.cites),
        "same_as": [{"id": each.id, "title": each.title, **place_json(each.place)} for each in same],
        "outcomes": [
            {
                "verdict": vote.verdict.value,
                "by": vote.voter.name,
                "counts": vote.counts,
                "reason": vote.reason,
                "at": moment_text(vote.at),
            }
            for vote in votes
        ],
        "erased": None if erased is None else tombstone_json(erased),
    }


def quote_json(quote: Quote) -> dict[str, object]:
    """Return one quote with who, when and where."""
    return {
        "quote": quote.quote,
        "author": quote.author,
        "at": moment_text(quote.at) if quote.at else None,
        "permalink": quote.permalink,
        "turn": quote.turn_id,
    }


def place_json(place: Place) -> dict[str, object]:
    """Return one place where a decision was said."""
    return {"source": place.source, "anchor": place.anchor, "permalink": place.permalink}


def scope_text(scope: Scope) -> str:
    """Return who could read it, as an ingest line says it: `public` or `private:CHANNEL_ID`."""
    return "public" if scope.open else f"private:{scope.id.removeprefix('channel:')}"


def moment_text(moment: datetime) -> str:
    """Return a moment in ISO 8601 with its zone."""
    return moment.isoformat().replace("+00:00", "Z")


def decision_lines(one: Decision, same: Sequence[Decision] = (), named: Sequence[Decision] = ()) -> list[str]:
    """Return a decision in words, for a terminal: the title first, then what is known of it and is the same.

    `named` is what it replaces, is replaced by or cites, as far as it may be read: it is told by its title.
    """
    titles = {each.id: f"  {each.title or '[erased]'}" for each in named}

    def others(ids: Iterable[DecisionId]) -> list[str]:
        return [f"{each[:SHORT_ID]}{titles.get(each, '')}" for each in ids]

    facts: list[tuple[str, Iterable[str]]] = [
        ("Why", [one.rationale]),
        ("Sets", [f"{element}.{name} = {value}" for element, name, value in one.sets]),
        ("About", one.elements),
        ("Links", [" ".join(link) for link in one.links]),
        (
            "Instead of",
            [f"{other.option} ({other.reason})" if other.reason else other.option for other in one.alternatives],
        ),
        ("Trade-offs", one.trade_offs),
        ("Edge cases", one.edge_cases),
        ("Look again", [one.revisit_when]),
        ("Decided by", [", ".join(person.name for person in one.decided_by)]),
        ("Replaces", others(one.supersedes)),
        ("Replaced by", others(one.superseded_by)),
        ("Cites", others(one.cites)),
        ("Said", [f'"{quote.quote}"' + (f" {quote.author}" if quote.author else "") for quote in one.evidence]),
        ("Since", [outcome_text(one)]),
        ("Where", [where_text(one.place)]),
        ("Also in", [where_text(each) for each in one.places[1:]]),
        ("Same as", [f"{each.id[:SHORT_ID]}  {each.title}, in {where_text(each.place)}" for each in same]),
        ("Id", [one.id]),
    ]
    return [
        title_line(one),
        *(f"  {name + ':':<12} {hanging(value)}" for name, values in facts for value in values if value),
    ]


def hanging(value: str) -> str:
    """Return a fact whose further lines stand under its first: none of them looks like another fact."""
    return f"\n{'':15}".join(value.strip().splitlines())


def where_text(place: Place) -> str:
    """Return where something is written, as somebody gets there."""
    return place.permalink or place.ref or place.anchor


def title_line(one: Decision) -> str:
    """Return day, title and whatever keeps a decision from being in force."""
    marks = [
        one.status.value if one.status.value != "accepted" else "",
        one.state.value if one.state.value != "current" else "",
    ]
    marks.append("" if one.confirmed else "not confirmed")
    shown = ", ".join(mark for mark in marks if mark)
    day = one.decided_on.isoformat() if one.decided_on else "----------"
    return f"{day}  {one.title or '[erased]'}" + (f"  ({shown})" if shown else "")


def outcome_text(one: Decision) -> str:
    """Return what came of it, as far as people said."""
    voices = one.voices
    counts = ((voices.worked + voices.pending_worked, "worked"), (voices.failed + voices.pending_failed, "didn't work"))
    said = "; ".join(f"{count} {'says' if count == 1 else 'say'} it {what}" for count, what in counts if count)
    label = voices.label.value if voices.label else ""
    return f"{label} ({said})" if label and said else label or said


def history_lines(element: str, decisions: Sequence[Decision], gaps: Sequence[Tombstone] = ()) -> list[str]:
    """Return how something came to be as it is: a count, then each decision, ● where it is in force, with its why.

    What was erased of it stands where it stood, as a line without words.
    """
    count = f"{len(decisions)} decision{'' if len(decisions) == 1 else 's'}"
    told: list[tuple[date, list[str]]] = []
    for one in decisions:
        in_force = one.state is State.CURRENT and one.status is Status.ACCEPTED and one.confirmed
        lines = [f"{'●' if in_force else ' '} {one.id[:SHORT_ID]}  {title_line(one)}"]
        if one.rationale:
            lines.append(f"{'':16}Why: {first_line(one.rationale)}")
        told.append((one.day, lines))
    told += [(one.day, [f"  {one.id[:SHORT_ID]}  {one.day}  [erased on {one.erased_at.date()}]"]) for one in gaps]
    told.sort(key=lambda each: each[0])
    erased = f", {len(gaps)} erased beside" if gaps else ""
    return [f"{element}: {count}, oldest first{erased}", *(line for _, lines in told for line in lines)]


def first_line(text: str) -> str:
    """Return the beginning of a text that may be pages long, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_WHY_CHARS else line[:MOST_WHY_CHARS].rsplit(" ", 1)[0] + "…"


def tombstone_json(one: Tombstone) -> dict[str, object]:
    """Return what is left of an erased decision."""
    return {
        "id": one.id,
        "day": one.day.isoformat(),
        "erased_at": moment_text(one.erased_at),
        "place": place_json(one.place),
        "captured_again": one.captured_again,
        "supersedes": list(one.supersedes),
        "superseded_by": list(one.superseded_by),
    }


def tombstone_lines(one: Tombstone) -> list[str]:
    """Return what is left of an erased decision, and that the gap is meant."""
    where = where_text(one.place)
    again = "" if one.captured_again or not where else "; it is not captured again"
    facts = [
        ("Erased", f"on {one.erased_at.date()}: what it said, who decided it and the words that it rested on"),
        ("Replaces", ", ".join(each[:SHORT_ID] for each in one.supersedes)),
        ("Replaced by", ", ".join(each[:SHORT_ID] for each in one.superseded_by)),
        ("Where", f"{where}{again}" if where else ""),
        ("Id", one.id),
    ]
    return [f"{one.day}  [erased]", *(f"  {name + ':':<12} {value}" for name, value in facts if value)]


def table_lines(decisions: Sequence[Decision]) -> list[str]:
    """Return one line a decision, in the order given, each with its short id."""
    return [f"{one.id[:SHORT_ID]}  {title_line(one)}" for one in decisions]
