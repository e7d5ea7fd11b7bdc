"""Not a decision, undo, confirm, edit: people's word on what was recorded, shown on the card with their name.

Idempotency key: the decision; saying the same thing again changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from bot.slack.client import Json, Refused
from bot.slack.layout import actions as act
from bot.slack.layout import modals, notices, words
from bot.slack.recording import cards
from bot.slack.recording.carding import card_key, redraw_around, redraw_cards, show_card
from bot.slack.recording.cards import Change
from bot.slack.recording.following import close_converted
from bot.slack.recording.marking import MARKED, deciding_ts, mark_key
from bot.slack.recording.wordings import put_aside, wordings
from bot.slack.rights import may_remove, readable
from bot.slack.room import Room
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import open_form, say, say_after_form, say_instead, whisper
from bot.sources.slack import SOURCE, channel_id
from store import Decision, Delivery, Post, State

CHANGED = "changed meanwhile"
STANDING = "standing"
"""The lock held while it is seen whether a decision still stands, and another put in its place."""
OLDER_MAX = 50
"""Older decisions offered as replaced; Slack's select takes 100."""


def on_not_decision(room: Room, delivery: Delivery, decision: str) -> str:
    """Remove a capture, or ask somebody who took no part whether they mean it."""
    pressed = delivery.payload
    found = readable(room, pressed["user"], decision)
    if found is None:
        return "not readable"
    if overtaken(room, delivery, found):
        return CHANGED
    if not may_remove(room, pressed["user"], found):
        return open_form(room, pressed, modals.second_tap_view(found))
    return remove(room, found, pressed["user"])


def on_second_tap(room: Room, delivery: Delivery) -> str:
    """Remove a capture on the word of somebody who took no part."""
    target = act.decode(delivery.payload["view"]["private_metadata"])
    found = readable(room, delivery.payload["user"], target.decision if target else "")
    if found is None:
        return "not readable"
    return CHANGED if meanwhile(room, delivery, found) else remove(room, found, delivery.payload["user"])


def remove_by_cross(room: Room, channel: str, ts: str, user: str) -> str:
    """Remove what a card shows, or what its thread's first message led to, by ❌ of somebody who took part."""
    post = _crossed(room, channel, ts)
    if post is None or post.key != card_key(post.ref):
        return "not a card"
    named = [one for name in post.decisions if (one := readable(room, user, name)) and one.state is State.CURRENT]
    found = [one for one in named if one.place.anchor == post.ref]
    if post.ts == MARKED:
        found = [one for one in found if deciding_ts(one, channel) == ts] or found
    removed = {one.id for one in found if may_remove(room, user, one) and remove(room, one, user)}
    if post.ts == MARKED:
        for one in found:
            told = notices.removed(one) if one.id in removed else notices.remove_anyway(one)
            whisper(room, channel, user, body_of(told), thread_ts=post.thread_ts)
    elif found and not removed and post.ts == ts:
        whisper(room, channel, user, body_of(notices.notice(words.CROSS_BY_OTHERS)), thread_ts=post.thread_ts)
    return "removed" if removed else "not allowed"


def _crossed(room: Room, channel: str, ts: str) -> Post | None:
    """Return the card on which, or at whose thread or marked message, somebody put a ❌."""
    posts = room.memory.posts
    post = posts.by_ts(channel, ts) or posts.by_key(card_key(f"{channel}/{ts}"))
    marked = posts.by_key(mark_key(channel, ts)) if post is None else None
    return post if marked is None else posts.by_key(card_key(marked.ref))


def remove(room: Room, decision: Decision, user: str) -> str:
    """Take a decision back, with the wordings that edits put aside for it, and name on its card who did."""
    for one in (*put_aside(room, decision), decision):
        room.memory.retract(one.id, by=room.person(user))
    redraw_cards(room, decision, Change.REMOVED, user)
    return "removed"


