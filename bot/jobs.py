"""The worker: threads that claim deliveries from the inbox and work each off through the handler of its kind.

A handler may run twice for one delivery (a crash, a lease that ran out), so each names its own idempotency
key. What it returns is a word on what came of it; it stays beside the key, without any text of people.

Threads work in lanes. Some take urgent rows alone: a modal must open within the three seconds that a trigger
lives, and a question ends within fifteen, however many threads are being read by models meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from bot.errors import BackstoryError, Permanent, Transient
from bot.logs import canonical, logger
from store import Delivery, Inbox, StoreError

QUICK = 0
"""Priority of what a person waits for with a dialog open."""
ASKED = 1
"""Priority of questions: a person waits for an answer."""
FOLLOWS = 2
"""Priority of what follows from messages, edits and memberships."""
CAPTURES = 3
"""Priority of reading the threads that somebody pointed at."""
BY_ITSELF = 4
"""Priority of reading threads that nobody waits for."""

LANES: Mapping[int, int] = {QUICK: 2, ASKED: 6, FOLLOWS: 2, CAPTURES: 2, BY_ITSELF: 1}
"""Threads by the last priority that they take: six questions wait for a model side by side, three captures."""

LEASE_S = 180.0
"""Seconds until a claimed row is anybody's again: three times the longest model deadline (60 s)."""
ATTEMPTS = 8
"""Tries of one delivery: with the waits below, about two hours."""
UNEXPECTED_ATTEMPTS = 2
"""Tries after an error that nobody foresaw, or of a question that the memory fails: once more, after two seconds,
since whoever asked hears within fifteen."""
ACKS_FIRST_S = 0.5
"""Longest wait in seconds for a burst of arrivals to pass: an ack has one second, an answer fifteen."""
IDLE_S = Inbox.LOOKED_AT_S
"""Longest sleep in seconds of an idle thread; inserts of this process wake it at once, if it may take them."""

BEHIND_S = 0.2
"""Sleep in seconds while all that is due waits for others; whoever finishes those goes on with it anyway."""

AWAY_S = 1.0
"""Sleep in seconds when the inbox can't be read."""

Handler = Callable[[Delivery], str]
Failed = Callable[[Delivery, str], None]
"""Told of a delivery that is given up, with its reference, so that whoever waits hears of it."""

_log = logger("jobs")


def backoff_s(attempt: int) -> float:
    """Return the seconds to wait after the n-th failed try: 2, 8, 32, 128, then 10 minutes."""
    return min(600.0, 2.0 * 4.0 ** (attempt - 1))


class Arrivals:
    """How many deliveries are being taken in at this moment: nothing new is begun meanwhile, so that acks come first.

    A context manager for whoever takes one in; thread-safe.
    """

    def __init__(self) -> None:
        """Nothing arrives yet."""
        self._changed, self._now = threading.Condition(), 0

    def __enter__(self) -> None:
        """One more arrives."""
        with self._changed:
            self._now += 1

    def __exit__(self, *_error: object) -> None:
        """It is taken in."""
        with self._changed:
            self._now -= 1
            if not self._now:
                self._changed.notify_all()

    def let_pass(self, seconds: float) -> None:
        """Wait until none arrives, but no longer than that."""
        with self._changed:
            self._changed.wait_for(lambda: not self._now, seconds)


