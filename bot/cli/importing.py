"""`why import`: history, in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bot import app as product
from bot.backfill import Tally, preview
from bot.cli.batches import BATCH, CANCEL_BATCH, Batched, read_all
from bot.cli.frame import FAILED, JSON, OK, Misused, audience_named, existing, guarded, leave, put, settings_of, tell
from bot.cli.progress import progress_bar
from bot.settings import Settings
from bot.sources.document import Documents
from bot.sources.git_history import GitHistory
from bot.sources.listed import SOURCES as DOCUMENTS
from bot.sources.slack_export import SlackExport
from store import StoreError

if TYPE_CHECKING:
    from store import Memory

SOURCES = tuple(sorted((*DOCUMENTS, GitHistory.name, SlackExport.name)))

VisibleTo = Annotated[
    str, typer.Option("--visible-to", metavar="workspace|CHANNEL", help="Who may read what doesn't say so itself.")
]
AsJson = Annotated[bool, typer.Option(JSON.flag, help=JSON.help)]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("import")(_import)


def _import(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A folder, a zip or a file.")],
    source: Annotated[str, typer.Option("--source", metavar="NAME", help=f"One of: {', '.join(SOURCES)}.")],
    visible_to: VisibleTo = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would be read; write nothing.")] = False,
    newest_first: Annotated[
        bool, typer.Option("--newest-first", help="Begin with the newest threads; the outcome is the same.")
    ] = False,
    batch: Annotated[bool, typer.Option(BATCH.flag, help=BATCH.help)] = False,
    cancel_batch: Annotated[bool, typer.Option(CANCEL_BATCH.flag, help=CANCEL_BATCH.help)] = False,
    as_json: AsJson = False,
) -> None:
    """Capture the decisions of an export or of documents. What is known already is passed over."""
    batched = Batched(wanted=batch, cancel=cancel_batch)
    leave(
        guarded(
            lambda: _run_import(
                path,
                source,
                visible_to=visible_to,
                dry_run=dry_run,
                newest_first=newest_first,
                batched=batched,
                as_json=as_json,
            )
        )
    )


def _run_import(
    path: str, source: str, *, visible_to: str, dry_run: bool, newest_first: bool, batched: Batched, as_json: bool
) -> int:
    if source not in SOURCES:
        raise Misused(f"--source {source}: no such source; there is {', '.join(SOURCES)}")
    settings = settings_of()
    where = existing(path)
    visible_to = _readers_named(where, source, visible_to)
    with (
        product.opened(settings, index="read" if dry_run else "own") as parts,
        _opened(where, source, parts.memory, settings, visible_to) as export,
    ):
        for notice in export.notices:
            tell(notice)
        if dry_run:
            with progress_bar("threads") as moved:
                tally = preview(parts.memory, export, progress=moved)
        else:
            if isinstance(export, SlackExport):
                remember_readers(parts.memory, export, live=bool(settings.slack_bot_token))
            with progress_bar("threads") as moved:
                tally = read_all(parts, export, batched, progress=moved, newest_first=newest_first)
            follow(parts.memory)
        problems = [*export.problems, *tally.problems]
    return told(tally, problems, settings, dry_run=dry_run, as_json=as_json)


def told(tally: Tally, problems: Sequence[str], settings: Settings, *, dry_run: bool, as_json: bool) -> int:
    """Say what an import did, or would do, and what stood in its way; returns the exit code."""
    for problem in problems:
        tell(problem)
    document = {**tally.document(), "dry_run": dry_run}
    if settings.price:
        document["cost"] = round(tally.cost(settings.price), 2)
        if dry_run:
            document["cost_in_batches"] = round(tally.cost(settings.price, batched=True), 2)
    put(document, lambda: _tally_lines(tally, settings.price, dry_run=dry_run), as_json=as_json)
    return FAILED if problems else OK


def _readers_named(where: Path, source: str, visible_to: str) -> str:
    """Return who may read what is imported, as `--visible-to` takes it; "" where the export says it itself.

    Decision records and commits of the repository in which the command runs are for the workspace: whoever has the
    code reads them.
    """
    if source == SlackExport.name:
        if visible_to:
            tell("--visible-to is passed over: a Slack export says itself who may read it")
        return ""
    repository = next((each for each in (Path.cwd(), *Path.cwd().parents) if (each / ".git").exists()), None)
    if (
        not visible_to
        and source in ("adr", "git")
        and repository
        and where.resolve().is_relative_to(repository.resolve())
    ):
        return "workspace"
    if not visible_to:
        raise Misused(
            f"--source {source} doesn't say who may read it: add --visible-to workspace or --visible-to CHANNEL"
        )
    return visible_to


def _opened(
    where: Path, source: str, memory: Memory, settings: Settings, visible_to: str
) -> SlackExport | Documents | GitHistory:
    if source == SlackExport.name:
        return SlackExport(where, blocked=settings.blocked_channels)
    scope = audience_named(memory, visible_to)
    return GitHistory(where, scope=scope) if source == "git" else Documents(where, DOCUMENTS[source], scope=scope)


def remember_readers(memory: Memory, export: SlackExport, *, live: bool) -> None:
    """Keep beside the log who the export's people are and which channels they read.

    Args:
        memory: where it is kept.
        export: opened.
        live: a bot keeps these facts from Slack itself; an export may be older, so it only adds what is unknown.
    """
    at = memory.clock()
    home_team = export.home_team
    members = memory.members
    people = [p for p in export.people.values() if not p.is_bot and not (live and members.find_person(p.id))]
    channels = [c for c in export.channels.values() if not (live and members.channel(c.id) is not None)]
    with members.noting() as noting:
        for person in people:
            external = bool(person.team and home_team and person.team != home_team)
            kind: Literal["member", "guest", "external"]
            kind = "guest" if person.guest else "external" if external else "member"
            noting.person(person.id, name=person.name, kind=kind, active=person.active, at=at)
        for channel in channels:
            noting.channel(channel.id, name=channel.name, open=channel.open, members=sorted(channel.members), at=at)


def follow(memory: Memory) -> bool:
    """Let the vectors catch up with the log, or leave that to whoever owns the index.

    What was recorded is committed before: an index that can't be written makes no failure of that, it catches up later.

    Returns:
        False where the vectors are behind the log, which is said on stderr.
    """
    if memory.index_role != "own":
        tell("the vector index belongs to another process, which follows by itself")
        return True
    try:
        with progress_bar("vectors") as moved:
            memory.follow(moved)
    except StoreError as error:
        tell(f"{error}; the log is whole, answers match by words until the vectors can follow it")
        return False
    return True


def _of(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _tally_lines(tally: Tally, price: tuple[float, float] | None, *, dry_run: bool) -> list[str]:
    if dry_run:
        to_read = tally.threads - tally.gated_out - tally.already_known - tally.forgotten
        return [
            f"{_of(tally.threads, 'thread')}: {to_read:,} would be read, {tally.already_known:,} are known already, "
            f"{tally.gated_out:,} hold no decision by the look of them",
            f"with a model: about {_used(tally, price)}{_halved(tally, price)}; without one: nothing",
        ]
    lines = [
        f"{_of(tally.threads, 'thread')}: {_of(tally.decisions, 'decision')} recorded, {tally.undecided:,} held none, "
        f"{tally.already_known:,} known already, {tally.gated_out:,} passed over"
    ]
    if tally.revised:
        lines.append(f"{tally.revised:,} of them in the place of an earlier wording")
    if tally.refused_quotes:
        lines.append(f"{_of(tally.refused_quotes, 'statement')} refused: no words there bear it out")
    if tally.said_again:
        lines.append(f"{_of(tally.said_again, 'decision')} said again elsewhere: why show ID lists the places")
    if tally.model_calls:
        lines.append(_used(tally, price))
    if tally.outcomes:
        are = "outcome is" if tally.outcomes == 1 else "outcomes are"
        lines.append(f"{tally.outcomes:,} {are} proposed: why outcome --proposed")
    if tally.left:
        lines.append(f"{_of(tally.left, 'thread')} left for the next run")
    return lines


def _halved(tally: Tally, price: tuple[float, float] | None) -> str:
    """Say what the same would cost in batches."""
    if not tally.model_calls:
        return ""
    cost = f"${tally.cost(price, batched=True):,.2f}" if price else "half the price"
    return f"; with {BATCH.flag}, within a day, {cost}"


def _used(tally: Tally, price: tuple[float, float] | None) -> str:
    cost = f", ${tally.cost(price):,.2f}" if price else ""
    return f"{_of(tally.model_calls, 'model call')}, {_of(tally.tokens, 'token')}{cost}"
