"""Answers without a model: the main decision's title, its reason quoted, what lost, what came of it.

Each claim cites the numbers of the evidence that bears it. Nothing is said beyond what the evidence's
decisions hold; with no evidence there are no claims. At most 80 words on the surface.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from bot.ports import Claim, ClaimKind, Evidence, Recommendation, Synthesis, by_decision
from store import Decision, State, Status, Verdict, stems

NAME = "quotes-1"
MOST_WORDS = 80
"""Words on the surface of an answer (PEOPLE.md, "Answer, sure")."""
_MOST_QUOTE_WORDS = 22
_FEWEST_NEW_STEMS = 3
_FEWEST_SHARED = 2
_MOST_LOST = 2
_MOST_SIDE_WORDS = 12
_MOST_LOST_WORDS = 16
_MOST_RECOMMENDATIONS = 3
_CONDITION = re.compile(r"^(?:If|When|Once|After|Past|In|As soon)\b")
"""How a condition begins where it was a sentence of its own."""


class OfflineSynthesiser:
    """Quotes the evidence in the shape of an answer; pure, so it never fails and never waits."""

    name = NAME

    def synthesise(
        self, question: str, evidence: tuple[Evidence, ...], *, contested: bool, deadline_s: float
    ) -> Synthesis:
        """Return claims in reading order, the headline first; none where no evidence surely answers the question."""
        lines = by_decision(evidence)
        is_contested = contested and len(_standing(lines)) > 1
        if not lines or (not is_contested and _main(lines)[0].unsure):
            return Synthesis(claims=(), provenance=NAME)
        claims = _contested(question, lines) if is_contested else _sure(question, lines)
        kept = _within(claims, MOST_WORDS)
        return Synthesis(claims=kept, recommendations=_recommendations(lines, contested), provenance=NAME)


def _standing(lines: Sequence[Sequence[Evidence]]) -> list[Sequence[Evidence]]:
    return [
        group
        for group in lines
        if group[0].decision.state is State.CURRENT and group[0].decision.status is Status.ACCEPTED
    ]


def _sure(question: str, lines: Sequence[Sequence[Evidence]]) -> list[Claim]:
    main = _main(lines)
    one = main[0].decision
    places = (main[0].n, *(line.n for line in main if line.same_as))
    claims = [Claim(kind=ClaimKind.HEADLINE, text=_headline(one, main[0].at), citations=places)]
    claims += _why(main)
    claims += _instead_of(main, told=" ".join(claim.text for claim in claims))
    claims += _chosen(lines, one)
    claims += _since(one, main[0].n)
    claims += _tried(question, lines, one)
    return claims


def _main(lines: Sequence[Sequence[Evidence]]) -> Sequence[Evidence]:
    """Return the best that was not only put there as a warning; what replaced it, where that is among the evidence."""
    best = next((group for group in lines if not group[0].cautionary), lines[0])
    if lines[0][0].score > best[0].score:
        best = lines[0]
    later = set(best[0].decision.superseded_by)
    if best[0].decision.state is not State.SUPERSEDED:
        return best
    return next((group for group in lines if group[0].decision.id in later), best)


def _chosen(lines: Sequence[Sequence[Evidence]], main: Decision) -> list[Claim]:
    """Return what was chosen in the place where the main proposal was turned down."""
    if not _is_turned_down(main):
        return []
    for group in _standing(lines):
        if group[0].decision.place == main.place and not group[0].cautionary:
            text = f"Chosen instead: {_short(group[0].decision.title, _MOST_QUOTE_WORDS)}"
            return [Claim(kind=ClaimKind.NOTE, text=text, citations=(group[0].n,))]
    return []


def _contested(question: str, lines: Sequence[Sequence[Evidence]]) -> list[Claim]:
    sides = _standing(lines)[:2]
    first = tuple(group[0].n for group in sides)
    one, other = (group[0].decision for group in sides)
    titles = " / ".join(_short(each.title, _MOST_SIDE_WORDS) for each in (one, other))
    headline = f"Contested: {_matter(one, other) or titles}"
    claims = [Claim(kind=ClaimKind.HEADLINE, text=headline, citations=first)]
    for letter, group in zip("AB", sides, strict=False):
        line = group[0]
        title, quote = _short(line.decision.title, _MOST_SIDE_WORDS), _short(line.quote, _MOST_SIDE_WORDS)
        says_more = len(stems(quote) - stems(title)) >= _FEWEST_NEW_STEMS
        said = f"{title}: “{quote}”" if says_more else f"“{quote}”"
        claims.append(
            Claim(kind=ClaimKind.SIDE, text=f"{letter} · {said} {_said_by(line)}".strip(), citations=(line.n,))
        )
    return claims + _tried(question, lines, one)


def _matter(one: Decision, other: Decision) -> str:
    """Name what both set, each otherwise: "two values for retry policy of search-api stand"; "" where nothing is."""
    theirs = {(element, name) for element, name, _ in other.sets}
    for element, name, _ in one.sets:
        if (element, name) in theirs:
            return f"two values for {name.replace('_', ' ')} of {element.rpartition(':')[2]} stand"
    return ""


def _headline(one: Decision, at: date | None) -> str:
    people = _names(person.name for person in one.decided_by[:3])
    day = one.decided_on or at
    when = f" {_day(day)}" if day else ""
    title = one.title.rstrip(".。")
    if one.state is State.RETRACTED:
        return f"{title}. Taken back since"
    if one.state is State.SUPERSEDED:
        told = f"{title}. No longer: replaced by a later decision"
    elif one.status is Status.REJECTED:
        told = f"{title}. Turned down{when}"
    elif one.status is Status.PROPOSED:
        told = f"{title}. Proposed{when}, not decided"
    elif one.status is Status.WITHDRAWN:
        told = f"{title}. Withdrawn{when}"
    else:
        told = f"{title}. In force since{when}" if when else f"{title}. In force"
    if one.voices.label is Verdict.FAILED and one.state is State.CURRENT:
        told = f"{told}, but it didn't work"
    return f"{told}, {people}" if people else told


def _why(group: Sequence[Evidence]) -> list[Claim]:
    """Return the reason: a quote that isn't the title again, else the recorded reason, else why the proposal lost."""
    one = group[0].decision
    title = stems(one.title)
    for line in group[1:]:
        if stems(line.quote) - title and line.quote in one.rationale:
            return [Claim(kind=ClaimKind.WHY, text=_quoted(line.quote), citations=(line.n,))]
    told = one.rationale or next((lost.reason for lost in one.alternatives if _is_turned_down(one) and lost.reason), "")
    if told:
        return [Claim(kind=ClaimKind.WHY, text=_short(told, _MOST_QUOTE_WORDS), citations=(group[0].n,))]
    if len(stems(_short(group[0].quote, _MOST_QUOTE_WORDS)) - title) >= _FEWEST_NEW_STEMS:
        return [Claim(kind=ClaimKind.WHY, text=_quoted(group[0].quote), citations=(group[0].n,))]
    return []


