"""Builders for tests that drive the playground with the real WebClient."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.playground import Playground
from bot.playground.people import SCOPES

GENEROUS = (
    *SCOPES,
    "channels:join",
    "im:write",
    "mpim:write",
    "team:read",
)
"""Scopes for every method that the playground has."""

START = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
"""Where hand-moved clocks stand at first."""

Refused = Callable[..., str]


def client_of(playground: Playground) -> WebClient:
    """Return the app's own client."""
    return WebClient(token=playground.bot_token, base_url=playground.api_url)


def refusing(client: WebClient) -> Refused:
    """Return a function that calls a method and returns the error that it was refused with, and its lines."""

    def call(method: str, **args: object) -> str:
        with pytest.raises(SlackApiError) as caught:
            client.api_call(method, json=args)
        response = caught.value.response
        lines = response.get("response_metadata", {}).get("messages", [])
        return " ".join([str(response["error"]), *lines])

    return call
