"""A playground for each test, with a clock that is moved by hand, and the app's client for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from slack_sdk import WebClient

from bot.playground import HandClock, Playground, small_workspace
from tests.builders_playground import GENEROUS, START, Refused, client_of, refusing


@pytest.fixture
def clock() -> HandClock:
    return HandClock(START)


@pytest.fixture
def playground(clock: HandClock) -> Iterator[Playground]:
    with Playground(small_workspace(scopes=GENEROUS), clock=clock, ack_timeout_s=2.0, retry_delays_s=()) as opened:
        yield opened


@pytest.fixture
def client(playground: Playground) -> WebClient:
    return client_of(playground)


@pytest.fixture
def refused(client: WebClient) -> Refused:
    return refusing(client)
