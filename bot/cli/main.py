"""The commands that open the whole product, in typer; the quick ones are listed here and run elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from bot.cli import (
    assisting,
    backfilling,
    bench,
    cold,
    following,
    hooking,
    importing,
    reading,
    recording,
    rights,
    serving,
    syncing,
    webhooks,
    writing,
)
from bot.cli.frame import leave

app = typer.Typer(
    name="why",
    help="Why is it so? A memory of decisions: what was decided, why, and what came of it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(cold.version_text())
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Why is it so? A memory of decisions: what was decided, why, and what came of it."""


for room in (serving, importing, writing, following, rights, reading, bench, assisting, webhooks, backfilling):
    room.add_to(app)


def _add_quick(name: str, help_text: str, run: Callable[[Sequence[str]], int]) -> None:
    def command(context: typer.Context) -> None:
        leave(run([name, *context.args]))

    command.__doc__ = help_text
    app.command(
        name, context_settings={"ignore_unknown_options": True, "allow_extra_args": True}, add_help_option=False
    )(command)


for quick in (recording, syncing, hooking, cold):
    for quick_name, summary in quick.summaries():
        _add_quick(quick_name, summary, quick.run)
