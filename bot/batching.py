"""Backfill in batches: the threads that need reading are read together, at half the price, within a day.

What is remembered beside the log is which threads are in which batch, before it is sent (`bot.batch_desk`): a run that
was stopped or killed at any point finds its batch again by the same command, and no thread is in two. Idempotency keys:
a thread's custom id (place, basis and the words shown) for being asked, its place and basis for being admitted. A batch
is cut to what the month bears; what is over goes into another one, once the first is settled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.backfill import (
    OVER_BUDGET,
    Progress,
    Tally,
    ThreadSource,
    capture_once,
    replaced_by_form,
    say_replaced,
)
from bot.batch_desk import BatchDesk, Said
from bot.budget import Budget
from bot.errors import ModelAway, NoSuchBatch, Permanent
from bot.ports import BatchReader, BatchRequest, BatchResult, Extraction, Extractor, Usage
from bot.proposing import Watched
from store import Batch, BatchedThread, DecisionId, Thread, Vocabulary, failpoints

if TYPE_CHECKING:
    from store import Memory

WORTH_ANOTHER = 20
"""Threads that a further batch of the same run has to bear: for fewer nobody waits another hour."""
CANCELLED = "nothing new was sent, since batches are being cancelled"
ANOTHER_RUN = "another run is putting the same threads into a batch: the rest is left for the next run"
AsCaptured = Callable[[Extractor], Extractor]
CHANGED = "changed while the batch was under way: read anew by the next run"
_LEFT = {
    "expired": "the batch's day was over before their turn",
    "canceled": "their batch was cancelled",
}
_ASKED_FOR = (CANCELLED, _LEFT["canceled"])
"""Reasons that are no failure: somebody wanted it so."""


def import_in_batches(
    memory: Memory,
    reader: BatchReader,
    source: ThreadSource,
    *,
    budget: Budget,
    clock: Callable[[], datetime],
    pause: Callable[[float], None],
    progress: Progress = lambda count: None,
    said: Said = lambda line: None,
    newest_first: bool = False,
    cancel: bool = False,
    as_captured: AsCaptured = lambda extractor: extractor,
) -> Tally:
    """Capture every thread of a source as `bot.backfill.import_threads` does, reading them in batches.

    Args:
        memory: where decisions go.
        reader: the model's batches.
        source: yields each thread once, and its vocabulary.
        budget: what the month bears; never passed.
        clock: aware now.
        pause: waits that many seconds between looks at a batch.
        progress: told how many threads were looked at.
        said: told when a batch is sent, how far it is, and how it ended.
        newest_first: begin with the newest threads; the outcome is the same.
        cancel: send nothing; end the batches of these threads early, and take in what they have.
        as_captured: returns the extractor as the source lets it be.
    """
    desk = BatchDesk(memory, reader, budget=budget, clock=clock, pause=pause, said=said)
    run = _Run(memory, reader, source, desk, progress, as_captured)
    return run.through(source.threads(newest_first=newest_first), cancel=cancel)


class _Wanted(Exception):
    """A thread has to be read: this is what would be asked."""

    def __init__(self, request: BatchRequest) -> None:
        super().__init__(request.custom_id)
        self.request = request


class _Answering:
    """The extractor port over one result at a time: it is checked where it is the thread's, else it says what to ask.

    What a result cost is counted apart: it was billed whatever becomes of it.
    """

    def __init__(self, reader: BatchReader) -> None:
        self.name = reader.name
        self.result: BatchResult | None = None
        self._reader = reader

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Return what the result says of the thread.

        Raises:
            _Wanted: it is not this thread's.
            Permanent: it is no answer.
        """
        request = self._reader.request(thread, vocabulary)
        if self.result is None or self.result.custom_id != request.custom_id:
            raise _Wanted(request)
        return replace(self._reader.extraction(self.result, thread), usage=Usage())


