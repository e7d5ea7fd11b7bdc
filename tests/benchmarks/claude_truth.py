"""How much of the truth gets through: Claude is scripted with it, all else is the product.

    python -m tests.benchmarks.claude_truth ../shared/company [--batch] [--verbose]

All eight sources are imported into one memory. The loopback Claude answers each extraction with the decisions that
`truth/` has for the thread: their titles, reasons and quotes. Real prompt, schema, window, checks, gate, admission and
memory do the rest. Printed is, per source, which of the truth's places landed with their quotes, what share of the
threads the gate stops and what that costs, and how many of the deciders are named; then that the same once more adds
nothing, that each quote is verbatim, and that nothing private is read by the public.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.backfill import Tally, ThreadSource, import_threads
from bot.batching import import_in_batches
from bot.budget import Budget
from bot.capture import masked_thread
from bot.claude import ClaudeBatches, ClaudeClient, ClaudeExtractor
from bot.claude.window import numbered
from store import EVERYTHING, PUBLIC, Decision, Memory, Place, Thread, keeps, sentence_spans, stems, verify_quote
from tests.benchmarks.sources import FOLDERS, NOW, opened, place_in_truth, truth
from tests.builders_claude import proposed
from tests.fakes.claude_script import Drafts, extraction_script
from tests.fakes.claude_server import ClaudeServer

Truth = Mapping[str, Any]
At = tuple[str, str]
"""A place as the truth has it: source, and anchor (of a file its name alone)."""
BAR = 0.95
MODEL = "claude-haiku-5-5"
_PEOPLE = ("user_id", "name", "github", "jira_account_id", "pagerduty_id", "email", "display_name")


# --- what Claude is scripted with ---


def drafts_of(thread: Thread, decisions: Sequence[Truth]) -> Drafts:
    """Return the truth about a thread as Claude would have to word it."""
    return [_draft(thread, decision) for decision in decisions]


def _draft(thread: Thread, truth: Truth) -> dict[str, Any]:
    turn = next((at for at, one in enumerate(thread.turns, start=1) if verify_quote(truth["quote"], one.text)), 1)
    decided = truth.get("decided_by_ids", truth["decided_by_user_ids"])
    deciders = {id_: at for at, one in enumerate(thread.turns, start=1) for id_ in (one.author_id, one.author)}
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
        decided_by=sorted({at for user, at in deciders.items() if user in decided}),
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


def truths_by_place(company: Path) -> dict[At, list[Truth]]:
    """Return the decisions by each place that states them, with the quote from there and all ids of their deciders."""
    ids = {each["user_id"]: {each[name] for name in _PEOPLE if each.get(name)} for each in _people(company)}
    found: dict[At, list[Truth]] = defaultdict(list)
    for decision in truth(company, "decisions.jsonl"):
        deciders = {id_ for user in decision["decided_by_user_ids"] for id_ in ids.get(user, {user})}
        for entry in (decision, *decision["also_in"]):
            here = {**decision, "quote": entry["quote"], "decided_by_ids": deciders}
            found[place_in_truth(entry)].append(here)
    return found


def _people(company: Path) -> list[Mapping[str, Any]]:
    people: list[Mapping[str, Any]] = json.loads((company / "truth" / "people.json").read_text(encoding="utf-8"))
    return people


def place_of(place: Place) -> At:
    """Return a place as the truth has it."""
    anchor = place.permalink.partition("#")[0] if place.source == "claude-code" else place.anchor
    return place.source, anchor if place.source == "github" else anchor.rpartition("/")[2]


# --- what came of it ---


@dataclass(slots=True, kw_only=True)
class Row:
    """What became of one source; `wanted` are the truth's entries that are there."""

    source: str
    threads: int
    stopped: int
    wanted: int
    landed: int = 0
    cut: int = 0
    """Quotes that are in no turn as Claude is shown it."""
    lost_to_gate: int = 0
    by_form: int = 0
    """Landed from what a document states by its form; Claude wasn't asked."""
    deciders: int = 0
    named: int = 0
    missing: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Share of the truth's entries that landed with their quotes."""
        return self.landed / self.wanted if self.wanted else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one run shows; `again` is what the same once more added, `untrue` quotes that are in no turn."""

    rows: tuple[Row, ...]
    tally: Tally
    again: Tally
    untrue: int
    leaked: int
    private: int
    calls: int
    seconds: float

    @property
    def recall(self) -> float:
        """Recall over all sources."""
        return sum(row.landed for row in self.rows) / sum(row.wanted for row in self.rows)

    @property
    def is_sound(self) -> bool:
        """Whether nothing came twice, was made up or leaked."""
        return not (self.again.decisions or self.again.model_calls or self.untrue or self.leaked)


@contextmanager
def _memory() -> Iterator[Memory]:
    with tempfile.TemporaryDirectory() as home:
        memory = Memory.open(Path(home), clock=lambda: NOW, index="off")
        try:
            yield memory
        finally:
            memory.close()


def measure(company: Path, *, batch: bool, sources: Sequence[str] = tuple(FOLDERS)) -> Outcome:
    """Import the sources twice and hold what landed against the truth."""
    truths = truths_by_place(company)
    with ExitStack() as stack:
        documents = {name: stack.enter_context(opened(company, name)) for name in sources}
        threads = {name: list(each.threads()) for name, each in documents.items()}
        script = extraction_script(
            [one for each in threads.values() for one in each],
            lambda thread: drafts_of(thread, truths.get(place_of(thread.place), ())),
        )
        claude = stack.enter_context(ClaudeServer(script))
        claude.batches.looks = 0
        memory = stack.enter_context(_memory())
        client = ClaudeClient(api_key=claude.api_key, base_url=claude.base_url, model=MODEL)
        stack.callback(client.close)
        run = _batched(memory, client) if batch else _singly(memory, client)
        began = time.process_time()
        tally = _summed([run(each) for each in documents.values()])
        seconds = time.process_time() - began
        everywhere = {thread.place for each in threads.values() for thread in each}
        decisions = _at(memory, everywhere)
        again = _summed([run(each) for each in documents.values()])
        private = [one for one in decisions if not one.scope.open]
        public = {one.id for one in memory.decisions(PUBLIC)}
        return Outcome(
            rows=tuple(_row(name, documents[name], threads[name], decisions, truths) for name in sources),
            tally=tally,
            again=again,
            untrue=_untrue(decisions, [one for each in threads.values() for one in each]),
            leaked=sum(one.id in public for one in private),
            private=len(private),
            calls=len(claude.received) + claude.batches.asked,
            seconds=seconds,
        )


def _at(memory: Memory, places: Collection[Place]) -> list[Decision]:
    """Return what is recorded at these places; what two scopes hold as one decision stands here in both."""
    found = {one.id: one for at in places for one in memory.at_place(at.source, at.anchor, EVERYTHING)}
    return sorted(found.values(), key=lambda one: one.id)


def _singly(memory: Memory, client: ClaudeClient) -> Callable[[ThreadSource], Tally]:
    return lambda source: import_threads(memory, ClaudeExtractor(client), source, pause=time.sleep)


def _batched(memory: Memory, client: ClaudeClient) -> Callable[[ThreadSource], Tally]:
    def run(source: ThreadSource) -> Tally:
        clock = _now
        budget = Budget(memory.spending, limit=10**9, clock=clock)
        return import_in_batches(memory, ClaudeBatches(client), source, budget=budget, clock=clock, pause=time.sleep)

    return run


def _now() -> datetime:
    return datetime.now(UTC)


def _summed(tallies: Sequence[Tally]) -> Tally:
    whole = Tally()
    for one in tallies:
        for name in ("threads", "gated_out", "decisions", "duplicates", "refused_quotes", "already_known", "left"):
            setattr(whole, name, getattr(whole, name) + getattr(one, name))
        whole.model_calls += one.model_calls
        whole.input_tokens += one.input_tokens
        whole.problems += one.problems
    return whole


def _row(
    name: str,
    source: ThreadSource,
    threads: Sequence[Thread],
    decisions: Sequence[Decision],
    truths: Mapping[At, list[Truth]],
) -> Row:
    """Say which of a source's entries landed: a decision that rests on the entry's quote, under the truth's title."""
    by_place = {place_of(thread.place): thread for thread in threads}
    stated = {at for at, thread in by_place.items() if source.stated(thread) is not None}
    stopped = {
        at for at, one in by_place.items() if at not in stated and not keeps(masked_thread(one), source.vocabulary)
    }
    entries = [(at, one) for at, several in truths.items() if at[0] == name for one in several]
    row = Row(source=name, threads=len(threads), stopped=len(stopped), wanted=len(entries))
    for at, one in entries:
        landed = _landed(one, decisions, by_form=at in stated)
        row.landed += landed is not None
        row.by_form += landed is not None and at in stated
        row.lost_to_gate += at in stopped
        cut = at in by_place and not verify_quote(one["quote"], numbered(masked_thread(by_place[at])))
        row.cut += cut
        if landed is None:
            why = "stopped by the gate" if at in stopped else "its quote isn't shown" if cut else "lost"
            row.missing.append(f"{at[1]}: {one['title']} ({why if at in by_place else 'no such thread'})")
        elif at in by_place:
            spoke = {(each.author, each.author_id) for each in by_place[at].turns}
            deciders = {each for each in spoke if one["decided_by_ids"].intersection(each)}
            row.deciders += len(deciders)
            row.named += len(deciders & {(each.name, each.id) for each in landed.decided_by})
    return row


