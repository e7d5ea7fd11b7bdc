"""What stands behind ⋯: alternatives, history, why in this order, who said how it went, next steps, all messages."""

from __future__ import annotations

from collections.abc import Sequence

from bot.ports import Answer, Evidence, Recommendation
from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.blocks import citation, day_of, names, titled
from bot.slack.layout.kit import Block, context, divider, header, modal, section, sections
from bot.slack.layout.ordering import why_here
from bot.slack.layout.surface import main_decision, outcome_words, to_words
from bot.slack.layout.text import NOTHING, Mrkdwn, bold, day, inert, italic, join
from store import Alternative, Decision, State, Status, Verdict, Vote

LINES_MAX = 20
"""A list as long as a screen or two; a section takes 3,000 characters in any case."""
QUOTE_WORDS = 60
REASON_WORDS = 60
TITLE_WORDS = 30


def details_view(answer: Answer, *, history: Sequence[Decision] = (), votes: Sequence[Vote] = ()) -> Block:
    """Open what an answer rests on and what came before.

    Args:
        answer: as its reader may see it.
        history: decisions on the main one's topic, oldest first, that the reader may read.
        votes: the standing votes on the main decision that the reader may read.
    """
    main = main_decision(answer)
    parts = (
        (words.DETAILS_ALTERNATIVES, [_alternative(option) for option in main.alternatives] if main else []),
        (words.DETAILS_HISTORY, [_event(decision) for decision in history]),
        (words.DETAILS_NEXT, _steps(answer)),
        (words.DETAILS_VOTES, _votes(main, votes)),
        (words.DETAILS_ORDER, _order(answer)),
        (words.DETAILS_ALL, _sources((*answer.evidence, *answer.nearest))),
    )
    blocks: list[Block | None] = []
    for title, lines in parts:
        if lines:
            blocks += [divider() if blocks else None, header(title), *_listed(lines)]
    blocks = blocks or [section(Mrkdwn(words.DETAILS_NONE))]
    metadata = act.encode(session=answer.session)
    return modal(words.TITLE_DETAILS, blocks, callback_id=act.CALLBACK_DETAILS, metadata=metadata)


def _listed(lines: Sequence[Mrkdwn]) -> list[Block | None]:
    """Return the lines, and how many more there are."""
    further = len(lines) - LINES_MAX
    more = Mrkdwn(words.DETAILS_FURTHER.format(count=further)) if further > 0 else NOTHING
    return [*sections(lines[:LINES_MAX]), context(more)]


def _alternative(option: Alternative) -> Mrkdwn:
    """Return "*Elasticsearch*: a second cluster"."""
    reason = inert(to_words(option.reason, REASON_WORDS)) if option.reason.strip() else NOTHING
    return join(": ", (bold(inert(to_words(option.option, TITLE_WORDS))), reason))


def _event(decision: Decision) -> Mrkdwn:
    """Return "4 Mar 2026 · *Search stays on Postgres* · in force · Lena and Omar"."""
    said = names([person.name for person in decision.decided_by])
    title = bold(titled(decision, TITLE_WORDS))
    return join(" · ", (day_of(decision), title, Mrkdwn(standing(decision)), said))


def standing(decision: Decision) -> str:
    """Say where a decision stands: in force, replaced, removed, turned down."""
    if decision.state is not State.CURRENT or decision.status is Status.ACCEPTED:
        return words.STATES[decision.state]
    return words.NOT_IN_FORCE[decision.status]


def _steps(answer: Answer) -> list[Mrkdwn]:
    """Return the next steps; by rules alone, what the first line says already is no news."""
    steps = (step for step in answer.recommendations if answer.worded_by or not _is_said(step, answer))
    return [_step(step, answer) for step in steps]


def _is_said(step: Recommendation, answer: Answer) -> bool:
    cited = {line.decision.id for line in answer.evidence if line.n in step.citations}
    return step.action_type == "follow" or (step.action_type == "avoid" and cited == {answer.main})