class Worker:
    """Works an inbox off with a fixed number of threads; start it once, stop it once."""

    def __init__(
        self,
        inbox: Inbox,
        handlers: Mapping[str, Handler],
        *,
        clock: Callable[[], datetime],
        lanes: Mapping[int, int] = LANES,
        arrivals: Arrivals | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Take what it needs; nothing runs before `start`.

        Args:
            inbox: where deliveries come from.
            handlers: by kind; a row of an unknown kind fails and says so.
            clock: aware UTC now.
            lanes: how many threads take rows up to a priority.
            arrivals: what is let pass before a new delivery is begun.
            failed: told when a delivery is given up.
        """
        self._inbox, self._handlers, self._clock, self._failed = inbox, handlers, clock, failed
        self.arrivals = arrivals or Arrivals()
        self._lanes = tuple(lane for lane, threads in lanes.items() for _ in range(threads))
        self._wake = threading.Condition()
        self._inserts = dict.fromkeys(lanes, 0)
        self._stopping = False
        self._running: list[threading.Thread] = []

    def start(self) -> None:
        """Make what a dead process had claimed due again, and begin. One worker works an embedded inbox."""
        self._inbox.on_insert(self.wake)
        self._inbox.release()
        for number, lane in enumerate(self._lanes):
            thread = threading.Thread(target=self._run, args=(lane,), name=f"worker-{number}", daemon=True)
            self._running.append(thread)
            thread.start()

    def stop(self, timeout_s: float = 15.0) -> bool:
        """Let running deliveries end and claim no more; False when some still ran after `timeout_s` seconds.

        What still runs is claimed anew by the next process.
        """
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        deadline = time.monotonic() + timeout_s
        for thread in self._running:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._running)

    def drain(self) -> int:
        """Work off in this thread what is due now; returns how many tries that took. For tests and short commands."""
        tries = 0
        while self._one(BY_ITSELF):
            tries += 1
        return tries

    def wake(self, priority: int = QUICK) -> None:
        """Look for due rows now: something of a priority was inserted, or time has moved."""
        with self._wake:
            for lane in self._inserts:
                self._inserts[lane] += lane >= priority
            self._wake.notify_all()

    def _run(self, lane: int) -> None:
        while not self._stopping:
            seen = self._inserts[lane]
            if lane > QUICK:
                self.arrivals.let_pass(ACKS_FIRST_S)
            try:
                pause = 0.0 if self._one(lane) else self._pause(lane)
            except StoreError as error:  # the disk is full or another program writes: the rows are still there
                canonical(_log, "claim failed", error=type(error).__name__)
                pause = AWAY_S
            if pause:
                self._sleep(lane, seen, pause)

    def _sleep(self, lane: int, seen: int, seconds: float) -> None:
        """Wait, but not beyond the next insert for this lane or the end."""
        with self._wake:
            self._wake.wait_for(lambda: self._stopping or self._inserts[lane] != seen, seconds)

    def _pause(self, lane: int) -> float:
        """Return the seconds until a row that waits is due; an insert ends the wait."""
        next_due = self._inbox.next_due(up_to=lane)
        pause = IDLE_S if next_due is None else (next_due - self._clock()).total_seconds()
        if pause <= 0:  # due, but behind one of its series that another thread works on
            pause = BEHIND_S
        return min(IDLE_S, pause)

    def _one(self, lane: int) -> bool:
        """Claim and work off one delivery; False when none was due."""
        delivery = self._inbox.claim(self._clock(), LEASE_S, up_to=lane)
        if delivery is None:
            return False
        began = time.monotonic()
        outcome = self._work(delivery)
        canonical(
            _log,
            "delivery",
            kind=delivery.kind,
            key=delivery.key,
            attempt=delivery.attempt,
            outcome=outcome,
            ref=reference(delivery),
            waited_ms=round((self._clock() - delivery.received_at).total_seconds() * 1000),
            ms=round((time.monotonic() - began) * 1000),
        )
        return True

    def _work(self, delivery: Delivery) -> str:
        handler = self._handlers.get(delivery.kind)
        if handler is None:
            return self._give_up(delivery, "no handler of that kind")
        try:
            result = handler(delivery)
        except Transient as error:
            return self._again(delivery, type(error).__name__, ATTEMPTS, error.retry_after_s)
        except StoreError as error:
            attempts = UNEXPECTED_ATTEMPTS if delivery.priority <= ASKED else ATTEMPTS
            return self._again(delivery, type(error).__name__, attempts, None)
        except Permanent as error:
            return self._give_up(delivery, type(error).__name__)
        except Exception as error:  # one bad delivery must not stop the others
            _log.exception("handler failed", extra={"kind": delivery.kind, "key": delivery.key})
            return self._again(delivery, type(error).__name__, UNEXPECTED_ATTEMPTS, None)
        self._inbox.finish(delivery, result)
        return result

    def _again(self, delivery: Delivery, error: str, attempts: int, retry_after_s: float | None) -> str:
        if delivery.attempt >= attempts:
            return self._give_up(delivery, error)
        wait = backoff_s(delivery.attempt) if retry_after_s is None else retry_after_s
        try:
            self._inbox.retry(delivery, self._clock() + timedelta(seconds=wait), error)
        except StoreError:
            if delivery.priority > ASKED:
                raise
            return self._give_up(delivery, error)
        return f"again: {error}"

    def _give_up(self, delivery: Delivery, error: str) -> str:
        """Tell whoever waits, then end the row: told twice is better than never."""
        if self._failed is not None:
            try:
                self._failed(delivery, reference(delivery))
            except BackstoryError as told:
                canonical(_log, "nobody told", key=delivery.key, error=type(told).__name__)
        self._inbox.fail(delivery, error)
        return f"failed: {error}"


def reference(delivery: Delivery) -> str:
    """Return the four characters by which people and operators name a failed delivery; in the log as `ref`."""
    number, digits = delivery.id * 7919 % 32**4, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    return "".join(digits[number // 32**place % 32] for place in (3, 2, 1, 0))
