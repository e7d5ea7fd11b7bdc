"""A short title from a deciding sentence: its own words, without how people start and end such a sentence.

Nothing is reworded, so a title denies what its sentence denies; a cut never falls between a denial and what it denies.
"""

from __future__ import annotations

import re
from collections import Counter

from store import Thread, stems

MOST_CHARACTERS = 88
"""Two lines of a card on a phone, about fourteen words."""
_FEWEST_STEMS = 2
_FEW_STEMS = 4
_FEWEST_MENTIONS = 3
"""Turns in which a word must stand to be what the thread is about."""
_MOST_TOPIC_WORDS = 5
_MOST_TURNS = 300
_NAME = re.compile(r"[^\W\d_][\w-]{2,}")

_LEAD = re.compile(
    r"^(?:[^\w@#'\"`(]+|:\w+:"
    r"|(?:fine|ok(?:ay)?|good|cool|works|all ?right) (?:with|for|by) (?:me|us)\b[\s,.:;!–—-]*"
    r"|(?:ok(?:ay)?|k|alright|all right|so|then|yes|yeah|yep|yup|please"
    r"|in that case|on that basis)"
    r"(?=[\s,.:;!–—-]|$)[\s,.:;!–—-]*"
    r"|(?:(?:so )?in short|long story short|short|final):\s*"
    r"|(?:fyi|psa|quick (?:one|update|note)|heads[ -]?up|update|news|note|tl;?dr|short version)\b[^:\n]{0,40}:\s*"
    r"|(?:right|fine|cool|great|good|well|perfect|very good|very well|agreed|settled|decided|resolved|done|sold|deal"
    r"|no objections(?: then)?|calling it|that settles it|decision|verdict|conclusion|resolution|proposal"
    r"|final answer"
    r"|for the record|to sum up|summari[sz]ing(?: for the \w+)?|to summari[sz]e|carried|understood|doing that|policy"
    r"|go ahead|thanks (?:all|everyone|both)|exception granted|poll|summary|(?:on )?that|it'?s (?:decided"
    r"|settled|agreed))(?:\s*[,.:;!–—-]+\s*|\s*$"
    r"|\s(?:so|then|with)\b\s*))",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"^(?:(?:i think |i guess )?(?:we|i|let'?s|lets|i'?m|we'?re|we'?ll|i'?ll|we will|we shall"
    r"|they)\s+(?:just |then |all |simply |now )*)?"
    r"(?:go(?:ing)? (?:ahead )?with|go(?:ing)? for|go(?= (?-i:[A-Z]))"
    r"|going(?! (?:to|ahead|back|on|live|down|up)\b)(?= \w)|opt(?:ing)? for"
    r"|settl(?:e|ing) on|proceed(?:ing)? with"
    r"|stick(?:ing)? with(?= \w+ for)|pick|choose|choosing)\s+",
    re.IGNORECASE,
)
_LETS = re.compile(
    r"^(?:(?:we'?re|we are|i'?m|i am) (?:going to|gonna)|let'?s|lets|let me|i'?ll|we'?ll|we will|we shall"
    r"|then|so)\s+(?=\w)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:\s+(?:then|it is|it shall be|it'll be)"
    r"|,\s*(?:then|done|please|pls|thanks|i guess|for sure|folks|all|everyone|ok(?:ay)?))+"
    r"(?=\s*[.!,;:]|\s*$)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\s*(?:[;(–—]|\s-\s|,?\s(?:because|so that|otherwise|since (?:we|it|they|that|the|nobody)|which"
    r"|as (?:we|it|they|nobody))\b)",
    re.IGNORECASE,
)
_DENIES = re.compile(r"^(?:no|not|never|we (?:don'?t|won'?t|do not|will not))\b", re.IGNORECASE)
_NAMED = re.compile(r"^no (?!thanks|thank|need|point|time|longer|more|later|rush)\w{4,}", re.IGNORECASE)
"""A denial that says what it denies needs no topic before it: "no monorepo"."""
_MARKUP = re.compile(
    r"(?<![\w`])[*_~]{1,2}(?=\S)|(?<=\S)[*_~]{1,2}(?![\w`])|(?<!\w):(?:\+1|-1|[a-z][a-z0-9_+-]+):|<[^<>\n]+>"
)
_SPACE = re.compile(r"\s+")
_LOOSE_END = re.compile(
    r"(?:[\s,]+(?:and|or|with|to|for|the|a|an|of|in|on|at|by|from|only|per|but|as|is|are|no|not|never"
    r"|without|until|if|when|via|after|before|than|every|each|we|i|which|that|plus|with effect"
    r"|their|our|your|its|his|her))+$",
    re.IGNORECASE,
)
_SAYS_LITTLE = stems(
    "year month week day hour minute second morning tomorrow today monday tuesday wednesday thursday friday saturday"
    " sunday january february march april may june july august september october november december end take taking pay"
    " paying pick use using doing done stay staying option version pinned worth confirmed vendor plan both"
)
"""Words that with a number, or alone, don't say what a decision is about: "take the 12 months"."""
_POINTING = re.compile(r"\b(?:it|that|this|them|those|these|they|one|both|same|option|mode|yes)\b", re.IGNORECASE)
_TOPIC_END = re.compile(r"[.:?!\n;]|\s[-–—]\s|,\s")
_ASKED_OF_ALL = re.compile(
    r"^(?:we (?:have|need) to (?:choose|decide|pick)(?: between| on)?|(?:do|should|shall|can|could"
    r"|are) we(?: reply to| use)?"
    r"|(?:can|could) (?:someone|somebody|anyone) \w+(?: \w+)?|who \w+|which \w+|where do we|what do we"
    r"|i would like to propose that"
    r"|(?:did|does|do|has|have|is|was) (?:anyone|anybody|someone|somebody)(?: else)? \w+"
    r"|i(?:'d| would) like to|our|the|about|request from \w+|so|is it|there'?s)\s+",
    re.IGNORECASE,
)
_NO_TOPIC = re.compile(
    r"^(?:hi|hey|hello|team|all|folks|question|reminder|psa|fyi|colleagues|everyone|morning)\b", re.IGNORECASE
)


