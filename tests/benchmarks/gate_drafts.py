"""Measure what the rules say of a decision: for or against, by whom, instead of what and in whose words.

    python -m tests.benchmarks.gate_drafts [--wrong]

Every decision thread is read as if somebody had pointed at it and checked like any draft. The company's threads were
looked at while the rules were written; the unseen deciders, written before, were scored and not looked at. `--wrong`
names each miss, of the sets that begin with what is named after it.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from bot.offline import OfflineExtractor
from bot.sources.slack import VOCABULARY
from store import Draft, verify_draft
from store.core.gate_features import stems
from tests.benchmarks.gate_corpora import Labelled, company, deciders

_SAME_WORDS = 0.5


class Tally:
    """Shares of how many, and what was missed."""

    def __init__(self) -> None:
        """Nothing is counted yet."""
        self._counts: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self.missed: list[str] = []

    def add(self, name: str, right: float, whole: float = 1, *, wrong: str = "") -> None:
        """Count `right` of `whole`; say what was wrong where they differ."""
        self._counts[name][0] += right
        self._counts[name][1] += whole
        if right < whole and wrong:
            self.missed.append(f"{name}: {wrong}")

    def shares(self) -> dict[str, str]:
        """Return each share with its count."""
        return {name: f"{part / max(1, whole):.3f} of {whole:.0f}" for name, (part, whole) in self._counts.items()}


def measure(threads: Sequence[Labelled]) -> Tally:
    """Return the shares for a set of threads."""
    tally, extractor = Tally(), OfflineExtractor()
    for labelled in threads:
        if not labelled.decided:
            continue
        drafts = extractor.extract(labelled.thread, VOCABULARY, pointed=True, deadline_s=5).drafts
        checked = [verify_draft(draft, labelled.thread) for draft in drafts]
        opposite = sum(refusal.rule.startswith("says the opposite") for _, refused in checked for refusal in refused)
        tally.add("not refused for polarity", len(drafts) - opposite, len(drafts), wrong=labelled.thread.place.anchor)
        kept = [draft for draft, _ in checked if draft is not None]
        for draft in kept:
            _verbatim(draft, labelled, tally)
        for truth in labelled.truths:
            _compare(kept, truth, labelled, tally)
    return tally


def _verbatim(draft: Draft, labelled: Labelled, tally: Tally) -> None:
    said = [turn.text for turn in labelled.thread.turns]
    for option in draft.alternatives:
        tally.add("alternative has a reason", bool(option.reason))
        if option.reason:
            tally.add("reason is verbatim", any(option.reason in text for text in said), wrong=option.reason)


def _compare(kept: Sequence[Draft], truth: dict[str, Any], labelled: Labelled, tally: Tally) -> None:
    where = labelled.thread.place.anchor
    named = {person.name for draft in kept for person in draft.decided_by}
    objected = named & set(truth.get("objected", ()))
    tally.add("no objector listed", not objected, wrong=f"{where}: {sorted(objected)}")
    matching = [draft for draft in kept if _matches(draft, truth, labelled)]
    mine = max(matching, key=lambda draft: _likeness(draft.evidence[0].quote, truth, labelled), default=None)
    tally.add("matched", mine is not None, wrong=f"{where}: {[draft.evidence[0].quote for draft in kept]}")
    if mine is None:
        return
    tally.add("status", mine.status.value == truth["status"], wrong=f"{where}: {mine.status.value} {mine.title!r}")
    named = {person.name for person in mine.decided_by}
    right, fine = set(truth["decided_by"]), set(truth.get("also_fine", ()))
    wrong = named - right - fine
    tally.add("decided_by precision", len(named & right), len(named - fine), wrong=f"{where}: not {sorted(wrong)}")
    tally.add("decided_by recall", len(named & right), len(right), wrong=f"{where}: {sorted(right - named)}")
    _options(mine, truth, labelled, tally)


def _options(mine: Draft, truth: dict[str, Any], labelled: Labelled, tally: Tally) -> None:
    where = labelled.thread.place.anchor
    if truth["status"] == "rejected":
        return
    expected = [(one["option"], one.get("because") or one.get("reason", "")) for one in truth["alternatives"]]
    ours = [(one.option, one.reason) for one in mine.alternatives]
    for option, because in expected:
        found = next((one for one in ours if _alike(one[0], option)), None)
        tally.add("alternative found", found is not None, wrong=f"{where}: {option} / {because} (ours {ours})")
        if found is not None:
            tally.add("  with its reason", _alike(found[1], because), wrong=f"{where}: {found} for {because}")
    for option, reason in ours:
        right = any(_alike(option, other) for other, _ in expected)
        tally.add("alternative right", right, wrong=f"{where}: {option} / {reason} ({expected})")
    if expected:
        right = any(_alike(one[0], option) for one in ours for option, _ in expected)
        tally.add("any alternative found", right)


def _matches(draft: Draft, truth: dict[str, Any], labelled: Labelled) -> bool:
    return any(_likeness(quote.quote, truth, labelled) >= _SAME_WORDS for quote in draft.evidence)


def _likeness(ours: str, truth: dict[str, Any], labelled: Labelled) -> float:
    """Return the share of words that a quote has in common with the truth's, 1.0 where one holds the other."""
    theirs = [quote or labelled.thread.turns[index].text for index, quote in labelled.deciding]
    if "quote" in truth:
        theirs = [truth["quote"]]
    return max(1.0 if ours in other or other in ours else _shared(ours, other) for other in theirs)


def _shared(ours: str, theirs: str) -> float:
    mine, other = set(ours.lower().split()), set(theirs.lower().split())
    return len(mine & other) / max(1, len(mine | other))


def _alike(ours: str, theirs: str) -> bool:
    """Say whether two texts share half of the content words of the shorter."""
    mine, other = stems(ours), stems(theirs)
    return len(mine & other) * 2 >= max(1, min(len(mine), len(other)))


def main() -> None:
    """Print one JSON document, then what was missed if asked."""
    sets = {"company": company(), "unseen deciders": deciders()}
    tallies = {name: measure(threads) for name, threads in sets.items()}
    print(json.dumps({name: tally.shares() for name, tally in tallies.items()}, indent=1))
    if "--wrong" in sys.argv[1:]:
        for name, tally in tallies.items():
            if any(name.startswith(chosen) for chosen in sys.argv[2:] or ("",)):
                print(f"\n{name}", *tally.missed, sep="\n  ")


if __name__ == "__main__":
    main()
