"""Home's lists for everybody: the search, what waits for one's word, what is recent, what was asked.

Each list has a most, so that a Home stays within Slack's 100 blocks whatever there is.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.proposing import Offered
from bot.slack.answering.gaps import Gap
from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.blocks import day_of, names, titled
from bot.slack.layout.details import standing
from bot.slack.layout.kit import (
    BLOCK_ID_MAX,
    Block,
    actions,
    button,
    context,
    divider,
    header,
    modal,
    search_input,
    section,
)
from bot.slack.layout.surface import outcome_words, to_words
from bot.slack.layout.text import NOTHING, Mrkdwn, bold, code, day, inert, join, link
from bot.slack.unasked import how_it_went
from bot.slack.unasked.followups import FollowUp
from bot.sources.slack import channel_id
from store import Conflict, Decision, Happening, OutcomeProposal, Quote, Trajectory, Verdict

CONFIRM_MAX = 3
CONTESTED_MAX = 3
WENT_MAX = 3
CAME_MAX = 3
RECENT_MAX = 6
ASKED_MAX = 3
QUESTIONS_SHOWN = 5
QUESTIONS_MAX = 20
"""PEOPLE.md: the last 20, reopenable."""
TITLE_WORDS = 24
QUESTION_WORDS = 24
QUOTE_WORDS = 24

Where = dict[str, str]
"""What people call a channel ("#search"), by its id."""


def hello() -> list[Block | None]:
    """Tell a newcomer in two lines what this is and what to do."""
    how = join(" ", (Mrkdwn(words.HOME_HELLO_HOW), Mrkdwn(words.HOME_HELLO_ASK.format(command=_command()))))
    return [section(join("\n", (bold(Mrkdwn(words.HOME_HELLO)), how)))]


def search(last: str = "") -> list[Block | None]:
    """Return the field to ask in, empty again after each question: `last` is the session of the one before."""
    return [
        search_input(
            f"{act.ACTION_SEARCH}:{last}"[:BLOCK_ID_MAX],
            words.SEARCH_LABEL,
            act.ACTION_SEARCH,
            placeholder=words.SEARCH_PLACEHOLDER,
            hint=words.SEARCH_HINT,
        )
    ]


def to_confirm(waiting: Sequence[Decision], where: Where) -> list[Block | None]:
    """Return captures that wait for somebody's word, with the words that they rest on."""
    if not waiting:
        return []
    found: list[Block | None] = [*_headed(words.HOME_CONFIRM), context(Mrkdwn(words.HOME_CONFIRM_NOTE))]
    for one in waiting[:CONFIRM_MAX]:
        value = act.encode(decision=one.id)
        row = (
            button(words.THATS_RIGHT, act.ACTION_CONFIRM, value, said=words.THATS_RIGHT_SAID),
            button(words.NO, act.ACTION_DENY, value, said=words.NO_SAID),
            button(words.EDIT, act.ACTION_EDIT, value),
        )
        found += [section(join("\n", (_title(one), _quoted(one.evidence, where, one)))), actions(row)]
    return [*found, _further(waiting, CONFIRM_MAX)]


def contested(conflicts: Sequence[Conflict], where: Where) -> list[Block | None]:
    """Return what can't both hold: the two latest of each, with a way to settle it."""
    if not conflicts:
        return []
    found: list[Block | None] = _headed(words.HOME_CONTESTED)
    for one in conflicts[:CONTESTED_MAX]:
        first, second = one.heads[-2:]
        value = act.encode(decision=second.id, other=first.id)
        row = (button(words.LOOK, act.ACTION_LOOK, value), button(words.SETTLE, act.ACTION_SETTLE, value))
        sides = [
            join(" · ", (join(" ", (Mrkdwn(f"{letter} ·"), _title(side))), _told(side, where)))
            for letter, side in (("A", first), ("B", second))
        ]
        found += [section(join("\n", (Mrkdwn(f"⚠ {words.HOME_CONTESTED_SIDES}"), *sides))), actions(row)]
    return [*found, _further(conflicts, CONTESTED_MAX)]


def how_did_it_go(asked: Sequence[FollowUp], where: Where) -> list[Block | None]:
    """Return what somebody is asked the outcome of."""
    if not asked:
        return []
    found: list[Block | None] = _headed(words.HOME_WENT)
    for one in asked[:WENT_MAX]:
        row = [*how_it_went.buttons(one), how_it_went.stop()]
        found += [section(join("\n", (_title(one.decision), _told(one.decision, where)))), actions(row)]
    return [*found, _further(asked, WENT_MAX)]


def what_came(asked: Sequence[Offered], where: Where) -> list[Block | None]:
    """Return what other systems report of somebody's decisions, to be noted or passed over."""
    if not asked:
        return []
    found: list[Block | None] = [*_headed(words.HOME_CAME), context(Mrkdwn(words.HOME_CAME_NOTE))]
    for one in asked[:CAME_MAX]:
        report = one.proposal
        value = act.encode(decision=report.decision, other=f"{report.place.source}:{report.place.anchor}")
        verdicts = {Verdict.FAILED: act.ACTION_CAME_FAILED, Verdict.WORKED: act.ACTION_CAME_WORKED}
        likeliest = sorted(verdicts, key=lambda verdict: verdict is not report.verdict)
        row = [
            *(button(words.OUTCOME_CHOICES[verdict], verdicts[verdict], value) for verdict in likeliest),
            button(words.CAME_NOT[report.kind], act.ACTION_CAME_NOT, value, said=words.CAME_NOT_SAID),
        ]
        asking = join("\n", (_title(one.decision), _told(one.decision, where), _reported(report)))
        found += [section(asking), actions(row)]
    return [*found, _further(asked, CAME_MAX)]