def _step(step: Recommendation, answer: Answer) -> Mrkdwn:
    """Return a next step, and what people turned down of its kind before."""
    marks = Mrkdwn(" ".join(f"[{number}]" for number in step.citations))
    if not answer.worded_by:
        first = Mrkdwn(_lead(step, answer))
        return join("\n", (join(" ", (bold(first), _titles(step, answer), marks)), _turned_down(step)))
    said = bold(inert(to_words(step.action or step.title, REASON_WORDS)))
    why = inert(to_words(step.description, REASON_WORDS)) if step.description.strip() else NOTHING
    risk = _turned_down(step) or Mrkdwn(words.RISKS.get(step.risk, ""))
    return join("\n", (join(" ", (said, marks)), why, risk))


def _lead(step: Recommendation, answer: Answer) -> str:
    cited = [line.decision for line in answer.evidence if line.n in step.citations]
    if step.action_type == "avoid" and any(one.voices.label is Verdict.FAILED for one in cited):
        return words.STEP_FAILED
    return words.STEPS.get(step.action_type, words.STEP)


def _titles(step: Recommendation, answer: Answer) -> Mrkdwn:
    """Name the decisions that a step rests on, each once."""
    cited = {line.decision.id: line.decision for line in answer.evidence if line.n in step.citations}
    return join(" / ", [inert(to_words(one.title, TITLE_WORDS)) for one in cited.values()])


def _turned_down(step: Recommendation) -> Mrkdwn:
    """Say that a step's like was turned down before, and why; nothing where it wasn't."""
    known = [words.WARNINGS.get(warning, "") or inert(warning) for warning in step.precedent_warnings or ()]
    if not known:
        return NOTHING
    often = words.TURNED_DOWN_OFTEN if step.risk == "high" else words.TURNED_DOWN_ONCE
    return Mrkdwn(often.format(why=", ".join(dict.fromkeys(known))))


def _votes(main: Decision | None, votes: Sequence[Vote]) -> list[Mrkdwn]:
    """Return who said what, each with their reason, after what it comes to."""
    if main is None or not votes:
        return []
    total = [Mrkdwn(line[:1].upper() + line[1:]) for line in outcome_words(main)]
    return [*(italic(line) for line in total), *(_vote(vote, main) for vote in votes)]


def _vote(vote: Vote, main: Decision) -> Mrkdwn:
    """Return "Lena: It worked, "80 ms at p95" · 4 Mar 2026"; a lone voice without a reason counts later."""
    pending = {Verdict.WORKED: main.voices.pending_worked, Verdict.FAILED: main.voices.pending_failed}
    waits = not vote.counts and not vote.reason.strip() and pending[vote.verdict] > 0
    reason = inert(f'"{to_words(vote.reason, REASON_WORDS)}"') if vote.reason.strip() else NOTHING
    said = join(": ", (names([vote.voter.name]), Mrkdwn(words.VOTED[vote.verdict])))
    return join(" · ", (join(", ", (said, reason)), day(vote.at), Mrkdwn(words.NOT_COUNTED_YET if waits else "")))


def _order(answer: Answer) -> list[Mrkdwn]:
    """Return why each decision stands where it stands, once each and in words; a lone one needs no reason."""
    told: dict[str, Mrkdwn] = {}
    for line in answer.evidence:
        if line.decision.id not in told and (why := why_here(line.reasons)):
            place = Mrkdwn(f"{len(told) + 1}.")
            title = bold(inert(to_words(line.decision.title, TITLE_WORDS)))
            told[line.decision.id] = join(" ", (place, join(": ", (title, Mrkdwn(why)))))
    return list(told.values()) if len(told) > 1 else []


def _sources(lines: Sequence[Evidence]) -> list[Mrkdwn]:
    """Return whole citations with their quotes, a message once: "[5] [7] Kofi #orders 13 Jan: …"."""
    told: dict[tuple[str, str], list[Evidence]] = {}
    for line in lines:
        told.setdefault((line.permalink or str(line.n), line.quote), []).append(line)
    return [_source(first, also=rest) for first, *rest in told.values()]


def _source(line: Evidence, also: Sequence[Evidence]) -> Mrkdwn:
    quote = inert(f'"{to_words(line.quote, QUOTE_WORDS)}"') if line.quote.strip() else NOTHING
    return join(": ", (citation(line, also=also), quote))
