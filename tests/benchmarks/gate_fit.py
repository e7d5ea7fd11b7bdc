"""Fit the gate's weights on labelled threads and write them to `store/core/gate_weights.py`.

    python -m tests.benchmarks.gate_fit [--write]

A ridge logistic model for sentences, then one for threads on top of it, the second fitted on scores that the first
gave to threads it had not seen. Ridge, and both classes weighted alike in each corpus, so that no set's habits carry
the day. Without `--write` it prints the weights.
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
from store.core.gate_features import FEATURES, THREAD_FEATURES, Look, look, stems
from tests.benchmarks.gate_corpora import Labelled, company, other_voices

Array = NDArray[np.float64]
SENTENCE_RIDGE = 4.0
THREAD_RIDGE = 3.0
INNER_FOLDS = 5
_OTHER_SENTENCES = 0.3
"""Weight of a decision thread's other sentences: proposals and restatements are half right."""
_DECIDING_SHARE = 0.25
_MISSABLE = 0.015
_FLOOR_MARGIN = 0.8
_RECORDED_SHARE = 0.93
"""What is recorded without asking should be right in nine of ten; some more is asked for than measured."""
WEIGHTS = Path(__file__).resolve().parents[2] / "store" / "core" / "gate_weights.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A labelled thread as the fit needs it: features a sentence a row, which rows decide, which may be used."""

    labelled: Labelled
    seen: Look
    rows: Array
    turns: NDArray[np.int64]
    decides: NDArray[np.bool_]
    usable: NDArray[np.bool_]

    @property
    def decided(self) -> bool:
        return self.labelled.decided


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Weights of both stages, the bias last."""

    sentence: Array
    thread: Array


def examples(labelled: Sequence[Labelled]) -> list[Example]:
    return [_example(one) for one in labelled]


def fit(data: Sequence[Example], *, seed: int = 0) -> Model:
    """Fit both stages; the second on out-of-fold scores of the first."""
    sentence = fit_sentences(data)
    unseen: list[Array] = [sentence] * len(data)
    for fold in folds(data, INNER_FOLDS, seed + 1):
        held = set(fold)
        part = fit_sentences([one for index, one in enumerate(data) if index not in held])
        for index in fold:
            unseen[index] = part
    rows = np.array([thread_row(one, weights) for one, weights in zip(data, unseen, strict=True)])
    decided = np.array([float(one.decided) for one in data])
    return Model(sentence=sentence, thread=logistic(rows, decided, _balanced(data), THREAD_RIDGE))


def predict(model: Model, data: Sequence[Example]) -> Array:
    """Return each thread's score, 0 to 1."""
    rows = np.array([thread_row(one, model.sentence) for one in data])
    return sigmoid(rows @ model.thread[:-1] + model.thread[-1])


def folds(data: Sequence[Example], count: int, seed: int) -> list[list[int]]:
    """Deal the threads into folds, decisions and others alike."""
    dealt: list[list[int]] = [[] for _ in range(count)]
    for label in (True, False):
        mine = [index for index, one in enumerate(data) if one.decided is label]
        for place, index in enumerate(np.random.default_rng(seed).permutation(mine)):
            dealt[(place + label) % count].append(int(index))
    return dealt


def fit_sentences(data: Sequence[Example]) -> Array:
    """Fit the first stage."""
    rows, decides, weight = [], [], []
    for one in data:
        for row, mine, usable in zip(one.rows, one.decides, one.usable, strict=True):
            if usable:
                rows.append(row)
                decides.append(float(mine))
                weight.append(1.0 if mine or not one.decided else _OTHER_SENTENCES)
    target, weights = np.array(decides), np.array(weight)
    weights[target == 1] *= _DECIDING_SHARE * weights[target == 0].sum() / weights[target == 1].sum()
    weights *= 2 * len(data) / weights.sum()
    return logistic(np.array(rows), target, weights, SENTENCE_RIDGE)


