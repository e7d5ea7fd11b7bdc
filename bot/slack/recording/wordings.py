"""How one decision was worded before and since: a new reading or an edit supersedes it in its own place."""

from __future__ import annotations

from bot.slack.room import Room
from store import EVERYTHING, Decision, DecisionId


def wordings(room: Room, decision: Decision) -> tuple[Decision, ...]:
    """Return a decision with its earlier and later wordings of the same place, the first recorded first."""
    found = {decision.id: decision}
    front: list[DecisionId] = [*decision.supersedes, *decision.superseded_by]
    while front := [name for name in front if name not in found]:
        met = [
            one for one in room.memory.decisions_by_ids(front, EVERYTHING) if one.place.anchor == decision.place.anchor
        ]
        found |= {one.id: one for one in met}
        front = [name for one in met for name in (*one.supersedes, *one.superseded_by)]
    return tuple(sorted(found.values(), key=lambda one: (one.recorded_at, one.id)))


def first_wording(room: Room, decision: Decision) -> DecisionId:
    """Return the id of a decision's first wording: it stays the same through new readings and edits."""
    return wordings(room, decision)[0].id
