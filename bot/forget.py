"""Forgetting: a message, a decision, a person, a channel or all of it, out of the log, its projections and its indexes.

Idempotency key: the message's, the decision's, the person's or the channel's own id; forgetting twice is forgetting
once. The place of a message or a decision is not captured again, nor is anything of a channel. What the bot posted of
it in Slack is overwritten by the bot when it serves: rows of the inbox name the posts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.errors import WrongInput
from bot.sources.slack import SOURCE, turn_id_of
from store import EVERYTHING, Person

if TYPE_CHECKING:
    from store import Memory, Post

_PERMALINK = re.compile(
    r"https://[^/\s]+/archives/(?P<channel>[A-Z0-9]+)/p(?P<seconds>\d{10})(?P<micros>\d{6})(?:\?\S*)?"
)
_USER = re.compile(r"[UW][A-Z0-9]{5,}")
_CHANNEL = re.compile(r"[CDG][A-Z0-9]+")
_TURN = re.compile(r"(?P<channel>[A-Z0-9]{2,})/(?P<ts>\d{1,12}\.\d{6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was forgotten, and from how many decisions it was taken."""

    kind: Literal["message", "decision", "person", "channel", "workspace"]
    id: str
    decisions: int
    quotes: int = 0
    """Quotes of a person, or of a channel in decisions of elsewhere, that were erased."""


ASKED, DIGEST = "asked", "digest"
"""Kinds of the posts that put a question to a channel, and that list it there."""
KIND_ERASED = "erased"
"""The delivery by which the bot takes back a post of something erased."""
FOLLOWS_ERASURE = 2
"""Its priority: that of what follows from messages."""


def turn_named(text: str) -> str | None:
    """Return the id of the message that a permalink or an id names; None where it names none."""
    if match := _PERMALINK.fullmatch(text):
        return turn_id_of(match["channel"], f"{match['seconds']}.{match['micros']}")
    if match := _TURN.fullmatch(text):
        return turn_id_of(match["channel"], match["ts"])
    return None


def forget(memory: Memory, named: str) -> Forgotten:
    """Forget the message of a permalink or id, or the decision of an id or ref.

    Raises:
        WrongInput: nobody knows a decision of that name, or nothing recorded rests on that message.
    """
    turn = turn_named(named)
    if turn is not None:
        resting = memory.quoting(turn, EVERYTHING)
        posted = _posted_of(memory, [turn, *(one.id for one in resting)], [one.place.anchor for one in resting])
        touched = memory.redact_turn(SOURCE, turn)
        _take_back(memory, posted)
        if not touched:
            raise WrongInput(f"{named}: nothing recorded rests on that message")
        return Forgotten(kind="message", id=turn, decisions=touched)
    decision = memory.decision(named, EVERYTHING)
    if decision is None:
        raise WrongInput(f"{named}: no such decision")
    posted = _posted_of(memory, memory.wordings(decision.id), [decision.place.anchor])
    erased = memory.forget_decision(decision.id)
    _take_back(memory, posted)
    if not erased:
        raise WrongInput(f"{named}: it is forgotten already")
    return Forgotten(kind="decision", id=decision.id, decisions=1)


def person_named(memory: Memory, named: str) -> Person:
    """Return whom an id or a name means; somebody whom only records name, without an id, goes by that name.

    Raises:
        WrongInput: the name is empty, or several people have it.
    """
    name = named.strip()
    if not name.strip("@"):
        raise WrongInput("the name of a person is empty")
    found = memory.members.people_called(name)
    if len(found) > 1:
        ids = ", ".join(person for person, _ in found)
        raise WrongInput(f"{named}: {len(found)} people are called that; name one by id: {ids}")
    if found:
        return Person(id=found[0][0], name=found[0][1])
    return Person(id=name, name="") if _USER.fullmatch(name) else Person(id="", name=name.removeprefix("@"))


