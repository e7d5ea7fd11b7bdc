"""How surely the same decision in two places is known for one, and never two decisions.

    python -m tests.benchmarks.corroboration ../shared/company ../shared/corpora [--decisions 10000]

First every source of the company goes through the offline extractor into one memory, in either order; each pair that
was merged or linked is held against `also_in` of the truth (where one of two implements or announces the other, that
is neither). Then the truth's own statements are held against each other, and the corpora's: records of one project,
pairs of which the later replaced the earlier, and successive motions of one meeting, once as they are and once as if
they had come from two systems on one day. Last, what looking costs in a memory of many decisions.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

from bot.backfill import import_threads
from bot.offline import OfflineExtractor
from store import EVERYTHING, WORKSPACE, Admission, Alternative, Decision, Draft, Load, Memory, Place, Quote, Status
from store.core.corroboration import APART_DAYS, Told, is_the_same, told
from tests.benchmarks.sources import FOLDERS, NOW, opened, place_found, place_in_truth, truth

DAY = date(2026, 1, 1)
LOOKS = 200


def company_in_one(company: Path, sources: Sequence[str]) -> None:
    """Import all sources in an order and print what was taken for one, against the truth."""
    own, near = defaultdict(set), defaultdict(set)
    for decision in truth(company, "decisions.jsonl"):
        for entry in (decision, *decision["also_in"]):
            own[place_in_truth(entry)].add(decision["id"])
    for entry in truth(company, "related.jsonl"):
        near[place_in_truth(entry)].add(entry["decision"])
    with tempfile.TemporaryDirectory() as home:
        memory = Memory.open(Path(home), clock=lambda: NOW, index="off")
        for source in sources:
            with opened(company, source) as documents:
                import_threads(memory, OfflineExtractor(), documents, pause=time.sleep)
        pairs = list(_taken_for_one(memory))
        memory.close()
    right = [pair for pair in pairs if own[pair[0]] & own[pair[1]]]
    neither = [
        pair for pair in pairs if pair not in right and (own[pair[0]] | near[pair[0]]) & (own[pair[1]] | near[pair[1]])
    ]
    wrong = [pair for pair in pairs if pair not in right and pair not in neither]
    found = {frozenset(own[one] & own[other]) for one, other in right}
    wanted = [decision["id"] for decision in truth(company, "decisions.jsonl") if decision["also_in"]]
    missed = [name for name in wanted if frozenset({name}) not in found]
    print(
        f"company, {' '.join(sources)}: {len(right)} right, {len(neither)} neither, {len(wrong)} wrong; missed {missed}"
    )
    for pair in wrong:
        print("   wrong:", *pair)


def _taken_for_one(memory: Memory) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    decisions = {one.id: one for one in memory.decisions_by_ids(_every_id(memory), EVERYTHING)}
    for one in decisions.values():
        for place in one.places[1:]:
            yield _place_of(one, one.place), _place_of(one, place)
        for other in memory.same_elsewhere(one.id, EVERYTHING):
            if one.id < other.id:
                yield _place_of(one, one.place), _place_of(other, other.place)


def _every_id(memory: Memory) -> list[str]:
    listed = [str(one.id) for one in memory.decisions(EVERYTHING)]
    return listed + [str(other.id) for one in listed for other in memory.same_elsewhere(one, EVERYTHING)]


def _place_of(decision: Decision, place: Place) -> tuple[str, str]:
    if place == decision.place:
        return place_found(decision)
    return place.source, place.anchor if place.source == "github" else place.anchor.rpartition("/")[2]


# --- statements by themselves -----------------------------------------------------------------


def truths(company: Path) -> Iterator[tuple[str, Told]]:
    """Yield the truth's statements by decision: its own, and each place that says it again, titled by its quote."""
    for decision in truth(company, "decisions.jsonl"):
        day, status = date.fromisoformat(decision["decided_on"]), Status(decision["status"])
        elements = tuple(decision["elements"])
        lost = tuple(Alternative(option=each["option"], reason=each["reason"]) for each in decision["alternatives"])
        own = Draft(
            title=decision["title"], rationale=decision["rationale"], status=status, elements=elements,
            alternatives=lost, evidence=(Quote(quote=decision["quote"]),),
        )  # fmt: skip
        yield decision["id"], told(own, Place(source=decision["source"], anchor=decision["id"]), day=day)
        for entry in decision["also_in"]:
            again = Draft(
                title=entry["quote"], status=status, elements=elements, evidence=(Quote(quote=entry["quote"]),)
            )
            yield decision["id"], told(again, Place(source=entry["source"], anchor=decision["id"]), day=day)


