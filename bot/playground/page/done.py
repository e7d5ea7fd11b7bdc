"""What one person does on the playground's page: each act is one of the playground's own, as strict as Slack.

A body names the act and its parts as JSON; `Refusal` says what Slack would not let happen, `Misread` that the body is
no act at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.playground.composer import wire
from bot.playground.page.seen import readable
from bot.playground.playground import Playground
from bot.playground.receipt import Receipt
from bot.playground.refusal import Refusal
from bot.playground.world import Json

Body = Mapping[str, Any]


class Misread(ValueError):
    """A body that lacks a part, or holds one of another kind."""


def do(play: Playground, who: str, body: Body) -> Json:
    """Do what a body says, as that person, and return what came of it at once; the rest is seen on their screen."""
    act = _ACTS.get(_text(body, "what"))
    if act is None:
        raise Misread("what")
    return act(play, who, body)


def _text(body: Body, name: str, default: str | None = None) -> str:
    value = body.get(name, default)
    if not isinstance(value, str):
        raise Misread(name)
    return value


def _part(body: Body, name: str) -> Body:
    value = body.get(name)
    if not isinstance(value, Mapping):
        raise Misread(name)
    return value


def _came(receipt: Receipt) -> Json:
    if receipt.error:
        raise Refusal(receipt.error)
    return {"errors": receipt.view_errors} if receipt.view_errors else {}


def _say(play: Playground, who: str, body: Body) -> Json:
    channel, typed, thread = _text(body, "channel"), _text(body, "text").strip(), _text(body, "thread", "")
    if not typed:
        raise Refusal("no_text")
    if typed.startswith("/"):
        return _command(play, who, channel, typed, thread)
    text = _wired(play, who, typed)
    ts = play.post(who, channel, text, thread_ts=thread, broadcast=body.get("broadcast") is True)
    return {"ts": ts, "unheard": play.mention in text and not _hears(play, channel)}


def _hears(play: Playground, channel: str) -> bool:
    with play.world.changed:
        return play.world.bot_in(play.world.conversation(channel))


def _wired(play: Playground, who: str, typed: str) -> str:
    world = play.world
    with world.changed:
        return wire(world, typed, reads=lambda channel: readable(world, world.conversations[channel], who))


def _command(play: Playground, who: str, channel: str, typed: str, thread: str) -> Json:
    command, _, rest = typed.partition(" ")
    if command == "/invite":
        for name in rest.split() or [""]:
            play.invite(who, channel, name)
        return {}
    return _came(play.command(who, channel, command, rest.strip(), thread_ts=thread))


def _edit(play: Playground, who: str, body: Body) -> Json:
    play.edit(who, _text(body, "channel"), _text(body, "ts"), _wired(play, who, _text(body, "text").strip()))
    return {}


def _delete(play: Playground, who: str, body: Body) -> Json:
    play.delete(who, _text(body, "channel"), _text(body, "ts"))
    return {}


def _react(play: Playground, who: str, body: Body) -> Json:
    """Put an emoji on a message, or take it back where it is there already."""
    channel, ts, name = _text(body, "channel"), _text(body, "ts"), _text(body, "name")
    try:
        play.react(who, channel, ts, name)
    except Refusal as refusal:
        if refusal.code != "already_reacted":
            raise
        play.unreact(who, channel, ts, name)
    return {}


def _shortcut(play: Playground, who: str, body: Body) -> Json:
    message = {"channel": _text(body, "channel"), "ts": _text(body, "ts")}
    return _came(play.shortcut(who, _text(body, "shortcut"), message))


def _press(play: Playground, who: str, body: Body) -> Json:
    on = _part(body, "on")
    if "ts" in on:
        target: Json = {"channel": _text(on, "channel"), "ts": _text(on, "ts"), "is_ephemeral": bool(on.get("hidden"))}
    else:
        target = {"id": _text(on, "id"), "type": _text(on, "type")}
    choice = body.get("choice", "")
    if not isinstance(choice, str) and not (isinstance(choice, list) and all(isinstance(each, str) for each in choice)):
        raise Misread("choice")
    values = body.get("values", {})
    if not isinstance(values, Mapping):
        raise Misread("values")
    return _came(
        play.press(who, target, _text(body, "action"), choice=choice, block_id=_text(body, "block", ""), values=values)
    )


def _submit(play: Playground, who: str, body: Body) -> Json:
    return _came(play.submit(who, {"id": _text(body, "view")}, _part(body, "values")))


def _dismiss(play: Playground, who: str, body: Body) -> Json:
    play.dismiss(who, {"id": _text(body, "view")})
    return {}


def _open(play: Playground, who: str, body: Body) -> Json:
    """Open the app's home or its messages, of which it hears."""
    play.open_home(who, tab=_text(body, "tab"))
    return {}


def _join(play: Playground, who: str, body: Body) -> Json:
    play.join(who, _text(body, "channel"))
    return {}


def _leave(play: Playground, who: str, body: Body) -> Json:
    play.leave(who, _text(body, "channel"))
    return {}


_ACTS: dict[str, Callable[[Playground, str, Body], Json]] = {
    "delete": _delete,
    "dismiss": _dismiss,
    "edit": _edit,
    "join": _join,
    "leave": _leave,
    "open": _open,
    "press": _press,
    "react": _react,
    "say": _say,
    "shortcut": _shortcut,
    "submit": _submit,
}
