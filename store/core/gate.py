"""The gate: is a thread worth extracting, and which of its sentences settle something?

Two small logistic models over `gate_features`, their weights in `gate_weights` as data that
`tests/benchmarks/gate_fit.py` remakes: one for a sentence in its place, one for the thread with its two best
turns. Pure: the same thread gives the same score everywhere. Cue words are one feature of several; a thread
that isn't English is scored on structure alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from store.core import gate_weights as weights
from store.core.gate_features import CUE_FEATURES, THREAD_FEATURES, Look, Sentence, look, sentence_spans, spoken, stems
from store.core.model import RECORDED_AT, Thread, Vocabulary

MOST_CONFIDENCE = 98
"""Hundredths; rules never know better than this."""
FEWEST_CAPTURES = 20
"""Kept-or-removed captures from which a workspace's own record moves the threshold."""
_A_WORD_AND_AN_ANSWER = 2
_EXPLICIT = frozenset({"adopt", "motion"})
_AT_LEAST = 0.05
"""Score below which even an explicit sentence is retold, a report or the like."""
_RESOLVED = 1.5
"""Log odds that a resolved matter adds: its last words say what was done about it, where a talk may just end. Of the
sample company's issues it lifts no undecided one to where it is drafted, of 1,400 generated ones one at most."""
_PRIOR_CAPTURES = 10
"""Weight of the fitted calibration against a workspace's own record, in captures."""
_LOWEST_THRESHOLD = 80
_HIGHEST_THRESHOLD = 97


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """A sentence and how strongly it settles something, 0 to 1; `turn` and span as in `Thread.turns`."""

    turn: int
    start: int
    end: int
    score: float
    cues: frozenset[str]
    """Names of the cues heard in it ("closing", "turn_down"), without those against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateScore:
    """How likely something was decided in a thread, and where.

    `settling` holds the thread's sentences in reading order. `score` lies between 0 and 1 and is a
    probability for a mix of threads such as the weights were fitted on; `confidence` says it in hundredths.
    """

    score: float
    settling: tuple[Settling, ...]
    english: bool
    plain: bool = False
    """It is short and plain: its first message settles something in as many words and others only agree, or one message
    and its answer are all. The score, which weighs what stands around a sentence, says little of such threads."""

    @property
    def confidence(self) -> int:
        """Hundredths, calibrated: of captures at 90 and more, nine in ten were right on threads not fitted on."""
        return confidence_of(self.score)

    @property
    def keeps(self) -> bool:
        """Say whether the thread is worth extracting."""
        return self.plain or self.score >= weights.FLOOR


def score(thread: Thread, vocabulary: Vocabulary) -> GateScore:
    """Return how likely something was decided in a thread; 0.0 where nobody wrote."""
    seen = look(thread, vocabulary)
    settling = tuple(_settling(sentence) for sentence in seen.sentences)
    announced = bool(seen.values[THREAD_FEATURES.index("announced")])
    return GateScore(
        score=_thread_score(seen, settling, resolved=any(turn.resolves for turn in thread.turns)),
        settling=settling,
        english=seen.english,
        plain=announced or _is_answered(thread, settling),
    )


def _is_answered(thread: Thread, settling: tuple[Settling, ...]) -> bool:
    """Say whether a thread is a word and its answer, one of them explicit: "postgres?", "agreed, let's go with it"."""
    people = sum(not turn.is_bot for turn in thread.turns)
    explicit = any(one.cues & _EXPLICIT and one.score >= _AT_LEAST for one in settling)
    return people == _A_WORD_AND_AN_ANSWER and explicit


def keeps(thread: Thread, vocabulary: Vocabulary) -> bool:
    """Say whether a thread is worth extracting: the floor keeps 97 of 100 decision threads, cross-validated."""
    return score(thread, vocabulary).keeps


def confidence_of(probability: float) -> int:
    """Return a score as calibrated hundredths, straight lines between the fitted knots."""
    knots = weights.CONFIDENCE
    (low, from_), (high, to) = next((pair for pair in pairwise(knots) if probability <= pair[1][0]), knots[-2:])
    share = (probability - low) / (high - low)
    return min(MOST_CONFIDENCE, round(from_ + share * (to - from_)))


def record_from(captures: Mapping[int, tuple[int, int]]) -> int:
    """Return the confidence from which a workspace's own record lets captures be recorded without asking.

    Args:
        captures: by hundredths of confidence, how many captures people kept and how many they removed.

    With fewer than `FEWEST_CAPTURES` it is `RECORDED_AT`. Else it is the lowest confidence from which at least
    nine in ten stood, the fitted calibration counting as `_PRIOR_CAPTURES` more; the highest one where
    none does.
    """
    total = sum(kept + removed for kept, removed in captures.values())
    if total < FEWEST_CAPTURES:
        return RECORDED_AT
    for threshold in range(_LOWEST_THRESHOLD, _HIGHEST_THRESHOLD):
        kept = sum(count[0] for confidence, count in captures.items() if confidence >= threshold)
        removed = sum(count[1] for confidence, count in captures.items() if confidence >= threshold)
        expected = _PRIOR_CAPTURES * min(threshold, 99) / 100
        if kept + removed and (kept + expected) * 100 >= RECORDED_AT * (kept + removed + _PRIOR_CAPTURES):
            return threshold
    return _HIGHEST_THRESHOLD


def raw_confidence(confidence: int, threshold: int) -> int:
    """Return the confidence that `recalibrated` moved, to within one hundredth."""
    if confidence >= RECORDED_AT:
        return threshold + (confidence - RECORDED_AT) * (100 - threshold) // (100 - RECORDED_AT)
    return confidence * threshold // RECORDED_AT


def recalibrated(confidence: int, threshold: int) -> int:
    """Return a confidence moved so that a workspace's threshold falls on `RECORDED_AT`; 0 and 100 stay."""
    if confidence >= threshold:
        above = (confidence - threshold) * (100 - RECORDED_AT)
        return RECORDED_AT + above // max(1, 100 - threshold)
    return min(RECORDED_AT - 1, confidence * RECORDED_AT // threshold)


def _settling(sentence: Sentence) -> Settling:
    total = weights.SENTENCE_BIAS + sum(
        weight * value for (_, weight), value in zip(weights.SENTENCE, sentence.values, strict=True)
    )
    cues = frozenset(name[4:] for name, value in zip(CUE_FEATURES, sentence.values, strict=False) if value)
    return Settling(turn=sentence.turn, start=sentence.start, end=sentence.end, score=_sigmoid(total), cues=cues)


def _thread_score(seen: Look, settling: tuple[Settling, ...], *, resolved: bool) -> float:
    if not settling:
        return 0.0
    best: dict[int, float] = {}
    for sentence in settling:
        best[sentence.turn] = max(best.get(sentence.turn, 0.0), sentence.score)
    first, second, *_ = (*sorted(best.values(), reverse=True), 0.0)
    values = (_logit(first), _logit(second), *seen.values)
    total = weights.THREAD_BIAS + sum(weight * value for (_, weight), value in zip(weights.THREAD, values, strict=True))
    return _sigmoid(total + _RESOLVED * resolved)


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, value))))


def _logit(probability: float) -> float:
    """Return the log odds, kept within five so that no single sentence outweighs the thread."""
    bounded = min(1.0 - 1e-9, max(1e-9, probability))
    return max(-5.0, min(5.0, math.log(bounded / (1.0 - bounded))))


__all__ = [
    "GateScore",
    "Settling",
    "confidence_of",
    "keeps",
    "recalibrated",
    "record_from",
    "score",
    "sentence_spans",
    "spoken",
    "stems",
]
