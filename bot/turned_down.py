"""Is this a proposal, and was it turned down or replaced before? Rules over words and what recall found; pure.

Precision comes first: a message must propose something, its matter must be near a decision, and it must name what
was turned down, not merely what the decision is about. Thresholds were chosen by `tests/benchmarks/said_before.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from store import Decision, DecisionId, Ranked, Status, stems

LOOKED_AT = 5
"""The best of recall that are looked at."""
UNNAMED = 0.61
"""Fit (meaning plus 0.7 of words) from which what was turned down is meant though no word of it is said: above the
worst mistake (0.60, a meeting about the ledger) and below what meant it least (0.62)."""
NAMED = 0.47
"""Fit that is enough where the message says what was turned down, by its name or in all its words: half-way between
the worst that meant it (0.58) and the best of a company's year of messages that didn't (0.37)."""
FEWEST_WORDS = 5
"""Fewer only answer what was said before: "can it follow?"."""
MOST_CHARS = 500
"""Longer messages explain, report or decide; a proposal is short."""

_PROPOSES = re.compile(
    r"""\b(?:
      what\ (?:if|about) | how\ about | hear\ me\ out | suggest(?:ion|ing)? | propos(?:e|al|ing) | vote\ for
    | let['’]?s | let\ us | (?:why|would|could|should|can)(?:n['’]t|\ not)?\ (?:we|i|you|it|an?|the)\b
    | why\ (?:don['’]t|not) | (?:we|i)(?:\ (?:just|also|really|all))?\ (?:could|should|might|can)
    | maybe\ (?:we|i|use|move|try) | shall\ (?:we|i) | i['’]d\ (?:rather|like|love|vote|go)
    | i\ would\ (?:like|rather|love) | would(?:n['’]t)?\b.{0,30}\bbe
    | thinking\ (?:of|about) | tempted\ to | (?:any(?:one|body)|somebody)\ against | any\ objections?
    | go(?:ing)?\ back\ to | switch(?:ing)?\ (?:back\ )?to | mov(?:e|ing)\ (?:back\ )?to | easiest\ (?:fix|way)
    | asks?\ again | would\ (?:get|make|give|save|help) | do\ we\ want\ to | worth\ (?:a\ try|trying|moving|switching)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_NO = re.compile(r"\b(?:no|not|never|without|don['’]t)\b(?P<what>(?:[^,;.:]|[.:](?=\S))*)", re.IGNORECASE)
_WHEREFOR = re.compile(r"\s(?:for|on|of|in|to|at|by|with|from|via)\s")
_CARES_FOR = re.compile(
    r"""\b(?:
      rais(?:e|ing) | renam(?:e|ing) | review\w* | document\w* | writ(?:e|ing)\ (?:down|up) | runbooks? | dashboards?
    | alerts? | metrics? | index(?:es)? | postpon\w+ | merg(?:e|ing) | bump\w* | clos(?:e|ing) | delet(?:e|ing)
    | remind(?:ed|ing)? | tell(?:ing)? | thank\w*
    | print\w* | restart\w* | rotat(?:e|ing) | monitor\w* | invit(?:e|ing) | retry\ the | clean\w*\ up | as\ (?:it\ )?is
    | no\ longer | not\ any\ ?more | turned\ down | rejected | decided\ against | not\ going\ to
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What is done to a thing that one has, or said of what is settled: it proposes no other one."""
_WORD = re.compile(r"[\w.+#]+")
_PLAIN = frozenset({"own", "with", "and", "the", "all", "for", "keep", "per", "use", "one", "day", "time", "service"})
NEVER = 9.0
"""More than any fit."""
CHAIN_MAX = 6
"""Replaced decisions that are looked at behind one."""
SHORTEST = 3
"""Letters of a word that can name something."""
LIKE = 5
"""Letters from which the beginning of a longer name names it too: "elastic" is Elasticsearch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnedDown:
    """What was turned down or replaced that a message proposes again; `option` is the alternative, "" for the whole."""

    decision: Decision
    fit: float
    option: str = ""
    why: str = ""


def proposes(text: str) -> bool:
    """Say whether a message proposes something, by its words alone: cheap enough for every message."""
    if len(text) > MOST_CHARS or len(text.split()) < FEWEST_WORDS:
        return False
    return bool(_PROPOSES.search(text)) and not _CARES_FOR.search(text)


def turned_down(
    text: str, found: Sequence[Ranked], older: Callable[[Iterable[DecisionId]], Sequence[Decision]]
) -> TurnedDown | None:
    """Return what a proposal meets that was turned down or replaced, best first; None where nothing surely was.

    Args:
        text: the message.
        found: recall's order, best first, for whoever proposes.
        older: reads the decisions that one replaced, as they may be read by the same.
    """
    met: list[TurnedDown] = []
    for ranked in found[:LOOKED_AT]:
        if ranked.decision.confirmed:
            met += _met(text, ranked, older)
    return max(met, key=lambda one: (one.fit, one.decision.id), default=None)


def _met(
    text: str, ranked: Ranked, older: Callable[[Iterable[DecisionId]], Sequence[Decision]]
) -> Iterator[TurnedDown]:
    decision, fit = ranked.decision, fit_of(ranked)
    if decision.status is Status.REJECTED:
        options = (*(each.option for each in decision.alternatives), *said_no_to(decision.title))
        if fit >= min([UNNAMED, *(_least(text, option) for option in options)]):
            yield TurnedDown(decision=decision, fit=fit, why=_reason(decision))
    elif decision.status is Status.ACCEPTED:
        chosen = _NO.sub("", decision.title)
        lost = [each for each in decision.alternatives if fit >= _least(text, each.option, beside=chosen)]
        for each in lost[:1]:
            yield TurnedDown(decision=decision, fit=fit, option=each.option, why=each.reason or decision.rationale)
        yield from _replaced(text, ranked, older)


def _replaced(
    text: str, ranked: Ranked, older: Callable[[Iterable[DecisionId]], Sequence[Decision]]
) -> Iterator[TurnedDown]:
    """Yield what the decision replaced, directly or through others, where the message wants that back."""
    newer, fit = ranked.decision, fit_of(ranked)
    inherited = next((reason for reason in ranked.reasons if reason.name == "replaced"), None)
    for one in _chain(newer, older):
        own = inherited.value if inherited is not None and inherited.note == one.title else fit
        has_old_word = bool(stems(text) & (stems(one.title) - stems(newer.title)))
        title = one.title[:1].lower() + one.title[1:]
        least = min(_least(text, title, beside=newer.title), UNNAMED if inherited is not None else NEVER)
        if one.status is Status.ACCEPTED and has_old_word and own >= least:
            yield TurnedDown(decision=one, fit=own, why=newer.rationale)


def _chain(newer: Decision, older: Callable[[Iterable[DecisionId]], Sequence[Decision]]) -> list[Decision]:
    """Return what a decision replaced, what that had replaced, and so on, each once."""
    found: dict[DecisionId, Decision] = {}
    waiting = list(newer.supersedes)
    while waiting and len(found) < CHAIN_MAX:
        known = [one for one in older(waiting) if one.id not in found and one.id != newer.id]
        found |= {one.id: one for one in known}
        waiting = [name for one in known for name in one.supersedes]
    return list(found.values())


def fit_of(ranked: Ranked) -> float:
    """Return how well a decision itself fits the words asked, whatever came of it.

    That is meaning plus 0.7 of the words; the words alone where the vectors couldn't be asked.
    """
    parts = {reason.name: reason.value for reason in ranked.reasons}
    if "meaning" not in parts:
        return parts.get("words", 0.0)
    return parts["meaning"] + 0.7 * parts.get("words", 0.0)


def names_option(text: str, option: str, *, beside: str = "") -> bool:
    """Say whether a text names an option by a name of its own, at least half of what it consists of.

    Args:
        text: any text.
        option: what was turned down.
        beside: what was chosen; its words name nothing of the option.
    """
    return _least(text, option, beside=beside) <= NAMED


def _least(text: str, option: str, *, beside: str = "") -> float:
    """Return the fit that is enough for an option, by how a message says it: never enough where it doesn't.

    Half of what an option consists of must be said, or all where none of that is a name; a name alone needs more fit.

    Args:
        text: the message.
        option: what was turned down.
        beside: what was chosen; its words name nothing of the option.
    """
    chosen = {word.lower() for word in _WORD.findall(beside)}
    said = _words_of(text)
    parts = [part for part in _parts(option) if not chosen.issuperset(part.lower().split())]
    if not parts:
        return NEVER
    told = [part for part in parts if _is_said(part, said)]
    if any(_is_name(part) for part in told):
        return NAMED if 2 * len(told) >= len(parts) else UNNAMED
    return NAMED if len(told) == len(parts) else NEVER


@lru_cache(maxsize=8)
def _words_of(text: str) -> tuple[str, ...]:
    """Return a text's words, each once: a change's text is asked for every option of every decision near it."""
    return tuple(dict.fromkeys(word.lower().strip(".") for word in _WORD.findall(text)))


_stems_of = lru_cache(maxsize=100_000)(stems)


def _parts(option: str) -> list[str]:
    """Return what an option consists of: names of several words in one, and each plain word that means something."""
    parts: list[str] = []
    before = ""
    for word in (each.strip(".") for each in _WORD.findall(option)):
        joins = before and word[:1].isupper() and before.split()[-1][:1].isupper()
        if joins and parts:
            parts[-1] = f"{parts[-1]} {word}"
        elif len(word) >= SHORTEST and word.lower() not in _PLAIN:
            parts.append(word)
        before = word
    return parts


def _is_said(part: str, said: Sequence[str]) -> bool:
    return all(any(_same(word, other) for other in said) for word in part.lower().split())


def _is_name(part: str) -> bool:
    """Say whether something reads like a name: capitals, digits, a dot or an underscore in it."""
    return any(letter.isupper() or letter.isdigit() or letter in "._" for letter in part)


def _same(name: str, word: str) -> bool:
    """Say whether a word says a name, the beginning of a long one, or another form of a plain word."""
    if name == word or not name.isalpha():
        return name == word
    alike = (len(word) >= LIKE and name.startswith(word)) or (len(name) >= LIKE and word.startswith(name))
    return alike or bool(_stems_of(name) & _stems_of(word))


def said_no_to(title: str) -> tuple[str, ...]:
    """Return what a title says no to, without what it is for: "No GraphQL on the partner API" is GraphQL."""
    return tuple(_WHEREFOR.split(f"{match['what']} ")[0].strip() for match in _NO.finditer(title))


def _reason(decision: Decision) -> str:
    return decision.rationale or next((each.reason for each in decision.alternatives if each.reason), "")
