"""How right a channel's captures were, by what people kept and removed of them: the ladder's last step rests on it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.slack.layout import words
from bot.slack.layout.text import Mrkdwn
from bot.slack.room import Mode, Room
from bot.sources.slack import SOURCE
from store import Scope

WINDOW, ENOUGH = 20, 18
"""PEOPLE.md: after 20 kept-or-removed captures with at least 18 kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How right captures of a channel were: of the latest `WINDOW`, and how many there were in all."""

    kept: int
    counted: int
    total: int


def record_of(room: Room, channel: str) -> Record:
    """Return how right captures of a channel were."""
    known = room.access.channel(channel)
    scope = known.scope if known is not None else Scope(id=f"channel:{channel}", open=False)
    every = room.memory.captures_in(scope, source=SOURCE)
    return Record(kept=sum(every[:WINDOW]), counted=len(every[:WINDOW]), total=len(every))


def is_due(room: Room, channel: str) -> Record | None:
    """Return the record that speaks for capturing by itself, where nobody has said no to it."""
    if room.mode(channel) not in (Mode.WHEN_ASKED, Mode.ASK_FIRST):
        return None
    said_at = room.memory.setting(keep_asking_setting(channel), "0")
    record = record_of(room, channel)
    enough = record.total >= int(said_at) + WINDOW and record.kept >= ENOUGH
    return record if enough else None


def keep_asking_setting(channel: str) -> str:
    """Return the setting that holds how many captures a channel had when somebody chose to keep asking."""
    return f"channel:{channel}:keep_asking_at"


def line_of(room: Room, channel: str) -> Mrkdwn | None:
    """Return what the form of a channel's settings says of its record, where it speaks for capturing by itself."""
    record = is_due(room, channel)
    return None if record is None else Mrkdwn(words.OFFER_HERE.format(kept=record.kept, count=record.counted))
