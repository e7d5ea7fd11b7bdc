"""Ranking as arithmetic over values: fusion, two phases, the place kept for a warning, the floor.

The parameters are data (`Parameters`); nothing here reads a clock, a database or a model. Every
order is total: ties end at the decision's id. Each result carries the steps that placed it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from store.core.model import Decision, DecisionId, Ranked, Reason, State, Status, Verdict, Voices
from store.core.questions import Reading

TEN = 10
"""The second phase re-scores exactly this many."""

FIVE = 5
"""How many are returned."""

WORKED_FACTOR = 1.5
FAILED_FACTOR = 0.3
"""What a decision's score is multiplied by when all voices say that it worked, or that it failed."""

BM25_CEILING = 2.2
"""A term adds at most k1 + 1 times its weight to BM25 (k1 = 1.2 in FTS5), however often it occurs."""


class Fusion(StrEnum):
    """How two rankings become one."""

    ABSOLUTE = "absolute"
    """cosine + weight · (BM25 / its ceiling for this question): both mean the same for any question."""
    CONVEX = "convex"
    """share · BM25 / best + (1 - share) · cosine between the lowest and highest found."""
    RRF = "rrf"
    """Sum of 1 / (k + rank): Cormack et al., SIGIR 2009, k = 60."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """What must be seen before anything is answered: the weighted sum of the signals is above zero.

    Fitted by logistic regression on 137 questions with an answer and 121 without, of two companies:
    94 % of the one's and 90 % of the other's are answered.
    """

    bias: float
    cosine: float
    missing: float
    unknown: float
    growth: float
    narrows: float


FLOOR = Floor(bias=3.08, cosine=7.04, missing=-0.45, unknown=-1.49, growth=-1.64, narrows=1.0)
FLOOR_WORDS_ONLY = Floor(bias=3.46, cosine=0.0, missing=-0.61, unknown=-1.51, growth=-0.58, narrows=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Everything that was chosen by measurement, so that measuring again can change it."""

    fusion: Fusion = Fusion.ABSOLUTE
    depth: int = 60
    """How many each retriever gives, and how many candidates the first phase scores."""
    words_weight: float = 0.7
    convex_share: float = 0.5
    rrf_k: int = 60
    window_bonus: float = 0.08
    sharpness: int = 3
    """The power to which scores are raised before outcomes multiply them. It changes no order by itself;
    without it a factor of 1.5 lifted whatever had worked above what was asked for (MRR .72 against .76)."""
    heir_share: float = 0.95
    """What a decision in force gets of the score of one that it replaced and that is hidden."""
    floor: Floor = FLOOR
    floor_words_only: Floor = FLOOR_WORDS_ONLY


DEFAULTS = Parameters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """One candidate's standing after fusion; `words` and `meaning` are raw, None where not found by it."""

    score: float
    words: float | None = None
    meaning: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A decision as its reader sees it, with how it was found."""

    decision: Decision
    fused: Fused
    also: tuple[Decision, ...] = ()
    """The same as other places state it, which its reader reads too."""


Hits = Sequence[tuple[DecisionId, float]]
"""What a retriever found, best first, each id once, higher is better."""


def share_of_words(score: float, frequencies: Iterable[int], documents: int) -> float:
    """Return BM25 as a share of the most that these terms could give, between 0 and 1.

    Args:
        score: what FTS5's bm25 gives, as a positive number.
        frequencies: in how many documents each term of the question occurs.
        documents: how many there are.
    """
    ceiling = BM25_CEILING * sum(rarity(each, documents) for each in frequencies)
    return min(1.0, score / ceiling) if ceiling > 0 else 0.0


def rarity(frequency: int, documents: int) -> float:
    """Return a term's weight by how few documents have it: never negative, highest where none has."""
    return math.log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


# --- fusion -----------------------------------------------------------------------------------


