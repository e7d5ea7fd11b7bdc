"""One handler a kind of delivery, and what is done about one that is given up.

Handlers run in the worker, never in Bolt: Bolt acknowledges a listener before it runs, so its failure would lose
the event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot import commenting, hooked
from bot.forget import KIND_ERASED
from bot.jobs import Handler
from bot.slack import deliveries as kinds
from bot.slack.answering.asking import answer_command, answer_question
from bot.slack.answering.said_before import on_proposed
from bot.slack.answering.telling import KIND_WANTED, on_wanted
from bot.slack.channel.introducing import KIND_INTRODUCTIONS, on_joined, on_start
from bot.slack.channel.lookback import KIND_LIST, KIND_READ, on_given_up, on_list, on_read, tell_uncounted
from bot.slack.clock import KIND_FOLLOW_UPS, KIND_PURGE, KIND_QUIET, purge
from bot.slack.home.erasing_channels import KIND_ERASE_CHANNEL, on_erase_channel
from bot.slack.home.homing import KIND_DETAILS, on_details, on_home
from bot.slack.home.owning import KIND_TAKE_ALL, on_take_all
from bot.slack.home.searching import KIND_SEARCH, on_search, tell_search_failure
from bot.slack.layout import notices
from bot.slack.pressing import on_press, on_submit
from bot.slack.reacting import on_reaction
from bot.slack.recheck import KIND_RECHECK, KIND_RECHECK_CHUNK, recheck_chunk, start_recheck
from bot.slack.recording.capturing import read_quiet
from bot.slack.recording.following import is_closed, on_changed, on_channel, on_closed, on_deleted
from bot.slack.recording.pointing import KIND_PREVIEW, on_preview, on_shortcut
from bot.slack.redrawing import on_erased
from bot.slack.room import Room
from bot.slack.saying.posting import body_of
from bot.slack.saying.replying import answer_alone, say_after_form, whisper
from bot.slack.unasked.budgeting import KIND_BUDGET, on_budget
from bot.slack.unasked.digesting import KIND_DIGEST, KIND_DIGESTS, plan_digests, post_digest
from bot.slack.unasked.followups import plan_follow_ups
from bot.slack.unasked.nudging import KIND_NUDGE, send
from bot.slack.unasked.offering import KIND_OFFERS, plan_offers
from store import Delivery


def on_pull(room: Room, delivery: Delivery) -> str:
    """Look at a pull request, one look at each at a time."""
    with room.locks.of(f"pull:{delivery.payload['thread']}"):
        return commenting.on_pull(room.memory, room.settings.credentials, room.clock(), delivery)


_HANDLERS: Mapping[str, Callable[[Room, Delivery], str]] = {
    kinds.KIND_COMMAND: answer_command,
    kinds.KIND_QUESTION: answer_question,
    kinds.KIND_REACTION: on_reaction,
    kinds.KIND_ACTION: on_press,
    kinds.KIND_VIEW: on_submit,
    kinds.KIND_SHORTCUT: on_shortcut,
    kinds.KIND_CHANGED: on_changed,
    kinds.KIND_JOINED: on_joined,
    kinds.KIND_HOME: on_home,
    KIND_INTRODUCTIONS: on_start,
    KIND_LIST: on_list,
    KIND_READ: on_read,
    KIND_OFFERS: plan_offers,
    KIND_PREVIEW: on_preview,
    KIND_DETAILS: on_details,
    KIND_SEARCH: on_search,
    KIND_QUIET: read_quiet,
    KIND_FOLLOW_UPS: plan_follow_ups,
    KIND_NUDGE: send,
    KIND_DIGESTS: plan_digests,
    KIND_DIGEST: post_digest,
    KIND_RECHECK: start_recheck,
    KIND_RECHECK_CHUNK: recheck_chunk,
    KIND_BUDGET: on_budget,
    KIND_WANTED: on_wanted,
    kinds.KIND_PROPOSED: on_proposed,
    commenting.KIND_PULL: on_pull,
    hooked.KIND_HOOKED: lambda room, delivery: hooked.on_hooked(room.memory, room.clock(), delivery),
    hooked.KIND_GATHERED: lambda room, delivery: hooked.on_gathered(room.memory, room.extractor, delivery),
}
_ALWAYS: Mapping[str, Callable[[Room, Delivery], str]] = {
    kinds.KIND_DELETED: on_deleted,
    kinds.KIND_CHANNEL: on_channel,
    kinds.KIND_CLOSED: on_closed,
    KIND_ERASED: on_erased,
    KIND_TAKE_ALL: on_take_all,
    KIND_ERASE_CHANNEL: on_erase_channel,
    KIND_PURGE: purge,
}
"""What is done even when the workspace took the bot away: erasing, and who may read what."""


def handlers(room: Room) -> dict[str, Handler]:
    """Return the worker's table: what works off a delivery, by its kind."""

    def open_only(handler: Callable[[Room, Delivery], str]) -> Handler:
        return lambda delivery: "closed" if is_closed(room) else handler(room, delivery)

    def always(handler: Callable[[Room, Delivery], str]) -> Handler:
        return lambda delivery: handler(room, delivery)

    return {kind: open_only(handler) for kind, handler in _HANDLERS.items()} | {
        kind: always(handler) for kind, handler in _ALWAYS.items()
    }


def tell_failure(room: Room, delivery: Delivery, ref: str) -> None:
    """Tell whoever waits for a delivery that was given up, alone, with the reference that the log has."""
    asked = delivery.payload
    told = notices.failure(ref)
    if delivery.kind == kinds.KIND_VIEW:
        say_after_form(room, asked, told)
    elif delivery.kind == KIND_LIST:
        tell_uncounted(room, delivery, told)
    elif delivery.kind == KIND_READ:
        on_given_up(room, delivery)
    elif delivery.kind == KIND_SEARCH:
        tell_search_failure(room, delivery, told)
    elif asked.get("response_url") or delivery.kind == kinds.KIND_QUESTION:
        answer_alone(room, asked, body_of(told), thread_ts=asked.get("thread_ts") or "")
    elif delivery.kind == kinds.KIND_REACTION and asked["added"] and asked["emoji"] in room.settings.capture_emoji:
        whisper(room, asked["channel"], asked["user"], body_of(notices.failed_thread(ref)), thread_ts=asked["ts"])
