"""Answering: a question becomes a short cited answer, or the plain word that nothing is recorded.

A model's failure is never the asker's: the quoted answer comes instead, with one line why. The session is
recorded before the answer is returned; its id is the idempotency key of what follows from it (votes, sharing).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from bot.answer_shape import answer_json
from bot.errors import BudgetUsed, Permanent, Transient
from bot.evidence import evidence_of, is_near, is_unsure, people_of, said_by, words_of
from bot.masking import mask
from bot.ports import Answer, Claim, Evidence, Refused, Synthesis, Synthesiser, Usage
from store import (
    DecisionId,
    Person,
    Place,
    Question,
    Ranked,
    Reader,
    Recall,
    SessionId,
    Trajectory,
    asks_in_english,
    verify_claims,
)

if TYPE_CHECKING:
    from store import Memory

SYNTHESIS_DEADLINE_S = 12.0
"""Leaves three seconds of the fifteen in which every question ends in a message."""
MOST_QUESTION_CHARS = 2_000
"""What is searched and sent of a question; people's own take 300 at most."""
MOST_NEAREST = 3
MOST_WHO_MIGHT_KNOW = 2
MOST_UNCONFIRMED = 1
FAR_FROM_THE_FIRST = 0.1
"""Share of the best score below which a decision isn't shown, unless recall kept a place for it as a warning."""
NEAR_THE_FIRST = 0.75
"""Share of the best score that makes another decision be about the question too; below, it may only have come next."""

LEAST_TO_LOOK_AGAIN_S = 2.0
"""Seconds that must be left for a second call: an answer takes about that long."""

BUDGET = "This month's model budget is used: quoted, not summed up."
LATE = "Claude didn't answer in time: quoted, not summed up."
UNABLE = "Claude couldn't word this: quoted, not summed up."
UNHELD = "Claude's wording went beyond its sources: quoted, not summed up."
OWN_WORDS_ONLY = "Claude didn't answer: looked for in your own words only."
WORDS_ONLY = "Matched by words only; the index is being rebuilt."
EMPTY_STORE = "Nothing is recorded yet that you can read."


