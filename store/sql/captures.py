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


_LATEST = """
SELECT d.retracted AS removed
FROM decisions d
WHERE d.scope = :scope AND d.source = :source AND NOT d.hidden AND d.provenance <> :by_hand
  AND CASE WHEN d.retracted
      THEN EXISTS (SELECT 1 FROM event_about a JOIN events e ON e.position = a.position
                   WHERE a.target = d.id AND e.kind = 'DecisionRetracted' AND e.key IS NOT 'erased:' || d.id)
      ELSE NOT d.erased AND d.confirmed AND (d.confidence < :recorded OR
           (d.recorded_at < :stood AND julianday(d.recorded_at) - julianday(d.day) <= :live_days)) END
ORDER BY d.recorded_at DESC, d.id
"""

LIVE_DAYS = 7
"""Days from a decision to its record within which people saw it happen: what an old export brought in, nobody did."""


def latest_in(
    rows: Rows, scope: str, *, source: str, by_hand: str, recorded_from: int, stood_since: str
) -> tuple[bool, ...]:
    """Return of each capture of one place that people kept (True) or removed (False), newest first; no text is read.

    Kept and removed are as in `counts`; what a person removed counts also where its text was erased since.
    """
    found = rows(
        _LATEST,
        {
            "scope": scope, "source": source, "by_hand": by_hand, "recorded": recorded_from, "stood": stood_since,
            "live_days": LIVE_DAYS,
        },
    )  # fmt: skip
    return tuple(not row["removed"] for row in found)
