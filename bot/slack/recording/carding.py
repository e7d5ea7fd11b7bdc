"""The card of a captured thread: posted once, edited in place ever after.

Idempotency key: the thread's anchor. Who removed or edited what is kept beside the post, by ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.slack.client import Json, Refused
from bot.slack.recording import cards, marking
from bot.slack.recording.cards import Change, Mark, Other, Story, card
from bot.slack.recording.pairs import look_for, other, pairs_of, threads_beside
from bot.slack.room import Marking, Room
from bot.slack.saying.posting import OUT_OF_REACH, Words, body_of, edit, note_said, post_once
from bot.slack.saying.quiet import ASK, may_ask, post_unasked
from bot.slack.saying.replying import whisper
from bot.sources.slack import SOURCE
from store import Decision, Post, Reader, State, Thread

CARD, UNASKED, PAIRS = "card", "unasked card", "pairs"
NAMING = (CARD, UNASKED, PAIRS)
"""Kinds of posts that may name decisions of other places."""
GONE = "card gone"


def card_key(anchor: str) -> str:
    """Return the key of a thread's card."""
    return f"card:{anchor}"


def show_card(room: Room, channel: str, anchor: str, *, asked: bool, before: Mapping[str, str] | None = None) -> str:
    """Post a thread's card, or edit the one that stands; returns what was done.

    Args:
        room: the parts.
        channel: where.
        anchor: the thread's.
        asked: somebody pointed at the thread, so the noise budget doesn't count.
        before: what stood before the thread turned, by the id of what stands now: ids too.
    """
    decisions = standing(room, channel, anchor)
    look_for(room, channel, decisions)
    held = room.memory.posts.by_key(card_key(anchor))
    if held is not None and held.ts and (done := redraw(room, held, before=before)) != GONE:
        return done
    decisions = tuple(one for one in decisions if one.state is State.CURRENT)
    if not decisions:
        return "no card"
    by_emoji = held is None and room.marking(channel) is Marking.EMOJI
    if (
        by_emoji
        and not any(pairs_of(room, channel, decisions).values())
        and marking.mark(room, card_key(anchor), channel, anchor, decisions, asked=asked)
    ):
        _note_pairs(room, channel, anchor, decisions)
        return "marked"

    def make() -> Words:
        story = _story(room, channel, {"before": dict(before or {})}, decisions)
        return Words(message=card(decisions, story=story), ref=anchor, decisions=_named(decisions, story))

    root, key = anchor.partition("/")[2], card_key(anchor)
    if asked:
        post_once(room, key=key, kind=CARD, channel=channel, thread_ts=root, make=make)
        return "card"
    posted = post_unasked(room, key=key, kind=UNASKED, channel=channel, thread_ts=root, make=make)
    return "card" if posted else "no card: enough for today"


def ask_first(room: Room, channel: str, thread: Thread, waiting: Sequence[Decision]) -> str:
    """Ask whoever said the deciding words, alone and once a thread, whether they decided.

    Nobody is asked about more than one decision of a thread, and no guest or outsider.
    """
    decision = waiting[0]
    said_by = next((quote.author_id for quote in decision.evidence if quote.author_id), "")
    key = f"ask:{thread.place.anchor}"
    if not room.access.may_act(said_by, channel) or room.memory.posts.by_key(key) is not None:
        return "not asked"
    if not may_ask(room, said_by):
        return "not asked: enough for today"
    root = thread.place.anchor.partition("/")[2]
    note_said(room, key=key, kind=ASK, channel=channel, thread_ts=root, ref=said_by, decisions=(decision.id,))
    whisper(room, channel, said_by, body_of(cards.ask_first(decision)), thread_ts=root if len(thread.turns) > 1 else "")
    return "asked"


