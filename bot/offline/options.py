"""What else was on the table, and in whose words it lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

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
    r"\(?\b(?P<label>[a-d1-4])\)\s*(?P<option>[^()\n,;]{2,60}?)(?=\s*(?:[,;]|\(?\b[a-d1-4]\)|$|\n))", re.IGNORECASE
)
_LISTED = re.compile(
    r"\b(?:options|candidates|choices|alternatives)\b[^:\n]{0,30}:\s*(?P<list>[^\n.?]{4,160})", re.IGNORECASE
)
_LOST = re.compile(
    r"^\W*(?:not (?:chosen|taken|picked)|(?:considered and )?(?:rejected|ruled out|discarded|turned down|dismissed))"
    r"\s*:\s*(?P<list>[^\n]{4,600}?)(?:\.\s|\.?$)",
    re.IGNORECASE | re.MULTILINE,
)
_LOST_ITEM = re.compile(r"(?P<option>[^,;()]{2,80}?)\s*\((?P<reason>[^()]{3,160})\)")
"""One of a list of what lost, as summaries have it: "in-process counters (uneven pods), fixed window (bursts)"."""
_EITHER = re.compile(
    r"(?:^|[:.,?]\s*|\b(?:do we|should we|whether to|either|between|go with|use|with|we could|it)\s+)"
    r"(?P<one>(?:[\w' /%+$€-]|\.(?=\w)){2,50}?)\s+(?:or|vs\.?|versus)\s+(?:do we |should we |rather )?"
    r"(?P<two>(?:[\w' /%+$€-]|\.(?=\w)){2,50}?)(?=[?.,;:\n!(]|$)",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:i want to|i(?:'d| would) (?:like to|go for|vote(?: for)?|prefer|suggest)"
    r"|i (?:vote for|suggest|propose|prefer)"
    r"|my (?:suggestion|preference|vote) (?:would be|is|goes to)|can we (?:talk about|do|have|use)"
    r"|(?:you|we|one) could(?: also| always| just)?|what about|how about|why not(?: just)?|why don'?t we(?: just)?"
    r"|what (?:speaks|is|would be)(?: there)? against|what'?s wrong with|anything against|let'?s just"
    r"|(?:have we|did (?:we|you|anyone|anybody)|has anyone|has anybody) (?:consider(?:ed)?|look(?:ed)? at|tr(?:y|ied))"
    r"|we (?:also )?(?:looked at|considered|tried|evaluated|tested|thought (?:about|of)))\s+"
    r"(?:(?:do|use|have|stand up|move to|try|doing|using|it with|just)\s+)*(?P<option>(?:[^,.;:?()\n]|\.(?=\w)){2,50}?)"
    r"(?=\s+(?:but|and|because|since|last|this|yesterday|then|for|so)\b|[,.;:?()\n]|$)",
    re.IGNORECASE,
)
_BARE = re.compile(r"^(?P<option>(?=[\w./+-]*[A-Z\d])[\w./+-]+(?: [A-Z\d][\w./+-]*)?|\w{4,}$)(?:[.!]|$)")
"""A turn that only names something, or first names it: "uuid4", "ELK. everyone knows kibana"."""
_SUBJECT = re.compile(
    r"^(?:and |but |well,? |also,? )?(?P<option>[A-Z][\w+.-]*(?: [A-Z][\w+.-]*)?)"
    r"(?:'s| (?:would|needs?|means?|has|hasn'?t|doesn'?t|can'?t|cannot|takes?|costs?|is|isn'?t|requires?|lacks?|breaks?"
    r"|won'?t|loses?))\b"
)
"""Something by its name of which a sentence says what speaks against it: "Dagster would want all 14 rewritten"."""
_OVER = re.compile(
    r"\b(?:keep|pick|choose|prefer|take|go|stay)\w*\b[^,.;:\n]{2,50}? over (?P<option>(?:[^,.;:()\n]|\.(?=\w)){3,60}?)"
    r"(?=\s+(?:and|because|since|for)\b|[,.;:()\n]|$)"
    r"|\bstop (?P<stopped>\w+ing|(?:\w+ ){1,2}?\w+ing)\b(?=,)|(?:^|[.,;]\s*)(?P<gone>[\w' -]{3,30}?) goes away\b",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\b(?:option|variant|plan|number|#|go(?:ing)? with|take|for)\s*\(?(?P<label>[a-d1-4])\b"
    r"|^\W*(?:ok |so |then )*\(?(?P<alone>[a-d1-4])\)?(?:\.|,| then| it is|$)",
    re.IGNORECASE,
)
_WEIGHS = re.compile(
    r"\b(?:but|no|back to|though|never|can'?t|cannot|won'?t|don'?t|doesn'?t|isn'?t|needs?|cost|costs?|expensive|slow"
    r"|pain|breaks?|risk|too|kills?|only|lock|no one|nobody|extra|more|bad|fails?|hard|ugly|clunky|without"
    r"|loses?|weeks?|months?|hours?|not|mess|impossible|forget|dies?|hurts?|hits|rewrit\w+|wrong|longer"
    r"|twice|overkill|nightmare|mistake|blocks?|lacks?|missing|fragile|flaky|deprecated|abandoned|paperwork|\d+)\b",
    re.IGNORECASE,
)
_IN_FAVOUR = re.compile(
    r"\b(?:(?:merchants|people|customers|users|they|we|i) (?:like|love)|please|everyone knows|for free|wins?|love"
    r"|easier|simpler|cheaper|faster|better|i vote|i'?d (?:rather|prefer|like)|i (?:support|like|want|prefer))\b",
    re.IGNORECASE,
)
_A_LIMIT = re.compile(
    r"\b(?:past|after|before|until|more than|less than|than|on|if|unless|for (?:now|the time))\b", re.IGNORECASE
)
"""What sets a limit ("no floats past the parser") turns nothing down."""
_NAME = re.compile(r"(?<!\w)[A-Z][\w+.-]*\w|(?<!\w)[A-Z](?!\w)")
_GOES_ALONG = re.compile(
    r"^\W*(?:ok(?:ay)?|k|yes|yep|yeah|no|nope|nah|sure|agreed?|fine|done|deal|same|true|right|thanks?|thx|nice|great"
    r"|cool|good|perfect|lol|haha|ugh|hmm+|huddle|ouch|noted|understood|fair|wow|on it|will do|sad|wfm|lgtm"
    r"|ship it|finally)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:one|it|this|that|them)\b", re.IGNORECASE)
_EITHER_END = re.compile(r"\s+(?:either|anyway|then|now|again|today|this year)$", re.IGNORECASE)
_AGAINST = re.compile(
    r"\b(?:but|never|can'?t|cannot|won'?t|don'?t|doesn'?t|isn'?t|needs|costs?|expensive|slow|pain|breaks?"
    r"|risk|too|kills?|lock"
    r"|nobody|bad|fails?|hard|harder|ugly|loses?|without|worse|no|not|mess|impossible|forget|dies?|hurts?"
    r"|hits|rewrit\w+|wrong|longer|twice|overkill|nightmare|mistake|blocks?|lacks?|missing|fragile|flaky|deprecated"
    r"|abandoned|paperwork)\b",
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
    labels = _labels(turns)
    affirmed = stems(_OVER.sub(" ", _INSTEAD.sub(" ", _DENIED.sub(" ", sentence)))) | _by_label(sentence, labels)
    heard = frozenset(word for turn in turns for word in stems(spoken(turn.text)[:_MOST_TEXT])) - affirmed
    found: dict[str, Alternative] = {}
    for option in (*_named_in(sentence), *_named_in(thread.turns[deciding].text, _INSTEAD, _OVER)):
        if stems(option) & heard and not _POINTS.search(option):
            reason = (
                _why_it_lost(turns, option, affirmed, labels) or because or _sentence_with(thread, deciding, option)
            )
            found[option] = Alternative(option=option, reason=reason)
    people = frozenset(part.casefold() for turn in thread.turns for part in turn.author.split())
    for index, option, sure in () if denied_only else _named_before(turns, affirmed, people):
        if len(found) >= MOST_OPTIONS:
            break
        if any(_alike(option, other) for other in found) or _chosen(option, affirmed, sure=sure):
            continue
        reason = _why_it_lost(turns, option, affirmed, labels, since=index)
        if reason and (sure or _AGAINST.search(reason)):
            found[option] = Alternative(option=option, reason=reason)
    return tuple(one for one in found.values() if one.reason)[:MOST_OPTIONS]


def listed_as_lost(text: str) -> tuple[Alternative, ...]:
    """Return the options that a turn lists as not chosen, each with its reason in brackets; a list has two at least."""
    items = [item for found in _LOST.finditer(text) for item in _LOST_ITEM.finditer(found["list"])]
    if len(items) < 2:
        return ()
    return tuple(Alternative(option=item["option"].strip(), reason=item["reason"].strip()) for item in items)


def _sentence_with(thread: Thread, deciding: int, option: str) -> str:
    """Return the sentence of the deciding turn that turns an option down, else "": its words, if no reason."""
    text = thread.turns[deciding].text
    spans = sentence_spans(text)
    return next((text[start:end] for start, end in spans if option in text[start:end]), "")


def _labels(turns: Sequence[Turn]) -> dict[str, str]:
    """Return the options that were numbered or lettered, by their label; a list counts from two on."""
    found: dict[str, str] = {}
    for turn in turns:
        listed = {
            match["label"].lower(): match["option"] for match in _LETTERED.finditer(spoken(turn.text)[:_MOST_TEXT])
        }
        if len(listed) > 1:
            found.update(listed)
    return found


def _by_label(sentence: str, labels: Mapping[str, str]) -> frozenset[str]:
    """Return the words of the option that the deciding words choose by its label alone: "Option 2."."""
    chosen = (match["label"] or match["alone"] for match in _CHOSEN.finditer(sentence))
    return frozenset(word for label in chosen for word in stems(labels.get(label.lower(), "")))


def joined(first: Sequence[Alternative], then: Sequence[Alternative]) -> tuple[Alternative, ...]:
    """Return both lists as one, what is alike once: all of the first, of the second up to `MOST_OPTIONS`."""
    kept: list[Alternative] = []
    for each in (*first, *then):
        if not any(_alike(each.option, other.option) for other in kept):
            kept.append(each)
    return tuple(kept[: max(MOST_OPTIONS, len(first))])


def _chosen(option: str, affirmed: frozenset[str], *, sure: bool) -> bool:
    """Say whether an option is what was decided, going by its words; a listed one only where all of them were said."""
    mine = stems(option)
    if mine <= affirmed or not mine or (_POINTS.search(option) and mine & affirmed):
        return True
    if sure:
        return len(mine & affirmed) * 3 > 2 * len(mine)
    return len(mine & affirmed) * 2 > len(mine)


def _alike(option: str, other: str) -> bool:
    mine, theirs = stems(option), stems(other)
    return mine <= theirs or theirs <= mine


def _named_in(sentence: str, *patterns: re.Pattern[str]) -> Iterator[str]:
    for pattern in patterns or (_INSTEAD, _OVER, _DENIED):
        for match in pattern.finditer(sentence):
            option = next(part for part in match.groups() if part is not None)
            if len(option.split()) <= _MOST_DENIED_WORDS and not _A_LIMIT.search(option):
                yield from _tidy(option)


def _named_before(
    turns: Sequence[Turn], affirmed: frozenset[str], people: frozenset[str]
) -> Iterator[tuple[int, str, bool]]:
    """Yield what was put up for choice, in which turn, and whether in as many words rather than by a short question."""
    said = Counter(word for turn in turns for word in frozenset(_NAME.findall(turn.text[:_MOST_TEXT])))
    for index, turn in enumerate(turns):
        if turn.is_bot:
            continue
        text = spoken(turn.text)[:_MOST_TEXT]
        for match in _LISTED.finditer(text):
            yield from (
                (index, option, True) for option in _losers(re.split(r",| or | and |;", match["list"]), affirmed)
            )
        lettered = [match["option"] for match in _LETTERED.finditer(text)]
        yield from ((index, option, True) for option in _losers(lettered, affirmed))
        for match in _EITHER.finditer(text):
            yield from ((index, option, True) for option in _loser(match["one"], match["two"], affirmed))
        yield from ((index, option, False) for option in _put_forward(text, first=index == 0))
        for start, end in sentence_spans(text):
            if (about := _SUBJECT.match(text[start:end])) and _AGAINST.search(text[start:end]):
                name = about["option"]
                if name.casefold() not in people and said[name.split()[0]] > 1:
                    yield from ((index, option, False) for option in _tidy(name))


def _put_forward(text: str, *, first: bool) -> Iterator[str]:
    """Yield what a turn asks about in a few words, wants, or only names."""
    if (asked := _ASKED.match(text.strip())) and len(asked["option"].split()) <= _MOST_ASKED_WORDS:
        yield from _tidy(asked["option"])
    for match in _WANTED.finditer(text):
        yield from _tidy(match["option"])
    if not first and (named := _BARE.match(text.strip())) and not _GOES_ALONG.match(text.strip()):
        yield from _tidy(named["option"])


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


def _why_it_lost(
    turns: Sequence[Turn], option: str, affirmed: frozenset[str], labels: Mapping[str, str], *, since: int = 0
) -> str:
    """Return a verbatim sentence that weighs the option: one that names it, else the answer right after it.

    What takes up the decision's own words argues for that, not against the option. What was answered before turn
    `since`, which put the option forward, was said of something else.
    """
    mine = stems(option) - affirmed or stems(option)
    label = next((label for label, text in labels.items() if option in text), "")
    answers = ""
    asked_by = ""
    for index, turn in enumerate(turns):
        text = turn.text[:_MOST_WEIGHED]
        for start, end in sentence_spans(text):
            part = text[start:end]
            names_it = _names(part, option, mine, label)
            if (len(stems(part) & affirmed) >= _ARGUES_FOR and not names_it) or _lists(part):
                continue
            about = names_it and _is_subject(part, option)
            if not _may_weigh(part, about=about) or (names_it and _EITHER.search(part)):
                continue
            if names_it and len(stems(part)) > len(mine) and (_AGAINST.search(part) or not _IN_FAVOUR.search(part)):
                return part.strip()
            if asked_by and not answers and asked_by != _author(turn):
                answers = part.strip()
        asked_by = _author(turn) if index >= since and mine & stems(text) else ""
    return answers


def _names(part: str, option: str, mine: frozenset[str], label: str) -> bool:
    if label and re.match(rf"\W*(?:and |but )?(?:option )?\(?{label}\b", part, re.IGNORECASE):
        return True
    return option in part if _IDENTIFIER.fullmatch(option) else bool(mine & stems(part))


def _is_subject(part: str, option: str) -> bool:
    """Say whether a sentence is about an option: "Airflow is a second product to run"."""
    about = _SUBJECT.match(part)
    return about is not None and about["option"].casefold() in option.casefold()


def _may_weigh(part: str, *, about: bool) -> bool:
    weighs = about or bool(_WEIGHS.search(part))
    return weighs and "?" not in part[-3:] and len(part) <= _MOST_REASON and len(part.split()) >= 3


def _author(turn: Turn) -> str:
    return turn.author_id or turn.author
