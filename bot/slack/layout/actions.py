"""The ids that travel in buttons and views, and what they carry; whatever comes back is untrusted.

A value names things, it grants nothing: whoever handles it asks anew whether this person may do this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

ACTION_WORKED = "vote_worked"
ACTION_FAILED = "vote_failed"
ACTION_TAKE_BACK = "vote_take_back"
ACTION_SAY_WHY = "vote_say_why"
ACTION_WRONG = "wrong_answer"
ACTION_JUST_THANKS = "just_thanks"
ACTION_SHARE = "share"
ACTION_MORE = "more"
ACTION_SETTLE = "settle"
ACTION_ASK_TEAM = "ask_team"
ACTION_TELL_ME = "tell_me"
ACTION_TELL_ME_NOT = "tell_me_not"
ACTION_DIFFERENT_NOW = "different_now"
ACTION_OTHER_THING = "other_thing"
ACTION_NOT_DECISION = "not_decision"
ACTION_UNDO = "undo"
ACTION_EDIT = "edit"
ACTION_IT_REPLACES = "it_replaces"
ACTION_BOTH_STAND = "both_stand"
ACTION_LOOK = "look"
ACTION_CONTEST = "contest"
ACTION_CARD_MENU = "card_menu"
ACTION_CONFIRM = "confirm"
ACTION_DENY = "deny"
ACTION_MODE = "mode"
ACTION_LOOK_BACK = "look_back"
ACTION_STAY_OUT = "stay_out"
ACTION_REOPEN = "reopen"
ACTION_TAKE_OUT = "take_out"
ACTION_SEARCH = "search"
ACTION_ALL_QUESTIONS = "all_questions"
ACTION_MINE = "mine"
ACTION_MINE_BACK = "mine_back"
ACTION_TAKE_ALL = "take_all_out"
ACTION_LEAVE_ME_OUT = "leave_me_out"
ACTION_ERASE_CHANNEL = "erase_channel"
ACTION_ALL_CHANNELS = "all_channels"
ACTION_ALL_CHANNELS_BACK = "all_channels_back"
ACTION_OFFER_YES = "offer_yes"
ACTION_OFFER_KEEP = "offer_keep_asking"
ACTION_LOOK_STOP = "look_back_stop"
ACTION_LOOK_GO_ON = "look_back_go_on"
ACTION_LOOK_KEEP = "look_back_keep"
ACTION_LOOK_NO = "look_back_no"
ACTION_LOOK_KEEP_ALL = "look_back_keep_all"
ACTION_FOLLOW_WORKED = "follow_up_worked"
ACTION_FOLLOW_FAILED = "follow_up_failed"
ACTION_FOLLOW_EARLY = "follow_up_early"
ACTION_FOLLOW_UNDO = "follow_up_undo"
ACTION_FOLLOW_STOP = "follow_up_stop"
ACTION_FOLLOW_RESUME = "follow_up_resume"
ACTION_CAME_FAILED = "came_failed"
ACTION_CAME_WORKED = "came_worked"
ACTION_CAME_NOT = "came_not"
ACTION_CAME_UNDO = "came_undo"
ACTION_DIGEST_STOP = "digest_stop"

MENU_REPLACES = "replaces"
MENU_OUTCOME = "outcome"
MENU_LEAVE_OUT = "leave_out"
MENU_ASKED = "asked"
"""A button stands on the question to whoever decided, which its answer takes the place of."""
MENU_BY_ITSELF = "by_itself"
"""A channel's settings open with "By itself" chosen."""

UNDO_EDIT = "edit"
UNDO_CONFIRM = "confirm"
UNDO_REPLACES = "replaces"
UNDO_BOTH = "both"
"""What `ACTION_UNDO` undoes, as its value's menu; a removal has none."""

CALLBACK_EDIT = "edit_decision"
CALLBACK_PREVIEW = "record_thread"
CALLBACK_SECOND_TAP = "remove_decision"
CALLBACK_SETTLE = "settle_conflict"
CALLBACK_WRONG = "wrong_answer_why"
CALLBACK_OUTCOME = "how_did_it_go"
CALLBACK_DETAILS = "details"
CALLBACK_CHANNEL = "channel_settings"
CALLBACK_LOOK_BACK = "look_back_start"

BLOCK_TITLE = "title"
BLOCK_REASON = "reason"
BLOCK_ALTERNATIVES = "alternatives"
BLOCK_REPLACES = "replaces"
BLOCK_KEEP = "keep"
BLOCK_CHOICE = "choice"
BLOCK_MARK = "mark"
BLOCK_MORE = "more"
INPUT = "value"
"""The action_id of the one input of each block above."""

_KEYS = {"s": "session", "d": "decision", "o": "other", "t": "turn", "m": "menu", "c": "channel"}
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/#@+-]{0,199}")
_VALUE_MAX = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a button is about; empty where it names no such thing."""

    session: str = ""
    decision: str = ""
    other: str = ""
    """A second decision: the one that `decision` may replace."""
    turn: str = ""
    menu: str = ""
    channel: str = ""
    """The channel that it is about, or over which a form was opened."""


def encode(
    *, session: str = "", decision: str = "", other: str = "", turn: str = "", menu: str = "", channel: str = ""
) -> str:
    """Return a button's value: JSON of what isn't empty, in a fixed order."""
    named = {"s": session, "d": decision, "o": other, "t": turn, "m": menu, "c": channel}
    return json.dumps({key: value for key, value in named.items() if value}, separators=(",", ":"))


def over(metadata: str, channel: str) -> str:
    """Return a form's metadata with the channel over which it is opened: what is submitted doesn't say, and this stays.

    Metadata that says so already, or isn't ours, comes back as it is.
    """
    target = decode(metadata) if metadata else Target()
    if target is None or target.channel or not channel:
        return metadata
    return encode(**{name: getattr(target, name) for name in _KEYS.values() if name != "channel"}, channel=channel)


def decode(value: object) -> Target | None:
    """Read a button's value or a view's metadata; None for all that `encode` can't have written."""
    if not isinstance(value, str) or len(value) > _VALUE_MAX:
        return None
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, Mapping) or not read or not read.keys() <= _KEYS.keys():
        return None
    if not all(isinstance(part, str) and _ID.fullmatch(part) for part in read.values()):
        return None
    return Target(**{_KEYS[key]: part for key, part in read.items()})
