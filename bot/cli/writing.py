"""`why record`, `why outcome`, `why rebuild`: a person's own words on the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot import app as product
from bot.cli.frame import FAILED, OK, Misused, guarded, leave, put, scope_named, settings_of, tell
from bot.cli.importing import AsJson, VisibleTo, follow
from bot.cli.progress import progress_bar
from bot.decision_shape import decision_lines, show_json, title_line
from bot.errors import UnreadableDocument, WrongInput
from bot.ingest import Audience, admission_of
from bot.sources.records import record_from
from store import EVERYTHING, WORKSPACE, Decision, Person, Verdict

if TYPE_CHECKING:
    from store import Memory

OPERATOR = "the operator"
"""Who acts at the terminal unless they say their name."""


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("record")(_record)
    app.command("outcome")(_outcome)
    app.command("rebuild")(_rebuild)


def _several(name: str, help_text: str, metavar: str) -> Any:
    flags = _and_one(name) if name.endswith("s") and name != "supersedes" else _flags(name)
    return typer.Option(*flags, help=f"{help_text} May be given several times.", metavar=metavar)


def _one(name: str, help_text: str, metavar: str) -> Any:
    return typer.Option(*_flags(name), help=help_text, metavar=metavar)


def _flags(name: str) -> tuple[str, ...]:
    """Return an ingest field as an option, spelt with hyphens or as the field itself."""
    hyphened = f"--{name.replace('_', '-')}"
    return (hyphened,) if "_" not in name else (hyphened, f"--{name}")


def _and_one(name: str) -> tuple[str, ...]:
    """Return the options of an ingest field that holds several, of which each is given by itself: `--set`, `--link`."""
    return tuple(each for flag in _flags(name) for each in (flag, flag.removesuffix("s")))


def _record(
    title: Annotated[str, _one("title", "What was decided.", "TEXT")],
    rationale: Annotated[str, _one("rationale", "Why, in the deciders' words.", "TEXT")] = "",
    status: Annotated[str, _one("status", "What was said of it.", "accepted|rejected|proposed|withdrawn")] = "accepted",
    decided_on: Annotated[str, _one("decided_on", "The day on which it was decided; today if left out.", "DATE")] = "",
    decided_by: Annotated[list[str] | None, _several("decided_by", "Who decided.", "NAME")] = None,
    elements: Annotated[list[str] | None, _several("elements", "What it is about.", "KIND:NAME")] = None,
    sets: Annotated[list[str] | None, _several("sets", "What it sets.", "KIND:NAME.PROPERTY=VALUE")] = None,
    links: Annotated[list[str] | None, _several("links", "What it links.", '"FROM RELATION TO"')] = None,
    unlinks: Annotated[list[str] | None, _several("unlinks", "Links that it ends.", '"FROM RELATION TO"')] = None,
    alternatives: Annotated[
        list[str] | None, _several("alternatives", "What was not chosen, and why.", '"OPTION: REASON"')
    ] = None,
    trade_offs: Annotated[list[str] | None, _several("trade_offs", "What it costs.", "TEXT")] = None,
    edge_cases: Annotated[list[str] | None, _several("edge_cases", "Where it needs care.", "TEXT")] = None,
    tags: Annotated[list[str] | None, _several("tags", "A word to find it by.", "WORD")] = None,
    confidence: Annotated[float | None, _one("confidence", "How sure, from 0 to 1.", "NUMBER")] = None,
    revisit_when: Annotated[str, _one("revisit_when", "When to look again.", "TEXT")] = "",
    ref: Annotated[str, _one("ref", "The source's own name for it, unique in the workspace.", "REF")] = "",
    permalink: Annotated[str, _one("permalink", "Where it is written.", "URL")] = "",
    scope: Annotated[str, _one("scope", "Who may read it.", "public|private:CHANNEL")] = "",
    evidence: Annotated[list[str] | None, _several("evidence", "Words that it rests on.", "QUOTE")] = None,
    text: Annotated[str, _one("text", "The source's text.", "TEXT")] = "",
    supersedes: Annotated[list[str] | None, _several("supersedes", "What it replaces.", "ID|REF")] = None,
    cites: Annotated[list[str] | None, _several("cites", "What it rests on.", "ID|REF")] = None,
    outcome: Annotated[str, _one("outcome", "What came of it.", "worked|failed")] = "",
    visible_to: VisibleTo = "workspace",
    as_json: AsJson = False,
) -> None:
    """Record one decision."""
    fields: dict[str, object] = {
        "title": title, "rationale": rationale, "status": status, "decided_on": decided_on, "decided_by": decided_by,
        "elements": elements, "alternatives": [_alternative(one) for one in alternatives or ()],
        "trade_offs": trade_offs, "edge_cases": edge_cases, "tags": tags, "confidence": confidence,
        "revisit_when": revisit_when, "ref": ref, "permalink": permalink, "scope": scope, "evidence": evidence,
        "text": text, "outcome": outcome,
    }  # fmt: skip
    links_given = {"links": links, "unlinks": unlinks}
    named = {"supersedes": supersedes, "cites": cites}
    leave(guarded(lambda: _run_record(fields, sets or [], links_given, named, visible_to=visible_to, as_json=as_json)))


def _run_record(
    fields: dict[str, object],
    sets: list[str],
    links: dict[str, list[str] | None],
    named: dict[str, list[str] | None],
    *,
    visible_to: str,
    as_json: bool,
) -> int:
    settings = settings_of()
    with product.opened(settings, index="own") as parts:
        try:
            given = {**fields, "sets": _sets(sets), **{name: _triples(name, links[name]) for name in links}}
            given["decided_on"] = given["decided_on"] or parts.clock().date().isoformat()
            given |= {name: [_whole(parts.memory, one) for one in named[name] or ()] for name in named}
            record = record_from(given)
        except UnreadableDocument as error:
            raise Misused(str(error)) from error
        default = WORKSPACE if visible_to == "workspace" else scope_named(parts.memory, visible_to)
        audience = Audience(channel_scope=lambda channel: scope_named(parts.memory, channel), default=default)
        admitted = parts.memory.admit(admission_of(record, audience.of(record), recorded_from="record"))
        if admitted.refused:
            raise WrongInput("; ".join(admitted.refused))
        ids = (*admitted.new, *admitted.revised, *admitted.unchanged, *(one.id for one in admitted.decisions))
        decision = parts.memory.decision(ids[0], EVERYTHING) if ids else None
        if decision is None:
            raise WrongInput("nothing was recorded")
        if not admitted.new and not admitted.revised:
            tell("recorded already: nothing was added")
        follow(parts.memory)
        votes = parts.memory.votes(decision.id, EVERYTHING)
        put(show_json(decision, votes), lambda: _recorded_lines(parts.memory, decision), as_json=as_json)
    return OK


def _recorded_lines(memory: Memory, decision: Decision) -> list[str]:
    """Return title, why, what it sets and what it replaces, by title."""
    lines = [f"Recorded: {decision.title}"]
    if decision.rationale:
        lines.append(f"  Why:         {decision.rationale}")
    lines += [f"  Sets:        {element}.{name} = {value}" for element, name, value in decision.sets]
    replaced = memory.decisions_by_ids(decision.supersedes, EVERYTHING)
    lines += [f"  Replaces:    {title_line(one)}" for one in replaced]
    return [*lines, f"  Id:          {decision.id}"]


def _whole(memory: Memory, named: str) -> str:
    """Return the whole id that the beginning of one means; a ref, and what is not recorded yet, as it is."""
    found = memory.decision(named, EVERYTHING)
    return found.id if found is not None and found.id.startswith(named) else named


def _sets(texts: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise Misused(f"--sets {text!r}: not KIND:NAME.PROPERTY=VALUE")
        if values.setdefault(name.strip(), value.strip()) != value.strip():
            raise Misused(f"--sets {text!r}: {name.strip()} is set twice")
    return values


def _triples(name: str, texts: list[str] | None) -> list[list[str]]:
    triples = [text.split() for text in texts or ()]
    for words, text in zip(triples, texts or (), strict=True):
        if len(words) != 3:
            raise Misused(f'--{name} {text!r}: not "FROM RELATION TO"')
    return triples


def _alternative(text: str) -> dict[str, str]:
    option, _, reason = text.partition(": ")
    return {"option": option.strip(), "reason": reason.strip()}


def _outcome(
    decision: Annotated[str, typer.Argument(metavar="ID", help="A decision's id or ref.")],
    verdict: Annotated[str, typer.Argument(metavar="worked|failed", help="What came of it.")],
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who says so.")] = "",
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="In their words.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say what came of a decision. One voice a person, the latest stands."""
    leave(guarded(lambda: _run_outcome(decision, verdict, by=by or OPERATOR, reason=reason, as_json=as_json)))


