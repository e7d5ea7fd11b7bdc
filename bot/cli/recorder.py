"""What the quick commands that write share: how one is described, and the memory opened to record something."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.cli.frame import audience_named, scope_named
from bot.ingest import Audience
from bot.settings import Settings
from store import QuickRecorder

if TYPE_CHECKING:
    from store import Beside, Members, Recording


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One of these commands: its line in the help, its arguments, and what it does."""

    summary: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class Opened:
    """The memory, and what lies beside its log: only who asks for that pays for it."""

    def __init__(self, settings: Settings, memory: Recording, beside: Beside | None, endings: ExitStack) -> None:
        """Use `opened_to_record`."""
        self.memory = memory
        self._settings = settings
        self._beside = beside
        self._endings = endings

    @property
    def beside(self) -> Beside:
        """What lies beside the log."""
        if self._beside is None:
            from store import Beside

            self._beside = Beside.open(self._settings.home / "inbox.db")
            self._endings.callback(self._beside.close)
        return self._beside

    @property
    def members(self) -> Members:
        """Who is in which channel."""
        return self.beside.members

    def audience(self, visible_to: str) -> Audience:
        """Return who may read records: what they say themselves, else whoever `--visible-to` names."""
        return Audience(channel_scope=partial(scope_named, self), default=audience_named(self, visible_to))


@contextmanager
def opened_to_record(settings: Settings) -> Iterator[Opened]:
    """Open the memory to record something; the whole product where the database must be made first."""
    with ExitStack() as endings:
        if quick := None if settings.database_url else QuickRecorder.open(settings.home):
            endings.callback(quick.close)
            yield Opened(settings, quick, None, endings)
        else:
            from bot import app as product

            parts = endings.enter_context(product.opened(settings, index="off"))
            yield Opened(settings, parts.memory, parts.memory.beside, endings)
