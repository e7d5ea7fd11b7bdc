"""How `why import` and `why backfill` read what they found: one thread at a time, or in the model's batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.app import Parts
from bot.backfill import Progress, Tally, ThreadSource, WorkedOff, import_threads, not_noted
from bot.batching import AsCaptured, import_in_batches
from bot.cli.frame import Option, tell
from bot.errors import SettingsError
from bot.ports import Extractor
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

    @property
    def any(self) -> bool:
        """Whether batches are sent or ended."""
        return self.wanted or self.cancel


def _as_it_is(extractor: Extractor) -> Extractor:
    return extractor


def read_all(
    parts: Parts,
    source: ThreadSource,
    batched: Batched,
    *,
    progress: Progress,
    newest_first: bool = False,
    as_captured: AsCaptured = _as_it_is,
    worked_off: WorkedOff = not_noted,
) -> Tally:
    """Capture every thread of a source.

    Args:
        parts: the product.
        source: yields each thread once.
        batched: whether in batches.
        progress: told after each thread.
        newest_first: begin with the newest threads.
        as_captured: returns the extractor as the source lets it be.
        worked_off: told of each thread in the source's order; not by batches, which don't work threads off in it.

    Raises:
        SettingsError: batches are wanted, and there is no key.
    """
    if batched.any:
        return _in_batches(
            parts, source, batched, progress=progress, newest_first=newest_first, as_captured=as_captured
        )
    alone = _Alone(source, parts, worked_off) if parts.with_claude else source
    tally = import_threads(
        parts.memory,
        as_captured(parts.extractor),
        alone,
        pause=parts.pause,
        progress=progress,
        newest_first=newest_first,
        at_once=AT_ONCE if parts.with_claude else 1,
        worked_off=worked_off,
    )
    if isinstance(alone, _Alone) and alone.left:
        tally.threads += alone.left
        tally.left += alone.left
        tally.problems.append(
            f"{alone.left:,} of the threads are in a batch: {BATCH.flag} takes it in, {CANCEL_BATCH.flag} ends it"
        )
    return tally


def _in_batches(
    parts: Parts,
    source: ThreadSource,
    batched: Batched,
    *,
    progress: Progress,
    newest_first: bool,
    as_captured: AsCaptured,
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
            as_captured=as_captured,
        )
    except KeyboardInterrupt:
        tell("what was sent stays with Claude: the same command takes it up again, within 29 days")
        raise


class _Alone:
    """A source without the threads that are in a batch: read one by one as well, they would be paid twice."""

    def __init__(self, source: ThreadSource, parts: Parts, worked_off: WorkedOff) -> None:
        self.vocabulary = source.vocabulary
        self.left = 0
        self._source, self._worked_off = source, worked_off
        kept = parts.memory.beside.batches
        self._places = {(each.source, each.anchor) for batch in kept.all() for each in kept.threads(batch.id)}

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield each thread that is in no batch."""
        for thread in self._source.threads(newest_first=newest_first):
            if (thread.place.source, thread.place.anchor) in self._places:
                self.left += 1
                self._worked_off(thread, done=False)
            else:
                yield thread

    def stated(self, thread: Thread) -> Stated | None:
        """Return what a thread states by its form, as its source does."""
        return self._source.stated(thread)
