"""Whether a thread that went quiet is read: pure, over its turns; no judgement of what was decided."""

from __future__ import annotations

import re

from bot.sources.slack import VOCABULARY
from store import Thread, Turn, Vocabulary, score

READ_FROM = 50
"""Hundredths of the gate's confidence from which a thread is read that nobody pointed at: a model's call, or a
question to somebody, is spent where a decision is likelier than not. Imports and looking back use the gate's floor."""
LAST = 4
"""Turns at the end that count: agreement comes last."""
_FEW_WORDS = 8
_AGREES = re.compile(
    r"^[^\w+]{0,4}(?::[\w+'-]+:\s*)?"
    r"(?:(?:ah|oh|right|cool|yeah|well|fine|thanks?|thank you|great|good|ok(?:ay)?)[,.! ]+)?"
    r"(?:(?:i(?:'m| am)? |fully |all )?(?:agreed?|agree with|supported|in favou?r)\b|sounds good|works for me|wfm\b"
    r"|fine (?:with|by) me|lgtm|makes sense|go for it|do (?:it|that)|let'?s do|ship it|same here|no objections?|done"
    r"|ok(?:ay)?\b|k\b|yes\b|yep\b|yup\b|sure\b|perfect|great|good\b|excellent|confirmed|noted|understood|deal\b"
    r"|seconded|convinced|amen\b|on it\b|will do\b|\+1|👍|✅|:(?:\+1|thumbsup|white_check_mark|heavy_check_mark"
    r"|ok_hand|100|handshake|shipit)(?:::[\w-]+)?:)",
    re.IGNORECASE,
)
_AT_THE_END = re.compile(r"(?:\+1|agreed|works for me|sounds good|fine (?:with|by) me)\W*$", re.IGNORECASE)
_DOUBTS = re.compile(
    r"\b(?:but|though|tho|however|except|unless|until|not|hmm+|if|depends|first|later)\b|\?", re.IGNORECASE
)
_TURNS = re.compile(
    r"\b(?:wait|actually|instead|after all|no longer|chang(?:e|ed|ing)|revert\w*|but|however|scratch|undo|correction"
    r"|turns out|hold on|on second thought|rather|forget|stop|reopen\w*|not(?! until| yet| sure| bad)|no|drop"
    r"|except)\b",
    re.IGNORECASE,
)
_DECIDING = frozenset({"adopt", "closing", "it_is", "keep", "motion", "replaces", "source", "turn_down"})
_MAY_SETTLE = 0.1
"""Score from which a sentence with a word of deciding may settle something anew: what is late scores high anyway."""
_NEARLY = 0.6
"""Share of the best score before from which one without may."""
_NODS = frozenset({"+1", "thumbsup", "white_check_mark", "heavy_check_mark", "100", "ok_hand", "handshake", "shipit"})


def settled(thread: Thread) -> bool:
    """Say whether somebody else agreed at the end, by words or a nod, or the words were explicit."""
    people = [turn for turn in thread.turns if not turn.is_bot]
    last = people[-LAST:]
    for place, turn in enumerate(last):
        if turn.text.rstrip(" )\"'").endswith("?"):
            continue
        if any(cue in turn.text.lower() for cue in VOCABULARY.decided):
            return True
        nodded = {
            user for reaction in turn.reactions if reaction.name.partition("::")[0] in _NODS for user in reaction.users
        }
        if nodded - {turn.author_id}:
            return True
        before = people[: len(people) - len(last) + place]
        if _goes_along(turn) and any(other.author_id != turn.author_id for other in before):
            return True
    return False


def worth_reading(thread: Thread, vocabulary: Vocabulary) -> bool:
    """Say whether a thread of a channel that captures by itself is likely enough to hold a decision."""
    gate = score(thread, vocabulary)
    return gate.plain or gate.confidence >= READ_FROM


def worth_a_model(thread: Thread, vocabulary: Vocabulary) -> bool:
    """Say so for a model, which also reads what the gate, deaf to words that aren't English, can only not rule out."""
    gate = score(thread, vocabulary)
    return gate.plain or gate.confidence >= READ_FROM or (not gate.english and gate.keeps)


def may_have_turned(thread: Thread, vocabulary: Vocabulary, *, since: int) -> bool:
    """Say whether what was said since a thread was last read may change what it decided: thanks and news don't.

    Args:
        thread: all of it.
        vocabulary: the source's own words.
        since: how many of its turns had been read.
    """
    gate = score(thread, vocabulary)
    if any(_TURNS.search(turn.text) for turn in thread.turns[since:] if not turn.is_bot):
        return True
    best = max((one.score for one in gate.settling if one.turn < since), default=0.0)
    news = [one for one in gate.settling if one.turn >= since]
    return any(one.score >= (_MAY_SETTLE if one.cues & _DECIDING else _NEARLY * best) for one in news)


def _goes_along(turn: Turn) -> bool:
    """Say whether a turn opens by agreeing, or is short and ends so, and doubts nothing."""
    text = turn.text.strip()
    agrees = _AGREES.search(text) or (len(text.split()) <= _FEW_WORDS and _AT_THE_END.search(text))
    return bool(agrees) and not _DOUBTS.search(text)
