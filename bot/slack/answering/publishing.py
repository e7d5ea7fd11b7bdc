"""What its asker alone saw, put to a channel on their word: an answer shared, a question for the team.

What is posted is asked anew for all who read the channel; what its asker alone may read beyond that follows to
them alone. Till somebody presses, nobody else has seen their question.

Idempotency key: the session and the channel.
"""

from __future__ import annotations

from collections.abc import Callable

from bot.ports import Answer, Evidence
from bot.slack.answering.asking import ask_for, reader_here, worded
from bot.slack.answering.gaps import ASKED
from bot.slack.answering.reopened import reopened_for
from bot.slack.client import Json, Refused
from bot.slack.layout import notices, words
from bot.slack.room import Room
from bot.slack.saying.posting import Words, body_of, note_said, post_once
from bot.slack.saying.replying import say, say_instead, whisper
from store import Delivery, Trajectory, Wish


def ask_team(room: Room, delivery: Delivery, session: str) -> str:
    """Put a question to the channel on its asker's word, who is told when an answer to it is recorded."""
    pressed = delivery.payload
    user, channel = pressed["user"], pressed["channel"]
    kept = _own(room, session, user)
    if kept is None:
        return _gone(room, pressed)
    asked = Words(message=notices.team_asked(kept.question, room.access.name_of(user)), ref=session)
    ts = _posted(room, pressed, f"asked:{session}", ASKED, lambda: asked)
    if not ts:
        return "not a member"
    room.memory.wanted.add(Wish(session=session, person=user, wished_at=kept.asked_at, anchor=f"{channel}/{ts}"))
    told = body_of(notices.will_tell(session, asked=True))
    (say_instead if pressed["ephemeral"] else say)(room, pressed, told)
    return "posted"


def share(room: Room, delivery: Delivery, session: str) -> str:
    """Ask anew for all who read the channel, and post that: what its asker alone can read follows to them alone.

    Where that leaves nothing, nothing is posted: a channel learns nothing from what it may not read.
    """
    pressed = delivery.payload
    user, channel = pressed["user"], pressed["channel"]
    kept = _own(room, session, user)
    if kept is None:
        return _gone(room, pressed)
    if not _is_inside(room, channel):
        return _not_inside(room, pressed)
    reader = reader_here(room, channel, user, fresh=True)
    own = reopened_for(room, kept, user)
    answer = ask_for(room, kept.question, reader, lambda: reader_here(room, channel, user), user)
    if answer.shape == "nothing" and own is not None and own.shape != "nothing":
        say(room, pressed, body_of(notices.notice(words.NOBODY_ELSE_READS)))
        return "nothing to share"

    def make() -> Words:
        return worded(room, answer, alone=False, shared_by=room.access.name_of(user))

    ts = _posted(room, pressed, f"share:{session}", "answer", make)
    if not ts:
        return "not a member"
    if own is not None:
        _follow(room, session, channel, user, ts, _beyond(own, answer))
    return "posted"


def _beyond(own: Answer, shared: Answer) -> tuple[Evidence, ...]:
    """Return the lines of what somebody sees that stand in no answer for everybody here: one a decision."""
    lines = {line.decision.id: line for line in reversed(own.evidence)}
    shown = {line.decision.id for line in shared.evidence}
    return tuple(line for id, line in reversed(lines.items()) if id not in shown and not _may_read(shared, line))


def _may_read(shared: Answer, line: Evidence) -> bool:
    return shared.reader.may_read(line.decision.scope)


def _follow(room: Room, session: str, channel: str, user: str, ts: str, lines: tuple[Evidence, ...]) -> None:
    """Show somebody alone, once, what they can read beyond what they shared."""
    key = f"beyond:{session}:{channel}"
    if not lines or room.memory.posts.by_key(key) is not None:
        return
    if whisper(room, channel, user, body_of(notices.only_you(lines))):
        shown = tuple(line.decision.id for line in lines)
        note_said(room, key=key, kind="told", channel=channel, thread_ts=ts, ref=session, decisions=shown)


def _own(room: Room, session: str, user: str) -> Trajectory | None:
    """Return what somebody asked themselves."""
    kept = room.memory.sessions.get(session)
    return kept if kept is not None and kept.asker_id == user and kept.question else None


def _gone(room: Room, pressed: Json) -> str:
    say(room, pressed, body_of(notices.notice(words.QUESTION_GONE)))
    return "not theirs"


def _posted(room: Room, pressed: Json, key: str, kind: str, make: Callable[[], Words]) -> str:
    """Post once in the channel of a press; "" where the bot can't, which its presser is told."""
    channel = pressed["channel"]
    try:
        return post_once(room, key=f"{key}:{channel}", kind=kind, channel=channel, thread_ts="", make=make)
    except Refused:
        _not_inside(room, pressed)
        return ""


def _is_inside(room: Room, channel: str) -> bool:
    raw = room.access.raw_channel(channel)
    return raw is not None and raw.get("is_member") is not False


def _not_inside(room: Room, pressed: Json) -> str:
    say(room, pressed, body_of(notices.notice(words.CANT_POST)))
    return "not a member"
