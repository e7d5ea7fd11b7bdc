"""How `why import` and `why backfill` read what they found: one thread at a time, or in the model's batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.app import Parts
from bot.backfill import Progress, Tally, ThreadSource, import_threads
from bot.batching import import_in_batches
from bot.cli.frame import Option, tell
from bot.errors import SettingsError
from bot.sources.document import Stated
from store import Thread

AT_ONCE = 4
"""Threads with the model at one time: as many as a small plan's rate limit bears."""
BATCH = Option(flag="--batch", help="Let Claude read in batches: half the price, an hour or so, a day at most.")
CANCEL_BATCH = Option(
    flag="--cancel-batch", help="End the batches of these threads early, take in what they have, send nothing."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batched:
    """Whether threads are read in batches."""

    wanted: bool
    cancel: bool


def read_all(
    parts: Parts, source: ThreadSource, batched: Batched, *, progress: Progress, newest_first: bool = False
) -> Tally:
    """Capture every thread of a source.

    Raises:
        SettingsError: batches are wanted, and there is no key.
    """
    if batched.wanted or batched.cancel:
        return _in_batches(parts, source, batched, progress=progress, newest_first=newest_first)
    alone = _Alone(source, parts) if parts.with_claude else source
    tally = import_threads(
        parts.memory,
        parts.extractor,
        alone,
        pause=parts.pause,
        progress=progress,
        newest_first=newest_first,
        at_once=AT_ONCE if parts.with_claude else 1,
    )
    if isinstance(alone, _Alone) and alone.left:
        tally.threads += alone.left
        tally.left += alone.left
        tally.problems.append(
            f"{alone.left:,} of the threads are in a batch: {BATCH.flag} takes it in, {CANCEL_BATCH.flag} ends it"
        )
    return tally


def _in_batches(
    parts: Parts, source: ThreadSource, batched: Batched, *, progress: Progress, newest_first: bool
) -> Tally:
    if parts.batches is None:
        raise SettingsError(f"ANTHROPIC_API_KEY: not set; {BATCH.flag} has Claude read")
    try:
        return import_in_batches(
            parts.memory,
            parts.batches,
            source,
            budget=parts.budget,
            clock=parts.clock,
            pause=parts.pause,
            progress=progress,
            said=tell,
            newest_first=newest_first,
            cancel=batched.cancel,
        )
    except KeyboardInterrupt:
        tell("what was sent stays with Claude: the same command takes it up again, within 29 days")
        raise


class _Alone:
    """A source without the threads that are in a batch: read one by one as well, they would be paid twice."""

    def __init__(self, source: ThreadSource, parts: Parts) -> None:
        self.vocabulary = source.vocabulary
        self.left = 0
        self._source = source
        kept = parts.memory.beside.batches
        self._places = {(each.source, each.anchor) for batch in kept.all() for each in kept.threads(batch.id)}

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield each thread that is in no batch."""
        for thread in self._source.threads(newest_first=newest_first):
            if (thread.place.source, thread.place.anchor) in self._places:
                self.left += 1
            else:
                yield thread

    def stated(self, thread: Thread) -> Stated | None:
        """Return what a thread states by its form, as its source does."""
        return self._source.stated(thread)
