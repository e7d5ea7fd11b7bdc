"""Slack's rules for blocks, messages and views, as strict as Slack's: an unknown field or type is refused.

Limits are those of docs.slack.dev/reference/block-kit, held against slack_sdk's models. Blocks that this product has
no use for (calls, cards, files, videos, workflows) are unknown here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from bot.playground import elements
from bot.playground.elements import ID, identifier, plain, typed, words
from bot.playground.refusal import Refusal
from bot.playground.shapes import Check, also, boolean, by_type, list_of, one_of, record, string

SECTION_TEXT = 3000
FIELDS = 10
FIELD_TEXT = 2000
HEADER_TEXT = 150
ACTIONS = 25
CONTEXT = 10
CONTEXT_ACTIONS = 5
MARKDOWN = 12_000
"""Characters of all markdown blocks of a message together."""
MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
VIEW_BYTES = 250_000
TITLE = 24
LABEL = 2000
PRIVATE_METADATA = 3000
TABLE_ROWS = 100
TABLE_CELLS = 20

_accessory = {"button": elements.button, "overflow": elements.overflow, "image": elements.image}
_accessories = by_type(_accessory | elements.menus | elements.choices)
_acting = by_type({"button": elements.button, "overflow": elements.overflow} | elements.menus | elements.choices)
_entering = by_type(elements.inputs | elements.menus | elements.choices)
_beside = by_type(
    {
        "image": elements.image,
        "plain_text": typed("plain_text", {"text": string(1, FIELD_TEXT)}, {"emoji": boolean}),
        "mrkdwn": typed("mrkdwn", {"text": string(1, FIELD_TEXT)}, {"verbatim": boolean}),
    }
)
_about = by_type({"feedback_buttons": elements.feedback_buttons, "icon_button": elements.icon_button})
_BLOCK = {"block_id": identifier}
_rich = typed("rich_text", {"elements": list_of(elements.rich_parts)}, _BLOCK)
_cell = by_type({"raw_text": typed("raw_text", {"text": string(1)}), "rich_text": _rich})
_task = typed(
    "task_card",
    {"task_id": string(1), "title": string(1)},
    _BLOCK
    | {
        "status": one_of("pending", "in_progress", "complete", "error"),
        "details": _rich,
        "output": _rich,
        "sources": list_of(elements.url_source),
    },
)

_EVERYWHERE: dict[str, Check] = {
    "section": also(
        typed(
            "section",
            {},
            _BLOCK
            | {
                "text": words(SECTION_TEXT),
                "fields": list_of(words(FIELD_TEXT), least=1, most=FIELDS),
                "accessory": _accessories,
                "expand": boolean,
            },
        ),
        lambda block: "" if "text" in block or "fields" in block else "missing required field: text or fields",
    ),
    "divider": typed("divider", {}, _BLOCK),
    "image": elements.image_block,
    "actions": typed("actions", {"elements": list_of(_acting, least=1, most=ACTIONS)}, _BLOCK),
    "context": typed("context", {"elements": list_of(_beside, least=1, most=CONTEXT)}, _BLOCK),
    "header": typed("header", {"text": plain(HEADER_TEXT)}, _BLOCK),
    "input": typed(
        "input",
        {"label": plain(LABEL), "element": _entering},
        _BLOCK | {"hint": plain(LABEL), "optional": boolean, "dispatch_action": boolean},
    ),
    "rich_text": _rich,
}
_MESSAGE = _EVERYWHERE | {
    "markdown": typed("markdown", {"text": string(1, MARKDOWN)}, _BLOCK),
    "context_actions": typed("context_actions", {"elements": list_of(_about, least=1, most=CONTEXT_ACTIONS)}, _BLOCK),
    "task_card": _task,
    "plan": typed("plan", {"title": string(1)}, _BLOCK | {"tasks": list_of(by_type({"task_card": _task}))}),
    "table": typed(
        "table",
        {"rows": list_of(list_of(_cell, least=1, most=TABLE_CELLS), least=1, most=TABLE_ROWS)},
        _BLOCK
        | {
            "column_settings": list_of(
                record({}, {"align": one_of("left", "center", "right"), "is_wrapped": boolean}), most=TABLE_CELLS
            )
        },
    ),
}

_VIEW = {"private_metadata": string(0, PRIVATE_METADATA), "callback_id": string(0, ID), "external_id": string(0, ID)}
_BLOCKS = by_type(_EVERYWHERE)
_VIEWS = by_type(
    {
        "modal": typed(
            "modal",
            {"title": plain(TITLE), "blocks": list_of(_BLOCKS, least=1, most=VIEW_BLOCKS)},
            _VIEW
            | {
                "close": plain(TITLE),
                "submit": plain(TITLE),
                "clear_on_close": boolean,
                "notify_on_close": boolean,
                "submit_disabled": boolean,
            },
        ),
        "home": typed("home", {"blocks": list_of(_BLOCKS, most=VIEW_BLOCKS)}, _VIEW),
    }
)
_MESSAGES = list_of(by_type(_MESSAGE), most=MESSAGE_BLOCKS)


def check_message(blocks: Any) -> None:
    """Refuse what Slack would as a message's blocks: `invalid_blocks`, a line for each rule that is broken."""
    problems: list[str] = []
    _MESSAGES(blocks, "/blocks", problems)
    if not problems:
        problems += _twice(blocks)
        if sum(len(block["text"]) for block in blocks if block["type"] == "markdown") > MARKDOWN:
            problems.append(
                f"[ERROR] markdown blocks must be less than {MARKDOWN + 1} characters in all [json-pointer:/blocks]"
            )
        if sum(block["type"] == "table" for block in blocks) > 1:
            problems.append("[ERROR] only one table allowed [json-pointer:/blocks]")
    if problems:
        raise Refusal("invalid_blocks", *problems)


def check_view(view: Any) -> None:
    """Refuse what Slack would as a modal or home: `view_too_large` or `invalid_arguments` with a line for each rule."""
    if len(json.dumps(view)) > VIEW_BYTES:
        raise Refusal("view_too_large")
    problems: list[str] = []
    _VIEWS(view, "/view", problems)
    if not problems:
        problems += _twice(view["blocks"])
        asks = any(block["type"] == "input" for block in view["blocks"])
        if view["type"] == "modal" and asks and "submit" not in view:
            problems.append("[ERROR] missing required field: submit [json-pointer:/view]")
    if problems:
        raise Refusal("invalid_arguments", *problems)


def elements_of(block: Any) -> Iterator[dict[str, Any]]:
    """Yield what stands in a block, in reading order: its accessory, elements or input element."""
    for name in ("accessory", "element"):
        if isinstance(block.get(name), dict):
            yield block[name]
    if block["type"] in ("actions", "context", "context_actions"):
        yield from block["elements"]


def _twice(blocks: list[dict[str, Any]]) -> list[str]:
    """Ids that are there twice: a block_id in the message, an action_id in its block."""
    found = [f"`block_id` {each} already exists" for each in _repeated(block.get("block_id", "") for block in blocks)]
    for number, block in enumerate(blocks):
        repeated = _repeated(element.get("action_id", "") for element in elements_of(block))
        found += [f"`action_id` {each} already exists [json-pointer:/blocks/{number}]" for each in repeated]
    return [f"[ERROR] {line}" for line in found]


def _repeated(ids: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    repeated = []
    for each in ids:
        if each and each in seen:
            repeated.append(each)
        seen.add(each)
    return repeated
