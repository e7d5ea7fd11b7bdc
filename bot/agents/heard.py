"""What the team's bot answered lately: a small cache of the user's own, so that an answer that came late is used next.

It lies in the user's home, never in a repository, readable by its owner alone: `KEEP_S` long, at most `MOST_FILES`
answers. Beside them stands whether the bot was away or slow a moment ago, so that no hook waits for it again so soon.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

FOLDER = Path(".backstory") / "heard"
KEEP_S = 4 * 3600.0
"""Seconds that an answer is kept: what was erased at the bot is gone here by then."""
FRESH_S = 300.0
"""Seconds after which an answer is used once more and asked for anew meanwhile."""
AWAY_S = 30.0
"""Seconds in which nobody waits for a bot that was away or slow."""
ASKING_S = 30.0
"""Seconds in which one answer is not asked for twice in the background."""
MOST_FILES, MOST_BYTES = 300, 200_000
AWAY, SLOW = "away", "slow"


class Heard:
    """The answers of one bot to one token."""

    def __init__(self, folder: Path, *, whose: str) -> None:
        """Keep them in a folder; `whose` names bot and token, and is only ever hashed."""
        self._folder = folder
        self._whose = hashlib.sha256(whose.encode()).hexdigest()

    def find(self, asked: Sequence[object]) -> tuple[dict[str, Any], bool] | None:
        """Return the answer to a question and whether it is fresh; None where there is none."""
        path = self._file(asked)
        try:
            age = time.time() - path.stat().st_mtime
            found = json.loads(path.read_bytes()) if 0 <= age <= KEEP_S else None
        except (OSError, ValueError):
            return None
        return (found, age <= FRESH_S) if isinstance(found, dict) else None

    def keep(self, asked: Sequence[object], answer: Mapping[str, Any]) -> None:
        """Keep an answer unless it is too large, and let what is old or too much go. Idempotency key: the question."""
        content = json.dumps(answer)
        if len(content) > MOST_BYTES:
            return
        self._write(self._file(asked), content)
        newest = sorted(((_mtime(each), each) for each in self._folder.iterdir()), reverse=True)
        before = time.time() - KEEP_S
        for number, (at, each) in enumerate(newest):
            if number >= MOST_FILES or at < before:
                with suppress(OSError):
                    each.unlink()

    def begin(self, asked: Sequence[object]) -> bool:
        """Say that a question is being asked; False where somebody asks it already."""
        mark = self._file(asked).with_suffix(".asking")
        if time.time() - _mtime(mark) < ASKING_S:
            return False
        self._write(mark, "")
        return True

    def end(self, asked: Sequence[object]) -> None:
        """Say that a question is asked no longer."""
        with suppress(OSError):
            self._file(asked).with_suffix(".asking").unlink()

    def state(self) -> str:
        """Return `AWAY` or `SLOW` where the bot was that a moment ago, else ""."""
        for state in (AWAY, SLOW):
            if time.time() - _mtime(self._mark(state)) < AWAY_S:
                return state
        return ""

    def note(self, state: str) -> None:
        """Note that the bot is away, or slower than a hook can wait."""
        self._write(self._mark(state), "")

    def _mark(self, state: str) -> Path:
        return self._folder / f"{self._whose[:32]}.{state}"

    def _file(self, asked: Sequence[object]) -> Path:
        named = hashlib.sha256(json.dumps([self._whose, *asked]).encode()).hexdigest()
        return self._folder / f"{named[:40]}.json"

    def _write(self, path: Path, text: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        fresh.replace(path)


def _mtime(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
