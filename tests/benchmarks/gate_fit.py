"""Fit the gate's weights on labelled threads and write them to `store/core/gate_weights.py`.

    python -m tests.benchmarks.gate_fit [--write]

A ridge logistic model for sentences, then one for threads on top of it, the second fitted on scores that the first
gave to threads it had not seen. The ridge pulls to what the words mean (`PRIORS`), not to nothing. Each thread in
which something was settled is also shown as it stood just before, as one in which nothing was: so that neither
length nor debate is taken for a decision. Without `--write` it prints the weights.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.sources.slack import VOCABULARY
from store.core.gate_features import COUNTER_FEATURES, FEATURES, THREAD_FEATURES, Look, look, stems
from tests.benchmarks.gate_corpora import (
    CUT,
    FRESH_VOICES,
    UNSEEN_VOICES,
    Labelled,
    company,
    cut_short,
    meetings,
    voices,
)

Array = NDArray[np.float64]
WEIGHTS = Path(__file__).resolve().parents[2] / "store" / "core" / "gate_weights.py"
SENTENCE_RIDGE = 1.5
THREAD_RIDGE = 1.0
INNER_FOLDS = 5
PROPOSED = 30
"""Hundredths at the score from which a draft is proposed: near it, three in ten are right."""
_HALFWAY = 50
THREAD_COLUMNS = ("best", "second", *THREAD_FEATURES)
PRIORS = {
    "cue_closing": 1.0,
    "cue_motion": 1.0,
    "cue_adopt": 0.8,
    "cue_it_is": 0.6,
    "cue_turn_down": 0.5,
    "cue_opener": 0.5,
    "cue_source": 0.4,
    "cue_replaces": 0.4,
    "cue_revisit": 0.4,
    "cue_when": 0.4,
    "cue_we_do": 0.3,
    "cue_keep": 0.3,
    "cue_norm": 0.3,
    "cue_assign": 0.2,
    "announced": 1.0,
    **dict.fromkeys(COUNTER_FEATURES, -0.5),
    "best": 1.0,
}
"""Where the ridge pulls to: what the words mean to anybody who reads English, so that a set in which a cue is rare
doesn't teach that it means nothing. All else is pulled to zero."""
_OTHER_SENTENCES = 0.3
"""Weight of a decision thread's other sentences: proposals and restatements are half right."""
_DECIDING_SHARE = 0.25
"""What the deciding sentences weigh together, as a share of all others."""
_CUT_WEIGHT = 0.35
"""Weight of a thread shown as it stood before: some had settled silently by then."""
_MEETING_WEIGHT = 0.1
"""Weight of a meeting's thread: minutes aren't chat, and nearly all of them decide."""
_MOST_SENTENCES = 60
"""A longer thread's sentences weigh together as much as this many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A labelled thread as the fit needs it: features a sentence a row, which rows decide, which may be used."""

    labelled: Labelled
    seen: Look
    rows: Array
    turns: NDArray[np.int64]
    decides: NDArray[np.bool_]
    usable: NDArray[np.bool_]
    before: tuple[Example, ...] = ()
    """The same thread before anything was settled."""

    @property
    def decided(self) -> bool:
        return self.labelled.decided

    @property
    def weight(self) -> float:
        cut = _CUT_WEIGHT if self.labelled.corpus.endswith(CUT) else 1.0
        return cut * (_MEETING_WEIGHT if self.labelled.corpus.startswith("meetings") else 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Weights of both stages, the bias last."""

    sentence: Array
    thread: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Scores from which a thread is kept by the gate, proposed as a draft, recorded without asking."""

    floor: float
    propose: float
    record: float


def examples(labelled: Sequence[Labelled]) -> list[Example]:
    """Return what the fit needs of each thread, in order."""
    return [_example(one, tuple(_example(cut) for cut in cut_short(one))) for one in labelled]


def fit(threads: Sequence[Example], *, seed: int = 0) -> Model:
    """Fit both stages; the second on scores that the first gave to threads it had not seen."""
    unseen: list[Array] = [np.zeros(0)] * len(threads)
    for fold in folds(threads, INNER_FOLDS, seed + 1):
        held = set(fold)
        part = fit_sentences([one for index, one in enumerate(threads) if index not in held])
        for index in fold:
            unseen[index] = part
    shown = [(each, weights) for one, weights in zip(threads, unseen, strict=True) for each in (one, *one.before)]
    rows = np.array([thread_row(one, weights) for one, weights in shown])
    decided = np.array([float(one.decided) for one, _ in shown])
    weight = np.array([one.weight for one, _ in shown])
    thread = logistic(rows, decided, weight, THREAD_RIDGE, prior_of(THREAD_COLUMNS))
    return Model(sentence=fit_sentences(threads), thread=thread)


def predict(model: Model, threads: Sequence[Example]) -> Array:
    """Return each thread's score, 0 to 1."""
    rows = np.array([thread_row(one, model.sentence) for one in threads])
    return sigmoid(rows @ model.thread[:-1] + model.thread[-1])


def unseen_scores(threads: Sequence[Example], *, count: int = 6, seed: int = 0) -> Array:
    """Return each thread's score by a model that was fitted without its fold."""
    scores = np.zeros(len(threads))
    for fold in folds(threads, count, seed):
        held = set(fold)
        model = fit([one for index, one in enumerate(threads) if index not in held], seed=seed)
        scores[fold] = predict(model, [threads[index] for index in fold])
    return scores


def folds(threads: Sequence[Example], count: int, seed: int) -> list[list[int]]:
    """Deal the threads into folds, decisions and others alike."""
    dealt: list[list[int]] = [[] for _ in range(count)]
    for label in (True, False):
        mine = [index for index, one in enumerate(threads) if one.decided is label]
        for place, index in enumerate(np.random.default_rng(seed).permutation(mine)):
            dealt[(place + label) % count].append(int(index))
    return [fold for fold in dealt if fold]


def fit_sentences(threads: Sequence[Example]) -> Array:
    """Fit the first stage."""
    rows, decides, weight = [], [], []
    for one in (each for thread in threads for each in (thread, *thread.before)):
        whole = one.weight * min(1.0, _MOST_SENTENCES / max(1, len(one.rows)))
        for row, mine, usable in zip(one.rows, one.decides, one.usable, strict=True):
            if usable:
                rows.append(row)
                decides.append(float(mine))
                weight.append(whole * (1.0 if mine or not one.decided else _OTHER_SENTENCES))
    target, weights = np.array(decides), np.array(weight)
    weights[target == 1] *= _DECIDING_SHARE * weights[target == 0].sum() / weights[target == 1].sum()
    weights *= 2 * sum(1 + len(one.before) for one in threads) / weights.sum()
    return logistic(np.array(rows), target, weights, SENTENCE_RIDGE, prior_of(FEATURES))


def thread_row(one: Example, sentence: Array) -> Array:
    """Return the second stage's input: log odds of the two best turns, then the thread's own features."""
    odds = one.rows @ sentence[:-1] + sentence[-1] if len(one.rows) else np.zeros(0)
    best: dict[int, float] = {}
    for turn, value in zip(one.turns, odds, strict=True):
        best[int(turn)] = max(best.get(int(turn), -np.inf), float(value))
    first, second, *_ = (*sorted(best.values(), reverse=True), -5.0, -5.0)
    return np.array([np.clip(first, -5, 5), np.clip(second, -5, 5), *one.seen.values])


def logistic(rows: Array, target: Array, weights: Array, ridge: float, prior: Array) -> Array:
    """Return logistic weights by Newton's method, pulled to the prior; the bias, last, is not pulled."""
    wide = np.hstack([rows, np.ones((len(rows), 1))])
    penalty = np.eye(wide.shape[1]) * ridge
    penalty[-1, -1] = 1e-6
    toward = np.append(prior, 0.0)
    found = toward.copy()
    for _ in range(60):
        guess = sigmoid(wide @ found)
        slope = wide.T @ (weights * (guess - target)) + penalty @ (found - toward)
        curve = (wide * (weights * np.maximum(guess * (1 - guess), 1e-4))[:, None]).T @ wide + penalty
        step = np.linalg.solve(curve, slope)
        found = found - step
        if np.abs(step).max() < 1e-7:
            break
    return found


def thresholds(scores: Array, threads: Sequence[Example]) -> Thresholds:
    """Choose the thresholds on scores of threads not fitted on, so that they hold beyond one organisation.

    The floor lets 1.5 % of decision threads go and then stands two fifths lower. Proposed is from where four in five
    are right (three in four asked), recorded from where 92 in 100 are (90 asked): midway between what organisations
    need on average and what the hardest of them needs.
    """
    groups: dict[str, list[int]] = {}
    for index, one in enumerate(threads):
        groups.setdefault(one.labelled.corpus, []).append(index)
    decided = np.array([float(one.decided) for one in threads])
    each = [_thresholds(scores[group], decided[group]) for group in groups.values()]
    return Thresholds(
        floor=_thresholds(scores, decided).floor,
        propose=_midway([one.propose for one in each]),
        record=_midway([one.record for one in each]),
    )


def _midway(values: Sequence[float]) -> float:
    return (float(np.mean(values)) + max(values)) / 2


def _thresholds(scores: Array, decided: Array) -> Thresholds:
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(decided[order]) / np.arange(1, len(scores) + 1)
    positives = np.sort(scores[decided == 1])

    def lowest(share: float) -> float:
        return min((float(scores[order][at]) for at in range(len(order)) if right[at] >= share), default=0.99)

    floor = 0.6 * float(positives[int(0.015 * len(positives))])
    propose = max(floor, lowest(0.80))
    return Thresholds(floor=floor, propose=propose, record=max(propose + 0.01, lowest(0.92)))


def prior_of(columns: Sequence[str]) -> Array:
    """Return where the ridge pulls each column's weight to."""
    return np.array([PRIORS.get(name, 0.0) for name in columns])


def sigmoid(values: Any) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -30, 30))), dtype=np.float64)