def fuse(words: Hits, meaning: Hits, parameters: Parameters = DEFAULTS) -> dict[DecisionId, Fused]:
    """Return every candidate found by either retriever with its fused score.

    `words` hold shares of the ceiling, `meaning` cosines. What only the words found is taken to be as
    near in meaning as the last that the vectors gave: it can't be nearer. The order of the hits'
    equals and of the two lists changes nothing.
    """
    found = dict.fromkeys(id for hits in (words, meaning) for id, _ in hits)
    by_words, by_meaning = dict(words), dict(meaning)
    score = _FUSIONS[parameters.fusion](by_words, by_meaning, parameters)
    return {id: Fused(score=score(id), words=by_words.get(id), meaning=by_meaning.get(id)) for id in found}


_Scores = Mapping[DecisionId, float]


def _absolute(words: _Scores, meaning: _Scores, parameters: Parameters) -> Callable[[DecisionId], float]:
    least = max(0.0, min(meaning.values(), default=0.0))
    return lambda id: max(0.0, meaning.get(id, least)) + parameters.words_weight * words.get(id, 0.0)


def _convex(words: _Scores, meaning: _Scores, parameters: Parameters) -> Callable[[DecisionId], float]:
    most = max(words.values(), default=0.0) or 1.0
    low, high = min(meaning.values(), default=0.0), max(meaning.values(), default=0.0)
    span = (high - low) or 1.0
    share = parameters.convex_share
    return lambda id: share * words.get(id, 0.0) / most + (1 - share) * (meaning.get(id, low) - low) / span


def _rrf(words: _Scores, meaning: _Scores, parameters: Parameters) -> Callable[[DecisionId], float]:
    ranks = [_ranks(words), _ranks(meaning)]
    return lambda id: sum(1.0 / (parameters.rrf_k + each[id]) for each in ranks if id in each)


def _ranks(scores: _Scores) -> dict[DecisionId, int]:
    return {id: rank for rank, id in enumerate(sorted(scores, key=lambda id: (-scores[id], id)), 1)}


_FUSIONS = {Fusion.ABSOLUTE: _absolute, Fusion.CONVEX: _convex, Fusion.RRF: _rrf}


def best_fused(fused: Mapping[DecisionId, Fused], limit: int) -> tuple[DecisionId, ...]:
    """Return the ids of the best, best first."""
    return tuple(sorted(fused, key=lambda id: (-fused[id].score, id))[:limit])


def as_one(candidates: Sequence[Candidate], same: Iterable[tuple[DecisionId, DecisionId]]) -> tuple[Candidate, ...]:
    """Return the candidates with those that are the same as one, in the order given; the others go along in `also`.

    What was replaced stands for all of them, since whatever replaced one replaced each; else the best does, and has the
    best's score in either case. What was retracted, or replaced another of them, stands by itself.
    """
    standing = {each.decision.id: each for each in candidates if each.decision.state is not State.RETRACTED}
    head = {id_: id_ for id_ in standing}
    for one, other in same:
        if one not in head or other not in head or other in standing[one].decision.superseded_by:
            continue
        if one not in standing[other].decision.superseded_by:
            gone, kept = head[one], head[other]
            head.update({id_: kept for id_, name in head.items() if name == gone})
    groups: dict[DecisionId, list[Candidate]] = {}
    for id_, each in standing.items():
        groups.setdefault(head[id_], []).append(each)
    shown = {each.decision.id: each for each in map(_one_of, groups.values())}
    return tuple(
        shown.get(each.decision.id, each)
        for each in candidates
        if each.decision.id in shown or each.decision.state is State.RETRACTED
    )


def _one_of(group: Sequence[Candidate]) -> Candidate:
    ordered = sorted(group, key=lambda c: (c.decision.state is not State.SUPERSEDED, -c.fused.score, c.decision.id))
    best = max(group, key=lambda c: c.fused.score)
    return replace(ordered[0], fused=best.fused, also=tuple(each.decision for each in ordered[1:]))


