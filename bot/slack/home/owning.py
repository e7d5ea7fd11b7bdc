"""What somebody does about their own data from Home: see all of it, take it out, be left out.

Idempotency key: the message's own for taking out, the setting's value for being left out.
"""

from __future__ import annotations

from bot.capture import leave_person_out
from bot.jobs import FOLLOWS
from bot.slack.home.data import Mine, mine_view
from bot.slack.home.gathering import own_questions, seen_elsewhere
from bot.slack.home.homing import show_home
from bot.slack.home.overseeing import turn_page
from bot.slack.home.people import questions_view
from bot.slack.layout import actions as act
from bot.slack.layout import notices, words
from bot.slack.recording.following import close_channels, erase_turn
from bot.slack.room import Room
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import say
from bot.sources.slack import SOURCE
from store import EVERYTHING, Decision, Delivery

KIND_TAKE_ALL = "take all out"
QUOTES_MAX = 2_000
"""Messages of one person that are looked at together."""


def open_mine(room: Room, delivery: Delivery, page: str) -> str:
    """Show somebody a page of all that names or quotes them and that they can read."""
    user = delivery.payload["user"]
    return turn_page(room, delivery, mine_view(mine_of(room, user), int(page) if page.isdecimal() else 0))


def mine_of(room: Room, user: str) -> Mine:
    """Return all that names or quotes somebody, as they may read it now."""
    found = _mine(room, user)
    named = (*found.decided, *(one for one, _ in found.votes))
    if close_channels(room, seen_elsewhere(room, user, named, found.messages)):
        found = _mine(room, user)
    return found


def _mine(room: Room, user: str) -> Mine:
    reader, memory = room.access.reader_of(user), room.memory
    voted = memory.voted_by(user, reader)
    votes = ((one, vote) for one in voted for vote in memory.votes(one.id, reader) if vote.voter.id == user)
    return Mine(
        person=user,
        messages=memory.quotes_of(user, reader, limit=QUOTES_MAX)[0],
        decided=memory.decided_by(user, reader),
        votes=tuple(votes),
        asked=tuple(one for one in memory.sessions.of_asker(user, limit=QUOTES_MAX) if one.question),
    )


def open_questions(room: Room, delivery: Delivery) -> str:
    """Show somebody their own last questions."""
    return turn_page(room, delivery, questions_view(own_questions(room, delivery.payload["user"])))


def take_out(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Erase one message's text on its author's or an admin's word; a page that lists it is shown anew."""
    turn = target.turn
    user = delivery.payload["user"]
    quoting = room.memory.quoting(turn, room.access.reader_of(user))
    mine = any(quote.turn_id == turn and quote.author_id == user for one in quoting for quote in one.evidence)
    if not quoting or not (mine or room.access.is_admin(user)):
        return "not allowed"
    done = _erase(room, turn, quoting)
    if delivery.payload.get("view"):
        open_mine(room, delivery, target.menu)
    say(room, delivery.payload, body_of(notices.notice(words.DATA_TAKEN_OUT)))
    return done


def take_all_out(room: Room, delivery: Delivery) -> str:
    """Plan that every message of somebody is erased: there may be hundreds, and each edits what was posted of it."""
    user = delivery.payload["user"]
    room.memory.inbox.insert(f"take all:{delivery.key}", KIND_TAKE_ALL, {"user": user}, priority=FOLLOWS)
    say(room, delivery.payload, body_of(notices.notice(words.DATA_TAKING)))
    return "planned"


def on_take_all(room: Room, delivery: Delivery) -> str:
    """Erase every message of somebody, also of channels that they have left; what is done already is passed over."""
    user = delivery.payload["user"]
    erased = 0
    while found := room.memory.quotes_of(user, EVERYTHING, limit=QUOTES_MAX)[0]:
        turns = [quote.turn_id for quote in found if quote.turn_id]
        for turn in turns:
            _erase(room, turn, room.memory.quoting(turn, EVERYTHING))
        erased += len(turns)
        if not turns or len(found) < QUOTES_MAX:
            break
    room.told.put(user, tuple(notices.notice(words.DATA_ALL_TAKEN_OUT).blocks))
    show_home(room, user)
    return f"erased {erased}"


def _erase(room: Room, turn: str, quoting: tuple[Decision, ...]) -> str:
    channel, _, ts = turn.partition("/")
    slack = [one.place.anchor for one in quoting if one.place.source == SOURCE]
    roots = {anchor.partition("/")[2] for anchor in slack if anchor.startswith(f"{channel}/")}
    return "; ".join(erase_turn(room, channel, ts, root) for root in sorted(roots) or (ts,))


def leave_me_out(room: Room, delivery: Delivery, choice: str) -> str:
    """Leave somebody out of every thread that is read from now on, or let them in again, on their own word."""
    user = delivery.payload["user"]
    if choice not in ("yes", "no"):
        return "not ours"
    changed = leave_person_out(room.memory, room.person(user), left_out=choice == "yes")
    return f"left out: {choice}" if changed else "as it was"
