"""Reading a question for what bears on ranking: the days it names, and whether it asks for the past.

Pure: `today` is an argument. What can't be read as a date narrows nothing.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from store.core.languages import asks_in_english

MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH_NUMBERS = {name[:length]: n for n, name in enumerate(MONTHS, 1) for length in (3, len(name))} | {"sept": 9}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple of": 2, "few": 3}

_PAST = re.compile(
    r"""\b(?:
      fail\w* | broke\w* | breaks? | (?:went|go|goes)\ wrong | trouble\w* | incident\w* | outage\w* | cost\ us
    | backfired? | how\ did\ (?:it|that|this)\ go | what\ happened | happened\ (?:to|with|when) | what\ came\ of
    | rejected | rejection\w* | turn(?:ed)?\ down | refused | said\ no | rul(?:ed|ing)\ (?:out|on) | shot\ down
    | killed | withdrawn? | withdrew | dropped | taken\ out | denied | vetoed | never\ (?:merged|adopted|accepted)
    | propos(?:e|ed|al|als) | suggest(?:ed|ion)? | (?:has|have|had)\ (?:anyone|anybody|someone|somebody|we)\ ever
    | tried | earlier | previous\w* | former\w* | originally | original\ decision | used\ to | no\ longer
    | histor(?:y|ies|ical) | evol(?:ve|ved|ution) | over\ time | over\ the\ (?:months|years) | develop(?:ed)?
    | replac(?:e|ed|es) | supersed\w* | in\ its\ place | came\ before | before\ (?:that|this|it) | then\ and\ now
    | at\ first | (?:pick|picked|choose|chose|use|used)\b.{0,20}\bfirst | revers(?:ed|al) | revert(?:ed)? | went\ back
    | have\ we\ used
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What failed, was turned down or came before, in the words that people ask for it with."""

_LISTS = re.compile(
    r"\b(?:what|which)\b.*\b(?:decid|decision|chose|choose|chosen|choice|agree|happened|settle|change)"
    r"|\bdecisions?\b.*\b(?:made|taken|came|from|of|in|since|before|after)\b|\b(?:list|show|anything|everything)\b",
    re.IGNORECASE,
)

_LEAD = re.compile(
    r"^\W*(?:(?:and|so|but)\s+)?"
    r"(?:(?:why|how\s+come|what|who|where|when|which|how)\b"
    r"(?:\s+(?:was|is|are|were|did|do|does|can|could|should|must|may|has|have|had|would|will)(?:n['’]t)?\b)?"
    r"(?:\s+(?:we|i|you|they|there|it|our)\b)?"
    r"|is\s+it\s+true\s+that|was\s+there\s+ever|wasn['’]t|shouldn['’]t|did\s+(?:we|anyone|anybody|someone|somebody)"
    r"|do\s+we|does|are\s+we|has\s+(?:anyone|anybody)|can\s+(?:i|we)|tell\s+me|remind\s+me)\b\s*",
    re.IGNORECASE,
)
"""What a question begins with before it comes to its subject."""

_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_MONTH = r"(?P<{0}>" + "|".join(sorted((re.escape(m) for m in _MONTH_NUMBERS), key=len, reverse=True)) + r")\.?"
_SPAN = re.compile(
    r"\b(?:between|from)\s+" + _MONTH.format("m1") + r"(?:\s+" + _YEAR.format("y1") + r")?"
    r"\s+(?:and|to|until|till|through|-)\s+" + _MONTH.format("m2") + r"(?:\s+(?:of\s+)?" + _YEAR.format("y2") + r")?\b",
    re.IGNORECASE,
)
_QUARTER = re.compile(
    r"\b(?:in|during|of|since|before|after|until)?\s*(?:the\s+)?(?:q(?P<n>[1-4])|(?P<word>first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter)"
    r"(?:\s+(?:of\s+)?" + _YEAR.format("y") + r")?\b",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\b(?P<which>last|past|previous|this|current)\s+"
    r"(?:(?P<many>\d{1,3}|couple\s+of|few|two|three|four|five|six)\s+)?(?P<unit>day|week|month|quarter|year)s?\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?P<word>on|since|before|after|until|by|from)?\s*(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)\b", re.IGNORECASE
)
_IN_MONTH = re.compile(
    r"\b(?P<word>in|during|since|before|after|until|from|by)\s+(?:(?:early|mid|late|the\s+end\s+of)[\s-]+)?"
    + _MONTH.format("m")
    + r"(?:,?\s+(?:of\s+)?"
    + _YEAR.format("y")
    + r")?\b",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(
    r"\b(?P<word>in|during|since|before|after|until|from|by)\s+" + _YEAR.format("y") + r"\b", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?:^|[.!?:…])[\s\"'“(]*$")
_YESTERDAY = re.compile(r"\byesterday\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The days that a question names, both included; None is open. `words` are those that named them."""

    since: date | None
    until: date | None
    words: str

    def holds(self, day: date) -> bool:
        """Say whether a day lies within."""
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a question says to the ranking.

    `text` is the question without the words that name days. `past` is true where it asks for what
    failed, was rejected or came before, or for what was decided in days gone by. `narrows` is true
    where it asks for the decisions *of* the window, so that others don't answer it; otherwise the
    window only favours. `names` are the words, in lower case, that are written like names.
    """

    text: str
    past: bool
    window: Window | None = None
    narrows: bool = False
    names: frozenset[str] = frozenset()


def read(question: str, today: date) -> Reading:
    """Return what bears on ranking in a question asked on a day."""
    window = window_of(question, today)
    past = _PAST.search(question) is not None
    if window is None:
        return Reading(text=question, past=past, names=names_in(question))
    text = " ".join(question.replace(window.words, " ").split()) or question
    narrows = _LISTS.search(question) is not None
    gone_by = narrows and window.until is not None and window.until < today
    return Reading(text=text, past=past or gone_by, window=window, narrows=narrows, names=names_in(text))


def subject(question: str) -> str:
    """Return a question without the words that only make it one; the question itself if nothing is left."""
    return _LEAD.sub("", question) or question


def names_in(question: str) -> frozenset[str]:
    """Return the words with a capital letter that no sentence begins with; none if all are in capitals.

    Other languages write more than names so, German each noun: in their questions a name has a capital inside.
    """
    if not any(letter.islower() for letter in question):
        return frozenset()
    if not asks_in_english(question):
        return frozenset(word.lower() for word in _WORD.findall(question) if word[1:] != word[1:].lower())
    words = (match for match in _WORD.finditer(question) if not _SENTENCE_END.search(question[: match.start()]))
    return frozenset(match[0].lower() for match in words if match[0] != match[0].lower())


def window_of(question: str, today: date) -> Window | None:
    """Return the days that a question names, the first reading that fits; None if it names none.

    A month without a year is the latest one that has begun.
    """
    for pattern, reader in _READERS:
        match = pattern.search(question)
        if match is not None and (days := reader(match, today)) is not None:
            return Window(since=days[0], until=days[1], words=match[0])
    return None


_Days = tuple[date | None, date | None]


def _bounded(word: str | None, first: date, last: date) -> _Days:
    """Turn "since", "before" and the like with a period into days."""
    match (word or "in").lower():
        case "since" | "from":
            return first, None
        case "after":
            return last + timedelta(days=1), None
        case "before":
            return None, first - timedelta(days=1)
        case "until" | "by":
            return None, last
        case _:
            return first, last


def _month(year: int, number: int) -> tuple[date, date]:
    return date(year, number, 1), date(year, number, monthrange(year, number)[1])


def _quarter(year: int, n: int) -> tuple[date, date]:
    return _month(year, 3 * n - 2)[0], _month(year, 3 * n)[1]


def _year_of(number: int, year: str | None, today: date) -> int:
    return int(year) if year else today.year - (number > today.month)


def _span(match: re.Match[str], today: date) -> _Days:
    first, last = _MONTH_NUMBERS[match["m1"].lower()], _MONTH_NUMBERS[match["m2"].lower()]
    end = _year_of(last, match["y2"], today)
    start = int(match["y1"]) if match["y1"] else end - (first > last)
    return _month(start, first)[0], _month(end, last)[1]


def _named_quarter(match: re.Match[str], today: date) -> _Days:
    n = int(match["n"] or _ORDINALS[match["word"].lower()])
    year = int(match["y"]) if match["y"] else today.year - (3 * n - 2 > today.month)
    return _bounded(match[0].split()[0], *_quarter(year, n))


def _relative(match: re.Match[str], today: date) -> _Days | None:
    unit, this = match["unit"].lower(), match["which"].lower() in ("this", "current")
    if match["many"]:
        many = match["many"].lower()
        count = int(many) if many.isdigit() else _NUMBERS.get(" ".join(many.split()), 1)
        days = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}[unit] * count
        return None if this else (today - timedelta(days=days), today)
    match unit:
        case "year":
            year = today.year - (not this)
            return date(year, 1, 1), date(year, 12, 31)
        case "quarter":
            first, _ = _quarter(today.year, (today.month + 2) // 3)
            return _quarter_around(first if this else first - timedelta(days=1))
        case "month":
            anchor = today if this else today.replace(day=1) - timedelta(days=1)
            return _month(anchor.year, anchor.month)
        case "week":
            monday = today - timedelta(days=today.weekday() + (0 if this else 7))
            return monday, monday + timedelta(days=6)
        case _:
            return None


def _quarter_around(day: date) -> tuple[date, date]:
    return _quarter(day.year, (day.month + 2) // 3)


def _exact(match: re.Match[str], _today: date) -> _Days | None:
    try:
        day = date(int(match["y"]), int(match["m"]), int(match["d"]))
    except ValueError:
        return None
    return _bounded(match["word"], day, day)


def _in_month(match: re.Match[str], today: date) -> _Days:
    number = _MONTH_NUMBERS[match["m"].lower()]
    return _bounded(match["word"], *_month(_year_of(number, match["y"], today), number))


def _in_year(match: re.Match[str], _today: date) -> _Days:
    return _bounded(match["word"], date(int(match["y"]), 1, 1), date(int(match["y"]), 12, 31))


def _near(_match: re.Match[str], today: date) -> _Days:
    return today - timedelta(days=1), today - timedelta(days=1)


_READERS = (
    (_SPAN, _span),
    (_QUARTER, _named_quarter),
    (_LAST, _relative),
    (_DAY, _exact),
    (_IN_MONTH, _in_month),
    (_IN_YEAR, _in_year),
    (_YESTERDAY, _near),
)
