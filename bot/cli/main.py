"""The commands that open the whole product, in typer; the quick ones are listed here and run elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

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

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Run it": ("demo", "run", "serve", "worker", "doctor"),
    "Ask and look up": ("ask", "list", "show", "history", "heads", "as-of", "conflicts"),
    "Record": ("record", "ingest", "import", "backfill", "webhooks", "outcome", "apart"),
    "With coding assistants and in reviews": ("hook", "none", "mcp", "preflight"),
    "Share, hand over, take out": ("sync", "export", "forget"),
    "Look after the memory": ("follow", "rebuild", "verify", "digest", "eval", "bench"),
}
"""Every command, by what it is for, in the order of the help."""
_LONGEST = max(len(name) for names in GROUPS.values() for name in names)


class _Grouped(TyperGroup):
    """The commands in their groups, each with its whole line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # their types are private to typer
        """Write the list."""
        del ctx
        for title, names in GROUPS.items():
            told = [(f"{name:{_LONGEST}}", self.commands[name].get_short_help_str(limit=1_000)) for name in names]
            with formatter.section(title):
                formatter.write_dl(told)


app = typer.Typer(
    name="why",
    cls=_Grouped,
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
