"""Home's lists for those who may set something: channels; for admins what is kept and sent, the month's budget.

Nothing here counts, ranks or compares people: counts are of channels, decisions and tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.languages import languages_note
from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.blocks import names
from bot.slack.layout.kit import Block, actions, button, context, divider, header, modal, section
from bot.slack.layout.text import NOTHING, Mrkdwn, bold, day, inert, join
from bot.slack.room import Marking, Mode
from store import Kept, ScopeCount

CHANNELS_SHOWN = 4
PAGE = 20
"""Channels of a page, two blocks each: well within a modal's 100."""
BLOCKED_SETTING = "BACKSTORY_BLOCKED_CHANNELS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """One channel that the bot is in, as an admin who reads it may see it."""

    id: str
    name: str
    mode: Mode = Mode.WHEN_ASKED
    marking: Marking = Marking.CARD
    digest: bool = False
    said_before: bool = False
    set_by: str = ""
    """The name of whoever changed a setting last; "" where nobody did."""
    set_at: datetime | None = None
    of_late: ScopeCount | None = None
    looks_back: bool = True
    """Whether whoever sees this may let its last 90 days be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """What the model cost this month, in tokens, and what it may."""

    limit: int
    spent: int
    calls: int
    for_answers: int
    """How many of the limit are kept for answers."""
    is_low: bool
    renews_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Admin:
    """What only admins are shown."""

    kept: Kept = field(default_factory=Kept)
    question_days: int = 90
    keep_days: int = 0
    """Days that recorded messages are kept; 0: as long as Slack has them."""
    blocked: int = 0
    month: Month | None = None
    """None where no model is set up."""


def admin(shown: Admin) -> list[Block | None]:
    """Lay out what admins alone see: what is kept and sent, and the budget."""
    return [*_kept(shown), *_budget(shown.month)]


# --- channels ---


def channels(channels: Sequence[Channel], *, for_admin: bool) -> list[Block | None]:
    """Lay out the channels whose settings somebody may set, since they added the bot, made it or are an admin."""
    every = button(words.ADMIN_CHANNELS_ALL, act.ACTION_ALL_CHANNELS) if len(channels) > CHANNELS_SHOWN else None
    listed = [block for one in channels[:CHANNELS_SHOWN] for block in _channel(one)]
    return [
        divider(),
        header(words.ADMIN_CHANNELS),
        context(Mrkdwn(words.ADMIN_CHANNELS_NOTE if for_admin else words.CHANNELS_NOTE)),
        *(listed or [section(Mrkdwn(words.ADMIN_CHANNELS_NONE))]),
        actions([every]),
    ]


def channels_view(channels: Sequence[Channel], page: int) -> Block:
    """Show one page of the channels that the bot is in; a page beyond the last shows the last."""
    last = max(0, len(channels) - 1) // PAGE
    page = max(0, min(page, last))
    listed = [block for one in channels[page * PAGE : (page + 1) * PAGE] for block in _channel(one)]
    turn = (
        button(words.PAGE_BACK, act.ACTION_ALL_CHANNELS_BACK, act.encode(menu=str(page - 1))) if page else None,
        button(words.PAGE_MORE, act.ACTION_ALL_CHANNELS, act.encode(menu=str(page + 1))) if page < last else None,
    )
    none = section(Mrkdwn(words.ADMIN_CHANNELS_NONE))
    return modal(words.ADMIN_CHANNELS, [*(listed or [none]), actions(turn)])


