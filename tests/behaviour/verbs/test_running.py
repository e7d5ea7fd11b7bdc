"""`run` and `serve` put the whole bot together: a question in Slack ends in an answer."""

import threading
from pathlib import Path

import pytest

from bot import app as product
from bot.errors import SettingsError
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
