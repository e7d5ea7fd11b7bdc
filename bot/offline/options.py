"""What else was on the table, and in whose words it lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store import Alternative, Thread, Turn, sentence_spans, spoken, stems

MOST_OPTIONS = 4
_MOST_WORDS = 7
_MOST_ASKED_WORDS = 4
_MOST_TEXT = 600
"""Characters of a turn in which options are looked for."""
_MOST_TURNS = 60
"""Turns before the deciding one, and the first, in which they are."""
_MOST_DENIED_WORDS = 6
_MOST_REASON = 140
_MOST_WEIGHED = 2_000
_IDENTIFIER = re.compile(r"\S*_\S*")
"""`order_id` isn't named by "order"."""
_ARGUES_FOR = 2
"""Words of the decision that a sentence repeats when it argues for it."""

_DENIED = re.compile(
    r"(?:^|[,;.:(]\s*|\b(?:and|so|ok|okay|then|but)\s+)(?:no|not|without)\s+(?!longer\b|more\b|one\b"
    r"|later\b|yet\b|only\b|objections?\b)(?P<option>(?:[^,.;:()\n]|\.(?=\w)){3,60})",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of)\s+(?P<option>(?:[^,.;:()\n]|\.(?=\w)){3,60})", re.IGNORECASE
)
_ASKED = re.compile(
    r"^(?:what about |how about |why not |or |maybe |just |or just |drop |could we (?:do |use )?"
    r"|can we (?:do |use |just )?|should we (?:do |use )?)?(?P<option>[^?\n.,]{2,50})\?",
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
    r"|\.(?=\w)){3,50})",
    re.IGNORECASE,
)
_WEIGHS = re.compile(
    r"\b(?:but|no|back to|though|never|can'?t|cannot|won'?t|don'?t|doesn'?t|isn'?t|needs?|cost|costs?|expensive|slow"
    r"|pain|breaks?|risk|too|kills?|only|lock|no one|nobody|extra|more|bad|fails?|hard|ugly|clunky|without"
    r"|loses?|weeks?|months?|hours?|\d+)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:one|it|this|that|them)\b", re.IGNORECASE)
