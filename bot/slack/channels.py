"""A channel's mode: shown, chosen, and by whom.

Idempotency key: the press; choosing the same mode again changes nothing.
"""

from __future__ import annotations

from bot.slack import actions as act
from bot.slack import notices, words
from bot.slack.client import Json, Refused
from bot.slack.kit import Block, Message, actions, button, input_block, message, modal, option, section
from bot.slack.posting import Words, body_of, post_once
from bot.slack.replying import open_form, say
from bot.slack.room import Mode, Room, inviter_setting, mode_setting
from bot.slack.text import Mrkdwn, bold, inert, join
from store import Delivery

CALLBACK_MODE = "channel_mode"

LABELS = {
    Mode.OFF: words.MODE_OFF,
    Mode.WHEN_ASKED: words.MODE_WHEN_ASKED,
    Mode.ASK_FIRST: words.MODE_ASK_FIRST,
    Mode.BY_ITSELF: words.MODE_BY_ITSELF,
}


def may_set_mode(room: Room, user: str, channel: str) -> bool:
    """Say whether somebody may set a channel's mode: who invited the bot, the channel's creator, Slack's admins.

    In a closed channel they must be in it.
    """
    if not room.access.may_act(user, channel):
        return False
    raw = room.access.raw_channel(channel)
    if raw is None or raw.get("is_im"):
        return False
    if not room.access.may_read(user, channel):
        return False
    named = {room.memory.setting(inviter_setting(channel)), str(raw.get("creator") or "")}
    return user in named or room.access.is_admin(user)


def mode_message(room: Room, channel: str) -> Message:
    """Say how a channel captures, with a button to change it."""
    now = join(" ", (bold(Mrkdwn(f"{words.MODE}:")), Mrkdwn(LABELS[room.mode(channel)])))
    return message([section(now), actions([button(words.MODE_CHANGE, act.ACTION_MODE, act.encode(turn=channel))])])


def on_mode(room: Room, delivery: Delivery) -> str:
    """Open the choice of a channel's mode for whoever may set it."""
    pressed = delivery.payload
    channel, user = pressed["channel"], pressed["user"]
    if not may_set_mode(room, user, channel):
        return _refused(room, pressed, channel)
    return open_form(room, pressed, mode_view(channel, room.mode(channel)))


def mode_view(channel: str, now: Mode) -> Block:
    """Ask for a channel's mode."""
    options = [option(label, mode.name.lower()) for mode, label in LABELS.items()]
    chosen = options[list(LABELS).index(now)]
    radio: Block = {"type": "radio_buttons", "action_id": act.INPUT, "options": options, "initial_option": chosen}
    metadata = act.encode(turn=channel)
    return modal(
        words.MODE,
        [input_block(act.BLOCK_CHOICE, words.MODE_ASK, radio)],
        callback_id=CALLBACK_MODE,
        metadata=metadata,
        submit=words.SAVE,
    )


def on_mode_chosen(room: Room, delivery: Delivery) -> str:
    """Set the mode that somebody chose, and say so in the channel."""
    view, user = delivery.payload["view"], delivery.payload["user"]
    target = act.decode(view["private_metadata"])
    chosen = view["state"]["values"].get(act.BLOCK_CHOICE, {}).get(act.INPUT, {}).get("selected_option") or {}
    name = str(chosen.get("value", "")).upper()
    if target is None or name not in Mode.__members__ or not may_set_mode(room, user, target.turn):
        return "not allowed"
    return set_mode(room, delivery, target.turn, user, Mode[name])


def on_stay_out(room: Room, delivery: Delivery) -> str:
    """Switch capture off where somebody who may pressed "Stay out"."""
    pressed = delivery.payload
    channel, user = pressed["channel"], pressed["user"]
    if not may_set_mode(room, user, channel):
        return _refused(room, pressed, channel)
    return set_mode(room, delivery, channel, user, Mode.OFF)


def set_mode(room: Room, delivery: Delivery, channel: str, user: str, mode: Mode) -> str:
    """Set a channel's mode; everybody there is told once who did."""
    if room.mode(channel) is mode:
        return "as it was"
    room.memory.set_setting(mode_setting(channel), mode.value, by=room.person(user))
    if not room.captures(channel):
        room.memory.watch.clear(channel)
    told = join(" ", (Mrkdwn(words.MODE_NOW.format(name=inert(room.access.name_of(user)))), bold(Mrkdwn(LABELS[mode]))))
    try:
        post_once(
            room,
            key=f"mode:{delivery.key}",
            kind="mode",
            channel=channel,
            thread_ts="",
            make=lambda: Words(message=message([section(told)])),
        )
    except Refused:
        return f"{mode.value}, not told"
    return mode.value


def _refused(room: Room, pressed: Json, channel: str) -> str:
    readable = room.access.may_read(pressed["user"], channel)
    inviter = room.memory.setting(inviter_setting(channel)) if readable else ""
    who = room.access.name_of(inviter) if inviter else words.MODE_INVITER
    say(room, pressed, body_of(notices.notice(words.MODE_NOT_YOURS.format(who=who))))
    return "not allowed"
