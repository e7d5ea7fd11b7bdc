"""Hooks that read the team's bot: real hook processes, a real token, and a bot that answers, is away or hangs."""

from __future__ import annotations

import io
import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.agents import later
from bot.agents.heard import AWAY, FOLDER, Heard
from bot.agents.teams_bot import ask_later
from store import EVERYTHING
from tests.builders_coding import FILE, Repository, repository_in
from tests.builders_edits import RETRY
from tests.builders_slack import Gateway, Stage

TOKEN = re.compile(r"BACKSTORY_TOKEN=(bks_[\w-]{40,})")
TRIES = 100
"""Hook processes in which a bot that answers must have been heard: each takes a tenth of a second."""


@pytest.fixture
def team(stage: Stage, gateway: Gateway, tmp_path: Path) -> Repository:
    match = TOKEN.search(stage.ask("mia", "search", "login"))
    assert match is not None
    base = gateway.url.removesuffix("/slack/events")
    return repository_in(tmp_path, BACKSTORY_URL=base, BACKSTORY_TOKEN=match[1])


@pytest.fixture
def hanging() -> Iterator[socket.socket]:
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def until_told(ask: Callable[[], Any]) -> Any:
    """Return the first thing that a hook says: an answer that came late is told at the next event."""
    return next(told for _ in range(TRIES) if (told := ask()))


def test_what_the_team_recorded_is_told_before_an_edit_and_a_prompt(stage: Stage, team: Repository) -> None:
    team.why(
        "record", "--title", "Charges are tried again with backoff", "--rationale", "the provider blocks bursts",
        "--alternative", "Retry at once: it made the outage of May longer",
        "--set", "service:pay.paths=services/pay/**",
    )  # fmt: skip
    stage.decided("exec", "provider", "The provider is replaced in May")

    before = until_told(lambda: team.before_edit(FILE))
    again = team.before_edit(FILE)
    prompt = until_told(
        lambda: team.hook("UserPromptSubmit", prompt="Should a charge wait for backoff?", session_id="s9")
    )
    other = team.hook("UserPromptSubmit", prompt="Fix the typo in the footer, please")

    assert 'in force: "Charges are tried again with backoff" because "the provider blocks bursts"' in before
    assert 'not "Retry at once" (lost: "it made the outage of May longer")' in before
    assert "why show" not in before
    assert "Charges are tried again" in prompt["hookSpecificOutput"]["additionalContext"]
    assert (again, other) == ("", None)
    assert not (team.root / ".backstory" / "memory.db").exists()
    assert not [path for path in team.root.rglob("*") if path.is_file() and b"provider blocks" in path.read_bytes()]


def test_a_decision_recorded_at_the_bot_lets_the_turn_go(stage: Stage, team: Repository) -> None:
    until_told(lambda: team.hook("SessionStart", source="startup"))
    team.write("services/pay/queue.py", RETRY.replace("charge", "enqueue"))

    team.why("record", "--title", "Charges go through a queue")
    told = team.hook("Stop", stop_hook_active=False)
    refused = team.why("record", "--title", "x", "--visible-to", "exec")

    assert told is None
    assert refused.returncode == 2
    assert "Charges go through a queue" in [one.title for one in stage.memory.decisions(EVERYTHING)]


@pytest.mark.parametrize("how", ["refused", "hangs", "not a bot", "not taken"])
def test_a_bot_that_is_away_is_passed_over_in_silence(
    tmp_path: Path, hanging: socket.socket, stage: Stage, gateway: Gateway, how: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    here = f"http://127.0.0.1:{hanging.getsockname()[1]}"
    base = gateway.url.removesuffix("/slack/events")
    url = {"refused": f"http://127.0.0.1:{port}", "hangs": here, "not a bot": f"{base}/nowhere", "not taken": base}[how]
    away = repository_in(tmp_path, BACKSTORY_URL=url, BACKSTORY_TOKEN="bks_" + "x" * 43)

    told = [away.hook("SessionStart", source="startup"), away.before_edit(FILE), away.hook("Stop")]

    assert told == [None, "", None]


@pytest.mark.parametrize(
    ("folder", "name"), [("", "BACKSTORY_URL"), ("", "BACKSTORY\\u005fURL"), ("web/", "BACKSTORY_TOKEN")]
)
def test_a_repository_does_not_say_where_the_token_goes(
    tmp_path: Path, hanging: socket.socket, folder: str, name: str
) -> None:
    url = f"http://127.0.0.1:{hanging.getsockname()[1]}"
    lured = repository_in(tmp_path, BACKSTORY_URL=url, BACKSTORY_TOKEN="bks_" + "x" * 43)
    lured.write(f"{folder}.claude/settings.json", f'{{"env": {{"{name}": "x"}}}}')
    hanging.settimeout(0)

    ran = lured.why("hook", "run", "SessionStart", said=json.dumps({"cwd": str(lured.root / folder)}))

    assert (ran.returncode, ran.stdout) == (0, "")
    assert "it belongs in your own settings" in ran.stderr
    with pytest.raises(BlockingIOError):
        hanging.accept()


@pytest.mark.parametrize(
    ("given", "said"),
    [({"elements": "x"}, "not a list"), ({"words": 1}, "no text"), ({"elements": ["x"] * 51}, "more than 50")],
)
def test_what_hooks_ask_is_checked(team: Repository, given: Any, said: str) -> None:
    headers = {"Authorization": f"Bearer {team.environment['BACKSTORY_TOKEN']}"}

    answer = httpx.post(f"{team.environment['BACKSTORY_URL']}/api/v1/heads", json=given, headers=headers)

    assert answer.status_code == 400
    assert said in answer.json()["error"]


def test_what_is_asked_in_the_background_is_kept_and_a_failure_ends_it(
    stage: Stage, team: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, token = team.environment["BACKSTORY_URL"], team.environment["BACKSTORY_TOKEN"]
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(team.home))
    heard, stranger = (Heard(team.home / FOLDER, whose=f"{url}\n{one}") for one in (token, "bks_nobody"))

    monkeypatch.setenv("BACKSTORY_URL", url)
    monkeypatch.setenv("BACKSTORY_TOKEN", token)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps([[[], ""]]).encode())))
    later.main()
    ask_later(url, "bks_nobody", [((), ""), (("./a.py",), "")])

    assert heard.find(((), "")) == ({"decisions": [], "empty": False}, True)
    assert (heard.state(), stranger.state(), stranger.find(((), ""))) == ("", AWAY, None)
