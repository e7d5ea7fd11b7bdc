"""Where conflicts may be: the properties to which more than one value is given by decisions that stand.

A projection that keeps `conflicts` from looking at every decision. Whether two decisions conflict depends on who
reads, since a successor that one can't read doesn't exist. So a property is kept here if it is in conflict for anybody,
and each reader's conflicts are worked out among these alone. What is replaced for every reader doesn't count: by a
decision of the same scope that is as open, or, for readers who see all that is open, by any open one.
"""

# ruff: noqa: S608 - the text is built of this module's constants; every value is bound by name

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from store.sql.queries import FOR_ALL, FOR_GUESTS
from store.sql.tx import Tx


def _replaced(condition: str, suffix: str) -> str:
    return (
        f"EXISTS (SELECT 1 FROM edges{suffix} t JOIN decisions{suffix} o ON o.n = t.newer"
        f" WHERE t.older = d.n AND t.skipped = 0 AND o.in_force AND NOT o.hidden AND {condition})"
    )


def _disputed(where: str = "", suffix: str = "") -> str:
    by_any_open = _replaced("o.open", suffix)
    by_one_as_open = _replaced("o.scope = d.scope AND (o.open OR NOT d.open)", suffix)
    return f"""
        SELECT x.element, x.property,
               CASE WHEN count(DISTINCT CASE WHEN x.whom = {FOR_ALL} THEN x.value END) > 1
                    THEN {FOR_ALL} ELSE {FOR_GUESTS} END AS whom
        FROM (SELECT s.element, p.property, p.value,
                     CASE WHEN {by_any_open} THEN {FOR_GUESTS} ELSE {FOR_ALL} END AS whom
              FROM mentions{suffix} s JOIN decision_sets{suffix} p ON p.s = s.s JOIN decisions{suffix} d ON d.n = p.n
              WHERE d.in_force AND NOT d.hidden AND NOT {by_one_as_open} {where}) x
        GROUP BY x.element, x.property HAVING count(DISTINCT x.value) > 1"""


_ADD = (
    f"INSERT INTO disputed (element, property, whom) {_disputed('AND s.element = :element AND p.property = :property')}"
)
_DROP = "DELETE FROM disputed WHERE element = :element AND property = :property"

_SET_BY = """
SELECT DISTINCT s.element, p.property FROM decisions d CROSS JOIN json_each(d.mentions) x
JOIN mentions s ON s.s = CAST(x.value AS INTEGER) JOIN decision_sets p ON p.s = s.s AND p.n = d.n
WHERE d.n IN (SELECT CAST(value AS INTEGER) FROM json_each(:numbers)
               UNION SELECT e.older FROM edges e WHERE e.newer IN (SELECT value FROM json_each(:numbers)))
"""
_SPELLED = """
SELECT DISTINCT s.element, p.property FROM mentions s JOIN decision_sets p ON p.s = s.s
WHERE s.s IN (SELECT value FROM json_each(:spellings))
"""


def worked_out(tx: Tx, suffix: str = "") -> Sequence[Mapping[str, Any]]:
    """Return all rows of the table, by as many look-ups as there are properties set: a second for 200,000.

    `suffix` stands after the names of the tables that are read.
    """
    return tx.rows(_disputed(suffix=suffix), {})


class Disputed:
    """The table `disputed`, kept within one transaction: told what changes, it works that out anew at the end."""

    def __init__(self, tx: Tx) -> None:
        """Work within the caller's writing transaction."""
        self._tx = tx
        self._decisions: set[int] = set()
        self._properties: set[tuple[str, str]] = set()

    def changing(self, decisions: Iterable[int]) -> None:
        """Say which decisions, by number, are about to lose their rows, and get others."""
        numbers = set(decisions)
        self._decisions |= numbers
        self._note(_SET_BY, "numbers", numbers)

    def changed(self, decisions: Iterable[int]) -> None:
        """Say which decisions, by number, may stand now where they didn't, or replace others or no longer."""
        self._decisions |= set(decisions)

    def respelled(self, spellings: Iterable[int]) -> None:
        """Say which spellings, by number, mean these elements; before they mean others, and after."""
        self._note(_SPELLED, "spellings", set(spellings))

    def settle(self) -> None:
        """Bring the table up to all that was said."""
        self._note(_SET_BY, "numbers", self._decisions)
        given = [{"element": element, "property": name} for element, name in sorted(self._properties)]
        self._tx.run_many(_DROP, given)
        for each in given:
            self._tx.run(_ADD, each)
        self._decisions, self._properties = set(), set()

    def _note(self, sql: str, name: str, numbers: set[int]) -> None:
        if numbers:
            found = self._tx.rows(sql, {name: json.dumps(sorted(numbers))})
            self._properties |= {(row["element"], row["property"]) for row in found}
