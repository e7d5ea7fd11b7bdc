"""The model's batches of one memory: noted, sent, found again, waited for, settled.

A batch is noted before it is sent, with the most that it can cost set aside, and forgotten only after its cost is
counted. Between the two a process may end anywhere: a batch without the model's id is looked for among those that the
account made since, by its size and then by what it holds, before anything of it is sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bot.budget import Budget, Purpose
from bot.by_rules import LASTING_S
from bot.errors import MaybeSent, ModelAway, NoSuchBatch, Permanent
from bot.ports import BatchReader, BatchRequest, BatchResult, BatchState, Usage
from store import BATCH_DAYS, Batch, BatchedThread, Thread, failpoints

if TYPE_CHECKING:
    from store import Memory

MOST_TRIES = 4
MOST_PAUSE_S = 60.0
FIRST_LOOK_S, MOST_LOOK_S = 10.0, 60.0
"""Seconds between two looks at a batch: a small one is done within minutes, most within an hour."""
MOST_LOOKS = 30
"""Looks in a row that may fail, half an hour: a batch goes on without us, and the next run finds it."""
SURELY_LISTED_S, LISTED_SOON_S = 120.0, 15.0
"""Seconds since it was sent after which a batch is listed, if it was taken; and between two looks at the list."""
CLOCKS_APART = timedelta(minutes=10)
"""How far this machine's clock may be from the API's."""
SAID_EVERY = timedelta(minutes=10)

Said = Callable[[str], None]
"""Told what to tell whoever waits."""


class BatchDesk:
    """Sends batches and takes them back; what it keeps of them lies beside the log."""

    def __init__(
        self,
        memory: Memory,
        reader: BatchReader,
        *,
        budget: Budget,
        clock: Callable[[], datetime],
        pause: Callable[[float], None],
        said: Said,
    ) -> None:
        """Keep to a budget; `pause` waits that many seconds, `said` is told what to tell whoever waits."""
        self._kept, self._reader, self._budget = memory.beside.batches, reader, budget
        self._clock, self._pause, self.tell = clock, pause, said
        self._sent_here: set[int] = set()

    def waiting(self) -> dict[int, tuple[Batch, tuple[BatchedThread, ...]]]:
        """Return what is remembered, oldest first; what is over at the model, or was here, is cleared away."""
        self._kept.purge(self._clock() - timedelta(days=BATCH_DAYS))
        found = {each.id: (each, self._kept.threads(each.id)) for each in self._kept.all()}
        for batch, threads in list(found.values()):
            if batch.settled and not threads:
                self._forget(batch)
                del found[batch.id]
        return found

    def bears(self, tokens: int) -> bool:
        """Say whether the month bears so many tokens more in batches."""
        return self._budget.spent() + tokens <= self._budget.for_batches

    def send(self, wanted: Sequence[tuple[BatchRequest, Thread]]) -> Batch | None:
        """Note a batch and send it; None where another run was faster, or took what the month bore.

        Raises:
            ModelAway: it couldn't be sent; where it may have been, it stays noted.
            Permanent: it was refused.
        """
        at = self._clock()
        noted = self._kept.note(
            [_entry(request, thread) for request, thread in wanted],
            month=self._budget.month(),
            purpose=Purpose.CAPTURE,
            tokens=sum(request.most_tokens for request, _ in wanted),
            most=self._budget.for_batches,
            at=at,
        )
        if noted is None:
            return None
        failpoints.hit("batch.noted")
        batch = Batch(id=noted, given_id="", noted_at=at, size=len(wanted), settled=False)
        given_id = self._sent(batch, [request for request, _ in wanted])
        failpoints.hit("batch.sent")
        batch = self._named(batch, given_id)
        self._sent_here.add(batch.id)
        failpoints.hit("batch.named")
        self.tell(
            f"batch {given_id}: {batch.size:,} threads are with Claude, for an hour or so and at most a day. Ctrl-C"
            " leaves them there; the same command takes it up again"
        )
        return batch

    def _sent(self, batch: Batch, requests: Sequence[BatchRequest]) -> str:
        for attempt in range(1, MOST_TRIES + 1):
            try:
                return self._reader.send(requests)
            except MaybeSent:
                if (found := self._found(batch)) is not None:
                    return found
                if attempt == MOST_TRIES:
                    self._release(batch)
                    raise
                batch = replace(batch, noted_at=self._clock())
                self._kept.sent_again(batch.id, batch.noted_at)
            except ModelAway as error:
                if attempt == MOST_TRIES or _needs_a_person(error):
                    self._release(batch)
                    raise
                self._pause(min(error.retry_after_s or 2.0**attempt, MOST_PAUSE_S))
            except Permanent:
                self._release(batch)
                raise
        raise AssertionError("the last try returns or raises")

    def ended(self, batch: Batch, *, cancel: bool = False) -> Batch | None:
        """Wait until a batch has ended; None where it was never taken, and so is forgotten.

        Args:
            batch: remembered.
            cancel: ask that it ends early.

        Raises:
            NoSuchBatch: the model knows it no more.
            ModelAway: it can't be reached for long; the batch goes on.
        """
        if batch.id not in self._sent_here:
            self.tell(f"a batch of {batch.size:,} threads, sent on {batch.noted_at:%d %B %Y}, is taken up again")
        given_id = batch.given_id or self._found(batch)
        if given_id is None:
            self._release(batch)
            return None
        batch = self._named(batch, given_id)
        if cancel and not self._look(given_id).ended:
            self._reader.cancel(given_id)
        state = self._wait(given_id)
        self.tell(
            f"batch {given_id} ended: {state.succeeded:,} read, {state.errored:,} failed, {state.expired:,} too late,"
            f" {state.canceled:,} cancelled"
        )
        return batch

    def results(self, batch: Batch) -> Iterator[BatchResult]:
        """Yield what came of each request of a batch that ended, each once, in any order; raises as `ended` does."""
        given: set[str] = set()
        for attempt in range(1, MOST_TRIES + 1):
            try:
                for result in self._reader.results(batch.given_id):
                    if result.custom_id not in given:
                        given.add(result.custom_id)
                        yield result
            except ModelAway as error:
                if attempt == MOST_TRIES:
                    raise
                self._pause(min(error.retry_after_s or 2.0**attempt, MOST_PAUSE_S))
            else:
                return

    def finish(self, batch: Batch, cost: Usage, *, over: set[str]) -> None:
        """Count what a batch did cost, and forget it as far as its threads came by. Twice is once.

        Args:
            batch: ended, its results read to the end.
            cost: of all of them.
            over: custom ids of those that were taken in, or never will be.
        """
        failpoints.hit("batch.read")
        self._kept.settle(batch.id, tokens=cost.input_tokens + cost.output_tokens, calls=cost.calls)
        failpoints.hit("batch.settled")
        self._kept.done(batch.id, over)
        failpoints.hit("batch.done")
        if not self._kept.threads(batch.id):
            self._forget(batch)

    def give_up(self, batch: Batch) -> None:
        """Forget a batch that the model knows no more; what was set aside for it counts in full."""
        self._kept.drop(batch.id)

    def _forget(self, batch: Batch) -> None:
        """Delete a batch at the model, as far as that can be reached, and forget it."""
        with suppress(NoSuchBatch, ModelAway):
            self._reader.delete(batch.given_id)
        self._kept.drop(batch.id)

    def _release(self, batch: Batch) -> None:
        """Forget a batch that was never taken: nothing was billed."""
        self._kept.settle(batch.id, tokens=0, calls=0)
        self._kept.drop(batch.id)

    def _named(self, batch: Batch, given_id: str) -> Batch:
        if not batch.given_id:
            self._kept.sent(batch.id, given_id)
        return replace(batch, given_id=given_id)

    def _found(self, batch: Batch) -> str | None:
        """Return the model's id of a batch that may have been sent; None where it surely wasn't."""
        held = {each.custom_id for each in self._kept.threads(batch.id)}
        named = {each.given_id for each in self._kept.all()}
        for patient in (False, True):
            age = (self._clock() - batch.noted_at).total_seconds()
            if patient:
                self.tell("a batch may have been sent and no answer came: looking for it")
                self._pause(max(SURELY_LISTED_S - age, LISTED_SOON_S))
            for state in list(self._reader.made_since(batch.noted_at - CLOCKS_APART)):
                if state.given_id not in named and state.size == batch.size and self._holds(state.given_id, held):
                    return state.given_id
        return None

    def _holds(self, given_id: str, custom_ids: set[str]) -> bool:
        """Say whether a batch is the one with these requests: it tells so only once it has ended."""
        try:
            self._wait(given_id)
            return any(result.custom_id in custom_ids for result in self._reader.results(given_id))
        except NoSuchBatch:  # somebody deleted it meanwhile, so it is not ours
            return False

    def _wait(self, given_id: str) -> BatchState:
        """Look at a batch until it has ended, and tell how far it is."""
        began = told_at = self._clock()
        pause_s = FIRST_LOOK_S
        while not (state := self._look(given_id)).ended:
            now = self._clock()
            if now - told_at >= SAID_EVERY:
                told_at = now
                minutes = round((now - began).total_seconds() / 60)
                self.tell(
                    f"batch {given_id}: {state.processing:,} waiting, {state.succeeded:,} read, {state.errored:,}"
                    f" failed, after {minutes:,} minutes"
                )
            self._pause(pause_s)
            pause_s = min(pause_s * 1.5, MOST_LOOK_S)
        return state

    def _look(self, given_id: str) -> BatchState:
        for attempt in range(1, MOST_LOOKS + 1):
            try:
                return self._reader.state(given_id)
            except ModelAway as error:
                if attempt == MOST_LOOKS or _needs_a_person(error):
                    raise
                if attempt == 1:
                    self.tell(f"batch {given_id}: {error}; trying again for half an hour")
                self._pause(MOST_LOOK_S)
        raise AssertionError("the last look returns or raises")


def _needs_a_person(error: ModelAway) -> bool:
    """Say whether waiting is of no use: the key is refused, or the account is empty."""
    return (error.retry_after_s or 0.0) >= LASTING_S


def _entry(request: BatchRequest, thread: Thread) -> BatchedThread:
    return BatchedThread(
        custom_id=request.custom_id, source=thread.place.source, anchor=thread.place.anchor, scope=thread.scope.id
    )
