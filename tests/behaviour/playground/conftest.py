"""A playground for each test, and one real Bolt app over Socket Mode for the whole session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.playground import HandClock, Playground, small_workspace
from bot.playground.people import SCOPES

START = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
GENEROUS = (*SCOPES, "channels:join", "im:write", "mpim:write", "reactions:write", "team:read")


@pytest.fixture
def clock() -> HandClock:
    return HandClock(START)


@pytest.fixture
def playground(clock: HandClock) -> Iterator[Playground]:
    with Playground(small_workspace(scopes=GENEROUS), clock=clock, ack_timeout_s=0.5, retry_delays_s=()) as opened:
        yield opened


@pytest.fixture
def client(playground: Playground) -> WebClient:
    return WebClient(token=playground.bot_token, base_url=playground.api_url)


@pytest.fixture
def refused(client: WebClient) -> Callable[..., str]:
    """Call a method and return the error that it was refused with, and its lines."""

    def call(method: str, **args: object) -> str:
        with pytest.raises(SlackApiError) as caught:
            client.api_call(method, json=args)
        response = caught.value.response
        lines = response.get("response_metadata", {}).get("messages", [])
        return " ".join([response["error"], *lines])

    return call
