"""Using the app as a person does: commands, buttons, menus, shortcuts, modals, the home."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from bot.playground import api_chat, api_views, interactions
from bot.playground.courier import Courier, Delivery
from bot.playground.receipt import Receipt
from bot.playground.refusal import Refusal
from bot.playground.world import Conversation, Json, ResponseUrl, World

_HANDLE = re.compile(r"(?<![\w<])([@#])([\w.\-]+)")


class Acting:
    """What a person does with an app's commands and screens; part of `Playground`."""

    world: World
    courier: Courier
    ack_timeout_s: float

    # --- commands and shortcuts ---

    def command(
        self, user: str, channel: str, command: str, text: str = "", *, thread_ts: str = "", wait: bool = True
    ) -> Receipt:
        """Type a slash command; it works in every channel that its user is in, and never inside a thread.

        Names in the text become ids, as the manifest's `should_escape` has it. With `wait` it returns when acked, or
        when the time for that is over.
        """
        with self.world.changed:
            person, conversation = self._in(user, channel)
            if thread_ts:
                raise Refusal("command_in_thread", f"{command} is not supported in threads")
            if command not in self.world.workspace.commands:
                raise Refusal("unknown_command", f"{command} is not a valid command")
            answers = ResponseUrl(at=self.world.micros(), user=person["id"], channel=conversation.id, source="commands")
            named = interactions.channel_field(conversation)
            payload: Json = {
                "token": "verification-token",
                "team_id": self.world.workspace.team_id,
                "team_domain": self.world.workspace.domain,
                "channel_id": named["id"],
                "channel_name": named["name"],
                "user_id": person["id"],
                "user_name": person["name"],
                "command": command,
                "text": self._escaped(text),
                "api_app_id": self.world.workspace.app_id,
                "is_enterprise_install": "false",
                "response_url": self.world.new_response_url("commands", answers),
                "trigger_id": self.world.new_trigger(person["id"]),
            }
            receipt = Receipt(world=self.world, delivery=self.courier.send("slash_commands", payload), answers=answers)
        if wait:
            self._await(receipt.delivery)
            self._show_ack(receipt, conversation)
        return receipt

    def _escaped(self, text: str) -> str:
        def named(match: re.Match[str]) -> str:
            try:
                if match[1] == "@":
                    return f"<@{self.world.user(match[2])['id']}|{match[2]}>"
                return f"<#{self.world.conversation(match[2]).id}|{match[2]}>"
            except Refusal:
                return match[0]

        return _HANDLE.sub(named, text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))

    def _show_ack(self, receipt: Receipt, conversation: Conversation) -> None:
        """Show what a command's ack itself said."""
        with self.world.changed:
            ack, answers = receipt.delivery.ack or {}, receipt.answers
            if answers is None or not (ack.get("text") or ack.get("blocks")):
                return
            text, blocks = api_chat.content(ack)
            answers.posted.insert(0, api_chat.whisper(self.world, conversation, answers.user, text, blocks or []))

    def shortcut(self, user: str, callback_id: str, message: Mapping[str, Any], *, wait: bool = True) -> Receipt:
        """Choose a message shortcut from a message's menu."""
        with self.world.changed:
            person, conversation = self._in(user, message["channel"])
            if callback_id not in self.world.workspace.shortcuts:
                raise Refusal("unknown_shortcut", callback_id)
            stored = conversation.messages.get(message["ts"])
            if stored is None:
                raise Refusal("message_not_found")
            answers = ResponseUrl(at=self.world.micros(), user=person["id"], channel=conversation.id, source="app")
            payload = interactions.base(self.world, person["id"], "message_action") | {
                "callback_id": callback_id,
                "action_ts": self.world.next_ts(),
                "trigger_id": self.world.new_trigger(person["id"]),
                "response_url": self.world.new_response_url("app", answers),
                "message_ts": stored["ts"],
                "channel": interactions.channel_field(conversation),
                "message": copy.deepcopy(stored),
            }
            receipt = Receipt(world=self.world, delivery=self.courier.send("interactive", payload), answers=answers)
        return self._await_receipt(receipt, wait)

    # --- what stands on the screen ---

    def press(
        self,
        user: str,
        message: Mapping[str, Any],
        action_id: str,
        *,
        choice: str | Sequence[str] = "",
        block_id: str = "",
        values: Mapping[str, Any] | None = None,
        wait: bool = True,
    ) -> Receipt:
        """Press a button of a message (public or for one's eyes only), a modal or a home, as it looks by now.

        Args:
            message: as `messages`, `ephemerals`, `views`, `home` or a receipt's `responses` return it.
            choice: of a menu: the option's text or value (several of checkboxes); of feedback buttons likewise.
            values: what stands in its inputs and menus so far, named as for `submit`; the app is told.
        """
        with self.world.changed:
            person = self.world.user(user)
            if "ts" in message:
                payload, blocks, answers = self._on_message(person, message, dict(values or {}))
            else:
                payload, blocks = self._on_view(person, message, dict(values or {}))
                answers = None
            block, element = interactions.find_element(blocks, action_id, block_id)
            payload["actions"] = [interactions.action(self.world, block, element, choice)]
            receipt = Receipt(world=self.world, delivery=self.courier.send("interactive", payload), answers=answers)
        return self._await_receipt(receipt, wait)

    def choose(
        self, user: str, message: Mapping[str, Any], action_id: str, option: str, *, wait: bool = True
    ) -> Receipt:
        """Choose from a menu (overflow, select) by the option's text or value."""
        return self.press(user, message, action_id, choice=option, wait=wait)

    def _on_message(
        self, person: Json, message: Mapping[str, Any], values: Json
    ) -> tuple[Json, list[Json], ResponseUrl]:
        world = self.world
        conversation = world.conversation(message["channel"])
        hidden = bool(message.get("is_ephemeral"))
        if hidden:
            stored = next((each for each in world.ephemerals if each["ts"] == message["ts"]), None)
            if stored is not None and stored["to"] != person["id"]:
                raise Refusal("user_not_in_channel", f"{person['name']} does not see that message")
        else:
            self._in(person["id"], conversation.id)
            stored = conversation.messages.get(message["ts"])
        if stored is None:
            raise Refusal("message_not_found")
        container: Json = {
            "type": "message",
            "message_ts": stored["ts"],
            "channel_id": conversation.id,
            "is_ephemeral": hidden,
        }
        thread_ts = stored.get("thread_ts", "")
        if thread_ts:
            container["thread_ts"] = thread_ts
        answers = ResponseUrl(
            at=world.micros(),
            user=person["id"],
            channel=conversation.id,
            source="actions",
            original=stored["ts"],
            ephemeral=hidden,
            thread_ts=thread_ts if thread_ts != stored["ts"] else "",
        )
        payload = interactions.base(world, person["id"], "block_actions") | {
            "container": container,
            "trigger_id": world.new_trigger(person["id"]),
            "channel": interactions.channel_field(conversation),
            "state": interactions.state(stored, values, complete=False),
            "response_url": world.new_response_url("actions", answers),
        }
        if not hidden:
            payload["message"] = copy.deepcopy(stored)
        return payload, stored.get("blocks", []), answers

    def _on_view(self, person: Json, view: Mapping[str, Any], values: Json) -> tuple[Json, list[Json]]:
        world = self.world
        stored = world.homes.get(person["id"]) if view["type"] == "home" else world.views.get(view["id"])
        if stored is None or stored.get("user", person["id"]) != person["id"]:
            raise Refusal("not_found", "that view is not open")
        stored["state"] = interactions.state(stored, values, complete=False)
        payload = interactions.base(world, person["id"], "block_actions") | {
            "container": {"type": "view", "view_id": stored["id"]},
            "trigger_id": world.new_trigger(person["id"], view_id="" if stored["type"] == "home" else stored["id"]),
            "view": interactions.view_field(stored),
        }
        return payload, stored["blocks"]

    # --- modals and the home ---

    def submit(
        self, user: str, view: Mapping[str, Any], values: Mapping[str, Any] | None = None, *, wait: bool = True
    ) -> Receipt:
        """Fill a modal in, press its submit button, and do what the ack says.

        `values` are named by action_id, or by block_id where several inputs share one.
        """
        with self.world.changed:
            stored = self._open_view(user, view)
            stored["state"] = interactions.state(stored, dict(values or {}))
            payload = interactions.base(self.world, stored["user"], "view_submission") | {
                "trigger_id": self.world.new_trigger(stored["user"], view_id=stored["id"]),
                "view": interactions.view_field(stored),
                "response_urls": [],
            }
            receipt = Receipt(world=self.world, delivery=self.courier.send("interactive", payload))
        if wait:
            self._await(receipt.delivery)
            if receipt.acked:
                self._after_submission(receipt, stored)
        return receipt

    def _after_submission(self, receipt: Receipt, view: Json) -> None:
        with self.world.changed:
            ack = receipt.delivery.ack or {}
            match ack.get("response_action"):
                case "errors":
                    receipt.view_errors = self._view_errors(view, ack)
                case "update":
                    api_views.replace_view(self.world, view["id"], ack["view"])
                case "push":
                    api_views.add_view(self.world, ack["view"], view["user"], on=view["id"])
                case "clear":
                    self._close(lambda each: each["root_view_id"] == view["root_view_id"])
                case _:
                    self._close(lambda each: each["id"] == view["id"])

    def _view_errors(self, view: Json, ack: Json) -> Json:
        """Return an ack's errors; each must name the block_id of an input, as Slack wants."""
        inputs = {block["block_id"] for block in view["blocks"] if block["type"] == "input"}
        errors: Json = ack.get("errors") or {}
        if not errors or set(errors) - inputs:
            raise Refusal("invalid_view_errors", f"{sorted(errors)} are not inputs of that view")
        return errors

    def dismiss(self, user: str, view: Mapping[str, Any]) -> None:
        """Close a modal without submitting; the app hears of it if it asked to."""
        with self.world.changed:
            stored = self._open_view(user, view)
            self._close(lambda each: each["id"] == stored["id"])
            if stored["notify_on_close"]:
                payload = interactions.base(self.world, stored["user"], "view_closed")
                self.courier.send(
                    "interactive", payload | {"view": interactions.view_field(stored), "is_cleared": False}
                )

    def _open_view(self, user: str, view: Mapping[str, Any]) -> Json:
        stored = self.world.views.get(view["id"])
        if stored is None or stored["user"] != self.world.user(user)["id"]:
            raise Refusal("not_found", "that modal is not open")
        return stored

    def _close(self, which: Any) -> None:
        for view_id in [view["id"] for view in self.world.views.values() if which(view)]:
            del self.world.views[view_id]
        self.world.changed.notify_all()

    def open_home(self, user: str, *, tab: str = "home") -> None:
        """Open the app's home (or its "messages" tab)."""
        with self.world.changed:
            person = self.world.user(user)
            direct = self.world.direct(person["id"])
            event: Json = {"type": "app_home_opened", "user": person["id"], "channel": direct.id, "tab": tab}
            event["event_ts"] = self.world.next_ts()
            if tab == "home" and person["id"] in self.world.homes:
                event["view"] = interactions.view_field(self.world.homes[person["id"]])
            self.world.emit(event)

    # --- inside ---

    def _in(self, user: str, channel: str) -> tuple[Json, Conversation]:
        """Return a person and a channel that they are in."""
        person, conversation = self.world.user(user), self.world.conversation(channel)
        if person["deleted"]:
            raise Refusal("account_inactive", person["name"])
        if person["id"] not in conversation.members:
            raise Refusal("not_in_channel", f"{person['name']} is not in {conversation.name or conversation.id}")
        return person, conversation

    def _await_receipt(self, receipt: Receipt, wait: bool) -> Receipt:
        if wait:
            self._await(receipt.delivery)
        return receipt

    def _await(self, delivery: Delivery) -> None:
        until = time.monotonic() + self.ack_timeout_s + 0.5
        with self.world.changed:
            while not (delivery.acked or delivery.gave_up):
                left = until - time.monotonic()
                if left <= 0:
                    return
                self.world.changed.wait(left)
