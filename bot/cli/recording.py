"""The quick commands that write: record, ingest, outcome. They load the log's side of the memory and no more.

Where the database must be made first, or carried forward from an older version, they open the whole product.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bot.cli.apart import APART
from bot.cli.background import follow_later
from bot.cli.frame import FAILED, JSON, OK, Misused, existing, guarded, put, settings_of, tell
from bot.cli.outcome import OUTCOME
from bot.cli.progress import progress_bar
from bot.cli.recorder import Command, opened_to_record
from bot.decision_shape import hanging, show_json, title_line
from bot.errors import UnreadableDocument, WrongInput
from bot.ingest import Ingested, admission_of, ingest_lines
from bot.settings import Settings
from bot.sources.records import record_from
from store import EVERYTHING, Decision, Status

if TYPE_CHECKING:
    from store import Admission, Recording

_Arguments = argparse.ArgumentParser


def run(arguments: Sequence[str]) -> int:
    """Run one of these commands given by its words; returns the exit code."""
    command = COMMANDS[arguments[0]]
    parser = _Arguments(prog=f"why {arguments[0]}", description=command.summary, allow_abbrev=False)
    command.arguments(parser)
    parser.add_argument(JSON.flag, action="store_true", dest="as_json", help=JSON.help)
    given = parser.parse_args(list(arguments[1:]))
    return guarded(lambda: command.run(given))


def summaries() -> list[tuple[str, str]]:
    """Return each of these commands with its line in the help."""
    return [(name, command.summary) for name, command in COMMANDS.items()]


# --- record -----------------------------------------------------------------------------------

_ONE: Mapping[str, tuple[str, str]] = {
    "title": ("TEXT", "What was decided."),
    "rationale": ("TEXT", "Why, in the deciders' words."),
    "status": ("accepted|rejected|proposed|withdrawn", "What was said of it."),
    "decided_on": ("DATE", "The day on which it was decided; today if left out."),
    "confidence": ("NUMBER", "How sure, from 0 to 1."),
    "revisit_when": ("TEXT", "When to look again."),
    "ref": ("REF", "The source's own name for it, unique in the workspace."),
    "permalink": ("URL", "Where it is written."),
    "scope": ("public|private:CHANNEL", "Who may read it."),
    "text": ("TEXT", "The source's text."),
    "outcome": ("worked|failed", "What came of it."),
}
_SEVERAL: Mapping[str, tuple[str, str]] = {
    "decided_by": ("NAME", "Who decided."),
    "elements": ("KIND:NAME", "What it is about."),
    "sets": ("KIND:NAME.PROPERTY=VALUE", "What it sets."),
    "links": ('"FROM RELATION TO"', "What it links."),
    "unlinks": ('"FROM RELATION TO"', "Links that it ends."),
    "alternatives": ('"OPTION: REASON"', "What was not chosen, and why."),
    "trade_offs": ("TEXT", "What it costs."),
    "edge_cases": ("TEXT", "Where it needs care."),
    "tags": ("WORD", "A word to find it by."),
    "evidence": ("QUOTE", "Words that it rests on."),
    "supersedes": ("ID|REF", "What it replaces."),
    "cites": ("ID|REF", "What it rests on."),
}


def _record_arguments(parser: _Arguments) -> None:
    for name, (metavar, summary) in _ONE.items():
        kind = float if name == "confidence" else str
        parser.add_argument(
            *_flags(name), dest=name, type=kind, metavar=metavar, help=summary, required=name == "title"
        )
    for name, (metavar, summary) in _SEVERAL.items():
        help_text = f"{summary} May be given several times."
        flags = _and_one(name) if name.endswith("s") and name != "supersedes" else _flags(name)
        parser.add_argument(*flags, dest=name, action="append", default=[], metavar=metavar, help=help_text)
    _visible_to(parser)


def _flags(name: str) -> tuple[str, ...]:
    """Return an ingest field as an option, spelt with hyphens or as the field itself."""
    hyphened = f"--{name.replace('_', '-')}"
    return (hyphened,) if "_" not in name else (hyphened, f"--{name}")


def _and_one(name: str) -> tuple[str, ...]:
    """Return the options of an ingest field that holds several, of which each is given by itself: `--set`, `--link`."""
    return tuple(each for flag in _flags(name) for each in (flag, flag.removesuffix("s")))


def _visible_to(parser: _Arguments) -> None:
    parser.add_argument(
        "--visible-to",
        default="workspace",
        metavar="workspace|CHANNEL",
        help="Who may read what doesn't say so itself.",
    )


def _record(given: argparse.Namespace) -> int:
    settings = settings_of()
    if settings.url:
        return _record_there(given, settings)
    with opened_to_record(settings) as opened:
        memory = opened.memory
        try:
            record = record_from(_fields(given, memory))
        except UnreadableDocument as error:
            raise Misused(str(error)) from error
        scope = opened.audience(given.visible_to).of(record)
        admission = admission_of(record, scope, recorded_from="record")
        admitted = memory.admit(admission)
        if admitted.refused:
            raise WrongInput("; ".join(admitted.refused))
        ids = (*admitted.new, *admitted.revised, *admitted.unchanged, *(one.id for one in admitted.decisions))
        decision = memory.decision(ids[0], EVERYTHING) if ids else _stood_there(memory, admission)
        if decision is None:
            raise WrongInput("nothing was recorded: these words were read at this place before, and none stand there")
        if not admitted.new and not admitted.revised:
            tell("recorded already: no decision was added")
        votes = memory.votes(decision.id, EVERYTHING)
        put(show_json(decision, votes), lambda: _recorded_lines(memory, decision), as_json=given.as_json)
    follow_later(settings, len(admitted.new) + len(admitted.revised))
    return OK


def _record_there(given: argparse.Namespace, settings: Settings) -> int:
    """Record at the team's bot, for the workspace and in the name of the token's person."""
    from bot.cli.elsewhere import note_recorded, teams_memory  # HTTP, for those who have a bot

    if given.visible_to != "workspace":
        raise Misused("--visible-to: the bot of BACKSTORY_URL records for the workspace alone")
    document = teams_memory(settings).record({name: value for name, value in _given(given).items() if value})
    note_recorded()
    decision = document["decision"]
    lines = [f"Recorded: {decision['title']}", f"  Id:          {decision['id']}"]
    put(document, lambda: lines, as_json=given.as_json)
    return OK


def _stood_there(memory: Recording, admission: Admission) -> Decision | None:
    """Return what the same words recorded before, though another has replaced it or it was taken back since."""
    there = memory.at_place(admission.place.source, admission.place.anchor, EVERYTHING)
    titles = {each.title for each in admission.drafts}
    return next((one for one in reversed(there) if one.title in titles), None)


def _fields(given: argparse.Namespace, memory: Recording) -> dict[str, object]:
    """Return the fields of an ingest line, with whole ids."""
    fields = _given(given)
    for name in ("supersedes", "cites"):
        fields[name] = [_whole(memory, name, one) for one in getattr(given, name)]
    return fields


def _given(given: argparse.Namespace) -> dict[str, object]:
    """Return the fields of an ingest line."""
    fields: dict[str, object] = {name: getattr(given, name) for name in (*_ONE, *_SEVERAL)}
    fields["sets"] = _sets(given.sets)
    fields["alternatives"] = [_alternative(one) for one in given.alternatives]
    fields["decided_on"] = given.decided_on or datetime.now(UTC).date().isoformat()
    for name in ("links", "unlinks"):
        fields[name] = _triples(name, getattr(given, name))
    return fields


def _recorded_lines(memory: Recording, decision: Decision) -> list[str]:
    """Return title, why, what it sets and what it replaces, by title."""
    said = "" if decision.status is Status.ACCEPTED else f"  ({decision.status.value})"
    lines = [f"Recorded: {decision.title}{said}"]
    if decision.rationale:
        lines.append(f"  Why:         {hanging(decision.rationale)}")
    lines += [f"  Sets:        {element}.{name} = {value}" for element, name, value in decision.sets]
    replaced = memory.decisions_by_ids(decision.supersedes, EVERYTHING)
    lines += [f"  Replaces:    {title_line(one)}" for one in replaced]
    return [*lines, f"  Id:          {decision.id}"]


def _whole(memory: Recording, option: str, named: str) -> str:
    """Return the whole id that the beginning of one means; a ref, and what is not recorded yet, as it is."""
    found = memory.decision(named, EVERYTHING)
    if found is None:
        tell(f"why: --{option} {named}: nothing is recorded under that id or ref yet; it counts from when it is")
    return found.id if found is not None and found.id.startswith(named) else named


def _sets(texts: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise Misused(f"--sets {text!r}: not KIND:NAME.PROPERTY=VALUE")
        if values.setdefault(name.strip(), value.strip()) != value.strip():
            raise Misused(f"--sets {text!r}: {name.strip()} is set twice")
    return values


def _triples(name: str, texts: Sequence[str]) -> list[list[str]]:
    triples = [text.split() for text in texts]
    for words, text in zip(triples, texts, strict=True):
        if len(words) != 3:
            raise Misused(f'--{name} {text!r}: not "FROM RELATION TO"')
    return triples


def _alternative(text: str) -> dict[str, str]:
    option, _, reason = text.partition(": ")
    return {"option": option.strip(), "reason": reason.strip()}


# --- ingest -----------------------------------------------------------------------------------


def _ingest_arguments(parser: _Arguments) -> None:
    parser.add_argument("path", metavar="FILE.jsonl", help="One JSON object a line; - is standard input.")
    _visible_to(parser)


def _ingest(given: argparse.Namespace) -> int:
    settings = settings_of()
    started = time.monotonic()
    with _lines_of(given.path) as lines, opened_to_record(settings) as opened:
        audience = opened.audience(given.visible_to)
        with progress_bar("records") as moved:
            done = ingest_lines(opened.memory, lines, audience, progress=moved)
    seconds = time.monotonic() - started
    for line in (*done.notices, *done.problems):
        tell(f"{given.path}: {line}")
    document = {**done.document(), "seconds": round(seconds, 3)}
    put(document, lambda: [_ingested_line(done, seconds)], as_json=given.as_json)
    sys.stdout.flush()  # whoever waits for the document needn't wait for the vectors
    follow_later(settings, done.decisions)
    return FAILED if done.problems else OK


def _ingested_line(done: Ingested, seconds: float) -> str:
    return (
        f"{_of(done.lines, 'line')}: {_of(done.decisions, 'decision')} recorded, {done.already_known:,} known already,"
        f" {done.refused:,} refused; {seconds:.1f} s"
    )


def _of(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


@contextmanager
def _lines_of(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield sys.stdin.buffer
        return
    found = existing(path)
    if found.is_dir():
        raise Misused(f"{path}: a folder, where a file of JSON lines belongs")
    with Path(found).open("rb") as stream:
        yield stream


COMMANDS: dict[str, Command] = {
    "apart": APART,
    "ingest": Command(
        summary="Record decisions from a file, one a line. Broken lines are named and the good ones stay.",
        arguments=_ingest_arguments,
        run=_ingest,
    ),
    "record": Command(summary="Record one decision.", arguments=_record_arguments, run=_record),
    "outcome": OUTCOME,
}
"""Every one of these commands by name."""
