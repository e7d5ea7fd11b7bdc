"""Which decisions are one and the same, told in places of different scope."""

# ruff: noqa: S608 - the text is built of this module's constants; every value is bound by name

from __future__ import annotations

import json
from collections.abc import Sequence

from store.core.model import EVERYTHING, Decision, DecisionId, Reader, Scope
from store.sql import queries
from store.sql.queries import Rows

_PAIRED = f"p.kind = 'same' AND {queries.readable('p')} AND {queries.together('p')}"
PARTNERS = f"""
SELECT o.id, o.scope, o.open FROM pairs p JOIN decisions o ON o.n = p.second
WHERE p.first IN {queries.THESE} AND {_PAIRED}
UNION SELECT o.id, o.scope, o.open FROM pairs p JOIN decisions o ON o.n = p.first
WHERE p.second IN {queries.THESE} AND {_PAIRED}
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


def reader_of(scope: Scope) -> Reader:
    """Return what all who read a scope may see: what is open, and what stands there."""
    return Reader(sees_open=True, scopes=frozenset({scope.id}))


def is_seen_in(scope: Scope, other: Scope) -> bool:
    """Say whether all who read one scope may be shown what stands in another."""
    return reader_of(scope).may_read(other)


def partners_seen(rows: Rows, one: Decision, scope: Scope) -> tuple[DecisionId, ...]:
    """Return what a decision is the same as, by id, where that follows from what all who read a scope may see.

    Of two that only a third one links, those who can't read the third learn nothing.
    """
    known, front = {str(one.id)}, [one.id] if is_seen_in(scope, one.scope) else []
    while front:
        found = rows(PARTNERS, {**queries.reading(EVERYTHING), "ids": json.dumps(front)})
        fresh = {row["id"]: Scope(id=row["scope"], open=bool(row["open"])) for row in found if row["id"] not in known}
        front = [DecisionId(id_) for id_, where in sorted(fresh.items()) if is_seen_in(scope, where)]
        known |= fresh.keys()
    return tuple(map(DecisionId, sorted(known - {one.id})))
