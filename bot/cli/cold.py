"""The cold commands: history, heads, as-of, conflicts, show, list. Read-only, straight from the database's file.

Nothing heavy is imported on this path (a test lists what is): no typer, no rich, no ORM, no vectors. The whole
process takes about as long as Python's own start.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bot.cli.frame import (
    JSON,
    OK,
    READER,
    Misused,
    argument_parser,
    day_named,
    guarded,
    printed,
    put,
    reader_named,
    settings_of,
    tell,
)
from bot.cli.located import in_repository
from bot.conflict_shape import conflict_json, conflict_lines
from bot.decision_markdown import LINK, markdown
from bot.decision_shape import (
    decision_json,
    decision_lines,
    history_lines,
    show_json,
    table_lines,
    tombstone_json,
    tombstone_lines,
)
from bot.element_shape import view_json, view_lines
from bot.errors import WrongInput
from bot.settings import Settings
from store import Decision, QuickMemory, Reader, State, quick_memory

WHAT = "kind:name, a name, its id, or the path of a file that it claims."
"""How an element may be named."""

MOST_LISTED = 10_000
"""What `why list` gives unless told otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One cold command: its line in the help, its arguments, and what it does."""

    summary: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, QuickMemory | None, Reader], int]
    """Does it and returns the exit code; there may be no memory yet."""


def run(arguments: Sequence[str]) -> int:
    """Run one cold command given by its words; returns the exit code."""
    command = COMMANDS[arguments[0]]
    parser = argument_parser(f"why {arguments[0]}", command.summary)
    command.arguments(parser)
    parser.add_argument(READER.flag, default="public", help=READER.help, metavar=READER.metavar)
    parser.add_argument(JSON.flag, action="store_true", dest="as_json", help=JSON.help)
    given = parser.parse_args([word.encode("utf-8", "replace").decode() for word in arguments[1:]])
    return guarded(lambda: _opened(command, given))


def summaries() -> list[tuple[str, str]]:
    """Return each cold command with its line in the help."""
    return [(name, command.summary) for name, command in COMMANDS.items()]


def version_text() -> str:
    """Return name and version."""
    from importlib.metadata import version  # 30 ms that nobody else needs

    return f"Backstory {version('backstory-slack')}"


def _opened(command: Command, given: argparse.Namespace) -> int:
    settings = settings_of()
    reader = reader_named(given.reader, lambda named: _person(settings, named))
    memory = quick_memory(settings.home, settings.servers)
    try:
        return command.run(given, memory, reader)
    finally:
        if memory is not None:
            memory.close()


def _person(settings: Settings, named: str) -> Reader | None:
    from store import beside_of  # memberships lie beside the log; only a named person's reader pays for it

    beside = beside_of(settings.home, settings.servers)
    if beside is None:
        return None
    try:
        person = beside.members.find_person(named)
        return None if person is None else beside.members.reader_of(person)
    finally:
        beside.close()


def _history_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("element", metavar="ELEMENT", help=WHAT)


def _history(given: argparse.Namespace, memory: QuickMemory | None, reader: Reader) -> int:
    asked = _asked(given.element, memory, reader)
    decisions = memory.history(asked, reader) if memory else ()
    claims = memory.claims(asked, reader) if memory and decisions and not memory.knows(asked, reader) else ()
    gaps = memory.gaps(decisions, reader) if memory else ()
    shown = asked.removeprefix("./")
    document = {
        "element": shown,
        "decisions": [decision_json(one) for one in decisions],
        "erased": [tombstone_json(one) for one in gaps],
    }
    lines = history_lines(shown, decisions, gaps) if decisions else [f"nothing recorded on {shown}"]
    lines[1:1] = [f"  claimed by {one.element}: {one.glob}" for one in claims]
    put(document, lambda: lines, as_json=given.as_json)
    return OK


def _asked(named: str, memory: QuickMemory | None, reader: Reader) -> str:
    """Return what is asked for: a name as it is, a file from where somebody stands as its path in its repository."""
    path = in_repository(named, Path.cwd())
    return named if path == named or memory is None or memory.knows(named, reader) else path


def _heads_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("elements", metavar="ELEMENT", nargs="+", help=WHAT)


def _heads(given: argparse.Namespace, memory: QuickMemory | None, reader: Reader) -> int:
    asked = [_asked(one, memory, reader) for one in given.elements]
    views = memory.heads(asked, reader) if memory else ()
    document = {"elements": [view_json(one) for one in views]}
    put(document, lambda: view_lines(views) or ["nothing recorded on that"], as_json=given.as_json)
    return OK


def _as_of_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("day", metavar="DATE", help="The day: YYYY-MM-DD.")
    parser.add_argument("elements", metavar="ELEMENT", nargs="*", help=f"{WHAT[:-1]}; all if left out.")


def _as_of(given: argparse.Namespace, memory: QuickMemory | None, reader: Reader) -> int:
    day = day_named(given.day, "as-of")
    if memory and not given.elements:
        return _whole_graph(given, memory, reader, day)
    asked = [_asked(one, memory, reader) for one in given.elements]
    views = memory.heads(asked, reader, as_of=day) if memory else ()
    document = {"elements": [view_json(one) for one in views]}
    about = f"{', '.join(given.elements)} on " if given.elements else ""
    put(document, lambda: view_lines(views) or [f"nothing in force on {about}{day}"], as_json=given.as_json)
    return OK


def _whole_graph(given: argparse.Namespace, memory: QuickMemory, reader: Reader, day: date) -> int:
    from bot.cli.graph import Wanted, put_graph  # other processes, for what is large

    settings = settings_of()
    wanted = Wanted(home=settings.home, servers=settings.servers, reader=reader, day=day, as_json=given.as_json)
    with memory.whole(reader, as_of=day) as graph:
        put_graph(graph, wanted, nothing=f"nothing in force on {day}")
    return OK


def _conflicts(given: argparse.Namespace, memory: QuickMemory | None, reader: Reader) -> int:
    found = memory.conflicts(reader) if memory else ()
    document = {"conflicts": [conflict_json(one) for one in found]}
    put(document, lambda: conflict_lines(found) or ["no conflicts"], as_json=given.as_json)
    return OK


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="An id, the first 7 digits of one or more, a ref, or a link.")
    parser.add_argument("--markdown", action="store_true", help="As an architecture decision record (MADR).")


def _show(given: argparse.Namespace, memory: QuickMemory | None, reader: Reader) -> int:
    decision = memory.decision(given.id.removeprefix(LINK), reader) if memory else None
    if memory is None or decision is None:
        raise WrongInput(f"{given.id}: no decision of that id or ref that you can read")
    votes = memory.votes(decision.id, reader)
    erased = None if decision.title else memory.tombstone(decision.id, reader)
    if given.markdown and given.as_json:
        raise Misused("--markdown and --json: choose one")
    if given.markdown:
        if erased:
            raise WrongInput(f"{given.id}: erased on {erased.erased_at.date()}; nothing is left of it to tell")
        print(printed(markdown(decision, votes=votes, others=_named_by(decision, memory, reader))), end="")
        return OK
    same = memory.same_elsewhere(decision.id, reader)
    lines = tombstone_lines(erased) if erased else decision_lines(decision, same, _named_by(decision, memory, reader))
    put(show_json(decision, votes, erased, same), lambda: lines, as_json=given.as_json)
    return OK


def _named_by(decision: Decision, memory: QuickMemory, reader: Reader) -> list[Decision]:
    """Return what a decision replaces, is replaced by or cites, as far as it may be read."""
    names = dict.fromkeys((*decision.supersedes, *decision.superseded_by, *decision.cites))
    return [one for name in names if (one := memory.decision(name, reader))]


def _count(text: str) -> int:
    """Return a number from 1 up; argparse says which option was wrong."""
    if not text.isascii() or not text.isdigit() or not int(text[:10]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 up")
    return int(text[:10])


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="DATE", help="Decided on that day or later.")
    parser.add_argument("--until", metavar="DATE", help="Decided on that day or earlier.")
    parser.add_argument("--element", default="", metavar="ELEMENT", help=f"About this alone: {WHAT}")
    parser.add_argument("--state", choices=[state.value for state in State], help="In this state alone.")
    parser.add_argument("--limit", type=_count, default=MOST_LISTED, metavar="N", help="At most that many.")


def _list(given: argparse.Namespace, memory: QuickMemory | None, reader: Reader) -> int:
    since = None if given.since is None else day_named(given.since, "--since")
    until = None if given.until is None else day_named(given.until, "--until")
    state = State(given.state) if given.state else None
    decisions: tuple[Decision, ...] = ()
    if memory is not None:
        element = _asked(given.element, memory, reader) if given.element else ""
        one_more = given.limit + 1
        decisions = memory.decisions(reader, since=since, until=until, element=element, state=state, limit=one_more)
    if len(decisions) > given.limit:
        decisions = decisions[: given.limit]
        tell(f"why: more than {given.limit:,} were found: --limit N lists more")
    document = {"decisions": [decision_json(one) for one in decisions]}
    narrowed = bool(given.since or given.until or given.element or given.state)
    nothing = "no decision is like that" if narrowed else "nothing recorded yet"
    put(document, lambda: table_lines(decisions) or [nothing], as_json=given.as_json)
    return OK


COMMANDS: dict[str, Command] = {
    "history": Command(
        summary="What was decided on something, oldest first.", arguments=_history_arguments, run=_history
    ),
    "as-of": Command(summary="What was in force on a day.", arguments=_as_of_arguments, run=_as_of),
    "conflicts": Command(
        summary="What stands side by side and can't both hold.", arguments=lambda parser: None, run=_conflicts
    ),
    "heads": Command(summary="What is in force on one thing or several.", arguments=_heads_arguments, run=_heads),
    "list": Command(summary="Decisions, newest first.", arguments=_list_arguments, run=_list),
    "show": Command(
        summary="One decision: what, why, instead of what, who, what came of it.",
        arguments=_show_arguments,
        run=_show,
    ),
}
"""Every cold command by name."""