def redraw(
    room: Room,
    post: Post,
    *,
    change: Change | None = None,
    decision: str = "",
    by: str = "",
    before: Mapping[str, str] | None = None,
) -> str:
    """Edit a card so that it shows what stands now, noting a change and whose it is; twice is once.

    Args:
        room: the parts.
        post: the card.
        change: what somebody did, None for an undo or a new reading.
        decision: to which decision it was done, by its id as it is now.
        by: their user id.
        before: what stood before the thread turned, by the id of what stands now: ids too.
    """
    with room.locks.of(f"card/{post.key}"):
        held = room.memory.posts.by_key(post.key) or post
        noted = {"marks": dict((held.body or {}).get("marks") or {}),
                 "before": dict((held.body or {}).get("before") or {}) | dict(before or {})}  # fmt: skip
        if decision:
            noted["marks"].pop(decision, None)
            if change is not None:
                noted["marks"][decision] = (change.value, by)
        room.memory.posts.note(post.key, noted)
        if post.ts == marking.MARKED:
            return _mark_anew(room, post)
        decisions = standing(room, post.channel, post.ref, removed=frozenset(noted["marks"]))
        if not decisions:
            return "card deleted" if _deleted(room, post) else "card out of reach"
        story = _story(room, post.channel, noted, decisions)
        return "card edited" if edit(room, post, card(decisions, story=story), _named(decisions, story)) else GONE


def _deleted(room: Room, post: Post) -> bool:
    """Delete a post; False where nothing can be changed now, and it stays known until it can."""
    try:
        room.client.delete(post.channel, post.ts)
    except Refused as refused:
        if refused.code in OUT_OF_REACH:
            return False
        raise
    room.memory.posts.drop(post.key)
    return True


def _mark_anew(room: Room, post: Post) -> str:
    """Let 🔖 stand on the messages of what is in force now, and on no other of the thread."""
    decisions = tuple(one for one in standing(room, post.channel, post.ref) if one.state is State.CURRENT)
    marking.unmark(room, post, decisions)
    marking.mark(room, post.key, post.channel, post.ref, decisions, asked=post.kind == marking.MARK)
    _note_pairs(room, post.channel, post.ref, decisions)
    return "marked"


def redraw_note(room: Room, post: Post) -> str:
    """Edit a note on pairs, or take it away where there is nothing to tell any more."""
    decisions = tuple(one for one in standing(room, post.channel, post.ref) if one.state is State.CURRENT)
    _note_pairs(room, post.channel, post.ref, decisions)
    return "note edited"


def _note_pairs(room: Room, channel: str, anchor: str, decisions: tuple[Decision, ...]) -> None:
    """Say in a thread without a card what its decisions may turn on, within the noise budget; once, edited in place."""
    story = _story(room, channel, {}, decisions)
    told = cards.note(decisions, story)
    key = f"pairs:{anchor}"
    held = room.memory.posts.by_key(key)
    if held is not None and held.ts and told is not None:
        edit(room, held, told, _named(decisions, story))
    elif held is not None and held.ts:
        _deleted(room, held)
    elif told is not None and pairs_of(room, channel, decisions):
        words = Words(message=told, ref=anchor, decisions=_named(decisions, story))
        root = anchor.partition("/")[2]
        post_unasked(room, key=key, kind=PAIRS, channel=channel, thread_ts=root, make=lambda: words)


def redraw_cards(room: Room, decision: Decision, change: Change | None, user: str, *, now: str = "") -> None:
    """Note on every card that shows a decision what somebody did to it; `now` is its id where it was worded anew."""
    for post in cards_of(room, decision):
        redraw(room, post, change=change, decision=now or decision.id, by=user)


def redraw_around(room: Room, *decisions: Decision) -> None:
    """Edit every card that shows one of these decisions, of which nothing but their standing changed."""
    for post in {post.key: post for decision in decisions for post in cards_of(room, decision)}.values():
        redraw(room, post)


def cards_of(room: Room, decision: Decision) -> tuple[Post, ...]:
    """Return the cards that show a decision, stand in its thread, or ask about it."""
    found = [post for post in room.memory.posts.for_decision(decision.id) if post.key == card_key(post.ref)]
    anchors = (*(place.anchor for place in decision.places), *threads_beside(room, decision))
    found += [post for anchor in anchors if (post := room.memory.posts.by_key(card_key(anchor))) is not None]
    return tuple({post.key: post for post in found if post.ts}.values())


