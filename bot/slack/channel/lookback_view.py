"""How looking back is seen: the form with its counts, and the private list of what was found. Pure layout."""

from __future__ import annotations

from collections.abc import Sequence

from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.blocks import names
from bot.slack.layout.kit import Block, Message, actions, button, context, message, modal, section
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import NOTHING, Mrkdwn, bold, day, inert, join, link
from store import Decision, LookBack

SHOWN_MAX = 15
"""Decisions of the list at one time: two blocks each stay well within Slack's 50, and nobody reads more at once."""
TITLE_WORDS = 24
QUOTE_WORDS = 24


def waiting_view() -> Block:
    """Open at once, while what there is to read is being counted: a trigger lives 3 seconds."""
    return modal(words.LOOK_TITLE, [section(Mrkdwn(words.LOOK_WAIT))])


def not_here_view() -> Block:
    """Say that the bot can't read there."""
    return modal(words.LOOK_TITLE, [section(Mrkdwn(words.NOT_HERE))])


def failed_view(told: Message) -> Block:
    """Say in place of the counts why there are none."""
    return modal(words.LOOK_TITLE, told.blocks)


def counts_view(run: LookBack, *, decisions: int, tokens: int | None) -> Block:
    """Say what looking back would read, and offer to start.

    Args:
        run: listed, not started.
        decisions: about how many may be found.
        tokens: about how many a model would read and write; None where none is asked.
    """
    if not run.threads:
        return modal(words.LOOK_TITLE, [section(Mrkdwn(words.LOOK_NOTHING))])
    counts = words.LOOK_COUNTS.format(
        threads=words.counted(words.LOOK_THREADS, run.threads),
        decisions=words.counted(words.LOOK_DECISIONS, decisions),
    )
    cost = "" if tokens is None else words.LOOK_TOKENS.format(tokens=short(tokens))
    return modal(
        words.LOOK_TITLE,
        [
            section(bold(Mrkdwn(counts + cost))),
            section(Mrkdwn(words.LOOK_HOW)),
            context(NOTHING if tokens is None else Mrkdwn(words.LOOK_SENT), Mrkdwn(words.LOOK_LEFT_OUT)),
        ],
        callback_id=act.CALLBACK_LOOK_BACK,
        metadata=act.encode(session=run.run, channel=run.channel),
        submit=words.START,
    )


def short(count: int) -> str:
    """Return a number as people say one that is only about right: 940 is "900", 31,240 is "31k"."""
    if count >= 1_000_000:
        return f"{count / 1_000_000:.1f}M"
    return f"{round(count / 1_000)}k" if count >= 1_000 else str(round(count, -2))


def progress(run: LookBack, channel: str, found: Sequence[Decision], *, gone: bool = False) -> Message:
    """Lay out the message that whoever started it has, as it stands now: how far, and what waits for their word.

    Args:
        run: as far as it is.
        channel: what people call it.
        found: what waits for a word and they may read, by the day on which it was decided.
        gone: the bot can't read there any more.
    """
    value = act.encode(session=run.run)
    heading = {"reading": words.LOOK_READING, "done": words.LOOK_DONE}.get(run.state, words.LOOK_STOPPED)
    blocks: list[Block | None] = [section(join(" ", (bold(Mrkdwn(heading.format(channel=inert(channel)))), _far(run))))]
    if gone:
        blocks.append(context(Mrkdwn(words.LOOK_OUT)))
    if run.state == "reading":
        stop = button(words.STOP, act.ACTION_LOOK_STOP, value, said=words.STOP_SAID)
        return message([*blocks, actions([stop])])
    shown = found[:SHOWN_MAX]
    if shown:
        blocks.append(context(Mrkdwn(words.LOOK_CHOOSE)))
    for decision in shown:
        blocks += _entry(run, decision)
    if len(found) > len(shown):
        blocks.append(context(Mrkdwn(words.counted(words.LOOK_MORE, len(found) - len(shown)))))
    all_of_them = words.KEEP_ALL if len(found) == len(shown) else words.KEEP_THESE.format(count=len(shown))
    row = [
        button(all_of_them, act.ACTION_LOOK_KEEP_ALL, value) if len(shown) > 1 else None,
        button(words.GO_ON, act.ACTION_LOOK_GO_ON, value) if run.state == "stopped" and not gone else None,
    ]
    return message([*blocks, actions(row)])


def _far(run: LookBack) -> Mrkdwn:
    threads = words.counted(words.LOOK_THREADS, run.threads)
    dropped = run.found - run.kept - run.waiting
    parts = (
        words.LOOK_READ.format(read=run.read, threads=threads) if run.state != "done" else threads,
        words.counted(words.LOOK_FOUND, run.found) if run.found else "",
        words.LOOK_FOUND_NONE if run.state == "done" and not run.found else "",
        words.LOOK_KEPT.format(count=run.kept) if run.kept else "",
        words.LOOK_DROPPED.format(count=dropped) if dropped else "",
    )
    return join(" · ", [Mrkdwn(part) for part in parts if part])


def _entry(run: LookBack, decision: Decision) -> list[Block | None]:
    """Return one decision's title and quote, and what can be said to it."""
    quote = next((line for line in decision.evidence if line.quote.strip()), None)
    title = bold(inert(to_words(decision.title, TITLE_WORDS)))
    said = NOTHING
    if quote is not None:
        quoted = link(quote.permalink, inert(f'"{to_words(quote.quote, QUOTE_WORDS)}"'))
        said = join(" · ", (quoted, join(" ", (names([quote.author]), day(quote.at)))))
    value = act.encode(session=run.run, decision=decision.id)
    return [
        section(join("\n", (title, said))),
        actions(
            [
                button(words.KEEP, act.ACTION_LOOK_KEEP, value),
                button(words.NO, act.ACTION_LOOK_NO, value, said=words.NO_SAID),
            ]
        ),
    ]
