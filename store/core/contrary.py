"""Whether a later decision turns on an earlier one: the same matter, and words that say the choice is another.

Pure, over two statements. Likeness alone never decides: some sign of change must stand in the words (the later one
turns down what the earlier chose, takes up what it turned down, names another number, or says that something goes).
Precision before recall: what is proposed here is shown to people, and a miss leaves two decisions side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from store.core.ids import normal
from store.core.model import Alternative, Decision, Draft, Status
from store.core.stance import contradicts
from store.core.wording import content_words, known_numbers, word_set

_STEM = 5
HALF = 0.5
"""Share of an option's words that must stand in the other's title for it to be that choice."""
_LITTLE, _SOME = 0.25, 1 / 3
"""Shares of the shorter title's words: with an option to go by a little in common is enough, else a third."""
_FEW = 3
"""Words in common that make a matter, where no option says what the matter is."""

_CHANGE = re.compile(
    r"""(?x)\b(?: back\ (?:to|in|on|with|at) | no\ longer | any\ ?more | any\ longer | instead\ of | rather\ than
    | revers(?:e|es|ed|ing|al) | replac(?:e|es|ed|ing) | supersed\w+ | scrap(?:s|ped|ping)? | undo(?:es|ing)?
    | drop(?:s|ped|ping)? | retir(?:e|es|ed|ing) | remov(?:e|es|ed|ing) | stop(?:s|ped|ping)? | abandon\w* | ditch\w*
    | exempt\w* | ignor(?:e|es|ed) | mov(?:e|es|ed|ing)\ (?:off|away|from|to) | switch(?:es|ed|ing)?
    | after\ all | chang(?:e|ed|ing)\ (?:our|my)\ minds? | on\ second\ thoughts? | for\ good | was\ wrong | turns?\ out
    | stattdessen | doch | nicht\ mehr | zurück\ (?:zu|auf) | em\ vez | de\ volta | afinal | já\ não )\b
    | やっぱり | 代わりに | 変更 | 戻す | やめ""",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"""(?x)\b(?: after\ all | instead | changed?\ (?:our|my)\ minds? | on\ second\ thoughts? | scrap\ (?:that|it|this)
    | (?:never\ ?mind|forget)\ (?:that|it|this|what) | back\ to | revers(?:e|es|ed|ing)\ (?:that|it|this|course)
    | (?:was|were)\ wrong | stattdessen | doch\ (?:lieber|nicht) | em\ vez | afinal )\b | やっぱり | 代わりに""",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.;!?])\s|\n")
_NAMED = 2
"""Words of the older title that a sentence must hold to be about it."""
_AMOUNT = re.compile(
    r"(?<![.\w])(?P<number>(?!(?:19|20)\d\d\b)\d+(?:\.\d+(?=[ ]?(?:%|[a-z]{1,3}\b)))?"
    r"|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice)"
    r"[ -]?(?P<what>%|[a-zäöüß]+)"
)
_ALIKE = 0.8
"""Share of all title words from which on two are one decision said twice, unless an option says otherwise."""
_STAYING = word_set("keep kept stay stays same curre today only conti remai leave as-is defau optio")


