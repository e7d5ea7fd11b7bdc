"""Outcomes that systems report, from the report to a person's word: found, kept, offered, settled.

Nothing is recorded before somebody says so. Idempotency key of a proposal: the decision, in whatever wording, and the
place of the report; what was answered is not asked again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bot import feedback
from bot.capture import is_left_out, masked_thread, without_left_out
from bot.outcomes import (
    UNRELATED,
    WINDOW,
    Searched,
    Signs,
    bearing,
    could_bear,
    day_decided,
    may_bear,
    occurrence_of,
    proposal_of,
    searched,
    signs_of,
    strongest,
)
from store import (
    EVERYTHING,
    Decision,
    DecisionId,
    Happening,
    Occurrence,
    OutcomeProposal,
    Person,
    Reader,
    Scope,
    State,
    Thread,
    Verdict,
    openness_setting,
)

if TYPE_CHECKING:
    from store import Memory, Occurrences, Recording

LOOKED_AT = 20
"""Decisions that hold a report's words best and are weighed, and those looked at on one topic."""
LOOKED_AT_ONCE = 500
"""Threads of reporting systems that a run holds until they are looked at together."""
READ_AT_ONCE = 500
"""Decisions recorded just now that are read together."""
REPORTING = frozenset({"git", "github", "jira", "pagerduty"})
"""Sources that report what happened: what one doesn't report any more is taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """What is put before somebody: a decision as they may see it, and what was reported."""

    proposal: OutcomeProposal
    decision: Decision


# --- finding ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    report: Occurrence
    by: Searched


def look(memory: Memory, threads: Iterable[Thread], recorded: Collection[DecisionId]) -> int:
    """Keep what was reported of threads that were read, and propose what it says of decisions, whichever came first.

    What isn't reported any more is taken back. A name by which only a resolution knows a topic is understood in
    threads that are read now, not in what was kept of earlier ones.

    Args:
        memory: where it is looked.
        threads: as their source gives them.
        recorded: decisions that were recorded just now, or stood in what was read.

    Returns:
        How many more outcomes are offered than before.
    """
    kept, now = memory.beside.occurrences, memory.clock()
    heard = _heard(memory, threads)
    if heard:
        kept.keep([one.report for one in heard], now)
    before = {_key(one) for one in strongest(kept.unanswered())}
    looking = _Looking(memory)
    proposals = [one for each in heard for one in looking.of_report(each)]
    if recorded and (reports := kept.all()):
        proposals += looking.of_decisions(reports, recorded)
    if proposals:
        kept.propose(proposals, now)
    return len({_key(one) for one in strongest(kept.unanswered())} - before)


def recorded_late(memory: Memory, decisions: Iterable[Decision]) -> int:
    """Propose what was reported meanwhile of decisions that are captured late; returns how many more are offered."""
    yesterday = memory.clock().date() - timedelta(days=1)
    late = [one.id for one in decisions if day_decided(one) < yesterday]
    return look(memory, (), late) if late else 0


def _heard(memory: Memory, threads: Iterable[Thread]) -> list[_Heard]:
    kept, there = memory.beside.occurrences, None
    found: list[_Heard] = []
    for thread in threads:
        if thread.happened is None and thread.place.source not in REPORTING:
            continue
        said = _said(memory, thread)
        if said and (report := occurrence_of(said)):
            found.append(_Heard(report=report, by=searched(said)))
            continue
        there = kept.places() if there is None else there
        if (thread.place.source, thread.place.anchor) in there:
            kept.withdraw(thread.place.source, thread.place.anchor)
    return found


def _said(memory: Memory, thread: Thread) -> Thread | None:
    """Return what of a reporting thread may be looked at, masked; None where it reports nothing, or nothing may be."""
    if thread.happened is None or memory.forgotten(thread.place) or is_left_out(memory, thread):
        return None
    heard = without_left_out(memory, thread)
    return masked_thread(heard) if heard else None


class Watched:
    """What a run reads, looked at together: reports every so often, decisions at its end."""

    def __init__(self, memory: Memory) -> None:
        """Nothing is read yet."""
        self._memory = memory
        self._threads: list[Thread] = []
        self._stood: list[DecisionId] = []
        self._proposed = 0

    def note(self, thread: Thread, decisions: Iterable[Decision] = ()) -> None:
        """Take a thread that was read, and what stands in it."""
        self._stood += [one.id for one in decisions]
        if thread.happened is not None or thread.place.source in REPORTING:
            self._threads.append(thread)
        if len(self._threads) >= LOOKED_AT_ONCE:
            self._proposed += look(self._memory, self._threads, ())
            self._threads.clear()

    def end(self) -> int:
        """Look at the rest; returns how many more outcomes are offered than before the run."""
        return self._proposed + look(self._memory, self._threads, self._stood)


class _Looking:
    """Holds decisions against reports; what it found out of either is kept while it looks."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._signs: dict[DecisionId, Signs] = {}
        self._deciding: dict[tuple[str, str], bool] = {}

    def of_report(self, heard: _Heard) -> Iterator[OutcomeProposal]:
        """Yield what a report says of decisions, whenever they were recorded."""
        report, by = heard.report, heard.by
        since, until = (report.at - WINDOW).date(), report.at.date()
        called = (self._memory.decision(ref, EVERYTHING) for ref in by.refs)
        near = {one.id for one in called if one is not None}
        named: set[DecisionId] = set()
        if report.kind is Happening.INCIDENT:
            for name in by.names:
                on = self._memory.decisions(EVERYTHING, element=name, since=since, until=until, limit=LOOKED_AT)
                named |= {one.id for one in on}
        if report.kind is not Happening.REVERT:
            found = self._memory.by_words(by.words, EVERYTHING, limit=LOOKED_AT, since=since, until=until)
            near |= {id_ for id_, _ in found.scored}
        shares = may_bear([report])
        for decision in self._memory.decisions_by_ids(sorted(near | named), EVERYTHING):
            signs = self._signs_of(decision)
            if decision.id in named or shares(signs):
                yield from self._held_against(report, decision, signs, named=decision.id in named)

    def of_decisions(
        self, reports: Sequence[Occurrence], recorded: Collection[DecisionId]
    ) -> Iterator[OutcomeProposal]:
        """Yield what earlier reports say of decisions that were recorded just now."""
        near, ids = may_bear(reports), list(dict.fromkeys(recorded))
        for start in range(0, len(ids), READ_AT_ONCE):
            for decision in self._memory.decisions_by_ids(ids[start : start + READ_AT_ONCE], EVERYTHING):
                signs = self._signs_of(decision)
                for report in near(signs):
                    yield from self._held_against(report, decision, signs, named=False)

    def _held_against(
        self, report: Occurrence, decision: Decision, signs: Signs, *, named: bool
    ) -> Iterator[OutcomeProposal]:
        one = bearing(report, decision, signs, named=named, alone=lambda: self._alone(report, decision))
        if one is None or (not signs.called_by(report) and self._decides(report)):
            return
        superseders = self._memory.decisions_by_ids(decision.superseded_by, EVERYTHING)
        if could_bear(report, decision, superseders) and not self._is_asked(report, decision):
            yield proposal_of(report, one)

    def _is_asked(self, report: Occurrence, decision: Decision) -> bool:
        """Say whether another wording of a decision was proposed for that report."""
        others = [each for each in self._memory.wordings(decision.id) if each != decision.id]
        known = self._memory.beside.occurrences.about(others) if others else ()
        return any((one.place.source, one.place.anchor) == (report.place.source, report.place.anchor) for one in known)

    def _decides(self, report: Occurrence) -> bool:
        """Say whether something was decided in a ticket itself: that is what its words are about, not how it went."""
        if report.kind is not Happening.RESOLVED:
            return False
        place = (report.place.source, report.place.anchor)
        if place not in self._deciding:
            self._deciding[place] = bool(self._memory.at_place(*place, EVERYTHING))
        return self._deciding[place]

    def _signs_of(self, decision: Decision) -> Signs:
        if decision.id not in self._signs:
            self._signs[decision.id] = signs_of(decision)
        return self._signs[decision.id]

    def _alone(self, report: Occurrence, decision: Decision) -> bool:
        """Say whether nothing else was decided within the window on a topic that a decision is about."""
        since, until = (report.at - WINDOW).date(), report.at.date()
        return any(
            len(self._memory.decisions(EVERYTHING, element=each, since=since, until=until, limit=2)) == 1
            for each in decision.elements
        )


