"""What Slack's message field makes of typed words: names become mentions, addresses links, the rest stays text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from bot.playground.refusal import Refusal
from bot.playground.world import World

_HANDLE = re.compile(r"(?<![\w<&/])([@#])([\w.\-]*\w)")
_ADDRESS = re.compile(r"https?://[^\s<>|]*[^\s<>|.,;:!?)\]'\"]")
_EVERYBODY = ("here", "channel", "everyone")


def wire(world: World, typed: str, *, reads: Callable[[str], bool] = lambda _channel: True) -> str:
    """Return typed words as messages hold them: `<@U…>`, `<#C…|name>`, `<!here>`, `<https://…>`, the rest escaped.

    A closed channel is mentioned without its name, since not all who read the message may know of it.

    Args:
        world: who and what there is; the caller holds `changed`.
        typed: as it stands in the field.
        reads: says of a channel's id whether whoever types may know of it; others stay words.
    """
    parts, end = [], 0
    for match in _ADDRESS.finditer(typed):
        parts += [_named(world, _escaped(typed[end : match.start()]), reads), f"<{_escaped(match[0])}>"]
        end = match.end()
    return "".join([*parts, _named(world, _escaped(typed[end:]), reads)])


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _named(world: World, text: str, reads: Callable[[str], bool]) -> str:
    def found(match: re.Match[Any]) -> str:
        sign, name = match[1], match[2]
        if sign == "@" and name in _EVERYBODY:
            return f"<!{name}>"
        try:
            if sign == "@":
                return f"<@{world.user(name)['id']}>"
            channel = world.conversation(name)
        except Refusal:
            return str(match[0])
        if not reads(channel.id):
            return str(match[0])
        return f"<#{channel.id}|{'' if channel.private else channel.name}>"

    return _HANDLE.sub(found, text)