def _reported(report: OutcomeProposal) -> Mrkdwn:
    """Return "Incident 318 on 13 Feb: did this fail?", linked to the report."""
    ref = inert((report.place.ref or report.place.anchor).rpartition("incident:")[2])
    called = Mrkdwn(words.CAME_INCIDENT.format(number=ref)) if report.kind is Happening.INCIDENT else ref
    asked = words.CAME_ASKED[report.kind]
    return Mrkdwn(asked.format(report=link(report.place.permalink, called), day=day(report.happened_at)))


def recent(decisions: Sequence[Decision], where: Where) -> list[Block | None]:
    """Return what is in force of late: who, where, when, and what came of it; one more than shown says so."""
    lines = [section(join("\n", (_title(one), _stands(one, where)))) for one in decisions[:RECENT_MAX]]
    more = Mrkdwn(words.HOME_RECENT_MORE.format(command=_command())) if len(decisions) > RECENT_MAX else NOTHING
    return [*_headed(words.HOME_RECENT), *(lines or [section(Mrkdwn(words.HOME_RECENT_NONE))]), context(more)]


def asked_openly(gaps: Sequence[Gap], where: Where) -> list[Block | None]:
    """Return questions that their askers made public in one's channels, and that nothing answers yet."""
    if not gaps:
        return []
    lines = [
        section(
            join(
                " · ",
                (
                    link(one.permalink, inert(to_words(one.question, QUESTION_WORDS))),
                    inert(where.get(one.channel, "")),
                    day(one.asked_at),
                ),
            )
        )
        for one in gaps[:ASKED_MAX]
    ]
    return [*_headed(words.HOME_ASKED), *lines, _further(gaps, ASKED_MAX)]


def questions(asked: Sequence[Trajectory]) -> list[Block | None]:
    """Return somebody's own latest questions; the others wait behind a button."""
    shown = asked[:QUESTIONS_SHOWN]
    none = section(Mrkdwn(words.HOME_QUESTIONS_NONE.format(command=_command())))
    every = button(words.HOME_QUESTIONS_ALL, act.ACTION_ALL_QUESTIONS) if len(asked) > len(shown) else None
    lines = [_question(one) for one in shown] or [none]
    return [*_headed(words.HOME_QUESTIONS), context(Mrkdwn(words.HOME_QUESTIONS_NOTE)), *lines, actions([every])]


def questions_view(asked: Sequence[Trajectory]) -> Block:
    """Open somebody's own last questions."""
    lines = [_question(one) for one in asked[:QUESTIONS_MAX]]
    return modal(words.HOME_QUESTIONS, [context(Mrkdwn(words.HOME_QUESTIONS_NOTE)), *lines])


def _question(asked: Trajectory) -> Block | None:
    return section(
        join(" · ", (inert(to_words(asked.question, QUESTION_WORDS)), day(asked.asked_at))),
        accessory=button(words.OPEN_AGAIN, act.ACTION_REOPEN, act.encode(session=asked.session)),
    )


def _headed(title: str) -> list[Block | None]:
    return [divider(), header(title)]


def _further(every: Sequence[object], shown: int) -> Block | None:
    """Say how many more there are, where there are more."""
    more = len(every) - shown
    return context(Mrkdwn(words.HOME_MORE.format(count=more))) if more > 0 else None


def _title(decision: Decision) -> Mrkdwn:
    return bold(titled(decision, TITLE_WORDS))


def _told(decision: Decision, where: Where) -> Mrkdwn:
    """Return "Lena and Omar · #search · 4 Mar"."""
    said = names([person.name for person in decision.decided_by])
    channel = inert(where.get(channel_id(decision.place), "") or decision.place.ref)
    return join(" · ", (said, channel, day_of(decision)))


def _stands(decision: Decision, where: Where) -> Mrkdwn:
    """Return where a decision stands, who decided it, where and when, and what came of it."""
    came = decision.voices.label in (Verdict.WORKED, Verdict.FAILED)
    outcome = Mrkdwn(outcome_words(decision)[0]) if came else NOTHING
    return join(" · ", (Mrkdwn(standing(decision).capitalize()), _told(decision, where), outcome))


def _quoted(evidence: Sequence[Quote], where: Where, decision: Decision) -> Mrkdwn:
    """Return '"then we stay on pg" Lena · #search · 4 Mar', the words that decided it."""
    channel = inert(where.get(channel_id(decision.place), ""))
    for quote in evidence[-1:]:
        said = join(" ", (inert(f'"{to_words(quote.quote, QUOTE_WORDS)}"'), names([quote.author])))
        return join(" · ", (said, channel, day(quote.at)))
    return join(" · ", (channel, day_of(decision)))


def _command() -> Mrkdwn:
    return code(Mrkdwn(words.ASK_COMMAND))
