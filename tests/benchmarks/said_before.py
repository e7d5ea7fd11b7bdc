"""Who proposes what was turned down before: precision and recall, and how often a company's year of talk sets it off.

Run: python -m tests.benchmarks.said_before [--shared ../shared] [--words-only]

Four sets, each against the company's decisions as its own truth has them, asked by somebody who reads the public
ones: messages written to choose the thresholds (`tests/fixtures/said_before_dev.jsonl`), the company's held-out ones
(`truth/relitigation.jsonl`: ten propose again, ten only share words), and all public messages of its Slack, each
against what had been decided by the day before. A hit is right when it names the decision meant, what that replaced,
or what replaced it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.sources.slack_export import SlackExport
from bot.turned_down import TurnedDown, proposes, turned_down
from store import (
    PUBLIC,
    Admission,
    Alternative,
    Decision,
    DecisionId,
    Draft,
    Memory,
    Person,
    Place,
    Question,
    Quote,
    Scope,
    Status,
)

ROOT = Path(__file__).resolve().parents[2]
DEV = ROOT / "tests" / "fixtures" / "said_before_dev.jsonl"
LATER = ROOT / "tests" / "fixtures" / "said_before_later.jsonl"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def main() -> None:
    """Print what was found as JSON, and each mistake on a line of its own."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    arguments.add_argument("--words-only", action="store_true", help="as while the index is rebuilt")
    given = arguments.parse_args()
    company = given.shared / "company"
    truth = _lines(company / "truth" / "decisions.jsonl")
    with tempfile.TemporaryDirectory() as home:
        memory = Memory.open(Path(home), clock=lambda: NOW, index="off" if given.words_only else "own")
        for one in sorted(truth, key=lambda each: str(each["decided_on"])):
            memory.admit(_admission(one))
        memory.follow()
        kin = _kin(truth)
        own = company / "truth" / "relitigation.jsonl"
        for name, path in (("dev", DEV), ("later", LATER), ("the company's own", own)):
            print(json.dumps({"set": name, **_measured(memory, _lines(path), kin)}))
        print(json.dumps({"set": "a year of messages", **_set_off(memory, company)}))
        memory.close()


def found_in(memory: Memory, text: str, *, as_of: date | None = None) -> TurnedDown | None:
    """Return what a message meets, as the bot would tell its author."""

    def older(ids: Iterable[DecisionId]) -> Sequence[Decision]:
        return memory.decisions_by_ids(list(ids), PUBLIC, as_of=as_of)

    if not proposes(text):
        return None
    return turned_down(text, memory.recall(Question(text=text, as_of=as_of), PUBLIC).order, older)


def _measured(memory: Memory, rows: Iterable[Mapping[str, Any]], kin: Mapping[str, set[str]]) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    for row in rows:
        met, meant = found_in(memory, row["text"]), row["match"]
        right = met is not None and meant is not None and met.decision.place.ref in kin[meant]
        counts["hits"] += met is not None
        counts["right"] += right
        counts["meant"] += meant is not None
        if (met is not None or meant is not None) and not right:
            print(f"  {'missed' if met is None else 'wrong'}: {row['text']} ({meant}, {met and met.decision.title})")
    return {
        **counts,
        "precision": round(counts["right"] / counts["hits"], 3) if counts["hits"] else None,
        "recall": round(counts["right"] / counts["meant"], 3),
    }


def _set_off(memory: Memory, company: Path) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    with SlackExport(company / "slack_export") as export:
        turns = ((thread, turn) for thread in export.threads() if thread.scope.open for turn in thread.turns)
        for thread, turn in turns:
            if turn.is_bot:
                continue
            counts["messages"] += 1
            counts["propose"] += proposes(turn.text)
            met = found_in(memory, turn.text, as_of=turn.occurred_at.date() - timedelta(days=1))
            if met is not None and met.decision.place.anchor != thread.place.anchor:
                counts["told"] += 1
                print(f"  told: {turn.occurred_at.date()} {turn.text[:110]} ({met.decision.title})")
    return dict(counts)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _kin(truth: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Return for each decision those that say the same of it: itself, what it replaced, what replaced it, its place."""
    rows = list(truth)

    def same(one: Mapping[str, Any]) -> Iterator[str]:
        yield from (one["id"], *one["supersedes"], *one["superseded_by"])
        yield from (other["id"] for other in rows if other["anchor"] == one["anchor"])

    return {one["id"]: set(same(one)) for one in rows}


def _admission(one: Mapping[str, Any]) -> Admission:
    anchor, slack = one["anchor"], one["source"] == "slack"
    where = f"{anchor['channel_id']}/{anchor['thread_ts']}" if slack else one["id"]
    scope = f"channel:{anchor['channel_id']}" if slack else "workspace"
    people = tuple(Person(name=n, id=i) for n, i in zip(one["decided_by"], one["decided_by_user_ids"], strict=True))
    draft = Draft(
        title=one["title"],
        rationale=one["rationale"],
        status=Status(one["status"]),
        decided_on=date.fromisoformat(one["decided_on"]),
        decided_by=people,
        elements=tuple(one["elements"]),
        alternatives=tuple(Alternative(option=each["option"], reason=each["reason"]) for each in one["alternatives"]),
        revisit_when=one["revisit_when"] or "",
        evidence=(Quote(quote=one["quote"], turn_id=f"{where}#quote"),),
        supersedes=tuple(one["supersedes"]),
    )
    return Admission(
        place=Place(source=one["source"], anchor=where, ref=one["id"]),
        basis="truth",
        scope=Scope(id=scope, open=not slack or one["visibility"] == "public"),
        drafts=(draft,),
        provenance="truth",
        pointed=True,
    )


if __name__ == "__main__":
    main()
