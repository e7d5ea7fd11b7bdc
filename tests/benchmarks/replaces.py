"""How often "This seems to replace" and "May pull against" would be right, on decisions whose truth is known.

    python -m tests.benchmarks.replaces

Every later decision of the sample company is held against every earlier one, which is more than recall would ever
find; then the labelled pairs of real records (no options and no elements there), and the near duplicates, of which
"duplicate" and "different" must stay silent. Prints one JSON document; exits 1 where the bar is missed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from store import Alternative, Bearing, Draft, Quote, Status, bearing

LEAST_PRECISION = 0.8
Line = Mapping[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what would be proposed and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--show", action="store_true", help="list every proposal that the truth doesn't bear")
    asked = parser.parse_args(arguments)
    company = asked.shared / "company" / "truth"
    if not company.exists():
        print(f"{company}: not there; give --shared", file=sys.stderr)
        return 1
    report = {
        "company": on_company(company, show=asked.show),
        "supersession_pairs": on_pairs(lines(asked.shared / "corpora" / "supersession_pairs.jsonl")),
        "near_duplicates": on_duplicates(lines(asked.shared / "corpora" / "near_duplicates.jsonl")),
    }
    print(json.dumps(report, indent=2))
    return 0 if report["company"]["any"]["precision"] >= LEAST_PRECISION else 1


def lines(path: Path) -> list[Line]:
    """Return a file's lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def on_company(truth: Path, *, show: bool) -> dict[str, Any]:
    """Hold each later decision against each earlier one that still stands."""
    decisions = lines(truth / "decisions.jsonl")
    relations = json.loads((truth / "relations.json").read_text(encoding="utf-8"))
    replaced = {pair for chain in relations["supersession_chains"] for pair in itertools.combinations(chain, 2)}
    conflicts = {(min(pair), max(pair)) for pair in relations["conflicts"]}
    found: list[tuple[Bearing, str, str]] = []
    for older, newer in _in_order(decisions):
        if (bears := bearing(drafted(newer), drafted(older))) is not None:
            found.append((bears, older["id"], newer["id"]))
    right = {"replaces": replaced, "pulls against": conflicts, "any": replaced | conflicts}
    stood = {(older["id"], newer["id"]) for older, newer in _in_order(decisions)}
    right = {name: wanted & stood for name, wanted in right.items()}
    report: dict[str, Any] = {
        name: _figures({(o, n) for kind, o, n in found if name in ("any", kind.value)}, wanted)
        for name, wanted in right.items()
    }
    for kind in Bearing:
        proposed = {(o, n) for bears, o, n in found if bears is kind}
        report[kind.value]["of_either_kind"] = len(proposed & right["any"])
    if show:
        titles = {one["id"]: one["title"] for one in decisions}
        wrong = [(kind.value, titles[n], titles[o]) for kind, o, n in found if (o, n) not in right["any"]]
        missed = [(titles[n], titles[o]) for o, n in sorted(right["any"] - {(o, n) for _, o, n in found})]
        report |= {"wrong": wrong, "missed": missed}
    return report


def _in_order(decisions: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Yield (older, newer) where the older one stood on the newer one's day, or the newer one replaced it."""
    by_day = sorted(decisions, key=lambda one: (one["decided_on"], one["id"]))
    days = {one["id"]: one["decided_on"] for one in decisions}
    for older, newer in itertools.combinations(by_day, 2):
        if all(days[name] >= newer["decided_on"] for name in older["superseded_by"]):
            yield older, newer


def drafted(one: Line) -> Draft:
    """Return a line of the truth as a draft."""
    return Draft(
        title=one["title"],
        rationale=one["rationale"],
        status=Status(one["status"]),
        alternatives=tuple(Alternative(option=each["option"], reason=each["reason"]) for each in one["alternatives"]),
        elements=tuple(one["elements"]),
        evidence=(Quote(quote=one["quote"]),),
    )


def _figures(proposed: set[tuple[str, str]], wanted: set[tuple[str, str]]) -> dict[str, Any]:
    hit = len(proposed & wanted)
    return {
        "proposed": len(proposed),
        "right": hit,
        "of": len(wanted),
        "precision": round(hit / len(proposed), 3) if proposed else 1.0,
        "recall": round(hit / len(wanted), 3),
    }


def on_pairs(pairs: Sequence[Line]) -> dict[str, Any]:
    """Hold labelled pairs of records against each other: title and the text's beginning are all there is."""
    proposed: Counter[str] = Counter()
    for pair in pairs:
        newer = Draft(title=pair["newer_title"], evidence=(Quote(quote=pair["newer_text"][:300]),))
        older = Draft(title=pair["older_title"], evidence=(Quote(quote=pair["older_text"][:300]),))
        if bearing(newer, older) is not None:
            proposed["replaced" if pair["label"] else "merely related"] += 1
    return {**proposed, "of_replaced": sum(pair["label"] for pair in pairs), "of": len(pairs)}


def on_duplicates(pairs: Sequence[Line]) -> dict[str, Any]:
    """Hold near duplicates against each other, the second as the later one."""
    proposed = Counter(pair["label"] for pair in pairs if bearing(Draft(title=pair["b"]), Draft(title=pair["a"])))
    return {"proposed": dict(proposed), "of": dict(Counter(pair["label"] for pair in pairs))}


if __name__ == "__main__":
    sys.exit(main())
