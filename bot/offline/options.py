"""What else was on the table, and in whose words it lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store import Alternative, Thread, Turn, sentence_spans, spoken, stems

MOST_OPTIONS = 4
_MOST_WORDS = 7
_MOST_DENIED_WORDS = 5
_MOST_REASON = 140

_DENIED = re.compile(
    r"(?:^|[,;.:(]\s*|\b(?:and|so|ok|okay|then|but)\s+)(?:no|not|without)\s+(?!longer\b|more\b|one\b"
    r"|later\b|yet\b|only\b|objections?\b)(?P<option>(?:[^,.;:()\n]|\.(?=\d)){3,60})",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of)\s+(?P<option>(?:[^,.;:()\n]|\.(?=\d)){3,60})", re.IGNORECASE
)
_ASKED = re.compile(
    r"^(?:what about |how about |why not |or |maybe |just |or just |drop |could we (?:do |use )?"
    r"|can we (?:do |use |just )?|should we (?:do |use )?)?(?P<option>[^?\n.,]{2,50})\?+\s*$",
    re.IGNORECASE,
)
_LETTERED = re.compile(
    r"\(?\b[a-d1-4]\)\s*(?P<option>[^()\n,;]{2,60}?)(?=\s*(?:[,;]|\(?\b[a-d1-4]\)|$|\n))", re.IGNORECASE
)
_LISTED = re.compile(
    r"\b(?:options|candidates|choices|alternatives)\b[^:\n]{0,30}:\s*(?P<list>[^\n.?]{4,160})", re.IGNORECASE
)
_EITHER = re.compile(
    r"(?:^|[:.,?]\s*|\b(?:do we|should we|whether to|either|between|go with|use"
    r"|with)\s+)(?P<one>[\w' /-]{2,40}?)\s+(?:or|vs\.?|versus)\s+(?P<two>[\w' /-]{2,40}?)(?=[?.,;:\n]|$)",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:i (?:want|'?d like|would like) to|could we|can we (?:talk about|do|have|use)|i'?d go for"
    r"|i vote for|i'?d vote)\s+(?:do |use |have |stand up |move to |try )?(?P<option>(?:[^,.;:?()\n]"
    r"|\.(?=\d)){3,50})",
    re.IGNORECASE,
)
_WEIGHS = re.compile(
    r"\b(?:but|though|never|can'?t|cannot|won'?t|don'?t|doesn'?t|isn'?t|needs?|cost|costs?|expensive|slow"
    r"|pain|breaks?|risk|too|kills?|only|lock|no one|nobody|extra|more|bad|fails?|hard|ugly|clunky|without"
    r"|loses?|weeks?|months?|hours?|\d+)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"^\(?[a-d1-4]\)\s*", re.IGNORECASE)
_FILLER = re.compile(r"^(?:the|a|an|to|go with|use|do|some|any|just|maybe|then|with|a full|it)\s+", re.IGNORECASE)
_EMPTY = re.compile(
    r"^(?:it|that|this|them|me|you|yes|no|ok|so|and|any|anything|everything|something|one|none|again"
    r"|really|seriously|how|why|what|when|who|whom|which|where"
    r"|is|are|was|were|do|does|did|can|could|would|will|won'?t|should|has|have|am|don'?t|doesn'?t|isn'?t"
    r"|aren'?t|since|effective|not|if|but|right|sure|sorry|nothing)\b"
    r"|^(?:risks?|prices?|pricing|costs?|budget|scopes?|migration|battery|timeline|eta|deadline|numbers?"
    r"|tooling|docs?|notes?|contractually|alternatives?|options?"
    r"|candidates?|backwards? compat\w*|performance|latency|security|legal|volume clause|thoughts?"
    r"|opinions?|ideas?|objections?|questions?|reasons?|details?|status|news|hmm+|names?|dates?|owner"
    r"|tests?|support|feedback|pathology)$",
    re.IGNORECASE,
)


def alternatives_of(thread: Thread, deciding: int, sentence: str) -> tuple[Alternative, ...]:
    """Return the options named up to the deciding turn that it did not choose, each with words on why it lost.

    Args:
        thread: all of it.
        deciding: index of the deciding turn.
        sentence: the deciding words; what they name without denying it is no alternative.
    """
    turns = thread.turns[: deciding + 1]
    affirmed = stems(_INSTEAD.sub(" ", _DENIED.sub(" ", sentence)))
    found: dict[str, Alternative] = {}
    for option in [*_named_in(sentence), *_named_before(turns[:-1])]:
        mine = stems(option)
        if not mine or mine <= affirmed or any(mine <= stems(other) or stems(other) <= mine for other in found):
            continue
        if len(mine & affirmed) * 2 >= len(mine) and option not in sentence:
            continue
        found[option] = Alternative(option=option, reason=_why_it_lost(turns, option, affirmed))
        if len(found) == MOST_OPTIONS:
            break
    return tuple(found.values())


def _named_in(sentence: str) -> Iterator[str]:
    for pattern in (_INSTEAD, _DENIED):
        for match in pattern.finditer(sentence):
            if len(match["option"].split()) <= _MOST_DENIED_WORDS:
                yield from _tidy(match["option"])


def _named_before(turns: Sequence[Turn]) -> Iterator[str]:
    for turn in turns:
        if turn.is_bot:
            continue
        text = spoken(turn.text)
        for match in _LISTED.finditer(text):
            for part in re.split(r",| or | and |;", match["list"]):
                yield from _tidy(part)
        for match in _LETTERED.finditer(text):
            yield from _tidy(match["option"])
        for match in _EITHER.finditer(text):
            yield from _tidy(match["one"])
            yield from _tidy(match["two"])
        if (asked := _ASKED.match(text.strip())) and len(text.split()) <= _MOST_WORDS:
            yield from _tidy(asked["option"])
        for match in _WANTED.finditer(text):
            yield from _tidy(match["option"])


def _tidy(option: str) -> Iterator[str]:
    option = option.strip(" \t\"'`*_-–—!:")
    before = ""
    option = _LETTER.sub("", option)
    while option != before:
        before = option
        option = _FILLER.sub("", option)
    if option and not _EMPTY.match(option) and len(option.split()) <= _MOST_WORDS and stems(option):
        yield option


def _why_it_lost(turns: Sequence[Turn], option: str, affirmed: frozenset[str]) -> str:
    """Return a verbatim sentence that weighs the option: one that names it, else the answer right after it."""
    mine = stems(option) - affirmed or stems(option)
    answers = ""
    named = False
    for turn in turns:
        text = turn.text
        for start, end in sentence_spans(text):
            part = text[start:end]
            names_it = bool(mine & stems(part))
            if "?" in part[-3:] or not _WEIGHS.search(part) or len(part) > _MOST_REASON or len(part.split()) < 3:
                continue
            if names_it and len(stems(part)) > len(mine):
                return part.strip()
            if named and not answers:
                answers = part.strip()
        if named and not mine & stems(text):
            named = False
        if mine & stems(text):
            named = True
    return answers
