"""Time in the playground: the machine's, or one that a test moves by hand."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def machine_time() -> datetime:
    """Return now, aware UTC."""
    return datetime.now(UTC)


class HandClock:
    """A clock that stands still until it is moved; call it for now (aware UTC). Safe among threads."""

    def __init__(self, start: datetime) -> None:
        """Stand at `start` (aware)."""
        self._now = start
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        """Return where the clock stands."""
        with self._lock:
            return self._now

    def advance(self, seconds: float) -> None:
        """Move on by that many seconds."""
        with self._lock:
            self._now += timedelta(seconds=seconds)


def microseconds(moment: datetime) -> int:
    """Return whole microseconds since 1970, exactly (no float in between)."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def ts_of(micros: int) -> str:
    """Return Slack's spelling of a time: seconds, a dot, six digits."""
    return f"{micros // 1_000_000}.{micros % 1_000_000:06d}"


def ts_order(ts: str) -> tuple[int, int]:
    """Return a key that sorts `ts` strings by time; ("1700000000.000100" → whole numbers, no float)."""
    seconds, _, micros = ts.partition(".")
    if not (seconds.isdigit() and (micros or "0").isdigit()):
        raise ValueError(f"not a ts: {ts!r}")
    return int(seconds), int(micros.ljust(6, "0") or "0")
