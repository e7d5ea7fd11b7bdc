"""What holds for elements: heads, properties, links, conflicts; from readable rows only."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from store.core.ids import normal
from store.core.model import Decision, DecisionId, ElementId, Reader, State, Status
from store.core.views import Claim, Conflict, ElementView
from store.sql import queries
from store.sql.queries import Loads, Rows


def heads(rows: Rows, asked: Sequence[str], reader: Reader, *, as_of: date | None = None) -> tuple[ElementView, ...]:
    """Return a view of each element asked for; of all that the reader can read of when none is."""
    if asked:
        named = (queries.elements_asked(rows, each, reader, as_of=as_of) for each in asked)
        wanted = list(dict.fromkeys(itertools.chain.from_iterable(named)))
    else:
        wanted = [row["element"] for row in rows(_EVERY_ELEMENT, queries.reading(reader, as_of))]
    return views(rows, wanted, reader, as_of=as_of)


def views(
    rows: Rows, wanted: Sequence[str], reader: Reader, *, as_of: date | None = None, loads: Loads = json.loads
) -> tuple[ElementView, ...]:
    """Return a view of each of these elements, by normal form, on which the reader can read a decision."""
    elements = {"elements": json.dumps(wanted)}
    names = element_names(rows, wanted, reader)
    found = rows(queries.BY_ELEMENTS, {**queries.reading(reader, as_of), **elements})
    place_in_time = {row["n"]: number for number, row in enumerate(found)}
    standing = {row["n"]: queries.decision_of(row, loads) for row in found if queries.may_stand(row)}
    mentions: dict[str, set[str]] = defaultdict(set)
    about: dict[str, dict[int, Decision]] = {}
    for row in rows(_MENTIONS, elements):
        if (number := place_in_time.get(row["n"])) is not None:  # an alias that only unreadable ones use doesn't exist
            mentions[row["element"]].add(row["mention"])
            held = about.setdefault(row["element"], {})
            if decision := standing.get(row["n"]):
                held[number] = decision
    return tuple(
        _view(element, names[element], frozenset(mentions[element]), [one for _, one in sorted(about[element].items())])
        for element in wanted
        if element in about
    )


def every_name(rows: Rows, *, first: str = "", until: str = "") -> tuple[str, ...]:
    """Return every element that any decision mentions, by name, from `first` on, without `until` and beyond."""
    found = rows(_EVERY_NAME, {"first": first, "until": until})
    return tuple(row["element"] for row in found)


def claims(rows: Rows, path: str, reader: Reader, *, as_of: date | None = None) -> tuple[Claim, ...]:
    """Return the claims on a file's path that stand, the most specific first; elements by name, as they are written."""
    found = queries.claims(rows, path, reader, as_of=as_of)
    names = element_names(rows, {each.element for each in found}, reader)
    return tuple(replace(each, element=names[each.element][1]) for each in found)


_MENTIONS = (
    "SELECT s.element, s.mention, m.n FROM mentions s JOIN decision_mentions m ON m.s = s.s"
    " WHERE s.element IN (SELECT value FROM json_each(:elements))"
)
_EVERY_NAME = (
    "SELECT DISTINCT s.element FROM mentions s WHERE s.element >= :first AND (:until = '' OR s.element < :until)"
    " ORDER BY s.element"
)
_EVERY_ELEMENT = (
    "SELECT DISTINCT s.element FROM mentions s WHERE EXISTS ("  # noqa: S608
    "SELECT 1 FROM decision_mentions m JOIN decisions d ON d.n = m.n WHERE m.s = s.s"
    f" AND {queries.readable('d')} AND NOT d.hidden AND NOT d.erased AND d.in_force AND d.day <= :as_of)"
    " ORDER BY s.element"
)


def element_names(rows: Rows, elements: Iterable[str], reader: Reader) -> dict[str, tuple[ElementId, str]]:
    """Return id and name of elements, by their normal form.

    The id is readable if the reader can read an open decision that mentions it, else a hash.
    """
    parameters = {**queries.reading(reader), "elements": json.dumps(list(elements))}
    return {
        row["element"]: (
            ElementId(row["slug_id"] if row["open"] else row["hash_id"]),
            str(row["written"] or row["element"]),
        )
        for row in rows(queries.ELEMENT_NAMES, parameters)
    }


