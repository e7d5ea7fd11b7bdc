"""What a channel's weekly digest says: laid out in twelve lines at most, about decisions, never about people. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.slack.answering.gaps import Gap
from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.blocks import day_of, titled
from bot.slack.layout.kit import Block, Message, actions, button, context, message, sections
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import Mrkdwn, bold, inert, join, link
from store import Conflict, Decision, Status

LINES_MAX = 12
"""PEOPLE.md: 12 lines at most, heading, small print and button among them."""
ITEMS_MAX = LINES_MAX - 5
"""Lines for things: a heading that wraps, how many more there are, the small print and the button take five."""
TITLE_WORDS = 16
QUESTION_WORDS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """What was new in a channel, each list with what matters most first."""

    channel: str
    """Its id."""
    label: str
    """What people call it: "#search"."""
    decided: Sequence[Decision] = ()
    """First those that were told nowhere, since the day's messages were used up."""
    contested: Sequence[Conflict] = ()
    results: Sequence[Decision] = ()
    waiting: Sequence[Decision] = ()
    questions: Sequence[Gap] = ()

    @property
    def is_new(self) -> bool:
        """Whether there is anything to tell; that people are asked how it went is nothing new."""
        return any((self.decided, self.contested, self.results, self.questions))

    @property
    def shown(self) -> tuple[str, ...]:
        """The ids of all decisions that the digest may show."""
        contested = [head for one in self.contested for head in one.heads]
        return tuple({one.id: "" for one in (*self.decided, *contested, *self.results, *self.waiting)})


def digest(week: Week, *, stopped_by: str = "") -> Message:
    """Lay out a week; `stopped_by` names who switched the digest off since."""
    counts = (
        (words.DIGEST_DECIDED, len(week.decided)),
        (words.DIGEST_CONTESTED, len(week.contested)),
        (words.DIGEST_RESULTS, len(week.results)),
        (words.DIGEST_WAITING, len(week.waiting)),
        (words.DIGEST_QUESTIONS, len(week.questions)),
    )
    told = Mrkdwn(" · ".join(words.counted(forms, count) for forms, count in counts if count))
    heading = join(" ", (bold(Mrkdwn(words.DIGEST_HEADING.format(channel=inert(week.label)))), told))
    lists = (
        [_decided(one) for one in week.decided],
        [_contested(one) for one in week.contested],
        [_result(one) for one in week.results],
        [_waiting(one) for one in week.waiting],
        [_question(one) for one in week.questions],
    )
    kept = shares([len(one) for one in lists], ITEMS_MAX)
    items = [line for lines, count in zip(lists, kept, strict=True) for line in lines[:count]]
    left = sum(map(len, lists)) - len(items)
    more = [Mrkdwn(words.counted(words.DIGEST_MORE, left))] if left else []
    return message([*sections([heading, *items, *more]), *_ending(week, stopped_by)])


def shares(wanted: Sequence[int], room: int) -> tuple[int, ...]:
    """Return how many lines each list gets: one by one in turn, so that none starves another."""
    given = [0] * len(wanted)
    while room and any(have < want for have, want in zip(given, wanted, strict=True)):
        for index, want in enumerate(wanted):
            if room and given[index] < want:
                given[index] += 1
                room -= 1
    return tuple(given)


def _ending(week: Week, stopped_by: str) -> list[Block | None]:
    if stopped_by:
        return [context(Mrkdwn(words.DIGEST_STOPPED.format(name=inert(stopped_by))))]
    stop = button(
        words.DIGEST_STOP, act.ACTION_DIGEST_STOP, act.encode(channel=week.channel), said=words.DIGEST_STOP_SAID
    )
    return [context(Mrkdwn(words.DIGEST_WHY)), actions([stop])]


def _decided(decision: Decision) -> Mrkdwn:
    label = words.DIGEST_TURNED_DOWN if decision.status is Status.REJECTED else words.DIGEST_NEW
    return join(" ", (Mrkdwn(label), _title(decision), Mrkdwn("·"), day_of(decision)))


def _contested(conflict: Conflict) -> Mrkdwn:
    return join(" ", (Mrkdwn(words.CONTESTED.strip()), join(" ↔ ", [_title(one) for one in conflict.heads[:2]])))


def _result(decision: Decision) -> Mrkdwn:
    label = words.VOTED[decision.voices.label] if decision.voices.label else ""
    return join(" ", (Mrkdwn(f"{label}:"), _title(decision)))


def _waiting(decision: Decision) -> Mrkdwn:
    return join(" ", (Mrkdwn(words.FOLLOW_HOW), _title(decision)))


def _question(gap: Gap) -> Mrkdwn:
    label = words.DIGEST_ANSWERED if gap.answered else words.DIGEST_ASKED
    return join(" ", (Mrkdwn(label), link(gap.permalink, inert(to_words(gap.question, QUESTION_WORDS)))))


def _title(decision: Decision) -> Mrkdwn:
    return titled(decision, TITLE_WORDS)
