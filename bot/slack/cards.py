"""The card that a captured thread gets: one a thread, edited in place, never a second message."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar

from bot.slack import actions as act
from bot.slack import words
from bot.slack.blocks import names
from bot.slack.kit import Block, Message, actions, button, context, message, overflow, section
from bot.slack.surface import to_words
from bot.slack.text import NOTHING, Mrkdwn, bold, cut_words, inert, italic, join, word_count
from store import Alternative, Decision, DecisionId

DECISIONS_MAX = 10
"""Three blocks each stay well within Slack's 50; a thread with more says so."""
TITLE_WORDS = 24
REASON_WORDS = 24
SHORT_REASON_WORDS = 10
OPTION_WORDS = 10
ALTERNATIVES_MAX = 2
QUOTE_WORDS = 24
DECIDERS_MAX = 3


class Change(StrEnum):
    """What somebody did to a decision on a card."""

    REMOVED = "removed"
    EDITED = "edited"
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A change that the card shows, and whose it is: their name, as text."""

    change: Change
    by: str


_T = TypeVar("_T")
_By: TypeAlias = Mapping[str, _T] | Mapping[DecisionId, _T]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happened around the decisions of a card, by decision id."""

    marks: _By[Mark] | None = None
    replaces: _By[str] | None = None
    """Titles of the older decisions that these replace."""
    before: _By[str] | None = None
    """Titles as they stood before the thread turned."""


_UNTOLD = Story()


def card(decisions: Sequence[Decision], *, story: Story = _UNTOLD, leave_out: Collection[str] = ()) -> Message:
    """Lay out the card of a thread, as posted and as edited: the same call with a longer story.

    Args:
        decisions: those of the thread, in its order; one or more.
        story: who removed, edited or confirmed, what they replace.
        leave_out: ids of actions and names of menu entries that this place does not offer.
    """
    shown = decisions[:DECISIONS_MAX]
    blocks: list[Block | None] = []
    if len(decisions) > 1:
        blocks.append(section(bold(Mrkdwn(words.RECORDED_SEVERAL.format(count=len(decisions))))))
    for decision in shown:
        blocks += _entry(decision, story, leave_out, alone=len(decisions) == 1)
    if len(decisions) > len(shown):
        blocks.append(context(Mrkdwn(words.FURTHER.format(count=len(decisions) - len(shown)))))
    return message(blocks)


def _entry(decision: Decision, story: Story, leave_out: Collection[str], *, alone: bool) -> list[Block | None]:
    """Return one decision's blocks, three at most: what, small print, buttons."""
    value = act.encode(decision=decision.id)
    mark = (story.marks or {}).get(decision.id)
    if mark and mark.change is Change.REMOVED:
        removed = join(" ", (Mrkdwn(words.REMOVED_BY.format(name=names([mark.by]))), _title(decision)))
        undo = button(words.UNDO, act.ACTION_UNDO, value)
        return [section(removed, accessory=undo)]
    return [
        section(join("\n", (_headline(decision, alone=alone), _because(decision), _changes(decision, story)))),
        context(join(" · ", (_decided_by(decision, alone=alone), _mark(mark)))),
        actions(_buttons(decision, value, leave_out)),
    ]


def _headline(decision: Decision, *, alone: bool) -> Mrkdwn:
    title = _title(decision)
    if not decision.confirmed:
        return join(" ", (Mrkdwn(words.NOT_CONFIRMED), bold(title)))
    label = words.RECORDED[decision.status] if alone else words.NOT_ACCEPTED.get(decision.status, "")
    return bold(join(" ", (Mrkdwn(label), title)))


def _title(decision: Decision) -> Mrkdwn:
    return inert(to_words(decision.title, TITLE_WORDS))


