"""The payloads that Slack sends when somebody uses what the app has put on a screen."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

from bot.playground.blocks import elements_of
from bot.playground.refusal import Refusal
from bot.playground.world import Conversation, Json, World

_SINGLE = {
    "users_select": "selected_user",
    "channels_select": "selected_channel",
    "conversations_select": "selected_conversation",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
}
_SEVERAL = {
    "multi_users_select": "selected_users",
    "multi_channels_select": "selected_channels",
    "multi_conversations_select": "selected_conversations",
}
_STATELESS = ("button", "feedback_buttons", "icon_button", "image", "overflow")
_INITIAL = {
    "initial_value": "value",
    "initial_option": "selected_option",
    "initial_options": "selected_options",
    "initial_user": "selected_user",
    "initial_users": "selected_users",
    "initial_channel": "selected_channel",
    "initial_conversation": "selected_conversation",
    "initial_date": "selected_date",
    "initial_time": "selected_time",
}


def find_element(blocks: list[Json], action_id: str, block_id: str = "") -> tuple[Json, Json]:
    """Return the block and the element with that action_id; refused when there is none to press."""
    for block in blocks:
        if block_id and block.get("block_id") != block_id:
            continue
        for element in elements_of(block):
            if element.get("action_id") == action_id:
                return block, element
    there = [element["action_id"] for block in blocks for element in elements_of(block) if "action_id" in element]
    raise Refusal("no_such_action", f"{action_id} is not on the screen; there are {', '.join(there) or 'none'}")


def options_of(element: Json) -> Iterator[Json]:
    """Yield a menu's options, those of its groups too."""
    yield from element.get("options", [])
    for group in element.get("option_groups", []):
        yield from group["options"]


def pick(element: Json, wanted: str) -> Json:
    """Return the option with that value or text."""
    for option in options_of(element):
        if wanted in (option["value"], option["text"]["text"]):
            return option
    raise Refusal(
        "no_such_option", f"{wanted} is not among {[option['text']['text'] for option in options_of(element)]}"
    )


def action(world: World, block: Json, element: Json, choice: str | Sequence[str]) -> Json:
    """Return one entry of `actions`: a press, or that choice from a menu."""
    what = element["type"]
    found: Json = {"type": what, "action_id": element["action_id"], "block_id": block.get("block_id", "")}
    if what == "button":
        found |= {key: element[key] for key in ("text", "value", "style", "url") if key in element}
    elif what == "icon_button":
        found |= {key: element[key] for key in ("icon", "text", "value") if key in element}
    elif what == "feedback_buttons":
        sides = [element["positive_button"], element["negative_button"]]
        side = next((each for each in sides if choice in (each["value"], each["text"]["text"])), None)
        if side is None:
            raise Refusal("no_such_option", f"{choice} is neither of the feedback buttons")
        found |= {"text": side["text"], "value": side["value"]}
    else:
        found |= entered(element, choice)
    return found | {"action_ts": world.next_ts()}


def entered(element: Json, value: object) -> Json:
    """Return how a view's state holds what was entered into an element."""
    what = element["type"]
    if what in ("static_select", "overflow", "radio_buttons"):
        return {"selected_option": None if value in (None, "") else pick(element, str(value))}
    if what in ("checkboxes", "multi_static_select"):
        wanted = [value] if isinstance(value, str) else list(value) if isinstance(value, (list, tuple)) else []
        return {"selected_options": [pick(element, str(each)) for each in wanted]}
    if what in _SINGLE:
        return {_SINGLE[what]: value}
    if what in _SEVERAL:
        return {_SEVERAL[what]: list(value) if isinstance(value, (list, tuple)) else [value]}
    return {"value": value if value != "" else None}


def state(view: Json, values: Json, *, complete: bool = True) -> Json:
    """Return the `state` of a view or message with what was entered, by action_id or block_id.

    What stood there at first stays. Where it must be `complete`, refused as Slack's own screen does when an input that
    is not optional is left empty.
    """
    known = {element.get("action_id") for block in view.get("blocks", []) for element in elements_of(block)}
    if unknown := set(values) - known - {block["block_id"] for block in view.get("blocks", [])}:
        raise Refusal("no_such_action", f"{', '.join(sorted(unknown))} is not on the screen")
    found: Json = {}
    for block in view.get("blocks", []):
        for element in elements_of(block):
            action_id = element.get("action_id")
            if not action_id or element["type"] in _STATELESS:
                continue
            first = {name: element[key] for key, name in _INITIAL.items() if key in element}
            held = {"type": element["type"], **(first or entered(element, None))}
            for name in (action_id, block["block_id"]):
                if name in values:
                    held |= entered(element, values[name])
            filled = any(each not in (None, [], "") for name, each in held.items() if name != "type")
            if complete and block["type"] == "input" and not block.get("optional") and not filled:
                raise Refusal("missing_input", f"{action_id} must be filled in")
            found.setdefault(block["block_id"], {})[action_id] = held
    return {"values": found}


def base(world: World, user: str, kind: str) -> Json:
    """Return what every interaction carries."""
    home, person = world.workspace, world.users[user]
    return {
        "type": kind,
        "token": "verification-token",
        "api_app_id": home.app_id,
        "team": {"id": home.team_id, "domain": home.domain},
        "enterprise": None,
        "is_enterprise_install": False,
        "user": {"id": user, "username": person["name"], "name": person["name"], "team_id": person["team_id"]},
    }


def channel_field(conversation: Conversation) -> Json:
    """Return how an interaction names its channel: private ones without their name."""
    names = {"group": "privategroup", "im": "directmessage"}
    return {"id": conversation.id, "name": names.get(conversation.channel_type, conversation.name)}


def view_field(view: Json) -> Json:
    """Return a view as payloads show it."""
    return {key: copy.deepcopy(value) for key, value in view.items() if key != "user"}
