"""What one person's Home holds: read for them alone, from what they may read at this moment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from bot.capture import person_left_out
from bot.slack.answering import gaps
from bot.slack.answering.gaps import Gap
from bot.slack.home.came_of import asked_what_came
from bot.slack.home.data import QUOTES_SHOWN, MyData
from bot.slack.home.overseeing import channels_set_by, overseen
from bot.slack.home.people import QUESTIONS_MAX, RECENT_MAX
from bot.slack.home.view import Home
from bot.slack.recording.following import close_channels
from bot.slack.room import Room, follow_ups_setting
from bot.slack.unasked.followups import FollowUp, questions
from bot.sources.slack import SOURCE, channel_id
from store import Conflict, Decision, Quote, Reader, Trajectory

ASKED_DAYS = 30
"""Days for which a question that was put to a channel stands on Home."""
QUESTIONS_LOOKED_AT = 3 * QUESTIONS_MAX
"""Latest questions of somebody, of which those asked again count once."""


def gather(room: Room, user: str) -> Home:
    """Return what somebody's Home holds; once more where a channel became private while nobody told the bot."""
    found = _gathered(room, user)
    if close_channels(room, seen_elsewhere(room, user, _decisions(found), found.data.latest)):
        found = _gathered(room, user)
    return replace(found, where=_where(room, found), told=room.told.pop(user) or ())


def seen_elsewhere(room: Room, user: str, decisions: Iterable[Decision], quotes: Iterable[Quote]) -> set[str]:
    """Return the channels of what is shown that somebody is in no more or never was: they read those as open ones."""
    said = {channel_id(one.place) for one in decisions if one.scope.open and one.place.source == SOURCE}
    said |= {quote.turn_id.partition("/")[0] for quote in quotes if "/" in quote.turn_id}
    return {channel for channel in said if f"channel:{channel}" not in room.access.reader_of(user).scopes}


def _gathered(room: Room, user: str) -> Home:
    reader, memory = room.access.reader_of(user), room.memory
    own = Reader(sees_open=False, scopes=reader.scopes)
    return Home(
        waiting=memory.unconfirmed_of(user, reader),
        conflicts=_contested(memory.conflicts(reader), user, own),
        came=asked_what_came(room, user),
        asked_how=_asked_how(room, user),
        recent=memory.newest(reader, own, limit=RECENT_MAX + 1),
        gaps=_unanswered(room, own),
        questions=own_questions(room, user),
        data=_data(room, user, reader),
        channels=channels_set_by(room, user, reader),
        admin=overseen(room, reader) if room.access.is_admin(user) else None,
    )


def _contested(conflicts: Iterable[Conflict], user: str, own: Reader) -> tuple[Conflict, ...]:
    """Return what is confirmed on both sides: first what somebody decided, then their channels', newest first."""

    def first(one: Conflict) -> tuple[bool, bool]:
        decided = any(person.id == user for side in one.heads for person in side.decided_by)
        return not decided, not all(own.may_read(side.scope) for side in one.heads)

    sure = [one for one in conflicts if len(one.heads) > 1 and all(side.confirmed for side in one.heads)]
    newest = sorted(sure, key=lambda one: max(side.recorded_at for side in one.heads), reverse=True)
    return tuple(sorted(newest, key=first))


def _asked_how(room: Room, user: str) -> tuple[FollowUp, ...]:
    """Return of what somebody is asked how it went, each decision once."""
    return tuple({one.decision.id: one for one in questions(room, user)}.values())


def _unanswered(room: Room, own: Reader) -> tuple[Gap, ...]:
    since = room.clock() - timedelta(days=ASKED_DAYS)
    return tuple(gap for gap in gaps.published(room, own, since=since) if not gap.answered)


def own_questions(room: Room, user: str) -> tuple[Trajectory, ...]:
    """Return what somebody asked, newest first; what they asked again stands once."""
    latest: dict[str, Trajectory] = {}
    for asked in room.memory.sessions.of_asker(user, limit=QUESTIONS_LOOKED_AT):
        if text := " ".join(asked.question.casefold().split()):
            latest.setdefault(text, asked)
    return tuple(latest.values())[:QUESTIONS_MAX]


def _data(room: Room, user: str, reader: Reader) -> MyData:
    latest, kept = room.memory.quotes_of(user, reader, limit=QUOTES_SHOWN)
    return MyData(
        latest=latest,
        kept=kept,
        left_out=person_left_out(room.memory, user),
        followed_up=room.memory.setting(follow_ups_setting(user)) != "off",
        with_model=room.with_claude,
    )


def _decisions(home: Home) -> tuple[Decision, ...]:
    """Return every decision that a Home shows."""
    sides = (side for one in home.conflicts for side in one.heads)
    came, asked = (one.decision for one in home.came), (one.decision for one in home.asked_how)
    return (*home.waiting, *sides, *came, *asked, *home.recent)


def _where(room: Room, home: Home) -> dict[str, str]:
    """Return what people call the channels of what a Home shows."""
    slack = (channel_id(one.place) for one in _decisions(home) if one.place.source == SOURCE)
    channels = {*slack, *(gap.channel for gap in home.gaps)}
    known = {channel: room.memory.members.channel(channel) for channel in channels}
    return {channel: f"#{noted[0]}" for channel, noted in known.items() if noted and noted[0]}
