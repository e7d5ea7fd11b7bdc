"""The card of a captured thread: posted once, edited in place ever after.

Idempotency key: the thread's anchor. Who removed or edited what is kept beside the post, by ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.slack import cards
from bot.slack.cards import Change, Mark, Story, card
from bot.slack.posting import ALONE, Words, body_of, edit, post_once
from bot.slack.quiet import post_unasked
from bot.slack.replying import whisper
from bot.slack.room import Room
from bot.sources.slack import SOURCE
from store import Decision, Post, Reader, State, Thread

CARD, UNASKED = "card", "unasked card"
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
        before: titles as they stood before the thread turned, by the id of what stands now.
    """
    held = room.memory.posts.by_key(card_key(anchor))
    if held is not None and held.ts and (done := redraw(room, held, before=before)) != GONE:
        return done
    decisions = standing(room, channel, anchor)
    if not decisions:
        return "no card"

    def make() -> Words:
        return Words(
            message=card(decisions, story=_story(room, {}, decisions, before)), ref=anchor, decisions=_ids(decisions)
        )

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
    root = thread.place.anchor.partition("/")[2]
    room.memory.posts.plan(
        Post(
            key=key, kind="ask", channel=channel, ts=ALONE, thread_ts=root, ref=said_by, decisions=(decision.id,),
            body=None, planned_at=room.clock(),
        )
    )  # fmt: skip
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
        before: titles as they stood before the thread turned.
    """
    marks = {name: (kind, who) for name, (kind, who) in ((post.body or {}).get("marks") or {}).items()}
    if decision:
        marks.pop(decision, None)
        if change is not None:
            marks[decision] = (change.value, by)
    room.memory.posts.note(post.key, {"marks": marks})
    decisions = standing(room, post.channel, post.ref, removed=frozenset(marks))
    if not decisions:
        room.client.delete(post.channel, post.ts)
        room.memory.posts.drop(post.key)
        return "card deleted"
    story = _story(room, marks, decisions, before)
    return "card edited" if edit(room, post, card(decisions, story=story), _ids(decisions)) else GONE


def standing(room: Room, channel: str, anchor: str, *, removed: frozenset[str] = frozenset()) -> tuple[Decision, ...]:
    """Return a thread's decisions for those who read it: in force, and the removed ones that its card names."""
    known = room.access.channel(channel)
    scope = frozenset({f"channel:{channel}"})
    reader = Reader(sees_open=known is not None and known.open, scopes=scope)
    found = room.memory.at_place(SOURCE, anchor, reader)
    return tuple(
        one
        for one in found
        if one.title and (one.state is State.CURRENT or (one.state is State.RETRACTED and one.id in removed))
    )


def _ids(decisions: tuple[Decision, ...]) -> tuple[str, ...]:
    return tuple(decision.id for decision in decisions)


def _story(
    room: Room,
    marks: Mapping[str, tuple[str, str]],
    decisions: tuple[Decision, ...],
    before: Mapping[str, str] | None,
) -> Story:
    named = {name: Mark(change=Change(kind), by=room.access.name_of(who)) for name, (kind, who) in marks.items()}
    return Story(marks=named, before=before, replaces=_replaces(room, decisions))


def _replaces(room: Room, decisions: tuple[Decision, ...]) -> dict[str, str]:
    """Return the titles of older decisions that these replace, of other threads, where every reader may read them."""
    found: dict[str, str] = {}
    for decision in decisions:
        reader = Reader(sees_open=decision.scope.open, scopes=frozenset({decision.scope.id}))
        for name in decision.supersedes:
            older = room.memory.decision(name, reader)
            if older is not None and older.place.anchor != decision.place.anchor:
                found[decision.id] = older.title
    return found
