"""The views that open over Slack, and reading back what people put into them.

A view's `private_metadata` is a value of `actions.encode`: it names what the view is about and grants nothing.
What comes back is untrusted and may be of any shape; `read_…` returns errors for the fields that people see,
and None for what no view of ours can have sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bot.slack.layout import actions as act
from bot.slack.layout import words
from bot.slack.layout.kit import (
    OPTIONS_MAX,
    Block,
    context,
    input_block,
    modal,
    option,
    section,
    text_input,
)
from bot.slack.layout.surface import to_words
from bot.slack.layout.text import Mrkdwn, bold, day, inert, join, units
from store import Alternative, Decision, Draft, Quote, draft_of

TITLE_MAX = 200
"""Characters; a decision fits in a sentence."""
REASON_MAX = 2_000
ALTERNATIVES_MAX = 10
ALTERNATIVES_TEXT_MAX = 2_000
CHOICES_MAX = OPTIONS_MAX
DRAFTS_MAX = 10
"""Slack's limit for check boxes."""
QUOTES_MAX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """What somebody made of a decision; `errors` by block id, and then nothing else counts."""

    title: str = ""
    reason: str = ""
    alternatives: tuple[Alternative, ...] = ()
    replaces: str = ""
    """The id of the older decision, "" for none."""
    errors: Mapping[str, str] = field(default_factory=dict)

    def draft(self, decision: Decision) -> Draft:
        """Return the decision with these changes, as a proposal: who decided, when and the messages stay."""
        older = (self.replaces,) if self.replaces and self.replaces != decision.id else ()
        return replace(
            edited_draft(decision),
            title=self.title,
            rationale=self.reason,
            alternatives=self.alternatives,
            supersedes=older,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """One choice and the words beside it; `errors` by block id, and then nothing else counts."""

    choice: str = ""
    reason: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)


def edited_draft(decision: Decision) -> Draft:
    """Return the draft that would state a recorded decision again, as a person's own words: sure, citing the same."""
    return replace(draft_of(decision), confidence=100, cites=tuple(decision.cites))


def details_waiting() -> Block:
    """Open at once while what stands behind an answer is looked up: a trigger lives 3 seconds."""
    return modal(words.TITLE_DETAILS, [section(Mrkdwn(words.DETAILS_WAIT))])


def answer_waiting() -> Block:
    """Open at once while a question from Home is answered."""
    return modal(words.TITLE_ANSWER, [section(Mrkdwn(words.INTERIM))])


def details_none() -> Block:
    """Say that nothing stands behind an answer, or nothing for whoever looks."""
    return modal(words.TITLE_DETAILS, [section(Mrkdwn(words.DETAILS_NONE))])


# --- edit ---


def edit_view(decision: Decision, *, older: Sequence[Decision] = ()) -> Block:
    """Open a decision for editing.

    Args:
        decision: as the presser may read it.
        older: what it might replace, likeliest first; those that the presser may read.
    """
    options = "\n".join(_option_line(alternative) for alternative in decision.alternatives)
    blocks = [
        *_statement(decision.title, decision.rationale, options),
        _replaces(decision, older),
        context(Mrkdwn(words.HINT_EDIT)),
    ]
    metadata = act.encode(decision=decision.id)
    return modal(words.TITLE_EDIT, blocks, callback_id=act.CALLBACK_EDIT, metadata=metadata, submit=words.SAVE)


def _statement(title: str, reason: str, alternatives: str) -> list[Block]:
    """Return the three fields that say what was decided."""
    return [
        text_input(act.BLOCK_TITLE, words.ASK_TITLE, act.INPUT, initial=title, max_length=TITLE_MAX),
        text_input(
            act.BLOCK_REASON,
            words.ASK_REASON,
            act.INPUT,
            initial=reason,
            max_length=REASON_MAX,
            multiline=True,
            optional=True,
        ),
        text_input(
            act.BLOCK_ALTERNATIVES,
            words.ASK_ALTERNATIVES,
            act.INPUT,
            initial=alternatives,
            max_length=ALTERNATIVES_TEXT_MAX,
            multiline=True,
            optional=True,
            hint=words.HINT_ALTERNATIVES,
        ),
    ]


def _option_line(alternative: Alternative) -> str:
    """Write an alternative as people edit it; a colon inside the option would read as the reason's."""
    name = alternative.option.replace(": ", " – ")
    return f"{name}: {alternative.reason}" if alternative.reason else name


