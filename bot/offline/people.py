"""Who decided: whoever said the deciding words, and those who clearly went along and never objected."""

from __future__ import annotations

import re
from collections.abc import Sequence

from store import Person, Thread, Turn

_WITHIN = 6
"""Turns after the deciding one in which going along counts."""
_MOST_BEFORE = 100
_MOST_TEXT = 1_000
_AGREES = re.compile(
    r"^[^\w\n+:]{0,6}(?:\+1|:\+1:|👍|✅|agreed?\b|ok(?:ay)?\b|k\b|fine\b(?! today)|wfm\b|works? for me"
    r"|sounds (?:good|great|fine|right|sensible)|yes\b|yep\b|yeah\b(?! right)|sure\b|lgtm\b|perfect\b"
    r"|deal\b|done\b|great\b|nice\b|lovely\b|convinced|same\b"
    r"|no objections?|happy with|love it|bless|on it\b|will do\b|i can live|can live with|i'll (?:write|do"
    r"|make|take|send|open|file|tell|add|raise|set|prepare|post|update|put)|noted\b|understood\b|signing\b"
    r"|respect\b|makes sense|concur\b|seconded\b|thank you|i like|ship\b|adr coming|writing|drafting"
    r"|filing|migrating|implementing|preparing|updating)",
    re.IGNORECASE,
)
_SUPPORTS = re.compile(
    r"\+1|👍|:\+1:|\bwfm\b|works? for me|\bi agree\b|\bagreed?\b|\bsame\b|^(?:ok|okay|true|fair|yes)\b"
    r"|\bi vote\b|\bhappy\b|fine (?:by|with) me|convinced|no objections",
    re.IGNORECASE,
)
_OBJECTS = re.compile(
    r"\b(?:nervous|grumpy|disagree|object(?:ion)?|against|not (?:convinced|happy|a fan|sure|comfortable)"
    r"|worried|i (?:lose|withdraw|will riot|still think|would rather|'?d rather not)|over my dead body"
    r"|bad idea|on the record|second l\b|sad|famous last words|reluctant|regret|mistake|under protest)\b"
    r"|(?<![\w+])-[01](?![\w.%])|:-1:|👎|:pensive:|:disappointed:|:cry:|:face_with_rolling_eyes:",
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:but|though|however|except|unless|hmm+|not until)\b|\?\s*$", re.IGNORECASE)
_UP = frozenset(
    {
        "+1",
        "thumbsup",
        "100",
        "white_check_mark",
        "heavy_check_mark",
        "ok_hand",
        "handshake",
        "raised_hands",
        "rocket",
        "ship",
        "shipit",
        "tada",
        "clap",
        "pray",
    }
)
_DOWN = frozenset(
    {"-1", "thumbsdown", "no_entry", "no_entry_sign", "x", "thinking_face", "confused", "disappointed", "cry"}
)


def deciders_of(thread: Thread, deciding: int, *, proposal: int | None = None) -> tuple[Person, ...]:
    """Return who decided, the one who said the deciding words first, then the others in order of speaking.

    Args:
        thread: all of it.
        deciding: index of the turn that settles it.
        proposal: index of the turn whose proposal it settles, if that is another one; its author agreed by proposing.
    """
    turns = thread.turns
    against = _objectors(turns, deciding, proposal)
    found: dict[str, Person] = {}
    for index in (deciding, *(() if proposal is None else (proposal,))):
        _add(found, turns[index], against)
    for turn in turns[max(0, deciding - _MOST_BEFORE) : deciding]:
        if len(turn.text) < 120 and _SUPPORTS.search(turn.text) and not _BUT.search(turn.text):
            _add(found, turn, against)
    for turn in turns[deciding + 1 : deciding + 1 + _WITHIN]:
        if _AGREES.search(turn.text[:_MOST_TEXT]) and not _BUT.search(turn.text[:_MOST_TEXT]):
            _add(found, turn, against)
    nodding = {user for reaction in turns[deciding].reactions if is_up(reaction.name) for user in reaction.users}
    for turn in turns:
        if turn.author_id and turn.author_id in nodding:
            _add(found, turn, against)
    return tuple(found.values())


def is_up(name: str) -> bool:
    """Say whether an emoji on a turn goes along with it, whatever its skin tone."""
    return _is(name, _UP)


def _objectors(turns: Sequence[Turn], deciding: int, proposal: int | None) -> frozenset[str]:
    """Return the keys of those who spoke against it once it was on the table, or put a thumb down on it."""
    against = {user for reaction in turns[deciding].reactions if _is(reaction.name, _DOWN) for user in reaction.users}
    start = deciding if proposal is None else proposal
    follows = False
    for turn in turns[start + 1 :]:
        objects = bool(_OBJECTS.search(turn.text[:_MOST_TEXT])) or (
            follows and turn.text.strip().lower().startswith("same")
        )
        if objects and _key(turn) != _key(turns[deciding]):
            against.add(_key(turn))
        follows = objects
    return frozenset(against)


def _add(found: dict[str, Person], turn: Turn, against: frozenset[str]) -> None:
    if not turn.is_bot and turn.author and _key(turn) not in against:
        found.setdefault(_key(turn), Person(name=turn.author, id=turn.author_id))


def _key(turn: Turn) -> str:
    return turn.author_id or turn.author


def _is(name: str, names: frozenset[str]) -> bool:
    return name.split("::")[0] in names
