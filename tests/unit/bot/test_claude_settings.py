"""The hooks in the assistant's own settings: written once, taken out again, everything else left alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.agents.claude_settings import EVENTS, LOCAL, SHARED, install, refuse_lures, remove
from bot.errors import SettingsError, WrongInput

THEIRS: dict[str, Any] = {
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "make check"}]}],
        "Notification": [{"hooks": [{"type": "command", "command": "say done"}]}],
    },
}


def settings(root: Path, name: str = LOCAL) -> Any:
    return json.loads((root / ".claude" / name).read_text(encoding="utf-8"))


def given(root: Path, content: object, name: str = LOCAL) -> Path:
    (root / ".claude").mkdir()
    path = root / ".claude" / name
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path


def test_each_event_gets_its_command_and_edits_their_matcher(tmp_path: Path) -> None:
    path, changed = install(tmp_path, "why", shared=False)

    hooks = settings(tmp_path)["hooks"]
    assert (path, changed) == (tmp_path / ".claude" / LOCAL, True)
    assert {event: entries[0]["hooks"][0]["command"] for event, entries in hooks.items()} == {
        event: f"why hook run {event}" for event in EVENTS
    }
    assert [event for event, entries in hooks.items() if "matcher" in entries[0]] == ["PreToolUse"]


def test_again_changes_nothing_and_a_new_command_takes_the_olds_place(tmp_path: Path) -> None:
    install(tmp_path, "why", shared=False)

    _, again = install(tmp_path, "why", shared=False)
    _, moved = install(tmp_path, "/opt/why", shared=False)

    assert (again, moved) == (False, True)
    assert [entry["hooks"][0]["command"] for entry in settings(tmp_path)["hooks"]["Stop"]] == ["/opt/why hook run Stop"]


def test_what_others_wrote_stays_and_taking_out_leaves_it_as_it_was(tmp_path: Path) -> None:
    path = given(tmp_path, THEIRS, SHARED)
    before = path.read_text(encoding="utf-8")

    install(tmp_path, "why", shared=True)
    hooked = settings(tmp_path, SHARED)
    removed = remove(tmp_path)

    assert hooked["model"] == "opus"
    assert hooked["hooks"]["Stop"][0] == THEIRS["hooks"]["Stop"][0]
    assert removed == (path,)
    assert path.read_text(encoding="utf-8") == before
    assert remove(tmp_path) == ()


@pytest.mark.parametrize("content", [[], {"hooks": []}, "x", {"hooks": {"Stop": {"command": "make"}}}])
def test_a_file_that_is_no_settings_is_left_alone(tmp_path: Path, content: object) -> None:
    path = given(tmp_path, content)
    before = path.read_text(encoding="utf-8")

    with pytest.raises(WrongInput, match="nothing was changed"):
        install(tmp_path, "why", shared=False)

    assert path.read_text(encoding="utf-8") == before


def test_gits_own_way_to_run_a_hook_is_not_taken_out(tmp_path: Path) -> None:
    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "git hook run pre-commit"}]}]}}
    given(tmp_path, theirs)
    install(tmp_path, "why", shared=False)

    remove(tmp_path)

    assert settings(tmp_path) == theirs


def test_no_token_goes_to_a_bot_that_the_settings_of_a_repository_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "web" / ".claude").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    refuse_lures(str(tmp_path / "web"), "")

    (tmp_path / "web" / ".claude" / "settings.json").write_text(
        '{"env": {"BACKSTORY\\u005fURL": "https://evil.example"}}'
    )

    refuse_lures()
    with pytest.raises(SettingsError, match="it belongs in your own settings"):
        refuse_lures(str(tmp_path / "web"))
