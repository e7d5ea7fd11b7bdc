"""Planted secrets of ten kinds, said in threads, edits and questions: none is kept, logged or sent to a model."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.claude import ClaudeExtractor, client_of
from bot.slack.layout import actions as act
from bot.slack.layout import words
from store import EVERYTHING
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


def typed(secret: str, view: Mapping[str, Any]) -> dict[str, Any]:
    """Fill every field of a form with a secret, and choose the first of each menu that has to be chosen from."""
    filled = {}
    for block in view["blocks"]:
        element = block.get("element") or {}
        if element.get("type") == "plain_text_input":
            filled[block["block_id"]] = f"We keep the blue plan with {secret}"
        elif element.get("type") == "radio_buttons":
            filled[block["block_id"]] = element["options"][0]["value"]
    return filled


def test_a_secret_typed_into_forms_and_fields_is_in_no_file_and_nobody_is_shown_it(
    stage: Stage, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="backstory")
    secret = PLANTED[0][1]
    stage.ask("mia", "search", f"why are we on quasar for zirkon {secret}?")
    stage.play.press("mia", stage.play.ephemerals("mia")[-1], act.ACTION_ASK_TEAM)
    stage.settle()
    root = stage.play.post("lena", "search", f"{CHOICE}, no matter what")
    stage.play.react("lena", "search", root, "bookmark")
    stage.settle()
    for action, choice in ((act.ACTION_EDIT, ""), (act.ACTION_CARD_MENU, words.MENU_OUTCOME)):
        (card,) = stage.play.bot_messages("search", thread_ts=root)
        stage.play.press("omar", card, action, choice=choice)
        stage.settle()
        form = stage.play.views("omar")[-1]
        stage.play.submit("omar", form, typed(secret, form))
        stage.settle()
    stage.ask("mia", "search", f"why the blue plan and {secret}?")
    stage.play.press("mia", stage.play.ephemerals("mia")[-1], act.ACTION_WRONG)
    stage.settle()
    wrong = stage.play.views("mia")[-1]
    stage.play.submit("mia", wrong, typed(secret, wrong))
    stage.play.open_home("mia")
    stage.settle()
    stage.play.press("mia", stage.play.home("mia") or {}, act.ACTION_SEARCH, choice=f"is zanzibar {secret}?")
    stage.settle()

    shown = json.dumps([call.args for call in stage.play.calls()])
    stage.memory.beside.tidy()
    assert "asks the team" in shown
    assert len(stage.memory.votes(stage.decisions()[0].id, EVERYTHING)) == 1
    assert secret not in shown
    assert secret not in caplog.text
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()] == []


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

    assert sum(len(one.places) for one in stage.decisions()) >= len(PLANTED)
    assert CHOICE.encode() in sent
    assert [(name, body) for name, data in kept.items() for body in BODIES if body in data] == []
    assert [body for body in BODIES if body in sent] == []
    assert [body for body in BODIES if body in caplog.text.encode()] == []
    assert [body for body in BODIES if body in shown] == []
