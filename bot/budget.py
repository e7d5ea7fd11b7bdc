"""The month's budget of tokens: what a call may cost is set aside before it is sent, so none goes over it.

A month is a calendar month of UTC. All processes of one home share the ledger beside the log. The last fifth
is kept for answers: reading threads by the model stops at 80 %, and goes on by rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from bot.errors import BudgetUsed
from store import Spending, Spent

FOR_ANSWERS = 5
"""One part in so many of the budget is kept for answers."""
FOR_LIVE_THREADS = 10
"""One part in so many of what is there for reading is kept from batches, which set much aside for hours."""


class Purpose(StrEnum):
    """What a call is for."""

    ANSWER = "answer"
    CAPTURE = "capture"


@dataclass(frozen=True, slots=True)
class Reserved:
    """What is set aside for one call; settle or release it, once the call has ended."""

    spending: Spending
    id: int

    def settle(self, tokens: int) -> None:
        """Count what the call did cost, in the place of what it might. Twice is once."""
        self.spending.settle(self.id, tokens)

    def release(self) -> None:
        """Give it back: the call was not billed. Twice is once."""
        self.spending.release(self.id)


class Budget:
    """What one workspace may spend on the model in a month; thread-safe."""

    def __init__(self, spending: Spending, *, limit: int, clock: Callable[[], datetime]) -> None:
        """Keep to a limit.

        Args:
            spending: the ledger of the home.
            limit: tokens a month, read and written together; 0 asks no model at all.
            clock: aware now.
        """
        self.limit = limit
        self._spending, self._clock = spending, clock

    @property
    def for_threads(self) -> int:
        """The tokens at which threads are read by rules alone, and the admins are told: 80 % of the limit."""
        return self.limit - self.limit // FOR_ANSWERS

    @property
    def for_batches(self) -> int:
        """The tokens up to which batches set aside: threads that people point at are read beside them."""
        return self.for_threads - self.for_threads // FOR_LIVE_THREADS

    def month(self) -> str:
        """Return the running month: `2026-11`."""
        return f"{self._clock().astimezone(UTC):%Y-%m}"

    def renews_at(self) -> datetime:
        """Return when the next month begins."""
        first = self._clock().astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        return (first + timedelta(days=32)).replace(day=1)

    def spent(self) -> int:
        """Return the month's tokens so far; running calls count with the most that they can cost."""
        return self._spending.taken(self.month())

    def by_purpose(self) -> tuple[Spent, ...]:
        """Return the month's tokens, calls and refused calls for answers and for captures."""
        return self._spending.of_month(self.month())

    def is_low(self) -> bool:
        """Say whether the model reads no more threads this month."""
        by_rules = any(one.refused for one in self.by_purpose() if one.purpose == Purpose.CAPTURE)
        return by_rules or self.spent() >= self.for_threads

    def reserve(self, purpose: Purpose, tokens: int) -> Reserved:
        """Set aside the most that a call can cost.

        Raises:
            BudgetUsed: it doesn't fit the month any more; nothing is set aside.
            StoreError: the ledger can't be written.
        """
        now = self._clock()
        most = self.limit if purpose is Purpose.ANSWER else self.for_threads
        held = self._spending.reserve(self.month(), purpose, tokens, most=most, at=now)
        if held is None:
            raise BudgetUsed(
                "this month's model budget is used", retry_after_s=(self.renews_at() - now).total_seconds()
            )
        return Reserved(self._spending, held)
