"""Making what one more place of a decision says a decision of its own: somebody says so, or the first is erased."""

from __future__ import annotations

from dataclasses import replace

from store.core.admission import trimmed
from store.core.ids import decision_id, sha256, statement_of
from store.core.model import EVERYTHING, Decision, DecisionId, Draft, Person, Place, Quote, State
from store.sql import queries
from store.sql.writing import BY_HAND, Writing, record


def free_ordinal(writing: Writing, place: Place, draft: Draft) -> tuple[int, DecisionId]:
    """Return the first number of a statement at a place that isn't that of a replaced decision, and the id it gives."""
    ordinal = 0
    while True:
        id_ = decision_id(place.source, place.anchor, ordinal, statement_of(draft))
        same = queries.decisions_by_ids(writing.rows, [id_], EVERYTHING)
        if not same or same[0].state is not State.SUPERSEDED:
            return ordinal, id_
        ordinal += 1


def state_there(
    writing: Writing, known: Decision, place: Place, quotes: tuple[Quote, ...], *, by: Person | None, heir: bool = False
) -> DecisionId:
    """Record what a place says as its own decision, worded by its deciding quote: that is what was kept of it.

    An heir stands in for a decision that is about to be erased, and replaces what that one had replaced.
    """
    draft = trimmed(Draft(title=quotes[0].quote, elements=known.elements, evidence=quotes))
    draft = replace(
        draft, status=known.status, decided_on=known.decided_on, supersedes=known.supersedes if heir else ()
    )
    ordinal, id_ = free_ordinal(writing, place, draft)
    return record(
        writing,
        draft,
        id_=id_,
        ordinal=ordinal,
        place=place,
        basis=f"apart:{sha256(f'{known.id} {id_}'.encode())[:16]}",
        scope=known.scope,
        provenance=BY_HAND if by else known.provenance,
        confirmed=by is not None or known.confirmed,
        by=by,
    )
