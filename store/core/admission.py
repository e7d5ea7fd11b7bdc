"""From drafts to facts: what of a proposal is new, what revises, what replaces what.

A model proposes, the core admits. Everything here is a pure function of the drafts and of what
the memory holds already; supersession is settled here, once, and never inferred later.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from store.core.contrary import turns, turns_by_name
from store.core.ids import decision_id, normal, statement_of
from store.core.model import (
    RECORDED_AT,
    Decision,
    DecisionId,
    Draft,
    Person,
    Place,
    Scope,
    State,
    Status,
)

LIKE_ENOUGH = 0.5
"""Share of title words in common from which on two wordings are one decision of a thread: half,
as with fewer two decisions of one thread about one thing would merge."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Drafts of one place at one version of its text, with where they come from.

    `basis` is that version; `pointed` says that somebody pointed at the place; `recorded_from` is
    "capture", "ingest" or "record". Drafts stand in the order of their source.
    """

    place: Place
    basis: str
    scope: Scope
    drafts: tuple[Draft, ...]
    provenance: str
    pointed: bool = False
    by: Person | None = None
    recorded_from: str = "capture"

    def confirms(self, draft: Draft) -> bool:
        """Whether this draft needs nobody's word: pointed at, sure enough, or no capture."""
        return self.pointed or self.recorded_from != "capture" or draft.confidence >= RECORDED_AT


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """What became of an admission.

    `decisions` are the place's current ones; `unchanged` were there already, `revised` replace an
    earlier wording; `duplicates` counts drafts that added no decision; `again` names what stands at
    another place too, whether that place was added to it or it is linked to the decision there;
    `refused` says which drafts were not admitted and which rule they broke.
    """

    decisions: tuple[Decision, ...] = ()
    new: tuple[DecisionId, ...] = ()
    revised: tuple[DecisionId, ...] = ()
    unchanged: tuple[DecisionId, ...] = ()
    duplicates: int = 0
    again: tuple[DecisionId, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """One draft beside the decision of its place that it words anew, if there is one.

    `same` says that the statement is the very same; its facts are in the log already. `turned` says that the thread
    has turned since: then it replaces a person's wording, too.
    """

    draft: Draft
    id: DecisionId
    ordinal: int
    existing: Decision | None = None
    same: bool = False
    turned: bool = False


def refusals(drafts: Iterable[Draft]) -> tuple[tuple[Draft, ...], tuple[str, ...]]:
    """Part drafts into those that can be admitted and the rules that the others break."""
    admitted: list[Draft] = []
    refused: list[str] = []
    for draft in drafts:
        if not any(char.isprintable() and not char.isspace() for char in draft.title):  # nor signs that nobody sees
            refused.append("a draft without a title: nothing was decided in it")
        elif not 0 <= draft.confidence <= 100:
            refused.append(f"{draft.title}: confidence {draft.confidence} is not a percentage")
        else:
            admitted.append(draft)
    return tuple(admitted), tuple(refused)


def once_each(drafts: Iterable[Draft]) -> tuple[Draft, ...]:
    """Return drafts of one place with the same statement as one, resting on the words of all."""
    given = tuple(drafts)
    if len(given) == 1:
        return given
    merged: dict[str, Draft] = {}
    for draft in given:
        said = _draft_said(draft)
        if said in merged:
            evidence = tuple(dict.fromkeys((*merged[said].evidence, *draft.evidence)))
            merged[said] = replace(merged[said], evidence=evidence)
        else:
            merged[said] = draft
    return tuple(merged.values())


def match(
    place: Place, drafts: Sequence[Draft], existing: Sequence[Decision], reworded: frozenset[str]
) -> tuple[Matched, ...]:
    """Match drafts one to one with the decisions that their place holds.

    Args:
        place: where the drafts come from.
        drafts: in the order of their source, each statement once.
        existing: every decision of the place, oldest first, superseded and retracted ones too.
        reworded: those of them that a later wording of the place revises.

    The same statement comes first, then the quoted turn in common, then likeness of the titles, also to earlier
    wordings. What is left over may be where the thread turned from what it had decided before. A statement that came
    back after it was reworded (A, B, A) is a decision of its own.
    """
    open_ = [each for each in existing if each.id not in reworded]
    replaced = Counter(_said(each) for each in existing if each.id in reworded)
    earlier = {each.id: _earlier_wordings(each, existing) for each in open_}
    found: dict[int, Decision] = {}

    def like_an_earlier(draft: Draft, each: Decision) -> float:
        return max((_title_likeness(draft, one) for one in earlier[each.id]), default=0.0)

    for likeness in (_same_statement, _turns_in_common, _title_likeness, like_an_earlier, _turning):
        taken = {each.id for each in found.values()}
        pairs = [
            (-score, number, order)
            for number, draft in enumerate(drafts)
            if number not in found
            for order, each in enumerate(open_)
            if each.id not in taken and (score := likeness(draft, each)) > 0
        ]
        for _, number, order in sorted(pairs):
            if number not in found and open_[order].id not in taken:
                found[number] = open_[order]
                taken.add(open_[order].id)
    gone = _giving_way(drafts, found)
    return tuple(
        _matched(place, draft, found.get(number), replaced) for number, draft in enumerate(drafts) if number not in gone
    )


def _earlier_wordings(decision: Decision, existing: Sequence[Decision]) -> tuple[Decision, ...]:
    """Return what of a place a decision replaces, directly or not."""
    known = {each.id: each for each in existing}
    found: dict[DecisionId, Decision] = {}
    front = [decision]
    while front:
        older = [known[name] for name in front.pop().supersedes if name in known and name not in found]
        found |= {each.id: each for each in older}
        front += older
    return tuple(found.values())


def _giving_way(drafts: Sequence[Draft], found: dict[int, Decision]) -> frozenset[int]:
    """Let a new draft that turns from a decision take the place of the draft that words that one again.

    Returns the numbers of those that give way: two contrary decisions of one thread don't both stand.
    """
    gone: set[int] = set()
    for number, draft in enumerate(drafts):
        if number in found:
            continue
        for other, each in sorted(found.items()):
            if other not in gone and turns_by_name(draft, each):
                found[number] = each
                gone.add(other)
                break
    return frozenset(gone)


def _matched(place: Place, draft: Draft, existing: Decision | None, replaced: Mapping[str, int]) -> Matched:
    if existing and _same_statement(draft, existing):
        return Matched(draft=draft, id=existing.id, ordinal=0, existing=existing, same=True)
    ordinal = replaced.get(_draft_said(draft), 0) if replaced else 0
    id_ = decision_id(place.source, place.anchor, ordinal, statement_of(draft))
    turned = existing is not None and not _title_likeness(draft, existing) and turns(draft, existing)
    return Matched(draft=draft, id=id_, ordinal=ordinal, existing=existing, turned=turned)


def draft_of(decision: Decision) -> Draft:
    """Return the draft that would word this decision again."""
    return Draft(
        title=decision.title,
        rationale=decision.rationale,
        status=decision.status,
        decided_on=decision.decided_on,
        decided_by=decision.decided_by,
        elements=decision.elements,
        sets=decision.sets,
        links=decision.links,
        unlinks=decision.unlinks,
        alternatives=decision.alternatives,
        trade_offs=decision.trade_offs,
        edge_cases=decision.edge_cases,
        tags=decision.tags,
        confidence=decision.confidence,
        revisit_when=decision.revisit_when,
        evidence=decision.evidence,
        text=decision.text,
    )


def _said(decision: Decision) -> str:
    return _draft_said(draft_of(decision))


def _draft_said(draft: Draft) -> str:
    return decision_id("", "", 0, statement_of(draft))


def _same_statement(draft: Draft, decision: Decision) -> float:
    return float(_draft_said(draft) == _said(decision))


def _turns_in_common(draft: Draft, decision: Decision) -> float:
    mine = {each.turn_id for each in draft.evidence if each.turn_id}
    theirs = {each.turn_id for each in decision.evidence if each.turn_id}
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0


def _turning(draft: Draft, decision: Decision) -> float:
    if decision.state is not State.CURRENT or not turns(draft, decision):
        return 0.0
    return 1.0 + len(_words(draft.title) & _words(decision.title))


def _title_likeness(draft: Draft, decision: Decision) -> float:
    mine, theirs = _words(draft.title), _words(decision.title)
    likeness = len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0
    return likeness if likeness >= LIKE_ENOUGH else 0.0


def _words(title: str) -> frozenset[str]:
    return frozenset(_WORD.findall(normal(title)))


# --- what replaces what -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A decision in force that sets the same property of the same element as a new one.

    `replaced_by` holds the scopes of the decisions that replace it already.
    """

    id: DecisionId
    scope: Scope
    day: date
    moment: str
    """When its last quoted words were said, as sortable text; "" without evidence."""
    replaced_by: tuple[Scope, ...] = ()

    @property
    def when(self) -> tuple[date, str]:
        """By what the later of two is told."""
        return (self.day, self.moment)


def replacements(new: Rival, rivals: Iterable[Rival]) -> tuple[tuple[DecisionId, DecisionId], ...]:
    """Return the (newer, older) pairs that follow from setting one property, by id.

    The later decided replaces the earlier, whichever is recorded first; decided at the same time,
    the one recorded later does. A new decision replaces the earlier ones that stand for somebody
    who can read both, and is replaced by the next later one; between two that are already linked
    it takes its place in the chain, so that any order of arrival gives the same states.
    """
    others = [each for each in rivals if each.id != new.id]
    earlier = [each for each in others if each.when <= new.when]
    later = [each for each in others if each.when > new.when]
    standing = [each for each in earlier if not any(_hides(scope, each.scope) for scope in each.replaced_by)]
    last = [each for each in earlier if each.when == max(e.when for e in earlier)] if later else []
    replaced = {each.id for each in (*standing, *last)}
    pairs = {(new.id, each) for each in replaced}
    for each in later:
        between = [e for e in later if e.when < each.when and _hides(e.scope, new.scope)]
        if not between:
            pairs.add((each.id, new.id))
    return tuple(sorted(pairs))


def _hides(newer: Scope, older: Scope) -> bool:
    """Whether whoever reads the older decision sees the newer one too."""
    return newer.open or newer.id == older.id


def at_ordinal(source: str, draft: Draft, ordinal: int) -> Matched:
    """Return a draft without a place as the decision of that number."""
    return Matched(draft=draft, id=decision_id(source, "", ordinal, statement_of(draft)), ordinal=ordinal)


def numbered(source: str, drafts: Iterable[Draft], seen: Counter[str]) -> tuple[Matched, ...]:
    """Return drafts without a place by their numbers: how often each statement stood before in this input.

    `seen` counts statements so far and is added to, so that one input may come in pieces.
    """
    matched: list[Matched] = []
    for draft in drafts:
        first = at_ordinal(source, draft, 0)
        said = first.id[:SEEN_DIGITS]
        matched.append(at_ordinal(source, draft, seen[said]) if seen[said] else first)
        seen[said] += 1
    return tuple(matched)


SEEN_DIGITS = 16
"""Hexadecimal digits of a statement's hash by which it is known again within one input: 10^19 of them."""


def sets_something(draft: Draft) -> bool:
    """Whether a draft can replace others by what it sets: it is accepted and sets a property."""
    return draft.status is Status.ACCEPTED and bool(draft.sets)


def trimmed(draft: Draft) -> Draft:
    """Return the draft without what says nothing: spaces around the title, empty mentions."""
    title = draft.title.strip()
    elements = tuple(dict.fromkeys(each.strip() for each in draft.elements if each.strip()))
    if (title, elements) == (draft.title, draft.elements):
        return draft
    return replace(draft, title=title, elements=elements)