def _view(
    element: str, named: tuple[ElementId, str], mentions: frozenset[str], decided: Sequence[Decision]
) -> ElementView:
    """`decided` is oldest first; whatever a decision calls the element, a property or a relation, each is one."""

    def one_spelling(link: tuple[str, str, str]) -> tuple[str, str, str]:
        start, relation, end = map(normal, link)
        return (element if start in mentions else start, relation, element if end in mentions else end)

    standing = [each for each in decided if each.state is State.CURRENT and each.status is Status.ACCEPTED]
    links: dict[tuple[str, str, str], None] = {}
    for each in standing:
        for link in map(one_spelling, each.unlinks):
            links.pop(link, None)
        for link in map(one_spelling, each.links):
            if element in (link[0], link[2]):
                links[link] = None
    newest_first = tuple(reversed(standing))
    spelled: dict[str, str] = {}
    properties = [
        (spelled.setdefault(normal(name), name), value, each.id)
        for each in newest_first
        for mention, name, value in each.sets
        if normal(mention) in mentions
    ]
    return ElementView(
        id=named[0],
        element=named[1],
        decisions=newest_first,
        properties=tuple(sorted(properties, key=lambda p: p[0])),
        links=tuple(sorted(links)),
    )


def conflicts(
    rows: Rows, reader: Reader, *, as_of: date | None = None, among: Collection[DecisionId] | None = None
) -> tuple[Conflict, ...]:
    """Return confirmed heads that give one property different values, and noted pairs that both stand.

    `among` a few decisions: only what two of them are part of.
    """
    parameters = queries.reading(reader, as_of)
    if among is None:
        contested, noted = _disputed_for(rows, reader, as_of), rows(queries.NOTED, parameters)
    else:
        parameters["ids"] = json.dumps(sorted(among))
        contested, noted = rows(queries.DISPUTED_AMONG, parameters), rows(queries.NOTED_AMONG, parameters)
    ids = [row["id"] for row in contested] + [row[side] for row in noted for side in ("first", "second")]
    decided = queries.decisions_by_ids(rows, ids, reader, as_of=as_of)
    standing = {each.id: each for each in decided if each.state is State.CURRENT and each.confirmed}
    values: dict[tuple[str, str], dict[DecisionId, str]] = defaultdict(dict)
    for row in contested:
        if row["id"] in standing:
            values[row["element"], row["property"]].setdefault(row["id"], row["value"])
    names = element_names(rows, {element for element, _ in values}, reader)
    settled = frozenset(
        (row["first"], row["second"]) for row in rows(queries.BOTH_APPLY, {"ids": json.dumps(list(standing))})
    )
    found = [
        Conflict(
            element=names[element][1],
            property=name,
            heads=_by_day(standing[each] for each in held),
        )
        for (element, name), held in sorted(values.items())
        if _disputed(held, settled)
    ]
    pairs = ((row["first"], row["second"]) for row in noted)
    found += [
        Conflict(
            element=_common(standing[one], standing[other]),
            property="",
            heads=_by_day((standing[one], standing[other])),
        )
        for one, other in pairs
        if one in standing and other in standing
    ]
    return tuple(found)


def _disputed_for(rows: Rows, reader: Reader, as_of: date | None) -> Sequence[Mapping[str, Any]]:
    """Return the standing settings of properties with more than one value for a reader; the past is looked through."""
    parameters = queries.reading(reader, as_of)
    if as_of is not None:
        return rows(queries.DISPUTED_THEN, parameters)
    whom = queries.FOR_ALL if reader.sees_all or reader.sees_open else queries.FOR_GUESTS
    return rows(queries.DISPUTED, {**parameters, "whom": whom})


def _disputed(held: Mapping[DecisionId, str], settled: frozenset[tuple[str, str]]) -> bool:
    """Whether two give a property different values of which nobody said that both apply."""
    pairs = itertools.combinations(sorted(held), 2)
    return any(held[one] != held[other] and (one, other) not in settled for one, other in pairs)


def _by_day(decided: Iterable[Decision]) -> tuple[Decision, ...]:
    return tuple(sorted(decided, key=lambda d: (d.day, d.id)))


def _common(one: Decision, other: Decision) -> str:
    """The first element that both are about, as the first has it; "" if there is none."""
    theirs = {normal(each) for each in other.elements}
    return next((each for each in one.elements if normal(each) in theirs), "")