def _is_turned_down(one: Decision) -> bool:
    return one.status is Status.REJECTED


def _quoted(text: str) -> str:
    return f"“{_short(text, _MOST_QUOTE_WORDS)}”"


def _instead_of(group: Sequence[Evidence], *, told: str) -> list[Claim]:
    """Return what lost, each with what was held against it unless the answer has said that already."""
    one = group[0].decision
    lost = () if _is_turned_down(one) else one.alternatives[:_MOST_LOST]
    if not lost:
        return []
    against = [_short(each.reason, _MOST_LOST_WORDS) for each in lost]
    text = " · ".join(
        _option(each.option, reason if stems(reason) - stems(told) else "")
        for each, reason in zip(lost, against, strict=True)
    )
    return [Claim(kind=ClaimKind.INSTEAD_OF, text=text, citations=(group[0].n,))]


def _option(option: str, reason: str) -> str:
    if not reason:
        return option
    return f"{option}: “{reason}”" if reason[:1].isupper() else f"{option}, {reason}"


def _since(one: Decision, n: int) -> list[Claim]:
    said = []
    voices = one.voices
    if voices.label is Verdict.WORKED:
        said.append("worked")
    elif voices.label is Verdict.FAILED:
        said.append("it didn't work")
    elif failed := voices.failed + voices.pending_failed:
        said.append(f"{'1 person says' if failed == 1 else f'{failed} people say'} it didn't work")
    if one.revisit_when:
        when = _CONDITION.sub(lambda begins: begins[0].lower(), one.revisit_when)
        said.append(f"Look again: {one.revisit_when}" if said else f"look again {when}")
    return [Claim(kind=ClaimKind.SINCE, text=". ".join(said), citations=(n,))] if said else []


