"""Threads become decisions: pointed at by a reaction, a shortcut or a mention, or read when quiet.

Idempotency key: the thread's place and the version of its text, as in `bot.capture`; its card has the anchor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from bot.capture import Captured, Gate, capture_thread, is_left_out, masked_thread, without_left_out
from bot.jobs import ATTEMPTS
from bot.ports import Extraction, Extractor
from bot.proposing import recorded_late
from bot.slack.client import Refused
from bot.slack.recording.carding import CARD, ask_first, card_key, redraw_around, show_card
from bot.slack.recording.marking import MARK
from bot.slack.recording.settled import may_have_turned, settled, worth_a_model, worth_reading
from bot.slack.room import Mode, Room
from bot.slack.saying.threads import fetched
from bot.sources.slack import VOCABULARY
from store import (
    EVERYTHING,
    RECORDED_AT,
    Decision,
    Delivery,
    Draft,
    QuietThread,
    Reader,
    State,
    Thread,
    Vocabulary,
    alike,
    keeps,
    verify_draft,
)

_MOST_NEWS = 20
"""Turns since the last reading that are looked at; with more a thread is read anew anyway."""
SECOND_READING_S = 86_400
"""Seconds until a thread that didn't look settled is read once more."""
THREAD_S = 60.0
"""Seconds that a model may take over a thread that nobody waits for, or is known to wait longer for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointed:
    """What came of a thread that somebody pointed at; `refusal` says why nothing did, in words for them."""

    captured: Captured | None = None
    done: str = ""
    refusal: str = ""


class Given:
    """An extractor that returns what a person chose of a preview, or typed."""

    name = "person"

    def __init__(self, drafts: tuple[Draft, ...], provenance: str) -> None:
        """Return these drafts whatever the thread."""
        self._drafts, self._provenance = drafts, provenance

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Return the drafts given."""
        return Extraction(drafts=self._drafts, provenance=self._provenance)


class Unsure:
    """An extractor that is sure of nothing, for channels where people are asked first."""

    def __init__(self, inner: Extractor) -> None:
        """Be less sure than `inner`."""
        self._inner = inner
        self.name = inner.name

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Return what `inner` finds, none of it sure enough to be recorded unasked."""
        found = self._inner.extract(thread, vocabulary, pointed=pointed, deadline_s=deadline_s)
        drafts = tuple(replace(draft, confidence=min(draft.confidence, RECORDED_AT - 1)) for draft in found.drafts)
        return replace(found, drafts=drafts)


# --- what somebody points at ---


def point_at(room: Room, channel: str, ts: str, user: str, *, given: Given | None = None, attempt: int = 1) -> Pointed:
    """Record the thread in which a message stands because somebody asked for it.

    Args:
        room: the parts.
        channel: where.
        ts: of any message of the thread.
        user: who asked.
        given: what they chose or typed themselves.
        attempt: which try this is: the first one is short, since they wait for a word; the last one is by rules.

    Raises:
        ModelAway: the model is; nothing was written.
        Transient: Slack is away; nothing was written.
    """
    if not (room.access.may_act(user, channel) and room.access.may_read(user, channel)):
        return Pointed(done="not allowed")
    if is_blocked(room, channel):
        return Pointed(done="blocked", refusal="blocked")
    if room.mode(channel) is Mode.OFF:
        return Pointed(done="off", refusal="off")
    try:
        with fetched(room, channel, ts) as thread:
            if thread is None:
                return Pointed(done="empty", refusal="nothing")
            if is_left_out(room.memory, thread):
                return Pointed(done="left out", refusal="left out")
            captured = _captured(room, thread, pointed=True, by=user, given=given, attempt=attempt)
            if not _kept(captured) and not _restored(room, captured, user):
                return Pointed(captured=captured, done="nothing", refusal="nothing")
            return Pointed(captured=captured, done=_show(room, channel, thread, captured, asked=True))
    except Refused:
        return Pointed(done="not a member", refusal="not here")


def drafts_of(room: Room, channel: str, ts: str) -> tuple[str, Extraction]:
    """Read a thread without keeping anything; returns its root's ts and what it would yield, by rules if need be.

    Raises:
        Refused: the bot can't read there.
        Transient: Slack is away.
    """
    with fetched(room, channel, ts) as thread:
        heard = None if thread is None or is_left_out(room.memory, thread) else without_left_out(room.memory, thread)
        if thread is None or heard is None:
            return ts, Extraction(drafts=())
        masked = masked_thread(heard)
        found = room.extractor.at_last().extract(masked, VOCABULARY, pointed=True, deadline_s=room.patience_s)
        verified = (verify_draft(draft, masked)[0] for draft in found.drafts)
        drafts = tuple(draft for draft in verified if draft is not None)
        return thread.place.anchor.partition("/")[2], replace(found, drafts=drafts)


# --- what is read because it went quiet ---


def read_quiet(room: Room, delivery: Delivery) -> str:
    """Read a thread of a channel that captures by itself, once it is quiet and looks settled."""
    waits = delivery.payload
    channel, round_ = waits["channel"], waits["round"]
    if not room.captures(channel) or is_blocked(room, channel):
        return "not captured"
    try:
        with fetched(room, channel, waits["thread_ts"]) as thread:
            if thread is None or is_left_out(room.memory, thread):
                return "empty"
            if thread.turns[-1].turn_id.partition("/")[2] > waits["last_ts"]:
                return "moved on"
            if round_ == 0 and not settled(thread):
                return _second_reading(room, delivery)
            return _by_itself(room, channel, thread, attempt=delivery.attempt)
    except Refused:
        return "not a member"


def reread(room: Room, channel: str, thread_ts: str) -> str:
    """Read a thread anew whose text was edited, if it has a card; as pointed at where it was.

    Raises:
        Transient: Slack or the model is away.
    """
    try:
        with fetched(room, channel, thread_ts) as thread:
            card = room.memory.posts.by_key(card_key(thread.place.anchor)) if thread is not None else None
            if thread is None or card is None:
                return "no card"
            return _show(room, channel, thread, _captured(room, thread, pointed=card.kind in (CARD, MARK)), asked=True)
    except Refused:
        return "not a member"


def _second_reading(room: Room, delivery: Delivery) -> str:
    waits = delivery.payload
    later = room.clock() + timedelta(seconds=SECOND_READING_S)
    thread = QuietThread(
        channel=waits["channel"], thread_ts=waits["thread_ts"], last_ts=waits["last_ts"], due_at=later, round=1
    )
    room.memory.watch.again(thread, later)
    return "not settled"


def _by_itself(room: Room, channel: str, thread: Thread, *, attempt: int) -> str:
    unsure = room.mode(channel) is Mode.ASK_FIRST
    captured = _captured(room, thread, pointed=False, unsure=unsure, attempt=attempt, gate=_gate(room, thread))
    if not _kept(captured):
        return "gated out" if captured.gated_out else "nothing"
    if any(decision.confirmed for decision in _in_force(captured.decisions)):
        return _show(room, channel, thread, captured, asked=False)
    return ask_first(room, channel, thread, _in_force(captured.decisions))


def _gate(room: Room, thread: Thread) -> Gate:
    """Return what a thread must look like to be read by itself; one that holds decisions, that it may have turned."""
    if not room.memory.at_place(thread.place.source, thread.place.anchor, EVERYTHING):
        return worth_a_model if room.with_claude else worth_reading
    since = _read_before(room, thread)
    return lambda masked, vocabulary: keeps(masked, vocabulary) and may_have_turned(masked, vocabulary, since=since)


def _read_before(room: Room, thread: Thread) -> int:
    """Return how many of a thread's turns had been read when it was read last, 0 where an edit hides that."""
    for count in range(len(thread.turns) - 1, max(0, len(thread.turns) - _MOST_NEWS), -1):
        if room.memory.known(thread.place, thread.turns[count - 1].turn_id.partition("/")[2]):
            return count
    return 0


