"""The pieces of Block Kit that the bot uses, each within Slack's limits however long its text is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.slack.layout import words
from bot.slack.layout.text import Mrkdwn, cut, cut_plain, inert, join, spoken, units

Block = dict[str, Any]

# Slack's limits (Block Kit reference), in characters or items.
SECTION_MAX = 3_000
CONTEXT_MAX = 2_000
CONTEXT_ITEMS_MAX = 10
HEADER_MAX = 150
LABEL_MAX = 2_000
BUTTON_MAX = 75
BLOCK_ID_MAX = 255
BUTTONS_MAX = 25
OPTION_MAX = 75
OPTIONS_MAX = 100
OVERFLOW_MAX = 5
VIEW_TITLE_MAX = 24
CONFIRM_TITLE_MAX = 100
CONFIRM_TEXT_MAX = 300
CONFIRM_BUTTON_MAX = 30
MESSAGE_BLOCKS_MAX = 50
VIEW_BLOCKS_MAX = 100
INPUT_MAX = 3_000
TEXT_MAX = 3_000
"""Slack advises 4,000 for a message's own text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message laid out: `text` says the whole of `blocks` in words, for screen readers and notifications."""

    text: str
    blocks: list[Block]


def message(blocks: Iterable[Block | None]) -> Message:
    """Lay out a message of what isn't None, and say it in words."""
    kept = [block for block in blocks if block is not None][:MESSAGE_BLOCKS_MAX]
    return Message(text=in_words(kept), blocks=kept)


def in_words(blocks: Sequence[Block]) -> str:
    """Return what stands in the blocks without markup, a line each, and last what can be pressed."""
    lines: list[str] = []
    labels: list[str] = []
    for block in blocks:
        for part in (block.get("text"), *block.get("elements", ())):
            if part and part["type"] == "mrkdwn":
                lines.append(spoken(Mrkdwn(part["text"])))
            elif part and part["type"] == "plain_text":
                lines.append(inert(part["text"]))
        pressed = (block.get("accessory"), *block.get("elements", ()))
        labels += [_label(part) for part in pressed if part and part["type"] in {"button", "overflow"}]
    if labels:
        lines.append(words.YOU_CAN_PRESS.format(labels=", ".join(inert(label) for label in labels)))
    return cut(Mrkdwn("\n".join(lines)), TEXT_MAX)


def _label(part: Block) -> str:
    """Name a button as a screen reader would; a menu by its entries."""
    if part["type"] == "overflow":
        return ", ".join(option["text"]["text"] for option in part["options"])
    return str(part.get("accessibility_label") or part["text"]["text"])


def section(text: Mrkdwn, *, accessory: Block | None = None) -> Block | None:
    """Return a section, or None where there is nothing to say."""
    if not text:
        return None
    block: Block = {"type": "section", "text": _mrkdwn(text, SECTION_MAX)}
    return block | {"accessory": accessory} if accessory else block


def sections(lines: Iterable[Mrkdwn]) -> list[Block | None]:
    """Return the lines in as few sections as hold them; only a line too long for one by itself is cut."""
    found: list[Block | None] = []
    together = Mrkdwn("")
    for line in lines:
        longer = join("\n", (together, line))
        if units(longer) > SECTION_MAX:
            found.append(section(together))
            longer = line
        together = longer
    return [*found, section(together)]


def context(*parts: Mrkdwn) -> Block | None:
    """Return a line of small print, or None where all parts are empty."""
    items = [_mrkdwn(part, CONTEXT_MAX) for part in parts if part][:CONTEXT_ITEMS_MAX]
    return {"type": "context", "elements": items} if items else None


def header(text: str) -> Block:
    """Return a large heading; Slack parses nothing in it."""
    return {"type": "header", "text": _plain(text, HEADER_MAX)}


def actions(parts: Iterable[Block | None]) -> Block | None:
    """Return a row of buttons, or None where there are none."""
    kept = [part for part in parts if part is not None][:BUTTONS_MAX]
    return {"type": "actions", "elements": kept} if kept else None


def button(label: str, action_id: str, value: str = "", *, style: str = "", url: str = "", said: str = "") -> Block:
    """Return a button.

    Args:
        label: what stands on it.
        action_id: one of `actions`; unique within its row.
        value: from `actions.encode`.
        style: "primary", "danger" or "".
        url: opened in the browser; Slack reports the press as well.
        said: what a screen reader says where the label is a sign.
    """
    block: Block = {"type": "button", "text": _plain(label, BUTTON_MAX), "action_id": action_id}
    extra = {"value": value, "style": style, "url": url, "accessibility_label": cut_plain(said, BUTTON_MAX)}
    return block | {key: part for key, part in extra.items() if part}


