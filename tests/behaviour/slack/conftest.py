"""A bot on a loopback workspace: Slack's requests come over HTTP, signed; the inbox is worked off by real threads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders_slack import Gateway, Stage, staged


@pytest.fixture(scope="session")
def gateway() -> Iterator[Gateway]:
    with Gateway() as opened:
        yield opened


@pytest.fixture
def stage(tmp_path: Path, gateway: Gateway) -> Iterator[Stage]:
    with staged(tmp_path, gateway) as opened:
        yield opened
