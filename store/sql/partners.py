"""Which decisions are one and the same, told in places of different scope."""

# ruff: noqa: S608 - the text is built of this module's constants; every value is bound by name

from __future__ import annotations

import json
from collections.abc import Sequence

from store.core.model import EVERYTHING, DecisionId, Reader
from store.sql import queries
from store.sql.queries import Rows

_PAIRED = f"p.kind = 'same' AND {queries.readable('p')} AND {queries.together('p')}"
PARTNERS = f"""
SELECT o.id FROM pairs p JOIN decisions o ON o.n = p.second WHERE p.first IN {queries.THESE} AND {_PAIRED}
UNION SELECT o.id FROM pairs p JOIN decisions o ON o.n = p.first WHERE p.second IN {queries.THESE} AND {_PAIRED}
ORDER BY 1
"""
"""What some decisions were said to be the same as, and not held apart from since."""


def partners(rows: Rows, ids: Sequence[str], reader: Reader = EVERYTHING) -> tuple[DecisionId, ...]:
    """Return what these decisions are the same as, directly or through others, by id; themselves left out.

    What a reader can't read is no link for them.
    """
    known, front = set(ids), list(ids)
    while front:
        found = {row["id"] for row in rows(PARTNERS, {**queries.reading(reader), "ids": json.dumps(front)})}
        front = sorted(found - known)
        known |= found
    return tuple(map(DecisionId, sorted(known - set(ids))))
