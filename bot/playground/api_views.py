"""Web API: views.* (modals and the app's home)."""

from __future__ import annotations

import hashlib
import json

from bot.playground import arguments
from bot.playground.blocks import check_view
from bot.playground.messages import with_ids
from bot.playground.refusal import Refusal
from bot.playground.world import Json, Trigger, World

DEPTH = 3
"""Modals that may lie on each other (Slack's limit)."""


def _view(args: Json) -> Json:
    value = arguments.structure(args, "view", error="invalid_arguments")
    if not isinstance(value, dict):
        raise Refusal("invalid_arguments", "[ERROR] missing required field: view")
    return value


def _stored(world: World, view: Json, *, id: str = "") -> Json:
    check_view(view)
    text = json.dumps(view, sort_keys=True)
    stored = view | {
        "id": id or f"V{world.number():08d}",
        "team_id": world.workspace.team_id,
        "app_id": world.workspace.app_id,
        "bot_id": world.workspace.bot_id,
        "app_installed_team_id": world.workspace.team_id,
        "hash": f"{world.next_ts()}.{hashlib.sha256(text.encode()).hexdigest()[:8]}",
        "state": {"values": {}},
    }
    defaults: Json = {"private_metadata": "", "callback_id": "", "external_id": "", "close": None, "submit": None}
    stored = defaults | {"clear_on_close": False, "notify_on_close": False, "previous_view_id": None} | stored
    stored["blocks"] = with_ids(view["blocks"])
    world.changed.notify_all()
    return stored


def _modal(view: Json) -> Json:
    if view.get("type") == "home":
        raise Refusal("invalid_arguments", "[ERROR] must provide a view of type modal")
    return view


def _trigger(world: World, args: Json) -> Trigger:
    trigger_id = arguments.text(args, "trigger_id") or arguments.text(args, "interactivity_pointer")
    if not trigger_id:
        raise Refusal("invalid_arguments", "[ERROR] missing required field: trigger_id")
    return world.spend_trigger(trigger_id)


def open_view(world: World, args: Json) -> Json:
    """views.open: needs a trigger_id not older than 3 seconds, once."""
    view = _modal(_view(args))
    check_view(view)
    trigger = _trigger(world, args)
    return {"view": add_view(world, view, trigger.user)}


def add_view(world: World, view: Json, user: str, *, on: str = "") -> Json:
    """Show a modal to a person, on top of another one where `on` names it."""
    stored = _stored(world, view)
    root = world.views[on]["root_view_id"] if on else stored["id"]
    stored |= {"root_view_id": root, "previous_view_id": on or None}
    world.views[stored["id"]] = stored | {"user": user}
    return stored


def push(world: World, args: Json) -> Json:
    """views.push: on the modal that its trigger came from."""
    view = _modal(_view(args))
    check_view(view)
    trigger = _trigger(world, args)
    below = trigger.view_id
    if not below or below not in world.views:
        raise Refusal("not_found")
    depth = sum(each["root_view_id"] == world.views[below]["root_view_id"] for each in world.views.values())
    if depth >= DEPTH:
        raise Refusal("push_limit_reached")
    return {"view": add_view(world, view, trigger.user, on=below)}


def update(world: World, args: Json) -> Json:
    """views.update: an open view, by id or external id."""
    view = _view(args)
    view_id, external = arguments.text(args, "view_id"), arguments.text(args, "external_id")
    if not (view_id or external):
        raise Refusal("invalid_arguments", "[ERROR] one of view_id or external_id is required")
    found = next(
        (
            each
            for each in world.views.values()
            if each["id"] == view_id or (external and each["external_id"] == external)
        ),
        None,
    )
    if found is None:
        raise Refusal("not_found")
    if arguments.text(args, "hash") and args["hash"] != found["hash"]:
        raise Refusal("hash_conflict")
    return {"view": replace_view(world, found["id"], view)}


def replace_view(world: World, view_id: str, view: Json) -> Json:
    """Put another view in an open modal's place, under its id."""
    before = world.views[view_id]
    stored = _stored(world, _modal(view), id=view_id)
    stored |= {"root_view_id": before["root_view_id"], "previous_view_id": before["previous_view_id"]}
    world.views[view_id] = stored | {"user": before["user"]}
    return stored


def publish(world: World, args: Json) -> Json:
    """views.publish: a person's home."""
    user, view = arguments.required(args, "user_id"), _view(args)
    if user not in world.users or world.users[user]["deleted"]:
        raise Refusal("user_not_found")
    if view.get("type") != "home":
        raise Refusal("invalid_arguments", "[ERROR] must provide a view of type home")
    before = world.homes.get(user)
    if arguments.text(args, "hash") and before is not None and args["hash"] != before["hash"]:
        raise Refusal("hash_conflict")
    stored = _stored(world, view, id=before["id"] if before else "")
    world.homes[user] = stored | {"root_view_id": stored["id"]}
    return {"view": world.homes[user]}
