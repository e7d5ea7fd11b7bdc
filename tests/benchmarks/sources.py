"""What each source yields of the sample company, without a model, against its truth.

    python -m tests.benchmarks.sources ../shared/company [--verbose]

A decision found counts where the truth has one at its place (its own, or `also_in`); places listed as minor are
scored neither way. Recall is over the truth's places. Also printed: what share of the threads the gate stops, how many
quotes overlap the truth's, and threads a second.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.backfill import Tally, import_threads
from bot.offline import OfflineExtractor
from bot.sources.document import Documents
from bot.sources.listed import SOURCES
from bot.sources.slack_export import SlackExport
from store import EVERYTHING, WORKSPACE, Decision, Memory

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
FOLDERS = {
    "adr": "adr",
    "claude-code": "claude_code",
    "github": "github",
    "jira": "jira",
    "jupyter": "notebooks",
    "pagerduty": "pagerduty/incidents.json",
    "slack": "slack_export",
    "zoom": "zoom",
}
"""Where the company keeps each source's documents."""
_IN_TRUTH = {"claude_code": "claude-code", "notebook": "jupyter"}
_OVERLAP = 40
"""Characters at the beginning of a quote by which two are the same words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one source did; `places` are the truth's."""

    source: str
    tally: Tally
    right: int
    wrong: int
    found: int
    places: int
    quotes: int
    seconds: float

    @property
    def precision(self) -> float:
        """Share of what was found that the truth has."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """Share of the truth's places at which something was found."""
        return self.found / self.places if self.places else 1.0


def truth(company: Path, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of one file of the truth."""
    for line in (company / "truth" / name).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def place_in_truth(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return source and anchor of an entry of the truth, as the product names them (files by their names alone)."""
    source, anchor = _IN_TRUTH.get(entry["source"], entry["source"]), entry["anchor"]
    if source == "slack":
        return source, anchor["thread_ts"]
    if source == "github":
        return source, f"{anchor['repo']}#{anchor['number']}"
    if source == "pagerduty":
        return source, str(anchor["incident_number"])
    return source, anchor.get("key") or anchor["file"].rpartition("/")[2]


def place_found(decision: Decision) -> tuple[str, str]:
    """Return the same of a decision; sessions are known by their files in the truth."""
    source, anchor = decision.place.source, decision.place.anchor
    if source == "claude-code":
        anchor = decision.place.permalink.partition("#")[0]
    return source, anchor if source == "github" else anchor.rpartition("/")[2]


def opened(company: Path, source: str) -> AbstractContextManager[SlackExport | Documents]:
    """Open one source's documents."""
    path = company / FOLDERS[source]
    return SlackExport(path) if source == "slack" else Documents(path, SOURCES[source], scope=WORKSPACE)


def score(company: Path, source: str, *, verbose: bool) -> Score:
    """Import one source into an empty memory and hold it against the truth."""
    wanted: dict[tuple[str, str], list[str]] = defaultdict(list)
    for decision in truth(company, "decisions.jsonl"):
        for entry in (decision, *decision["also_in"]):
            wanted[place_in_truth(entry)].append(entry["quote"])
    neither = {place_in_truth(each) for each in truth(company, "minor.jsonl")}
    threads = truth(company, "threads.jsonl")
    neither |= {("slack", each["thread_ts"]) for each in threads if each["label"] == "borderline"}
    with tempfile.TemporaryDirectory() as home, opened(company, source) as documents:
        memory = Memory.open(Path(home), clock=lambda: NOW, index="off")
        started = time.perf_counter()
        tally = import_threads(memory, OfflineExtractor(), documents, pause=time.sleep)
        seconds = time.perf_counter() - started
        decisions = memory.decisions(EVERYTHING)
        memory.close()
    right = [each for each in decisions if place_found(each) in wanted]
    wrong = [each for each in decisions if each not in right and place_found(each) not in neither]
    found = {place_found(each) for each in right}
    places = {place for place in wanted if place[0] == source}
    if verbose:
        for each in decisions:
            mark = "  " if each in right else "!!" if each in wrong else "~ "
            print(f"  {mark} {place_found(each)[1][:40]:40} {each.confidence:3} {each.title[:90]}")
        for place in sorted(places - found):
            print(f"  ?? {place[1]}: {wanted[place][0][:90]}")
    return Score(
        source=source,
        tally=tally,
        right=len(right),
        wrong=len(wrong),
        found=len(found & places),
        places=len(places),
        quotes=sum(_quoted(each, wanted[place_found(each)]) for each in right),
        seconds=seconds,
    )


def _quoted(decision: Decision, quotes: list[str]) -> bool:
    return any(
        quote[:_OVERLAP] in held.quote or held.quote[:_OVERLAP] in quote
        for held in decision.evidence
        for quote in quotes
    )


def main(company: Path, *, verbose: bool) -> int:
    """Print a line a source and one over all; 1 below the bars (precision .75 and recall .70 over all)."""
    scores = []
    print("source       threads stopped right wrong precision        recall quotes  /s")
    for source in FOLDERS:
        one = score(company, source, verbose=verbose)
        scores.append(one)
        print(
            f"{source:12} {one.tally.threads:7} {one.tally.gated_out / max(1, one.tally.threads):7.0%} {one.right:5}"
            f" {one.wrong:5} {one.precision:9.2f} {one.recall:6.2f} of {one.places:3} {one.quotes:6}"
            f" {one.tally.threads / one.seconds:4.0f}"
        )
    right, wrong = sum(one.right for one in scores), sum(one.wrong for one in scores)
    found, places = sum(one.found for one in scores), sum(one.places for one in scores)
    precision, recall = right / (right + wrong), found / places
    print(f"all: precision {precision:.3f}, recall {recall:.3f} of {places} places")
    return 0 if precision >= 0.75 and recall >= 0.70 else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("company", type=Path, help="the folder with slack_export/, jira/ … and truth/")
    parser.add_argument("--verbose", action="store_true", help="show each decision and each place that was missed")
    given = parser.parse_args()
    raise SystemExit(main(given.company, verbose=given.verbose))
