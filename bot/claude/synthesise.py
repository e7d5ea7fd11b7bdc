"""From numbered evidence to a short cited answer by Claude; each claim stands only on what it was shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.budget import Purpose
from bot.claude.client import Ask, ClaudeClient
from bot.claude.prompting import fenced, one_line, prompt
from bot.errors import Permanent
from bot.ports import Claim, ClaimKind, Evidence, Recommendation, Refused, Synthesis, by_decision
from store import Decision, State, Status, Verdict, asks_in_english, broken_rule, verify_claims

PROMPT = "synthesise-2"

_MAX_TOKENS = 4_000
"""An answer takes some 400; the rest is for what the model thinks before it writes, which counts too."""
_MAX_WORDS = 80
"""On the surface of an answer, all claims together."""
_WIDE = "\u2e80"
_MAX_RECOMMENDATIONS = 3
_ADVICE_SUPPORT = 0.05
"""Share of a recommendation's words that its evidence must hold, some: "settle" and "ask" are advice, not claims."""
_MAX_SEARCH_WORDS = 8
_MAX_SEARCH_WORD = 60
"""Characters of one."""
_MAX_QUESTION = 2_000
"""Characters of a question; what lies behind is seldom one."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Sentence(_Strict):
    """One claim."""

    kind: Literal["headline", "why", "instead_of", "since", "tried_before", "side", "note"]
    text: str
    citations: list[int] = Field(description="numbers of the evidence that it rests on")


class Step(_Strict):
    """One recommendation."""

    title: str
    action: str
    description: str
    action_type: Literal["follow", "settle", "avoid", "ask", "review"]
    citations: list[int]


class Worded(_Strict):
    """An answer, or that there is none."""

    answered: bool = Field(description="whether the evidence answers the question")
    claims: list[Sentence]
    recommendations: list[Step]
    search_words: list[str] = Field(
        default_factory=list, description="English words to look for, for a question in another language"
    )


class ClaudeSynthesiser:
    """The synthesiser port by Claude."""

    def __init__(self, client: ClaudeClient) -> None:
        """Use the client's model."""
        self._client = client
        self.name = f"{client.model}/{PROMPT}"

    def synthesise(
        self, question: str, evidence: tuple[Evidence, ...], *, contested: bool, deadline_s: float
    ) -> Synthesis:
        """Return cited claims, the headline first, at most 80 words; see `bot.ports.Synthesiser`.

        Without evidence Claude is asked only for the English search words of a question in another language.
        """
        if not evidence and asks_in_english(question):
            return Synthesis(claims=(), provenance=self.name)
        shown = _shown(evidence)
        ask = Ask(
            system=(prompt(PROMPT),),
            user=_asked(question, shown, contested=contested),
            max_tokens=_MAX_TOKENS,
            effort="low",
            purpose=Purpose.ANSWER,
        )
        answer, usage = self._client.ask(Worded, ask, deadline_s=deadline_s)
        if not answer.answered:
            return Synthesis(
                claims=(), usage=usage, provenance=self.name, search_words=_search_words(answer.search_words, question)
            )
        texts = {line.n: text for text, lines in shown for line in lines}
        claims, broken = verify_claims(_claims(answer.claims), texts, question=question)
        refused = tuple(Refused(what=one.what, rule=one.rule) for one in broken)
        if not claims or claims[0].kind is not ClaimKind.HEADLINE:
            raise Permanent("the evidence doesn't bear the headline that Claude wrote")
        steps, unborne = _steps(answer.recommendations, texts, question)
        return Synthesis(
            claims=_short(claims),
            recommendations=steps,
            refused=(*refused, *unborne),
            usage=usage,
            provenance=self.name,
        )


_NO_EVIDENCE = "(no evidence was found in the question's own words)"


def _asked(question: str, shown: Iterable[tuple[str, Sequence[Evidence]]], *, contested: bool) -> str:
    head = f"Question: {one_line(question)[:_MAX_QUESTION]}"
    data = "\n\n".join([head, *([text for text, _ in shown] or [_NO_EVIDENCE])])
    parts = [fenced("question and evidence", data)]
    if contested:
        parts.append("The matter is contested: these decisions stand side by side and can't both hold. Give each side.")
    return "\n\n".join([*parts, "Answer the question from the evidence, or say that it has no answer."])


def _shown(evidence: Sequence[Evidence]) -> list[tuple[str, tuple[Evidence, ...]]]:
    """Return each decision with its numbered quotes as the model reads it, and those lines."""
    return [(_block(lines), lines) for lines in by_decision(evidence)]