def _tried(question: str, lines: Sequence[Sequence[Evidence]], main: Decision) -> list[Claim]:
    """Return the first other decision on the same matter that failed or was turned down, as what was tried before."""
    matter = stems(f"{main.title} {' '.join(main.elements)}")
    asked = stems(question) | matter
    for group in lines:
        one = group[0].decision
        failed = one.voices.label is Verdict.FAILED
        theirs = stems(one.title)
        if one.id == main.id or not (group[0].cautionary or failed) or _is_other_half(one, main):
            continue
        if not theirs & matter and len(theirs & asked) < _FEWEST_SHARED:
            continue
        return [Claim(kind=ClaimKind.TRIED_BEFORE, text=one.title.rstrip("."), citations=(group[0].n,))]
    return []


def _is_other_half(one: Decision, main: Decision) -> bool:
    """Say whether it was turned down in the same breath as the main decision was made."""
    return _is_turned_down(one) and one.place == main.place


def _within(claims: Sequence[Claim], most: int) -> tuple[Claim, ...]:
    """Return the claims that fit into so many words, the first always."""
    kept: list[Claim] = []
    left = most
    for claim in claims:
        words = len(claim.text.split())
        if kept and words > left:
            continue
        kept.append(claim)
        left -= words
    return tuple(kept)


def _recommendations(lines: Sequence[Sequence[Evidence]], contested: bool) -> tuple[Recommendation, ...]:
    """Return up to three next steps: settle what is contested, else follow what stands; avoid what failed."""
    steps: list[Recommendation] = []
    sides = _standing(lines)
    if contested and len(sides) > 1:
        numbers = tuple(group[0].n for group in sides[:2])
        steps.append(
            _step(
                "settle",
                f"Settle {numbers[0]} against {numbers[1]}",
                "Two decisions stand that can't both hold.",
                numbers,
                "medium",
            )
        )
    elif sides and not sides[0][0].cautionary and sides[0][0].decision.voices.label is not Verdict.FAILED:
        line = sides[0][0]
        steps.append(_step("follow", f"Follow {line.n}", line.decision.title, (line.n,), "low"))
    for group in lines:
        one = group[0].decision
        if one.voices.label is Verdict.FAILED or one.status is Status.REJECTED:
            why = "it didn't work" if one.voices.label is Verdict.FAILED else "it was turned down"
            because = f": {_short(one.rationale, 16)}" if one.rationale else ""
            step = _step("avoid", f"Avoid {group[0].n} because {why}", f"{one.title}{because}", (group[0].n,), "medium")
            steps.append(step)
    if len(sides) > 0 and sides[0][0].decision.revisit_when:
        line = sides[0][0]
        steps.append(_step("review", f"Review {line.n}", line.decision.revisit_when, (line.n,), "low"))
    return tuple(steps[:_MOST_RECOMMENDATIONS])


def _step(kind: str, title: str, description: str, numbers: tuple[int, ...], risk: str) -> Recommendation:
    return Recommendation(
        title=title, action=title, description=description, action_type=kind, citations=numbers, risk=risk
    )


def _short(text: str, most: int) -> str:
    """Return the text's first words, verbatim, cut at a sentence or clause where one ends in time, else with "…"."""
    words = text.split()
    flat = " ".join(words)
    if len(words) <= most:
        return flat.rstrip(" ,;:")
    head = " ".join(words[:most])
    end = max(head.rfind(mark) for mark in (". ", "; ", ", ", ": "))
    return head[:end].rstrip(" ,;:.") if end > len(head) // 3 else head.rstrip(" ,;:.") + "…"


def _said_by(line: Evidence) -> str:
    return " ".join(part for part in (line.author, line.label, _day(line.at) if line.at else "") if part)


def _names(names: Iterable[str]) -> str:
    known = [name for name in names if name]
    return known[0] if len(known) == 1 else ", ".join(known[:-1]) + f" and {known[-1]}" if known else ""


def _day(day: date) -> str:
    return f"{day.day} {day:%b} {day.year}"
