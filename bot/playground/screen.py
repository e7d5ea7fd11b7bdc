"""How a person would see a message: blocks as plain text, links by their label, buttons in brackets."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from bot.playground.blocks import elements_of

_ANGLE = re.compile(r"<(?P<what>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")
_STYLE = re.compile(r"(?<![\w*_~`])(?P<mark>[*_~])(?P<inner>[^\s*_~](?:[^\n]*?[^\s*_~])?)(?P=mark)(?![\w*_~`])")
_PINGS = re.compile(r"<(![a-z]+[^<>]*|@[UW][A-Z0-9]+[^<>]*)>")
_EMOJI = {
    ":bookmark:": "🔖",
    ":+1:": "👍",
    ":thumbsup:": "👍",
    ":-1:": "👎",
    ":thumbsdown:": "👎",
    ":warning:": "⚠",
    ":x:": "❌",
    ":see_no_evil:": "🙈",
    ":white_check_mark:": "✅",
    ":joy:": "😂",
    ":eyes:": "👀",
    ":tada:": "🎉",
}
Names = Callable[[str], str]


def screen(message: Mapping[str, Any], names: Names | None = None) -> str:
    """Return a message, modal or home as lines of plain text.

    Args:
        message: Slack's JSON; where it has no blocks its text is shown.
        names: turns a user's or channel's id into the name that people see.
    """
    named = names or (lambda each: each)
    lines: list[str] = []
    if isinstance(message.get("title"), Mapping):
        lines.append(f"[[ {message['title']['text']} ]]")
    blocks = message.get("blocks") or []
    lines += [line for block in blocks for line in _block(block, named)]
    if not blocks:
        lines += mrkdwn(message.get("text", ""), named).split("\n")
    for name in ("submit", "close"):
        if isinstance(message.get(name), Mapping):
            lines.append(f"[{message[name]['text']}]")
    return "\n".join(line.rstrip() for line in lines)


def mrkdwn(text: str, names: Names | None = None) -> str:
    """Return mrkdwn as it looks: links as their label, mentions as names, styles without their marks."""
    named = names or (lambda each: each)

    def shown(match: re.Match[str]) -> str:
        what, label = match["what"], match["label"]
        if what.startswith("!date^"):
            return _date(what, label)
        if what.startswith(("@", "#")):
            return what[0] + (label or named(what[1:]))
        if what.startswith("!"):
            return "@" + (label or what[1:])
        return label or what

    text = _ANGLE.sub(shown, text)
    for _ in range(2):
        text = _STYLE.sub(lambda match: match["inner"], text)
    for code, emoji in _EMOJI.items():
        text = text.replace(code, emoji)
    return html.unescape(text)


def pings(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Return every mention in a message that would notify somebody (`@U…`, `!here`, `!subteam^…`), dates left out."""
    texts = [str(message.get("text", "")), *_strings(message.get("blocks", []))]
    found = [match[1] for text in texts for match in _PINGS.finditer(text)]
    return tuple(each for each in found if not each.startswith("!date"))


def buttons(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the action_ids that can be pressed, in reading order."""
    blocks = message.get("blocks") or []
    return tuple(each["action_id"] for block in blocks for each in elements_of(block) if "action_id" in each)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        if value.get("type") == "broadcast":
            yield f"<!{value.get('range', '')}>"
        if value.get("type") == "user":
            yield f"<@{value.get('user_id', '')}>"
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _date(what: str, label: str | None) -> str:
    parts = what.split("^")
    if len(parts) < 3 or not parts[1].isdigit():
        return label or what
    moment = datetime.fromtimestamp(int(parts[1]), tz=UTC)
    day = f"{moment.day} {moment:%b}"
    long = f"{day} {moment:%Y}"
    shown = parts[2]
    for code in ("{date_num}", "{date_long}", "{date_long_pretty}", "{date_pretty}", "{date}"):
        shown = shown.replace(code, long)
    for code in ("{date_short_pretty}", "{date_short}", "{day_divider_pretty}"):
        shown = shown.replace(code, day)
    return shown.replace("{time_secs}", f"{moment:%H:%M:%S}").replace("{time}", f"{moment:%H:%M}")


def _text(value: Mapping[str, Any], names: Names) -> str:
    return mrkdwn(value["text"], names) if value["type"] == "mrkdwn" else str(value["text"])


def _block(block: Mapping[str, Any], names: Names) -> list[str]:
    match block["type"]:
        case "section":
            lines = _text(block["text"], names).split("\n") if "text" in block else []
            lines += [line for field in block.get("fields", []) for line in _text(field, names).split("\n")]
            if "accessory" in block:
                lines.append(_element(block["accessory"], names))
            return lines
        case "header":
            return [block["text"]["text"]]
        case "divider":
            return ["---"]
        case "markdown":
            return str(block["text"]).split("\n")
        case "context":
            return "  ".join(_element(each, names) for each in block["elements"]).split("\n")
        case "actions" | "context_actions":
            return [" ".join(_element(each, names) for each in block["elements"])]
        case "input":
            return [f"{block['label']['text']}: {_element(block['element'], names)}"]
        case "image":
            return [f"(image: {block['alt_text']})"]
        case "rich_text":
            return [line for part in block["elements"] for line in _rich(part, names)]
        case "table":
            return [" | ".join(_cell(cell, names) for cell in row) for row in block["rows"]]
        case _:
            return [str(block.get("title", f"({block['type']})"))]


def _cell(cell: Mapping[str, Any], names: Names) -> str:
    return str(cell["text"]) if cell["type"] == "raw_text" else " ".join(_block(cell, names))


def _element(element: Mapping[str, Any], names: Names) -> str:
    match element["type"]:
        case "mrkdwn" | "plain_text":
            return _text(element, names)
        case "button" | "icon_button":
            return f"[{element['text']['text']}]"
        case "feedback_buttons":
            sides = (element["positive_button"], element["negative_button"])
            return " ".join(f"[{side['text']['text']}]" for side in sides)
        case "overflow":
            return "[⋯ " + " / ".join(option["text"]["text"] for option in element["options"]) + "]"
        case "image":
            return f"(image: {element['alt_text']})"
        case _:
            first = element.get("initial_value") or element.get("initial_option", {}).get("text", {}).get("text")
            options = " / ".join(option["text"]["text"] for option in element.get("options", []))
            return str(first or (f"<{options}>" if options else "____"))


def _rich(part: Mapping[str, Any], names: Names) -> list[str]:
    if part["type"] == "rich_text_list":
        return [f"• {line}" for item in part["elements"] for line in _rich(item, names)]
    shown = "".join(_run(run, names) for run in part["elements"])
    return [f"> {line}" if part["type"] == "rich_text_quote" else line for line in shown.split("\n")]


def _run(run: Mapping[str, Any], names: Names) -> str:
    match run["type"]:
        case "user":
            return "@" + names(run["user_id"])
        case "channel":
            return "#" + names(run["channel_id"])
        case "link":
            return str(run.get("text") or run["url"])
        case "emoji":
            return _EMOJI.get(f":{run['name']}:", f":{run['name']}:")
        case "broadcast":
            return f"@{run['range']}"
        case _:
            return str(run.get("text") or run.get("fallback") or "")
