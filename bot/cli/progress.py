"""Long work: a progress bar on a terminal and silence everywhere else, behind a bot on the same machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol

ASIDE = 10
"""Niceness of long work: half-way down, so that a bot beside it acknowledges and answers first."""


SAID_FROM_S = 10.0
"""Seconds from which on it is said that another system is waited for."""


class Moved(Protocol):
    """Told how many are done, and of how many where that is known."""

    def __call__(self, count: int, total: int | None = None, /, *, about: bool = False) -> None:
        """Move the bar; `about` says that the total is an estimate."""
        ...


def _silent(count: int, total: int | None = None, /, *, about: bool = False) -> None:
    """Show nothing."""


@contextmanager
def progress_bar(what: str, *, total: int | None = None) -> Iterator[Moved]:
    """Show how many `what` are done on stderr, where that is a terminal; yield what is told the count."""
    _step_aside()
    if not sys.stderr.isatty():
        yield _silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total, left="")

        def moved(count: int, whole: int | None = None, /, *, about: bool = False) -> None:
            known = whole if whole is not None else total
            of_all = "" if known is None else f" of {'about ' * about}{known:,}"
            progress.update(task, completed=count, total=known, description=f"{what} {count:,}{of_all}")
            seconds = progress.tasks[0].time_remaining
            progress.update(task, left="" if seconds is None else f"{timedelta(seconds=round(seconds))} left")

        yield moved


def with_word(pause: Callable[[float], None]) -> Callable[[float], None]:
    """Return what waits so many seconds for another system, and says so on stderr where it takes a while."""

    def wait(seconds: float) -> None:
        if seconds >= SAID_FROM_S:
            print(f"asked to wait: going on in {seconds:,.0f} s", file=sys.stderr)
        pause(seconds)

    return wait


def _step_aside() -> None:
    """Let other processes go first, where the system knows such a thing; twice is once."""
    if sys.platform != "win32":
        os.setpriority(os.PRIO_PROCESS, 0, max(ASIDE, os.getpriority(os.PRIO_PROCESS, 0)))
