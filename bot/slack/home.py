"""The Home tab: what was decided lately in one's channels, one's own questions, what is kept of one's messages."""

from __future__ import annotations

from collections.abc import Sequence

from bot.slack import actions as act
from bot.slack import words
from bot.slack.blocks import names
from bot.slack.details import standing
from bot.slack.kit import Block, button, context, divider, header, home, section
from bot.slack.surface import to_words
from bot.slack.text import Mrkdwn, bold, code, day, inert, join, link
from store import Decision, Quote, Trajectory

RECENT_MAX = 10
QUESTIONS_MAX = 20
"""PEOPLE.md: the last 20, reopenable."""
QUOTES_MAX = 10
TITLE_WORDS = 24
QUESTION_WORDS = 24
QUOTE_WORDS = 24


def home_view(
    *, recent: Sequence[Decision] = (), questions: Sequence[Trajectory] = (), mine: Sequence[Quote] = (), kept: int = 0
) -> Block:
    """Lay out somebody's Home.

    Args:
        recent: what they may read of late, newest first.
        questions: what they asked, newest first; shown to nobody else.
        mine: their own messages that decisions rest on, newest first.
        kept: how many of these there are in all.
    """
    return home([*_recent(recent), divider(), *_questions(questions), divider(), *_mine(mine, max(kept, len(mine)))])


def _recent(recent: Sequence[Decision]) -> list[Block | None]:
    lines = [section(_decided(decision)) for decision in recent[:RECENT_MAX]]
    return [header(words.HOME_RECENT), *(lines or [section(Mrkdwn(words.HOME_RECENT_NONE))])]


def _decided(decision: Decision) -> Mrkdwn:
    """Return "*Search stays on Postgres*" with who decided and when below it."""
    title = bold(link(decision.place.permalink, inert(to_words(decision.title, TITLE_WORDS))))
    said = names([person.name for person in decision.decided_by])
    told = join(
        " · ", (Mrkdwn(standing(decision).capitalize()), said, day(decision.decided_on or decision.recorded_at))
    )
    return join("\n", (title, told))


def _questions(questions: Sequence[Trajectory]) -> list[Block | None]:
    shown = [asked for asked in questions if asked.question.strip()][:QUESTIONS_MAX]
    lines = [
        section(
            join(" · ", (inert(to_words(asked.question, QUESTION_WORDS)), day(asked.asked_at))),
            accessory=button(words.OPEN_AGAIN, act.ACTION_REOPEN, act.encode(session=asked.session)),
        )
        for asked in shown
    ]
    none = section(Mrkdwn(words.HOME_QUESTIONS_NONE.format(command=code(Mrkdwn(words.ASK_COMMAND)))))
    return [header(words.HOME_QUESTIONS), context(Mrkdwn(words.HOME_QUESTIONS_NOTE)), *(lines or [none])]


def _mine(mine: Sequence[Quote], kept: int) -> list[Block | None]:
    """Return what is kept of somebody's messages, each with a way to take it out."""
    if not mine:
        return [header(words.HOME_DATA), section(Mrkdwn(words.HOME_DATA_NONE))]
    shown = mine[:QUOTES_MAX]
    count = words.counted(words.HOME_DATA_KEPT, kept)
    latest = words.HOME_DATA_SHOWN.format(count=len(shown)) if kept > len(shown) else ""
    lines = [
        section(
            join(" · ", (link(quote.permalink, inert(f'"{to_words(quote.quote, QUOTE_WORDS)}"')), day(quote.at))),
            accessory=button(words.TAKE_OUT, act.ACTION_TAKE_OUT, act.encode(turn=quote.turn_id)),
        )
        for quote in shown
    ]
    return [
        header(words.HOME_DATA),
        section(join(" ", (Mrkdwn(count), Mrkdwn(latest)))),
        *lines,
        context(Mrkdwn(words.HOME_DATA_HOW)),
    ]
