"""The playground's page in Debian's Chromium, on a workspace with the real bot in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog

from bot.playground.page import Page
from tests.builders_page import Visitor
from tests.builders_pictures import MISSING, browser
from tests.builders_slack import Gateway, Stage, staged


@pytest.fixture(scope="session")
def gateway() -> Iterator[Gateway]:
    with Gateway() as opened:
        yield opened


@pytest.fixture
def stage(tmp_path: Path, gateway: Gateway) -> Iterator[Stage]:
    with staged(tmp_path, gateway) as opened:
        yield opened


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if MISSING:
        pytest.skip(MISSING)
    with browser() as started:
        yield started


@pytest.fixture
def visitor(stage: Stage, chromium: Browser) -> Iterator[Visitor]:
    """Somebody at the page; whatever the page complains of fails the test."""
    complaints: list[str] = []
    with Page(stage.play) as page:
        tab = chromium.new_page(viewport={"width": 1280, "height": 800})
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("console", lambda said: complaints.append(said.text) if _is_complaint(said) else None)

        def asked(dialog: Dialog) -> None:
            complaints.append(dialog.message)
            dialog.dismiss()

        tab.on("dialog", asked)
        try:
            yield Visitor(tab=tab, url=page.url, play=stage.play)
        finally:
            tab.close()
    assert complaints == []


def _is_complaint(said: ConsoleMessage) -> bool:
    """Say whether it is one of the page's own; that a request was refused is what some tests are about."""
    return said.type == "error" and not said.text.startswith("Failed to load resource")
