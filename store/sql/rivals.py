"""Which decisions set a property, for a new one that sets it too: what it replaces, or what replaces it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from store.core.admission import Rival, replacements
from store.core.events import instant, read_day
from store.core.model import DecisionId, Draft, Quote, Scope
from store.sql import queries
from store.sql.queries import Rows

Property = tuple[str, str]
"""An element as resolved, and the normal name of one of its properties."""

_SETTING = """
WITH wanted(element, property) AS (SELECT value ->> 0, value ->> 1 FROM json_each(:properties))
SELECT DISTINCT w.element, w.property, d.n, d.id, d.scope, d.open, d.day,
       (SELECT json_group_array(json_array(n.scope, n.open)) FROM edges e JOIN decisions n ON n.n = e.newer
         WHERE e.older = d.n AND e.skipped = 0 AND n.in_force) AS replaced_by
FROM wanted w CROSS JOIN mentions s ON s.element = w.element
CROSS JOIN decision_sets p ON p.s = s.s AND p.property = w.property JOIN decisions d ON d.n = p.n
WHERE d.in_force AND NOT d.hidden ORDER BY d.id
"""
_QUOTES = f"SELECT d.n, {queries.DOC} AS doc FROM decisions d WHERE d.n IN (SELECT value FROM json_each(:numbers))"  # noqa: S608


def rivals_by_property(
    rows: Rows, properties: Mapping[Property, Collection[date]], *, today: date
) -> Mapping[Property, Sequence[Rival]]:
    """Return the decisions in force that set each of these properties, by id.

    Args:
        rows: runs a query.
        properties: with the days of new decisions that set each. Only where two of one day meet is it looked up at
            which moment of it each was decided; `Rival.moment` is "" elsewhere.
        today: stands for the day of one that has none.
    """
    found: dict[Property, list[Mapping[str, Any]]] = defaultdict(list)
    wanted = sorted(properties)
    for row in rows(_SETTING, {"properties": json.dumps(wanted)}) if wanted else ():
        found[row["element"], row["property"]].append(row)
    moments = _moments(rows, [n for each, group in found.items() for n in _tied(group, properties[each])])
    return {
        each: [
            Rival(
                id=DecisionId(row["id"]),
                scope=_scope(row["scope"], row["open"]),
                day=read_day(row["day"]) or today,
                moment=moments.get(row["n"], ""),
                replaced_by=_scopes(row["replaced_by"]),
            )
            for row in group
        ]
        for each, group in found.items()
    }


@lru_cache(maxsize=4096)  # many decisions, few scopes
def _scope(id_: str, open_: int) -> Scope:
    return Scope(id=id_, open=bool(open_))


@lru_cache(maxsize=4096)
def _scopes(text: str) -> tuple[Scope, ...]:
    return tuple(_scope(id_, open_) for id_, open_ in json.loads(text))


def _tied(group: Sequence[Mapping[str, Any]], days: Collection[date]) -> Sequence[int]:
    """Return the decisions, by number, that share their day with another, or with a new one."""
    shared = Counter([row["day"] for row in group] + [day.isoformat() for day in days])
    return [row["n"] for row in group if shared[row["day"]] > 1]


def _moments(rows: Rows, numbers: Sequence[int]) -> Mapping[int, str]:
    """Return when the last quoted words of each decision were said."""
    found = rows(_QUOTES, {"numbers": json.dumps(numbers)}) if numbers else ()
    return {
        row["n"]: max((quote.get("at", "") for quote in queries.quotes_in(json.loads(row["doc"]))), default="")
        for row in found
    }


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
