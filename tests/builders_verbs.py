"""Threads, records and scripted ports for the tests of the verbs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from bot.errors import BackstoryError
from bot.ports import Claim, ClaimKind, Evidence, Extraction, Synthesis, Usage
from store import (
    WORKSPACE,
    Admission,
    Draft,
    Memory,
    Person,
    Place,
    Quote,
    Scope,
    Thread,
    Turn,
    TurnId,
    Verdict,
    Vocabulary,
)

START = datetime(2026, 3, 4, 10, tzinfo=UTC)
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
SEARCH = Scope(id="channel:C1", open=True)
EXEC = Scope(id="channel:G1", open=False)


def thread(*texts: str, basis: str = "1", root: str = "1.000001", scope: Scope = SEARCH) -> Thread:
    """Return a thread of two people who take turns."""
    channel = scope.id.removeprefix("channel:")
    turns = tuple(
        Turn(
            turn_id=TurnId(f"{channel}/{root}-{number}"),
            thread_id=f"{channel}/{root}",
            author=("Lena", "Omar")[number % 2],
            author_id=("U1", "U2")[number % 2],
            occurred_at=START + timedelta(minutes=number),
            text=text,
        )
        for number, text in enumerate(texts)
    )
    return Thread(place=Place(source="slack", anchor=f"{channel}/{root}"), scope=scope, turns=turns, basis=basis)


def quoting(of: Thread, index: int, title: str, **more: object) -> Draft:
    """Return a draft that rests on one whole turn of a thread."""
    turn = of.turns[index]
    quote = Quote(
        quote=turn.text, author=turn.author, author_id=turn.author_id, at=turn.occurred_at, turn_id=turn.turn_id
    )
    by = (Person(name=turn.author, id=turn.author_id),)
    return Draft(title=title, evidence=(quote,), decided_by=by, **more)  # type: ignore[arg-type]


class ScriptedExtractor:
    """Gives the drafts it was given, or fails; counts how often it was asked."""

    name = "scripted/extract-1"

    def __init__(self, *drafts: Draft, failure: BackstoryError | None = None, failures: int = 10**6) -> None:
        self.drafts = drafts
        self.failure = failure
        self.failures = failures
        self.seen: list[Thread] = []

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Return the script."""
        self.seen.append(thread)
        if self.failure is not None and len(self.seen) <= self.failures:
            raise self.failure
        return Extraction(
            drafts=self.drafts, usage=Usage(calls=1, input_tokens=10, output_tokens=5), provenance=self.name
        )


class ScriptedSynthesiser:
    """Gives claims, or fails."""

    name = "scripted/synthesise-1"

    def __init__(self, *claims: Claim, failure: BackstoryError | None = None) -> None:
        self.claims = claims
        self.failure = failure
        self.asked = 0

    def synthesise(
        self, question: str, evidence: tuple[Evidence, ...], *, contested: bool, deadline_s: float
    ) -> Synthesis:
        """Return the script."""
        self.asked += 1
        if self.failure is not None:
            raise self.failure
        return Synthesis(claims=self.claims, usage=Usage(calls=1), provenance=self.name)


class Quoting:
    """Words an answer without a model: the first line's title and quote."""

    name = "quoting"

    def synthesise(
        self, question: str, evidence: tuple[Evidence, ...], *, contested: bool, deadline_s: float
    ) -> Synthesis:
        """Return the first decision, quoted."""
        first = evidence[0]
        return Synthesis(
            claims=(
                Claim(kind=ClaimKind.HEADLINE, text=first.decision.title, citations=(first.n,)),
                Claim(kind=ClaimKind.WHY, text=f'"{first.quote}"', citations=(first.n,)),
            )
        )


def record(
    memory: Memory,
    title: str,
    *,
    ref: str = "",
    source: str = "record",
    rationale: str = "",
    scope: Scope = WORKSPACE,
    day: date = date(2026, 3, 4),
    by: Sequence[Person] = (),
    confidence: int = 100,
    captured: bool = False,
    outcome: Verdict | None = None,
    sets: tuple[tuple[str, str, str], ...] = (),
) -> str:
    """Put one decision into the memory and return its id."""
    draft = Draft(
        title=title,
        rationale=rationale,
        decided_on=day,
        decided_by=tuple(by),
        confidence=confidence,
        outcome=outcome,
        sets=sets,
        elements=tuple({element for element, _, _ in sets}),
    )
    anchor = ref or title
    admitted = memory.admit(
        Admission(
            place=Place(source=source, anchor=anchor, ref=ref),
            basis="1",
            scope=scope,
            drafts=(draft,),
            provenance="file",
            recorded_from="capture" if captured else "ingest",
        )
    )
    return str((*admitted.new, *admitted.revised, *admitted.unchanged)[0])