def _replaces(decision: Decision, older: Sequence[Decision]) -> Block | None:
    choices = [other for other in older if other.id != decision.id][:CHOICES_MAX]
    if not choices:
        return None
    options = [option(other.title, other.id) for other in choices]
    chosen = next((option for option in options if option["value"] in decision.supersedes), None)
    menu: Block = {"type": "static_select", "action_id": act.INPUT, "options": options}
    if chosen:
        menu["initial_option"] = chosen
    return input_block(act.BLOCK_REPLACES, words.ASK_REPLACES, menu, optional=True, hint=words.HINT_REPLACES)


def read_edit(view: Mapping[str, Any]) -> Edited | None:
    """Read a submitted `edit_view` (or a preview that asked for a title)."""
    title = _typed(view, act.BLOCK_TITLE)
    reason = _typed(view, act.BLOCK_REASON)
    lines = _typed(view, act.BLOCK_ALTERNATIVES)
    older = _selected(view, act.BLOCK_REPLACES)
    if title is None or reason is None or lines is None or older is None:
        return None
    errors = {
        block: words.TOO_LONG.format(limit=limit)
        for block, said, limit in (
            (act.BLOCK_TITLE, title, TITLE_MAX),
            (act.BLOCK_REASON, reason, REASON_MAX),
            (act.BLOCK_ALTERNATIVES, lines, ALTERNATIVES_TEXT_MAX),
        )
        if units(said) > limit
    }
    if not any(map(str.isalnum, title)):
        errors[act.BLOCK_TITLE] = words.NEEDS_TITLE
    alternatives, wrong = _alternatives(lines)
    if wrong:
        errors.setdefault(act.BLOCK_ALTERNATIVES, wrong)
    if errors:
        return Edited(errors=errors)
    return Edited(title=" ".join(title.split()), reason=reason, alternatives=alternatives, replaces=older)


def _alternatives(lines: str) -> tuple[tuple[Alternative, ...], str]:
    """Read "option: reason" lines; the second part is what is wrong, or ""."""
    found: list[Alternative] = []
    for number, line in enumerate(lines.splitlines(), start=1):
        name, _, reason = line.partition(": ")
        if not line.strip():
            continue
        if not name.strip(" :-•"):
            return (), words.NEEDS_OPTION.format(line=number)
        found.append(Alternative(option=name.strip().removesuffix(":"), reason=reason.strip()))
    too_many = len(found) > ALTERNATIVES_MAX
    return tuple(found), words.TOO_MANY.format(limit=ALTERNATIVES_MAX) if too_many else ""


# --- preview of the shortcut ---


def preview_waiting() -> Block:
    """Open at once while the thread is read: a trigger lives 3 seconds."""
    return modal(words.TITLE_PREVIEW, [section(Mrkdwn(words.PREVIEW_WAIT))])


def preview_view(drafts: Sequence[Draft], metadata: str) -> Block:
    """Show what would be kept of a thread, each with a tick; ask for a sentence where nothing was found.

    Args:
        drafts: as extracted, in the thread's order.
        metadata: names the thread; comes back with the submission.
    """
    settings = {"callback_id": act.CALLBACK_PREVIEW, "metadata": metadata, "submit": words.RECORD}
    if not drafts:
        return modal(
            words.TITLE_PREVIEW,
            [section(Mrkdwn(words.PREVIEW_NOTHING)), *_statement("", "", "")],
            **settings,
        )
    shown = drafts[:DRAFTS_MAX]
    options = [option(draft.title, str(place)) for place, draft in enumerate(shown)]
    boxes: Block = {"type": "checkboxes", "action_id": act.INPUT, "options": options, "initial_options": options}
    told = [_draft_told(draft) for draft in shown]
    blocks = [section(Mrkdwn(words.PREVIEW_HOW)), *told, input_block(act.BLOCK_KEEP, words.PREVIEW_KEEP, boxes)]
    return modal(words.TITLE_PREVIEW, blocks, **settings)


def _draft_told(draft: Draft) -> Block | None:
    reason = Mrkdwn(f"{words.BECAUSE} {inert(to_words(draft.rationale, 60))}") if draft.rationale else Mrkdwn("")
    quotes = [_quote_told(quote) for quote in draft.evidence[:QUOTES_MAX]]
    return section(join("\n", (bold(inert(draft.title)), reason, *quotes)))


