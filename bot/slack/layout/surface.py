"""What of an answer stands on its surface: at most 80 words and five citations, first things first.

Pure: it chooses and shortens, it lays nothing out. What finds no room waits behind ⋯.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from bot.ports import Answer, Claim, ClaimKind, Evidence
from bot.slack.layout import words
from bot.slack.layout.text import CHARACTERS_A_WORD, clean, cut_words, units, word_count
from store import Decision, Verdict

SURFACE_WORDS = 80
"""Words on an answer, its buttons aside (PEOPLE.md)."""
CITATIONS_MAX = 5
MARKS_MAX = 3
"""Numbers behind one piece; the others stand behind ⋯."""
HEADLINE_WORDS = 24
LINE_WORDS = 28
NAMES_SAID = 2
NAME_WORDS = 3
SHORTEST = 6
"""Words; a line cut shorter than this says nothing and is left out."""

_FIRST_THINGS = (
    ClaimKind.HEADLINE,
    ClaimKind.SIDE,
    ClaimKind.WHY,
    ClaimKind.SINCE,
    ClaimKind.TRIED_BEFORE,
    ClaimKind.INSTEAD_OF,
    ClaimKind.NOTE,
)
"""Who gets the room first; the order on screen is another one."""
_CITED_IN_TEXT = re.compile(r"\s*\[\d{1,3}\](?!\()")
_SIDE_MARK = re.compile(r"^[A-Z]\s*[·:.)]\s+")
_CONTESTED_MARK = re.compile(r"^\W*contested\s*:\s*", re.IGNORECASE)
_STATE = re.compile(r"(?<=[.!?])\s+(?:In force|Turned down|Proposed|Withdrawn|Taken back|No longer|Decided)\b.*$")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_OUTCOME_SAID = re.compile(r"\b(?:says?|worked|work)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A claim as it is shown: its words, and the numbers it rests on (never none)."""

    kind: ClaimKind
    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """The pieces that found room, first things first, and whether some words or numbers did not."""

    pieces: tuple[Piece, ...]
    left_over: bool


def main_decision(answer: Answer) -> Decision | None:
    """Return the decision that votes count for, as the answer shows it."""
    return next((line.decision for line in answer.evidence if line.decision.id == answer.main), None)


def choose(answer: Answer, room: int, cost: Callable[[Evidence], int]) -> Surface:
    """Choose what fits.

    Args:
        answer: sure or contested, with a headline.
        room: words that the pieces and their citations may take; the headline gets `SHORTEST` in any case.
        cost: how many words the line of one citation takes.
    """
    by_number = {line.n: line for line in answer.evidence}
    main = main_decision(answer)
    pieces: list[Piece] = []
    used: set[int] = set()
    told: set[int] = set()
    left_over = False
    for claim in sorted(_said(answer), key=lambda claim: _FIRST_THINGS.index(claim.kind)):
        numbers = tuple(number for number in dict.fromkeys(claim.citations) if number in by_number)
        kept = _affordable(numbers, used)
        text = _bare(claim, has_main=main is not None)
        aside = sum(cost(by_number[number]) for number in set(kept) - used) + _label_words(claim.kind, pieces)
        if claim.kind is ClaimKind.SIDE and kept and kept[0] in told:
            aside += cost(by_number[kept[0]])
        may_take = _allowance(claim.kind, room - aside, first=not pieces)
        if pieces and not any(map(str.isalnum, text)):
            continue
        if not kept or may_take < min(SHORTEST, word_count(text)):
            left_over = True
            continue
        short = to_words(text, may_take)
        left_over = left_over or short != text or kept != numbers
        pieces.append(Piece(kind=claim.kind, text=short, citations=kept))
        used |= set(kept)
        told |= {kept[0]} if claim.kind is ClaimKind.SIDE else set()
        room -= word_count(short) + aside
    return Surface(pieces=tuple(pieces), left_over=left_over)


def _label_words(kind: ClaimKind, pieces: Sequence[Piece]) -> int:
    """Count what stands before a piece: "A ·" before each side, a label before the first of its kind.

    What was tried before has three labels, so each is counted.
    """
    if kind is ClaimKind.SIDE:
        return 1
    again = kind is not ClaimKind.TRIED_BEFORE and any(piece.kind is kind for piece in pieces)
    return 0 if again else word_count(words.LABELS.get(kind, ""))


