"""Undo: of a removal by whoever can read it, of what was said or changed since by those who decided, or whoever did it.

Idempotency key: what is undone; undoing it twice changes nothing.
"""

from __future__ import annotations

from bot.slack.layout import actions as act
from bot.slack.layout import notices, words
from bot.slack.layout.blocks import names
from bot.slack.recording import removing
from bot.slack.recording.carding import cards_of, redraw_around, redraw_cards
from bot.slack.recording.pairs import BOTH, answered, deciding_words
from bot.slack.recording.wordings import first_wording
from bot.slack.rights import readable
from bot.slack.room import Room
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import say
from store import Decision, Delivery

NAMED_MAX = 3


def on_undo(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Undo what a card says that somebody did."""
    if not target.menu:
        return removing.on_undo(room, delivery, target.decision)
    user = delivery.payload["user"]
    found = readable(room, user, target.decision)
    other = readable(room, user, target.other) if target.other else None
    if found is None or (target.other and other is None):
        return "not readable"
    about = (found,) if other is None else (found, other)
    did = _who_did(room, target.menu, *about)
    deciders = tuple(dict.fromkeys(person.id for one in about for person in one.decided_by if person.id))
    if user not in (*deciders, did):
        told = names([room.access.name_of(name) for name in dict.fromkeys((*deciders, did)) if name], shown=NAMED_MAX)
        say(room, delivery.payload, body_of(notices.notice(words.UNDO_NOT_YOURS.format(who=told or words.WHO_DECIDED))))
        return "not allowed"
    if _undone(room, target.menu, about, user):
        return "undone"
    redraw_around(room, *about)
    if delivery.attempt == 1:  # a second try finds what the first undid
        say(room, delivery.payload, body_of(notices.notice(words.UNDO_TOO_LATE)))
    return "nothing to undo"


def _who_did(room: Room, what: str, decision: Decision, other: Decision | None = None) -> str:
    """Return the id of whoever did what is to be undone, "" where nobody is known."""
    if other is None:
        marks = [(post.body or {}).get("marks") or {} for post in cards_of(room, decision)]
        return next((str(by[decision.id][1]) for by in marks if decision.id in by), "")
    if what == act.UNDO_REPLACES:
        said = room.memory.who_replaced(decision.id, other.id)
        return said.id if said else ""
    proposed = room.memory.proposals.between(first_wording(room, decision), first_wording(room, other))
    return proposed.by if proposed else ""


def _undone(room: Room, what: str, about: tuple[Decision, ...], user: str) -> bool:
    """Do it; False where there is nothing to undo any more."""
    by, one = room.person(user), about[0]
    match what:
        case act.UNDO_EDIT:
            return _unedited(room, one, user)
        case act.UNDO_CONFIRM:
            done = room.memory.withdraw_confirmation(one.id, by=by)
            redraw_cards(room, one, None, user)
            return done
        case act.UNDO_REPLACES if len(about) > 1:
            done = room.memory.withdraw_supersession(one.id, about[1].id, by=by)
            answered(room, one, about[1], BOTH, user)
            redraw_around(room, *about)
            return done
        case act.UNDO_BOTH if len(about) > 1:
            _contested_again(room, one, about[1], user)
            done = answered(room, one, about[1], "", user)
            redraw_around(room, *about)
            return done
        case _:
            return False


def _unedited(room: Room, edited: Decision, user: str) -> bool:
    """Put the wording before an edit back, and what that edit let it replace."""
    by, did = room.person(user), _who_did(room, act.UNDO_EDIT, edited)
    if room.memory.unrevise(edited.id, by=by) is None:
        return False
    older = removing.replaced_by(room, user, edited)
    mine = [one for one in older if (said := room.memory.who_replaced(edited.id, one.id)) and said.id == did]
    for one in mine:
        room.memory.withdraw_supersession(edited.id, one.id, by=by)
    redraw_cards(room, edited, None, user)
    redraw_around(room, *mine)
    return True


def _contested_again(room: Room, one: Decision, other: Decision, user: str) -> None:
    """Let two conflict again where somebody had settled that both apply."""
    if room.memory.both_apply(one.id, other.id):
        words_of = (deciding_words(one), deciding_words(other))
        room.memory.note_conflict(one.id, other.id, quotes=words_of, by=room.person(user))
