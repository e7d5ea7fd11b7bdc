"""`why doctor` says what works and what is missing, and shows no token."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
import yaml

from bot.cli.doctor import checks
from bot.errors import Permanent, Transient
from bot.playground import Playground, small_workspace
from bot.playground.people import SCOPES
from bot.settings import Settings
from bot.slack.checking import NEEDED_SCOPES, OPTIONAL_SCOPES, token_facts
from store import Memory
from tests.builders_cli import PROJECT, Why
from tests.builders_log import NOW
from tests.fakes.claude_server import ClaudeServer


def states(why: Why, **environ: str) -> dict[str, str]:
    """Return each finding's words with its state."""
    return {one["says"]: one["state"] for one in why("doctor", "--json", **environ).document()["checks"]}


def test_a_fresh_machine_is_fine_and_told_what_is_missing(why: Why) -> None:
    ran = why("doctor", "--json")

    assert ran.code == 0
    said = " ".join(one["says"] for one in ran.document()["checks"])
    for name in ("ANTHROPIC_API_KEY", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"):
        assert name in said


def test_a_memory_of_ours_is_counted(why: Why) -> None:
    why("record", "--title", "Deploy on Tuesdays")

    assert states(why)["1 decisions, this version's schema"] == "ok"


def test_a_file_that_is_no_memory_is_wrong_and_exits_1(why: Why, home: Path) -> None:
    (home / "memory.db").write_bytes(b"not a database at all" * 100)

    ran = why("doctor", "--json")

    assert ran.code == 1
    assert [one["name"] for one in ran.document()["checks"] if one["state"] == "wrong"] == ["memory"]


def test_a_database_that_is_damaged_further_in_is_one_finding_among_the_others(why: Why, home: Path) -> None:
    why("record", "--title", "Deploy on Tuesdays")
    path = home / "inbox.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        size = database.execute("PRAGMA page_size").fetchone()[0]
        pages = database.execute("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'inbox'").fetchall()
    damaged = bytearray(path.read_bytes())
    for (page,) in pages:
        damaged[(page - 1) * size : page * size] = b"\xaa" * size
    path.write_bytes(damaged)

    ran = why("doctor", "--json")

    assert ran.code == 1
    checked = {one["name"]: one["state"] for one in ran.document()["checks"]}
    assert (checked["memory"], checked["inbox"]) == ("ok", "wrong")


def test_a_token_of_another_kind_is_told_apart_and_never_shown(why: Why) -> None:
    ran = why("doctor", SLACK_APP_TOKEN="xoxb-planted-token")

    assert ran.code == 1
    assert "SLACK_APP_TOKEN does not begin with xapp-" in ran.out
    assert "planted" not in ran.out + ran.err


def test_the_scopes_that_are_checked_are_the_manifests() -> None:
    text = (PROJECT / "manifest.yml").read_text()

    scopes = yaml.safe_load(text)["oauth_config"]["scopes"]
    known = {**NEEDED_SCOPES, **{scope: f"{why}; optional" for scope, why in OPTIONAL_SCOPES.items()}}
    assert set(scopes["bot_optional"]) == OPTIONAL_SCOPES.keys()
    assert set(scopes["bot"]) == known.keys()
    assert [scope for scope, why in known.items() if f"- {scope} # {why}\n" not in text] == []


def test_slack_is_asked_whose_token_it_is() -> None:
    with Playground(workspace=small_workspace()) as play:
        facts = token_facts(play.bot_token, api_url=play.api_url)

    assert facts.user
    assert not facts.missing


def test_a_missing_scope_is_named() -> None:
    scopes = tuple(scope for scope in SCOPES if scope != "reactions:read")
    with Playground(workspace=small_workspace(scopes=scopes)) as play:
        facts = token_facts(play.bot_token, api_url=play.api_url)

    assert facts.missing in (("reactions:read",), None)


def test_a_token_that_slack_does_not_take_and_a_slack_that_is_away_are_told_apart() -> None:
    with Playground(workspace=small_workspace()) as play:
        gone = play.api_url
        with pytest.raises(Permanent):
            token_facts("xoxb-nobody", api_url=play.api_url)

    with pytest.raises(Transient):
        token_facts("xoxb-nobody", api_url=gone)


def slack_checks(play: Playground, home: Path, **settings: str) -> dict[str, list[tuple[str, str]]]:
    """Return what is found of a workspace, by name."""
    given = {"slack_bot_token": play.bot_token, "slack_app_token": play.app_token, **settings}
    blocked = frozenset({"exec", "search"})
    found = checks(Settings(home=home, slack_api_url=play.api_url, blocked_channels=blocked, **given))  # type: ignore[arg-type]
    named: dict[str, list[tuple[str, str]]] = {}
    for one in found:
        named.setdefault(one.name, []).append((one.state, one.says))
    return named


def test_tokens_scopes_clock_socket_and_channels_are_tried_against_slack(tmp_path: Path) -> None:
    with Playground(workspace=small_workspace()) as play:
        found = slack_checks(play, tmp_path)

    assert found["scopes"] == [("ok", "those of manifest.yml")]
    assert found["clock"] == [("ok", "the same as Slack's")]
    assert found["socket"] == [("ok", "Slack gives one")]
    assert found["channels"][0] == ("ok", "in 1 public ones: #search")
    assert found["channels"][1][1].startswith("in #search, which BACKSTORY_BLOCKED_CHANNELS names")


def test_a_missing_scope_is_wrong_with_its_reason_and_an_optional_one_is_a_note(tmp_path: Path) -> None:
    scopes = tuple(scope for scope in SCOPES if scope not in ("reactions:read", "groups:read"))
    with Playground(workspace=small_workspace(scopes=scopes)) as play:
        found = slack_checks(play, tmp_path)

    assert [(state, says.partition(" ")[0]) for state, says in found["scopes"]] == [
        ("wrong", "reactions:read"),
        ("note", "groups:read"),
    ]
    assert "to capture by 🔖" in found["scopes"][0][1]


def test_tokens_that_slack_does_not_take_are_wrong_and_say_what_to_do(tmp_path: Path) -> None:
    with Playground(workspace=small_workspace()) as play:
        found = slack_checks(play, tmp_path, slack_bot_token="xoxb-nobody", slack_app_token="xapp-nobody")

    assert found["slack"][-1][0] == found["socket"][-1][0] == "wrong"
    assert "install the app again" in found["slack"][-1][1]
    assert "connections:write" in found["socket"][-1][1]


@pytest.mark.parametrize(
    ("key", "model", "state", "says"),
    [
        ("", "claude-haiku-5-5", "ok", "worded by Claude Haiku 5 5"),
        ("sk-ant-nobody", "claude-haiku-5-5", "wrong", "the key is refused"),
        ("", "claude-nonesuch", "wrong", "no model claude-nonesuch: set BACKSTORY_MODEL"),
    ],
)
def test_the_key_and_the_model_are_tried_without_a_token_spent(
    tmp_path: Path, key: str, model: str, state: str, says: str
) -> None:
    with ClaudeServer() as claude:
        settings = Settings(
            home=tmp_path, anthropic_api_key=key or claude.api_key, anthropic_base_url=claude.base_url, model=model
        )
        found = [one for one in checks(settings) if one.name == "claude"]

    assert [one.state for one in found] == [state]
    assert says in found[0].says


def test_an_index_that_lags_and_a_row_that_waits_long_are_notes(why: Why, home: Path) -> None:
    why("record", "--title", "Deploy on Tuesdays")  # another process owns the index here, and follows nothing
    with contextlib.closing(Memory.open(home, index="off", clock=lambda: NOW)) as memory:
        memory.inbox.insert("k", "command", {})

    said = states(why)

    assert [state for says, state in said.items() if "changes behind the log" in says] == ["note"]
    assert [state for says, state in said.items() if "is why run or why serve running?" in says] == ["note"]
