"""What a decision replaced stays replaced when that one is taken out of the chain.

An edge counts only while its newer side does. So where the middle of three is retracted or erased, the first would come
back and stand against the third, although that was decided later and replaced what was there. Admission would have said
that the third replaces the first, had it never seen the second; here that is said then.
"""

from __future__ import annotations

from store.core import events
from store.core.model import Scope
from store.sql.writing import Writing

_CHAINED = """
SELECT b.id AS newer, n.why AS after, a.id AS older, o.why AS before, b.scope AS newer_scope, b.open AS newer_open,
       a.scope AS older_scope, a.open AS older_open,
       EXISTS (SELECT 1 FROM decision_sets s JOIN mentions m ON m.s = s.s
               JOIN mentions w ON w.element = m.element
               JOIN decision_sets t ON t.s = w.s AND t.property = s.property
               WHERE s.n = n.newer AND t.n = o.older) AS one_property
FROM event_about i JOIN decisions d ON d.n = i.position AND d.id = i.target
JOIN edges o ON o.newer = d.n JOIN decisions a ON a.n = o.older
JOIN edges n ON n.older = d.n JOIN decisions b ON b.n = n.newer
WHERE i.target = :id AND n.skipped = 0 AND o.skipped = 0 AND n.newer <> o.older AND a.in_force AND b.in_force
  AND NOT EXISTS (SELECT 1 FROM edges e JOIN decisions c ON c.n = e.newer WHERE e.older = a.n AND e.newer <> d.n
                  AND (e.newer = b.n OR (e.skipped = 0 AND c.in_force AND (c.open OR c.scope = a.scope))))
ORDER BY a.id, (b.open OR b.scope = a.scope) DESC, b.day, b.lamport, b.id
"""
"""What would come back, each with those that might replace it: first who is seen by all that read it, then by day."""


def bridge(writing: Writing, decision: str, *, erased: bool) -> None:
    """Say that what replaces a decision replaces what it had replaced; called before it is taken out.

    Of one that is only retracted ("not a decision") this holds where all three set one property, as that alone makes
    the later replace the earlier. One that is erased was a decision, so that whatever it replaced had been replaced.

    Idempotency key: the pair.
    """
    said: set[str] = set()
    for row in writing.rows(_CHAINED, {"id": decision}):
        if row["older"] in said:
            continue  # one is enough: else each of a long chain would come to replace each before it
        sets = (row["before"], row["after"]) == ("sets", "sets") and bool(row["one_property"])
        if sets or erased:
            newer = Scope(id=row["newer_scope"], open=bool(row["newer_open"]))
            older = Scope(id=row["older_scope"], open=bool(row["older_open"]))
            key = f"supersedes:{row['newer']}:{row['older']}"
            fact = events.decision_superseded(row["newer"], older=row["older"], why="sets" if sets else "ref", key=key)
            writing.say((newer if older.open else older, fact))
            said.add(row["older"])
