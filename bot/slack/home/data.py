"""Home's "My data": what is kept of somebody, what they can do about it, and the pages that show all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.blocks import day_of, titled
from bot.slack.layout.kit import Block, actions, asking_first, button, context, divider, header, modal, section
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import NOTHING, Mrkdwn, bold, code, day, inert, join, link
from store import Decision, Quote, Trajectory, Vote

QUOTES_SHOWN = 3
QUOTE_WORDS = 24
TITLE_WORDS = 30
PAGE = 30
"""Lines of a page: with its headings and buttons well within a modal's 100 blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MyData:
    """What Home says of one person's data."""

    latest: tuple[Quote, ...] = ()
    """Their own messages that decisions rest on, newest first."""
    kept: int = 0
    """How many of these there are in all."""
    left_out: bool = False
    followed_up: bool = True
    with_model: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Mine:
    """All that names or quotes one person and that they can read, newest first each."""

    person: str = ""
    messages: tuple[Quote, ...] = ()
    decided: tuple[Decision, ...] = ()
    votes: tuple[tuple[Decision, Vote], ...] = ()
    asked: tuple[Trajectory, ...] = ()


def my_data(mine: MyData) -> list[Block | None]:
    """Lay out what is kept of somebody's messages, each with a way to take it out, and their own settings."""
    shown = mine.latest[:QUOTES_SHOWN]
    count = words.counted(words.HOME_DATA_KEPT, mine.kept) if mine.kept else words.HOME_DATA_NONE
    latest = words.HOME_DATA_SHOWN.format(count=len(shown)) if mine.kept > len(shown) else ""
    every = asking_first(
        button(words.DATA_TAKE_ALL, act.ACTION_TAKE_ALL, style="danger"),
        title=words.DATA_TAKE_ALL_ASK,
        says=words.DATA_TAKE_ALL_SAYS,
        yes=words.DATA_TAKE_ALL_YES,
        no=words.DATA_TAKE_ALL_NO,
    )
    return [
        divider(),
        header(words.HOME_DATA),
        section(join(" ", (Mrkdwn(count), Mrkdwn(latest)))),
        *(_own_message(quote) for quote in shown),
        actions([button(words.DATA_SHOW, act.ACTION_MINE), every if mine.kept else None]),
        context(Mrkdwn(words.HOME_DATA_HOW) if shown else NOTHING),
        _left_out(mine.left_out),
        _followed_up(mine.followed_up),
        context(NOTHING if mine.with_model else Mrkdwn(words.DATA_NO_MODEL)),
    ]


def _left_out(left_out: bool) -> Block | None:
    """Return whether somebody is left out, with a button that says what it will be."""
    if left_out:
        wanted = button(words.DATA_LET_IN, act.ACTION_LEAVE_ME_OUT, act.encode(menu="no"))
        return section(Mrkdwn(words.DATA_LEFT_OUT), accessory=wanted)
    wanted = button(words.DATA_LEAVE_OUT, act.ACTION_LEAVE_ME_OUT, act.encode(menu="yes"))
    return section(Mrkdwn(words.DATA_LEFT_IN), accessory=wanted)


def _followed_up(followed_up: bool) -> Block | None:
    """Return whether somebody is asked how decisions went, with a button that says what it will be."""
    if followed_up:
        return section(Mrkdwn(words.DATA_FOLLOWED), accessory=button(words.DATA_FOLLOW_OFF, act.ACTION_FOLLOW_STOP))
    return section(Mrkdwn(words.DATA_NOT_FOLLOWED), accessory=button(words.DATA_FOLLOW_ON, act.ACTION_FOLLOW_RESUME))


def _own_message(quote: Quote, page: str = "") -> Block | None:
    """Return a message with a way to take it out; `page` is what is shown again then."""
    said = link(quote.permalink, inert(f'"{to_words(quote.quote, QUOTE_WORDS)}"'))
    taken = asking_first(
        button(words.TAKE_OUT, act.ACTION_TAKE_OUT, act.encode(turn=quote.turn_id, menu=page)),
        title=words.DATA_TAKE_ONE_ASK,
        says=words.DATA_TAKE_ONE_SAYS,
        yes=words.TAKE_OUT,
        no=words.DATA_TAKE_ALL_NO,
    )
    return section(join(" · ", (said, day(quote.at))), accessory=taken if quote.turn_id else None)


# --- everything about me ---


def mine_view(mine: Mine, page: int) -> Block:
    """Show one page of all that names or quotes somebody; a page beyond the last shows the last."""
    lines = _lines(mine, str(page))
    if not lines:
        return modal(words.TITLE_MINE, [section(Mrkdwn(words.MINE_NONE)), _note(mine)])
    last = (len(lines) - 1) // PAGE
    page = max(0, min(page, last))
    blocks: list[Block | None] = []
    told = ""
    for title, block in lines[page * PAGE : (page + 1) * PAGE]:
        if title != told:
            blocks.append(header(title))
        told = title
        blocks.append(block)
    turn = (
        button(words.PAGE_BACK, act.ACTION_MINE_BACK, act.encode(menu=str(page - 1))) if page else None,
        button(words.PAGE_MORE, act.ACTION_MINE, act.encode(menu=str(page + 1))) if page < last else None,
    )
    return modal(words.TITLE_MINE, [*blocks, actions(turn), _note(mine)])


def _note(mine: Mine) -> Block | None:
    command = code(inert(words.MINE_COMMAND.format(person=mine.person)))
    return context(join(" ", (Mrkdwn(words.MINE_NOTE), Mrkdwn(words.MINE_FILE.format(command=command)))))


def _lines(mine: Mine, page: str) -> Sequence[tuple[str, Block | None]]:
    """Return each line with the heading that it stands under."""
    return [
        *((words.MINE_MESSAGES, _own_message(quote, page)) for quote in mine.messages),
        *((words.MINE_DECIDED, section(_decided(one))) for one in mine.decided),
        *((words.MINE_VOTES, section(_voted(one, vote))) for one, vote in mine.votes),
        *(
            (words.MINE_ASKED, section(join(" · ", (inert(to_words(one.question, TITLE_WORDS)), day(one.asked_at)))))
            for one in mine.asked
        ),
    ]


def _decided(decision: Decision) -> Mrkdwn:
    return join(" · ", (bold(titled(decision, TITLE_WORDS)), day_of(decision)))


def _voted(decision: Decision, vote: Vote) -> Mrkdwn:
    reason = inert(f'"{to_words(vote.reason, QUOTE_WORDS)}"') if vote.reason.strip() else NOTHING
    return join(" · ", (_decided(decision), Mrkdwn(words.VOTED[vote.verdict]), reason, day(vote.at)))
