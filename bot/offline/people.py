"""Who decided: whoever said the deciding words, and those who clearly went along and never objected.

A wrong name is worse than a missing one: onlookers who thank or act on it, and whoever only passes on what others
decided, are not listed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from store import Person, Thread, Turn, deciders_named, passes_on, sentence_spans, stems

_WITHIN = 6
"""Turns after the deciding one in which going along counts."""
_MOST_BEFORE = 100
_TOOK_PART = 2
"""Turns before it was settled from which a bare "ok" right after is a part in the decision."""
_LED = 3
"""Turns from which a thumb on the deciding turn is one: of those with fewer many are onlookers who liked it."""
_MOST_TEXT = 1_000
_MOST_SUPPORT = 120
_FEW_WORDS = 4
_STRONG = re.compile(
    r"\+1|👍|✅|:(?:\+1|thumbsup|white_check_mark|heavy_check_mark|100|handshake|ok_hand|raised_hands)(?:::[\w-]+)?:"
    r"|\bwfm\b|works? for (?:me|us)|\b(?:i |we |fully |all )?(?:agreed?|concur|approved?|seconded|supported)\b(?! to)"
    r"|\bsounds (?:good|great|fine|right|sensible|reasonable)"
    r"|\b(?:fine|good|ok(?:ay)?|happy) (?:by|with|for) (?:me|us|it)"
    r"|\bconvinced\b|no objections?|makes (?:total |perfect )?sense|\blgtm\b|\bi vote\b|\bin favou?r\b|\bhappy with\b"
    r"|^(?:yes|yep|yup|yeah),? (?:please|do|let'?s|go|agreed)\b|\bi like (?:it|that|this)\b|love it|\bconfirmed\b"
    r"|\bship it\b|\b(?:i|we) support\b|\bi can live with\b|\bdeal\b",
    re.IGNORECASE,
)
"""Words that agree wherever they stand in a short message."""
_WEAK = re.compile(
    r"^[^\w\n+:]{0,6}(?::[\w+'-]+:\s*)?(?:yes|yep|yup|yeah(?! right)|ok(?:ay)?|k|kk|sure|perfect|great|nice|lovely"
    r"|excellent|good|done|fine(?! today)|fair(?: enough)?|bless|amen|finally|on it|will do|respect|cool|right|exactly"
    r"|:(?:tada|rocket|pray|saluting_face|salute|clap|muscle):|🎉|🙏)(?!\w)",
    re.IGNORECASE,
)
"""Words that go along when somebody who took part says them right after, and little else."""
_NOT_WITH = re.compile(
    r"\bwith (?P<name>[A-Z]\w+)|\bto (?P<other>[A-Z]\w+)|\b(?:same|like) (?:as|with) (?P<third>[A-Z]\w+)"
)
_OBJECTS = re.compile(
    r"\b(?:nervous|grumpy|disagree|(?:do not|don'?t|can'?t|cannot) agree|object(?:ion)?(?<!no objection)|against"
    r"|not (?:convinced|happy|a fan|sure|comfortable|ok with)|worried|i (?:lose|withdraw|will riot|still think"
    r"|would (?:have )?(?:rather|prefer\w*)|'?d (?:have )?(?:rather|prefer\w*))|over my dead body|bad idea"
    r"|on the record|second l\b|sad|famous last words|reluctant(?:ly)?|regret|mistake|under protest|dissent|booo*"
    r"|wrong (?:call|decision)"
    r"|it'?s wrong|please (?:minute|note) (?:my|that i)|monsters?|nooo+|hate (?:it|this|that)|your (?:neck|funeral))\b"
    r"|(?<![\w+])-[01](?![\w.%])|:-1:|👎|:pensive:|:disappointed:|:cry:|:face_with_rolling_eyes:",
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:but|though|however|except|unless|hmm+|not until|not)\b|\?\s*$", re.IGNORECASE)
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


def deciders_of(thread: Thread, deciding: int, *, proposal: int | None = None, words: str = "") -> tuple[Person, ...]:
    """Return who decided, the one who said the deciding words first, then the others in order of speaking.

    Args:
        thread: all of it.
        deciding: index of the turn that settles it.
        proposal: index of the turn whose proposal it settles, if that is another one; its author agreed by proposing.
        words: what its turn, or the proposal's, says up to the end of the deciding words; where they name who
            decided, that one did, and not who passes it on.
    """
    turns = thread.turns
    against = _objectors(turns, deciding, proposal)
    found: dict[str, Person] = {}
    named = deciders_named(words, [turn.author for turn in turns])
    if proposal is not None or not passes_on(words):
        _add(found, turns[deciding], against)
    for turn in turns:
        if turn.author in named:
            _add(found, turn, against)
    if proposal is not None and not passes_on(words):
        _add(found, turns[proposal], against)
    matter = stems(words) | (stems(turns[proposal].text) if proposal is not None else frozenset())
    start = max(0, deciding - _MOST_BEFORE)
    for index, turn in enumerate(turns[start:deciding], start=start):
        if _supports(turns, index, matter, found):
            _add(found, turn, against)
    spoke = Counter(_key(turn) for turn in turns[:deciding])
    for turn in turns[deciding + 1 : deciding + 1 + _WITHIN]:
        if _goes_along(turn, took_part=spoke[_key(turn)] >= _TOOK_PART or _opened(turns, turn)):
            _add(found, turn, against)
    nodding = {user for reaction in turns[deciding].reactions if is_up(reaction.name) for user in reaction.users}
    for turn in turns:
        if turn.author_id in nodding and (spoke[_key(turn)] >= _LED or _opened(turns, turn)):
            _add(found, turn, against)
    return tuple(found.values())


def _opened(turns: Sequence[Turn], turn: Turn) -> bool:
    return _key(turn) == _key(turns[0])


def is_up(name: str) -> bool:
    """Say whether an emoji on a turn goes along with it, whatever its skin tone."""
    return _is(name, _UP)


def _goes_along(turn: Turn, *, took_part: bool) -> bool:
    text = turn.text[:_MOST_TEXT]
    if _BUT.search(text):
        return False
    first = text[: next((end for _, end in sentence_spans(text)), len(text))]
    if _STRONG.search(first) and len(first) < _MOST_SUPPORT:
        return True
    return took_part and bool(_WEAK.search(text)) and len(first.split()) <= _FEW_WORDS


def _supports(turns: Sequence[Turn], index: int, matter: frozenset[str], found: dict[str, Person]) -> bool:
    """Say whether a turn before the deciding one speaks for what was decided: for it by name, or right after it."""
    text = turns[index].text
    if len(text) >= _MOST_SUPPORT or not _STRONG.search(text) or _BUT.search(text):
        return False
    if (with_whom := _NOT_WITH.search(text)) is not None:
        name = (with_whom["name"] or with_whom["other"] or with_whom["third"]).casefold()
        return any(name in person.name.casefold().split() for person in found.values())
    before = turns[index - 1].text if index else ""
    return bool(stems(text) & matter or stems(before) & matter)


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
