"""`why backfill`: history from other systems' interfaces."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, time
from typing import Annotated

import typer

from bot import app as product
from bot.backfill import preview
from bot.cli.batches import BATCH, CANCEL_BATCH, Batched, read_all
from bot.cli.frame import JSON, Misused, audience_named, day_named, guarded, leave, settings_of
from bot.cli.importing import follow, told
from bot.cli.progress import progress_bar
from bot.fetching import SYSTEMS, Api, Fetched, system_named


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("backfill")(_backfill)


def _backfill(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of: {', '.join(SYSTEMS)}.")],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="; ".join(f"{n}: {s.target}" for n, s in SYSTEMS.items()))
    ],
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
    """Capture the decisions of another system's history. What is known already is passed over."""
    batched = Batched(wanted=batch, cancel=cancel_batch)
    leave(
        guarded(
            lambda: _run(
                name, target, visible_to=visible_to, since=since, dry_run=dry_run, batched=batched, as_json=as_json
            )
        )
    )


def _run(name: str, target: str, *, visible_to: str, since: str, dry_run: bool, batched: Batched, as_json: bool) -> int:
    settings = settings_of()
    system = system_named(name, target, settings.credentials)
    if not visible_to:
        raise Misused(f"{name} doesn't say who may read it: add --visible-to workspace or --visible-to CHANNEL")
    with product.opened(settings, index="read" if dry_run else "own") as parts:
        memory = parts.memory
        scope = audience_named(memory, visible_to)
        began = parts.clock()
        named = datetime.combine(day_named(since, "--since"), time(), UTC) if since else None
        api = Api(
            system.base(settings.credentials),
            headers=system.headers(settings.credentials),
            auth=system.auth(settings.credentials),
            pause=parts.pause,
            now=parts.clock,
        )
        last = named or memory.beside.backfills.read_at(name, target)
        problems: list[str] = []
        with closing(api), progress_bar("threads") as moved:
            history = Fetched(system, api, target, scope=scope, since=last)
            if dry_run:
                tally = preview(memory, history, progress=moved)
            else:
                tally = read_all(parts, history, batched, progress=moved)
            problems += [*history.problems, *tally.problems]
        if not dry_run and not problems and not tally.left:
            memory.beside.backfills.ended(name, target, began)
        if not dry_run:
            follow(memory)
    return told(tally, problems, settings, dry_run=dry_run, as_json=as_json)
