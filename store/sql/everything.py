"""Erasing all that was ever said in a workspace: every text, name and vote of the log, a few events at a time.

What stays says nothing by itself: ids, days, places, which settings there were. So another machine that syncs erases
the same, the log verifies, and a decision that was erased is never recorded again under its id.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from store.core.events import Kind, scope_of
from store.sql.channels import EVENTS_AT_ONCE, NOT_WORDS
from store.sql.queries import Rows
from store.sql.redaction import redact_parts
from store.sql.writing import Writing


def end(rows: Rows) -> int:
    """Return the log's last position."""
    return int(rows("SELECT coalesce(max(position), 0) AS last FROM events", {})[0]["last"])


def take_out_after(writing: Writing, position: int, last: int) -> tuple[int, int]:
    """Take out what the next events hold; return the position that was reached and how many of them held something.

    Idempotency key: the events and parts erased.

    Args:
        writing: the transaction.
        position: after which to begin.
        last: where to end; what is said since then says that something is erased.
    """
    asked = {"after": position, "last": last, "limit": EVENTS_AT_ONCE}
    found = writing.rows(_NEXT, asked)
    held: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in found:
        if names := _names(row):
            held.setdefault(row["stream"], {})[row["id"]] = names
    recorded = {row["id"]: row["decision"] for row in found if row["kind"] == Kind.DECISION_RECORDED}
    for stream, parts in held.items():
        decisions = tuple(sorted({recorded[event] for event in parts if event in recorded}))
        redact_parts(writing, scope_of(stream), parts, decisions=decisions)
    reached = int(found[-1]["position"]) if found else last
    return reached, sum(map(len, held.values()))


_NEXT = """
SELECT e.position, e.id, e.kind, e.stream, e.parts, e.header ->> '$.about[0]' AS decision FROM events e
WHERE e.position > :after AND e.position <= :last ORDER BY e.position LIMIT :limit
"""


def _names(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The parts of an event that say or name something: of who replaced what, too, where somebody is named."""
    parts = json.loads(row["parts"])
    return tuple(sorted(name for name, body in parts.items() if name not in NOT_WORDS or "by" in body))
