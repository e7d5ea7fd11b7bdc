"""What Slack says of the app's tokens: whose they are, what they may do, where the bot is. For `why doctor`, once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.errors import Permanent, Transient
from bot.slack.client import LIST_PAGE, TIMEOUT_S, granted_scopes

NEEDED_SCOPES: Mapping[str, str] = {
    "app_mentions:read": "to answer when somebody mentions it",
    "channels:history": "to read a thread that somebody points at in a public channel",
    "channels:read": "to know who is in a public channel before it answers there",
    "chat:write": "to post answers and cards",
    "commands": "for /why, /backstory and the message shortcut",
    "im:history": "to answer in a direct message",
    "im:read": "to know whose direct message it is in",
    "reactions:read": "to capture by 🔖 and to count 👍 and 👎",
    "users:read": "names, time zones, who is a guest and who has left",
}
OPTIONAL_SCOPES: Mapping[str, str] = {
    "channels:manage": "only to leave a public channel that BACKSTORY_BLOCKED_CHANNELS names",
    "groups:history": "the same as channels:history, in private channels that it was invited to",
    "groups:read": "to know who may read what a private channel decided; without it private channels are left alone",
    "groups:write": "only to leave a private channel that BACKSTORY_BLOCKED_CHANNELS names",
    "mpim:history": "to answer in a group message that it was added to",
    "mpim:read": "to know who is in that group message",
    "reactions:write": "to mark a kept message with 🔖 where a channel chose that instead of a card",
}
"""What whoever installs may leave out. A test holds both, and the reasons, to manifest.yml."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFacts:
    """Whose token it is, and what it lacks of the manifest's scopes (None where Slack didn't say).

    `ahead` is how far this machine's clock is ahead of Slack's; None where Slack's reply had no date.
    """

    team: str
    user: str
    missing: tuple[str, ...] | None
    left_out: tuple[str, ...] | None
    ahead: timedelta | None


def token_facts(token: str, *, api_url: str) -> TokenFacts:
    """Ask Slack about a bot token.

    Raises:
        Permanent: Slack doesn't take the token.
        Transient: Slack is away.
    """
    with _asking():
        reply = _client(token, api_url).auth_test()
    granted = granted_scopes(reply.headers)
    lacks = None if granted is None else tuple(scope for scope in NEEDED_SCOPES if scope not in granted)
    left_out = None if granted is None else tuple(scope for scope in OPTIONAL_SCOPES if scope not in granted)
    return TokenFacts(
        team=str(reply.get("team", "")),
        user=str(reply.get("user", "")),
        missing=lacks,
        left_out=left_out,
        ahead=_ahead(reply.headers),
    )


def channels_of(token: str, *, api_url: str) -> tuple[tuple[str, str], ...]:
    """Return (id, name) of the channels that the bot is in, public ones, by name.

    Raises:
        Permanent: Slack doesn't take the token.
        Transient: Slack is away.
    """
    found: list[tuple[str, str]] = []
    with _asking():
        for page in _client(token, api_url).users_conversations(types="public_channel", limit=LIST_PAGE):
            found += [(str(one["id"]), str(one.get("name") or "")) for one in page.get("channels", ())]
    return tuple(sorted(found, key=lambda one: (one[1], one[0])))


def check_socket(app_token: str, *, api_url: str) -> None:
    """Ask Slack for a socket's address, which nobody connects to.

    Raises:
        Permanent: Slack doesn't take the token, or Socket Mode is off for the app.
        Transient: Slack is away.
    """
    with _asking():
        _client(app_token, api_url).apps_connections_open(app_token=app_token)


def _client(token: str, api_url: str) -> WebClient:
    return WebClient(token=token, base_url=api_url, timeout=TIMEOUT_S, retry_handlers=[])


@contextmanager
def _asking() -> Iterator[None]:
    try:
        yield
    except SlackApiError as error:
        raise Permanent(f"Slack says {error.response.get('error', 'no')}") from error
    except (SlackClientError, OSError) as error:
        raise Transient("Slack could not be reached") from error


def _ahead(headers: Mapping[str, str]) -> timedelta | None:
    told = next((value for name, value in headers.items() if name.lower() == "date"), None)
    try:
        return None if told is None else datetime.now(UTC) - parsedate_to_datetime(told)
    except (TypeError, ValueError):
        return None