def _key(one: OutcomeProposal) -> tuple[str, str, str]:
    return one.decision, one.place.source, one.place.anchor


# --- offering and settling ----------------------------------------------------------------------


def offered(memory: Recording, kept: Occurrences, reader: Reader) -> tuple[Offered, ...]:
    """Return what may be put before somebody who reads both the decision and the report, the latest report first.

    Where it is known by now how a decision went, nothing is asked of it any more.
    """
    every = kept.unanswered()
    scopes = {scope: _as_it_stands(memory, scope) for scope in {one.scope for one in every}}
    waiting = [replace(one, scope=scopes[one.scope]) for one in every if reader.may_read(scopes[one.scope])]
    standing = {named: _standing(memory, named, reader) for named in {one.decision for one in waiting}}
    found = [Offered(proposal=one, decision=now) for one in waiting if (now := standing[one.decision])]
    few = {_key(one) for one in strongest(each.proposal for each in found)}
    return tuple(each for each in found if _key(each.proposal) in few)


def _as_it_stands(memory: Recording, scope: Scope) -> Scope:
    """Return a scope as it was opened or closed since something was reported in it."""
    said = memory.setting(openness_setting(scope.id))
    return Scope(id=scope.id, open=said == "yes") if said else scope


def _standing(memory: Recording, named: str, reader: Reader) -> Decision | None:
    """Return a decision as it is worded now, once it is confirmed and while nobody has said how it went."""
    worded = memory.decisions_by_ids(memory.wordings(named), reader)
    found = next((each for each in worded if each.state is State.CURRENT), None)
    found = found or next((each for each in worded if each.id == named), None)
    if found is None or not found.title or not found.confirmed or found.state is State.RETRACTED:
        return None
    return found if found.voices.label is None else None


