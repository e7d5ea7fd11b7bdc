"""What follows from news of Slack: edits, deletions, channels that change their readers, coming and going.

Idempotency key: the message or channel that the news is about; each step can be done again.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.capture import masked_thread
from bot.errors import ModelAway, Transient
from bot.forget import KIND_ERASED
from bot.jobs import FOLLOWS
from bot.ports import Answer
from bot.slack.access import channel_of
from bot.slack.client import Json, Refused
from bot.slack.recording.capturing import reread
from bot.slack.recording.carding import NAMING, card_key, redraw
from bot.slack.room import Room
from bot.slack.saying.erasing import overwrite
from bot.slack.saying.posting import ALONE
from bot.slack.saying.quiet import DRAWN_ANEW
from bot.slack.saying.threads import fetched
from bot.sources.slack import SOURCE, channel_id, plain_text, question_key, turn_id_of
from store import EVERYTHING, Decision, Delivery, Person, Reader, openness_setting

SLACK = Person(name="Slack", id="")
CLOSED_SETTING = "workspace:closed"

_OPENNESS = frozenset({
    "channel_convert_to_private", "channel_convert_to_public", "channel_deleted", "channel_shared", "channel_unshared",
    "group_deleted",
})  # fmt: skip
"""What changes who may read a channel; one that was deleted is read by nobody."""

_DELETED = frozenset({"channel_deleted", "group_deleted"})
"""What takes a channel's messages away for good; the nightly recheck erases them here."""


def on_changed(room: Room, delivery: Delivery) -> str:
    """Read the thread of an edited message anew where it holds decisions; words edited away are erased."""
    edited = delivery.payload
    channel, ts = edited["channel"], edited["ts"]
    root = edited["thread_ts"] or ts
    if not room.memory.at_place(SOURCE, f"{channel}/{root}", EVERYTHING):
        return "nothing recorded"
    try:
        return _erased(room, edited, reread(room, channel, root))
    except ModelAway:
        _erased(room, edited, "")  # what was edited away goes now, whenever the rest is read
        raise


def _erased(room: Room, edited: Json, done: str) -> str:
    channel, ts = edited["channel"], edited["ts"]
    root = edited["thread_ts"] or ts
    try:
        with fetched(room, channel, root) as thread:
            turns = masked_thread(thread).turns if thread is not None else ()
            stands = next((turn.text for turn in turns if turn.turn_id == turn_id_of(channel, ts)), "")
            if all(quote in stands for quote in _quoted(room, channel, root, ts)):
                return done
            return f"{done}, {_erase(room, channel, ts, root, stands=stands)}"
    except Refused:
        return done


def _quoted(room: Room, channel: str, root: str, ts: str) -> frozenset[str]:
    """Return what decisions quote of one message, earlier wordings too."""
    found = room.memory.at_place(SOURCE, f"{channel}/{root}", EVERYTHING)
    turn = turn_id_of(channel, ts)
    return frozenset(quote.quote for one in found for quote in one.evidence if quote.turn_id == turn)


def erase_edited(room: Room, channel: str, ts: str, root: str, *, text: str) -> str:
    """Erase of one message what was edited away while nobody told the bot; its `text` now, as Slack has it.

    What is quoted as it stands there needs no second look, at names and secrets.
    """
    if all(quote in plain_text(text, {}) for quote in _quoted(room, channel, root, ts)):
        return "as it was"
    return _erased(room, {"channel": channel, "ts": ts, "thread_ts": root}, "") or "as it was"


def on_deleted(room: Room, delivery: Delivery) -> str:
    """Erase a deleted message everywhere: log, indexes, answers, cards; or forget a post of the bot that is gone."""
    gone = delivery.payload
    channel, ts = gone["channel"], gone["ts"]
    if (post := room.memory.posts.by_ts(channel, ts)) is not None:
        room.memory.posts.drop(post.key)
        return "own post"
    _forget_question(room, channel, ts)
    return erase_turn(room, channel, ts, gone["thread_ts"] or ts)


def _forget_question(room: Room, channel: str, ts: str) -> None:
    """Drop the words of a question that its asker deleted, and an answer that only repeats them."""
    post = room.memory.posts.by_key(f"answer:{question_key(room.bot.team, channel, ts)}")
    kept = room.memory.sessions.get(post.ref) if post is not None else None
    if post is None or kept is None:
        return
    if post.ts and (kept.answer is None or kept.answer.get("shape") == "nothing"):
        overwrite(room, post.channel, post.ts)
    room.memory.sessions.forget_question(kept.session)


def erase_turn(room: Room, channel: str, ts: str, root: str) -> str:
    """Erase one message's text from the memory and from what the bot posted of it."""
    with room.locks.of(f"{channel}/{root}"):
        return _erase(room, channel, ts, root)


def _erase(room: Room, channel: str, ts: str, root: str, *, stands: str | None = None) -> str:
    """Erase a message that is gone, or what an edit took away; `stands` is its text now. The thread's lock is held.

    What was posted comes first: while the memory quotes the words, a second try finds them.
    """
    turn = turn_id_of(channel, ts)
    for session in room.memory.sessions.quoting(turn):
        for post in room.memory.posts.for_ref(session):
            if post.ts and post.ts != ALONE:
                overwrite(room, post.channel, post.ts)
    shown = _shown_unasked(room, f"{channel}/{root}", turn)
    touched = room.memory.redact_turn(SOURCE, turn, stands=stands)
    for key in shown if touched else ():
        room.memory.inbox.insert(f"erased:{key}:{turn}:{room.clock()}", KIND_ERASED, {"post": key}, priority=FOLLOWS)
    card = room.memory.posts.by_key(card_key(f"{channel}/{root}"))
    if touched and card is not None and card.ts:
        redraw(room, card)
    return f"erased from {touched}"