def on_undo(room: Room, delivery: Delivery, decision: str) -> str:
    """Undo a removal: whoever can read it, for 30 days."""
    user = delivery.payload["user"]
    found = readable(room, user, decision)
    if found is None:
        return "not readable"
    for one in (found, *put_aside(room, found)):
        room.memory.restore(one.id, by=room.person(user))
    redraw_cards(room, found, None, user)
    return "restored"


def on_confirm(room: Room, delivery: Delivery, decision: str) -> str:
    """Confirm a capture: its thread gets a card, and whoever was asked a word of thanks."""
    pressed = delivery.payload
    user = pressed["user"]
    found = readable(room, user, decision)
    if found is None:
        return "not readable"
    if overtaken(room, delivery, found):
        return CHANGED
    room.memory.confirm(found.id, by=room.person(user))
    _thank(room, pressed, words.NOTED_YES)
    if found.place.source != SOURCE:
        return "confirmed"
    if not _show(room, found):
        return "confirmed, no card"
    redraw_cards(room, found, Change.CONFIRMED, user)
    return "confirmed"


def _show(room: Room, decision: Decision) -> bool:
    """Let a decision's thread show it, as whoever confirmed it asked; False where the bot can't post there."""
    try:
        show_card(room, channel_id(decision.place), decision.place.anchor, asked=True)
    except Refused:
        return False
    return True


def on_deny(room: Room, delivery: Delivery, decision: str) -> str:
    """Drop a capture that somebody says was none."""
    pressed = delivery.payload
    found = readable(room, pressed["user"], decision)
    if found is None:
        return "not readable"
    if overtaken(room, delivery, found):
        return CHANGED
    _thank(room, pressed, words.NOTED_NO)
    return remove(room, found, pressed["user"])


def overtaken(room: Room, delivery: Delivery, decision: Decision) -> bool:
    """Say whether what a button names was replaced or removed meanwhile, and tell whoever pressed it.

    Whoever was asked about it is asked about what stands in its place, if nobody has said yes to that. A second try of
    a delivery finds what its first did, so it goes on.
    """
    if delivery.attempt > 1 or decision.state is State.CURRENT:
        return False
    pressed = delivery.payload
    asked = _was_asked(act.decode(pressed["value"]))
    now = _standing(room, pressed["user"], decision) if asked else None
    if now is not None and not now.confirmed:
        say_instead(room, pressed, body_of(cards.ask_first(now)))
    else:
        tell = say_instead if asked else say
        tell(room, pressed, body_of(notices.notice(words.CHANGED_MEANWHILE)))
    redraw_around(room, decision)
    return True


def _standing(room: Room, user: str, decision: Decision) -> Decision | None:
    """Return what stands in the place of an earlier wording of the same thread, for somebody who may act on it."""
    rest = [one for one in wordings(room, decision) if one.id != decision.id]
    found = (readable(room, user, one.id) for one in reversed(rest))
    return next((one for one in found if one is not None and one.state is State.CURRENT), None)


def _thank(room: Room, pressed: Json, line: str) -> None:
    """Say thanks: in place of the question for whoever was asked, else beside the answer that showed it."""
    tell = say_instead if _was_asked(act.decode(pressed["value"])) else say
    tell(room, pressed, body_of(notices.notice(line)))


def _was_asked(target: act.Target | None) -> bool:
    return target is not None and target.menu == act.MENU_ASKED


def on_edit(room: Room, delivery: Delivery, decision: str) -> str:
    """Open a decision for editing, with what it might replace."""
    pressed = delivery.payload
    user = pressed["user"]
    found = readable(room, user, decision)
    if found is None:
        return "not readable"
    form = modals.edit_view(found, older=older(room, user, found))
    if _was_asked(act.decode(pressed["value"])):
        form["private_metadata"] = act.encode(decision=found.id, menu=act.MENU_ASKED)
    return open_form(room, pressed, form)


