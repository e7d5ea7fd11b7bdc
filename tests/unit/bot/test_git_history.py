"""A repository's history as a source: real commits made by git, in a folder of the test's own."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.backfill import import_threads
from bot.errors import UnreadableDocument
from bot.offline import OfflineExtractor
from bot.sources.git_history import GitHistory
from store import EVERYTHING, WORKSPACE, Memory

WHY = (
    "Agreed with Ben: the search index is in Postgres instead of Elasticsearch, because nobody runs the cluster.\n\n"
    "Buying a service was ruled out, it is priced by the query."
)


def git(where: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    ran = subprocess.run(
        ["git", "-c", "user.name=Ana Silva", "-c", "user.email=ana@example.org", *arguments],
        cwd=where,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return ran.stdout


def commit(where: Path, message: str) -> str:
    git(where, "commit", "-q", "--allow-empty", "-m", message)
    return git(where, "rev-parse", "HEAD").strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "remote", "add", "origin", "git@github.com:acme/shop.git")
    commit(root, "Fix a typo")
    git(
        root, "commit", "-q", "--allow-empty", "-m", f"Move search into Postgres\n\n{WHY}\n\nSigned-off-by: Ana <a@b.c>"
    )
    return root


def test_a_commit_that_says_why_is_a_thread_and_a_bare_subject_is_none(repository: Path) -> None:
    with GitHistory(repository, scope=WORKSPACE) as history:
        threads = list(history.threads())

    (thread,) = threads
    sha = git(repository, "rev-parse", "HEAD").strip()
    assert (thread.place.anchor, thread.place.ref) == (sha, sha[:12])
    assert thread.place.permalink == f"https://github.com/acme/shop/commit/{sha}"
    assert thread.turns[0].text == f"Move search into Postgres\n\n{WHY}"
    assert thread.turns[0].author == "Ana Silva"
    assert thread.about == ("service:shop",)


def test_a_revert_that_says_why_replaces_what_it_reverts(repository: Path, tmp_path: Path) -> None:
    moved = git(repository, "rev-parse", "HEAD").strip()
    back = commit(repository, f'Revert "Move search"\n\nThis reverts commit {moved}.\n\nQueries time out.')
    again = commit(repository, f'Revert "Revert"\n\nThis reverts commit {back}.\n\nAn index was missing.')
    memory = Memory.open(tmp_path / "home", clock=lambda: datetime(2026, 11, 30, tzinfo=UTC), index="off")

    for _ in range(2):
        with GitHistory(repository, scope=WORKSPACE) as history:
            import_threads(memory, OfflineExtractor(), history, pause=lambda _seconds: None)

    older, newer = (memory.decision(sha[:12], EVERYTHING) for sha in (back, again))
    memory.close()
    assert older is not None
    assert newer is not None
    assert older.rationale == "Queries time out."
    assert older.superseded_by == (newer.id,)


def test_a_folder_outside_any_repository_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(UnreadableDocument, match=r"not a git repository|filesystem boundary"),
        GitHistory(tmp_path, scope=WORKSPACE),
    ):
        pass