class Bearing(StrEnum):
    """How a later decision bears on an earlier one, as far as words tell."""

    REPLACES = "replaces"
    PULLS_AGAINST = "pulls against"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is compared of a decision or a draft: words cut to stems, numbers as `#5`."""

    title: frozenset[str]
    whole: frozenset[str]
    """Of the title and the deciding quote."""
    options: tuple[frozenset[str], ...]
    elements: frozenset[str]
    changing: tuple[frozenset[str], ...]
    """Of each sentence that says that something goes or comes back."""
    turning: bool
    """Its words turn from something, whatever that was: "elastic it is after all"."""
    amounts: frozenset[tuple[str, str]]
    """What the title counts, and how many: ("attem", "5")."""
    accepted: bool


def said(one: Decision | Draft) -> Said:
    """Return what is compared of a decision or draft."""
    words = f"{one.title} . {one.evidence[0].quote if one.evidence else ''}"
    return Said(
        title=tokens_of(one.title),
        whole=tokens_of(words),
        options=tuple(_option(each) for each in one.alternatives),
        elements=frozenset(normal(each).partition(":")[2] or normal(each) for each in one.elements),
        changing=tuple(tokens_of(each) for each in _SENTENCE.split(words) if _CHANGE.search(each)),
        turning=bool(_TURN.search(words)),
        amounts=_amounts(one.title),
        accepted=one.status is Status.ACCEPTED,
    )


def bearing(newer: Decision | Draft, older: Decision | Draft) -> Bearing | None:
    """Return how a later decision bears on an earlier one; None where nothing says that it does.

    Neither their days nor their places are looked at: the caller knows which came later.
    """
    return bearing_of(said(newer), said(older))


def bearing_of(newer: Said, older: Said) -> Bearing | None:
    """Return how the later bears on the earlier, both as `said` gives them."""
    if not (newer.accepted and older.accepted):
        return None
    common = len(_words(newer.whole) & _words(older.whole))
    shorter = max(1, min(len(_words(newer.title)), len(_words(older.title))))
    covered, titles = common / shorter, len(_words(newer.title) & _words(older.title)) / shorter
    turned_down = took_up(newer.options, older.title, newer.title)
    taken_up = took_up(older.options, newer.title, older.title)
    matter = bool(newer.elements & older.elements) or (common >= _FEW and titles >= _SOME)
    if not matter:
        return None
    if turned_down and (covered >= _LITTLE or taken_up):
        return Bearing.REPLACES
    if len(newer.title & older.title) >= _ALIKE * len(newer.title | older.title):
        return None
    if _goes(newer, older) and common >= _FEW and titles >= _SOME:
        return Bearing.REPLACES
    if taken_up and covered >= _LITTLE:
        return Bearing.PULLS_AGAINST
    if other_amounts(newer.amounts, older.amounts) and common >= _FEW and titles >= _SOME:
        return Bearing.PULLS_AGAINST
    return None


def alike(one: str, other: str) -> bool:
    """Say whether one title is another one worded anew, by the words that carry their matter."""
    ours, theirs = _words(tokens_of(one)), _words(tokens_of(other))
    return len(ours & theirs) >= HALF * len(ours | theirs)


def turns(later: Draft, earlier: Decision) -> bool:
    """Say whether a thread has turned: its deciding words came after all that the earlier rests on, and say otherwise.

    Both are of one thread, yet a thread may decide two things: so the words must name what goes, or turn by themselves.
    """
    if not _came_after(later, earlier):
        return False
    new, old = said(later), said(earlier)
    return bool(
        new.turning
        or _goes(new, old)
        or took_up(new.options, old.title, new.title)
        or took_up(old.options, new.title, old.title)
        or other_amounts(new.amounts, old.amounts)
        or contradicts(later.title, [earlier.title], turned_down=not new.accepted)
    )


def turns_by_name(later: Draft, earlier: Decision) -> bool:
    """Say whether a thread has turned by words that name what goes: sure enough where both were read as standing."""
    new, old = said(later), said(earlier)
    return _came_after(later, earlier) and (_goes(new, old) or took_up(new.options, old.title, new.title))


def _came_after(later: Draft, earlier: Decision) -> bool:
    """Whether the words that decide a draft are of a turn after all those that a decision rests on."""
    deciding = later.evidence[0] if later.evidence else None
    if deciding is None or deciding.at is None or not earlier.evidence:
        return False
    return all(each.turn_id != deciding.turn_id and each.at and each.at < deciding.at for each in earlier.evidence)


def _goes(newer: Said, older: Said) -> bool:
    """Whether a sentence of the later says that something goes, and names what the earlier was about."""
    return any(len(each & older.title) >= min(_NAMED, max(1, len(older.title))) for each in newer.changing)


def took_up(options: Iterable[frozenset[str]], title: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether an option that one turned down is what the other's title says, in a word that its own has not."""
    return any(
        option and len(option & title) / len(option) >= HALF and bool(option & (title - other)) for option in options
    )


def other_amounts(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> bool:
    """Say whether both count the same thing and come to other numbers."""
    same = {what for what, _ in one} & {what for what, _ in other}
    return bool(same) and not any(each in other for each in one if each[0] in same)


def _amounts(title: str) -> frozenset[tuple[str, str]]:
    """Return the numbers with what they count; versions and years count nothing."""
    found = ((match["what"].lower()[:_STEM], match["number"]) for match in _AMOUNT.finditer(title))
    return frozenset((what, number) for what, text in found for number in known_numbers(text))


def _option(alternative: Alternative) -> frozenset[str]:
    return tokens_of(alternative.option) - _STAYING


def tokens_of(text: str) -> frozenset[str]:
    """Return what is compared of a text: its content words cut to stems, its numbers as `#5`."""
    words: Sequence[str] = [word[:_STEM] for word in content_words(text)]
    return frozenset((*words, *(f"#{number}" for number in known_numbers(text))))


def _words(tokens: frozenset[str]) -> frozenset[str]:
    return frozenset(token for token in tokens if not token.startswith("#"))