def offered_on(memory: Recording, kept: Occurrences, decision: str, reader: Reader) -> tuple[Offered, ...]:
    """Return what is offered of one decision, by its id as it is now or was when it was proposed."""
    every = offered(memory, kept, reader)
    return tuple(each for each in every if decision in (each.decision.id, each.proposal.decision))


def is_asked_of(offer: Offered, person: Person) -> bool:
    """Say whether an offer waits for somebody: they decided."""
    return feedback.is_decider(offer.decision, person)


def settle(
    memory: Recording,
    kept: Occurrences,
    offers: Sequence[Offered],
    verdict: Verdict | None,
    *,
    by: Person,
    reader: Reader,
    occasion: str,
    at: datetime,
    reason: str = "",
) -> feedback.Voted | None:
    """Record what somebody says to what is offered of one decision; None where nothing was recorded.

    Their word is an outcome that counts, since a system's report stands behind it: the report is its reason. Where the
    report is for fewer readers than the decision, so is their word. A report that not all of them may read isn't named.

    Args:
        memory: where it is recorded.
        kept: where the offers lie.
        offers: of one decision, at least one.
        verdict: None says that the reports have nothing to do with it.
        by: who says so.
        reader: what they may read.
        occasion: unique to this press or call; it is the idempotency key.
        at: when they said so.
        reason: in their words, in the place of the report.
    """
    voted: feedback.Voted | None = None
    if verdict is not None:
        closed = next((each.proposal.scope for each in offers if not each.proposal.scope.open), None)
        decided = offers[0].decision.scope
        told = closed if closed and decided.open else decided
        voted = feedback.vote(
            memory,
            offers[0].decision.id,
            by,
            verdict,
            reader=reader,
            occasion=occasion,
            at=at,
            reason=reason or _reports(offers, verdict, told),
            follow_up=True,
            scope=closed,
        )
        if voted is None:
            return None
    for each in offers:
        source, anchor = each.proposal.place.source, each.proposal.place.anchor
        answer = verdict.value if verdict else UNRELATED
        kept.answer(each.proposal.decision, source, anchor, answer, by=by.id or by.name)
    return voted


def _reports(offers: Sequence[Offered], verdict: Verdict, told: Scope) -> str:
    """Name the reports that bear a verdict out, or all where none does, of those that its readers may read."""
    every = [each.proposal for each in offers if each.proposal.scope.open or each.proposal.scope.id == told.id]
    return "; ".join(named(each) for each in [one for one in every if one.verdict is verdict] or every)


def reopen(kept: Occurrences, decision: str, source: str, anchor: str, *, by: str) -> str | None:
    """Let what somebody answered be asked again; returns their answer, None where it isn't theirs."""
    place = (source, anchor)
    known = (one for one in kept.about([decision]) if (one.place.source, one.place.anchor) == place)
    answered = next((one for one in known if one.answer and one.by == by), None)
    if answered is None:
        return None
    kept.answer(decision, source, anchor, "", by="")
    return answered.answer


def named(proposal: OutcomeProposal) -> str:
    """Return a report as a reason names it: "incident 318 https://…"."""
    place = proposal.place
    what = {Happening.INCIDENT: "incident", Happening.REVERT: "reverted by", Happening.RESOLVED: "resolved by"}
    ref = (place.ref or place.anchor).removeprefix("incident:")
    return " ".join(filter(None, (what[proposal.kind], ref, place.permalink)))
