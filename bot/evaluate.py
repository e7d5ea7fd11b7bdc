"""Evaluate: how well the memory finds what questions ask for, and how well it keeps quiet.

Recall is measured on the ranking before a place is kept for a warning, whether or not the memory
would have answered; abstention is measured beside it. Nothing is written: running it again changes nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

from bot.errors import BackstoryError, UnreadableDocument, WrongInput
from bot.sources.json_text import read_json
from store import EVERYTHING, PUBLIC, Decision, Question, Ranked, Reader, Recall

KS = (1, 5, 10)
"""Depths at which recall is reported; an answer shows five, the ranking holds ten."""

GAIN_DEPTH = 5
"""Depth of nDCG: what an answer shows."""

PARTS = ("lexical", "dense", "outcomes", "heirs", "window", "warning", "floor")
"""What can be left out: a retriever, the outcomes' factors, what successors inherit, the days that a
question names, the place kept for a warning, the floor under which nothing is answered."""

_READERS = {"public": PUBLIC, "all": EVERYTHING}


class _Memory(Protocol):
    def recall(self, question: Question, reader: Reader, *, without: Collection[Any] = ()) -> Recall: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question with what it expects; names are refs, ids or (source, anchor)."""

    id: str
    question: str
    expect: tuple[object, ...]
    unanswerable: bool = False
    as_of: date | None = None
    reader: Reader = PUBLIC
    must_not_show: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    case: Case
    recall: Recall
    rank: int
    hits: tuple[int, ...]
    ms: float


def evaluate(
    memory: _Memory,
    lines: Iterable[str],
    *,
    progress: Callable[[int], None] = lambda done: None,
    readers: Callable[[str], Reader] | None = None,
    without: Collection[str] = (),
) -> dict[str, Any]:
    """Ask every question and return the document of `why eval`.

    Args:
        memory: what is asked.
        lines: JSON objects, one a line; empty lines are passed over.
        progress: told how many questions are done.
        readers: from a line's `reader` to who that is; "public" and "all" are known without it.
        without: parts of recall to leave out: what they are worth shows in the difference.

    Returns:
        The figures, `per_question` in the order of the lines, and `broken`: the number and the broken
        rule of each line that was left out. Figures over nothing are 0.

    Raises:
        WrongInput: there is no part of that name.
    """
    for part in without:
        if part not in PARTS:
            raise WrongInput(f"{part}: no part of recall; leave out {', '.join(PARTS)}")
    cases, broken = _cases(lines, readers or _known_reader)
    results = []
    for done, case in enumerate(cases, start=1):
        results.append(_ask(memory, case, without))
        progress(done)
    return {**_figures(results), "per_question": [_told(each) for each in results], "broken": broken}


# --- lines ------------------------------------------------------------------------------------


def _cases(lines: Iterable[str], readers: Callable[[str], Reader]) -> tuple[list[Case], list[dict[str, object]]]:
    cases: list[Case] = []
    broken: list[dict[str, object]] = []
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            case = case_of(line, readers)
        except UnreadableDocument as rule:
            broken.append({"line": number, "rule": str(rule)})
            continue
        if case.id in seen:
            broken.append({"line": number, "rule": f"id: {case.id!r} stands on an earlier line"})
            continue
        seen.add(case.id)
        cases.append(case)
    return cases, broken


def case_of(line: str, readers: Callable[[str], Reader]) -> Case:
    """Return the question of one line.

    Raises:
        UnreadableDocument: the line breaks a rule; the message is the rule.
    """
    given = read_json(line, exact=True)
    if not isinstance(given, dict):
        raise UnreadableDocument("not a JSON object")
    unanswerable = given.get("unanswerable") or False
    if not isinstance(unanswerable, bool):
        raise UnreadableDocument("unanswerable: neither true nor false")
    expect = _names(given, "expect", required=True)
    if unanswerable and expect:
        raise UnreadableDocument("unanswerable, yet it expects something")
    return Case(
        id=_text(given, "id"),
        question=_text(given, "question"),
        expect=expect,
        unanswerable=unanswerable or not expect,
        as_of=_day(given.get("as_of")),
        reader=_reader(given.get("reader"), readers),
        must_not_show=_names(given, "must_not_show"),
    )


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UnreadableDocument(f"{name}: missing, or not a text")
    return value


def _names(given: Mapping[str, Any], name: str, *, required: bool = False) -> tuple[object, ...]:
    value = given.get(name)
    if value is None and not required:
        return ()
    if not isinstance(value, list):
        raise UnreadableDocument(f"{name}: missing, or not a list")
    return tuple(_name(each, name) for each in value)


def _name(given: object, field_name: str) -> object:
    if isinstance(given, str) and given:
        return given
    if isinstance(given, dict) and isinstance(given.get("source"), str) and isinstance(given.get("anchor"), str):
        return (given["source"], given["anchor"])
    raise UnreadableDocument(f"{field_name}: each must be a ref, an id or an object with source and anchor")


