"""A pretend Slack on this machine, strict as Slack is: the demo and the behaviour tests run the real app on it."""

from bot.playground.clock import HandClock
from bot.playground.courier import Attempt, Delivery
from bot.playground.people import Channel, Member, Workspace, small_workspace
from bot.playground.playground import Playground
from bot.playground.receipt import Receipt
from bot.playground.refusal import Refusal
from bot.playground.screen import buttons, mrkdwn, pings, screen
from bot.playground.world import Call

__all__ = [
    "Attempt",
    "Call",
    "Channel",
    "Delivery",
    "HandClock",
    "Member",
    "Playground",
    "Receipt",
    "Refusal",
    "Workspace",
    "buttons",
    "mrkdwn",
    "pings",
    "screen",
    "small_workspace",
]