def _because(decision: Decision) -> Mrkdwn:
    """Return "Because: … · Instead of: …", on two lines where the reason is long."""
    told = to_words(decision.rationale, REASON_WORDS)
    reason = inert(told.removesuffix(".")) if told else NOTHING
    options = join(", ", [_option(alternative) for alternative in decision.alternatives[:ALTERNATIVES_MAX]])
    between = " · " if word_count(told) <= SHORT_REASON_WORDS else "\n"
    return join(between, (_labelled(words.BECAUSE, reason), _labelled(words.INSTEAD_OF, options)))


def _option(alternative: Alternative) -> Mrkdwn:
    return inert(cut_words(alternative.option, OPTION_WORDS)) if alternative.option.strip() else NOTHING


def _labelled(label: str, said: Mrkdwn) -> Mrkdwn:
    return join(" ", (Mrkdwn(label), said)) if said else NOTHING


def _changes(decision: Decision, story: Story) -> Mrkdwn:
    """Say what it replaces, and what stood here before the thread turned."""
    older = (story.replaces or {}).get(decision.id, "")
    before = (story.before or {}).get(decision.id, "")
    lines = ((words.REPLACES_TITLE, older), (words.TURNED, before))
    return join("\n", [join(" ", (Mrkdwn(label), italic(inert(cut_words(title, TITLE_WORDS)))))
                       for label, title in lines if title.strip()])  # fmt: skip


def _decided_by(decision: Decision, *, alone: bool) -> Mrkdwn:
    """Return "Decided by Lena, Omar · 3 messages above"; the messages of one decision only, several share them."""
    people = names([person.name for person in decision.decided_by], shown=DECIDERS_MAX)
    said = Mrkdwn(words.DECIDED_BY.format(names=people)) if people else NOTHING
    count = len({quote.turn_id or quote.permalink or quote.quote for quote in decision.evidence})
    return join(" · ", (said, Mrkdwn(words.counted(words.ABOVE, count)) if count and alone else NOTHING))


def _mark(mark: Mark | None) -> Mrkdwn:
    forms = {Change.EDITED: words.EDITED_BY, Change.CONFIRMED: words.CONFIRMED_BY}
    return Mrkdwn(forms[mark.change].format(name=names([mark.by]))) if mark and mark.change in forms else NOTHING


def _buttons(decision: Decision, value: str, leave_out: Collection[str]) -> list[Block]:
    row: list[Block] = []
    if not decision.confirmed:
        row.append(button(words.THATS_RIGHT, act.ACTION_CONFIRM, value, said=words.THATS_RIGHT_SAID))
    row.append(button(words.NOT_A_DECISION, act.ACTION_NOT_DECISION, value))
    row.append(button(words.EDIT, act.ACTION_EDIT, value))
    entries = ((words.MENU_REPLACES, act.MENU_REPLACES), (words.MENU_OUTCOME, act.MENU_OUTCOME),
               (words.MENU_LEAVE_OUT, act.MENU_LEAVE_OUT))  # fmt: skip
    menu = [(label, act.encode(decision=decision.id, menu=name)) for label, name in entries if name not in leave_out]
    offered = [part for part in row if part["action_id"] not in leave_out]
    return [*offered, overflow(act.ACTION_CARD_MENU, menu)] if menu else offered


def ask_first(decision: Decision) -> Message:
    """Ask whoever said the deciding words, alone and once, whether they decided."""
    quote = next((line.quote for line in decision.evidence if line.quote.strip()), "")
    said = inert(f'"{to_words(quote, QUOTE_WORDS)}"') if quote else NOTHING
    asked = join(" ", (Mrkdwn(words.ASK_FIRST), bold(_title(decision))))
    value = act.encode(decision=decision.id)
    row = (
        button(words.YES, act.ACTION_CONFIRM, value, said=words.THATS_RIGHT_SAID),
        button(words.EDIT, act.ACTION_EDIT, value),
        button(words.NO, act.ACTION_DENY, value, said=words.NO_SAID),
    )
    return message([section(join(": ", (asked, said))), actions(row), context(Mrkdwn(words.ASK_FIRST_QUIET))])