def older(room: Room, user: str, decision: Decision) -> tuple[Decision, ...]:
    """Return decisions that one might replace: what it does replace, then those in force, on the same topics first."""
    found = _older(room, user, decision)
    return _older(room, user, decision) if close_converted(room, found) else found


def _older(room: Room, user: str, decision: Decision) -> tuple[Decision, ...]:
    reader = room.access.reader_of(user)
    same = [one for name in decision.elements for one in room.memory.history(name, reader)]
    newest = room.memory.decisions(reader, state=State.CURRENT, limit=OLDER_MAX)
    earlier = [one for one in (*same, *newest) if one.day <= decision.day]
    others = (one for one in earlier if one.state is State.CURRENT and one.id != decision.id)
    every = {one.id: one for one in (*replaced_by(room, user, decision), *others)}
    return tuple(every.values())[:OLDER_MAX]


def on_edited(room: Room, delivery: Delivery) -> str:
    """Keep somebody's version: a revision with their name; the one before stays in its history."""
    view, user = delivery.payload["view"], delivery.payload["user"]
    target, edited = act.decode(view["private_metadata"]), modals.read_edit(view)
    with room.locks.of(STANDING):
        found = readable(room, user, target.decision if target else "")
        if found is None or edited is None or edited.errors:
            return "not readable"
        if meanwhile(room, delivery, found):
            return CHANGED
        if not readable(room, user, edited.replaces):
            edited = replace(edited, replaces="")
        new = room.memory.revise(found.id, edited.draft(found), by=room.person(user))
        around = _replacing(room, found, new, edited.replaces, user)
    if new != found.id:
        redraw_cards(room, found, Change.EDITED, user, now=new)
    redraw_around(room, *around, *(() if new != found.id else (found,)))
    if not found.confirmed:
        _vouch(room, delivery, found, new)
    return "edited"


def _vouch(room: Room, delivery: Delivery, edited: Decision, new: str) -> None:
    """Confirm what somebody edited that nobody had confirmed: saving it, changed or not, is their word on it."""
    view, user = delivery.payload["view"], delivery.payload["user"]
    room.memory.confirm(new, by=room.person(user))
    if edited.place.source == SOURCE:
        _show(room, edited)
    thanks, opened = notices.notice(words.NOTED_YES), room.pressed.get(view["id"])
    if _was_asked(act.decode(view["private_metadata"])) and opened is not None:
        say_instead(room, opened, body_of(thanks))
    else:
        say_after_form(room, delivery.payload, thanks)


def _replacing(room: Room, edited: Decision, new: str, chosen: str, user: str) -> tuple[Decision, ...]:
    """Let an edit replace what its form chose, and no more what the form had shown before; returns these."""
    by = room.person(user)
    before = replaced_by(room, user, edited)[:1]
    for one in before:
        if one.id != chosen:
            room.memory.withdraw_supersession(edited.id, one.id, by=by)
    if chosen:
        room.memory.supersede(new, chosen, by=by)
    return tuple(room.memory.decisions_by_ids([*(one.id for one in before), chosen], room.access.reader_of(user)))


def replaced_by(room: Room, user: str, decision: Decision) -> tuple[Decision, ...]:
    """Return what of other places a decision replaces, as somebody may read it."""
    found = room.memory.decisions_by_ids(decision.supersedes, room.access.reader_of(user))
    return tuple(one for one in found if one.title and one.place.anchor != decision.place.anchor)


def meanwhile(room: Room, delivery: Delivery, *decisions: Decision) -> bool:
    """Say whether one of these was replaced or removed while its form stood open, and tell whoever submitted it.

    A second try of a delivery finds what its first did, so it goes on.
    """
    if delivery.attempt > 1 or all(one.state is State.CURRENT for one in decisions):
        return False
    say_after_form(room, delivery.payload, notices.notice(words.CHANGED_MEANWHILE))
    return True