def _shown_unasked(room: Room, anchor: str, turn: str) -> tuple[str, ...]:
    """Return the keys of what was posted elsewhere and shows what rests on a message.

    Those are digests, direct messages, lists, other threads' cards, and what was told to whoever waited for an answer.
    """
    found = room.memory.at_place(SOURCE, anchor, EVERYTHING)
    resting = [one for one in found if any(quote.turn_id == turn for quote in one.evidence)]
    posts = [post for one in resting for post in room.memory.posts.for_decision(one.id)]
    kinds, quoting = DRAWN_ANEW.union(NAMING), set(room.memory.sessions.quoting(turn))
    told = (post for post in posts if post.kind in kinds or (post.kind == "answer" and post.ref not in quoting))
    return tuple({post.key: "" for post in told if post.key != card_key(anchor)})


def on_channel(room: Room, delivery: Delivery) -> str:
    """Note who may read a channel now; what was recorded in it follows its openness."""
    channel, what = delivery.payload["channel"], delivery.payload["what"]
    room.access.channel_changed(channel)
    known = room.access.channel(channel, fresh=True)
    room.access.inside(channel, fresh=True)
    if what in _DELETED and known is None:
        room.memory.rechecks.deleted(channel)
    if what not in _OPENNESS:
        return "noted"
    is_open = known is not None and known.open
    room.memory.set_setting(openness_setting(f"channel:{channel}"), "yes" if is_open else "no", by=SLACK)
    if not is_open:
        _unname(room, delivery, channel)
    return "open" if is_open else "closed"


def catch_up(room: Room, delivery: Delivery, channel: str) -> None:
    """Plan that cards are drawn anew which could not be changed while the bot was out of their channel.

    Slack takes it out of what is archived.
    """
    for kind in NAMING:
        for post in room.memory.posts.of_kind(kind, channel):
            named = f"reopened:{post.key}:{delivery.key}"
            room.memory.inbox.insert(named, KIND_ERASED, {"post": post.key}, priority=FOLLOWS)


def _unname(room: Room, delivery: Delivery, channel: str) -> None:
    """Plan that cards of other channels are drawn anew which name what was decided in a channel that closed."""
    inside = room.memory.decisions(Reader(sees_open=False, scopes=frozenset({f"channel:{channel}"})))
    posts = [post for one in inside for post in room.memory.posts.for_decision(one.id)]
    for key in {post.key for post in posts if post.kind in NAMING and post.channel != channel}:
        room.memory.inbox.insert(f"closed:{key}:{delivery.key}", KIND_ERASED, {"post": key}, priority=FOLLOWS)


def close_behind(room: Room, answer: Answer) -> bool:
    """Close the channels, of all that an answer shows or names, that became private unnoticed; whether any did."""
    shown = [line.decision for line in (*answer.evidence, *answer.unconfirmed, *answer.nearest)]
    named = {other for one in shown for other in (*one.supersedes, *one.superseded_by, *one.cites)}
    return close_converted(room, (*shown, *room.memory.decisions_by_ids(sorted(named), EVERYTHING)))


def close_converted(room: Room, decisions: Iterable[Decision]) -> bool:
    """Close the channels of open decisions that became private while nobody told the bot; whether any did.

    A public channel is there for every bot to look at: one that Slack doesn't find any more is private or gone.
    """
    open_ones = (one for one in decisions if one.scope.open and one.place.source == SOURCE)
    return close_channels(room, (channel_id(one.place) for one in open_ones))


def close_channels(room: Room, channels: Iterable[str]) -> bool:
    """Close those of some open channels that became private while nobody told the bot; whether any did."""
    try:
        closed = [one for one in sorted(set(channels)) if _is_closed(room, one)]
    except Transient:
        return False  # Slack can't be asked now: what it said last stands, as for everything else
    for one in closed:
        room.memory.set_setting(openness_setting(f"channel:{one}"), "no", by=SLACK)
    return bool(closed)


def _is_closed(room: Room, channel: str) -> bool:
    """Say whether Slack has a channel as private, shared or gone; looked up anew unless news of it reaches the bot.

    A refusal for another reason, such as a missing scope, says nothing of the channel.
    """
    raw = room.access.raw_channel(channel)
    if raw is not None and raw.get("is_member") is True:
        return not channel_of(raw).open
    try:
        return not channel_of(room.client.channel(channel)).open
    except Refused as refused:
        return refused.code == "channel_not_found"


def on_closed(room: Room, delivery: Delivery) -> str:
    """Close the workspace: nothing is answered or recorded until it is installed anew. Erasing is asked for apart."""
    room.memory.set_setting(CLOSED_SETTING, "yes", by=SLACK)
    room.previews.clear()
    return "closed"


def is_closed(room: Room) -> bool:
    """Say whether the workspace took the bot away."""
    return room.memory.setting(CLOSED_SETTING) == "yes"


def reopen(room: Room) -> None:
    """Open the workspace again: its token is valid."""
    if is_closed(room):
        room.memory.set_setting(CLOSED_SETTING, "no", by=SLACK)