class _Run:
    """One run over one source."""

    def __init__(
        self,
        memory: Memory,
        reader: BatchReader,
        source: ThreadSource,
        desk: BatchDesk,
        progress: Progress,
        as_captured: AsCaptured,
    ) -> None:
        self._memory, self._reader, self._source, self._desk = memory, reader, source, desk
        self._progress = progress
        self._tally, self._answering = Tally(), _Answering(reader)
        self._extractor = as_captured(self._answering)
        self._looked_at = 0
        self._closed = ""
        """Why nothing more is sent; "" while it is."""
        self._reasons: Counter[str] = Counter()
        self._replaced: dict[DecisionId, tuple[str, ...]] = {}
        self._watched = Watched(memory)
        self._queue: dict[str, tuple[BatchRequest, Thread]] = {}
        """What goes into the next batch, by custom id."""
        self._tokens = self._bytes = 0
        """The most that the queue can cost, and how long it is."""
        self._held: tuple[BatchRequest, Thread] | None = None
        """The first that the month doesn't bear beside the queue."""
        self._under_way: dict[str, Thread] = {}
        """What is in a batch, by custom id."""
        self._batches: dict[int, Batch] = {}
        self._of_place: dict[tuple[str, str], list[tuple[int, str]]] = {}
        self._seen: dict[int, set[str]] = {}
        """Of each batch, the custom ids of those whose places came by, in whatever version."""
        for batch, threads in desk.waiting().values():
            self._remember(batch, threads)

    def _remember(self, batch: Batch, threads: tuple[BatchedThread, ...]) -> None:
        self._batches[batch.id] = batch
        for each in threads:
            self._of_place.setdefault((each.source, each.anchor), []).append((batch.id, each.custom_id))

    def through(self, threads: Iterator[Thread], *, cancel: bool) -> Tally:
        """Go through all threads, and wait for what was sent; again, as long as the month bears what is left."""
        self._closed = CANCELLED if cancel else ""
        while True:
            self._scan(threads)
            self._send()
            involved = sorted(self._seen)
            for batch in involved:
                self._take_in(batch, cancel=cancel)
            if self._held is None and not self._queue:
                break
            if self._held is not None:
                another = WORTH_ANOTHER * self._held[0].most_tokens
                if not (involved and self._desk.bears(another)):
                    self._close(OVER_BUDGET)
        for reason, count in self._reasons.items():
            line = f"{count:,} {'thread is' if count == 1 else 'threads are'} left: {reason}"
            if reason in _ASKED_FOR:
                self._desk.tell(line)
            else:
                self._tally.problems.append(line)
        say_replaced(self._memory, self._replaced)
        self._tally.outcomes = self._watched.end()
        return self._tally

    def _scan(self, threads: Iterator[Thread]) -> None:
        """Look at threads until there are no more, or the month bears no more of them."""
        if self._held is not None:
            (request, thread), self._held = self._held, None
            self._want(request, thread)
        while self._held is None and (following := next(threads, None)) is not None:
            self._look(following)
            self._looked_at += 1
            self._progress(self._looked_at)

    def _look(self, thread: Thread) -> None:
        """Capture what needs no reading, and find out what does."""
        for batch, custom_id in self._of_place.get((thread.place.source, thread.place.anchor), ()):
            self._seen.setdefault(batch, set()).add(custom_id)
        try:
            self._capture(thread, None)
        except _Wanted as wanted:
            self._want(wanted.request, thread)

    def _want(self, request: BatchRequest, thread: Thread) -> None:
        """Put a thread where it will be answered: it is in a batch, comes into the next one, or is left."""
        id_ = request.custom_id
        if any(id_ == known for _, known in self._of_place.get((thread.place.source, thread.place.anchor), ())):
            self._under_way[id_] = thread
            return
        if self._closed:
            self._leave(self._closed)
            return
        full = len(self._queue) == self._reader.most_requests
        if full or self._bytes + request.size_bytes > self._reader.most_bytes:
            self._send()
        if not self._desk.bears(self._tokens + request.most_tokens):
            self._held = (request, thread)
            return
        self._queue[id_] = (request, thread)
        self._tokens += request.most_tokens
        self._bytes += request.size_bytes

    def _send(self) -> None:
        """Send what is queued; where that can't be done now, it is left for the next run."""
        if not self._queue:
            return
        queue, self._queue = self._queue, {}
        self._tokens = self._bytes = 0
        try:
            batch = self._desk.send(list(queue.values()))
            problem = ANOTHER_RUN
        except (ModelAway, Permanent) as error:
            batch, problem = None, str(error)
        if batch is None:
            self._close(problem)
            for _ in queue:
                self._leave(problem)
            return
        self._batches[batch.id], self._seen[batch.id] = batch, set(queue)
        self._under_way |= {id_: thread for id_, (_, thread) in queue.items()}

    def _take_in(self, number: int, *, cancel: bool) -> None:
        """Wait for a batch and admit what it found; what it didn't read is left for the next run."""
        over = self._seen.pop(number)
        batch = self._batches.pop(number)
        mine = {id_: thread for id_ in over if (thread := self._under_way.pop(id_, None)) is not None}
        try:
            ended = self._desk.ended(batch, cancel=cancel)
            if ended is None:
                self._forget_places(number)
                for thread in mine.values():
                    self._look(thread)
                return
            cost = Usage()
            for result in self._desk.results(ended):
                cost = cost + result.usage
                self._admit(result, mine.pop(result.custom_id, None))
            self._desk.finish(ended, cost, over=over)
        except NoSuchBatch as error:
            self._unknown(batch, error, cancel=cancel)
        except ModelAway as error:
            self._close(str(error))
            self._tally.problems.append(f"{error}; the batch goes on, the same command takes it up again")
        for _ in mine:
            self._tally.leave_for_next_run()

    def _unknown(self, batch: Batch, error: NoSuchBatch, *, cancel: bool) -> None:
        if batch.settled or cancel:
            self._desk.give_up(batch)
            return
        self._tally.problems.append(
            f"{error}, sent on {batch.noted_at:%d %B %Y}: is ANTHROPIC_API_KEY the one that it was sent with?"
            " --cancel-batch gives it up, and the next run reads its threads anew"
        )

    def _forget_places(self, number: int) -> None:
        for entries in self._of_place.values():
            entries[:] = [each for each in entries if each[0] != number]

    def _admit(self, result: BatchResult, thread: Thread | None) -> None:
        """Admit what one result says of its thread; None for one that did not come by in this version."""
        self._tally.spend(result.usage)
        self._tally.batched += result.usage.calls
        if thread is None:
            return
        if result.kind == "errored":
            self._tally.leave(thread, Permanent(f"Claude failed ({result.error})"))
        elif result.kind != "succeeded":
            self._leave(_LEFT[result.kind])
        else:
            try:
                self._capture(thread, result)
            except _Wanted:
                self._leave(CHANGED)
            except Permanent as error:
                self._tally.leave(thread, error)
        failpoints.hit("batch.admitted")

    def _capture(self, thread: Thread, result: BatchResult | None) -> None:
        self._answering.result = result
        captured = capture_once(self._memory, self._extractor, self._source, thread)
        self._tally.add(captured)
        self._watched.note(thread, captured.decisions)
        self._replaced |= replaced_by_form(self._source, thread, captured)

    def _leave(self, reason: str) -> None:
        self._tally.leave_for_next_run()
        self._reasons[reason] += 1

    def _close(self, reason: str) -> None:
        self._closed = self._closed or reason