class Answers:
    """Answers questions from one memory; thread-safe."""

    def __init__(
        self,
        memory: Memory,
        synthesiser: Synthesiser,
        offline: Synthesiser,
        clock: Callable[[], datetime],
        *,
        new_session: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        """Name what words an answer, and what does when that fails; the same object twice where there is no key."""
        self._memory = memory
        self._synthesiser = synthesiser
        self._offline = offline
        self._clock = clock
        self._new_session = new_session

    def ask(
        self,
        question: str,
        reader: Reader,
        *,
        asker: Person | None = None,
        as_of: date | None = None,
        deadline_s: float = SYNTHESIS_DEADLINE_S,
    ) -> Answer:
        """Answer a question from what this reader may read, and record the session.

        Args:
            question: as typed; beyond `MOST_QUESTION_CHARS` it is cut, and secrets in it are masked.
            reader: who will see the answer.
            asker: who asked; never named among those who might know.
            as_of: what was in force on that day; None is today.
            deadline_s: seconds for the model; the quoted answer comes after that.
        """
        started = time.perf_counter()
        text = mask(_plain(question)[:MOST_QUESTION_CHARS])
        found = self._found(text, reader, as_of)
        recalled = time.perf_counter()
        synthesis, notice = self._worded(text, found, deadline_s)
        if not synthesis.claims and synthesis.search_words:
            left_s = deadline_s - (time.perf_counter() - recalled)
            found, synthesis, notice = self._looked_again(text, found, synthesis, as_of, left_s)
        contested, recall = found.contested, found.recall
        synthesis, evidence = _in_reading_order(synthesis, found.evidence)
        answer = Answer(
            session=SessionId(self._new_session()),
            question=text,
            reader=reader,
            shape=("contested" if contested else "sure") if synthesis.claims else "nothing",
            claims=synthesis.claims,
            evidence=evidence if synthesis.claims else (),
            unconfirmed=evidence_of(found.waiting, label=self._label, start=len(evidence) + 1, most=MOST_UNCONFIRMED),
            recommendations=synthesis.recommendations,
            notices=tuple(line for line in (notice, WORDS_ONLY if recall.words_only else "") if line),
            worded_by="Claude" if synthesis.claims and self._is_worded(notice) else "",
            usage=synthesis.usage,
        )
        answer = self._with_main(answer) if synthesis.claims else self._with_nearest(answer, recall, asker)
        ended = time.perf_counter()
        ms = {"recall": recalled - started, "synthesis": ended - recalled, "total": ended - started}
        answer = replace(answer, ms={name: round(1000 * seconds, 1) for name, seconds in ms.items()})
        self._record(answer, recall, asker, as_of)
        return answer

    def _found(self, text: str, reader: Reader, as_of: date | None) -> _Found:
        """Return what the memory has on some words that this reader may read."""
        recall = self._memory.recall(Question(text=text, as_of=as_of), reader) if _has_words(text) else _NOTHING
        confirmed = _carrying(recall)
        return _Found(
            reader=reader,
            recall=recall,
            waiting=_worth_asking(recall, text, beside=confirmed)[:MOST_UNCONFIRMED],
            evidence=evidence_of(confirmed, label=self._label, question=text),
            contested=_contested(recall, confirmed),
        )

    def _looked_again(
        self, question: str, found: _Found, synthesis: Synthesis, as_of: date | None, left_s: float
    ) -> tuple[_Found, Synthesis, str]:
        """Answer a question in another language by what its English search words find, once; else leave it as it is."""
        again = self._found(mask(" ".join(synthesis.search_words)), found.reader, as_of)
        seen = {line.decision.id for line in found.evidence}
        if not {line.decision.id for line in again.evidence} - seen or left_s < LEAST_TO_LOOK_AGAIN_S:
            return found, synthesis, ""
        second, notice = self._worded(question, again, left_s)
        second = replace(second, usage=synthesis.usage + second.usage)
        return (again, second, notice) if second.claims else (found, second, "")

    def _worded(self, question: str, found: _Found, deadline_s: float) -> tuple[Synthesis, str]:
        """Return verified claims and the line that says why they are only quoted, if they are."""
        evidence, contested = found.evidence, found.contested
        if not evidence:
            return self._translated(question, found.reader, deadline_s)
        notice, usage = "", Usage()
        if self._synthesiser is not self._offline:
            try:
                proposed = self._synthesiser.synthesise(question, evidence, contested=contested, deadline_s=deadline_s)
            except BudgetUsed:
                notice = BUDGET
            except Transient:
                notice = LATE
            except Permanent:
                notice = UNABLE
            else:
                verified = _verified(proposed, evidence, question)
                if verified.claims or not proposed.claims:
                    return verified, ""
                notice, usage = UNHELD, proposed.usage
        quoted = self._offline.synthesise(question, evidence, contested=contested, deadline_s=deadline_s)
        return replace(_verified(quoted, evidence, question), usage=usage), notice

    def _translated(self, question: str, reader: Reader, deadline_s: float) -> tuple[Synthesis, str]:
        """Return no claims, but what to look for instead where a question in another language found nothing."""
        nothing = Synthesis(claims=())
        if self._synthesiser is self._offline or asks_in_english(question) or not _has_words(question):
            return nothing, ""
        if not self._memory.decisions(reader, limit=1):
            return nothing, ""
        try:
            return self._synthesiser.synthesise(question, (), contested=False, deadline_s=deadline_s), ""
        except (Transient, Permanent):
            return nothing, OWN_WORDS_ONLY

    def _is_worded(self, notice: str) -> bool:
        return self._synthesiser is not self._offline and not notice

    def _with_main(self, answer: Answer) -> Answer:
        """Name the decision that votes count for; a contested answer has none."""
        if answer.shape == "contested":
            return answer
        first = next(line for line in answer.evidence if line.n == answer.claims[0].citations[0])
        votes = said_by(self._memory.votes(first.decision.id, answer.reader))
        return replace(answer, main=first.decision.id, main_outcome=first.decision.voices.label, said_by=votes)

    def _with_nearest(self, answer: Answer, recall: Recall, asker: Person | None) -> Answer:
        """Say what came nearest and who decided it, from what this reader may read."""
        found = [one for one in (*recall.ranked, *recall.nearest) if one.decision.confirmed]
        first = recall.ranked[:1]  # it cleared the floor, though not so far that it surely answers
        near = [one for one in found if one in first or is_near(one, answer.question)][:MOST_NEAREST]
        known = bool(found or answer.unconfirmed or self._memory.decisions(answer.reader, limit=1))
        nearest = evidence_of(near, label=self._label, most=max(len(near), 1))
        return replace(
            answer,
            nearest=nearest,
            unconfirmed=tuple(replace(line, n=n) for n, line in enumerate(answer.unconfirmed, len(nearest) + 1)),
            who_might_know=self._who_might_know(near, asker),
            notices=answer.notices if known else (EMPTY_STORE,),  # how it was looked for would tell of others' records
        )

    def _who_might_know(self, near: Sequence[Ranked], asker: Person | None) -> tuple[str, ...]:
        names = people_of(one.decision for one in near)
        ids = {person.name: person.id for one in near for person in one.decision.decided_by}
        ids |= {quote.author: quote.author_id for one in near for quote in one.decision.evidence if quote.author}
        here = [name for name in names if self._is_here(ids.get(name, "")) and (asker is None or name != asker.name)]
        return tuple(here[:MOST_WHO_MIGHT_KNOW])

    def _is_here(self, person_id: str) -> bool:
        """Say whether somebody may be named: nobody deactivated; a name without an id is a record's own."""
        return not person_id or self._memory.members.active(person_id)

    def _label(self, place: Place) -> str:
        if place.source == "slack":
            known = self._memory.members.channel(place.anchor.partition("/")[0])
            return f"#{known[0]}" if known and known[0] else ""
        if place.source == "claude-code":
            return "coding session"  # what it is called is for machines
        return place.ref.replace("incident:", "incident ") or place.source

    def _record(self, answer: Answer, recall: Recall, asker: Person | None, as_of: date | None) -> None:
        shown = (*answer.evidence, *answer.nearest, *answer.unconfirmed)
        refs = {line.decision.id for line in shown} | {
            quote.turn_id for line in shown for quote in line.decision.evidence if quote.turn_id
        }
        self._memory.sessions.record(
            Trajectory(
                session=answer.session,
                question=answer.question,
                answer={**answer_json(answer), "steps": _steps(answer, recall, as_of)},
                main=answer.main or "",
                refs=tuple(sorted(refs)),
                asker_id=asker.id if asker else "",
                asked_at=self._clock(),
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What a question, or its search words, found: the lines that may answer it, and a capture to ask about."""

    reader: Reader
    recall: Recall
    waiting: tuple[Ranked, ...]
    evidence: tuple[Evidence, ...]
    contested: bool


_NOTHING = Recall(ranked=(), nearest=(), order=(), abstained=True)


def _plain(question: str) -> str:
    """Return a question without what no UTF-8 text holds: a terminal passes on whatever bytes it was given."""
    return question.encode("utf-8", "replace").decode().replace("\x00", " ").strip()


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _carrying(recall: Recall) -> tuple[Ranked, ...]:
    """Return the confirmed decisions; none where they only trail an unsure capture that came first."""
    near = _near_the_first(recall, confirmed=True)
    least = FAR_FROM_THE_FIRST * max((one.score for one in recall.ranked), default=0.0)
    shown = (one for one in recall.ranked if one.decision.confirmed and (one.score >= least or one.cautionary))
    return tuple(shown) if near else ()


def _near_the_first(recall: Recall, *, confirmed: bool) -> tuple[Ranked, ...]:
    """Return those about as good as the first; it alone is known to be on the question, the others follow it."""
    least = NEAR_THE_FIRST * max((one.score for one in recall.ranked), default=0.0)
    return tuple(one for one in recall.ranked if one.decision.confirmed is confirmed and one.score >= least)


def _worth_asking(recall: Recall, question: str, *, beside: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Return the captures to ask about: on the question, and beside an answer only what fits it at least as well."""
    least = max((one.score for one in beside), default=0.0)
    near = _near_the_first(recall, confirmed=False)
    return tuple(one for one in near if one.score >= least and not is_unsure(one, question))


def _contested(recall: Recall, shown: Sequence[Ranked]) -> bool:
    """Say whether the first decision and another one shown can't both hold."""
    if not shown:
        return False
    ids = {one.decision.id for one in shown}
    first: DecisionId = shown[0].decision.id
    return any(first in pair and ids.issuperset(pair) for pair in recall.contested)


def _verified(proposed: Synthesis, evidence: Sequence[Evidence], question: str) -> Synthesis:
    """Keep the claims that their evidence bears, whoever worded them."""
    lines = {line.n: words_of(line) for line in evidence}
    claims: tuple[Claim, ...]
    claims, refused = verify_claims(proposed.claims, lines, question=question)
    steps = tuple(step for step in proposed.recommendations if step.citations and lines.keys() >= set(step.citations))
    broken = tuple(Refused(what=one.what, rule=one.rule) for one in refused)
    return replace(
        proposed, claims=claims, recommendations=steps if claims else (), refused=(*proposed.refused, *broken)
    )


def _in_reading_order(synthesis: Synthesis, evidence: tuple[Evidence, ...]) -> tuple[Synthesis, tuple[Evidence, ...]]:
    """Number the evidence from 1 as the claims cite it, what they don't cite after that."""
    cited = (number for claim in synthesis.claims for number in claim.citations)
    order = tuple(dict.fromkeys((*cited, *(line.n for line in evidence))))
    place = {number: at for at, number in enumerate(order, start=1)}
    claims = tuple(
        replace(claim, citations=tuple(place[number] for number in claim.citations)) for claim in synthesis.claims
    )
    steps = tuple(
        replace(step, citations=tuple(place[number] for number in step.citations)) for step in synthesis.recommendations
    )
    lines = sorted((replace(line, n=place[line.n]) for line in evidence), key=lambda line: line.n)
    return replace(synthesis, claims=claims, recommendations=steps), tuple(lines)


def _steps(answer: Answer, recall: Recall, as_of: date | None) -> list[dict[str, object]]:
    """Return a request's path: what was loaded, what the reader may see, what was ranked and why, what is advised."""
    looked_at = (*recall.ranked, *recall.nearest)
    return [
        {"step": "entity_access", "decisions": [one.decision.id for one in recall.order or looked_at]},
        {
            "step": "filter",
            "open": answer.reader.sees_open,
            "all": answer.reader.sees_all,
            "scopes": sorted(answer.reader.scopes),
            "as_of": as_of.isoformat() if as_of else None,
            "candidates": recall.candidates,
        },
        {
            "step": "aggregate",
            "abstained": recall.abstained,
            "contested": [list(pair) for pair in recall.contested],
            "ranked": [
                {"id": one.decision.id, "score": round(one.score, 4), "cautionary": one.cautionary,
                 "reasons": [[reason.name, round(reason.value, 4), reason.note] for reason in one.reasons]}
                for one in looked_at
            ],
        },
        {"step": "recommend", "actions": [step.action for step in answer.recommendations]},
    ]  # fmt: skip
