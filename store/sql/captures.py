"""What became of captures: how many people kept and how many they removed, by how sure the extractor was."""

from __future__ import annotations

from store.sql.queries import Rows

Count = tuple[str, int, int, int]
"""Provenance, hundredths of confidence, kept, removed."""

_COUNTS = """
SELECT provenance, confidence,
       sum(NOT retracted AND confirmed AND (confidence < :recorded OR recorded_at < :stood)) AS kept,
       sum(retracted) AS removed
FROM decisions
WHERE provenance LIKE :provenance AND NOT erased AND NOT hidden
GROUP BY provenance, confidence
ORDER BY provenance, confidence
"""


def counts(rows: Rows, provenance: str, *, recorded_from: int, stood_since: str) -> tuple[Count, ...]:
    """Return what became of the captures of an extractor, whatever their scope; no text is read.

    Kept: somebody vouched for one that was unsure, or a sure one has stood since `stood_since` (an instant).
    Removed: somebody said "not a decision". What waits for a word counts as neither.
    """
    found = rows(_COUNTS, {"provenance": provenance + "%", "recorded": recorded_from, "stood": stood_since})
    return tuple((str(r["provenance"]), int(r["confidence"]), int(r["kept"]), int(r["removed"])) for r in found)
