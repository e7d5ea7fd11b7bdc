"""Which outcomes are proposed from the sample company's systems, against its truth.

    python -m tests.benchmarks.outcomes ../shared/company [--verbose]

Everything is imported without a model, in the order of its sources and then the other way round: both must propose
the same. A proposal is right where the truth has that outcome for the decision; `from` counts those where it names the
very place too. Recall is over what the truth says failed with an incident, and over what it says worked.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bot.backfill import import_threads
from bot.offline import OfflineExtractor
from bot.proposing import Offered, offered
from store import EVERYTHING, Memory, Verdict
from tests.benchmarks.sources import FOLDERS, NOW, opened, place_found, place_in_truth, truth

PRECISION = 0.6
"""The least share of proposals that are right."""


def proposed(company: Path, order: Iterable[str]) -> tuple[Offered, ...]:
    """Import sources in an order into an empty memory and return what is proposed."""
    with tempfile.TemporaryDirectory() as home:
        memory = Memory.open(Path(home), clock=lambda: NOW, index="off")
        for source in order:
            with opened(company, source) as documents:
                import_threads(memory, OfflineExtractor(), documents, pause=time.sleep)
        found = offered(memory, memory.beside.occurrences, EVERYTHING)
        memory.close()
    return found


def meant(offer: Offered, decisions: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the truth's decisions at the place of the proposed one."""
    place = place_found(offer.decision)
    return [each for each in decisions if place in {place_in_truth(one) for one in (each, *each["also_in"])}]


def names_place(offer: Offered, entry: Mapping[str, Any]) -> bool:
    """Say whether the truth has the report's place as evidence."""
    place = (offer.proposal.place.source, offer.proposal.place.anchor)
    return place in {place_in_truth(each) for each in entry["outcome_evidence"]}


def main(company: Path, *, verbose: bool) -> int:
    """Print both verdicts' precision and recall; 1 where too few are right, or the order of imports matters."""
    decisions = list(truth(company, "decisions.jsonl"))
    found, backwards = proposed(company, FOLDERS), proposed(company, reversed(list(FOLDERS)))
    right = 0
    print("verdict  proposed right from  precision  recall")
    for verdict in Verdict:
        offers = [each for each in found if each.proposal.verdict is verdict]
        wanted = {each["id"] for each in decisions if each["outcome"] == verdict.value}
        hits = {each.proposal: [one for one in meant(each, decisions) if one["id"] in wanted] for each in offers}
        good = [each for each in offers if hits[each.proposal]]
        there = [each for each in good if any(names_place(each, one) for one in hits[each.proposal])]
        reached = {one["id"] for each in good for one in hits[each.proposal]}
        right += len(good)
        share = len(good) / len(offers) if offers else 1.0
        print(
            f"{verdict.value:8} {len(offers):8} {len(good):5} {len(there):4} {share:10.2f}"
            f"  {len(reached)} of {len(wanted)}"
        )
        for each in offers if verbose else ():
            mark = "  " if each in good else "!!"
            place = each.proposal.place
            print(f"  {mark} {each.proposal.strength:3} {place.ref or place.anchor:24} {each.decision.title[:80]}")
    precision = right / len(found) if found else 1.0
    same = {(one.decision.id, one.proposal.place) for one in found} == {
        (one.decision.id, one.proposal.place) for one in backwards
    }
    print(f"all: precision {precision:.2f} of {len(found)}; the other way round: {'the same' if same else 'others'}")
    return 0 if precision >= PRECISION and same else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("company", type=Path, help="the folder with slack_export/, jira/ … and truth/")
    parser.add_argument("--verbose", action="store_true", help="show each proposal")
    given = parser.parse_args()
    raise SystemExit(main(given.company, verbose=given.verbose))
