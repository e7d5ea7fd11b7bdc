"""What Home shows those who may set something: channels with their settings; for admins what is kept, sent and spent.

Nobody sees a channel that they can't read; counts are of what they can read, like everybody's.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from bot.slack.access import channel_of
from bot.slack.client import Refused
from bot.slack.home.admin import Admin, Channel, Month, channels_view
from bot.slack.layout.kit import Block
from bot.slack.room import (
    Room,
    digest_setting,
    inviter_setting,
    mark_setting,
    mode_setting,
    said_before_setting,
)
from bot.slack.saying.replying import OPENED, open_over, show_in_view
from store import Delivery, Reader, ScopeCount, SettingChange

OF_LATE_DAYS = 30


def overseen(room: Room, reader: Reader) -> Admin:
    """Return what an admin's Home shows besides; the caller has asked whether they are one."""
    return Admin(
        kept=room.memory.kept(reader),
        question_days=room.settings.question_days,
        keep_days=room.settings.keep_days,
        blocked=len(room.settings.blocked_channels),
        month=_month(room) if room.with_claude else None,
    )


def channels_set_by(room: Room, user: str, reader: Reader) -> tuple[Channel, ...]:
    """Return the channels whose settings somebody may set, by name: an admin may in all that they can read."""
    try:
        inside = room.access.own_channels(room.bot.user)
    except Refused:
        return ()
    is_admin = room.access.is_admin(user)
    changes = {change.name: change for change in room.memory.setting_changes("channel:")}
    counts: dict[str, ScopeCount] | None = None
    found = []
    for raw in inside:
        known = channel_of(raw)
        invited = changes.get(inviter_setting(known.id))
        named = (raw.get("creator"), invited.value if invited else "")
        if not (is_admin or user in named) or not reader.may_read(known.scope):
            continue
        if counts is None:
            counts = room.memory.by_scope(reader, since=room.clock() - timedelta(days=OF_LATE_DAYS))
        last = _last_change(changes, known.id)
        found.append(
            Channel(
                id=known.id,
                name=f"#{known.name}" if known.name else "",
                mode=room.mode(known.id),
                marking=room.marking(known.id),
                digest=room.is_on(digest_setting(known.id)),
                said_before=room.is_on(said_before_setting(known.id)),
                set_by=last.by.name if last else "",
                set_at=last.at if last else None,
                of_late=counts.get(known.scope.id),
                looks_back=is_admin,
            )
        )
    return tuple(sorted(found, key=lambda one: (one.name, one.id)))


def _last_change(changes: dict[str, SettingChange], channel: str) -> SettingChange | None:
    """Return the last of a channel's settings that somebody chose."""
    names: Iterable[str] = (name(channel) for name in (mode_setting, mark_setting, digest_setting, said_before_setting))
    chosen = [changes[name] for name in names if name in changes]
    return max(chosen, key=lambda change: (change.at, change.name), default=None)


def _month(room: Room) -> Month:
    budget = room.budget
    return Month(
        limit=budget.limit,
        spent=budget.spent(),
        calls=sum(one.calls for one in budget.by_purpose()),
        for_answers=budget.limit - budget.for_threads,
        is_low=budget.is_low(),
        renews_at=budget.renews_at(),
    )


def open_channels(room: Room, delivery: Delivery, page: str) -> str:
    """Show a page of the channels that somebody may set; another page takes the place of the one that is open."""
    user = delivery.payload["user"]
    channels = channels_set_by(room, user, room.access.reader_of(user))
    if not channels:
        return "none of theirs"
    view = channels_view(channels, int(page) if page.isdecimal() else 0)
    return turn_page(room, delivery, view)


def turn_page(room: Room, delivery: Delivery, view: Block) -> str:
    """Open a view of pages, or put another page into the one that is open."""
    pressed = delivery.payload
    if not pressed.get("view"):
        room.shown.put(open_over(room, pressed, view), view)
        return OPENED
    shown = show_in_view(room, pressed["view"], view["blocks"], title=view["title"]["text"])
    return "turned" if shown else "closed meanwhile"
