"""From ranked decisions to the numbered lines that an answer may cite.

A line is a verbatim quote of its decision's place: what somebody wrote, or what a record's own text says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date

from bot.ports import Evidence
from store import Decision, Place, Quote, Ranked, State, Status, Verdict, Vote, stems

MOST_LINES = 10
"""Two for each of the five decisions that recall returns; more is not read and costs tokens."""
MOST_OF_THE_FIRST = 3
MOST_OF_THE_OTHERS = 2
MOST_QUOTE_CHARS = 400
"""A paragraph; whole records stay behind `why show`."""
SURE_FROM = 0.12
"""Fit below which what comes first is more often wrong than right: 5 right of 35 of two companies' questions, 53 of
111 above. Without vectors the scores are others, so nothing is said of them."""

MEANT = 0.5
"""Cosine from which a decision is near a question without a word of it: below, the vectors bring up what merely comes
first of what has nothing to do with it."""

Label = Callable[[Place], str]
"""Says what people call a place: `#search`."""


def evidence_of(
    ranked: Sequence[Ranked], *, label: Label, question: str = "", start: int = 1, most: int = MOST_LINES
) -> tuple[Evidence, ...]:
    """Number the quotes of ranked decisions, best first: at least one line each, `most` at most.

    The first decision shows up to three quotes and the others two, as far as there is room; places of other scopes
    that state the same come first of those, with the quote that decides there. Given the question, a line says whether
    its decision is unsure to be what was meant.
    """
    shown = list(ranked[:most])
    wanted = [_said(one)[: MOST_OF_THE_FIRST if index == 0 else MOST_OF_THE_OTHERS] for index, one in enumerate(shown)]
    room = most - len(shown)
    lines: list[Evidence] = []
    for one, quotes in zip(shown, wanted, strict=True):
        extra = min(room, len(quotes) - 1)
        room -= extra
        for decision, quote in quotes[: 1 + extra]:
            line = _line(start + len(lines), one, quote, label, unsure=is_unsure(one, question))
            lines.append(line if decision is one.decision else _elsewhere(line, decision, label))
    return tuple(lines)


def is_unsure(one: Ranked, question: str) -> bool:
    """Say whether a decision fits a question so little that it may not be what was meant.

    What came of it plays no part, and what has half of the question's words is meant whatever it scores: in a
    memory of few decisions no word is rare.
    """
    reasons = {reason.name: reason.value for reason in one.reasons}
    if "meaning" not in reasons or one.score >= SURE_FROM * reasons.get("outcome", 1.0):
        return False
    asked = stems(question)
    return 2 * len(asked & stems(_words_of_decision(one.decision))) < len(asked)


def is_near(one: Ranked, question: str) -> bool:
    """Say whether a decision that answers nothing is worth naming: it has a word of the question, or means it."""
    meant = next((reason.value for reason in one.reasons if reason.name == "meaning"), 0.0)
    asked = {stem for stem in stems(question) if not stem.isdigit()}
    return meant >= MEANT or bool(asked & stems(_words_of_decision(one.decision)))


def words_of(line: Evidence) -> str:
    """Return everything that a claim on this line may rest on: the quote and the decision's own fields."""
    own = [line.quote, line.author, line.label, _dates(line.at) if line.at else ""]
    return "\n".join((*(part for part in own if part), _words_of_decision(line.decision)))


def _words_of_decision(one: Decision) -> str:
    parts = [one.title, one.rationale, one.text[: 4 * MOST_QUOTE_CHARS]]
    parts += [quote.quote for quote in one.evidence] + [quote.author for quote in one.evidence]
    parts += [person.name for person in one.decided_by]
    parts += [f"{option.option}: {option.reason}" for option in one.alternatives]
    parts += [*one.trade_offs, *one.edge_cases, *one.tags, *one.elements, one.revisit_when, one.place.ref]
    parts += [" ".join(triple) for triple in (*one.sets, *one.links, *one.unlinks)]
    parts += [one.status.value, one.state.value, one.voices.label.value if one.voices.label else ""]
    parts += [_standing(one), _dates(one.decided_on) if one.decided_on else ""]
    return "\n".join(part for part in parts if part)


def standing_of(decision: Decision) -> str:
    """Return in the log's own words what keeps a decision from simply being in force, or ""."""
    if decision.state is not State.CURRENT:
        return decision.state.value
    return "" if decision.status.value == "accepted" else decision.status.value


