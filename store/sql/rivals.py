"""Which decisions set a property, for a new one that sets it too: what it replaces, or what replaces it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from store.core.admission import Rival, replacements
from store.core.events import instant, read_day
from store.core.model import DecisionId, Draft, Quote, Scope
from store.sql import queries
from store.sql.queries import Rows

Property = tuple[str, str]
"""An element as resolved, and the normal name of one of its properties."""

_SETTING = f"""
WITH wanted(element, property) AS (SELECT value ->> 0, value ->> 1 FROM json_each(:properties))
SELECT DISTINCT w.element, w.property, d.id, d.scope, d.open, d.day, {queries.DOC} AS doc,
       (SELECT json_group_array(json_array(n.scope, n.open)) FROM edges e JOIN decisions n ON n.n = e.newer
         WHERE e.older = d.n AND e.skipped = 0 AND n.in_force) AS replaced_by
FROM wanted w CROSS JOIN mentions s ON s.element = w.element
CROSS JOIN decision_sets p ON p.s = s.s AND p.property = w.property JOIN decisions d ON d.n = p.n
WHERE d.in_force AND NOT d.hidden ORDER BY d.id
"""  # noqa: S608  # constants


def rivals_by_property(
    rows: Rows, properties: Iterable[Property], *, today: date
) -> Mapping[Property, Sequence[Rival]]:
    """Return the decisions in force that set each of these properties, by id (one query).

    `today` stands for the day of one that has none.
    """
    found: dict[Property, list[Rival]] = defaultdict(list)
    wanted = sorted(set(properties))
    for row in rows(_SETTING, {"properties": json.dumps(wanted)}) if wanted else ():
        rival = Rival(
            id=DecisionId(row["id"]),
            scope=Scope(id=row["scope"], open=bool(row["open"])),
            day=read_day(row["day"]) or today,
            moment=max((quote.get("at", "") for quote in queries.quotes_in(json.loads(row["doc"]))), default=""),
            replaced_by=tuple(Scope(id=s, open=bool(o)) for s, o in json.loads(row["replaced_by"])),
        )
        found[row["element"], row["property"]].append(rival)
    return found


def rival_of(id_: DecisionId, draft: Draft, scope: Scope, *, today: date) -> Rival:
    """Return a decision that nothing is known of yet, beside those that it meets."""
    said: dict[tuple[str, str], Quote] = {}
    for quote in draft.evidence:
        said.setdefault((quote.turn_id, quote.quote), quote)
    moments = (instant(quote.at) for quote in said.values() if quote.at)
    return Rival(id=id_, scope=scope, day=draft.decided_on or today, moment=max(moments, default=""))


def edges_among(new: Rival, rivals: Sequence[Rival]) -> dict[tuple[str, str], Scope]:
    """Return the edges that follow from one property, as (newer, older), with the scope in which each is said."""
    scopes = {each.id: each.scope for each in (*rivals, new)}
    return {
        (newer, older): scopes[newer] if not scopes[newer].open else scopes[older]
        for newer, older in replacements(new, rivals)
    }
