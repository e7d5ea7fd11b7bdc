"""Planted secrets of ten kinds, said in threads, edits and questions: none is kept, logged or sent to a model."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.claude import ClaudeExtractor, client_of
from tests.builders_claude import proposed
from tests.builders_masking import PLANTED
from tests.builders_slack import Gateway, Stage, staged
from tests.fakes.claude_server import ClaudeServer, Received, Scripted, structured

CHOICE = "so we keep the blue plan for this"
BODIES = [max(secret.splitlines(), key=len).encode() for _, secret, _ in PLANTED]


def quoted(received: Received) -> Scripted:
    """Quote the whole first turn, as a careless model would."""
    line = next(line for line in received.user.splitlines() if CHOICE in line)
    return structured({"decisions": [proposed("We keep the blue plan", 1, line.partition(": ")[2])]})


@pytest.fixture
def claude() -> Iterator[ClaudeServer]:
    with ClaudeServer(quoted) as server:
        yield server


@pytest.fixture
def stage(tmp_path: Path, gateway: Gateway, claude: ClaudeServer) -> Iterator[Stage]:
    client = client_of(claude.api_key, base_url=claude.base_url, model="claude-haiku-5-5")
    with staged(tmp_path, gateway, extractor=ClaudeExtractor(client)) as opened:
        yield opened
    client.close()


def test_no_planted_secret_reaches_a_file_a_log_or_a_request(
    stage: Stage, claude: ClaudeServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="backstory")
    for _, secret, template in PLANTED:
        said = template.format(secret)
        root = stage.play.post("lena", "search", f"{CHOICE}, {said}")
        stage.play.post("omar", "search", f"agreed. {said}", thread_ts=root)
        stage.play.react("lena", "search", root, "bookmark")
        stage.play.edit("lena", "search", root, f"{CHOICE}, no matter what. {said}")
        stage.play.command("mia", "search", "/why", f"why {said}", wait=False)
    stage.play.post("mia", "search", f"{stage.play.mention} why {PLANTED[0][1]}?")
    stage.settle()

    stage.memory.inbox.insert("kept", "unknown", {})  # the last write: what is in the files now is all there will be
    kept = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    sent = b"\n".join(f"{received.system}\n{received.user}".encode() for received in claude.received)
    shown = "\n".join(stage.screens("search")).encode()

    assert len(stage.decisions()) >= len(PLANTED)
    assert CHOICE.encode() in sent
    assert [(name, body) for name, data in kept.items() for body in BODIES if body in data] == []
    assert [body for body in BODIES if body in sent] == []
    assert [body for body in BODIES if body in caplog.text.encode()] == []
    assert [body for body in BODIES if body in shown] == []
