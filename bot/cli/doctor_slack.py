"""What `why doctor` asks of Slack: tokens, scopes, the clock, the socket, the channels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bot.errors import Permanent, Transient
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.slack.checking import TokenFacts

CheckState = Literal["ok", "note", "wrong"]

MOST_AHEAD_S = 60.0
"""Seconds that the clock may be off: from 300 on Slack's signatures are refused, and times are wrong long before."""
MOST_NAMED = 5
"""Channels named in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One finding; "note" is worth knowing, "wrong" needs somebody."""

    name: str
    state: CheckState
    says: str


def checks(settings: Settings) -> Iterator[Check]:
    """Ask Slack about the tokens that are set and look right; nothing is asked without one."""
    if settings.slack_bot_token.startswith("xoxb-"):
        yield from _bot(settings)
    if settings.slack_app_token.startswith("xapp-"):
        yield _socket(settings)


def _bot(settings: Settings) -> Iterator[Check]:
    from bot.slack.checking import token_facts

    try:
        facts = token_facts(settings.slack_bot_token, api_url=settings.slack_api_url)
    except Transient as error:
        yield Check(name="slack", state="note", says=f"{error}: the token could not be tried")
        return
    except Permanent as error:
        yield Check(name="slack", state="wrong", says=f"SLACK_BOT_TOKEN: {error}; install the app again")
        return
    yield Check(name="slack", state="ok", says=f"{facts.user} in {facts.team}")
    yield from _scopes(facts)
    yield from _clock(facts)
    yield from _channels(settings)


def _scopes(facts: TokenFacts) -> Iterator[Check]:
    from bot.slack.checking import NEEDED_SCOPES, OPTIONAL_SCOPES

    if facts.missing is None:
        yield Check(name="scopes", state="note", says="Slack did not say what the token may do")
        return
    for scope in facts.missing:
        says = f"{scope} is missing ({NEEDED_SCOPES[scope]}): update the app from manifest.yml and install it again"
        yield Check(name="scopes", state="wrong", says=says)
    for scope in facts.left_out or ():
        yield Check(name="scopes", state="note", says=f"{scope} was left out ({OPTIONAL_SCOPES[scope]})")
    if not facts.missing and not facts.left_out:
        yield Check(name="scopes", state="ok", says="those of manifest.yml")


def _clock(facts: TokenFacts) -> Iterator[Check]:
    if facts.ahead is None:
        return
    seconds = facts.ahead.total_seconds()
    if abs(seconds) <= MOST_AHEAD_S:
        yield Check(name="clock", state="ok", says="the same as Slack's")
        return
    side = "ahead of" if seconds > 0 else "behind"
    says = f"{abs(seconds):.0f} s {side} Slack's: set it by NTP; Slack's requests are refused from 300 s on"
    yield Check(name="clock", state="wrong", says=says)


def _channels(settings: Settings) -> Iterator[Check]:
    from bot.slack.checking import channels_of

    try:
        found = channels_of(settings.slack_bot_token, api_url=settings.slack_api_url)
    except (Transient, Permanent) as error:
        yield Check(name="channels", state="note", says=f"{error}: they could not be listed")
        return
    if not found:
        yield Check(name="channels", state="note", says="in no public channel yet: /invite @Backstory in one")
        return
    names = ", ".join(f"#{name or channel}" for channel, name in found[:MOST_NAMED])
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    yield Check(name="channels", state="ok", says=f"in {len(found)} public ones: {names}{more}")
    blocked = [f"#{name}" for channel, name in found if settings.blocked_channels & {channel, name}]
    if blocked:
        says = f"in {', '.join(blocked)}, which BACKSTORY_BLOCKED_CHANNELS names: /remove it there"
        yield Check(name="channels", state="note", says=says)


def _socket(settings: Settings) -> Check:
    from bot.slack.checking import check_socket

    try:
        check_socket(settings.slack_app_token, api_url=settings.slack_api_url)
    except Transient as error:
        return Check(name="socket", state="note", says=f"{error}: the app token could not be tried")
    except Permanent as error:
        says = f"SLACK_APP_TOKEN: {error}; make one with connections:write, and switch Socket Mode on"
        return Check(name="socket", state="wrong", says=says)
    return Check(name="socket", state="ok", says="Slack gives one")
