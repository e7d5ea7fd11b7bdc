"""`why backfill`: history from other systems' interfaces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, time
from typing import Annotated, Protocol

import typer

from bot import app as product
from bot.app import Parts
from bot.backfill import Tally, ThreadSource, WorkedOff, preview
from bot.cli.batches import BATCH, CANCEL_BATCH, Batched, read_all
from bot.cli.frame import JSON, Misused, audience_named, day_named, guarded, leave, settings_of, tell
from bot.cli.importing import follow, told
from bot.cli.progress import Moved, progress_bar, with_word
from bot.fetching import SYSTEMS, Api, Fetched, system_named
from bot.ports import Extractor

SLACK = "slack"
NAMES = (*SYSTEMS, SLACK)
TARGETS = "; ".join((*(f"{name}: {system.target}" for name, system in SYSTEMS.items()), f"{SLACK}: CHANNEL|all"))
SHARE_KNOWN = 0.02
"""Share of the way from which on it is said how many threads there will be."""


class History(ThreadSource, Protocol):
    """What another system has, as threads."""

    problems: list[str]

    @property
    def share(self) -> float:
        """How far it is, 0 to 1."""
        ...

    def as_captured(self, extractor: Extractor) -> Extractor:
        """Return who reads its threads."""
        ...

    @property
    def worked_off(self) -> WorkedOff:
        """What is told of each thread in its turn."""
        ...

    def ended(self) -> None:
        """Note that all of it was worked off."""
        ...


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("backfill")(_backfill)


def _backfill(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of: {', '.join(NAMES)}.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help=TARGETS)],
    visible_to: Annotated[str, typer.Option("--visible-to", metavar="workspace|CHANNEL", help="Who may read it.")] = "",
    since: Annotated[
        str, typer.Option("--since", metavar="DATE", help="What changed since; left out: since the last run.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would be read and what a model would use; write nothing.")
    ] = False,
    batch: Annotated[bool, typer.Option(BATCH.flag, help=BATCH.help)] = False,
    cancel_batch: Annotated[bool, typer.Option(CANCEL_BATCH.flag, help=CANCEL_BATCH.help)] = False,
    as_json: Annotated[bool, typer.Option(JSON.flag, help=JSON.help)] = False,
) -> None:
    """Capture the decisions of another system's history. What is known already is passed over.

    Slack says itself who may read what: it takes no --visible-to, and reads the channels that the bot is in.
    """
    batched = Batched(wanted=batch, cancel=cancel_batch)
    leave(
        guarded(
            lambda: _run(
                name, target, visible_to=visible_to, since=since, dry_run=dry_run, batched=batched, as_json=as_json
            )
        )
    )


def _run(name: str, target: str, *, visible_to: str, since: str, dry_run: bool, batched: Batched, as_json: bool) -> int:
    if name not in NAMES:
        raise Misused(f"{name}: can't be asked; there is {', '.join(NAMES)}")
    settings = settings_of()
    if name == SLACK and visible_to:
        tell("--visible-to is passed over: Slack says itself who may read it")
    named = datetime.combine(day_named(since, "--since"), time(), UTC) if since else None
    if name != SLACK:
        system_named(name, target, settings.credentials)
        if not visible_to:
            raise Misused(f"{name} doesn't say who may read it: add --visible-to workspace or --visible-to CHANNEL")
    with product.opened(settings, index="read" if dry_run else "own") as parts:
        opened = (
            _of_slack(parts, target, named, dry_run=dry_run)
            if name == SLACK
            else _of_system(parts, name, target, named, visible_to)
        )
        with opened as history, progress_bar("threads") as moved:
            tally = _tally(parts, history, moved, None if dry_run else batched)
        if not dry_run:
            follow(parts.memory)
    return told(tally, [*history.problems, *tally.problems], settings, dry_run=dry_run, as_json=as_json)


@contextmanager
def _of_system(parts: Parts, name: str, target: str, since: datetime | None, visible_to: str) -> Iterator[History]:
    credentials = parts.settings.credentials
    system = SYSTEMS[name]
    api = Api(
        system.base(credentials),
        headers=system.headers(credentials),
        auth=system.auth(credentials),
        pause=with_word(parts.pause),
        now=parts.clock,
    )
    scope = audience_named(parts.memory, visible_to)
    with closing(api):
        yield Fetched(system, api, target, scope=scope, since=since, kept=parts.memory.beside.backfills)


@contextmanager
def _of_slack(parts: Parts, target: str, since: datetime | None, *, dry_run: bool) -> Iterator[History]:
    history = product.slack_history(parts, target, since=since, counts=dry_run, pause=with_word(parts.pause))
    for notice in history.notices:
        tell(notice)
    yield history


def _tally(parts: Parts, history: History, moved: Moved, batched: Batched | None) -> Tally:
    """Read a history, or only count it where nobody says how it is to be read."""

    def progress(count: int) -> None:
        share = history.share
        moved(count, round(count / share) if share >= SHARE_KNOWN else None, about=share < 1)

    if batched is None:
        return preview(parts.memory, history, progress=progress)
    tally = read_all(
        parts,
        history,
        batched,
        progress=progress,
        as_captured=history.as_captured,
        worked_off=history.worked_off,
    )
    if not (batched.any and tally.left):
        history.ended()
    return tally
