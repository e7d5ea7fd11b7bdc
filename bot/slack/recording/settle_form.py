"""Two decisions side by side: to look at, and to say which one stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.blocks import names
from bot.slack.layout.kit import Block, actions, button, divider, input_block, modal, option, section
from bot.slack.layout.modals import Chosen, read_choice
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import NOTHING, Mrkdwn, bold, day, inert, join, link
from bot.slack.recording.cards import DECIDERS_MAX, REASON_WORDS, TITLE_WORDS
from store import Decision

BOTH = "both"
"""The choice by which neither replaces the other."""
QUOTE_WORDS = 40
SIDES = ("A", "B")


def look_view(newer: Decision, older: Decision, *, noted: bool) -> Block:
    """Show two decisions side by side, the older first, with a way to settle them.

    Args:
        newer: the one whose card was pressed.
        older: the one that it may pull against.
        noted: it is known already that they can't both hold.
    """
    value = act.encode(decision=newer.id, other=older.id)
    row = [button(words.SETTLE, act.ACTION_SETTLE, value, style="primary")]
    if not noted:
        row.append(button(words.CANT_HOLD, act.ACTION_CONTEST, value))
    return modal(words.PAIR_TITLE, [*_sides(older, newer), actions(row)])


def contest_noted(newer: Decision, older: Decision) -> Block:
    """Show the same once somebody noted that both can't hold."""
    shown = look_view(newer, older, noted=True)
    return {**shown, "blocks": [section(Mrkdwn(words.CANT_HOLD_NOTED)), *shown["blocks"]]}


def settle_view(first: Decision, second: Decision) -> Block:
    """Ask which of two stands, or whether both do."""
    options = [option(f"{side} · {one.title}", one.id) for side, one in zip(SIDES, (first, second), strict=True)]
    radio: Block = {
        "type": "radio_buttons",
        "action_id": act.INPUT,
        "options": [*options, option(words.SETTLE_BOTH, BOTH)],
    }
    metadata = act.encode(decision=first.id, other=second.id)
    blocks = [*_sides(first, second), input_block(act.BLOCK_CHOICE, words.SETTLE_ASK, radio, hint=words.SETTLE_HINT)]
    return modal(words.TITLE_SETTLE, blocks, callback_id=act.CALLBACK_SETTLE, metadata=metadata, submit=words.SAVE)


def read_settled(view: Mapping[str, Any], pair: tuple[str, str]) -> Chosen:
    """Read a submitted `settle_view`."""
    return read_choice(view, (*pair, BOTH))


def _sides(first: Decision, second: Decision) -> list[Block | None]:
    told = [section(_side(side, one)) for side, one in zip(SIDES, (first, second), strict=True)]
    return [told[0], divider(), told[1]]


def _side(side: str, decision: Decision) -> Mrkdwn:
    """Return one side: what, why, the deciding words, and who decided when."""
    title = join(
        " ", (Mrkdwn(f"{side} ·"), link(decision.place.permalink, inert(to_words(decision.title, TITLE_WORDS))))
    )
    reason = inert(to_words(decision.rationale, REASON_WORDS))
    because = join(" ", (Mrkdwn(words.BECAUSE), reason)) if reason else NOTHING
    quote = next((one for one in decision.evidence if one.quote.strip()), None)
    said = NOTHING
    if quote is not None:
        said = join(" ", (inert(f'"{to_words(quote.quote, QUOTE_WORDS)}"'), inert(quote.author), day(quote.at)))
    people = names([person.name for person in decision.decided_by], shown=DECIDERS_MAX)
    decided = Mrkdwn(words.DECIDED_BY.format(names=people)) if people else NOTHING
    when = day(decision.decided_on) if decision.decided_on and (quote is None or quote.at is None) else NOTHING
    return join("\n", (bold(title), because, said, join(" · ", (decided, when))))