def _quote_told(quote: Quote) -> Mrkdwn:
    """Return `"then we stay on pg" Lena 4 Mar`."""
    return join(" ", (inert(f'"{to_words(quote.quote, 40)}"'), inert(quote.author), day(quote.at)))


def read_kept(view: Mapping[str, Any], count: int) -> tuple[int, ...] | None:
    """Read which of `count` previewed drafts to keep, as places in their order; None for another shape."""
    chosen = _state(view, act.BLOCK_KEEP).get("selected_options")
    if not isinstance(chosen, list):
        return None
    values = [part.get("value") for part in chosen if isinstance(part, Mapping)]
    places = {str(place): place for place in range(count)}
    return tuple(sorted({places[value] for value in values if isinstance(value, str) and value in places}))


# --- small questions ---


def second_tap_view(decision: Decision) -> Block:
    """Ask somebody who neither wrote nor decided whether they really mean "Not a decision"."""
    blocks = [section(bold(inert(decision.title))), section(Mrkdwn(f"{words.SECOND_TAP} {words.SECOND_TAP_UNDO}"))]
    metadata = act.encode(decision=decision.id)
    return modal(
        words.TITLE_SECOND_TAP, blocks, callback_id=act.CALLBACK_SECOND_TAP, metadata=metadata, submit=words.REMOVE
    )


def wrong_view(session: str) -> Block:
    """Ask what was wrong with an answer: a category, and words if they like."""
    options = [option(label, name) for name, label in words.WRONG_CATEGORIES.items()]
    blocks = [_radio(words.WRONG_ASK, options), _words_beside(words.WRONG_REASON)]
    metadata = act.encode(session=session)
    return modal(words.TITLE_WRONG, blocks, callback_id=act.CALLBACK_WRONG, metadata=metadata, submit=words.SEND)


def outcome_view(decision: Decision) -> Block:
    """Ask how a decision went."""
    options = [option(label, verdict.value) for verdict, label in words.OUTCOME_CHOICES.items()]
    blocks = [
        section(bold(inert(decision.title))),
        _radio(words.OUTCOME_ASK, options),
        _words_beside(words.OUTCOME_REASON),
    ]
    metadata = act.encode(decision=decision.id)
    return modal(words.TITLE_OUTCOME, blocks, callback_id=act.CALLBACK_OUTCOME, metadata=metadata, submit=words.SEND)


def _radio(label: str, options: list[Block], *, hint: str = "") -> Block:
    radio: Block = {"type": "radio_buttons", "action_id": act.INPUT, "options": options}
    return input_block(act.BLOCK_CHOICE, label, radio, hint=hint)


def _words_beside(label: str) -> Block:
    return text_input(
        act.BLOCK_REASON,
        label,
        act.INPUT,
        multiline=True,
        optional=True,
        max_length=REASON_MAX,
    )


def read_choice(view: Mapping[str, Any], allowed: Sequence[str]) -> Chosen:
    """Read a submitted choice: one of `allowed`, with the words beside it."""
    choice = _selected(view, act.BLOCK_CHOICE)
    reason = _typed(view, act.BLOCK_REASON) or ""
    if not choice or choice not in allowed:
        return Chosen(errors={act.BLOCK_CHOICE: words.NEEDS_CHOICE})
    if units(reason) > REASON_MAX:
        return Chosen(errors={act.BLOCK_REASON: words.TOO_LONG.format(limit=REASON_MAX)})
    return Chosen(choice=choice, reason=reason)


# --- reading a view's state ---


def _state(view: Mapping[str, Any], block_id: str) -> Mapping[str, Any]:
    """Return what a block's one input holds; empty for any other shape."""
    found: object = view
    for key in ("state", "values", block_id, act.INPUT):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _typed(view: Mapping[str, Any], block_id: str) -> str | None:
    """Return a text field's words, "" where it is empty or absent; None for what is no text."""
    value = _state(view, block_id).get("value")
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else None


def _selected(view: Mapping[str, Any], block_id: str) -> str | None:
    """Return a select's value, "" where nothing is chosen; None for what no select of ours sends."""
    chosen = _state(view, block_id).get("selected_option")
    if chosen is None:
        return ""
    value = chosen.get("value") if isinstance(chosen, Mapping) else None
    return value if isinstance(value, str) else None
