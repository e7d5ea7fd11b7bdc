"""What the gate sees of a thread: each sentence in its place, as numbers between 0 and 1.

Structure carries the weight (what was said before, what came after, where it stands); cue words add to it
and are left out where a thread isn't English. Length of thread and count of reactions are not looked at.
Work is bounded: so many turns, so many characters a turn, so many sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from store.core import gate_words as words
from store.core import languages
from store.core.languages import is_glue, is_unspaced, pieces
from store.core.model import Thread, Turn, Vocabulary

MOST_TURNS = 300
"""Turns looked at; of a longer thread the first 60 and the last 240, because endings decide."""
_FIRST_TURNS = 60
MOST_CHARACTERS = 2_000
"""Characters looked at of one turn: the first two thirds and the last one."""
_LATE = 0.6
"""Share of a thread after which a turn is as late as any: people go on talking once something is settled."""
_FEWEST_STEMS = 3
"""Content words below which an overlap with what was said counts for less: one repeated word says little."""
_FEWEST_CHARACTERS = 300
_ALL_CHARACTERS = 90_000
"""Characters looked at of a whole thread, shared out among its turns."""
MOST_SENTENCES = 16
"""Sentences looked at of one turn: the first half and the last half."""

_SENTENCE = re.compile(
    r"[^\n.!?…。！？]+(?:(?:[.](?=[\w`])|[.!?…]+(?![\s\n]|$))[^\n.!?…。！？]+)*[.!?…。！？]*[)\"'”»」]*"
)
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"(?m)^(?:&gt;|>).*$")
_LINK = re.compile(r"<?https?://\S+")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*", re.UNICODE)
_MARK = re.compile(r"\"[^\"\n]{12,}\"|“[^”\n]{12,}”")
_ACK = re.compile(words.ACK, re.IGNORECASE)
_ACTION = re.compile(words.ACTION, re.IGNORECASE)
_HELPED = re.compile(words.HELPED, re.IGNORECASE)
_ASKS_HELP = re.compile(words.ASKS_HELP, re.IGNORECASE)
_OPTIONS = re.compile(words.OPTIONS, re.IGNORECASE | re.MULTILINE)
_OBJECTION = re.compile(words.OBJECTION, re.IGNORECASE)
_SPEAKS_FOR = words.compiled(words.CUES)
_SPEAKS_AGAINST = words.compiled(words.COUNTER_CUES)
_DEFER = dict(_SPEAKS_AGAINST)["defer"]
_HYPOTHETICAL = dict(_SPEAKS_AGAINST)["hypothetical"]
_JOKE = dict(_SPEAKS_AGAINST)["joke"]
_REPORT = dict(_SPEAKS_AGAINST)["report"]
_RETOLD = dict(_SPEAKS_AGAINST)["retold"]
_ASKS = dict(_SPEAKS_AGAINST)["asks"]
_OPEN = dict(_SPEAKS_AGAINST)["open"]

CUE_FEATURES = ("cue_source", *(f"cue_{name}" for name, _ in words.CUES))
COUNTER_FEATURES = tuple(f"not_{name}" for name, _ in words.COUNTER_CUES)
PLACE_FEATURES = (
    "late",
    "last_word",
    "overlap",
    "overlap_root",
    "overlap_question",
    "fresh",
    "brief",
    "long",
    "figures",
    "question_before",
    "options_before",
    "weighed_before",
    "voices_before",
    "opens_thread",
    "spoke_before",
    "agreed_after",
    "acted_after",
    "asked_after",
    "objected_after",
    "deferred_after",
    "helped_after",
    "quoted",
    "robot",
    "short_turn",
    "announced",
)
FEATURES = CUE_FEATURES + COUNTER_FEATURES + PLACE_FEATURES
"""Names of a sentence's features in the order of its values."""

