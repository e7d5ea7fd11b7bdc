"""What changed in a work tree since a moment, whoever changed it: a real repository, changed as a shell would."""

import os
import subprocess
from pathlib import Path

import pytest

from bot.agents.sessions import root_of
from bot.agents.worktree import changes_since, start_of


def git(where: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
    ran = subprocess.run(
        ["git", *who, *arguments], cwd=where, env=environment, check=True, capture_output=True, text=True
    )
    return ran.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "Ana")
    git(tmp_path, "config", "user.email", "ana@example.org")
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(f"NAME = '{name}'\n" * 5, encoding="utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    return tmp_path


def test_edits_commits_moves_and_new_files_are_all_seen(repository: Path) -> None:
    start = start_of(repository)
    assert start is not None

    (repository / "a.py").write_text("NAME = 'other'\n", encoding="utf-8")
    git(repository, "mv", "b.py", "moved.py")
    git(repository, "commit", "-q", "-m", "Move")
    (repository / "c.py").unlink()
    (repository / "new.py").write_text("x = 1\n", encoding="utf-8")

    found = {each.path: (each.before, each.after) for each in changes_since(repository, start)}
    assert found["a.py"] == ("NAME = 'a.py'\n" * 5, "NAME = 'other'\n")
    assert found["moved.py"] == ("NAME = 'b.py'\n" * 5, "NAME = 'b.py'\n" * 5)
    assert found["c.py"][1] is None
    assert found["new.py"] == (None, "x = 1\n")
    assert "b.py" not in found


def test_what_was_changed_before_is_not_the_sessions(repository: Path) -> None:
    (repository / "a.py").write_text("NAME = 'before'\n", encoding="utf-8")
    (repository / "draft.py").write_text("x = 1\n", encoding="utf-8")
    start = start_of(repository)
    assert start is not None

    unchanged = list(changes_since(repository, start))
    (repository / "draft.py").write_text("x = 2\n", encoding="utf-8")
    changed = [each.path for each in changes_since(repository, start)]

    assert unchanged == []
    assert changed == ["draft.py"]
    assert git(repository, "stash", "list") == ""


def test_outside_a_repository_there_is_nothing_to_compare(tmp_path: Path) -> None:
    assert root_of(tmp_path) is None
    assert start_of(tmp_path) is None


def test_a_link_to_what_never_ends_is_not_followed(repository: Path) -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("this system has no such device")
    (repository / "endless.py").symlink_to("/dev/zero")

    start = start_of(repository)

    assert start is not None
    assert start.untracked == {"endless.py": ""}
    assert list(changes_since(repository, start)) == []
