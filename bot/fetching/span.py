"""What of a system's history is asked for, and how far a run through it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from bot.fetching.client import Api

PAGE = 100
"""Things on a page: the most that each of the systems gives."""
OVERLAP = timedelta(hours=1)
"""Before the last run's begin, from which on is asked again: clocks differ, and what is known is passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What is asked for: what changed since a moment (all, where that is None) until now.

    A run that was broken off had worked off all until `reached`; None where it begins at the beginning.
    """

    since: datetime | None
    reached: datetime | None
    now: datetime

    @property
    def start(self) -> datetime | None:
        """From when on it is asked for changes; None from the beginning."""
        known = self.reached or self.since
        return known - OVERLAP if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One document; where a run is broken off after it, the next one goes on from `reached`."""

    document: Mapping[str, Any]
    reached: datetime | None
    share: float
    """How far the run is then, 0 to 1."""


class Asking(Protocol):
    """How one system is asked: yields one document after the other, the oldest change first."""

    def __call__(self, api: Api, target: str, span: Span) -> Iterator[Found]:
        """Yield what changed in a span; raises as `Api.get` does."""
        ...


class Way:
    """How far a run is that goes from old to new."""

    def __init__(self, span: Span) -> None:
        """Begin where the span does."""
        self._span, self._first, self._share = span, span.start, 0.0

    def at(self, document: Mapping[str, Any], changed: datetime | None) -> Found:
        """Return a document of that time as found."""
        if changed is not None:
            self._first = self._first or changed
            whole = max(self._span.now - self._first, timedelta(seconds=1))
            self._share = min(max((changed - self._first) / whole, self._share), 1.0)
        return Found(document=document, reached=changed, share=self._share)