def _channel(one: Channel) -> list[Block | None]:
    """Return "*#search* · By itself · weekly digest" with who set it and what came of it, and two buttons."""
    on = (
        words.MODE_SHORT[one.mode],
        words.ADMIN_MARK_EMOJI if one.marking is Marking.EMOJI else "",
        words.ADMIN_DIGEST if one.digest else "",
        words.ADMIN_SAID_BEFORE if one.said_before else "",
    )
    first = join(" · ", (bold(inert(one.name or one.id)), *map(Mrkdwn, on)))
    said = Mrkdwn(words.ADMIN_SET_BY.format(name=names([one.set_by]), day=day(one.set_at))) if one.set_by else NOTHING
    value = act.encode(channel=one.id)
    back = button(words.LOOK_BACK, act.ACTION_LOOK_BACK, value) if one.looks_back else None
    row = (button(words.MODE_CHANGE, act.ACTION_MODE, value), back)
    told = join(" · ", (said, *_of_late(one.of_late)))
    return [section(join("\n", (first, told))), actions(row)]


def _of_late(counted: ScopeCount | None) -> list[Mrkdwn]:
    if counted is None:
        return [Mrkdwn(words.ADMIN_OF_LATE_NONE)]
    of_late = words.ADMIN_OF_LATE.format(kept=counted.kept, removed=counted.removed)
    return [Mrkdwn(of_late), Mrkdwn(words.ADMIN_LATEST.format(day=day(counted.latest)))]


# --- kept and sent ---


def _kept(shown: Admin) -> list[Block | None]:
    since = Mrkdwn(words.ADMIN_KEPT_SINCE.format(day=day(shown.kept.oldest))) if shown.kept.oldest else NOTHING
    kept = words.ADMIN_KEPT_ALL.format(
        decisions=_count(words.DECISIONS, shown.kept.decisions), messages=_count(words.MESSAGES, shown.kept.messages)
    )
    lines = [
        join(" · ", (Mrkdwn(kept), since)),
        Mrkdwn(words.ADMIN_KEEP_DAYS.format(days=number(shown.keep_days)) if shown.keep_days else words.ADMIN_KEEP_ALL),
        Mrkdwn(words.ADMIN_QUESTIONS.format(days=number(shown.question_days))),
        _sent(shown.month),
        Mrkdwn(languages_note(with_claude=shown.month is not None)),
    ]
    if shown.blocked:
        count = _count(words.CHANNELS, shown.blocked)
        lines.append(Mrkdwn(words.ADMIN_BLOCKED.format(count=count, setting=f"`{BLOCKED_SETTING}`")))
    return [divider(), header(words.ADMIN_KEPT), section(join("\n", lines))]


def _sent(month: Month | None) -> Mrkdwn:
    if month is None:
        return Mrkdwn(words.ADMIN_SENT_NONE)
    calls, tokens = _count(words.REQUESTS, month.calls), _count(words.TOKENS, month.spent)
    return Mrkdwn(words.ADMIN_SENT.format(calls=calls, tokens=tokens))


# --- budget ---


def _budget(month: Month | None) -> list[Block | None]:
    headed: list[Block | None] = [divider(), header(words.ADMIN_BUDGET)]
    if month is None:
        return [*headed, section(Mrkdwn(words.ADMIN_NO_MODEL))]
    when = day(month.renews_at.date())
    share = 100 if not month.limit else min(100, 100 * month.spent // month.limit)
    spent = words.ADMIN_SPENT.format(spent=number(month.spent), limit=number(month.limit), share=share, day=when)
    left = max(0, month.limit - month.spent)
    shares = words.ADMIN_SHARES.format(
        answers=number(month.for_answers),
        left=number(left),
        threads=number(max(0, left - month.for_answers)),
    )
    now = words.ADMIN_USED if left == 0 else words.ADMIN_LOW if month.is_low else ""
    return [
        *headed,
        section(join("\n", (Mrkdwn(now.format(day=when)), Mrkdwn(spent), Mrkdwn(shares)))),
        context(Mrkdwn(words.ADMIN_IF_USED)),
    ]


def number(count: int) -> str:
    """Return "20,000,000"."""
    return f"{count:,}"


def _count(forms: dict[int, str], count: int) -> str:
    return forms[1] if count == 1 else forms[2].format(count=number(count))
