"""The private list of what a look back found: a direct message to whoever started it, edited as they decide.

Idempotency key: the run; a decision is kept or dropped once.
"""

from __future__ import annotations

from collections.abc import Callable

from bot.slack.channel import lookback_view
from bot.slack.channel.lookback_view import SHOWN_MAX
from bot.slack.layout import actions as act
from bot.slack.room import Room
from bot.slack.saying.posting import Words, edit, post_direct
from store import EVERYTHING, Decision, Delivery, LookBack, State

LOOK_BACK = "look back"
"""The kind of the list among what the bot posted."""
KEPT, DROPPED = "kept", "not kept"


def list_key(run: str) -> str:
    """Return the key of a run's list."""
    return f"look:{run}"


def show_list(room: Room, name: str, *, gone: bool = False) -> str:
    """Send a run's list to whoever started it, or edit the one that they have.

    Raises:
        Transient: Slack is away or asks for patience; call again.
    """
    settle_said(room, name)
    run = room.memory.lookbacks.get(name)
    if run is None:
        return "forgotten"
    post = room.memory.posts.by_key(list_key(name))
    if post is None or not post.ts:
        post_direct(room, key=list_key(name), kind=LOOK_BACK, person=run.person, make=lambda: _worded(room, run, gone))
        return "sent"
    worded = _worded(room, run, gone)
    return "edited" if edit(room, post, worded.message, worded.decisions) else "gone"


def settle_said(room: Room, name: str) -> None:
    """Note what others said of what waits, or what a kill left unnoted: then it needs no word any more."""
    found = room.memory.decisions_by_ids(room.memory.lookbacks.waiting(name), EVERYTHING)
    for decision in found:
        if decision.state is not State.CURRENT or decision.confirmed:
            stands = decision.confirmed and decision.state is not State.RETRACTED
            room.memory.lookbacks.judge(name, decision.id, KEPT if stands else DROPPED)


def _worded(room: Room, run: LookBack, gone: bool) -> Words:
    known = room.access.channel(run.channel)
    found = waiting(room, run)
    shown = lookback_view.progress(run, known.label if known is not None else run.channel, found, gone=gone)
    ids = tuple(str(one.id) for one in found[:SHOWN_MAX]) if run.state != "reading" else ()
    return Words(message=shown, ref=run.run, decisions=ids)


def waiting(room: Room, run: LookBack) -> tuple[Decision, ...]:
    """Return what waits for a word and whoever started it may read, by the day of the decision, newest first."""
    reader = room.access.reader_of(run.person)
    found = room.memory.decisions_by_ids(room.memory.lookbacks.waiting(run.run), reader)
    left = (one for one in found if one.state is State.CURRENT and not one.confirmed and one.title)
    return tuple(sorted(left, key=lambda one: (one.day, one.id), reverse=True))


def on_keep(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Confirm one of a list."""
    return _judge(room, delivery, target, _keep)


def on_no(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Drop one of a list, with its text."""
    return _judge(room, delivery, target, _drop)


def on_keep_all(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Confirm all that the list shows; what comes after them was not seen yet."""
    run = _own(room, delivery.payload["user"], target)
    if run is None:
        return "not theirs"
    for decision in waiting(room, run)[:SHOWN_MAX]:
        _keep(room, run, decision)
    show_list(room, run.run)
    return "kept"


def _judge(room: Room, delivery: Delivery, target: act.Target, do: Callable[[Room, LookBack, Decision], None]) -> str:
    run = _own(room, delivery.payload["user"], target)
    if run is None:
        return "not theirs"
    decision = next((one for one in waiting(room, run) if one.id == target.decision), None)
    if decision is not None:
        do(room, run, decision)
    show_list(room, run.run)
    return "judged" if decision is not None else "said before"


def _own(room: Room, user: str, target: act.Target) -> LookBack | None:
    run = room.memory.lookbacks.get(target.session)
    return run if run is not None and run.person == user else None


def _keep(room: Room, run: LookBack, decision: Decision) -> None:
    room.memory.confirm(decision.id, by=room.person(run.person))
    room.memory.lookbacks.judge(run.run, decision.id, KEPT)


def _drop(room: Room, run: LookBack, decision: Decision) -> None:
    room.memory.discard(decision.id, by=room.person(run.person))
    room.memory.lookbacks.judge(run.run, decision.id, DROPPED)
