"""Measure the gate and the offline extractor on threads that they were not fitted on; prints JSON.

    python -m tests.benchmarks.gate

Cross-validated by thread: weights *and* thresholds are chosen inside each outer fold. Transfer: fitted on some
organisations, thresholds included, and applied to another one untouched. The extraction itself is measured with
the deployed weights against the company's recorded decisions.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from bot.offline import OfflineExtractor
from bot.sources.slack import VOCABULARY
from store import Draft, score, verify_draft
from tests.benchmarks.gate_corpora import (
    FRESH_VOICES,
    SHORT,
    UNSEEN_SHORT,
    UNSEEN_VOICES,
    VOICES,
    company,
    cut_short,
    deciders,
    meetings,
    voices,
)
from tests.benchmarks.gate_fit import (
    PROPOSED,
    Array,
    Example,
    Thresholds,
    examples,
    fit,
    folds,
    predict,
    thresholds,
    unseen_scores,
)

SEEDS = 2
OUTER_FOLDS = 5


def main() -> None:
    """Print one JSON document."""
    firm, minutes = examples(company()), examples(meetings())
    known, unseen, fresh = (examples(voices(path)) for path in (VOICES, UNSEEN_VOICES, FRESH_VOICES))
    chats = [*firm, *known, *unseen, *fresh]
    report = {
        "cross_validated": {
            "company": nested(firm),
            "company, the other sets in training": nested(firm, also=[*known, *unseen, *fresh, *minutes]),
            "all chats, meetings in training": nested(chats, also=minutes),
            "meetings, chats in training": nested(minutes, also=chats),
        },
        "transfer": {
            "company to all voices": transfer(firm, [*known, *unseen, *fresh]),
            "all but unseen voices, to these": transfer([*firm, *known, *fresh, *minutes], unseen),
            "all but fresh voices, to these": transfer([*firm, *known, *unseen, *minutes], fresh),
            "all but first voices, to these": transfer([*firm, *unseen, *fresh, *minutes], known),
            "all but company, to it": transfer([*known, *unseen, *fresh, *minutes], firm),
            "chats to meetings": transfer(chats, [*minutes, *cuts(minutes)]),
            "chats to threads of two or three messages": transfer(
                [*chats, *minutes], examples([*voices(SHORT), *voices(UNSEEN_SHORT)])
            ),
            "chats to unseen deciders": transfer([*chats, *minutes], examples(deciders())),
            "to unseen debates cut short": transfer([*firm, *known, *fresh, *minutes], cuts(unseen)),
        },
        "calibration": reliability(chats, minutes),
        "extraction": extraction(),
        "speed": speed(),
    }
    print(json.dumps(report, indent=1))


def nested(threads: Sequence[Example], also: Sequence[Example] = ()) -> dict[str, float]:
    """Cross-validate with thresholds chosen inside the folds, the mean of `SEEDS` deals."""
    rounds = [_nested_once(threads, also, seed) for seed in range(SEEDS)]
    return {name: round(float(np.mean([one[name] for one in rounds])), 3) for name in rounds[0]}


def transfer(fitted_on: Sequence[Example], applied_to: Sequence[Example]) -> dict[str, float]:
    """Fit weights and thresholds on some threads and apply both to others."""
    chats = [one for one in fitted_on if one.labelled.corpus != "meetings"]
    at = thresholds(unseen_scores(fitted_on)[: len(chats)], chats)
    scores = predict(fit(fitted_on), applied_to)
    return {name: round(value, 3) for name, value in measured(scores, [at] * len(applied_to), applied_to).items()}


def measured(scores: Array, at: Sequence[Thresholds], threads: Sequence[Example]) -> dict[str, float]:
    """Return precision and recall of what is proposed and recorded, and what the gate keeps and stops."""
    decided = _decided(threads)
    proposed = scores >= np.array([one.propose for one in at])
    recorded = scores >= np.array([one.record for one in at])
    kept = scores >= np.array([one.floor for one in at])
    return {
        "threads": float(len(threads)),
        "decisions": float(decided.sum()),
        "precision": _share(decided[proposed]),
        "recall": _share(proposed[decided == 1]),
        "card_precision": _share(decided[recorded]),
        "card_recall": _share(recorded[decided == 1]),
        "proposed_of_none": _share(proposed[decided == 0]),
        "recorded_of_none": _share(recorded[decided == 0]),
        "gate_keeps": _share(kept[decided == 1]),
        "gate_stops": _share(~kept[decided == 0]),
    }


def cuts(threads: Sequence[Example]) -> list[Example]:
    """Return the decision threads as they stood before anything was settled."""
    return examples([cut for one in threads for cut in cut_short(one.labelled)])


def reliability(threads: Sequence[Example], also: Sequence[Example]) -> list[dict[str, float]]:
    """Return for bands of confidence how often threads not fitted on had decided something."""
    data = [*threads, *also]
    scores = np.mean([unseen_scores(data, seed=seed) for seed in range(SEEDS)], axis=0)[: len(threads)]
    decided = _decided(threads)
    at = thresholds(scores, threads)
    marks = (0.0, at.floor, at.propose, (at.propose + at.record) / 2, at.record, 1.0)
    hundredths = np.interp(scores, marks, (1, 8, PROPOSED, 50, 90, 99))
    bands = ((0, 8), (8, 30), (30, 50), (50, 90), (90, 95), (95, 100))
    return [
        {"from": low, "to": high, "threads": float(inside.sum()), "right": round(_share(decided[inside]), 3)}
        for low, high in bands
        if (inside := (hundredths >= low) & (hundredths < high)).any()
    ]


def extraction() -> dict[str, float]:
    """Measure drafts of the company's decision threads against its recorded decisions."""
    extractor = OfflineExtractor()
    tally: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        tally.setdefault(name, []).append(value)

    for labelled in company():
        drafts = extractor.extract(labelled.thread, VOCABULARY, pointed=labelled.decided, deadline_s=5).drafts
        kept = [verified for draft in drafts if (verified := verify_draft(draft, labelled.thread)[0])]
        note("drafts_verified", float(len(kept)) / max(1, len(drafts)) if drafts else 1.0)
        for truth in labelled.truths:
            mine = max(kept, key=lambda draft: _overlap(draft.evidence[0].quote, truth["quote"]), default=None)
            _compare(mine, truth, note)
    return {name: round(float(np.mean(values)), 3) for name, values in tally.items()}