def written(model: Model, at: Thresholds) -> str:
    """Return the text of `store/core/gate_weights.py`."""
    halfway = (at.propose + at.record) / 2
    knots = ((0.0, 1), (at.floor, 8), (at.propose, PROPOSED), (halfway, _HALFWAY), (at.record, 90), (1.0, 99))
    lines = [
        '"""The gate\'s fitted weights: data, remade by `python -m tests.benchmarks.gate_fit --write`."""',
        "",
        f"FLOOR = {at.floor:.3f}",
        '"""Scores below it are not worth extracting."""',
        "",
        *_table("SENTENCE", FEATURES, model.sentence),
        *_table("THREAD", THREAD_COLUMNS, model.thread),
        "CONFIDENCE: tuple[tuple[float, int], ...] = (",
        *(f"    ({score:.3f}, {hundredths})," for score, hundredths in knots),
        ")",
        f'"""From score to hundredths of confidence, by straight lines: proposed from {PROPOSED}, recorded from 90."""',
        "",
    ]
    return "\n".join(lines)


def _table(name: str, features: Sequence[str], weights: Array) -> list[str]:
    return [
        f"{name}: tuple[tuple[str, float], ...] = (",
        *(f'    ("{feature}", {weight:.3f}),' for feature, weight in zip(features, weights[:-1], strict=True)),
        ")",
        f"{name}_BIAS = {weights[-1]:.3f}",
        "",
    ]