def _run_outcome(named: str, verdict: str, *, by: str, reason: str, as_json: bool) -> int:
    if verdict not in {one.value for one in Verdict}:
        raise Misused(f"{verdict!r} is neither worked nor failed")
    from bot.feedback import vote

    settings = settings_of()
    with product.opened(settings, index="read") as parts:
        voted = vote(
            parts.memory,
            named,
            Person(name=by),
            Verdict(verdict),
            reader=EVERYTHING,
            occasion=f"terminal:{by}:{named}:{verdict}",
            at=parts.clock(),
            reason=reason,
            follow_up=True,
        )
        if voted is None:
            raise WrongInput(f"{named}: no decision of that id or ref")
        votes = parts.memory.votes(voted.decision.id, EVERYTHING)
        put(show_json(voted.decision, votes), lambda: decision_lines(voted.decision), as_json=as_json)
    return OK


def _rebuild(as_json: AsJson = False) -> None:
    """Make everything that follows from the log anew. The tables are dropped first, and the vectors."""
    leave(guarded(lambda: _run_rebuild(as_json=as_json)))


def _run_rebuild(*, as_json: bool) -> int:
    with product.opened(settings_of(), index="own") as parts:
        with progress_bar("events") as moved:
            report = parts.memory.rebuild(moved)
        followed = follow(parts.memory)
    document = {
        "events": report.events,
        "decisions": report.decisions,
        "seconds": round(report.seconds, 3),
        "notes": list(report.notes),
    }
    put(
        document,
        lambda: [
            f"{report.decisions:,} decisions from {report.events:,} events in {report.seconds:.1f} s",
            *report.notes,
        ],
        as_json=as_json,
    )
    return OK if followed else FAILED
