"""A repository in which a coding assistant works, and its hooks as real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.builders_edits import RETRY

FILE = "services/pay/provider.py"


class Repository:
    """A repository with a memory beside its code, and a session in it."""

    def __init__(self, root: Path, home: Path, **environment: str) -> None:
        self.root = root
        self.home = home
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("BACKSTORY_", "CLAUDE_"))},
            "HOME": str(home),
            "USERPROFILE": str(home),
            "BACKSTORY_FOLLOW": "later",
            "PYTHONPATH": str(Path(__file__).parents[1]),
            "GIT_CONFIG_GLOBAL": os.devnull,
            **environment,
        }

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
        subprocess.run(["git", *who, *arguments], cwd=self.root, env=self.environment, check=True, capture_output=True)

    def why(self, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bot", *words]
        return subprocess.run(
            command, cwd=self.root, env=self.environment, input=said, capture_output=True, text=True, timeout=60
        )

    def hook(self, event: str, **given: Any) -> Any:
        """Return what an event's hook answers; None where it says nothing."""
        said = json.dumps({"session_id": "s1", "cwd": str(self.root), "hook_event_name": event, **given})
        ran = self.why("hook", "run", event, said=said)
        assert (ran.returncode, ran.stderr) == (0, "")
        return json.loads(ran.stdout) if ran.stdout else None

    def before_edit(self, path: str, session: str = "s1") -> str:
        """Return what is put before an edit of a file."""
        file = {"file_path": str(self.root / path)}
        told = self.hook("PreToolUse", tool_name="Edit", tool_input=file, session_id=session)
        return str(told["hookSpecificOutput"]["additionalContext"]) if told else ""

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")


def repository_in(folder: Path, **environment: str) -> Repository:
    """Return a repository with one commit and a place for a memory beside its code."""
    root = folder / "shop"
    (root / ".backstory").mkdir(parents=True)
    (folder / "me").mkdir()
    found = Repository(root, folder / "me", **environment)
    found.git("init", "-q")
    found.write(FILE, RETRY)
    found.write(".gitignore", ".backstory/\n")
    found.git("add", ".")
    found.git("commit", "-q", "-m", "Begin")
    return found
