"""What Slack says of a bot token: whose it is and what it may do. For `why doctor`, once, with no retries."""

from __future__ import annotations

from dataclasses import dataclass

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.errors import Permanent, Transient
from bot.slack.client import TIMEOUT_S

NEEDED_SCOPES = frozenset({
    "app_mentions:read", "channels:history", "channels:read", "chat:write", "commands", "groups:history", "groups:read",
    "im:history", "im:read", "mpim:history", "mpim:read", "reactions:read", "users:read",
})  # fmt: skip
OPTIONAL_SCOPES = frozenset({"channels:manage", "groups:write", "reactions:write"})
"""What whoever installs may leave out; a test holds both to manifest.yml."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFacts:
    """Whose token it is; `missing` are scopes of the manifest that it lacks, None where Slack didn't say."""

    team: str
    user: str
    missing: tuple[str, ...] | None


def token_facts(token: str, *, api_url: str) -> TokenFacts:
    """Ask Slack about a bot token.

    Raises:
        Permanent: Slack doesn't take the token.
        Transient: Slack is away.
    """
    client = WebClient(token=token, base_url=api_url, timeout=TIMEOUT_S, retry_handlers=[])
    try:
        reply = client.auth_test()
    except SlackApiError as error:
        raise Permanent(f"Slack says {error.response.get('error', 'no')}") from error
    except (SlackClientError, OSError) as error:
        raise Transient("Slack could not be reached") from error
    told = next((value for name, value in reply.headers.items() if name.lower() == "x-oauth-scopes"), None)
    granted = None if told is None else {scope.strip() for scope in str(told).split(",")}
    missing = None if granted is None else tuple(sorted(NEEDED_SCOPES - granted))
    return TokenFacts(team=str(reply.get("team", "")), user=str(reply.get("user", "")), missing=missing)
