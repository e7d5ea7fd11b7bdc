"""How much of the truth gets through: Claude is scripted with it, all else is the product.

    python -m tests.benchmarks.claude_truth ../shared/company

The loopback Claude answers each extraction with the decisions that `truth/` has for the thread: their titles,
reasons and quotes. Real prompt, schema, checks, gate and memory do the rest; printed is which decisions landed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.backfill import import_threads
from bot.claude import ClaudeClient, ClaudeExtractor
from bot.sources.slack_export import SlackExport
from store import EVERYTHING, Memory, Thread, keeps, sentence_spans, stems, verify_quote
from tests.builders_claude import proposed
from tests.fakes.claude_script import Drafts, extraction_script
from tests.fakes.claude_server import ClaudeServer

Truth = Mapping[str, Any]


def slack_truth(company: Path) -> dict[str, list[Truth]]:
    """Return the decisions by the anchor (`CHANNEL_ID/THREAD_TS`) of each Slack thread that states them."""
    by_anchor: dict[str, list[Truth]] = defaultdict(list)
    for line in (company / "truth" / "decisions.jsonl").read_text(encoding="utf-8").splitlines():
        decision = json.loads(line)
        if decision["source"] == "slack":
            anchor = decision["anchor"]
            by_anchor[f"{anchor['channel_id']}/{anchor['thread_ts']}"].append(decision)
    return by_anchor


def drafts_of(thread: Thread, decisions: Sequence[Truth]) -> Drafts:
    """Return the truth about a thread as Claude would have to word it."""
    return [_draft(thread, decision) for decision in decisions]


def _draft(thread: Thread, truth: Truth) -> dict[str, Any]:
    turn = next(at for at, one in enumerate(thread.turns, start=1) if verify_quote(truth["quote"], one.text))
    deciders = {one.author_id: at for at, one in enumerate(thread.turns, start=1)}
    return proposed(
        truth["title"],
        turn,
        truth["quote"],
        reasoning=truth["rationale"],
        alternatives=[
            {"option": one["option"], "why_it_lost": one["reason"], "turn": at, "quote": said}
            for one in truth["alternatives"]
            for at, said in [_said_of(thread, f"{one['option']} {one['reason']}")]
            if said
        ],
        decided_by=[deciders[user] for user in truth["decided_by_user_ids"] if user in deciders],
        elements=[{"kind": "service", "name": name} for name in truth["elements"]],
        status=truth["status"],
        revisit_when=truth["revisit_when"] or "",
    )


def _said_of(thread: Thread, what: str) -> tuple[int, str]:
    """Return the sentence that shares most words with a summing-up, and its turn; "" where none shares two."""
    wanted, best = stems(what), (1, 0, "")
    for at, turn in enumerate(thread.turns, start=1):
        for start, end in sentence_spans(turn.text):
            shared = len(stems(turn.text[start:end]) & wanted)
            best = max(best, (shared, -at, turn.text[start:end]))
    return (-best[1], best[2]) if best[0] > 1 else (1, "")


def main(company: Path) -> int:
    """Run the import and print the recall; 1 below 0.95."""
    truth = slack_truth(company)
    with SlackExport(company / "slack_export") as export:
        threads = list(export.threads())
        script = extraction_script(threads, lambda thread: drafts_of(thread, truth.get(thread.place.anchor, [])))
        with ClaudeServer(script) as claude, tempfile.TemporaryDirectory() as home:
            client = ClaudeClient(api_key=claude.api_key, base_url=claude.base_url, model="claude-haiku-5-5")
            memory = Memory.open(Path(home), index="off")
            started = time.monotonic()
            tally = import_threads(memory, ClaudeExtractor(client), export, pause=time.sleep)
            took = time.monotonic() - started
            landed = {(decision.place.anchor, decision.title) for decision in memory.decisions(EVERYTHING)}
            memory.close()
            client.close()
        stopped = {thread.place.anchor for thread in threads if not keeps(thread, export.vocabulary)}
    expected = {(anchor, one["title"]) for anchor, decisions in truth.items() for one in decisions}
    for anchor, title in sorted(expected - landed):
        print("missing:", title, "(stopped by the gate)" if anchor in stopped else "")
    recall = len(expected & landed) / len(expected)
    print(
        f"{len(expected)} decisions, {len(expected & landed)} landed: recall {recall:.3f}; "
        f"{len(landed - expected)} more"
    )
    print(f"{json.dumps(tally.document())} in {took:.1f} s")
    return 0 if recall >= 0.95 else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("company", type=Path, help="the folder with slack_export/ and truth/")
    raise SystemExit(main(parser.parse_args().company))
