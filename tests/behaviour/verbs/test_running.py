"""`run` and `serve` put the whole bot together: a question in Slack ends in an answer."""

import threading
from functools import partial
from pathlib import Path

import pytest

from bot import app as product
from bot.errors import SettingsError, Transient
from bot.playground import Playground, screen, small_workspace
from bot.settings import Settings
from store import Memory
from tests.builders_verbs import record


def test_a_question_over_a_socket_is_answered_from_the_memory(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "home", index="off")
    record(memory, "Search stays on Postgres", ref="adr:1", rationale="nobody on call knows Elasticsearch")
    memory.close()
    stopped = threading.Event()
    with Playground(workspace=small_workspace()) as play:
        settings = Settings(
            home=tmp_path / "home",
            slack_api_url=play.api_url,
            slack_bot_token=play.bot_token,
            slack_app_token=play.app_token,
            slack_signing_secret=play.signing_secret,
        )
        running = threading.Thread(target=product.run, args=(settings,), kwargs={"stopped": stopped})
        running.start()
        try:
            play.wait_until(play.sockets, timeout_s=30)
            receipt = play.command("mia", "search", "/why", "why does search stay on Postgres?")
            receipt.wait_for_response(count=2, timeout_s=30)
        finally:
            stopped.set()
            running.join(timeout=30)
    said = "\n".join(screen(message) for message in receipt.responses)
    assert receipt.acked
    assert "Search stays on Postgres" in said
    assert not running.is_alive()


@pytest.mark.parametrize(("start", "name"), [(product.run, "SLACK_APP_TOKEN"), (product.serve, "SLACK_SIGNING_SECRET")])
def test_a_missing_token_is_named(tmp_path: Path, start: object, name: str) -> None:
    assert callable(start)

    with pytest.raises(SettingsError, match=name):
        start(Settings(home=tmp_path))


@pytest.mark.parametrize("name", ["slack_bot_token", "slack_app_token"])
@pytest.mark.parametrize("token", ["xapp-wrong", "xoxb-wrong"])
def test_a_token_that_slack_does_not_take_is_named(tmp_path: Path, name: str, token: str) -> None:
    with Playground(workspace=small_workspace()) as play:
        tokens = {"slack_bot_token": play.bot_token, "slack_app_token": play.app_token, name: token}
        settings = Settings(
            home=tmp_path / "home",
            slack_api_url=play.api_url,
            slack_bot_token=tokens["slack_bot_token"],
            slack_app_token=tokens["slack_app_token"],
        )

        with pytest.raises(SettingsError, match=f"{name.upper()}: Slack says"):
            product.run(settings, stopped=threading.Event())


def test_a_slack_that_is_away_is_named_with_its_address(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9/api/"
    settings = Settings(home=tmp_path, slack_api_url=nowhere, slack_bot_token="xoxb-1", slack_app_token="xapp-1")

    with pytest.raises(Transient, match=f"{nowhere}: Slack can't be reached"):
        product.run(settings)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "DATABASE_URL and CHROMA_URL: not set"),
        ({"database_url": "postgresql://db/b"}, "CHROMA_URL: not set"),
        ({"chroma_url": "http://chroma:8000"}, "DATABASE_URL: not set"),
    ],
)
def test_who_shares_an_inbox_needs_servers_that_can_be_shared(
    tmp_path: Path, given: dict[str, str], missing: str
) -> None:
    settings = Settings(home=tmp_path, slack_signing_secret="s", **given)  # type: ignore[arg-type]

    for start in (product.work, partial(product.serve, works=False)):
        with pytest.raises(SettingsError, match=missing):
            start(settings)

    assert list(tmp_path.iterdir()) == []
