"""How much bulk work goes into one transaction, so that nobody who waits for the lock notices."""

from __future__ import annotations

from dataclasses import dataclass

from store.core.admission import Admission
from store.core.model import Draft

CHUNK_S = 0.1
"""Seconds that one transaction of bulk work may take."""

AIM_S = 0.6 * CHUNK_S
"""Seconds that are aimed at: what is just like the work before takes up to half as long again now and then."""

SMALLEST = 1
LARGEST = 1024
"""Decisions in one transaction: what a crash would have to read again."""

CHARACTERS = 2_000
"""Characters of text that cost as much as a decision does by itself."""


@dataclass(slots=True)
class Pace:
    """The size of the next chunk in decisions of usual length, learned from how long the last ones took."""

    size: float = 32

    def took(self, work: float, seconds: float) -> None:
        """Learn from a chunk; it grows to at most twice of what it was.

        `seconds` are those of the work alone: how long a busy disk takes to make it durable is the same for a chunk of
        any size, and smaller ones would only ask for more of that.
        """
        fits = work * AIM_S / max(seconds, AIM_S / 1000)
        self.size = min(max(fits, SMALLEST), 2 * self.size, LARGEST)


def work_of(admission: Admission) -> float:
    """Return what an admission costs, in decisions of usual length."""
    return 1 + sum(map(_length, admission.drafts)) / CHARACTERS


def _length(draft: Draft) -> int:
    length = len(draft.title) + len(draft.rationale) + len(draft.text)
    if draft.evidence:
        length += sum(len(quote.quote) for quote in draft.evidence)
    if draft.alternatives:
        length += sum(len(each.option) + len(each.reason) for each in draft.alternatives)
    return length + sum(map(len, draft.trade_offs)) + sum(map(len, draft.edge_cases))
