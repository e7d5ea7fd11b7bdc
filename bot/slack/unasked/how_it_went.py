"""How the question "how did it go?" looks: asked, answered, put off, stopped. Pure layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.kit import Block, actions, button, section
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import Mrkdwn, bold, day, inert, join, link
from bot.slack.unasked.followups import FollowUp, said_at
from store import Decision, Verdict

TITLE_WORDS = 24
_TWO_WEEKS = (timedelta(days=12), timedelta(days=18))
"""What people would call two weeks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is said of one thing in a message that may say several, and the decisions that it shows."""

    blocks: Sequence[Block | None]
    decisions: tuple[str, ...] = ()


def part(asked: FollowUp | None, *, now: datetime, alone: bool, stopped: bool) -> Part:
    """Lay out one question, or what became of it.

    Args:
        asked: None where whoever was asked can't read it any more.
        now: for "two weeks ago".
        alone: it is the only one of its message, which then has its "stop" here.
        stopped: they don't want to be asked any more.
    """
    if asked is None:
        return Part(blocks=[section(Mrkdwn(words.FOLLOW_GONE))])
    decision = asked.decision
    value, decisions = act.encode(decision=decision.id), (str(decision.id),)
    if asked.answered:
        return Part(
            blocks=[section(_answered(asked), accessory=_undo(act.ACTION_FOLLOW_UNDO, value))], decisions=decisions
        )
    if stopped:
        line = [_stopped_line()] if alone else []
        return Part(blocks=[*line, section(_title(decision))], decisions=decisions)
    question = join(" ", (_when(decision, now), Mrkdwn(f"{bold(_title(decision))}.")))
    if alone:
        question = join(" ", (question, Mrkdwn(words.FOLLOW_HOW)))
    row = [*buttons(asked), *([stop()] if alone else [])]
    return Part(blocks=[section(question), actions(row)], decisions=decisions)


def heading(*, stopped: bool) -> Block | None:
    """Return the first line of a message that asks about several: the question, or that it is asked no more."""
    if stopped:
        return _stopped_line()
    return section(bold(Mrkdwn(words.FOLLOW_SEVERAL)), accessory=stop())


def _stopped_line() -> Block | None:
    return section(bold(Mrkdwn(words.FOLLOW_STOPPED)), accessory=_undo(act.ACTION_FOLLOW_RESUME, ""))


def _when(decision: Decision, now: datetime) -> Mrkdwn:
    at = said_at(decision)
    if _TWO_WEEKS[0] <= now - at <= _TWO_WEEKS[1]:
        return Mrkdwn(words.FOLLOW_TWO_WEEKS)
    return Mrkdwn(f"{day(at)}:")


def _title(decision: Decision) -> Mrkdwn:
    return link(decision.place.permalink, inert(to_words(decision.title, TITLE_WORDS).removesuffix(".")))


def _answered(asked: FollowUp) -> Mrkdwn:
    noted = words.VOTE_COUNTED[asked.said] if asked.said else words.FOLLOW_AGAIN.format(day=day(asked.again_at))
    return join(" ", (bold(Mrkdwn(noted)), _title(asked.decision)))


def buttons(asked: FollowUp) -> list[Block]:
    """Return what can be answered to a question; "too early" only as long as it is asked again."""
    value = act.encode(decision=asked.decision.id)
    row = [
        button(words.FOLLOW_WORKED, act.ACTION_FOLLOW_WORKED, value, said=words.OUTCOME_CHOICES[Verdict.WORKED]),
        button(words.FOLLOW_FAILED, act.ACTION_FOLLOW_FAILED, value, said=words.OUTCOME_CHOICES[Verdict.FAILED]),
    ]
    early = button(words.FOLLOW_EARLY, act.ACTION_FOLLOW_EARLY, value, said=words.FOLLOW_EARLY_SAID)
    return [*row, early] if asked.may_wait else row


def stop() -> Block:
    """Return the button by which somebody is asked no more how decisions went."""
    return button(words.FOLLOW_STOP, act.ACTION_FOLLOW_STOP, said=words.FOLLOW_STOP_SAID)


def _undo(action: str, value: str) -> Block:
    return button(words.UNDO, action, value)
