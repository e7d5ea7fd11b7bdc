"""BM25 as FTS5 computes it, from counts alone: for an index that gives the counts and leaves the arithmetic to us."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

K1, B = 1.2, 0.75
"""Robertson's and FTS5's constants."""
LEAST_RARITY = 1e-6
"""What FTS5 takes for a word that half of the documents hold, or more."""
DIGITS = 9
"""Decimals kept of a score, so that equals stay equals however they were computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A document that holds some of the words: its length in words, and how often each occurs, by columns' weights."""

    id: str
    size: int
    often: Mapping[str, float]


def rarity(documents: int, holding: int) -> float:
    """Return the weight of a word that so many of the documents hold."""
    weight = math.log((documents - holding + 0.5) / (holding + 0.5)) if holding <= documents else 0.0
    return max(weight, LEAST_RARITY)


def scored(
    found: Iterable[Found], frequencies: Mapping[str, int], *, documents: int, average: float
) -> tuple[tuple[str, float], ...]:
    """Return (id, score), best first, equals by id.

    Args:
        found: documents.
        frequencies: how many documents hold each word.
        documents: how many there are.
        average: words of one, on average.
    """
    weights = {word: rarity(documents, holding) for word, holding in frequencies.items() if holding}
    total = {
        each.id: round(
            sum(
                weights[word] * often * (K1 + 1) / (often + K1 * (1 - B + B * each.size / (average or 1.0)))
                for word, often in sorted(each.often.items())
                if word in weights
            ),
            DIGITS,
        )
        for each in found
    }
    return tuple(sorted(total.items(), key=lambda hit: (-hit[1], hit[0])))