def _example(one: Labelled, before: tuple[Example, ...] = ()) -> Example:
    seen = look(one.thread, VOCABULARY)
    rows = np.array([sentence.values for sentence in seen.sentences]).reshape(len(seen.sentences), len(FEATURES))
    turns = np.array([sentence.turn for sentence in seen.sentences], dtype=np.int64)
    decides = np.zeros(len(seen.sentences), dtype=np.bool_)
    usable = np.full(len(seen.sentences), not one.decided or bool(one.deciding))
    for index, sentence in enumerate(seen.sentences):
        text = one.thread.turns[sentence.turn].text[sentence.start : sentence.end]
        for turn, quote in one.deciding:
            if turn == sentence.turn:
                decides[index] = decides[index] or _same(text, quote)
                usable[index] = decides[index]
    return Example(labelled=one, seen=seen, rows=rows, turns=turns, decides=decides, usable=usable, before=before)


def _same(text: str, quote: str) -> bool:
    if not quote or quote in text or text in quote:
        return True
    mine, theirs = stems(text), stems(quote)
    return bool(mine) and len(mine & theirs) >= 0.6 * min(len(mine), len(theirs) or 1)


def main() -> None:
    chats = examples([*company(), *voices(), *voices(UNSEEN_VOICES), *voices(FRESH_VOICES)])
    data = [*chats, *examples(meetings())]
    scores = np.mean([unseen_scores(data, seed=seed) for seed in range(3)], axis=0)[: len(chats)]
    text = written(fit(data), thresholds(scores, chats))
    if "--write" in sys.argv[1:]:
        WEIGHTS.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
