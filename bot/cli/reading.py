"""`why ask`, `why eval`, `why verify`, `why doctor`: questions to the memory and about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot import app as product
from bot.answer_shape import answer_json, answer_text
from bot.cli.doctor import checks
from bot.cli.doctor_slack import Check
from bot.cli.frame import (
    FAILED,
    OK,
    READER,
    Misused,
    day_named,
    existing,
    guarded,
    leave,
    put,
    reader_for,
    settings_of,
    tell,
)
from bot.cli.importing import AsJson
from bot.cli.progress import progress_bar
from bot.evaluate import PARTS, evaluate
from bot.ports import Answer
from store import EVERYTHING

ReaderName = Annotated[str, typer.Option(READER.flag, metavar=READER.metavar, help=READER.help)]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("ask")(_ask)
    app.command("eval")(_eval)
    app.command("digest")(_digest)
    app.command("verify")(_verify)
    app.command("doctor")(_doctor)


def _ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="In your own words.")],
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="What was in force on that day.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each decision stands where it stands.")] = False,
    reader: ReaderName = "public",
    as_json: AsJson = False,
) -> None:
    """Ask why; the answer cites who said so, where and when."""
    leave(guarded(lambda: _run_ask(question, as_of=as_of, explain=explain, reader=reader, as_json=as_json)))


def _run_ask(question: str, *, as_of: str | None, explain: bool, reader: str, as_json: bool) -> int:
    if not question.strip():
        raise Misused("the question is empty")
    day = None if as_of is None else day_named(as_of, "--as-of")
    with product.opened(settings_of(), index="read") as parts:
        who = reader_for(parts.memory, reader)
        answer = parts.answers.ask(question, who, as_of=day)
        put(answer_json(answer), lambda: _answer_lines(answer, explain=explain), as_json=as_json)
    return OK


def _answer_lines(answer: Answer, *, explain: bool) -> list[str]:
    lines = [answer_text(answer)]
    if answer.claims:
        lines.append(
            "worded by Claude from the messages above" if answer.worded_by else "quoted by rules; no model was asked"
        )
    return [*lines, *(_reasons(answer) if explain else [])]


def _reasons(answer: Answer) -> list[str]:
    """Return a line for each decision that was looked at, with the numbers of what it is cited by."""
    told: dict[str, str] = {}
    numbers: dict[str, str] = {}
    for line in (*answer.evidence, *answer.unconfirmed, *answer.nearest):
        one = line.decision
        numbers[one.id] = f"{numbers.get(one.id, '')}[{line.n}]"
        told[one.id] = f"{line.score:.3f} {one.title}: {', '.join(line.reasons) or 'no reasons kept'}"
    return ["", "Why each stands where it stands:", *(f"{numbers[name]} {text}" for name, text in told.items())]


def _eval(
    path: Annotated[str, typer.Argument(metavar="QUESTIONS.jsonl", help="One question a line, with what it expects.")],
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="NAME",
            help=f"Leave a part of recall out: {', '.join(PARTS)}. May be given several times.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure recall against questions whose answers are known."""
    leave(guarded(lambda: _run_eval(path, without=without or [], as_json=as_json)))


def _run_eval(path: str, *, without: list[str], as_json: bool) -> int:
    if unknown := set(without).difference(PARTS):
        raise Misused(f"--without {min(unknown)}: no part of recall; there is {', '.join(PARTS)}")
    lines = Path(existing(path)).read_text(encoding="utf-8-sig", errors="replace").splitlines()
    with product.opened(settings_of(), index="read") as parts, progress_bar("questions", total=len(lines)) as moved:
        report = evaluate(
            parts.memory,
            lines,
            progress=moved,
            readers=lambda name: reader_for(parts.memory, name),
            without=without,
        )
    broken = report.get("broken") or []
    for one in broken:
        tell(f"{path}: line {one['line']}: {one['rule']}")
    figures = [f"{name:<18} {value}" for name, value in report.items() if name not in ("per_question", "broken")]
    put(report, lambda: figures, as_json=as_json)
    return FAILED if broken else OK


def _digest(
    reader: Annotated[str, typer.Option(READER.flag, metavar=READER.metavar, help=READER.help)] = "all",
    as_json: AsJson = False,
) -> None:
    """One hash of the whole projected state."""
    leave(guarded(lambda: _run_digest(reader=reader, as_json=as_json)))


def _run_digest(*, reader: str, as_json: bool) -> int:
    with product.opened(settings_of(), index="off") as parts:
        who = EVERYTHING if reader == "all" else reader_for(parts.memory, reader)
        digest = parts.memory.digest(who)
    put({"digest": digest}, lambda: [digest], as_json=as_json)
    return OK


def _verify(as_json: AsJson = False) -> None:
    """Check the log's chain, and that every table follows from it."""
    leave(guarded(lambda: _run_verify(as_json=as_json)))


def _run_verify(*, as_json: bool) -> int:
    with product.opened(settings_of(), index="off") as parts:
        report = parts.memory.verify()
    document = {
        "clean": report.clean,
        "events": report.events,
        "decisions": report.decisions,
        "faults": [{"what": fault.what, "where": fault.where, "remedy": fault.remedy} for fault in report.faults],
        "notes": list(report.notes),
    }
    for fault in report.faults:
        tell(f"{fault.where}: {fault.what}; {fault.remedy}")
    word = "clean" if report.clean else f"{len(report.faults)} fault(s)"
    put(
        document,
        lambda: [f"{word}: {report.events:,} events, {report.decisions:,} decisions", *report.notes],
        as_json=as_json,
    )
    return OK if report.clean else FAILED


def _doctor(as_json: AsJson = False) -> None:
    """Check the set-up and say how to mend it."""
    leave(guarded(lambda: _run_doctor(as_json=as_json)))


def _run_doctor(*, as_json: bool) -> int:
    found: list[Check] = checks(settings_of())
    document = {"checks": [{"name": one.name, "state": one.state, "says": one.says} for one in found]}
    put(document, lambda: [f"{one.state:<6} {one.name:<10} {one.says}" for one in found], as_json=as_json)
    return FAILED if any(one.state == "wrong" for one in found) else OK