def _day(given: object) -> date | None:
    if given is None:
        return None
    try:
        return date.fromisoformat(str(given))
    except ValueError as error:
        raise UnreadableDocument(f"as_of: {given!r} is not a date (YYYY-MM-DD)") from error


def _reader(given: object, readers: Callable[[str], Reader]) -> Reader:
    if given is None:
        return PUBLIC
    if not isinstance(given, str):
        raise UnreadableDocument("reader: not a text")
    try:
        return _READERS.get(given) or readers(given)
    except BackstoryError as error:
        raise UnreadableDocument(f"reader: {error}") from error


def _known_reader(name: str) -> Reader:
    raise UnreadableDocument(f"nobody called {name!r} is known here")


# --- asking -----------------------------------------------------------------------------------


def _ask(memory: _Memory, case: Case, without: Collection[str]) -> _Result:
    started = time.perf_counter()
    found = memory.recall(Question(text=case.question, as_of=case.as_of), case.reader, without=without)
    ms = (time.perf_counter() - started) * 1000
    hits = tuple(n for n, each in enumerate(found.order, start=1) if _is_among(each.decision, case.expect))
    return _Result(case=case, recall=found, rank=hits[0] if hits else 0, hits=hits, ms=ms)


def _is_among(decision: Decision, names: Sequence[object]) -> bool:
    places = (decision.place, *decision.places)
    mine: set[object] = {decision.id, *(place.ref for place in places)}
    mine |= {(place.source, place.anchor) for place in places}
    return not mine.isdisjoint(names)


# --- figures ----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Share:
    """How many of how many."""

    part: float = 0
    whole: float = 0

    def add(self, counts: float) -> None:
        self.part += counts
        self.whole += 1

    @property
    def value(self) -> float:
        return round(self.part / self.whole, 4) if self.whole else 0.0


@dataclass(slots=True)
class _Tally:
    recall: dict[int, _Share] = field(default_factory=lambda: {k: _Share() for k in KS})
    reciprocal: _Share = field(default_factory=_Share)
    gain: _Share = field(default_factory=_Share)
    answered: _Share = field(default_factory=_Share)
    quiet: _Share = field(default_factory=_Share)
    rightly_quiet: _Share = field(default_factory=_Share)
    cited: _Share = field(default_factory=_Share)
    leaks: int = 0


def _figures(results: Sequence[_Result]) -> dict[str, Any]:
    tally = _Tally()
    for each in results:
        _count(tally, each)
    times = sorted(each.ms for each in results)
    return {
        "questions": len(results),
        **{f"recall@{k}": tally.recall[k].value for k in KS},
        "mrr": tally.reciprocal.value,
        "ndcg@5": tally.gain.value,
        "abstention": {
            "precision": tally.rightly_quiet.value,
            "recall": tally.quiet.value,
            "answered": tally.answered.value,
        },
        "leaks": tally.leaks,
        "citation_validity": tally.cited.value,
        "p50_ms": _percentile(times, 0.50),
        "p95_ms": _percentile(times, 0.95),
    }


def _count(tally: _Tally, each: _Result) -> None:
    if each.case.unanswerable:
        tally.quiet.add(each.recall.abstained)
    else:
        for k, share in tally.recall.items():
            share.add(0 < each.rank <= k)
        tally.reciprocal.add(1 / each.rank if each.rank else 0)
        tally.gain.add(_gain(each))
        tally.answered.add(not each.recall.abstained)
    if each.recall.abstained:
        tally.rightly_quiet.add(each.case.unanswerable)
    for ranked in each.recall.ranked:
        tally.cited.add(can_be_cited(ranked.decision, each.case.reader))
    tally.leaks += sum(_is_among(ranked.decision, each.case.must_not_show) for ranked in _shown(each.recall))


def _shown(recall: Recall) -> Iterator[Ranked]:
    """Yield whatever a caller gets to see, each decision once."""
    seen = set()
    for ranked in (*recall.ranked, *recall.nearest, *recall.order):
        if ranked.decision.id not in seen:
            seen.add(ranked.decision.id)
            yield ranked


def can_be_cited(decision: Decision, reader: Reader) -> bool:
    """Say whether an answer may rest on a decision: its reader may read it, and it has words of its place."""
    words = (*(quote.quote for quote in decision.evidence), decision.text, decision.rationale, decision.title)
    return reader.may_read(decision.scope) and any(each.strip() for each in words)


def _gain(each: _Result) -> float:
    """nDCG@5 with every expected one worth the same."""
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(GAIN_DEPTH, len(each.case.expect)) + 1))
    got = sum(1 / math.log2(rank + 1) for rank in each.hits if rank <= GAIN_DEPTH)
    return min(1.0, got / ideal) if ideal else 0.0


def _percentile(times: Sequence[float], share: float) -> float:
    return round(times[min(len(times) - 1, int(len(times) * share))], 1) if times else 0.0


def _told(each: _Result) -> dict[str, Any]:
    return {
        "id": each.case.id,
        "rank": each.rank or None,
        "abstained": each.recall.abstained,
        "ids": [ranked.decision.place.ref or ranked.decision.id for ranked in each.recall.order],
    }