def _landed(truth: Truth, decisions: Sequence[Decision], *, by_form: bool) -> Decision | None:
    """Return the decision that rests on an entry's quote; what a form states has words of its own for a title."""
    return next(
        (
            one
            for one in decisions
            if (by_form or one.title == truth["title"])
            and any(verify_quote(truth["quote"], held.quote) for held in one.evidence)
        ),
        None,
    )


def _untrue(decisions: Sequence[Decision], threads: Sequence[Thread]) -> int:
    """Count the quotes that no turn has, character by character."""
    said: dict[str, str] = {turn.turn_id: turn.text for thread in threads for turn in masked_thread(thread).turns}
    held = [quote for one in decisions for quote in one.evidence]
    return sum(quote.quote not in said.get(quote.turn_id, "") for quote in held)


def main(company: Path, *, batch: bool, verbose: bool) -> int:
    """Print the table; 1 below the bar, or where something came twice, was made up or leaked."""
    outcome = measure(company, batch=batch)
    print("source       threads stopped  recall         by form  lost to the gate  not shown  deciders named")
    for row in outcome.rows:
        print(
            f"{row.source:12} {row.threads:7} {row.stopped / row.threads:7.0%} {row.recall:7.3f} of {row.wanted:3}"
            f" {row.by_form:8} {row.lost_to_gate:17} {row.cut:10} {row.named:8} of {row.deciders}"
        )
        if verbose:
            print("".join(f"  ?? {one}\n" for one in row.missing), end="")
    stopped, threads = sum(row.stopped for row in outcome.rows), sum(row.threads for row in outcome.rows)
    wanted, lost = sum(row.wanted for row in outcome.rows), sum(row.lost_to_gate for row in outcome.rows)
    print(
        f"all: recall {outcome.recall:.3f} of {wanted} places; the gate keeps the model from {stopped / threads:.0%} of"
        f" {threads} threads and costs {lost / wanted:.3f} of recall"
    )
    print(
        f"{outcome.calls} model calls, {outcome.tally.refused_quotes} refused, {outcome.untrue} quotes not verbatim,"
        f" {outcome.leaked} of {outcome.private} private decisions leaked; again: {outcome.again.decisions} decisions,"
        f" {outcome.again.model_calls} calls; {outcome.seconds:.1f} s of CPU"
    )
    print("".join(f"{problem}\n" for problem in outcome.tally.problems), end="")
    return 0 if outcome.recall >= BAR and outcome.is_sound else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("company", type=Path, help="the folder with slack_export/, jira/ … and truth/")
    parser.add_argument("--batch", action="store_true", help="let Claude read in batches")
    parser.add_argument("--verbose", action="store_true", help="name what is missing")
    given = parser.parse_args()
    raise SystemExit(main(given.company, batch=given.batch, verbose=given.verbose))
