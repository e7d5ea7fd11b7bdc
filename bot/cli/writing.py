"""`why rebuild`: everything that follows from the log, anew."""

from __future__ import annotations

import typer

from bot import app as product
from bot.cli.background import follow_later
from bot.cli.frame import FAILED, OK, guarded, leave, put, settings_of
from bot.cli.importing import AsJson, follow
from bot.cli.progress import progress_bar

AT_HAND = 1_000
"""Decisions up to which the command waits for their vectors, some 20 s; more are embedded in the background."""


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("rebuild")(_rebuild)


def _rebuild(as_json: AsJson = False) -> None:
    """Make everything that follows from the log anew, every hash checked; others read and record meanwhile."""
    leave(guarded(lambda: _run_rebuild(as_json=as_json)))


def _run_rebuild(*, as_json: bool) -> int:
    settings = settings_of()
    with product.opened(settings, index="own") as parts:
        with progress_bar("events") as moved:
            report = parts.memory.rebuild(moved)
        at_hand = report.decisions <= AT_HAND
        followed = follow(parts.memory) if at_hand else True
    if not at_hand:
        follow_later(settings, report.decisions)
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
