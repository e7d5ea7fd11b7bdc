"""The days that a question is about, as marks of the lexical index: whole months as such, the rest day by day."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import date, timedelta

from store.sql import lexical
from store.sql.queries import Rows

MOST_MONTHS = 1_200
"""A hundred years of them: what is older isn't found by a question of certain days."""

_FIRST_AND_LAST = "SELECT (SELECT min(day) FROM decision_days) AS first, (SELECT max(day) FROM decision_days) AS last"


def marks_between(rows: Rows, since: str, until: str) -> str | None:
    """Return the FTS5 query for the days between two, both included; None where nothing was decided on any."""
    found = rows(_FIRST_AND_LAST, {})[0]
    first, last = (str(found[name] or "") for name in ("first", "last"))
    if not first or since > last or until < first:
        return None
    lower = date.fromisoformat(since) if since > first else date.fromisoformat(first).replace(day=1)
    upper = date.fromisoformat(until) if until < last else _end_of_month(date.fromisoformat(last))
    return lexical.marked(marks(lower, upper))


def marks(lower: date, upper: date) -> Iterator[str]:
    """Yield the marks of the months that lie between two days, and of the days of those that do so in part."""
    end = upper
    for _ in range(MOST_MONTHS):
        start = max(lower, end.replace(day=1))
        if start > end:
            return
        if start.day == 1 and end == _end_of_month(end):
            yield lexical.month_mark(end.isoformat())
        else:
            yield from (lexical.day_mark(str(end - timedelta(days=back))) for back in range((end - start).days + 1))
        if start.replace(day=1) == date.min:
            return
        end = start.replace(day=1) - timedelta(days=1)


def _end_of_month(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])
