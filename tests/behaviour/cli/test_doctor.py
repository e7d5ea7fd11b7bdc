"""`why doctor` says what works and what is missing, and shows no token."""

from pathlib import Path

import pytest
import yaml

from bot.cli.doctor import checks
from bot.errors import Permanent, Transient
from bot.playground import Playground, small_workspace
from bot.playground.people import SCOPES
from bot.settings import Settings
from bot.slack.checking import NEEDED_SCOPES, OPTIONAL_SCOPES, token_facts
from tests.builders_cli import PROJECT, Why


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
    whole = (home / "inbox.db").read_bytes()
    (home / "inbox.db").write_bytes(whole[:8192] + bytes(255 - one for one in whole[8192:]))

    ran = why("doctor", "--json")

    assert ran.code == 1
    checked = {one["name"]: one["state"] for one in ran.document()["checks"]}
    assert (checked["memory"], checked["inbox"], checked["clock"]) == ("ok", "wrong", "ok")


def test_a_token_of_another_kind_is_told_apart_and_never_shown(why: Why) -> None:
    ran = why("doctor", SLACK_APP_TOKEN="xoxb-planted-token")

    assert ran.code == 1
    assert "SLACK_APP_TOKEN does not begin with xapp-" in ran.out
    assert "planted" not in ran.out + ran.err


def test_the_scopes_that_are_checked_are_the_manifests() -> None:
    manifest = yaml.safe_load((PROJECT / "manifest.yml").read_text())

    scopes = manifest["oauth_config"]["scopes"]
    assert set(scopes["bot"]) == NEEDED_SCOPES | OPTIONAL_SCOPES
    assert set(scopes["bot_optional"]) == OPTIONAL_SCOPES


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


@pytest.mark.parametrize(
    ("scopes", "token", "state"),
    [(SCOPES, "", "ok"), (SCOPES[1:], "", "wrong"), (SCOPES, "xoxb-nobody", "wrong")],
)
def test_the_token_is_tried_against_slack(tmp_path: Path, scopes: tuple[str, ...], token: str, state: str) -> None:
    with Playground(workspace=small_workspace(scopes=scopes)) as play:
        settings = Settings(home=tmp_path, slack_bot_token=token or play.bot_token, slack_api_url=play.api_url)
        found = checks(settings)

    assert [one.state for one in found if one.name == "slack"][-1] == state


def test_a_slack_that_is_away_is_no_fault_of_the_token(tmp_path: Path) -> None:
    with Playground(workspace=small_workspace()) as play:
        gone = play.api_url

    found = checks(Settings(home=tmp_path, slack_bot_token="xoxb-1", slack_api_url=gone))

    assert [one.state for one in found if one.name == "slack"][-1] == "note"


def test_what_is_not_read_is_said(why: Why) -> None:
    assert any("CHROMA_URL is not read" in says for says in states(why, CHROMA_URL="http://localhost:8000"))