def standing(room: Room, channel: str, anchor: str, *, removed: frozenset[str] = frozenset()) -> tuple[Decision, ...]:
    """Return a thread's decisions for those who read it: in force, replaced elsewhere, removed where its card says so.

    What was worded anew in the thread itself is not among them.
    """
    found = room.memory.at_place(SOURCE, anchor, _readers(room, channel))
    here = {one.id for one in found}

    def shown(one: Decision) -> bool:
        match one.state:
            case State.CURRENT:
                return True
            case State.RETRACTED:
                return one.id in removed
            case State.SUPERSEDED:
                return not here & set(one.superseded_by)

    return tuple(one for one in found if one.title and shown(one))


def _readers(room: Room, channel: str) -> Reader:
    """Return what all who read a channel may read; at least what was said in it, for they read that."""
    own = f"channel:{channel}"
    joint = room.access.readers_of_channel(channel)
    if own in joint.scopes:
        return joint
    known = room.access.channel(channel)
    return Reader(sees_open=known is not None and known.open, scopes=frozenset({own}))


def _named(decisions: tuple[Decision, ...], story: Story) -> tuple[str, ...]:
    """Return the ids of all that a card names, its own first: what changes or is erased elsewhere changes it too."""
    others = [*(story.replaced or {}).values(), *(one for each in (story.replaces or {}).values() for one in each)]
    others += [pair.other for each in (story.pairs or {}).values() for pair in each]
    return tuple(dict.fromkeys([*(one.id for one in decisions), *(one.id for one in others)]))


def _story(room: Room, channel: str, noted: Json, decisions: tuple[Decision, ...]) -> Story:
    """Return what happened around a card's decisions, by what is kept beside its post and what the log knows."""
    reader = _readers(room, channel)
    marks = noted.get("marks") or {}
    turned: Mapping[str, str] = noted.get("before") or {}
    before = {now: one for now, name in turned.items() if (one := room.memory.decision(name, reader)) is not None}
    named = {name: Mark(change=Change(kind), by=room.access.name_of(who)) for name, (kind, who) in marks.items()}
    worded = {now: named[one.id].by for now, one in before.items()
              if one.id in named and named[one.id].change is Change.EDITED}  # fmt: skip
    return Story(
        marks=named,
        before={now: one.title for now, one in before.items()},
        worded_by=worded,
        replaces=_replaces(room, decisions, reader),
        replaced=_replaced(room, decisions, reader),
        pairs=pairs_of(room, channel, decisions),
    )


def _replaces(room: Room, decisions: tuple[Decision, ...], reader: Reader) -> dict[str, tuple[Other, ...]]:
    """Return the older decisions of other threads that these replace, where every reader may read them."""
    found: dict[str, tuple[Other, ...]] = {}
    for decision in decisions:
        older = room.memory.decisions_by_ids(decision.supersedes, reader)
        elsewhere = [one for one in older if one.title and one.place.anchor != decision.place.anchor]
        if elsewhere:
            found[decision.id] = tuple(other(room, one, by=_by(room, decision, one)) for one in elsewhere)
    return found


def _replaced(room: Room, decisions: tuple[Decision, ...], reader: Reader) -> dict[str, Other]:
    """Return what of another thread replaced these, the latest of each."""
    found: dict[str, Other] = {}
    for decision in (one for one in decisions if one.state is State.SUPERSEDED):
        newer = [one for one in room.memory.decisions_by_ids(decision.superseded_by, reader) if one.title]
        if newer:
            found[decision.id] = other(room, newer[-1], by=_by(room, newer[-1], decision))
    return found


def _by(room: Room, newer: Decision, older: Decision) -> str:
    """Return who said that one replaces the other, "" where it followed by rule."""
    said = room.memory.who_replaced(newer.id, older.id)
    if said is None:
        return ""
    return room.access.name_of(said.id) if said.id else said.name
