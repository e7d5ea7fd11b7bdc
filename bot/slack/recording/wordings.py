"""How one decision was worded before and since: a new reading or an edit supersedes it in its own place."""

from __future__ import annotations

from bot.slack.room import Room
from store import BY_HAND, EVERYTHING, Decision, DecisionId


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


def put_aside(room: Room, decision: Decision) -> tuple[Decision, ...]:
    """Return the wordings that people's edits, made or undone, put aside for this one, the latest first.

    What a thread said before it turned is none of them: it stands again once the later reading is removed.
    """
    found = {decision.id: decision}
    front = [decision]
    while front:
        one = front.pop()
        for older in room.memory.decisions_by_ids(one.supersedes, EVERYTHING):
            if older.place.anchor == decision.place.anchor and older.id not in found and _by_edit(one, older):
                found[older.id] = older
                front.append(older)
    return tuple(found.values())[1:]


def _by_edit(one: Decision, older: Decision) -> bool:
    """Say whether one wording stands in the place of another by an edit, or since an edit was undone."""
    return one.provenance == BY_HAND or (older.provenance == BY_HAND and older.recorded_at >= one.recorded_at)