# --- first phase ------------------------------------------------------------------------------


def first_phase(
    candidates: Sequence[Candidate], reading: Reading, parameters: Parameters = DEFAULTS
) -> tuple[Ranked, ...]:
    """Return all candidates that may be shown, best first, scored on what is stored of them.

    Retracted ones are out. Unless the question asks for the past, superseded ones are hidden, and
    what replaced them takes `heir_share` of their score if that is more than its own.
    """
    inherited = {} if reading.past else _inheritance(candidates, parameters)
    return in_order(
        _score(each, reading, inherited.get(each.decision.id), parameters)
        for each in candidates
        if each.decision.state is not State.RETRACTED
        and (reading.past or each.decision.state is not State.SUPERSEDED)
        and not _outside(each.decision, reading)
    )


def _inheritance(candidates: Sequence[Candidate], parameters: Parameters) -> dict[DecisionId, tuple[float, Decision]]:
    """Follow each superseded candidate to what holds now; the best claim on a heir wins."""
    by_id = {each.decision.id: each.decision for each in candidates}
    claims: dict[DecisionId, tuple[float, Decision]] = {}
    for each in sorted(candidates, key=lambda c: (-c.fused.score, c.decision.id)):
        if each.decision.state is State.SUPERSEDED:
            for heir in heirs(each.decision, by_id):
                claims.setdefault(heir, (each.fused.score * parameters.heir_share, each.decision))
    return claims


def heirs(decision: Decision, known: Mapping[DecisionId, Decision]) -> tuple[DecisionId, ...]:
    """Return what now stands in a superseded decision's place, as far as `known` reaches; sorted."""
    found: set[DecisionId] = set()
    seen: set[DecisionId] = {decision.id}
    open_ends = list(decision.superseded_by)
    while open_ends:
        id = open_ends.pop()
        if id in seen:
            continue
        seen.add(id)
        if id in known and known[id].state is State.SUPERSEDED:
            open_ends.extend(known[id].superseded_by)
        else:
            found.add(id)
    return tuple(sorted(found))


def _outside(decision: Decision, reading: Reading) -> bool:
    """Whether the question asks for the decisions of some days and this one's isn't among them."""
    if not reading.narrows or reading.window is None:
        return False
    return decision.decided_on is None or not reading.window.holds(decision.decided_on)


def _score(each: Candidate, reading: Reading, claim: tuple[float, Decision] | None, parameters: Parameters) -> Ranked:
    fused = each.fused
    reasons = []
    if fused.words is not None:
        reasons.append(Reason(name="words", value=round(fused.words, 4)))
    if fused.meaning is not None:
        reasons.append(Reason(name="meaning", value=round(fused.meaning, 4)))
    score = fused.score
    if claim is not None and claim[0] > score:
        score = claim[0]
        reasons.append(Reason(name="replaced", value=round(score, 4), note=claim[1].title))
    day = each.decision.decided_on
    if reading.window is not None and not reading.narrows and day is not None and reading.window.holds(day):
        score += parameters.window_bonus
        reasons.append(Reason(name="days", value=parameters.window_bonus, note=reading.window.words))
    return Ranked(decision=each.decision, score=score, reasons=tuple(reasons), also=each.also)


def in_order(ranked: Iterable[Ranked]) -> tuple[Ranked, ...]:
    """Return them best first, equals by id."""
    return tuple(sorted(ranked, key=lambda each: (-each.score, each.decision.id)))


# --- second phase -----------------------------------------------------------------------------


def outcome_factor(voices: Voices) -> float:
    """Return 1.5^(s/(s+f)) · 0.3^(f/(s+f)) for s successes and f failures, one voice a person; 1.0 for none."""
    heard = voices.worked + voices.failed
    if not heard:
        return 1.0
    return float(WORKED_FACTOR ** (voices.worked / heard) * FAILED_FACTOR ** (voices.failed / heard))


