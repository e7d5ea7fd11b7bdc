"""Finding what a thread's drafts say again: the decision of another place that is the same, if rules are sure of it.

The words of a draft lead to the decisions that share most of the rarest of them (`store.sql.words`), and
`store.core.corroboration` says of each whether it is the same. This looks within everything, whoever may read it: what
comes of it is a fact about two ids, which nobody sees who can't read both. What all readers of the place may see comes
first, so that what they can't read takes none of it away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from store.core.corroboration import APART_DAYS, Told, is_the_same, told
from store.core.model import EVERYTHING, Decision, Draft, Place, Reader, Scope, State
from store.sql import lexical, queries
from store.sql.partners import is_seen_in, reader_of
from store.sql.queries import Rows
from store.sql.words import WordSearch

LOOKED_AT = 12
"""Decisions held against a draft: the same one came first or second of a company's year, by the words of its title."""
WORDS = 16
"""Of a draft that are asked for."""


def said_elsewhere(
    rows: Rows, search: WordSearch, place: Place, drafts: Sequence[Draft], *, scope: Scope, thread: str, today: date
) -> tuple[Draft, ...]:
    """Return a place's drafts, each with the decision of another place that it says again, none of them twice.

    Args:
        rows: runs a query.
        search: answers for words.
        place: where the drafts come from.
        drafts: in the order of their source.
        scope: of the place.
        thread: all that was said there: it may name other places.
        today: the day of what has none.
    """
    found: list[tuple[bool, float, int, str]] = []
    for number, draft in enumerate(drafts):
        ours = told(draft, place, day=draft.decided_on or today, thread=thread)
        for other in _near(rows, search, draft, ours, scope):
            if other.state is State.CURRENT and other.title and not _is_of(other, place):
                theirs = told(other, other.place, day=other.day)
                alike = max(is_the_same(ours, replace(theirs, place=each)) for each in _elsewhere(other, place))
                beyond = not is_seen_in(scope, other.scope)
                found += [(beyond, -alike, number, other.id)] if alike else []
    same: dict[int, str] = {}
    for _, _, number, id_ in sorted(found):
        if number not in same and id_ not in same.values():
            same[number] = id_
    return tuple(replace(draft, same_as=same.get(number, "")) for number, draft in enumerate(drafts))


def _near(rows: Rows, search: WordSearch, draft: Draft, ours: Told, scope: Scope) -> tuple[Decision, ...]:
    """Return the decisions to be looked at: those that the scope's readers may see, as if there were no others."""
    words = lexical.terms("\n".join((draft.title, *(quote.quote for quote in draft.evidence[:1]))))[:WORDS]
    reach = timedelta(days=APART_DAYS)
    spans: list[tuple[date | None, date | None]] = [(ours.day - reach, ours.day + reach)]
    spans += [(None, None)] if ours.names else []  # a name leads back however long ago it was
    theirs = reader_of(scope)
    found: dict[Reader, dict[str, None]] = {theirs: {}, EVERYTHING: {}}
    for since, until in spans:
        for reader, ids in found.items():
            near = search.find(rows, words, reader, limit=LOOKED_AT, since=since, until=until)
            ids.update((id_, None) for id_, _ in near.scored)
    every = queries.decisions_by_ids(rows, found[EVERYTHING], EVERYTHING)
    beyond = (each for each in every if not is_seen_in(scope, each.scope))
    return (*queries.decisions_by_ids(rows, found[theirs], theirs), *beyond)


def _is_of(decision: Decision, place: Place) -> bool:
    """Whether this is where a decision was recorded, not one more place of it."""
    return (decision.place.source, decision.place.anchor) == (place.source, place.anchor)


def _elsewhere(decision: Decision, place: Place) -> Iterator[Place]:
    yield from (each for each in decision.places if (each.source, each.anchor) != (place.source, place.anchor))