def asking_first(pressed: Block, *, title: str, says: str, yes: str, no: str) -> Block:
    """Return a button before whose press Slack asks whether it is meant; it may be pressed by accident."""
    asked = {
        "title": _plain(title, CONFIRM_TITLE_MAX),
        "text": _plain(says, CONFIRM_TEXT_MAX),
        "confirm": _plain(yes, CONFIRM_BUTTON_MAX),
        "deny": _plain(no, CONFIRM_BUTTON_MAX),
        "style": "danger",
    }
    return pressed | {"confirm": asked}


def search_input(block_id: str, label: str, action_id: str, *, placeholder: str, hint: str) -> Block:
    """Return a field that is handed in by Enter, outside a form."""
    field = text_input(block_id, label, action_id, placeholder=placeholder, hint=hint)
    field["element"]["dispatch_action_config"] = {"trigger_actions_on": ["on_enter_pressed"]}
    return field | {"dispatch_action": True}


def overflow(action_id: str, options: Sequence[tuple[str, str]]) -> Block:
    """Return a ⋯ menu of (label, value), five at most."""
    return {"type": "overflow", "action_id": action_id, "options": [option(*pair) for pair in options[:OVERFLOW_MAX]]}


def option(label: str, value: str) -> Block:
    """Return one choice of a menu or a select."""
    return {"text": _plain(label, OPTION_MAX), "value": value}


def divider() -> Block:
    """Return a thin line."""
    return {"type": "divider"}


def text_input(block_id: str, label: str, action_id: str, **settings: Any) -> Block:
    """Return a field to type in.

    Args:
        block_id: where `state.values` holds it.
        label: what stands above it.
        action_id: the second key in `state.values`.
        **settings: `initial` (cut to the field), `multiline`, `max_length`, `optional`, `hint`, `placeholder`.
    """
    limit = int(settings.get("max_length", INPUT_MAX))
    field: Block = {"type": "plain_text_input", "action_id": action_id, "max_length": limit}
    if settings.get("multiline"):
        field["multiline"] = True
    if initial := settings.get("initial"):
        field["initial_value"] = _lines(initial, limit)
    if placeholder := settings.get("placeholder"):
        field["placeholder"] = _plain(placeholder, HEADER_MAX)
    return input_block(block_id, label, field, optional=bool(settings.get("optional")), hint=settings.get("hint", ""))


def input_block(block_id: str, label: str, field: Block, *, optional: bool = False, hint: str = "") -> Block:
    """Return a labelled field of any kind."""
    block: Block = {"type": "input", "block_id": block_id, "label": _plain(label, LABEL_MAX), "element": field}
    if optional:
        block["optional"] = True
    return block | {"hint": _plain(hint, CONTEXT_MAX)} if hint else block


def modal(
    title: str, blocks: Iterable[Block | None], *, callback_id: str = "", metadata: str = "", submit: str = ""
) -> Block:
    """Return a view to open or to update with; without `submit` it can only be closed."""
    view: Block = {
        "type": "modal",
        "title": _plain(title, VIEW_TITLE_MAX),
        "close": _plain(words.CANCEL if submit else words.CLOSE, VIEW_TITLE_MAX),
        "blocks": [block for block in blocks if block is not None][:VIEW_BLOCKS_MAX],
    }
    named = {"callback_id": callback_id, "private_metadata": metadata}
    view |= {key: value for key, value in named.items() if value}
    return view | {"submit": _plain(submit, VIEW_TITLE_MAX)} if submit else view


def home(blocks: Iterable[Block | None]) -> Block:
    """Return a Home view to publish."""
    return {"type": "home", "blocks": [block for block in blocks if block is not None][:VIEW_BLOCKS_MAX]}


def _mrkdwn(text: Mrkdwn, limit: int) -> Block:
    """Make a text that Slack parses; `verbatim` keeps it from finding links, names and channels of its own."""
    return {"type": "mrkdwn", "text": cut(text, limit), "verbatim": True}


def _plain(text: str, limit: int) -> Block:
    """Make a text that Slack shows as it is."""
    return {"type": "plain_text", "text": cut_plain(text, limit) or "…", "emoji": True}


def _lines(text: str, limit: int) -> str:
    """Cut text for a field, keeping its lines: what a field holds is shown as it is."""
    kept = "\n".join(cut_plain(line, limit) for line in text.splitlines())
    return kept if len(kept.encode("utf-16-le")) <= limit * 2 else cut_plain(kept, limit)
