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
ACTION_WRONG = "wrong_answer"
ACTION_JUST_THANKS = "just_thanks"
ACTION_SHARE = "share"
ACTION_MORE = "more"
ACTION_SETTLE = "settle"
ACTION_ASK_TEAM = "ask_team"
ACTION_TELL_ME = "tell_me"
ACTION_NOT_DECISION = "not_decision"
ACTION_UNDO = "undo"
ACTION_EDIT = "edit"
ACTION_CARD_MENU = "card_menu"
ACTION_CONFIRM = "confirm"
ACTION_DENY = "deny"
ACTION_MODE = "mode"
ACTION_LOOK_BACK = "look_back"
ACTION_STAY_OUT = "stay_out"
ACTION_REOPEN = "reopen"
ACTION_TAKE_OUT = "take_out"

MENU_REPLACES = "replaces"
MENU_OUTCOME = "outcome"
MENU_LEAVE_OUT = "leave_out"

CALLBACK_EDIT = "edit_decision"
CALLBACK_PREVIEW = "record_thread"
CALLBACK_SECOND_TAP = "remove_decision"
CALLBACK_SETTLE = "settle_conflict"
CALLBACK_WRONG = "wrong_answer_why"
CALLBACK_OUTCOME = "how_did_it_go"
CALLBACK_DETAILS = "details"

BLOCK_TITLE = "title"
BLOCK_REASON = "reason"
BLOCK_ALTERNATIVES = "alternatives"
BLOCK_REPLACES = "replaces"
BLOCK_KEEP = "keep"
BLOCK_CHOICE = "choice"
INPUT = "value"
"""The action_id of the one input of each block above."""

_KEYS = {"s": "session", "d": "decision", "o": "other", "t": "turn", "m": "menu"}
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


def encode(*, session: str = "", decision: str = "", other: str = "", turn: str = "", menu: str = "") -> str:
    """Return a button's value: JSON of what isn't empty, in a fixed order."""
    named = {"s": session, "d": decision, "o": other, "t": turn, "m": menu}
    return json.dumps({key: value for key, value in named.items() if value}, separators=(",", ":"))


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
