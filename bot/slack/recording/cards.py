"""The card that a captured thread gets: one a thread, edited in place, never a second message."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar

from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.blocks import names
from bot.slack.layout.kit import (
    MESSAGE_BLOCKS_MAX,
    Block,
    Message,
    actions,
    button,
    context,
    message,
    overflow,
    section,
)
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import NOTHING, Mrkdwn, bold, cut_words, inert, italic, join, link, word_count
from store import Alternative, Bearing, Decision, DecisionId

DECISIONS_MAX = 10
"""Three blocks each stay well within Slack's 50; a thread with more, or with more to say of each, says so."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """A decision of another place, as a card names it: `where` and `day` are ready to show."""

    id: str
    title: str
    link: str = ""
    where: Mrkdwn = NOTHING
    day: Mrkdwn = NOTHING
    by: str = ""
    """Who brought the two together; "" where it followed by rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An earlier decision that one may turn on; `both` once somebody (`by`) said that both stand."""

    kind: Bearing
    other: Other
    both: bool = False
    by: str = ""


_T = TypeVar("_T")
_By: TypeAlias = Mapping[str, _T] | Mapping[DecisionId, _T]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happened around the decisions of a card, by decision id."""

    marks: _By[Mark] | None = None
    replaces: _By[Sequence[Other]] | None = None
    """Older decisions of other places that these replace."""
    replaced: _By[Other] | None = None
    """Decisions of other places that replaced these."""
    pairs: _By[Sequence[Pair]] | None = None
    before: _By[str] | None = None
    """Titles as they stood before the thread turned."""
    worded_by: _By[str] | None = None
    """Who had worded these, where a person had."""


_UNTOLD = Story()


def card(decisions: Sequence[Decision], *, story: Story = _UNTOLD, leave_out: Collection[str] = ()) -> Message:
    """Lay out the card of a thread, as posted and as edited: the same call with a longer story.

    Args:
        decisions: those of the thread, in its order; one or more.
        story: who removed, edited or confirmed, what they replace.
        leave_out: ids of actions and names of menu entries that this place does not offer.
    """
    blocks: list[Block | None] = []
    marks = story.marks or {}
    kept = sum((mark := marks.get(one.id)) is None or mark.change is not Change.REMOVED for one in decisions)
    if kept > 1:
        blocks.append(section(bold(Mrkdwn(words.RECORDED_SEVERAL.format(count=kept)))))
    shown = 0
    for decision in decisions[:DECISIONS_MAX]:
        entry = [block for block in _entry(decision, story, leave_out, alone=kept == 1) if block is not None]
        if len(blocks) + len(entry) >= MESSAGE_BLOCKS_MAX:
            break
        blocks += entry
        shown += 1
    if len(decisions) > shown:
        blocks.append(context(Mrkdwn(words.FURTHER.format(count=len(decisions) - shown))))
    return message(blocks)


def _entry(decision: Decision, story: Story, leave_out: Collection[str], *, alone: bool) -> list[Block | None]:
    """Return one decision's blocks: what, small print, what people did, buttons, and what it may turn on."""
    value = act.encode(decision=decision.id)
    mark = (story.marks or {}).get(decision.id)
    if mark and mark.change is Change.REMOVED:
        removed = join(" ", (Mrkdwn(words.REMOVED_BY.format(name=names([mark.by]))), _title(decision)))
        return [section(removed, accessory=_undo(value))]
    if (newer := (story.replaced or {}).get(decision.id)) is not None:
        return [_replaced(decision, newer)]
    replaces = (story.replaces or {}).get(decision.id, ())
    said = [older for older in replaces if older.by]
    return [
        section(join("\n", (_headline(decision, alone=alone), _because(decision), _by_rule(replaces),
                            _turned(decision, story)))),
        context(_decided_by(decision, alone=alone)),
        _marked(decision, mark),
        *(_replaces(decision, older) for older in said[:ALTERNATIVES_MAX]),
        actions(_buttons(decision, value, leave_out)),
        *(block for pair in (story.pairs or {}).get(decision.id, ()) for block in _pair(decision, pair)),
    ]  # fmt: skip


def note(decisions: Sequence[Decision], story: Story) -> Message | None:
    """Word what a thread's decisions may turn on, where no card says it; None where there is nothing to say."""
    blocks: list[Block | None] = []
    for decision in decisions[:DECISIONS_MAX]:
        said = [older for older in (story.replaces or {}).get(decision.id, ()) if older.by]
        rows = [_replaces(decision, older) for older in said[:ALTERNATIVES_MAX]]
        rows += [block for pair in (story.pairs or {}).get(decision.id, ()) for block in _pair(decision, pair)]
        if rows:
            blocks += [section(bold(_title(decision))), *rows]
    return message(blocks) if blocks else None


def _undo(value: str) -> Block:
    return button(words.UNDO, act.ACTION_UNDO, value)


def _marked(decision: Decision, mark: Mark | None) -> Block | None:
    """Say who edited or confirmed it, with a way back."""
    forms = {Change.EDITED: (words.EDITED_BY, act.UNDO_EDIT), Change.CONFIRMED: (words.CONFIRMED_BY, act.UNDO_CONFIRM)}
    if mark is None or mark.change not in forms:
        return None
    form, menu = forms[mark.change]
    undo = _undo(act.encode(decision=decision.id, menu=menu))
    return section(Mrkdwn(form.format(name=names([mark.by]))), accessory=undo)


