"""From one thread to drafts by Claude: what it proposes counts only as far as the thread's own words bear it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.budget import Purpose
from bot.claude.client import Ask, ClaudeClient
from bot.claude.prompting import fenced, one_line, prompt
from bot.claude.window import numbered
from bot.ports import Extraction, Refused, Usage
from bot.sources.fields import element_of
from store import Alternative, Draft, Person, Quote, Status, Thread, Turn, Vocabulary, verify_draft, verify_quote

PROMPT = "extract-2"

_MAX_TOKENS = 16_000
"""Some thirty decisions, and what the model thinks before it writes, which counts too."""
_MAX_QUOTES = 8
_MAX_TAGS = 12
_MAX_TITLE = 300
_REF = re.compile(r"https?://\S+|[A-Z][A-Z0-9]+-\d+|[\w.-]+/[\w.-]+#\d+|(?i:adr|rfc|pep|kep)[ :_-]?\d+")
_POINTED = (
    "Somebody marked this conversation as one that holds a decision. Return at least the statement that comes "
    "nearest to one, with your honest confidence, even below 50."
)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Said(_Strict):
    """Words of one turn."""

    turn: int = Field(description="the turn's number")
    quote: str = Field(description="copied from that turn character by character")


class Option(Said):
    """An option that lost."""

    option: str
    why_it_lost: str


class Point(Said):
    """A trade-off or an edge case."""

    text: str


class Element(_Strict):
    """What a decision is about."""

    kind: Literal[
        "service", "component", "database", "library", "vendor", "team", "process", "policy", "document", "customer"
    ]
    name: str


class Proposed(_Strict):
    """One decision as Claude proposes it."""

    quotes: list[Said] = Field(description="the settling words first")
    title: str
    reasoning: str
    alternatives: list[Option]
    trade_offs: list[Point]
    edge_cases: list[Point]
    decided_by: list[int] = Field(description="turn numbers")
    elements: list[Element]
    tags: list[str]
    english_title: str
    search_words: list[str]
    status: Literal["accepted", "rejected", "proposed", "withdrawn"]
    revisit_when: str
    replaces: list[str]
    confidence: int = Field(description="0 to 100")


class Decisions(_Strict):
    """Everything that one conversation decided; usually nothing."""

    decisions: list[Proposed]


class ClaudeExtractor:
    """The extractor port by Claude."""

    def __init__(self, client: ClaudeClient) -> None:
        """Use the client's model."""
        self._client = client
        self.name = f"{client.model}/{PROMPT}"

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Return verified drafts; none where nothing was decided. See `bot.ports.Extractor`."""
        if not any(turn.text.strip() for turn in thread.turns):
            return Extraction(drafts=(), provenance=self.name)
        ask = ask_of(thread, vocabulary, pointed=pointed)
        answer, usage = self._client.ask(Decisions, ask, deadline_s=deadline_s)
        return checked(answer, thread, usage=usage, provenance=self.name)


def ask_of(thread: Thread, vocabulary: Vocabulary, *, pointed: bool) -> Ask:
    """Return what Claude is asked about a thread, alone or in a batch: one call, however long the thread is.

    A longer one than `bot.claude.window` takes is shown by its beginning and its end.
    """
    return Ask(
        system=(prompt(PROMPT), _vocabulary(vocabulary)),
        user=_asked(thread, pointed=pointed),
        max_tokens=_MAX_TOKENS,
        effort="medium",
        purpose=Purpose.CAPTURE,
    )


def checked(answer: Decisions, thread: Thread, *, usage: Usage, provenance: str) -> Extraction:
    """Return of Claude's answer what the thread's own words bear."""
    drafts: list[Draft] = []
    refused: list[Refused] = []
    for proposed in answer.decisions:
        kept, broken = verify_draft(_draft(proposed, thread, refused), thread)
        refused.extend(Refused(what=one.what, rule=one.rule) for one in broken)
        if kept is not None:
            drafts.append(replace(kept, evidence=kept.evidence[:_MAX_QUOTES]))
    return Extraction(drafts=tuple(drafts), refused=tuple(refused), usage=usage, provenance=provenance)


def _vocabulary(vocabulary: Vocabulary) -> str:
    """Return the one section that differs between sources."""
    lines = ["# How people say it in this source", "", "Hints, neither necessary nor enough:"]
    for meaning, words in (
        ("decided", vocabulary.decided),
        ("replaced", vocabulary.superseded),
        ("turned down", vocabulary.rejected),
    ):
        if words:
            lines.append(f"- {meaning}: " + ", ".join(f'"{one_line(word)}"' for word in words))
    return "\n".join(lines)


def shown(thread: Thread) -> str:
    """Return the thread as Claude sees it, without the lines around it."""
    place = f"Place: {one_line(thread.label)}\n" if thread.label else ""
    return place + numbered(thread)


def _asked(thread: Thread, *, pointed: bool) -> str:
    parts = [fenced("conversation", shown(thread)), "Write down the decisions that were made in it."]
    return "\n\n".join([*parts, _POINTED] if pointed else parts)


def _draft(proposed: Proposed, thread: Thread, refused: list[Refused]) -> Draft:
    """Return the proposal as a draft; options and points without words of the thread go here already."""
    options = [option for option in proposed.alternatives if _is_said(option, option.option, thread, refused)]
    gives_up = [point for point in proposed.trade_offs if _is_said(point, point.text, thread, refused)]
    special = [point for point in proposed.edge_cases if _is_said(point, point.text, thread, refused)]
    quotes = tuple(_quote(said, thread) for said in (*proposed.quotes, *options, *gives_up, *special))
    settling = _turn(proposed.quotes[0].turn, thread) if proposed.quotes else None
    return Draft(
        title=one_line(proposed.title)[:_MAX_TITLE],
        rationale=one_line(proposed.reasoning),
        status=Status(proposed.status),
        decided_on=settling.occurred_at.date() if settling else None,
        decided_by=_people(proposed.decided_by, thread),
        elements=_elements(proposed.elements, thread),
        alternatives=tuple(
            Alternative(option=one_line(option.option), reason=_why_it_lost(option, thread)) for option in options
        ),
        trade_offs=tuple(one_line(point.text) for point in gives_up),
        edge_cases=tuple(one_line(point.text) for point in special),
        tags=_tags([proposed.english_title, *proposed.tags, *proposed.search_words]),
        confidence=max(0, min(100, proposed.confidence)),
        revisit_when=one_line(proposed.revisit_when),
        evidence=quotes,
        supersedes=tuple(dict.fromkeys(ref for text in proposed.replaces for ref in _REF.findall(text))),
    )


def _why_it_lost(option: Option, thread: Thread) -> str:
    """Return why an option lost in somebody's very words: as told, else as quoted; "" where no reason was told."""
    told = (one_line(option.why_it_lost), option.quote) if option.why_it_lost.strip() else ()
    spans = (verify_quote(words, turn.text) for words in told for turn in thread.turns)
    return one_line(next((span for span in spans if span is not None), ""))


