"""A workspace's own record of captures moves the confidence from which the rules record without asking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from store import RECORDED_AT, raw_confidence, record_from

NAME = "rules-1"
"""Version of the rules; with a moved threshold the provenance says `rules-1/84`."""


def provenance_of(threshold: int) -> str:
    """Return what stands in a draft's provenance, from which `learned_threshold` reads the threshold again."""
    return NAME if threshold == RECORDED_AT else f"{NAME}/{threshold}"


def learned_threshold(counts: Iterable[tuple[str, int, int, int]]) -> int:
    """Return the confidence from which this workspace's captures have proved right.

    Args:
        counts: provenance, stored confidence, kept, removed, as `Memory.capture_counts(NAME)` gives them. What was
            stored under a moved threshold is moved back first, so that all are on the scale of the rules.
    """
    kept: Counter[int] = Counter()
    removed: Counter[int] = Counter()
    for provenance, confidence, stayed, went in counts:
        threshold = int(provenance.partition("/")[2] or RECORDED_AT)
        raw = raw_confidence(confidence, threshold)
        kept[raw] += stayed
        removed[raw] += went
    return record_from({each: (kept[each], removed[each]) for each in kept | removed})