def title_of(sentence: str, thread: Thread) -> str:
    """Return a title of at most `MOST_CHARACTERS`, the thread's matter before it where it says little.

    Args:
        sentence: the deciding words, verbatim.
        thread: where they were said; its first words often name the matter ("token lifetime. right now …").
    """
    bare = bare_sentence(sentence)
    if _DENIES.match(bare):
        bare = bare.partition(": ")[0]
    short = _cut(_REASON.split(bare, maxsplit=1)[0] if len(bare) > MOST_CHARACTERS // 2 else bare)
    mine = stems(short)
    root = thread.turns[0].text
    telling = frozenset(stem for stem in mine if not stem.isdigit() and stem not in _SAYS_LITTLE)
    vague = not telling or len(mine) < _FEWEST_STEMS or (len(mine) == _FEWEST_STEMS and _POINTING.search(short))
    if sentence not in root and (vague or (len(mine) <= _FEW_STEMS and not mine & stems(root))):
        named = vague and telling == mine and not _DENIES.match(bare)
        topic = topic_of(root) if named else _recurring(thread, mine) or ("" if telling else topic_of(root))
        if topic and not stems(topic) & mine and not _NAMED.match(bare):
            short = _cut(f"{topic}: {short}" if short else topic)
    return _capital(short) or _capital(_cut(_SPACE.sub(" ", sentence)))


def bare_sentence(sentence: str) -> str:
    """Return a sentence without markup, openers ("ok so: let's go with …") and closers ("… then, done")."""
    text = _SPACE.sub(" ", _MARKUP.sub("", sentence)).strip()
    before = ""
    while text and text != before:
        before = text
        text = _LEAD.sub("", text, count=1)
        text = _VERB.sub("", text, count=1) or text
    text = _LETS.sub("", text, count=1)
    text = _TAIL.sub("", text).strip(" ,.:;!–—-")
    return text or before.strip(" ,.:;!–—-")


def topic_of(root: str) -> str:
    """Return what a thread's first words name as its matter: a few words of their own, else how they begin."""
    if short := _short_topic(root):
        return short
    words = _ASKED_OF_ALL.sub("", next((part for part in _parts(root) if stems(part)), "")).split()
    return _LOOSE_END.sub("", " ".join(words[: _MOST_TOPIC_WORDS + 3]))


def _short_topic(root: str) -> str:
    for part in _parts(root)[:1]:
        if len(part.split()) <= _MOST_TOPIC_WORDS and stems(part) and not _NO_TOPIC.search(part):
            return part
    return ""


def _parts(root: str) -> list[str]:
    text = _SPACE.sub(" ", _MARKUP.sub("", root)).strip()
    for _ in range(2):
        text = _LEAD.sub("", text, count=1)
    return [part.strip() for part in _TOPIC_END.split(text[:200], maxsplit=3) if part.strip()]


def _recurring(thread: Thread, said: frozenset[str]) -> str:
    """Return the word of the first turn that most turns repeat, as the first turn spells it, or ""."""
    heard = Counter(stem for turn in thread.turns[:_MOST_TURNS] for stem in stems(turn.text[:1_000]))
    words = {stem: word for word in _NAME.findall(thread.turns[0].text[:400]) for stem in stems(word)}
    known = [stem for stem in words if heard[stem] >= _FEWEST_MENTIONS and not stem.isdigit()]
    best = max(known, key=lambda stem: (heard[stem], stem), default="")
    return "" if best in said else words.get(best, "")


def _cut(text: str) -> str:
    """Return the text's beginning within `MOST_CHARACTERS`, ending at a clause where one ends in time."""
    text = text.strip(" ,.:;–—-")
    if len(text) > MOST_CHARACTERS:
        head = text[: MOST_CHARACTERS + 1]
        clause = max(head.rfind(mark) for mark in (": ", "; ", ". ", " - "))
        if clause < MOST_CHARACTERS // 3:
            clause = max(head.rfind(", "), head.rfind(" and ") if head.rfind(", ") < MOST_CHARACTERS // 3 else -1)
        text = (head[:clause] if clause > MOST_CHARACTERS // 3 else head.rsplit(" ", 1)[0])[:MOST_CHARACTERS]
        text = _LOOSE_END.sub("", text)
    return text.strip(" ,.:;–—-")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text[:1].isalpha() and text[:2] != text[:2].swapcase() else text