def _block(lines: Sequence[Evidence]) -> str:
    decision = lines[0].decision
    facts = [
        f"Decision ({_standing(decision)}): {one_line(decision.title)}",
        _fact("decided", _who_and_when(decision)),
        _fact("why", decision.rationale),
        _fact("instead of", "; ".join(_because(option.option, option.reason) for option in decision.alternatives)),
        _fact("knowingly given up", "; ".join(decision.trade_offs)),
        _fact("special cases", "; ".join(decision.edge_cases)),
        _fact("look again", decision.revisit_when),
        _fact("about", ", ".join(decision.elements)),
        _fact("what came of it", _outcome(decision)),
    ]
    quotes = [
        f"[{line.n}] {', '.join(filter(None, (one_line(line.author), _day(line.at), one_line(line.label))))}: "
        f'"{one_line(line.quote)}"'
        for line in lines
    ]
    return "\n".join([fact for fact in facts if fact] + quotes)


def _fact(name: str, value: str) -> str:
    return f"  {name}: {one_line(value)}" if value.strip() else ""


def _because(option: str, reason: str) -> str:
    return f"{option} ({reason})" if reason else option


def _standing(decision: Decision) -> str:
    if decision.state is not State.CURRENT:
        return "not in force, replaced"
    named = {Status.REJECTED: "turned down", Status.WITHDRAWN: "withdrawn", Status.PROPOSED: "proposed, not settled"}
    standing = named.get(decision.status, "in force")
    return f"tried, failed, {standing}" if decision.voices.label is Verdict.FAILED else standing


def _who_and_when(decision: Decision) -> str:
    people = ", ".join(person.name for person in decision.decided_by)
    return " by ".join(filter(None, (_day(decision.decided_on), people)))


def _outcome(decision: Decision) -> str:
    voices = decision.voices
    if voices.label is not None:
        voted = voices.worked if voices.label is Verdict.WORKED else voices.failed
        return f"{voices.label.value}, {voted} say so"
    failed = voices.failed + voices.pending_failed
    return f"{failed} say it didn't work, not confirmed" if failed else "not known"


def _day(day: date | None) -> str:
    return f"{day.day} {day:%B %Y}" if day else ""


def _claims(sentences: Iterable[Sentence]) -> list[Claim]:
    """Return the sentences as claims, one headline first; a second headline is a note."""
    claims = [
        Claim(kind=ClaimKind(one.kind), text=one_line(one.text), citations=tuple(dict.fromkeys(one.citations)))
        for one in sentences
    ]
    claims.sort(key=lambda claim: claim.kind is not ClaimKind.HEADLINE)
    return claims[:1] + [
        replace(claim, kind=ClaimKind.NOTE) if claim.kind is ClaimKind.HEADLINE else claim for claim in claims[1:]
    ]


def _short(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the claims in order as far as they fit the surface; the headline and whatever fits after it."""
    kept, words = [claims[0]], _length(claims[0])
    for claim in claims[1:]:
        if words + _length(claim) <= _MAX_WORDS:
            kept.append(claim)
            words += _length(claim)
    return tuple(kept)


def _length(claim: Claim) -> int:
    """Return the words of a claim; two signs of a script without spaces are one."""
    return len(claim.text.split()) + sum(char > _WIDE for char in claim.text) // 2


def _search_words(words: Iterable[str], question: str) -> tuple[str, ...]:
    """Return what to look for, as far as it was asked for: an English question's words have been looked for."""
    if asks_in_english(question):
        return ()
    found = dict.fromkeys(word for text in words if (word := one_line(text)[:_MAX_SEARCH_WORD]))
    return tuple(found)[:_MAX_SEARCH_WORDS]


def _steps(
    steps: Iterable[Step], texts: dict[int, str], question: str
) -> tuple[tuple[Recommendation, ...], tuple[Refused, ...]]:
    kept: list[Recommendation] = []
    refused: list[Refused] = []
    for step in steps:
        advice = f"{step.title}. {step.description}"
        if rule := broken_rule(advice, step.citations, texts, question=question, least=_ADVICE_SUPPORT):
            refused.append(Refused(what=one_line(step.title), rule=rule))
            continue
        kept.append(
            Recommendation(
                title=one_line(step.title),
                action=one_line(step.action),
                description=one_line(step.description),
                action_type=step.action_type,
                citations=tuple(dict.fromkeys(step.citations)),
            )
        )
    return tuple(kept[:_MAX_RECOMMENDATIONS]), tuple(refused)