THREAD_FEATURES = (
    "ends_asking",
    "ends_deferred",
    "ends_closed",
    "root_asks",
    "root_reports",
    "root_hypothetical",
    "root_helped",
    "ends_open",
    "jokes",
    "deferrals",
    "options",
    "weighing",
    "robots",
    "announced",
)
"""Names of what a thread as a whole shows, in the order of its values."""
_ANNOUNCES = frozenset({
    "cue_source", "cue_closing", "cue_adopt", "cue_it_is", "cue_keep", "cue_motion",
})  # fmt: skip
"""Cues of which one makes a first message that others agree to an announcement of a decision, with none against it."""
_ANNOUNCED = FEATURES.index("announced")
_SILENCE = (0.0,) * (len(CUE_FEATURES) + len(COUNTER_FEATURES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of a turn, verbatim, with its features' values in the order of `FEATURES`."""

    turn: int
    """Index into the thread's turns."""
    start: int
    end: int
    """Where it stands in the turn's text."""
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A thread as the gate sees it: its sentences in reading order, and the values of `THREAD_FEATURES`."""

    english: bool
    sentences: tuple[Sentence, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """One turn as the features need it."""

    index: int
    author: str
    text: str
    spans: tuple[tuple[int, int], ...]
    stems: frozenset[str]
    asks: bool
    acks: bool
    acts: bool
    options: bool
    objects: bool
    defers: bool
    opens: bool
    helped: bool
    robot: bool


def clip(text: str, most: int = MOST_CHARACTERS) -> str:
    """Return a text of the same length, all but `most` of its characters blanked in the middle."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    tail = most - head
    return text[:head] + "\n" + " " * (len(text) - most - 1) + text[-tail:]


def spoken(text: str, most: int = MOST_CHARACTERS) -> str:
    """Return the text with code, quoted lines and links blanked, each character staying where it was."""

    def blank(match: re.Match[str]) -> str:
        return "\n" + " " * (len(match.group()) - 1)

    def space(match: re.Match[str]) -> str:
        return " " * len(match.group())

    return _LINK.sub(space, _QUOTED_LINE.sub(blank, _CODE.sub(blank, clip(text, most))))


def sentence_spans(text: str, most: int = MOST_CHARACTERS) -> tuple[tuple[int, int], ...]:
    """Return where the sentences of a text stand, in order, trimmed, at most `MOST_SENTENCES`."""
    found = []
    for match in _SENTENCE.finditer(spoken(text, most)):
        part = match.group()
        start = match.start() + len(part) - len(part.lstrip())
        end = match.end() - (len(part) - len(part.rstrip()))
        if end - start > 1:
            found.append((start, end))
    if len(found) > MOST_SENTENCES:
        half = MOST_SENTENCES // 2
        found = found[:half] + found[-half:]
    return tuple(found)


def stem(word: str) -> str:
    """Return a word without case and English endings, so that `charges` and `charging` are one."""
    bare = word.lower().replace("’", "'")
    for ending in ("'s", "ings", "ing", "ies", "ed", "es", "s"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 3:
            bare = bare[: -len(ending)]
            break
    return bare.removesuffix("e") if len(bare) > 4 else bare


def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words."""
    return frozenset(
        stem(word)
        for match in _WORD.findall(text)
        for word in pieces(match)
        if (len(word) > 2 or word.isdigit() or is_unspaced(word))
        and word.lower() not in words.STOP_WORDS
        and not is_glue(word)
    )


def is_english(thread: Thread) -> bool:
    """Say whether a thread reads as English; one too short to tell counts as English."""
    return languages.is_english(turn.text for turn in thread.turns[:MOST_TURNS])


def look(thread: Thread, vocabulary: Vocabulary) -> Look:
    """Return what there is to see of a thread; nothing in it where nobody wrote."""
    turns = _looked_at(thread)
    most = max(_FEWEST_CHARACTERS, min(MOST_CHARACTERS, _ALL_CHARACTERS // max(1, len(turns))))
    said = [_heard(index, turn, most) for index, turn in turns]
    english = is_english(thread)
    if not said:
        return Look(english=english, sentences=(), values=(0.0,) * len(THREAD_FEATURES))
    own = _own_cues(vocabulary)
    found: list[Sentence] = []
    for turn, around in zip(said, _surroundings(said), strict=True):
        for start, end in turn.spans:
            text = turn.text[start:end]
            cues = _cues(text, own) if english else _SILENCE
            values = cues + _place(turn, text, said[0], around, english) + (_announced(cues, around),)
            found.append(Sentence(turn=turn.index, start=start, end=end, values=values))
    announced = max((sentence.values[_ANNOUNCED] for sentence in found), default=0.0)
    return Look(english=english, sentences=tuple(found), values=(*_thread_values(said, english), announced))


def _thread_values(said: list[_Said], english: bool) -> tuple[float, ...]:
    people = [turn for turn in said if not turn.robot]
    ending = people[-2:]
    root = said[0]
    share = 1.0 / max(1, len(people))
    heard = float(english)
    opening = root.text[:400]
    return (
        float(bool(ending) and ending[-1].asks),
        heard * float(any(turn.defers for turn in ending)),
        heard * float(any(turn.acks or turn.acts for turn in ending)),
        float(root.asks),
        heard * float(bool(_REPORT.search(opening) or _RETOLD.search(opening))),
        heard * float(bool(_HYPOTHETICAL.search(opening))),
        heard
        * float(
            bool(_ASKS_HELP.search(opening)) and any(turn.helped and turn.author == root.author for turn in said[1:])
        ),
        heard * float(any(turn.opens for turn in ending)),
        heard * share * sum(bool(_JOKE.search(turn.text[:400])) for turn in people),
        heard * min(1.0, 2 * share * sum(turn.defers for turn in people)),
        heard * float(any(turn.options for turn in people)),
        heard * min(1.0, 2 * share * sum(turn.objects for turn in people)),
        float(len(people) < len(said)),
    )


def _looked_at(thread: Thread) -> list[tuple[int, Turn]]:
    turns = list(enumerate(thread.turns))
    if len(turns) > MOST_TURNS:
        turns = turns[:_FIRST_TURNS] + turns[_FIRST_TURNS - MOST_TURNS :]
    return turns


def _heard(index: int, turn: Turn, most: int) -> _Said:
    plain = spoken(turn.text, most)
    head = plain[:1_000]
    brief = len(head.split()) <= 12
    return _Said(
        index=index,
        author=turn.author_id or turn.author,
        text=turn.text,
        spans=sentence_spans(turn.text, most),
        stems=stems(plain),
        asks=bool(_ASKS.search(head)),
        acks=brief and bool(_ACK.search(head)),
        acts=bool(_ACTION.search(head)),
        options=bool(_OPTIONS.search(head)),
        objects=bool(_OBJECTION.search(head)),
        defers=bool(_DEFER.search(head)),
        opens=bool(_OPEN.search(head)),
        helped=brief and bool(_HELPED.search(head)),
        robot=turn.is_bot,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """What stands before and after one turn."""

    late: float
    last: bool
    before: frozenset[str]
    asked: frozenset[str]
    question: bool
    options: bool
    weighed: float
    voices: float
    first: bool
    spoke: bool
    agreed: float
    acted: bool
    asks: bool
    objects: bool
    defers: bool
    helped: bool


def _surroundings(said: list[_Said]) -> list[_Around]:
    around = []
    before: set[str] = set()
    asked: set[str] = set()
    voices: set[str] = set()
    question = options = False
    weighed = 0
    for position, turn in enumerate(said):
        others = [later for later in said[position + 1 :][:5] if later.author != turn.author and not later.robot]
        around.append(
            _Around(
                late=min(1.0, position / max(1, len(said) - 1) / _LATE),
                last=position == len(said) - 1,
                before=frozenset(before),
                asked=frozenset(asked),
                question=question,
                options=options,
                weighed=min(1.0, weighed / 3),
                voices=min(1.0, len(voices - {turn.author}) / 3),
                first=position == 0,
                spoke=turn.author in voices,
                agreed=min(1.0, sum(later.acks for later in others) / 2),
                acted=any(later.acts for later in said[position + 1 :][:5]),
                asks=any(later.asks for later in others[:2]),
                objects=any(later.objects and not later.acks for later in others[:2]),
                defers=any(later.defers or later.opens for later in said[position + 1 :]),
                helped=any(later.helped and later.author == said[0].author for later in others[:3]),
            )
        )
        before |= turn.stems
        if turn.asks or turn.options:
            asked |= turn.stems
        voices.add(turn.author)
        question = question or turn.asks
        options = options or turn.options
        weighed += turn.objects
    return around


def _cues(text: str, own: tuple[tuple[str, re.Pattern[str]], ...]) -> tuple[float, ...]:
    text = text[:1_000]
    also = {name for name, pattern in own if pattern.search(text)}
    found = [float(name in also or bool(pattern.search(text))) for name, pattern in _SPEAKS_FOR]
    against = [float(bool(pattern.search(text))) for _, pattern in _SPEAKS_AGAINST]
    return (float("source" in also), *found, *against)


def _announced(cues: tuple[float, ...], around: _Around) -> float:
    """Return 1.0 for a decision that opens its thread, others only agreeing: nothing was weighed before it there."""
    own, against = cues[: len(CUE_FEATURES)], cues[len(CUE_FEATURES) :]
    heard = any(value for name, value in zip(CUE_FEATURES, own, strict=True) if name in _ANNOUNCES)
    return float(around.first and heard and around.agreed > 0 and not around.objects and not any(against))


def _place(turn: _Said, text: str, root: _Said, around: _Around, english: bool) -> tuple[float, ...]:
    mine = stems(text)
    tokens = len(text.split())
    share = 1.0 / max(_FEWEST_STEMS, len(mine))
    heard = 1.0 if english else 0.0
    return (
        around.late,
        float(around.last),
        len(mine & around.before) * share,
        len(mine & root.stems) * share if turn.index else 0.0,
        len(mine & around.asked) * share,
        min(1.0, len(mine - around.before) / 8),
        float(tokens <= 3),
        min(1.0, tokens / 30),
        float(any(character.isdigit() for character in text)),
        float(around.question),
        heard * float(around.options),
        heard * around.weighed,
        around.voices,
        float(around.first),
        float(around.spoke),
        heard * around.agreed,
        heard * float(around.acted),
        float(around.asks),
        heard * float(around.objects),
        heard * float(around.defers),
        heard * float(around.helped),
        float(bool(_MARK.search(text[:1_000]))),
        float(turn.robot),
        min(1.0, len(turn.text[:400].split()) / 40),
    )


@lru_cache(maxsize=32)
def _own_cues(vocabulary: Vocabulary) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the source's own words under the cue that they count as."""
    return tuple(
        (name, re.compile("|".join(rf"(?<!\w){re.escape(phrase)}(?!\w)" for phrase in phrases), re.IGNORECASE))
        for name, phrases in (
            ("source", vocabulary.decided),
            ("replaces", vocabulary.superseded),
            ("turn_down", vocabulary.rejected),
        )
        if phrases
    )
