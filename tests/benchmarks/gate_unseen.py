"""The gate with weights and thresholds that have not seen a thread, to measure what it does live on a known set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from store.core import gate_weights
from store.core.gate_features import FEATURES
from tests.benchmarks.gate_corpora import FRESH_VOICES, UNSEEN_VOICES, VOICES, company, meetings, voices
from tests.benchmarks.gate_fit import (
    PROPOSED,
    THREAD_COLUMNS,
    Example,
    Model,
    Thresholds,
    examples,
    fit,
    folds,
    thresholds,
    unseen_scores,
)

FOLDS = 5


@contextmanager
def weighed(model: Model, at: Thresholds) -> Iterator[None]:
    """Let the gate use other weights for a while: they are data."""
    names = ("FLOOR", "SENTENCE", "SENTENCE_BIAS", "THREAD", "THREAD_BIAS", "CONFIDENCE")
    before = {name: getattr(gate_weights, name) for name in names}
    halfway = (at.propose + at.record) / 2
    sentence, thread = model.sentence.tolist(), model.thread.tolist()
    fitted = (
        at.floor,
        tuple(zip(FEATURES, sentence[:-1], strict=True)),
        sentence[-1],
        tuple(zip(THREAD_COLUMNS, thread[:-1], strict=True)),
        thread[-1],
        ((0.0, 1), (at.floor, 8), (at.propose, PROPOSED), (halfway, 50), (at.record, 90), (1.0, 99)),
    )
    try:
        for name, value in zip(names, fitted, strict=True):
            setattr(gate_weights, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(gate_weights, name, value)


def unseen_weights(*, elsewhere: bool) -> Callable[[str], tuple[Model, Thresholds]]:
    """Return by a thread's anchor the weights and thresholds that were fitted and chosen without that thread.

    Args:
        elsewhere: without every thread of the company.
    """
    firm = examples(company())
    others = [one for path in (VOICES, UNSEEN_VOICES, FRESH_VOICES) for one in examples(voices(path))]
    minutes = examples(meetings())
    if elsewhere:
        only = _fitted(others, minutes)
        return lambda _anchor: only
    parts: list[tuple[Model, Thresholds]] = []
    fold_of: dict[str, int] = {}
    for number, fold in enumerate(folds(firm, FOLDS, seed=0)):
        held = set(fold)
        fold_of.update((firm[index].labelled.thread.place.anchor, number) for index in fold)
        parts.append(_fitted([*(one for at, one in enumerate(firm) if at not in held), *others], minutes))
    return lambda anchor: parts[fold_of.get(anchor, 0)]


def _fitted(chats: Sequence[Example], minutes: Sequence[Example]) -> tuple[Model, Thresholds]:
    """Fit and choose as the deployed weights are."""
    data = [*chats, *minutes]
    scores = np.mean([unseen_scores(data, seed=seed) for seed in range(2)], axis=0)[: len(chats)]
    return fit(data), thresholds(scores, chats)
