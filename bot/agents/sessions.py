"""What is remembered of a coding session while it lasts: one small file a session in the memory's folder.

No text of the session is kept: where it began, which decisions it was shown, and whether it was stopped once.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

HOME, FOLDER = ".backstory", "coding-sessions"
KEEP_S = 30 * 86_400.0
"""Seconds after which a session that nobody ended is forgotten."""
NONE_FILE, RECORDED_FILE = "none.json", "recorded.json"
_ODD = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodingSession:
    """One session: `commit` and `untracked` are the work tree at its start; `began_at` in seconds since 1970."""

    id: str
    began_at: float
    commit: str = ""
    untracked: dict[str, str] = field(default_factory=dict)
    shown: tuple[str, ...] = ()
    stopped: bool = False

    def with_shown(self, decisions: Iterable[str]) -> CodingSession:
        """Return the session as having been shown these as well."""
        return replace(self, shown=tuple(dict.fromkeys((*self.shown, *decisions))))


def root_of(folder: Path) -> Path | None:
    """Return the root of the repository that a folder lies in; None outside any."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def sessions_around(folder: Path) -> CodingSessions | None:
    """Return the sessions of the repository that a folder lies in; None where it has no memory beside its code."""
    root = root_of(folder)
    return CodingSessions(root / HOME) if root is not None and (root / HOME).is_dir() else None


class CodingSessions:
    """The sessions of one memory."""

    def __init__(self, home: Path) -> None:
        """Keep them in the memory's folder."""
        self._folder = home / FOLDER

    def find(self, session: str) -> CodingSession | None:
        """Return what is known of a session; None where nothing is, or nothing that can be read."""
        try:
            raw = json.loads(self._file(session).read_text(encoding="utf-8"))
            return CodingSession(**{**raw, "shown": tuple(raw.get("shown", ()))})
        except (OSError, ValueError, TypeError):
            return None

    def keep(self, session: CodingSession) -> None:
        """Write what is known of a session, whole or not at all."""
        self._write(self._file(session.id), json.dumps(asdict(session)))

    def end(self, session: str) -> None:
        """Forget a session, and those that nobody ended."""
        with suppress(OSError):
            self._file(session).unlink()
        before = time.time() - KEEP_S
        for each in self._folder.glob("*.json") if self._folder.is_dir() else ():
            with suppress(OSError):
                if each.stat().st_mtime < before:
                    each.unlink()

    def declare_none(self, reason: str) -> None:
        """Remember that nothing was decided, for the sessions that are open now."""
        self._write(self._folder / NONE_FILE, json.dumps({"at": time.time(), "reason": reason}))

    def none_declared_since(self, moment: float) -> bool:
        """Say whether somebody said since then that nothing was decided."""
        return self._noted_since(NONE_FILE, moment)

    def note_recorded(self) -> None:
        """Remember that a decision was recorded from here, in a memory elsewhere."""
        self._write(self._folder / RECORDED_FILE, json.dumps({"at": time.time()}))

    def recorded_since(self, moment: float) -> bool:
        """Say whether a decision was recorded from here since then, in a memory elsewhere."""
        return self._noted_since(RECORDED_FILE, moment)

    def _noted_since(self, name: str, moment: float) -> bool:
        try:
            return float(json.loads((self._folder / name).read_text(encoding="utf-8"))["at"]) >= moment
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def _file(self, session: str) -> Path:
        return self._folder / f"{_ODD.sub('_', session)[:80] or 'unnamed'}.json"

    def _write(self, path: Path, text: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
