"""What stands inside Slack's blocks: texts, options, buttons, menus, inputs, rich text, with their limits.

Limits are those of docs.slack.dev/reference/block-kit, held against slack_sdk's models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.playground.shapes import Check, also, boolean, by_type, integer, list_of, one_of, record, string

ID = 255
"""Characters of a block_id, action_id, callback_id."""
BUTTON_TEXT = 75
BUTTON_VALUE = 2000
URL = 3000
OPTION_TEXT = 75
OPTION_VALUE = 150
OPTIONS = 100
OVERFLOW_OPTIONS = 5
PLACEHOLDER = 150

url = string(1, URL, starts=("http://", "https://", "slack://", "mailto:"))
identifier = string(1, ID)


def typed(name: str, required: Mapping[str, Check] | None = None, optional: Mapping[str, Check] | None = None) -> Check:
    """An object of that `type` with these other fields and no more."""
    return record({"type": one_of(name), **(required or {})}, optional)


def plain(most: int) -> Check:
    """A plain_text object of 1 to `most` characters."""
    return by_type({"plain_text": typed("plain_text", {"text": string(1, most)}, {"emoji": boolean})})


def words(most: int) -> Check:
    """A plain_text or mrkdwn object of 1 to `most` characters."""
    return by_type(
        {
            "plain_text": typed("plain_text", {"text": string(1, most)}, {"emoji": boolean}),
            "mrkdwn": typed("mrkdwn", {"text": string(1, most)}, {"verbatim": boolean}),
        }
    )


confirm = record(
    {"title": plain(100), "text": words(300), "confirm": plain(30), "deny": plain(30)},
    {"style": one_of("primary", "danger")},
)
option = record(
    {"text": words(OPTION_TEXT), "value": string(1, OPTION_VALUE)}, {"description": words(OPTION_TEXT), "url": url}
)
option_group = record({"label": plain(OPTION_TEXT), "options": list_of(option, least=1, most=OPTIONS)})

_ACTION = {"action_id": identifier}
_ASKS = _ACTION | {"confirm": confirm}
_INPUT = _ACTION | {"placeholder": plain(PLACEHOLDER), "focus_on_load": boolean}
_SELECT = _INPUT | {"confirm": confirm}
_RANGE = {"min_length": integer, "max_length": integer}
_DISPATCH = {"dispatch_action_config": record({"trigger_actions_on": list_of(string(1), least=1)})}


def _picture(more: Mapping[str, Check]) -> Check:
    return also(
        typed(
            "image",
            {"alt_text": string(1, 2000)},
            {"image_url": url, "slack_file": record({}, {"id": string(1), "url": url}), **more},
        ),
        lambda value: (
            "" if ("image_url" in value) != ("slack_file" in value) else "one of image_url and slack_file is required"
        ),
    )


image = _picture({})
image_block = _picture({"block_id": identifier, "title": plain(2000)})

button = typed(
    "button",
    {"text": plain(BUTTON_TEXT)},
    _ASKS
    | {
        "url": url,
        "value": string(0, BUTTON_VALUE),
        "style": one_of("primary", "danger"),
        "accessibility_label": string(1, 75),
    },
)
overflow = typed("overflow", {"options": list_of(option, least=1, most=OVERFLOW_OPTIONS)}, _ASKS)


def _one_source(value: dict[str, Any]) -> str:
    return "" if ("options" in value) != ("option_groups" in value) else "one of options and option_groups is required"


def _static(name: str, chosen: Mapping[str, Check]) -> Check:
    lists = {
        "options": list_of(option, least=1, most=OPTIONS),
        "option_groups": list_of(option_group, least=1, most=OPTIONS),
    }
    return also(typed(name, {}, _SELECT | lists | dict(chosen)), _one_source)


_CONVERSATION = {
    "default_to_current_conversation": boolean,
    "response_url_enabled": boolean,
    "filter": record(
        {}, {"include": list_of(string(1)), "exclude_external_shared_channels": boolean, "exclude_bot_users": boolean}
    ),
}
_ids, _most = list_of(string(1)), {"max_selected_items": integer}

menus: dict[str, Check] = {
    "static_select": _static("static_select", {"initial_option": option}),
    "external_select": typed("external_select", {}, _SELECT | {"initial_option": option, "min_query_length": integer}),
    "users_select": typed("users_select", {}, _SELECT | {"initial_user": string(1)}),
    "channels_select": typed(
        "channels_select", {}, _SELECT | {"initial_channel": string(1), "response_url_enabled": boolean}
    ),
    "conversations_select": typed(
        "conversations_select", {}, _SELECT | _CONVERSATION | {"initial_conversation": string(1)}
    ),
    "multi_static_select": _static("multi_static_select", {"initial_options": list_of(option, least=1), **_most}),
    "multi_external_select": typed(
        "multi_external_select", {}, _SELECT | _most | {"initial_options": list_of(option), "min_query_length": integer}
    ),
    "multi_users_select": typed("multi_users_select", {}, _SELECT | _most | {"initial_users": _ids}),
    "multi_channels_select": typed("multi_channels_select", {}, _SELECT | _most | {"initial_channels": _ids}),
    "multi_conversations_select": typed(
        "multi_conversations_select", {}, _SELECT | _most | _CONVERSATION | {"initial_conversations": _ids}
    ),
}
choices: dict[str, Check] = {
    "checkboxes": typed(
        "checkboxes",
        {"options": list_of(option, least=1, most=10)},
        _ASKS | {"initial_options": list_of(option, least=1, most=10), "focus_on_load": boolean},
    ),
    "radio_buttons": typed(
        "radio_buttons",
        {"options": list_of(option, least=1, most=10)},
        _ASKS | {"initial_option": option, "focus_on_load": boolean},
    ),
    "datepicker": typed("datepicker", {}, _SELECT | {"initial_date": string(10, 10)}),
    "timepicker": typed("timepicker", {}, _SELECT | {"initial_time": string(5, 5), "timezone": string(1)}),
    "datetimepicker": typed("datetimepicker", {}, _ASKS | {"initial_date_time": integer, "focus_on_load": boolean}),
}
inputs: dict[str, Check] = {
    "plain_text_input": typed(
        "plain_text_input", {}, _INPUT | _RANGE | _DISPATCH | {"initial_value": string(0, 3000), "multiline": boolean}
    ),
    "email_text_input": typed("email_text_input", {}, _INPUT | _DISPATCH | {"initial_value": string()}),
    "url_text_input": typed("url_text_input", {}, _INPUT | _DISPATCH | {"initial_value": string()}),
    "number_input": typed(
        "number_input",
        {"is_decimal_allowed": boolean},
        _INPUT | _DISPATCH | {"initial_value": string(), "min_value": string(), "max_value": string()},
    ),
}

_feedback = record(
    {"text": plain(BUTTON_TEXT), "value": string(1, BUTTON_VALUE)}, {"accessibility_label": string(1, 75)}
)
feedback_buttons = typed("feedback_buttons", {"positive_button": _feedback, "negative_button": _feedback}, _ACTION)
icon_button = typed(
    "icon_button",
    {"icon": one_of("trash"), "text": plain(BUTTON_TEXT)},
    _ASKS | {"value": string(0, BUTTON_VALUE), "accessibility_label": string(1, 75), "visible_to_user_ids": _ids},
)
url_source = typed("url", {"url": url, "text": string(1)})

_style = {"style": record({}, dict.fromkeys(("bold", "italic", "strike", "code", "underline", "unlink"), boolean))}
_runs = by_type(
    {
        "text": typed("text", {"text": string(1)}, _style),
        "link": typed("link", {"url": url}, _style | {"text": string(), "unsafe": boolean}),
        "user": typed("user", {"user_id": string(1)}, _style),
        "usergroup": typed("usergroup", {"usergroup_id": string(1)}, _style),
        "channel": typed("channel", {"channel_id": string(1)}, _style),
        "emoji": typed("emoji", {"name": string(1)}, _style | {"unicode": string(), "skin_tone": integer}),
        "broadcast": typed("broadcast", {"range": one_of("here", "channel", "everyone")}, _style),
        "date": typed("date", {"timestamp": integer, "format": string(1)}, _style | {"url": url, "fallback": string()}),
        "color": typed("color", {"value": string(1)}),
    }
)
_section = typed("rich_text_section", {"elements": list_of(_runs)})
rich_parts = by_type(
    {
        "rich_text_section": _section,
        "rich_text_quote": typed("rich_text_quote", {"elements": list_of(_runs)}, {"border": integer}),
        "rich_text_preformatted": typed("rich_text_preformatted", {"elements": list_of(_runs)}, {"border": integer}),
        "rich_text_list": typed(
            "rich_text_list",
            {"style": one_of("bullet", "ordered"), "elements": list_of(by_type({"rich_text_section": _section}))},
            {"indent": integer, "offset": integer, "border": integer},
        ),
    }
)