def thread_row(one: Example, sentence: Array) -> Array:
    """Return the second stage's input: log odds of the two best turns, then the thread's own features."""
    odds = one.rows @ sentence[:-1] + sentence[-1] if len(one.rows) else np.zeros(0)
    best: dict[int, float] = {}
    for turn, value in zip(one.turns, odds, strict=True):
        best[int(turn)] = max(best.get(int(turn), -np.inf), float(value))
    first, second, *_ = (*sorted(best.values(), reverse=True), -5.0, -5.0)
    return np.array([np.clip(first, -5, 5), np.clip(second, -5, 5), *one.seen.values])


def logistic(rows: Array, target: Array, weights: Array, ridge: float) -> Array:
    """Return ridge logistic weights by Newton's method, the unpenalised bias last."""
    wide = np.hstack([rows, np.ones((len(rows), 1))])
    penalty = np.eye(wide.shape[1]) * ridge
    penalty[-1, -1] = 1e-6
    found = np.zeros(wide.shape[1])
    for _ in range(60):
        guess = sigmoid(wide @ found)
        slope = wide.T @ (weights * (guess - target)) + penalty @ found
        curve = (wide * (weights * np.maximum(guess * (1 - guess), 1e-4))[:, None]).T @ wide + penalty
        step = np.linalg.solve(curve, slope)
        found = found - step
        if np.abs(step).max() < 1e-7:
            break
    return found


def sigmoid(values: Any) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -30, 30))), dtype=np.float64)


def _example(one: Labelled) -> Example:
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
    return Example(labelled=one, seen=seen, rows=rows, turns=turns, decides=decides, usable=usable)


def _same(text: str, quote: str) -> bool:
    if not quote or quote in text or text in quote:
        return True
    mine, theirs = stems(text), stems(quote)
    return bool(mine) and len(mine & theirs) >= 0.6 * min(len(mine), len(theirs) or 1)


def _balanced(data: Sequence[Example]) -> Array:
    return np.ones(len(data))


def calibration(scores: Array, decided: Array) -> tuple[float, tuple[tuple[float, int], ...]]:
    """Return the gate's floor and the knots from score to hundredths, from scores of threads not fitted on.

    The floor keeps all decision threads but `_MISSABLE` of them, with a margin. A knot stands where at least that
    share of the threads scored as high or higher had decided something, read from the top down.
    """
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(decided[order]) / np.arange(1, len(scores) + 1)
    positives = np.sort(scores[decided == 1])
    floor = float(positives[int(_MISSABLE * len(positives))]) * _FLOOR_MARGIN
    knots = [(0.0, 1)]
    for hundredths, share in ((60, 0.60), (75, 0.80), (90, _RECORDED_SHARE)):
        reached = [float(scores[order][index]) for index in range(len(order)) if right[index] >= share]
        knots.append((max(knots[-1][0] + 0.01, round(min(reached, default=0.99), 3)), hundredths))
    return floor, (*knots, (1.0, 99))


def written(model: Model, floor: float, knots: tuple[tuple[float, int], ...]) -> str:
    """Return the text of `store/core/gate_weights.py`."""
    lines = [
        '"""The gate\'s fitted weights: data, remade by `python -m tests.benchmarks.gate_fit --write`."""',
        "",
        f"FLOOR = {floor:.3f}",
        '"""Scores below it are not worth extracting."""',
        "",
        *_table("SENTENCE", FEATURES, model.sentence),
        *_table("THREAD", ("best", "second", *THREAD_FEATURES), model.thread),
        "CONFIDENCE: tuple[tuple[float, int], ...] = (",
        *(f"    ({score:.3f}, {hundredths})," for score, hundredths in knots),
        ")",
        '"""From score to hundredths of confidence, by straight lines."""',
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


def unseen_scores(data: Sequence[Example], *, count: int = 6, seed: int = 0) -> Array:
    """Return each thread's score by a model that was fitted without its fold."""
    scores = np.zeros(len(data))
    for fold in folds(data, count, seed):
        held = set(fold)
        model = fit([one for index, one in enumerate(data) if index not in held], seed=seed)
        scores[fold] = predict(model, [data[index] for index in fold])
    return scores


def main() -> None:
    data = examples([*company(), *other_voices()])
    scores = np.mean([unseen_scores(data, seed=seed) for seed in range(3)], axis=0)
    decided = np.array([float(one.decided) for one in data])
    text = written(fit(data), *calibration(scores, decided))
    if "--write" in sys.argv[1:]:
        WEIGHTS.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