def forget_person(memory: Memory, person: Person) -> Forgotten:
    """Forget what somebody wrote, asked and voted, and their name on what others decided with them.

    Raises:
        WrongInput: nothing names them.
    """
    naming = memory.about_person(person)
    turns = sorted({str(each.body.get("turn_id") or "") for each in naming if each.is_quote} - {""})
    decisions = sorted({one for each in naming for one in each.about})
    anchors = [one.place.anchor for one in memory.decisions_by_ids(decisions, EVERYTHING)]
    posted = _posted_of(memory, [*decisions, *turns], anchors)
    asked = _asked_by(memory, person)
    done = memory.forget_person(person)
    _take_back(memory, tuple({post.key: post for post in (*posted, *asked)}.values()))
    if not naming and not done.beside:
        raise WrongInput(f"{person.name or person.id}: nothing here names them")
    return Forgotten(kind="person", id=person.id or person.name, decisions=len(decisions), quotes=done.quotes)


def channel_named(memory: Memory, named: str) -> str:
    """Return the id of the channel that an id or a name means.

    Raises:
        WrongInput: no channel of that name is known.
    """
    name = named.strip().removeprefix("#")
    known = memory.members.find_channel(name) if name else None
    if known is not None:
        return known[0]
    if _CHANNEL.fullmatch(name):
        return name
    raise WrongInput(f"{named}: no channel of that name is known; name it by id (C…, from its link in Slack)")


def channel_held(memory: Memory, channel: str) -> Forgotten:
    """Return what forgetting a channel would take out."""
    said = memory.said_in(channel)
    living = [one for one in memory.decisions_by_ids(said.decisions, EVERYTHING) if one.title]
    return Forgotten(kind="channel", id=channel, decisions=len(living), quotes=len(said.quoting))


def forget_channel(memory: Memory, channel: str) -> Forgotten:
    """Forget everything said in a channel, and never capture it again.

    Raises:
        WrongInput: it is forgotten already, and nothing of it is left.
    """
    said = memory.said_in(channel)
    anchors = [one.place.anchor for one in memory.decisions_by_ids(said.quoting, EVERYTHING)]
    named = [*said.decisions, *said.quoting, *(turn for _, turn in said.turns)]
    posted = {post.key: post for post in (*_posted_of(memory, named, anchors), *memory.posts.in_channel(channel))}
    done = memory.forget_channel(channel)
    _take_back(memory, [post for post in posted.values() if post.ts])
    if not done.fresh and not done.erased and not done.quotes:
        raise WrongInput(f"{channel}: it is forgotten already")
    return Forgotten(kind="channel", id=channel, decisions=done.erased, quotes=done.quotes)


def forget_workspace(memory: Memory) -> Forgotten:
    """Forget everything that was ever said."""
    living = memory.kept(EVERYTHING)
    memory.forget_workspace()
    return Forgotten(kind="workspace", id="", decisions=living.decisions)


def _posted_of(memory: Memory, named: Sequence[str], anchors: Sequence[str]) -> tuple[Post, ...]:
    """Return what the bot posted of these turns and decisions: answers that quote them, cards that show them."""
    sessions = sorted({session for one in named for session in memory.sessions.quoting(one)})
    found = [post for ref in (*sessions, *anchors) if ref for post in memory.posts.for_ref(ref)]
    found += [post for one in named for post in memory.posts.for_decision(one)]
    return tuple({post.key: post for post in found if post.ts}.values())


def _asked_by(memory: Memory, person: Person) -> tuple[Post, ...]:
    """Return what the bot posted of somebody's questions: put to a channel, shared, listed, or without an answer."""
    sessions = memory.sessions.asked_by(person.id) if person.id else ()
    found = [post for session in sessions for post in memory.posts.for_ref(session)]
    asked = [post for post in found if post.kind == ASKED]
    listed = [
        post
        for channel in sorted({post.channel for post in asked})
        for post in memory.posts.of_kind(DIGEST, channel, since=min(one.planned_at for one in asked))
    ]
    return tuple(post for post in (*found, *listed) if post.ts)


def _take_back(memory: Memory, posted: Sequence[Post]) -> None:
    """Ask the bot to overwrite what it posted, when it next serves; a row a post, by its key."""
    for post in posted:
        key = f"erased:{post.key}:{memory.clock().isoformat()}"
        memory.inbox.insert(key, KIND_ERASED, {"post": post.key}, priority=FOLLOWS_ERASURE)