def _captured(
    room: Room,
    thread: Thread,
    *,
    pointed: bool,
    by: str = "",
    unsure: bool = False,
    given: Given | None = None,
    attempt: int = 1,
    gate: Gate = keeps,
) -> Captured:
    extractor = given or (room.extractor.at_last() if attempt >= ATTEMPTS else room.extractor)
    captured = capture_thread(
        room.memory,
        Unsure(extractor) if unsure else extractor,
        thread,
        VOCABULARY,
        pointed=pointed,
        by=room.person(by) if by else None,
        deadline_s=room.patience_s if by and attempt == 1 else THREAD_S,
        gate=gate,
    )
    recorded_late(room.memory, captured.decisions)
    return replace(captured, decisions=_as_read_here(room, thread, captured))


def _as_read_here(room: Room, thread: Thread, captured: Captured) -> tuple[Decision, ...]:
    """Return a thread's decisions as those who read it see them: what replaced them elsewhere doesn't exist here."""
    if captured.gated_out or captured.forgotten:
        return captured.decisions
    found = room.memory.at_place(thread.place.source, thread.place.anchor, _readers(thread))
    return found if captured.unchanged else _in_force(found)


def _readers(thread: Thread) -> Reader:
    return Reader(sees_open=thread.scope.open, scopes=frozenset({thread.scope.id}))


def _show(room: Room, channel: str, thread: Thread, captured: Captured, *, asked: bool) -> str:
    """Post or edit the thread's card, saying where the thread turned."""
    reader = _readers(thread)
    revised = ((one, name) for one in captured.decisions if one.id in captured.revised for name in one.supersedes)
    older = ((now, room.memory.decision(name, reader)) for now, name in revised)
    before: dict[str, str] = {
        now.id: one.id
        for now, one in older
        if one is not None and one.place.anchor == thread.place.anchor and not alike(now.title, one.title)
    }
    done = show_card(room, channel, thread.place.anchor, asked=asked, before=before)
    redraw_around(room, *_replaced_elsewhere(room, captured))
    return done


def _replaced_elsewhere(room: Room, captured: Captured) -> tuple[Decision, ...]:
    """Return decisions of other threads that what was captured just now replaces, by rule or as it says itself."""
    fresh = {*captured.new, *captured.revised}
    names = [name for one in captured.decisions if one.id in fresh for name in one.supersedes]
    here = {one.id for one in captured.decisions}
    return tuple(one for one in room.memory.decisions_by_ids(names, EVERYTHING) if one.id not in here)


def _in_force(decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
    return tuple(decision for decision in decisions if decision.state is State.CURRENT)


def _kept(captured: Captured) -> bool:
    return bool(_in_force(captured.decisions))


def _restored(room: Room, captured: Captured, user: str) -> bool:
    """Take back what was removed, when somebody points at the thread again: that is their word that it decided."""
    removed = [decision for decision in captured.decisions if decision.state is State.RETRACTED]
    restored = [room.memory.restore(decision.id, by=room.person(user)) for decision in removed]
    return any(restored)


def is_blocked(room: Room, channel: str) -> bool:
    """Say whether the settings keep the bot out of a channel, by id or name."""
    known = room.access.channel(channel)
    return bool(room.settings.blocked_channels & {channel, known.name if known else channel})
