"""What is due by the clock: quiet threads, retention, follow-ups. The scheduler only puts rows into the inbox.

Idempotency key: the job and what or when it is due for.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-untyped]  # ships no types

from bot.jobs import BY_ITSELF, FOLLOWS
from bot.logs import canonical, logger
from bot.settings import Settings
from bot.slack.answering.telling import due_look
from bot.slack.recheck import KIND_RECHECK
from bot.slack.room import Room
from bot.slack.unasked.budgeting import due_budget
from bot.slack.unasked.digesting import due_digests
from bot.slack.unasked.nudging import plan_messages
from bot.slack.unasked.offering import KIND_OFFERS
from store import Delivery, Memory, StoreError

KIND_QUIET = "quiet"
KIND_PURGE = "purge"
KIND_FOLLOW_UPS = "follow_ups"

DAILY = (KIND_PURGE, KIND_FOLLOW_UPS, KIND_OFFERS)
"""Jobs of each day (UTC); after days on which nothing ran, each runs once."""
NIGHT_BEGINS = 2
"""The hour (UTC) from which on what is kept is compared with Slack."""

TICK_S = 20
"""Seconds between looks at what is due: a thread is read at most that much later than it could be."""

_log = logger("clock")


def tick(memory: Memory, now: datetime) -> int:
    """Put what is due into the inbox; returns how many rows are new. Twice is once."""
    fresh = 0
    for thread in memory.watch.due(now):
        named = f"{thread.channel}:{thread.thread_ts}:{thread.last_ts}:{thread.round}"
        payload = {
            "channel": thread.channel, "thread_ts": thread.thread_ts, "last_ts": thread.last_ts, "round": thread.round
        }  # fmt: skip
        fresh += memory.inbox.insert(f"quiet:{named}", KIND_QUIET, payload, priority=BY_ITSELF)
        memory.watch.done(thread)
    day = now.astimezone(UTC).date().isoformat()
    for kind in DAILY:
        fresh += memory.inbox.insert(f"{kind}:{day}", kind, {}, priority=FOLLOWS)
    if now.astimezone(UTC).hour >= NIGHT_BEGINS:
        fresh += memory.inbox.insert(f"{KIND_RECHECK}:{day}", KIND_RECHECK, {}, priority=FOLLOWS)
    fresh += plan_messages(memory, now) + due_digests(memory, now)
    return fresh + due_look(memory) + due_budget(memory, now)


def purge(room: Room, delivery: Delivery) -> str:
    """Drop what has outlived its retention: answers, keys, captures that nobody confirmed."""
    dropped = room.memory.beside.purge(room.clock(), keep_days=_question_days(room.settings))
    unconfirmed = room.memory.expire_unconfirmed()
    return f"dropped {dropped} rows, {unconfirmed} captures"


def _question_days(settings: Settings) -> int:
    """Return how long answers stay: what quotes messages stays no longer than they do."""
    return min(settings.question_days, settings.keep_days or settings.question_days)


class Clock:
    """Looks at what is due every `TICK_S` seconds, in a thread of its own."""

    def __init__(self, memory: Memory, clock: Callable[[], datetime]) -> None:
        """Nothing runs before `start`."""
        self._memory, self._clock = memory, clock
        self._scheduler = BackgroundScheduler(timezone=UTC)

    def start(self) -> None:
        """Look now, and then regularly."""
        now = datetime.now(UTC)
        self._scheduler.add_job(
            self._look, "interval", seconds=TICK_S, max_instances=1, coalesce=True, next_run_time=now
        )
        self._scheduler.start()

    def stop(self) -> None:
        """Look no more; a look that runs ends first."""
        self._scheduler.shutdown()

    def _look(self) -> None:
        try:
            if not self._memory.beside.leads():
                return  # another process looks; when it ends this one does
            tick(self._memory, self._clock())
            self._memory.beside.tidy()
        except StoreError as error:  # looked at again in a moment
            canonical(_log, "clock", error=type(error).__name__)
