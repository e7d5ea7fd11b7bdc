"""One direct message to the admins once most of a month's budget is used.

Idempotency key: the month and the admin; the post is planned under it before it is sent, and survives a restart.
"""

from __future__ import annotations

from datetime import UTC, datetime

from bot.jobs import FOLLOWS
from bot.slack.client import Refused
from bot.slack.layout import notices
from bot.slack.room import Room
from bot.slack.saying.posting import Words, post_once
from store import Delivery, Memory

KIND_BUDGET = "budget"


def due_budget(memory: Memory, now: datetime) -> int:
    """Put a look at the budget into the inbox, once an hour of a month in which a model was asked; how many rows."""
    hour = now.astimezone(UTC)
    if not memory.spending.of_month(f"{hour:%Y-%m}"):
        return 0
    return int(memory.inbox.insert(f"budget:{hour:%Y-%m-%dT%H}", KIND_BUDGET, {}, priority=FOLLOWS))


def on_budget(room: Room, delivery: Delivery) -> str:
    """Tell each admin, once a month, that threads are read by rules from now on."""
    if not room.with_claude or not room.budget.is_low():
        return "enough left"
    month = room.budget.month()
    told = Words(message=notices.budget_low(room.budget.spent(), room.budget.limit, room.budget.renews_at()))
    admins = room.access.admins()
    for admin in admins:
        try:
            post_once(room, key=f"budget:{month}:{admin}", kind="told", channel=admin, thread_ts="", make=lambda: told)
        except Refused:  # somebody who takes no messages of apps
            continue
    return f"{len(admins)} told"
