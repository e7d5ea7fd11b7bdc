"""Words and numbers of a text, as far as one text can be said to bear another.

Deliberately coarse: words count as alike when their first four letters are, because people and models inflect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.core.languages import OTHER_TONGUES, is_english, is_unspaced, pieces

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_STEM = 4
_SHORT = 3

_SAID_AS_WORDS = {"once": 1, "twice": 2, "half": 50, "couple": 2, "both": 2, "single": 1}
_TIMES = {"thousand": 1_000, "million": 1_000_000}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a literal list."""
    return frozenset(text.split())


def _numbered(text: str, *, first: int, step: int = 1) -> dict[str, int]:
    """Return the words of a literal list with the numbers that they say, which grow by the step."""
    return {word: first + step * at for at, word in enumerate(text.split())}


_SPOKEN = {
    **_numbered("zero one two three four five six seven eight nine ten eleven twelve", first=0),
    **_numbered("thirteen fourteen fifteen sixteen seventeen eighteen nineteen", first=13),
    **_numbered("twenty thirty forty fifty sixty seventy eighty ninety", first=20, step=10),
    **_numbered("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", first=1),
    **_numbered("thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth", first=13),
    **_numbered("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth", first=20, step=10),
}

STOP_WORDS = word_set(
    """a about above across after again against all already also although always am an and any are aren't around as
    at be became because become been before being below between both but by can can't cannot could couldn't did
    didn't do does doesn't doing don't down during each either else enough etc even ever every everything few
    for from further get gets getting go goes going gone got had hadn't has hasn't have haven't having he her
    here hers him his how however i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just
    keep kept let let's like made make makes making may maybe me might mine more most much must my need needs no
    nor not now of off on once one only onto or other others our ours out over own per please put rather really
    said same say says shall she should shouldn't since so some somebody something still such take taken than
    that that's the their theirs them then there there's these they they'd they're this those though through to
    together too took toward towards under until up upon us use used uses using very via want wants was wasn't
    way we we'd we'll we're we've well were weren't what what's when where whether which while who whom whose
    why will with within without won't would wouldn't yes yet you you'd you'll you're your yours yeah ok okay
    decided decision decide chose chosen choose team people because instead due reason reasons"""
)


def content_words(text: str) -> frozenset[str]:
    """Return the words that carry a text's matter: lower case, no stop words, none shorter than three letters.

    Words in scripts without spaces come as their pairs of neighbouring signs.
    """
    words: set[str] = set()
    for match in _WORD.findall(text.lower().replace("’", "'")):
        for word in pieces(match.removesuffix("'s")):
            if is_unspaced(word) or (len(word) >= _SHORT and word not in STOP_WORDS and not word.isdigit()):
                words.add(word)
    return frozenset(words)


def numbers(text: str) -> frozenset[str]:
    """Return the numbers that a text writes in digits, thousands commas and leading noughts dropped."""
    return frozenset(_plain(match) for match in _NUMBER.findall(_THOUSANDS.sub("", text)))


def known_numbers(text: str) -> frozenset[str]:
    """Return the numbers that a text lets others write: its own, the hours of its times, those said in words."""
    words = _WORD.findall(text.lower())
    said = {str(_SAID_AS_WORDS[word]) for word in words if word in _SAID_AS_WORDS} | _spoken(words)
    months = {str(1 + _MONTHS.index(word[:3])) for word in words if word[:3] in _MONTHS}
    written = numbers(text)
    hours = {_plain(part) for number in written if ":" in number for part in number.split(":")}
    return written | said | months | hours


def _spoken(words: Sequence[str]) -> set[str]:
    """Return the numbers that words say, put together and by their parts: "thirty-five" says 35, 30 and 5."""
    found: set[str] = set()
    thousands = number = 0
    for word in words:
        if word in _TIMES:
            thousands, number = thousands + max(number, 1) * _TIMES[word], 0
        elif word == "hundred":
            number = max(number, 1) * 100
        elif word in _SPOKEN:
            part = _SPOKEN[word]
            found.add(str(part))
            if number and part >= _room(number):  # another number begins
                thousands, number = 0, 0
            number += part
        elif word == "and":  # "a hundred and twenty"
            continue
        else:
            thousands = number = 0
            continue
        found.add(str(thousands + number))
    return found


def _room(number: int) -> int:
    """Return below which a number is said that is added to this one: after "twenty" one below 10."""
    if number % 100 == 0:
        return 100
    return 10 if number % 100 >= 20 and number % 10 == 0 else 0


def support(text: str, source: str) -> float:
    """Return the share (0 to 1) of a text's content words that the source holds; 1.0 where it has none."""
    words = content_words(text)
    if not is_english([text]):
        words -= OTHER_TONGUES
    if not words:
        return 1.0
    held = {word[:_STEM] for word in content_words(source)}
    return sum(word[:_STEM] in held for word in words) / len(words)


def _plain(number: str) -> str:
    """Return a number without leading noughts and empty decimals: "07" is 7, "90.0" is 90."""
    stripped = re.sub(r"[.,]0+$", "", number).lstrip("0")
    return stripped if stripped[:1].isdigit() else f"0{stripped}"