_EITHER_END = re.compile(r"\s+(?:either|anyway|then|now|again|today|this year)$", re.IGNORECASE)
_AGAINST = re.compile(
    r"\b(?:but|never|can'?t|cannot|won'?t|don'?t|doesn'?t|isn'?t|needs|costs?|expensive|slow|pain|breaks?"
    r"|risk|too|kills?|lock"
    r"|nobody|bad|fails?|hard|harder|ugly|loses?|without|worse|no)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"^\(?[a-d1-4]\)\s*", re.IGNORECASE)
_FILLER = re.compile(
    r"^(?:we|they|us|doing|going with|going for|building|buying|adopting|using|adding|the|a|an|to|go with|use|do|some"
    r"|any|just|maybe|then|with|a full|it)\s+",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"^(?:it|that|this|them|me|you|yes|no|ok|so|and|any|anything|everything|something|one|none|again"
    r"|really|seriously|how|why|what|when|who|whom|which|where"
    r"|at|in|on|for|to|from|by|of|get|need|later|now|today|tomorrow|see|show|is|are|was|were|do|does|did"
    r"|can|could|would|will"
    r"|won'?t|should|has|have|am|don'?t|doesn'?t|isn'?t"
    r"|aren'?t|since|effective|not|if|but|right|sure|sorry|nothing)\b"
    r"|^(?:risks?|prices?|pricing|costs?|budget|scopes?|migration|battery|timeline|eta|deadline|numbers?"
    r"|tooling|docs?|notes?|contractually|alternatives?|options?"
    r"|candidates?|backwards? compat\w*|performance|latency|security|legal|\\w+ clause|thoughts?"
    r"|opinions?|ideas?|objections?|questions?|reasons?|details?|status|news|hmm+|names?|dates?|owner"
    r"|tests?|support|feedback|pathology)$",
    re.IGNORECASE,
)


def alternatives_of(
    thread: Thread, deciding: int, sentence: str, *, because: str = "", denied_only: bool = False
) -> tuple[Alternative, ...]:
    """Return the options named up to the deciding turn that it did not choose, each with words on why it lost.

    Args:
        thread: all of it.
        deciding: index of the deciding turn.
        sentence: the deciding words; what they name without denying it is no alternative.
        because: the decider's own reason, for what the sentence itself turns down.
        denied_only: leave out all but what the sentence itself turns down.
    """
    turns = (*thread.turns[:1], *thread.turns[max(1, deciding - _MOST_TURNS) : deciding]) if deciding else ()
    affirmed = stems(_INSTEAD.sub(" ", _DENIED.sub(" ", sentence)))
    heard = frozenset(word for turn in turns for word in stems(spoken(turn.text)[:_MOST_TEXT])) - affirmed
    found: dict[str, Alternative] = {}
    for option in _named_in(sentence):
        if stems(option) & heard and not _POINTS.search(option):
            reason = _why_it_lost(turns, option, affirmed) or because
            found[option] = Alternative(option=option, reason=reason)
    for option, sure in () if denied_only else _named_before(turns, affirmed):
        if len(found) >= MOST_OPTIONS:
            break
        if any(_alike(option, other) for other in found) or _chosen(option, affirmed, sure=sure):
            continue
        reason = _why_it_lost(turns, option, affirmed)
        if sure or _AGAINST.search(reason):
            found[option] = Alternative(option=option, reason=reason)
    return tuple(found.values())[:MOST_OPTIONS]


def joined(first: Sequence[Alternative], then: Sequence[Alternative]) -> tuple[Alternative, ...]:
    """Return both lists as one of at most `MOST_OPTIONS`, what is alike once."""
    kept: list[Alternative] = []
    for each in (*first, *then):
        if not any(_alike(each.option, other.option) for other in kept):
            kept.append(each)
    return tuple(kept[:MOST_OPTIONS])


def _chosen(option: str, affirmed: frozenset[str], *, sure: bool) -> bool:
    """Say whether an option is what was decided, going by its words; a listed one only where all of them were said."""
    mine = stems(option)
    if mine <= affirmed or (_POINTS.search(option) and mine & affirmed):
        return True
    if sure:
        return len(mine & affirmed) * 3 > 2 * len(mine)
    return len(mine & affirmed) * 2 >= len(mine)


def _alike(option: str, other: str) -> bool:
    mine, theirs = stems(option), stems(other)
    return mine <= theirs or theirs <= mine


def _named_in(sentence: str) -> Iterator[str]:
    for pattern in (_INSTEAD, _DENIED):
        for match in pattern.finditer(sentence):
            if len(match["option"].split()) <= _MOST_DENIED_WORDS:
                yield from _tidy(match["option"])


def _named_before(turns: Sequence[Turn], affirmed: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Yield what was put up for choice, and whether it was so in as many words rather than by a short question."""
    for turn in turns:
        if turn.is_bot:
            continue
        text = spoken(turn.text)[:_MOST_TEXT]
        for match in _LISTED.finditer(text):
            yield from ((option, True) for option in _losers(re.split(r",| or | and |;", match["list"]), affirmed))
        lettered = [match["option"] for match in _LETTERED.finditer(text)]
        yield from ((option, True) for option in _losers(lettered, affirmed))
        for match in _EITHER.finditer(text):
            yield from ((option, True) for option in _loser(match["one"], match["two"], affirmed))
        if (asked := _ASKED.match(text.strip())) and len(asked["option"].split()) <= _MOST_ASKED_WORDS:
            yield from ((option, False) for option in _tidy(asked["option"]))
        for match in _WANTED.finditer(text):
            yield from ((option, False) for option in _tidy(match["option"]))


def _losers(parts: Sequence[str], affirmed: frozenset[str]) -> Iterator[str]:
    """Yield a list's options but the one that the decision took most from."""
    taken = [len(stems(part) & affirmed) for part in parts]
    chosen = taken.index(max(taken)) if any(taken) else None
    for index, part in enumerate(parts):
        if index != chosen:
            yield from _tidy(part)


def _loser(one: str, two: str, affirmed: frozenset[str]) -> Iterator[str]:
    """Yield that side of "A or B" which the decision took less from; neither where it took from none."""
    first, second = len(stems(one) & affirmed), len(stems(two) & affirmed)
    if first != second:
        yield from _tidy(two if first > second else one)


def _tidy(option: str) -> Iterator[str]:
    option = _EITHER_END.sub("", option.strip(" \t\"'`*_-–—!:"))
    before = ""
    option = _LETTER.sub("", option)
    while option != before:
        before = option
        option = _FILLER.sub("", option)
    if (
        option
        and not option.endswith((" it", " this", " that", " them"))
        and not _EMPTY.match(option)
        and len(option.split()) <= _MOST_WORDS
        and stems(option)
    ):
        yield option


def _lists(part: str) -> bool:
    return bool(_LISTED.search(part) or len(_LETTERED.findall(part)) > 1)


def _why_it_lost(turns: Sequence[Turn], option: str, affirmed: frozenset[str]) -> str:
    """Return a verbatim sentence that weighs the option: one that names it, else the answer right after it.

    What takes up the decision's own words argues for that, not against the option.
    """
    mine = stems(option) - affirmed or stems(option)
    answers = ""
    named = False
    for turn in turns:
        text = turn.text[:_MOST_WEIGHED]
        for start, end in sentence_spans(text):
            part = text[start:end]
            names_it = option in part if _IDENTIFIER.fullmatch(option) else bool(mine & stems(part))
            if (len(stems(part) & affirmed) >= _ARGUES_FOR and not names_it) or _lists(part):
                continue
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
