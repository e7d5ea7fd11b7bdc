"""What is left of erased decisions, and which of them a history passes over: an unexplained gap looks like loss.

Nothing here imports SQLAlchemy: the quick commands show it.
"""

# ruff: noqa: S608 - the text is built of constants; every value is bound by name

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from store.core.events import read_instant
from store.core.model import Decision, Reader
from store.core.views import Tombstone
from store.sql import queries
from store.sql.queries import Rows, readable, reading

_ERASED = f"""
SELECT d.id, d.recorded_at,
       (SELECT max(e.header ->> '$.recorded_at') FROM event_about a JOIN events e ON e.position = a.position
         WHERE a.target = d.id AND e.kind = 'TextRedacted') AS erased_at,
       EXISTS (SELECT 1 FROM forgotten f WHERE (f.kind = 'place' AND f.source = d.source AND f.anchor = d.anchor)
               OR (f.kind = 'channel' AND d.scope = 'channel:' || f.anchor)) AS closed
FROM decisions d WHERE d.n IN {queries.THESE} AND d.erased AND NOT d.hidden AND d.day <= :as_of AND {readable("d")}
ORDER BY d.day, d.lamport, d.id
"""
_BESIDE = f"""
SELECT d.id FROM edges e JOIN decisions d ON d.n = e.newer
 WHERE e.older IN {queries.THESE} AND e.skipped <> 2 AND d.erased
UNION SELECT d.id FROM edges e JOIN decisions d ON d.n = e.older
 WHERE e.newer IN {queries.THESE} AND e.skipped <> 2 AND d.erased
"""


def tombstones(rows: Rows, ids: Iterable[str], reader: Reader, *, as_of: date | None = None) -> tuple[Tombstone, ...]:
    """Return what is left of those decisions that are erased and that the reader could read, oldest first."""
    found = rows(_ERASED, {**reading(reader, as_of), "ids": json.dumps(list(ids))})
    left = queries.decisions_by_ids(rows, [row["id"] for row in found], reader, as_of=as_of)
    return tuple(_tombstone(row, each) for row, each in zip(found, left, strict=True))


def gaps(rows: Rows, decisions: Iterable[str], reader: Reader, *, as_of: date | None = None) -> tuple[Tombstone, ...]:
    """Return the erased decisions that replaced one of these or were replaced by one, oldest first."""
    beside = rows(_BESIDE, {"ids": json.dumps(list(decisions))})
    return tombstones(rows, [row["id"] for row in beside], reader, as_of=as_of) if beside else ()


def _tombstone(row: Mapping[str, Any], left: Decision) -> Tombstone:
    return Tombstone(
        id=left.id,
        day=left.day,
        erased_at=read_instant(row["erased_at"] or row["recorded_at"]),
        place=left.place,
        captured_again=not row["closed"],
        supersedes=left.supersedes,
        superseded_by=left.superseded_by,
    )
