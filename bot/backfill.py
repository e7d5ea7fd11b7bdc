"""Backfill: the threads of an export or an API become decisions, once, however often it is run.

What was read is known by place and basis, so a run that was killed is resumed by running it again, and the order of
the threads changes nothing. A source that is slow to ask notes itself how far it is (`worked_off`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from bot.capture import (
    BY_FORM,
    EXTRACTION_DEADLINE_S,
    Captured,
    capture_thread,
    is_known,
    is_left_out,
    masked_thread,
    without_left_out,
)
from bot.errors import BudgetUsed, Permanent, Transient
from bot.ports import Extractor, Usage
from bot.proposing import Watched
from bot.sources.document import Stated
from store import DecisionId, Person, Thread, UnknownDecision, Vocabulary, keeps

if TYPE_CHECKING:
    from store import Memory

MOST_TRIES = 4
MOST_PAUSE_S = 60.0
"""A model that is away for longer is away for this run."""
PROMPT_TOKENS, ANSWER_TOKENS, CHARS_A_TURN, CHARS_A_TOKEN = 2_900, 1_000, 24, 3.5
"""Of one extraction, as README counts it: its instructions, what comes back with what it thinks, what stands around a
turn (its number, author and time), and English prose."""
IN_A_BATCH = 0.5
"""What a token costs in a batch, of its price in a single call (Claude's price list)."""
MOST_LEFT_IN_A_ROW = 3
"""Threads left in a row after which the rest is left for the next run."""
OVER_BUDGET = (
    "the month's model budget for reading is used: the rest is left for the next month, or for a higher"
    " BACKSTORY_MONTHLY_TOKENS"
)

Progress = Callable[[int], None]
"""Called with how many threads have been looked at."""


class WorkedOff(Protocol):
    """Told of each thread in its turn."""

    def __call__(self, thread: Thread, /, *, done: bool) -> None:
        """Note that a thread was worked off, or is left for the next run."""
        ...


def not_noted(_thread: Thread, /, *, done: bool) -> None:
    """Note nothing: what was read is known by place and basis."""


class ThreadSource(Protocol):
    """Where threads come from."""

    vocabulary: Vocabulary

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield each thread once."""
        ...

    def stated(self, thread: Thread) -> Stated | None:
        """Return what a thread states by its form; None where somebody must read it."""
        ...


@dataclass(slots=True, kw_only=True)
class Tally:
    """What an import did so far; `left` threads were not worked off and wait for the next run.

    `batched` of the model's calls were read in batches, at half the price.
    `duplicates` are drafts that added no decision; `said_again` counts what stands at another place too, whether that
    is one decision or, where others may read it, one of two that are linked.
    """

    threads: int = 0
    gated_out: int = 0
    decisions: int = 0
    revised: int = 0
    duplicates: int = 0
    said_again: int = 0
    refused_quotes: int = 0
    already_known: int = 0
    forgotten: int = 0
    undecided: int = 0
    """Threads that were read and held no decision."""
    left: int = 0
    batched: int = 0
    outcomes: int = 0
    """Outcomes that are offered more than before, since a system reported something."""
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    problems: list[str] = field(default_factory=list)

    def add(self, captured: Captured) -> None:
        """Count one thread."""
        self.threads += 1
        self.gated_out += captured.gated_out
        self.already_known += captured.unchanged
        self.forgotten += captured.forgotten
        passed = captured.gated_out or captured.unchanged or captured.forgotten
        self.undecided += not (passed or captured.decisions or captured.again)
        self.decisions += len(captured.new) + len(captured.revised)
        self.revised += len(captured.revised)
        self.duplicates += captured.duplicates
        self.said_again += len(captured.again)
        self.refused_quotes += len(captured.refused)
        self.spend(captured.usage)

    def leave(self, thread: Thread, error: Exception) -> None:
        """Count a thread that could not be worked off, and say why."""
        self.leave_for_next_run()
        self.problems.append(f"{thread.label or thread.place.source} {thread.place.anchor}: {error}")

    def leave_for_next_run(self) -> None:
        """Count a thread that could not be worked off, for a reason that is said once for many."""
        self.threads += 1
        self.left += 1

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.input_tokens + self.output_tokens

    def cost(self, price: tuple[float, float], *, batched: bool | None = None) -> float:
        """Return what the model cost, in dollars, by the price of a million tokens read and written.

        Args:
            price: of single calls.
            batched: as if all of it, or none, were read in batches; None for what was.
        """
        whole = (self.input_tokens * price[0] + self.output_tokens * price[1]) / 1_000_000
        return whole * IN_A_BATCH if (self.batched > 0 if batched is None else batched) else whole

    def document(self) -> dict[str, object]:
        """Return the document of `why import`."""
        return {
            "threads": self.threads,
            "gated_out": self.gated_out,
            "decisions": self.decisions,
            "revised": self.revised,
            "duplicates": self.duplicates,
            "said_again": self.said_again,
            "refused_quotes": self.refused_quotes,
            "already_known": self.already_known,
            "undecided": self.undecided,
            "left": self.left,
            "batched": self.batched,
            "outcomes_proposed": self.outcomes,
            "model_calls": self.model_calls,
            "tokens": self.tokens,
        }

    def spend(self, usage: Usage) -> None:
        """Count what the model cost."""
        self.model_calls += usage.calls
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens


def import_threads(
    memory: Memory,
    extractor: Extractor,
    source: ThreadSource,
    *,
    pause: Callable[[float], None],
    progress: Progress = lambda count: None,
    newest_first: bool = False,
    at_once: int = 1,
    worked_off: WorkedOff = not_noted,
) -> Tally:
    """Capture every thread of a source.

    Args:
        memory: where decisions go.
        extractor: with a model or without.
        source: yields each thread once, and its vocabulary.
        pause: waits that many seconds between tries of a model that is away.
        progress: told after each thread.
        newest_first: begin with the newest threads; the outcome is the same.
        at_once: threads that are with the extractor at one time; more than 1 only helps with a model.
        worked_off: told after each thread, in the source's order.
    """
    tally, away = Tally(), 0
    watched = Watched(memory)
    replaced: dict[DecisionId, tuple[str, ...]] = {}
    work = partial(_captured, memory, extractor, source, pause)
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        for together in _so_many(source.threads(newest_first=newest_first), at_once):
            outcomes = list(pool.map(work, together) if at_once > 1 else map(work, together))
            for thread, outcome in zip(together, outcomes, strict=True):
                if isinstance(outcome, Captured):
                    tally.add(outcome)
                    watched.note(thread, outcome.decisions)
                    replaced |= replaced_by_form(source, thread, outcome)
                    away = 0 if outcome.usage.calls else away
                else:
                    tally.leave(thread, outcome)
                    away = away + 1 if isinstance(outcome, Transient) else 0
                worked_off(thread, done=isinstance(outcome, Captured))
                progress(tally.threads)
            if any(isinstance(outcome, BudgetUsed) for outcome in outcomes):
                tally.problems.append(OVER_BUDGET)
                break
            if away >= MOST_LEFT_IN_A_ROW:
                tally.problems.append("the model is away: the rest is left for the next run")
                break
    say_replaced(memory, replaced)
    tally.outcomes = watched.end()
    return tally


def replaced_by_form(source: ThreadSource, thread: Thread, captured: Captured) -> dict[DecisionId, tuple[str, ...]]:
    """Return which of a document's decisions it says were replaced, and by what."""
    said = source.stated(thread) if captured.new or captured.revised else None
    return dict.fromkeys((*captured.new, *captured.revised), said.replaced_by) if said and said.replaced_by else {}


def say_replaced(memory: Memory, replaced: Mapping[DecisionId, tuple[str, ...]]) -> None:
    """Say what older documents say of newer ones, once all are read. Idempotency key: the pair."""
    for older, refs in replaced.items():
        for ref in refs:
            with suppress(UnknownDecision):
                memory.supersede(ref, older, by=Person(name=BY_FORM))


def preview(memory: Memory, source: ThreadSource, *, progress: Progress = lambda count: None) -> Tally:
    """Count what an import would read and pass over, and what a model would use; nothing is written or asked."""
    tally = Tally()
    for thread in source.threads():
        captured = Captured(
            forgotten=memory.forgotten(thread.place) or is_left_out(memory, thread),
            unchanged=is_known(memory, thread, pointed=False),
        )
        if not captured.forgotten and not captured.unchanged:
            heard = without_left_out(memory, thread)
            captured = Captured(gated_out=heard is None or _is_passed_over(source, masked_thread(heard)))
            if heard is not None and not captured.gated_out and source.stated(heard) is None:
                captured = Captured(usage=_would_use(heard))
        tally.add(captured)
        progress(tally.threads)
    tally.undecided = 0  # nothing was read
    return tally


def _would_use(thread: Thread) -> Usage:
    """Return what reading a thread would cost with a model, by its length: within a quarter, measured on prose."""
    characters = sum(len(turn.text) + len(turn.author) + CHARS_A_TURN for turn in thread.turns)
    return Usage(calls=1, input_tokens=PROMPT_TOKENS + round(characters / CHARS_A_TOKEN), output_tokens=ANSWER_TOKENS)


def _is_passed_over(source: ThreadSource, thread: Thread) -> bool:
    return source.stated(thread) is None and not keeps(thread, source.vocabulary)


def capture_once(memory: Memory, extractor: Extractor, source: ThreadSource, thread: Thread) -> Captured:
    """Capture one thread of a source, by what it states or by the extractor; raises as `capture_thread` does."""
    return capture_thread(
        memory,
        extractor,
        thread,
        source.vocabulary,
        deadline_s=EXTRACTION_DEADLINE_S,
        states=lambda masked: (said.draft,) if (said := source.stated(masked)) else (),
    )


def _captured(
    memory: Memory, extractor: Extractor, source: ThreadSource, pause: Callable[[float], None], thread: Thread
) -> Captured | Transient | Permanent:
    """Capture one thread, patiently; return what kept it from being worked off."""
    for attempt in range(1, MOST_TRIES + 1):
        try:
            return capture_once(memory, extractor, source, thread)
        except Transient as error:
            if attempt == MOST_TRIES or isinstance(error, BudgetUsed):
                return error
            pause(min(error.retry_after_s or 2.0**attempt, MOST_PAUSE_S))
        except Permanent as error:
            return error
    raise AssertionError("the last try returns")


def _so_many(threads: Iterable[Thread], number: int) -> Iterator[list[Thread]]:
    """Yield threads, so many at a time."""
    rest = iter(threads)
    while together := list(islice(rest, number)):
        yield together
