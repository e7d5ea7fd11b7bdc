"""Whether two places say one and the same decision: rules over words, names and days; pure.

Precision comes first: a wrong merge hides a decision, a miss leaves two rows side by side. So whatever says that the
two differ (their status, a number, a value set, an option that one turned down and the other took) ends the matter,
and only then likeness is asked. Less of it is enough where one place names the other. The thresholds were chosen by
`tests/benchmarks/corroboration.py`, on a company's year and a thousand records of 24 projects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher

from store.core.contrary import Said, other_amounts, said, tokens_of, took_up
from store.core.ids import normal
from store.core.model import Decision, Draft, Place, Status
from store.core.naming_places import names_in, names_of, names_replaced
from store.core.stance import contradicts

SOON_DAYS, APART_DAYS = 7, 30
"""Days within which a decision is written down elsewhere at once, or later: beyond them only a name leads back."""
SOON, LATER, NAMED, ONE_SOURCE = 0.8, 1.0, 0.65, 1.3
"""Likeness (0 to 2) that is enough: soon, later, where one names the other, and within one source.
In a company's year the same decision in two sources had 0.89 to 1.81, within `APART_DAYS` two different ones that
nothing else told apart 0.5 at most. Each token counts as much as any other, so that two decisions are alike or not
whatever else a memory holds: weighed by how rare they are, they were told apart less well."""
FEWEST, FEWEST_NAMED = 4, 3
"""Tokens that both statements must hold: two records of one project share three as easily as a series' title."""
CHANGED, ADDED = 0.45, 0.7
"""Likeness of two titles as rows of words (0 to 1) from which on one copies the other: what differs is what was
changed, or added. Whoever writes a decision down elsewhere words it anew (0.11 to 0.42 in a company's year); successive
motions of one meeting had 0.48 and more. Deciding words are longer and copied in part, so theirs must be nearly all."""
_WORD = re.compile(r"\w+")
_TELLING = tokens_of("fyi heads-up announcement announcing update reminder summary recap everyone decided")
"""What introduces words that are passed on, and changes nothing of them."""
_STAYING = frozenset({"keep", "kept", "stay", "stays", "leave", "remain"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A decision, recorded or proposed, as it is held against those of other places."""

    title: str
    quote: str
    """The deciding words, "" where none are kept."""
    place: Place
    status: Status
    day: date
    said: Said
    whole: frozenset[str]
    """Tokens of all that it says and rests on."""
    options: tuple[frozenset[str], ...]
    sets: frozenset[tuple[str, str, str]]
    names: frozenset[str]
    """Of places that its words, or those of its thread, name."""
    replaced: frozenset[str]
    """Those of them that are said to be replaced."""

    @property
    def core(self) -> frozenset[str]:
        """Tokens of the title and the deciding words."""
        return self.said.whole


def told(one: Decision | Draft, place: Place, *, day: date, thread: str = "") -> Told:
    """Return what is compared of a decision or draft.

    Args:
        one: recorded, or proposed.
        place: where it is stated.
        day: when it was decided.
        thread: all that was said there, where it is at hand.
    """
    texts = [one.title, one.rationale, *(quote.quote for quote in one.evidence), *one.elements]
    texts += [side for each in one.alternatives for side in (each.option, each.reason)]
    words = "\n".join((*texts, one.text, thread))
    return Told(
        title=one.title,
        quote=one.evidence[0].quote if one.evidence else "",
        place=place,
        status=one.status,
        day=day,
        said=said(one),
        whole=tokens_of(" . ".join(texts)),
        options=tuple(each for each in map(_option, (each.option for each in one.alternatives)) if each),
        sets=frozenset((normal(element), normal(name), value.strip()) for element, name, value in one.sets),
        names=names_in(words, within=place) - names_of(place),
        replaced=names_replaced(words, within=place),
    )


def is_the_same(one: Told, other: Told) -> float:
    """Return how alike two places' decisions are (0 to 2) where they are one and the same, else 0.0; symmetrical."""
    named = bool(one.names & names_of(other.place) or other.names & names_of(one.place))
    least = _least(one, other, named=named)
    if least is None or len(one.core & other.core) < (FEWEST_NAMED if named else FEWEST):
        return 0.0
    alike = likeness(one, other)
    return 0.0 if alike < least or differ(one, other) or _copied(one, other, named=named) else alike


def likeness(one: Told, other: Told) -> float:
    """Return the share of the shorter's statement, plus that of all that it says, which the other holds: 0 to 2."""
    return _covered(one.core, other.core) + _covered(one.whole, other.whole)


def _least(one: Told, other: Told, *, named: bool) -> float | None:
    """Return the likeness that is enough; None where none is."""
    apart = abs((one.day - other.day).days)
    if named:
        return NAMED
    if apart > APART_DAYS:
        return None
    if one.place.source == other.place.source:
        return None if one.place.ref and other.place.ref else ONE_SOURCE  # two records of a kind are two decisions
    return SOON if apart <= SOON_DAYS else LATER


def differ(one: Told, other: Told) -> bool:
    """Say whether something tells two decisions apart, however alike they are."""
    return (
        one.status is not other.status
        or bool(one.replaced & names_of(other.place) or other.replaced & names_of(one.place))
        or contradicts(one.title, [other.title])
        or contradicts(other.title, [one.title])
        or _counts_differ(one.said, other.said)
        or _values_differ(one.sets, other.sets)
        or took_up(one.options, other.said.title, one.said.title)
        or took_up(other.options, one.said.title, other.said.title)
    )


def _counts_differ(one: Said, other: Said) -> bool:
    ours, theirs = _numbers(one.title), _numbers(other.title)
    return other_amounts(one.amounts, other.amounts) or not (ours <= theirs or theirs <= ours)


def _numbers(tokens: frozenset[str]) -> frozenset[str]:
    return frozenset(token for token in tokens if token.startswith("#"))


def _values_differ(one: frozenset[tuple[str, str, str]], other: frozenset[tuple[str, str, str]]) -> bool:
    values = {(element, name): value for element, name, value in one}
    return any(values.get((element, name), value) != value for element, name, value in other)


def _copied(one: Told, other: Told, *, named: bool) -> bool:
    """Whether title or deciding words copy the other's but for words that it bears nowhere: then those are the news."""
    sides = ((one.title, other.title, CHANGED), (one.quote, other.quote, ADDED))
    for ours, theirs, changed in sides:
        mine, its = tokens_of(ours), tokens_of(theirs)
        new, gone = mine - its - other.whole - _TELLING, its - mine - one.whole - _TELLING
        if not (new or gone) or (named and not (new and gone)):
            continue
        first, second = sorted((ours.lower(), theirs.lower()))  # the ratio isn't symmetrical by itself
        rows = SequenceMatcher(None, _WORD.findall(first), _WORD.findall(second), autojunk=False)
        if rows.ratio() >= (changed if new and gone else ADDED):
            return True
    return False


def _option(text: str) -> frozenset[str]:
    """Return an option's tokens; none of one that leaves a single thing as it is, which any statement may name."""
    tokens = tokens_of(text)
    stays = bool(_STAYING & set(text.lower().split()))
    return frozenset() if stays and len(tokens - _STAYING) < 2 else tokens - _STAYING


def _covered(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (min(len(one), len(other)) or 1)
