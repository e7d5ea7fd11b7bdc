"""A channel's settings: shown, chosen, and by whom.

Idempotency key: the press or the submitted form; choosing what stands already changes nothing.
"""

from __future__ import annotations

from contextlib import suppress

from bot.forget import KIND_ERASED
from bot.jobs import FOLLOWS
from bot.slack.channel.channel_form import MODES, ChannelSettings, channel_view, read_channel
from bot.slack.channel.introducing import keep_true
from bot.slack.channel.trust import line_of
from bot.slack.client import Json, Refused
from bot.slack.layout import actions as act
from bot.slack.layout import notices, words
from bot.slack.layout.blocks import names
from bot.slack.layout.kit import Message, actions, button, message, section
from bot.slack.layout.text import Mrkdwn, bold, join
from bot.slack.recording.capturing import is_blocked
from bot.slack.rights import may_set_mode
from bot.slack.room import (
    Mode,
    Room,
    digest_setting,
    inviter_setting,
    mark_setting,
    mode_setting,
    said_before_setting,
)
from bot.slack.saying.posting import Words, body_of, post_once
from bot.slack.saying.replying import open_form, say, say_after_form
from store import Delivery

_READING = (Mode.OFF, Mode.WHEN_ASKED, Mode.ASK_FIRST, Mode.BY_ITSELF)
"""From reading nothing to reading most: a step up is told to the channel."""


def settings_of(room: Room, channel: str) -> ChannelSettings:
    """Return what is set for a channel."""
    return ChannelSettings(
        mode=room.mode(channel),
        mark=room.marking(channel),
        digest=room.is_on(digest_setting(channel)),
        said_before=room.is_on(said_before_setting(channel)),
    )


def mode_message(room: Room, channel: str) -> Message:
    """Say how a channel captures, with a button to change it."""
    now = join(" ", (bold(Mrkdwn(f"{words.MODE}:")), Mrkdwn(MODES[room.mode(channel)])))
    return message([section(now), actions([button(words.MODE_CHANGE, act.ACTION_MODE, act.encode(channel=channel))])])


def on_mode(room: Room, delivery: Delivery, target: act.Target) -> str:
    """Open a channel's settings for whoever may set them: of the channel that a button names, else where it stands."""
    pressed = delivery.payload
    channel, user = target.channel or pressed["channel"], pressed["user"]
    if not may_set_mode(room, user, channel):
        return refused(room, pressed, channel)
    if is_blocked(room, channel):
        say(room, pressed, body_of(notices.notice(words.KEPT_OUT_STAYS)))
        return "blocked"
    now = settings_of(room, channel)
    if target.menu == act.MENU_BY_ITSELF:
        now = ChannelSettings(mode=Mode.BY_ITSELF, mark=now.mark, digest=now.digest, said_before=now.said_before)
    known = room.access.channel(channel) if channel != pressed["channel"] else None
    name = f"#{known.name}" if known is not None else ""
    erasable = room.access.is_admin(user)
    view = channel_view(channel, now, record=line_of(room, channel), name=name, erasable=erasable)
    return open_form(room, pressed, view)


def on_chosen(room: Room, delivery: Delivery) -> str:
    """Set what somebody chose for a channel."""
    view, user = delivery.payload["view"], delivery.payload["user"]
    target, chosen = act.decode(view["private_metadata"]), read_channel(view)
    if target is None or chosen is None or not may_set_mode(room, user, target.channel):
        return "not allowed"
    channel, by = target.channel, room.person(user)
    room.memory.set_setting(mark_setting(channel), chosen.mark.value, by=by)
    for name, on in ((digest_setting, chosen.digest), (said_before_setting, chosen.said_before)):
        if room.is_on(name(channel)) is not on:
            room.memory.set_setting(name(channel), "on" if on else "off", by=by)
    done = set_mode(room, delivery, channel, user, chosen.mode)
    say_after_form(room, delivery.payload, _saved(chosen.mode))
    return done


def on_stay_out(room: Room, delivery: Delivery) -> str:
    """Switch capture off where somebody who may pressed "Stay out"."""
    pressed = delivery.payload
    channel, user = pressed["channel"], pressed["user"]
    if not may_set_mode(room, user, channel):
        return refused(room, pressed, channel)
    done = set_mode(room, delivery, channel, user, Mode.OFF)
    say(room, pressed, body_of(_saved(Mode.OFF)))
    return done


def set_mode(room: Room, delivery: Delivery, channel: str, user: str, mode: Mode) -> str:
    """Set a channel's mode and say so in its first contact; a step up is told to everybody there, once.

    A step down is not: the bot then has less to say there, or nothing.

    Raises:
        Transient: Slack is away; call again.
    """
    before = room.mode(channel)
    if _READING.index(mode) > _READING.index(before):
        _tell_everybody(room, delivery, channel, user, mode)
    if mode is not before:
        room.memory.set_setting(mode_setting(channel), mode.value, by=room.person(user))
    if not room.captures(channel):
        room.memory.watch.clear(channel)
    keep_true(room, channel)
    _redraw_offers(room, delivery, channel)
    return mode.value if mode is not before else "as it was"


def _tell_everybody(room: Room, delivery: Delivery, channel: str, user: str, mode: Mode) -> None:
    """Say who changed how much is read in a channel, before it is so: a second try then says it no second time."""
    who = words.MODE_NOW.format(name=names([room.access.name_of(user)]))
    told = Words(message=message([section(join(" ", (Mrkdwn(who), bold(Mrkdwn(MODES[mode])))))]))
    with suppress(Refused):  # the bot is not in there, so it reads nothing either
        post_once(room, key=f"mode:{delivery.key}", kind="mode", channel=channel, thread_ts="", make=lambda: told)


def _redraw_offers(room: Room, delivery: Delivery, channel: str) -> None:
    """Let messages that offered to capture by itself say what is so now, by rows of their own."""
    for key in {nudge.message for nudge in room.memory.nudges.of_ref(channel)} - {""}:
        named = f"erased:{key}:{delivery.key}"
        room.memory.inbox.insert(named, KIND_ERASED, {"post": key}, priority=FOLLOWS)


def refused(room: Room, pressed: Json, channel: str) -> str:
    """Tell somebody who may not, who may."""
    readable = room.access.may_read(pressed["user"], channel)
    inviter = room.memory.setting(inviter_setting(channel)) if readable else ""
    who = room.access.name_of(inviter) if inviter else words.MODE_INVITER
    say(room, pressed, body_of(notices.notice(words.MODE_NOT_YOURS.format(who=who))))
    return "not allowed"


def _saved(mode: Mode) -> Message:
    return message([section(join(" ", (Mrkdwn(words.MODE_SAVED), bold(Mrkdwn(MODES[mode])))))])