def _allowance(kind: ClaimKind, room: int, *, first: bool) -> int:
    limit = HEADLINE_WORDS if kind is ClaimKind.HEADLINE else LINE_WORDS
    return max(min(limit, room), SHORTEST if first else 0)


def _affordable(numbers: Sequence[int], used: Collection[int]) -> tuple[int, ...]:
    """Keep the numbers that stand there already or still find a place among `CITATIONS_MAX`."""
    kept: list[int] = []
    for number in numbers:
        if len(kept) < MARKS_MAX and len({*used, *kept, number}) <= CITATIONS_MAX:
            kept.append(number)
    return tuple(kept)


def _bare(claim: Claim, *, has_main: bool) -> str:
    """Return a claim's words without "[1]", "A ·", "Contested:" and "In force since …": all four are set anew."""
    text = _CITED_IN_TEXT.sub("", clean(claim.text)).strip()
    if claim.kind is ClaimKind.HEADLINE:
        text = _CONTESTED_MARK.sub("", text)
        return _STATE.sub("", text) if has_main else text
    return _SIDE_MARK.sub("", text) if claim.kind is ClaimKind.SIDE else text


def to_words(text: str, limit: int) -> str:
    """Cut to so many counted words (at least one); a quotation that was open is closed."""
    if word_count(text) <= limit and units(text) <= limit * CHARACTERS_A_WORD:
        return text
    short = cut_words(text, max(limit, 1))
    if short.count("“") > short.count("”"):
        return short + "”"
    return short + '"' if short.count('"') % 2 else short


def _said(answer: Answer) -> tuple[Claim, ...]:
    """Return an answer's claims, and what people said of its main decision in the line on what came of it.

    A model says that in its own words; what the rules say of it is said anew, with who says so.
    """
    main = main_decision(answer)
    if main is None or answer.shape != "sure":
        return answer.claims
    told = answer.claims if answer.worded_by else tuple(map(_without_outcome, answer.claims))
    since = [claim for claim in told if claim.kind is ClaimKind.SINCE and claim.text.strip()]
    others = tuple(claim for claim in told if claim.kind is not ClaimKind.SINCE)
    if any(_OUTCOME_SAID.search(claim.text) for claim in since):
        return (*others, *since)
    cited = next(line.n for line in answer.evidence if line.decision.id == main.id)
    heard = [Claim(kind=ClaimKind.SINCE, text=text, citations=(cited,)) for text in outcome_words(main, answer.said_by)]
    if heard and since and since[0].citations == (cited,):
        first, *since = since
        last = heard.pop()
        heard.append(replace(last, text=f"{last.text}. {first.text[:1].upper()}{first.text[1:]}"))
    return (*others, *heard, *since)


def _without_outcome(claim: Claim) -> Claim:
    return replace(claim, text=without_outcome(claim.text)) if claim.kind is ClaimKind.SINCE else claim


def outcome_words(
    decision: Decision, said_by: Mapping[Verdict, Sequence[str]] = MappingProxyType({})
) -> tuple[str, ...]:
    """Say what came of a decision: the label with who says so, or how many do while there is none.

    Args:
        decision: with what its votes come to.
        said_by: the names of those who say so, where they are known; as many as are counted.
    """
    voices = decision.voices
    if voices.label is Verdict.WORKED:
        return (words.LABEL_WORKED.format(say=_who_says(max(voices.worked, 1), said_by.get(Verdict.WORKED, ()))),)
    if voices.label is Verdict.FAILED:
        return (words.LABEL_FAILED.format(say=_who_says(max(voices.failed, 1), said_by.get(Verdict.FAILED, ()))),)
    failed, worked = voices.failed + voices.pending_failed, voices.worked + voices.pending_worked
    said = ((words.SAYS_FAILED, failed), (words.SAYS_WORKED, worked))
    return tuple(words.counted(forms, count) for forms, count in said if count)


def _who_says(count: int, names: Sequence[str]) -> str:
    """Return "says Lena", "say Lena and 2 others", or how many where not all are known by name."""
    known = tuple(cut_words(name, NAME_WORDS) for name in names if name.strip())
    if len(known) != count:
        return words.counted(words.SAY, count)
    shown = NAMES_SAID if count <= NAMES_SAID else 1
    return words.SAYS_BY_NAME[min(count, 2)].format(names=words.several(known, shown=shown))


def without_outcome(text: str) -> str:
    """Return the sentences of a claim that say nothing of what came of a decision: that changes, and is said anew."""
    return " ".join(part for part in _SENTENCES.split(text) if not _OUTCOME_SAID.search(part))
