"""What changed in a repository since a session began, however it was changed: by an editor, a shell or a sub-agent.

The program `git` is asked; nothing in the work tree or the index is touched. At the session's start the state of the
tracked files is kept as a commit object that no branch holds (`git stash create`), so that what was changed before
the session is not counted as its own.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.structure import FileChange

MOST_FILES = 300
"""Changed files that are looked at: a session that changes more is not judged by each of them."""
MOST_BYTES = 1_000_000
"""Of one file: what is larger is no code that somebody wrote."""
LATEST_COMMITS, LATELY = 20, 20
"""Commits whose files count as lately changed, and how many of these."""
TIMEOUT_S = 5.0
"""For each question to git; without an answer nobody is stopped."""
_SETTINGS = ("core.fsmonitor=false", "core.hooksPath=", "core.quotePath=false", "diff.external=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The state of a work tree at one moment: a commit that holds its tracked files, and the others by digest."""

    commit: str
    untracked: Mapping[str, str]


def start_of(root: Path) -> Start | None:
    """Return the state of a work tree now; None where git can't tell."""
    commit = (_git(root, "stash", "create") or "").strip() or (_git(root, "rev-parse", "HEAD") or "").strip()
    others = _untracked(root)
    return Start(commit=commit, untracked={name: _digest(root / name) for name in others}) if commit else None


def lately_changed(root: Path) -> list[str]:
    """Return the files that the last commits changed, newest first: those are likely to be edited next."""
    listed = _git(root, "log", f"-{LATEST_COMMITS}", "--name-only", "--format=", "-z", "--no-ext-diff") or ""
    return list(dict.fromkeys(name for name in listed.replace("\n", "\0").split("\0") if name))[:LATELY]


def changes_since(root: Path, start: Start) -> Iterator[FileChange]:
    """Yield each file that differs from its state at the start, by its name."""
    seen = 0
    for status, old, new in _changed(root, start.commit):
        if (seen := seen + 1) > MOST_FILES:
            return
        before = None if status == "A" else _git(root, "show", f"{start.commit}:{old}")
        yield FileChange(path=new, before=before, after=None if status == "D" else _text(root / new), old_path=old)
    for name in _untracked(root)[: MOST_FILES - seen]:
        if start.untracked.get(name) != _digest(root / name):
            yield FileChange(path=name, before="" if name in start.untracked else None, after=_text(root / name))


def _changed(root: Path, commit: str) -> Iterator[tuple[str, str, str]]:
    words = (_git(root, "diff", "--name-status", "-M", "-z", "--no-ext-diff", commit, "--") or "").split("\0")
    at = 0
    while at + 1 < len(words):
        status = words[at][:1]
        if status in "RC":
            yield status, words[at + 1], words[at + 2]
            at += 3
        else:
            yield status, words[at + 1], words[at + 1]
            at += 2


def _untracked(root: Path) -> list[str]:
    listed = _git(root, "ls-files", "--others", "--exclude-standard", "-z") or ""
    return sorted(name for name in listed.split("\0") if name)[:MOST_FILES]


def _digest(path: Path) -> str:
    content = _beginning(path)
    return "" if content is None else hashlib.sha256(content).hexdigest()[:16]


def _text(path: Path) -> str | None:
    content = _beginning(path)
    return None if content is None or len(content) > MOST_BYTES else content.decode("utf-8", "replace")


def _beginning(path: Path) -> bytes | None:
    """Return as much of a file as is looked at and one byte more; None for what is no file, such as a pipe."""
    try:
        if path.is_symlink() or not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError:
        return None


def _git(root: Path, *arguments: str) -> str | None:
    """Return what git says; None where it says nothing within its time."""
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    settings = [part for each in _SETTINGS for part in ("-c", each)]
    try:
        ran = subprocess.run(  # noqa: S603  # our own arguments
            ["git", "-C", str(root), *settings, *arguments],  # noqa: S607  # the user's own git
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ran.stdout.decode("utf-8", "replace")
