"""Why it was decided and when to look again, in the words of those who were there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from store import Alternative, Settling, Thread, Turn, sentence_spans, spoken, stems

MOST_REASONS = 2
_MOST_CHARACTERS = 220
_FEWEST_WORDS = 5
_FEWEST_STEMS = 2

_BECAUSE = re.compile(
    r"\b(?:because|since (?=we|it|they|that|this|there|nobody|no one|everyone|most|the|a|i)\b|so that|otherwise"
    r"|reasons?|the point is|'cause)\b",
    re.IGNORECASE,
)
_WEIGHS = re.compile(
    r"\b(?:but|never|can'?t|cannot|won'?t|don'?t|doesn'?t|isn'?t|needs?|costs?|expensive|cheaper|faster"
    r"|slower|slow|simpler|easier|pain|breaks?|risk\w*|too|kills?|only|lock|nobody|no one|extra|fails?"
    r"|hard|ugly|loses?|saves?|worse|better|wins?|enough|means|already|twice|rather|back to|lie)\b",
    re.IGNORECASE,
)
_CONCEDES = re.compile(r"^\W*but\b|\bthough\b|\bhowever\b|\btho\b", re.IGNORECASE)
_INSIDE = re.compile(
    r"(?:\bbecause|\bsince (?=we|it|they|that|nobody|the)|\bso that|^(?:so |ok(?:ay)?,? |then )*(?:no|not"
    r"|we (?:don'?t|won'?t))\b[^:\n]{3,60}:)"
    r"\s+(?P<reason>[^\n]{12,200})$",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"[$€£]\s?\d|\d+(?:[.,]\d+)*\s?(?:%|(?!(?:to|and|or|in|on|at|till|until|utc|am|pm|o'?clock)\b)[^\W\d]+)",
    re.IGNORECASE,
)
"""How much of something; a time of day, a year or a number by itself is no argument."""
_WORD = re.compile(r"[\w'’.-]*\w")
_OPENING = re.compile(
    r"^\W*(?:(?:\+1|yes|yep|yeah|ok(?:ay)?|agreed?|true|right|fair|and|so|also|because|'cause)\b[\s,.:;!–—-]+)+(?=\w)"
    r"|^\s*\+1[\s,.:;!–—-]+(?=\w)",
    re.IGNORECASE,
)
_NO_REASON = re.compile(
    r"\?\s*$|^\W*(?:(?:and|but|so)\s+)?(?:what|who|how|why|when|which|where|if we|options|candidates|is"
    r"|are|do|does|can|could|should)\b|isn'?t it\b|^\W*(?:on it|will do|thanks|thank|done|ok|okay|yes|no"
    r"|nice|lol|haha|fine|fair|true|agreed"
    r"|same|ouch|reminder|hi|hey)\W*$|\b(?:i'?ll|i will|can you|could you|please|pls|writes? it|drives|adr"
    r"|ticket|revisit|look again|filed|merging)\b|:joy:|\blol\b",
    re.IGNORECASE,
)
_REVISIT = re.compile(
    r"\b(?:revisit(?:ed)?|reconsider|re-?open(?:ed)?|re-?evaluate|re-?assess|look(?:ed|s"
    r"|ing)? (?:at \w+(?: \w+){0,3} )?again|review (?:it|this|that)|come back to (?:it|this)|check again"
    r"|talk again|try again)\b"
    r"(?:\s+(?:it|this|that))?\s*(?P<when>(?:if|when|once|after|in|at|past|before|on|by|next)\b[^.\n!?]{3,140})?",
    re.IGNORECASE,
)
_IF_THEN = re.compile(
    r"\b(?P<when>(?:if|when|once)\b[^.\n!?]{4,140}?)(?:,\s+then|,|(?<!by)\s+then)?\s+(?:we|i|let'?s)(?:'ll"
    r"| will)? (?:look"
    r"|revisit|reconsider|review|reopen|re-open|talk|think|check)\b",
    re.IGNORECASE,
)


def reasons_of(
    thread: Thread, deciding: Settling, words: str, lost: Sequence[Alternative] = ()
) -> list[tuple[int, str]]:
    """Return up to two reasons with the index of their turn, verbatim: the decider's own first, else what was argued.

    Args:
        thread: all of it.
        deciding: the sentence that settles it.
        words: the deciding words as quoted; a reason repeats none of it.
        lost: the options that were not chosen; what was said against them is a reason too.
    """
    own = own_reasons(thread, deciding, words)[:MOST_REASONS]
    said = stems(" ".join(text for _, text in own))
    argued = [each for each in _argued(thread, deciding, words, lost) if not own or stems(each[1]) - said]
    return own + argued[: MOST_REASONS - len(own)]


def revisit_of(thread: Thread, deciding: Settling) -> str:
    """Return when they said they would look again, as said at or right after the deciding turn, else ""."""
    for turn in thread.turns[deciding.turn : deciding.turn + 4]:
        text = spoken(turn.text)
        for pattern in (_IF_THEN, _REVISIT):
            match = pattern.search(text)
            if match and match["when"]:
                span = turn.text[match.start("when") : match.end("when")]
                return span.strip(" ,;:)")
    return ""


def own_reasons(thread: Thread, deciding: Settling, words: str) -> list[tuple[int, str]]:
    """Return the decider's reasons: within the deciding words, then in the turn's other sentences, later ones first."""
    text = thread.turns[deciding.turn].text
    spans = sentence_spans(text)
    inside = [match["reason"].strip() for match in [_INSIDE.search(words)] if match]
    after = [text[start:end] for start, end in spans if start >= deciding.end]
    before = [text[start:end] for start, end in reversed(spans) if end <= deciding.start]
    beside = [_bare(part) for part in (*after, *before) if _may_be(part) and part not in words and _argues(part)]
    return [(deciding.turn, part) for part in (*(part for part in inside if part in text), *beside)]


def _argued(thread: Thread, deciding: Settling, words: str, lost: Sequence[Alternative]) -> list[tuple[int, str]]:
    """Return what was argued before about the same matter, the weightiest first, oldest first among equals."""
    matter = stems(words)
    against = frozenset(stem for option in lost for stem in stems(option.option)) - matter
    decider = _key(thread.turns[deciding.turn])
    found: list[tuple[float, int, str]] = []
    for index, turn in enumerate(thread.turns[: deciding.turn]):
        if turn.is_bot or index < deciding.turn - 30:
            continue
        for start, end in sentence_spans(turn.text):
            part = _bare(turn.text[start:end])
            if not _may_be(part) or part in words or not _argues(part):
                continue
            weight = 2.0 * bool(_BECAUSE.search(part)) + len(_WEIGHS.findall(part)[:2])
            weight += 0.7 * min(3, len(stems(part) & matter)) + 0.3 * bool(_FIGURE.search(part))
            weight += 0.7 * (_key(turn) == decider) + index / max(1, deciding.turn)
            weight += 1.5 * bool(stems(part) & against)
            weight -= 1.0 * (index == 0) + 2.0 * bool(_CONCEDES.search(part) and not stems(part) & against)
            found.append((-weight, index, part))
    return [(index, part) for _, index, part in sorted(found)]


def _argues(part: str) -> bool:
    return bool(_BECAUSE.search(part) or _WEIGHS.search(part) or _FIGURE.search(part))


def _may_be(part: str) -> bool:
    short = len(part) > _MOST_CHARACTERS or len(_WORD.findall(part)) < _FEWEST_WORDS or len(stems(part)) < _FEWEST_STEMS
    return not short and not _NO_REASON.search(part)


def _bare(part: str) -> str:
    """Return a reason without its opening nod ("+1, otherwise …"): still a span of the message."""
    return _OPENING.sub("", part, count=1)


def _key(turn: Turn) -> str:
    return turn.author_id or turn.author