def hold_truths(company: Path) -> None:
    """Print how the truth's statements do against each other."""
    given = list(truths(company))
    merged = Counter(one[0] == other[0] for one, other in combinations(given, 2) if is_the_same(one[1], other[1]))
    pairs = sum(one[0] == other[0] for one, other in combinations(given, 2))
    print(f"truth's statements: {merged[True]} of {pairs} right, {merged[False]} wrong")


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def records(corpora: Path, *, apart: bool) -> list[Told]:
    """Return the corpora's records as told by one source, as they are, or each by a source of its own."""
    found = []
    for line in _lines(corpora / "decisions.jsonl"):
        try:
            day = date.fromisoformat(line.get("decided_on") or "")
        except ValueError:
            continue
        lost = tuple(
            Alternative(option=each["option"], reason=each.get("reason", "")) for each in line.get("alternatives", ())
        )
        one = Draft(
            title=line["title"], rationale=line.get("rationale", ""), status=Status(line["status"]), alternatives=lost,
            elements=tuple(line.get("elements", ())), evidence=tuple(map(_quote, line.get("evidence", ()))),
        )  # fmt: skip
        source = line["ref"] if apart else "records"
        found.append(told(one, Place(source=source, anchor=line["ref"], ref=line["ref"]), day=day))
    return found


def _quote(given: str | Mapping[str, str]) -> Quote:
    return Quote(quote=given if isinstance(given, str) else given["quote"])


def hold_records(corpora: Path) -> None:
    """Print how many records of different decisions would be taken for one."""
    for apart in (False, True):
        ordered = sorted(records(corpora, apart=apart), key=lambda each: each.day)
        wrong = [
            f"{one.place.ref} / {other.place.ref}"
            for at, one in enumerate(ordered)
            for other in _within(ordered, at)
            if is_the_same(one, other)
        ]
        print(f"records {'of a system each' if apart else 'as they are'}: {len(ordered)}, {len(wrong)} wrong {wrong}")


def _within(ordered: Sequence[Told], at: int) -> Iterable[Told]:
    for other in ordered[at + 1 :]:
        if (other.day - ordered[at].day).days > APART_DAYS:
            return
        yield other


def hold_pairs(corpora: Path) -> None:
    """Print how the pairs do as if two systems had told them on one day, which none of them did."""
    for name, sides, label in (
        ("near_duplicates.jsonl", ("a", "b"), "label"),
        ("supersession_pairs.jsonl", ("older", "newer"), "label"),
    ):
        found: Counter[tuple[object, bool]] = Counter()
        for line in _lines(corpora / name):
            told_by = [_side(line, side, source) for side, source in zip(sides, ("one", "other"), strict=True)]
            found[line[label], bool(is_the_same(*told_by))] += 1
        print(
            f"{name}, as of two systems on one day:",
            {f"{of} {'merged' if is_ else 'apart'}": n for (of, is_), n in found.items()},
        )


def _side(line: Mapping[str, Any], side: str, source: str) -> Told:
    title, text = (line[f"{side}_title"], line[f"{side}_text"]) if f"{side}_title" in line else (line[side], "")
    quotes = () if text else (Quote(quote=title),)
    return told(Draft(title=title, rationale=text or "", evidence=quotes), Place(source=source, anchor=side), day=DAY)


# --- what it costs ----------------------------------------------------------------------------


def cost(decisions: int) -> None:
    """Print milliseconds of looking for one draft, and of admitting it, in a memory of many decisions."""
    with tempfile.TemporaryDirectory() as home:
        memory = Memory.open(Path(home), clock=lambda: NOW, index="off")
        drafts = list(Load(decisions=decisions).drafts())
        place = Place(source="jira", anchor="LOAD-1", ref="LOAD-1")
        admissions = (
            Admission(place=Place(source="slack", anchor=f"C{n % 50}/{n}.0"), basis="1", scope=WORKSPACE, drafts=(one,),
                      provenance="load", recorded_from="ingest")
            for n, one in enumerate(drafts)
        )  # fmt: skip
        for _ in memory.ingest(admissions):
            pass
        looked, admitted = [], []
        for n, one in enumerate(drafts[:: max(1, len(drafts) // LOOKS)][:LOOKS]):
            began = time.process_time()
            found = memory.said_elsewhere(place, (one,), thread="as in PAY-12")
            looked.append(1000 * (time.process_time() - began))
            began = time.process_time()
            memory.admit(
                Admission(
                    place=Place(source="jira", anchor=f"LOAD-{n}"),
                    basis="1",
                    scope=WORKSPACE,
                    drafts=found,
                    provenance="load",
                )
            )
            admitted.append(1000 * (time.process_time() - began))
        memory.close()
    for what, took in (("looking", looked), ("admitting", admitted)):
        high = sorted(took)[int(0.95 * len(took))]
        print(f"{what} among {decisions:,}: median {statistics.median(took):.1f} ms of CPU, p95 {high:.1f} ms")


def main(company: Path, corpora: Path, decisions: int) -> None:
    """Print everything."""
    company_in_one(company, tuple(FOLDERS))
    company_in_one(company, tuple(reversed(FOLDERS)))
    hold_truths(company)
    hold_records(corpora)
    hold_pairs(corpora)
    cost(decisions)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("company", type=Path, help="the folder with slack_export/, jira/ … and truth/")
    parser.add_argument("corpora", type=Path, help="the folder with decisions.jsonl, near_duplicates.jsonl …")
    parser.add_argument("--decisions", type=int, default=10_000, help="of the memory in which looking is timed")
    given = parser.parse_args()
    main(given.company, given.corpora, given.decisions)
