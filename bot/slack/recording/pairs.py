"""Pairs of decisions of which the later may turn on the earlier: found at a capture, shown on its card, answered once.

Likeness finds candidates, words decide (`store.bearing`), people say. Only what is confirmed and in force takes part,
and a pair is proposed only where everybody who reads the later thread may read the earlier decision.

Idempotency key: the pair, by the first wordings of both: a new reading or an edit asks nothing again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime

from bot.slack.layout.blocks import day_of
from bot.slack.layout.text import Mrkdwn, inert, join
from bot.slack.recording.cards import Other, Pair
from bot.slack.recording.wordings import first_wording, wordings
from bot.slack.room import Room
from bot.sources.slack import channel_id
from store import EVERYTHING, Bearing, Decision, Proposal, Question, Reader, State, Status, bearing

BOTH = "both"
"""What people say to a pair of which both stand."""
TAKEN = "replaced"
"""What people say to a pair of which the later replaces the earlier."""
A_DECISION = 2
"""Pairs that are ever proposed of one later decision: more is a nuisance, whatever they are."""


def look_for(room: Room, channel: str, decisions: Iterable[Decision]) -> None:
    """Note what decisions of a channel's thread may replace or pull against."""
    reader = room.access.readers_of_channel(channel)
    for newer in filter(takes_part, decisions):
        mine = first_wording(room, newer)
        left = A_DECISION - len(room.memory.proposals.of([mine]))
        for kind, older in _found(room, newer, reader):
            if left <= 0:
                break
            left -= room.memory.proposals.propose(mine, first_wording(room, older), kind.value, room.clock())


def takes_part(decision: Decision) -> bool:
    """Say whether a decision can stand against another: confirmed, accepted and in force."""
    return decision.confirmed and decision.state is State.CURRENT and decision.status is Status.ACCEPTED


def _found(room: Room, newer: Decision, reader: Reader) -> Iterator[tuple[Bearing, Decision]]:
    """Yield what a decision may turn on, the surest first: what the log knows to conflict, then what words tell."""
    said = [
        (Bearing.PULLS_AGAINST, head)
        for conflict in room.memory.conflicts(reader)
        if any(each.id == newer.id for each in conflict.heads)
        for head in conflict.heads
    ]
    near = ((bearing(newer, older), older) for older in _candidates(room, newer, reader))
    told = sorted(((kind, older) for kind, older in near if kind), key=lambda pair: pair[0] is not Bearing.REPLACES)
    for kind, older in (*said, *told):
        if takes_part(older) and older.place != newer.place and _when(older) <= _when(newer):
            yield kind, older


def _candidates(room: Room, newer: Decision, reader: Reader) -> Sequence[Decision]:
    """Return earlier decisions near to one: on the same things, or found by its words."""
    same = [one for name in newer.elements for one in room.memory.history(name, reader)]
    like = [ranked.decision for ranked in room.memory.recall(Question(text=newer.title), reader).order]
    return tuple({one.id: one for one in (*like, *same) if one.id != newer.id}.values())


def _when(decision: Decision) -> tuple[date, datetime]:
    return decision.day, decision.recorded_at


def standing_wording(room: Room, first: str, reader: Reader) -> Decision | None:
    """Return how a decision is worded now, for a reader; None where it doesn't stand for them any more."""
    known = room.memory.decision(first, EVERYTHING)
    names = [one.id for one in wordings(room, known)] if known else []
    return next(filter(takes_part, room.memory.decisions_by_ids(names, reader)), None)


# --- what a card shows ---


def pairs_of(room: Room, channel: str, decisions: Iterable[Decision]) -> dict[str, tuple[Pair, ...]]:
    """Return what a card says of each decision's pairs, by its id; nothing of what some reader can't read."""
    reader = room.access.readers_of_channel(channel)
    found: dict[str, tuple[Pair, ...]] = {}
    for newer in filter(takes_part, decisions):
        proposed = room.memory.proposals.of([first_wording(room, newer)])
        shown = [pair for each in proposed if (pair := _shown(room, each, reader)) is not None]
        if shown:
            found[newer.id] = tuple(shown)
    return found


def _shown(room: Room, proposed: Proposal, reader: Reader) -> Pair | None:
    older = standing_wording(room, proposed.older, reader)
    if older is None or proposed.answer == TAKEN:
        return None
    by = room.access.name_of(proposed.by) if proposed.by else ""
    return Pair(kind=Bearing(proposed.kind), other=other(room, older), both=proposed.answer == BOTH, by=by)


def threads_beside(room: Room, decision: Decision) -> tuple[str, ...]:
    """Return the anchors of the threads whose cards may name a decision as one of a pair, shown there now or not."""
    mine = first_wording(room, decision)
    newer = [each.newer for each in room.memory.proposals.about(mine) if each.newer != mine]
    return tuple(one.place.anchor for one in room.memory.decisions_by_ids(newer, EVERYTHING))


def other(room: Room, decision: Decision, *, by: str = "") -> Other:
    """Return how a card names a decision of another place; `by` is the name of who brought the two together."""
    return Other(
        id=decision.id,
        title=decision.title,
        link=decision.place.permalink,
        where=where(room, decision),
        day=day_of(decision),
        by=by,
    )


def where(room: Room, decision: Decision) -> Mrkdwn:
    """Return "Raj #data 2 Aug": who decided or said it, where and when."""
    person = next((each.name for each in decision.decided_by), "")
    author = person or next((quote.author for quote in decision.evidence), "")
    channel = channel_id(decision.place)
    known = room.access.channel(channel) if channel else None
    place = f"#{known.name}" if known and known.name else "" if channel else decision.place.ref
    return join(" ", (inert(author), inert(place), day_of(decision)))


def deciding_words(decision: Decision) -> str:
    """Return the deciding words, or what it states where it rests on none."""
    return next((quote.quote for quote in decision.evidence if quote.quote.strip()), decision.title)


# --- what people say ---


def answered(room: Room, one: Decision, two: Decision, answer: str, user: str) -> bool:
    """Note what somebody said to a pair, asked or not; "" asks again."""
    first, second = first_wording(room, one), first_wording(room, two)
    room.memory.proposals.propose(first, second, Bearing.PULLS_AGAINST.value, room.clock())
    return room.memory.proposals.answer(first, second, answer, by=user, at=room.clock())
