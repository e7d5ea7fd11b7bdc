"""Forgetting: a message or a decision, out of the log, its projections and its indexes.

Idempotency key: the message's or the decision's own id; forgetting twice is forgetting once. The place is
not captured again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.errors import WrongInput
from bot.sources.slack import SOURCE, turn_id_of
from store import EVERYTHING

if TYPE_CHECKING:
    from store import Memory

_PERMALINK = re.compile(
    r"https://[^/\s]+/archives/(?P<channel>[A-Z0-9]+)/p(?P<seconds>\d{10})(?P<micros>\d{6})(?:\?\S*)?"
)
_TURN = re.compile(r"(?P<channel>[A-Z0-9]{2,})/(?P<ts>\d{1,12}\.\d{6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was forgotten, and from how many decisions it was taken."""

    kind: Literal["message", "decision"]
    id: str
    decisions: int


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
        touched = memory.redact_turn(SOURCE, turn)
        if not touched:
            raise WrongInput(f"{named}: nothing recorded rests on that message")
        return Forgotten(kind="message", id=turn, decisions=touched)
    decision = memory.decision(named, EVERYTHING)
    if decision is None or not memory.forget_decision(decision.id):
        raise WrongInput(f"{named}: no such decision, or it is forgotten already")
    return Forgotten(kind="decision", id=decision.id, decisions=1)
