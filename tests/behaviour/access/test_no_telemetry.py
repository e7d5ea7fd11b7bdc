"""The bot opens no connection but to Slack: not its libraries either, whatever they would like to report."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.builders_slack import Gateway, staged

_WATCHED: list[list[tuple[str, object]]] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _WATCHED and event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        asked = arguments[:2] if event == "socket.getaddrinfo" else arguments[1]
        _WATCHED[-1].append((event, asked))


sys.addaudithook(_watch)


@contextmanager
def connections() -> Iterator[list[tuple[str, object]]]:
    """Collect where this process connects to and which names it looks up, meanwhile."""
    seen: list[tuple[str, object]] = []
    _WATCHED.append(seen)
    try:
        yield seen
    finally:
        _WATCHED.remove(seen)


def test_capturing_answering_voting_and_home_connect_to_slack_alone(tmp_path: Path) -> None:
    with Gateway() as gateway, connections() as seen, staged(tmp_path, gateway, index="own") as stage:
        slack, bot = (urlsplit(address).port for address in (stage.play.api_url, gateway.url))
        stage.decided()
        stage.memory.follow()
        shown = stage.ask("mia", "search", "why postgres?")
        stage.play.open_home("mia")
        stage.later(26 * 3600)

    assert "Search stays on Postgres" in shown
    ports = {asked[1] for _, asked in seen if isinstance(asked, tuple)}
    hosts = {asked[0] for _, asked in seen if isinstance(asked, tuple)}
    assert slack in ports
    assert ports <= {slack, bot}
    assert hosts <= {"127.0.0.1", "localhost"}