def _replaces(decision: Decision, older: Other) -> Block | None:
    """Return "Replaces: *Search on MySQL* · Mia said so", with a way back."""
    told = join(" ", (Mrkdwn(words.REPLACES_TITLE), _named(older)))
    said = Mrkdwn(words.SAID_SO.format(name=names([older.by])))
    undo = _undo(act.encode(decision=decision.id, other=older.id, menu=act.UNDO_REPLACES))
    return section(join(" · ", (told, said)), accessory=undo)


def _by_rule(replaces: Sequence[Other]) -> Mrkdwn:
    """Name what it replaces by what both say, without anybody's word."""
    return join("\n", [join(" ", (Mrkdwn(words.REPLACES_TITLE), _named(older))) for older in replaces if not older.by])


def _replaced(decision: Decision, newer: Other) -> Block | None:
    """Return a decision that another one of another place replaced: what holds now stands first."""
    first = bold(join(" ", (Mrkdwn(words.REPLACED_BY), link(newer.link, inert(to_words(newer.title, TITLE_WORDS))))))
    before = join(" ", (Mrkdwn(words.BEFORE), _title(decision)))
    said = Mrkdwn(words.SAID_SO.format(name=names([newer.by]))) if newer.by else NOTHING
    value = act.encode(decision=newer.id, other=decision.id, menu=act.UNDO_REPLACES)
    return section(join("\n", (first, before, said)), accessory=_undo(value) if newer.by else None)


def _named(one: Other) -> Mrkdwn:
    return italic(link(one.link, inert(cut_words(one.title, TITLE_WORDS))))


def _pair(decision: Decision, pair: Pair) -> list[Block | None]:
    """Ask whether it replaces an earlier one, or say that it may pull against one; or that both stand."""
    value = act.encode(decision=decision.id, other=pair.other.id)
    title = _named(pair.other)
    if pair.both:
        by = names([pair.by]) or Mrkdwn(words.SOMEBODY)
        undo = _undo(act.encode(decision=decision.id, other=pair.other.id, menu=act.UNDO_BOTH))
        return [section(Mrkdwn(words.BOTH_STAND_SAID.format(name=by, title=title)), accessory=undo)]
    if pair.kind is Bearing.REPLACES:
        told = Mrkdwn(words.SEEMS_TO_REPLACE.format(title=title, day=pair.other.day))
        does = button(words.IT_DOES, act.ACTION_IT_REPLACES, value, said=words.IT_DOES_SAID)
        return [section(told), actions([does, button(words.BOTH_STAND, act.ACTION_BOTH_STAND, value)])]
    replaces = button(words.REPLACES_IT, act.ACTION_IT_REPLACES, value)
    apply = button(words.BOTH_APPLY, act.ACTION_BOTH_STAND, value)
    look = button(words.LOOK, act.ACTION_LOOK, value, said=words.LOOK_SAID)
    return [section(pull(pair)), actions([replaces, apply, look])]


def pull(pair: Pair) -> Mrkdwn:
    """Return "↔ May pull against *5 tries for batch jobs* (Raj #data 2 Aug)."""
    return Mrkdwn(words.MAY_PULL.format(title=_named(pair.other), where=pair.other.where))


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
    options = _options(decision.alternatives)
    between = " · " if word_count(told) <= SHORT_REASON_WORDS else "\n"
    return join(between, (_labelled(words.BECAUSE, reason), _labelled(words.INSTEAD_OF, options)))


def _options(alternatives: Sequence[Alternative]) -> Mrkdwn:
    """Return "Elasticsearch, Typesense and 1 other"."""
    named = [option for each in alternatives if (option := _option(each))]
    shown = join(", ", named[:ALTERNATIVES_MAX])
    left = len(named) - ALTERNATIVES_MAX
    return Mrkdwn(f"{shown} {words.AND} {words.counted(words.AND_OTHERS, left)}") if left > 0 else shown


def _option(alternative: Alternative) -> Mrkdwn:
    return inert(cut_words(alternative.option, OPTION_WORDS)) if alternative.option.strip() else NOTHING


def _labelled(label: str, said: Mrkdwn) -> Mrkdwn:
    return join(" ", (Mrkdwn(label), said)) if said else NOTHING


def _turned(decision: Decision, story: Story) -> Mrkdwn:
    """Say what stood here before the thread turned, and whose words that was."""
    before = (story.before or {}).get(decision.id, "")
    by = (story.worded_by or {}).get(decision.id, "")
    if not before.strip():
        return NOTHING
    told = join(" ", (Mrkdwn(words.TURNED), italic(inert(cut_words(before, TITLE_WORDS)))))
    return join(" · ", (told, Mrkdwn(words.WORDED_BY.format(name=names([by]))) if by else NOTHING))


def _decided_by(decision: Decision, *, alone: bool) -> Mrkdwn:
    """Return "Decided by Lena, Omar · 3 messages above"; the messages of one decision only, several share them."""
    people = names([person.name for person in decision.decided_by], shown=DECIDERS_MAX)
    said = Mrkdwn(words.DECIDED_BY.format(names=people)) if people else NOTHING
    count = len({quote.turn_id or quote.permalink or quote.quote for quote in decision.evidence})
    return join(" · ", (said, Mrkdwn(words.counted(words.ABOVE, count)) if count and alone else NOTHING))


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
    value = act.encode(decision=decision.id, menu=act.MENU_ASKED)
    row = (
        button(words.YES, act.ACTION_CONFIRM, value, said=words.THATS_RIGHT_SAID),
        button(words.EDIT, act.ACTION_EDIT, value),
        button(words.NO, act.ACTION_DENY, value, said=words.NO_SAID),
    )
    return message([section(join(": ", (asked, said))), actions(row), context(Mrkdwn(words.ASK_FIRST_QUIET))])
