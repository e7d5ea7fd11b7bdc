"""Whether a thread that went quiet looks settled: pure, over its turns; no judgement of what was decided."""

from __future__ import annotations

import re

from bot.sources.slack import VOCABULARY
from store import Thread

_AGREES = re.compile(
    r"\b(?:agreed?|agree with|sounds good|works for me|fine (?:with|by) me|lgtm|makes sense|go for it|do it|let'?s do|"
    r"ship it|same here|no objections?|done|ok(?:ay)?|yes|yep|yup|sure|perfect|great|deal)\b|\+1|👍|✅",
    re.IGNORECASE,
)
_NODS = frozenset({"+1", "thumbsup", "white_check_mark", "heavy_check_mark", "100", "ok_hand", "handshake", "shipit"})
LAST = 4
"""Turns at the end that count: agreement comes last."""


def settled(thread: Thread) -> bool:
    """Say whether somebody else agreed at the end, by words or a nod, or the words were explicit."""
    people = [turn for turn in thread.turns if not turn.is_bot]
    last = people[-LAST:]
    if any(cue in turn.text.lower() for turn in last for cue in VOCABULARY.decided):
        return True
    for place, turn in enumerate(last):
        nodded = {
            user for reaction in turn.reactions if reaction.name.partition("::")[0] in _NODS for user in reaction.users
        }
        if nodded - {turn.author_id}:
            return True
        before = people[: len(people) - len(last) + place]
        if _AGREES.search(turn.text) and any(other.author_id != turn.author_id for other in before):
            return True
    return False