def _compare(draft: Draft | None, truth: dict[str, Any], note: Any) -> None:
    note("decision_found", float(draft is not None))
    if draft is None:
        return
    overlap = _overlap(draft.evidence[0].quote, truth["quote"])
    note("quote_overlap", overlap)
    note("quote_hit", float(overlap >= 0.5))
    anchor = truth["anchor"].get("message_ts", "")
    note("deciding_turn_quoted", float(any(str(quote.turn_id).endswith(anchor) for quote in draft.evidence)))
    note("status_right", float(draft.status.value == truth["status"]))
    named = {person.name for person in draft.decided_by}
    note("decided_by_precision", len(named & set(truth["decided_by"])) / max(1, len(named)))
    note("decided_by_recall", len(named & set(truth["decided_by"])) / max(1, len(truth["decided_by"])))
    note("title_words", float(len(draft.title.split())))
    if truth["alternatives"]:
        note("alternatives_found", float(bool(draft.alternatives)))
    if truth["revisit_when"]:
        note("revisit_found", float(bool(draft.revisit_when)))


def speed() -> dict[str, float]:
    """Return milliseconds a thread of the company takes to score."""
    threads = [one.thread for one in company()]
    started = time.perf_counter()
    for thread in threads:
        score(thread, VOCABULARY)
    return {"ms_a_thread": round(1000 * (time.perf_counter() - started) / len(threads), 2)}


def _nested_once(threads: Sequence[Example], also: Sequence[Example], seed: int) -> dict[str, float]:
    scores = np.zeros(len(threads))
    at: list[Thresholds] = [Thresholds(floor=0.0, propose=0.0, record=0.0)] * len(threads)
    for fold in folds(threads, OUTER_FOLDS, seed):
        held = set(fold)
        inside = [one for index, one in enumerate(threads) if index not in held]
        training = [*inside, *also]
        chosen = thresholds(unseen_scores(training, count=4, seed=seed + 10)[: len(inside)], inside)
        scores[fold] = predict(fit(training, seed=seed), [threads[index] for index in fold])
        for index in fold:
            at[index] = chosen
    return measured(scores, at, threads)


def _decided(threads: Sequence[Example]) -> Array:
    return np.array([float(one.decided) for one in threads])


def _share(values: Any) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def _overlap(ours: str, theirs: str) -> float:
    """Return the share of words that two quotes have in common (Jaccard)."""
    mine, other = set(ours.lower().split()), set(theirs.lower().split())
    return len(mine & other) / max(1, len(mine | other))


if __name__ == "__main__":
    main()