def second_phase(
    first: Sequence[Ranked], reading: Reading, parameters: Parameters = DEFAULTS, *, outcomes: bool = True
) -> tuple[Ranked, ...]:
    """Return the top ten re-scored by what came of each, best first.

    A question that asks for what failed, was rejected or came before leaves their order as it is.
    """
    sharp = (replace(each, score=each.score**parameters.sharpness) for each in first[:TEN])
    if reading.past or not outcomes:
        return tuple(sharp)
    return in_order(map(_by_outcome, sharp))


def _by_outcome(ranked: Ranked) -> Ranked:
    voices = ranked.decision.voices
    if not voices.worked and not voices.failed:
        return ranked
    factor = outcome_factor(voices)
    note = f"{voices.worked} worked, {voices.failed} failed"
    reason = Reason(name="outcome", value=round(factor, 4), note=note)
    return replace(ranked, score=ranked.score * factor, reasons=(*ranked.reasons, reason))


def is_warning(decision: Decision) -> bool:
    """Say whether a decision is shown as a warning: it failed, or it was rejected."""
    return decision.voices.label is Verdict.FAILED or decision.status is Status.REJECTED


def place_warning(ten: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Return the five to show: if none of them is a warning and the ten hold one, it takes fifth place."""
    five = list(ten[:FIVE])
    if not any(is_warning(each.decision) for each in five):
        spare = next((each for each in ten[FIVE:] if is_warning(each.decision)), None)
        if spare is not None:
            reason = Reason(name="warning", value=float(FIVE), note="kept fifth place")
            five[FIVE - 1 :] = [replace(spare, reasons=(*spare.reasons, reason))]
    return tuple(replace(each, cautionary=is_warning(each.decision)) for each in five)


# --- the floor --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word of the question: how rare it is, which of the best candidates have it, whether it names something.

    `frequency` counts the decisions that the reader may read.
    """

    word: str
    frequency: int
    held_by: frozenset[DecisionId] = frozenset()
    is_name: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What tells a question with an answer from one without; outcomes play no part in it.

    `cosine` is the highest of any candidate. `missing` is the rarity of the words that a candidate
    lacks, averaged over all words, for that of the best `LOOKED_AT` which lacks least. `unknown` says
    that the question names something that no decision has a word of. `documents` are all that
    could have been found: in a large memory something is always near. `narrows` says that days
    were asked for and only decisions of those days were looked at.
    """

    cosine: float
    missing: float
    unknown: bool
    documents: int
    narrows: bool = False


LOOKED_AT = 3
"""How many of the best are looked at for the question's words."""

FEWEST, MOST = 100, 1_000
"""Between these the floor rises with the logarithm of the number of decisions; it wasn't fitted beyond."""


def signals(
    best: Sequence[DecisionId], fused: Iterable[Fused], terms: Sequence[Term], *, documents: int, narrows: bool = False
) -> Signals:
    """Return the signals of the best candidates' ids, best first, and of everything that was found."""
    return Signals(
        cosine=max((each.meaning or 0.0 for each in fused), default=0.0),
        missing=min((_missing(id, terms, documents) for id in best[:LOOKED_AT]), default=0.0),
        unknown=any(each.is_name and not each.frequency for each in terms),
        documents=documents,
        narrows=narrows,
    )


def _missing(id: DecisionId, terms: Sequence[Term], documents: int) -> float:
    lacking = (rarity(each.frequency, documents) for each in terms if id not in each.held_by)
    return sum(lacking) / len(terms) if terms else 0.0


def certainty(seen: Signals, floor: Floor) -> float:
    """Return how far the signals stand above the floor: below zero, nothing is answered."""
    return (
        floor.bias
        + floor.cosine * seen.cosine
        + floor.missing * seen.missing
        + floor.unknown * seen.unknown
        + floor.narrows * seen.narrows
        + floor.growth * math.log10(min(max(seen.documents, FEWEST), MOST))
    )
