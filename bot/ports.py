"""What the bot asks of a model, with a key or without: two ports and the values they exchange.

`bot/claude` and `bot/offline` implement both. Whatever they return is a proposal: quotes are
checked against their turns and citations against the evidence before anything is kept or shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Literal, Protocol

from store import Decision, DecisionId, Draft, Reader, SessionId, Thread, Verdict, Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a port's work cost: requests sent and tokens billed, all zero without a model."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return what both cost together."""
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A proposed claim that was dropped, and the rule that it broke."""

    what: str
    rule: str


class ByRules(StrEnum):
    """Why rules did what a model is there for."""

    BUDGET = "budget"
    """The month's tokens are used, or the model's account is empty."""
    UNABLE = "unable"
    """It refused, or its answer was cut short or had no sense."""
    AWAY = "away"
    """It was away, slow or busy for longer than the work could wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What one thread yielded: verified drafts, what was refused, and what it cost."""

    drafts: tuple[Draft, ...]
    refused: tuple[Refused, ...] = ()
    usage: Usage = field(default_factory=Usage)
    provenance: str = ""
    by_rules: ByRules | None = None
    """Why rules read the thread where a model should have; None where nothing stood in its way."""


class Extractor(Protocol):
    """Turns one thread into drafts."""

    name: str
    """What stands in a decision's provenance: `claude-haiku-5-5/extract-2` or `rules-1`."""

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Return verified drafts; none where nothing was decided.

        Args:
            thread: masked of secrets already; its text is data, never instructions.
            vocabulary: the source's own words.
            pointed: somebody pointed at this thread, so at least one draft is expected.
            deadline_s: seconds until the caller gives up.

        Raises:
            Transient: the model is away; try again later.
            Permanent: this thread can't be worked off.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRequest:
    """What a batch asks about one thread; `body` is for the model's room alone."""

    custom_id: str
    """A digest of the thread's place, basis and the words shown: another version of the text has another one."""
    most_tokens: int
    size_bytes: int
    body: object


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """How far a batch is; the model counts results only once all of it has ended."""

    given_id: str
    made_at: datetime
    ended: bool
    processing: int
    succeeded: int
    errored: int
    canceled: int
    expired: int

    @property
    def size(self) -> int:
        """How many requests it holds."""
        return self.processing + self.succeeded + self.errored + self.canceled + self.expired


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """What came of one request; only what succeeded was billed. `message` is for the model's room alone."""

    custom_id: str
    kind: Literal["succeeded", "errored", "canceled", "expired"]
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    """What kind of error, in the model's own word: `invalid_request_error`."""
    message: object = None


class BatchReader(Protocol):
    """Reads many threads at half the price, within a day: the extractor's very requests, put together in batches."""

    name: str
    most_requests: int
    most_bytes: int

    def request(self, thread: Thread, vocabulary: Vocabulary) -> BatchRequest:
        """Return what is asked about a masked thread that holds some text."""
        ...

    def send(self, requests: Sequence[BatchRequest]) -> str:
        """Send one batch within the limits; returns the model's id of it.

        Raises:
            MaybeSent: no answer came; it may have been taken.
            ModelAway: it was not taken; try again later.
            Permanent: it was refused.
        """
        ...

    def state(self, given_id: str) -> BatchState:
        """Look how far a batch is.

        Raises:
            NoSuchBatch: the model knows none of that id.
            ModelAway: try again later.
        """
        ...

    def made_since(self, at: datetime) -> Iterator[BatchState]:
        """Yield the account's batches made since a time, newest first; raises as `state` does."""
        ...

    def results(self, given_id: str) -> Iterator[BatchResult]:
        """Yield what came of each request of a batch that ended, in any order; raises as `state` does."""
        ...

    def extraction(self, result: BatchResult, thread: Thread) -> Extraction:
        """Return verified drafts from a result that succeeded, of the masked thread that its request showed.

        Raises:
            Permanent: Claude refused, or its answer was cut short or not of the shape asked for.
        """
        ...

    def cancel(self, given_id: str) -> None:
        """Ask that a batch ends early; raises as `state` does. Twice is once."""
        ...

    def delete(self, given_id: str) -> None:
        """Delete a batch that ended with all that it holds; raises as `state` does."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One numbered line that an answer may cite: a verbatim quote of one decision's place."""

    n: int
    decision: Decision
    quote: str
    author: str = ""
    at: date | None = None
    permalink: str = ""
    label: str = ""
    """What people call the place: `#search`, `PR 88`."""
    same_as: str = ""
    """The decision of the line before, by id, where this is the same one as another place states it."""
    score: float = 0.0
    cautionary: bool = False
    unsure: bool = False
    """Whether so little of the question fits its decision that an answer from it may miss what was meant."""
    reasons: tuple[str, ...] = ()


def by_decision(evidence: Sequence[Evidence]) -> tuple[tuple[Evidence, ...], ...]:
    """Return the lines of each decision in order, those of other places that state the same one among them."""
    grouped: dict[str, list[Evidence]] = {}
    for line in evidence:
        grouped.setdefault(line.same_as or line.decision.id, []).append(line)
    return tuple(map(tuple, grouped.values()))


class ClaimKind(StrEnum):
    """Which line of an answer a claim stands on."""

    HEADLINE = "headline"
    WHY = "why"
    INSTEAD_OF = "instead_of"
    SINCE = "since"
    TRIED_BEFORE = "tried_before"
    SIDE = "side"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence of an answer with the numbers of the evidence that it rests on (never none)."""

    kind: ClaimKind
    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """A next step, citing evidence; `action_type` is one of follow, settle, avoid, ask, review."""

    title: str
    action: str
    description: str
    action_type: str
    citations: tuple[int, ...]
    risk: str = "low"
    precedent_warnings: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis:
    """An answer in words: the headline claim first, then the others in reading order."""

    claims: tuple[Claim, ...]
    recommendations: tuple[Recommendation, ...] = ()
    refused: tuple[Refused, ...] = ()
    usage: Usage = field(default_factory=Usage)
    provenance: str = ""
    search_words: tuple[str, ...] = ()
    """English words to look for where a question in another language found no answer in its own."""


class Synthesiser(Protocol):
    """Turns numbered evidence into a short cited answer."""

    name: str

    def synthesise(
        self, question: str, evidence: tuple[Evidence, ...], *, contested: bool, deadline_s: float
    ) -> Synthesis:
        """Return claims that each cite evidence; no claims means that the evidence has no answer.

        Raises:
            Transient: the model is away, slow or overloaded.
            Permanent: it refused, or its answer was cut short.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What somebody gets for a question, before it is laid out for a screen.

    `shape` is "sure", "contested" or "nothing". `main` is the decision that votes count for.
    `notices` are one-line words on what is degraded ("Claude didn't answer in time: ...").
    """

    session: SessionId
    question: str
    reader: Reader
    shape: str
    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...]
    nearest: tuple[Evidence, ...] = ()
    unconfirmed: tuple[Evidence, ...] = ()
    recommendations: tuple[Recommendation, ...] = ()
    main: DecisionId | None = None
    main_outcome: Verdict | None = None
    said_by: Mapping[Verdict, tuple[str, ...]] = field(default_factory=dict)
    """Who says that the main decision worked or failed, by name: deciders first, then as they said so."""
    who_might_know: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    worded_by: str = ""
    """"Claude" or "" (quoted by rules)."""
    ms: dict[str, float] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