def _is_said(said: Said, what: str, thread: Thread, refused: list[Refused]) -> bool:
    if any(verify_quote(said.quote, turn.text) for turn in thread.turns):
        return True
    refused.append(Refused(what=what, rule="its quote is not in the thread"))
    return False


def _turn(number: int, thread: Thread) -> Turn | None:
    return thread.turns[number - 1] if 1 <= number <= len(thread.turns) else None


def _quote(said: Said, thread: Thread) -> Quote:
    turn = _turn(said.turn, thread)
    return Quote(quote=said.quote, turn_id=turn.turn_id if turn else "")


def _people(numbers: Sequence[int], thread: Thread) -> tuple[Person, ...]:
    turns = [turn for number in numbers if (turn := _turn(number, thread)) and not turn.is_bot]
    return tuple(dict.fromkeys(Person(name=turn.author, id=turn.author_id) for turn in turns))


def _elements(elements: Iterable[Element], thread: Thread) -> tuple[str, ...]:
    """Return `kind:name` of each element that somebody named, in lower case with hyphens, each once."""
    said = one_line(" ".join((thread.label, *(turn.text for turn in thread.turns)))).casefold().replace("-", " ")
    named: dict[str, None] = {}
    for element in elements:
        name = one_line(element.name.strip(" #`*\"'")).casefold().replace(":", " ")
        if name and name.replace("-", " ") in said:
            named |= dict.fromkeys(element_of(element.kind, name))
    return tuple(named)


def _tags(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for text in tags if (tag := one_line(text)[:100])))[:_MAX_TAGS]
