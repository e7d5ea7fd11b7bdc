"""`why follow`: the vectors catch up with the log."""

from __future__ import annotations

from typing import Annotated

import typer

from bot import app as product
from bot.app import Parts
from bot.cli.frame import FAILED, JSON, OK, guarded, leave, put, settings_of, tell
from bot.cli.progress import progress_bar
from bot.settings import Settings
from store import StoreError

PATIENCE_S = 30
"""How long to wait for another owner of the index, who follows by itself or is just ending."""


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("follow")(_follow)


def _follow(as_json: Annotated[bool, typer.Option(JSON.flag, help=JSON.help)] = False) -> None:
    """Embed what was recorded since, so that it is found by its meaning. It may be stopped and started again."""
    leave(guarded(lambda: _run_follow(as_json=as_json)))


def _run_follow(*, as_json: bool) -> int:
    embedded, behind = follow_to_the_end(settings_of(), patience_s=PATIENCE_S)
    document = {"embedded": embedded, "behind": behind}
    ended = "the vectors are level with the log"
    lines = [f"{embedded:,} texts embedded; {f'{behind:,} changes are left' if behind else ended}"]
    put(document, lambda: lines, as_json=as_json)
    return FAILED if behind else OK


def follow_to_the_end(settings: Settings, *, patience_s: int = 0) -> tuple[int, int]:
    """Follow the log to its end; returns how many texts were embedded, and how many changes are left.

    What was recorded is committed before: an index that can't be written makes no failure of that. Another owner of
    the index follows by itself; for that much is waited.
    """
    with product.opened(settings, index="own") as parts, progress_bar("vectors") as moved:
        embedded = 0
        try:
            embedded += parts.memory.follow(moved)
            while patience_s and _behind(parts):
                parts.pause(1)
                embedded += parts.memory.follow(moved)
                patience_s -= 1
        except StoreError as error:
            tell(f"{error}; the log is whole, answers match by words until the vectors can follow it")
        return embedded, _behind(parts)


def _behind(parts: Parts) -> int:
    lag = parts.memory.index_lag()
    return 0 if lag is None else max(0, lag[1] - lag[0])