def people_of(decisions: Iterable[Decision]) -> tuple[str, ...]:
    """Return the names of who decided, else of who is quoted, each once, in order."""
    names: dict[str, None] = {}
    for one in decisions:
        for name in [person.name for person in one.decided_by] or [quote.author for quote in one.evidence]:
            if name:
                names[name] = None
    return tuple(names)


def said_by(votes: Iterable[Vote]) -> dict[Verdict, tuple[str, ...]]:
    """Return who says what came of a decision, by name: whose word counts by itself first, then as they said so."""
    ordered = sorted(votes, key=lambda vote: (not vote.counts, vote.at, vote.voter.id))
    return {side: tuple(vote.voter.name for vote in ordered if vote.verdict is side) for side in Verdict}


def _said(one: Ranked) -> list[tuple[Decision, Quote]]:
    """Return what a decision rests on: its deciding words, those of each place that states the same, then the rest."""
    own = [(one.decision, quote) for quote in _quotes(one.decision)]
    elsewhere = [(each, _quotes(each)[0]) for each in one.also]
    return [own[0], *elsewhere, *own[1:]]


def _elsewhere(line: Evidence, decision: Decision, label: Label) -> Evidence:
    """Return a line of the same decision as another place states it: who may read that is its own matter."""
    permalink = line.permalink if line.permalink != line.decision.place.permalink else decision.place.permalink
    return replace(line, decision=decision, label=label(decision.place), permalink=permalink, same_as=line.decision.id)


def _quotes(decision: Decision) -> list[Quote]:
    """Return a decision's quotes, the first of each of its places first."""
    said = [quote for quote in decision.evidence if quote.quote.strip()]
    if said:
        firsts = {place_of(decision, quote).anchor: quote for quote in reversed(said)}
        return sorted(said, key=lambda quote: quote is not firsts[place_of(decision, quote).anchor])
    own = next((text for text in (decision.rationale, decision.text, decision.title) if text.strip()), "(text removed)")
    return [Quote(quote=own, permalink=decision.place.permalink)]


def place_of(decision: Decision, quote: Quote) -> Place:
    """Return the place of a decision in which a quote was said, as its turn's name tells; else where it was decided."""
    further = decision.places[1:] if quote.turn_id else ()
    names = ((each, each.anchor.partition("/")[0] if each.source == "slack" else each.anchor) for each in further)
    return next((each for each, name in names if quote.turn_id.startswith(name)), decision.place)


def _line(n: int, one: Ranked, quote: Quote, label: Label, *, unsure: bool) -> Evidence:
    return Evidence(
        n=n,
        decision=one.decision,
        quote=_clipped(quote.quote),
        author=quote.author or (one.decision.decided_by[0].name if one.decision.decided_by else ""),
        at=quote.at.date() if quote.at else one.decision.decided_on,
        permalink=quote.permalink or one.decision.place.permalink,
        label=label(place_of(one.decision, quote)),
        score=round(one.score, 4),
        cautionary=one.cautionary,
        unsure=unsure,
        reasons=tuple(
            f"{reason.name} {reason.value:.2f}" + (f" ({reason.note})" if reason.note else "") for reason in one.reasons
        ),
    )


def _clipped(text: str) -> str:
    """Return the beginning of a long quote, whole sentences where one ends in time; still verbatim."""
    text = text.strip()
    if len(text) <= MOST_QUOTE_CHARS:
        return text
    head = text[:MOST_QUOTE_CHARS]
    end = max(head.rfind(mark) for mark in (". ", "! ", "? ", "\n"))
    return head[: end + 1].strip() if end > MOST_QUOTE_CHARS // 3 else head.rsplit(" ", 1)[0]


def _standing(decision: Decision) -> str:
    """Return the words in which an answer may say where a decision stands and what came of it."""
    voices = decision.voices
    said = ["in force since" if decision.state is State.CURRENT else "replaced by another, no longer in force"]
    if voices.worked or voices.pending_worked:
        said.append(f"worked, say {voices.worked + voices.pending_worked} people")
    if voices.failed or voices.pending_failed:
        said.append(f"failed, didn't work, say {voices.failed + voices.pending_failed} people")
    if decision.status in (Status.REJECTED, Status.WITHDRAWN):
        said.append("was turned down")
    return ", ".join(said)


def _dates(day: date) -> str:
    return f"{day.isoformat()} {day.day} {day:%b} {day.year} {day:%B}"
