"""What happens at each event of a coding session: one function an event, from what is said to what is answered.

Nothing here may stop the assistant but `stop`, once a session; whoever calls this lets every failure pass in silence.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from bot.agents.quoting import fenced
from bot.agents.sessions import CodingSession, CodingSessions
from bot.at_hand import Document, telling

Told = dict[str, object] | None
"""What an event's handler answers with, in the assistant's own form; None for nothing at all."""

EDITS = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
"""The assistant's tools that change a file."""

_GENERIC = frozenset({
    "api", "app", "apps", "bin", "client", "cmd", "code", "common", "config", "core", "db", "front", "handlers",
    "index", "init", "internal", "lib", "libs", "main", "models", "modules", "packages", "pkg", "public", "scripts",
    "server", "services", "shared", "source", "src", "test", "tests", "tools", "types", "util", "utils", "views", "web",
})  # fmt: skip
"""Names of folders that say nothing of what is in them."""
_SHORTEST_NAME = 4


class Noticed(Protocol):
    """What the hooks read of a memory, as the documents of the command line: beside the code, or the team's."""

    @property
    def ways(self) -> str:
        """How an agent asks it before a design, for a sentence."""
        ...

    @property
    def more(self) -> str:
        """How an agent is told more of a decision, as a sentence; "" where there is no way."""
        ...

    def is_empty(self) -> bool:
        """Say whether nothing is recorded yet."""
        ...

    def on(self, names: Sequence[str]) -> list[Document]:
        """Return the decisions on elements or files of these names, each once."""
        ...

    def named_in(self, text: str) -> list[Document]:
        """Return the decisions on what a text names by a rare word, the most alike first."""
        ...

    def recorded_since(self, moment: datetime) -> bool:
        """Say whether somebody recorded a decision since then."""
        ...


class Hooks:
    """The events of one session in one repository."""

    def __init__(
        self,
        root: Path,
        sessions: CodingSessions,
        memory: Noticed | None,
        *,
        mode: str,
        mark: Callable[[int], str] = lambda count: os.urandom(count).hex(),
    ) -> None:
        """Work in a repository.

        Args:
            root: of the repository.
            sessions: what is remembered of sessions.
            memory: None where there is none yet.
            mode: `block`, `remind` or `off`: what happens at the end of a turn that changed structure.
            mark: returns random hexadecimal digits.
        """
        self._root = root
        self._sessions = sessions
        self._memory = memory
        self._mode = mode
        self._mark = mark

    def session_start(self, given: Mapping[str, Any]) -> Told:
        """Note where the session begins, and say that there is a memory, if anything is in it."""
        self._session(given)
        if self._memory is None or self._memory.is_empty():
            return None
        return _context(
            "SessionStart",
            f"This repository has a memory of decisions. Before you propose a design: {self._memory.ways}."
            " When one is made: `why record --title … --rationale …`; when none was: `why none --reason …`.",
        )

    def before_edit(self, given: Mapping[str, Any]) -> Told:
        """Put the decisions on a file before the assistant, each once a session."""
        named = given.get("tool_input")
        path = str(named.get("file_path") or named.get("notebook_path") or "") if isinstance(named, Mapping) else ""
        if given.get("tool_name") not in EDITS or not path or self._memory is None:
            return None
        where = _inside(self._root, path)
        session = self._session(given)
        found = self._memory.on(names_of(where)) if where else []
        found = [each for each in found if each["id"] not in session.shown]
        text, shown = fenced(_mixed(found), about=where, mark=self._mark, more=self._memory.more)
        if not text:
            return None
        self._sessions.keep(session.with_shown(shown))
        return _context("PreToolUse", text)

    def prompt(self, given: Mapping[str, Any]) -> Told:
        """Put before the assistant what is recorded on what a prompt names, each decision once a session."""
        said = str(given.get("prompt") or "")
        if self._memory is None or not said.strip():
            return None
        session = self._session(given)
        found = [each for each in self._memory.named_in(said) if each["id"] not in session.shown]
        text, shown = fenced(found, about="what was asked", mark=self._mark, more=self._memory.more)
        if not text:
            return None
        self._sessions.keep(session.with_shown(shown))
        return _context("UserPromptSubmit", text)

    def recorded(self, given: Mapping[str, Any]) -> bool:
        """Say whether somebody recorded a decision in this session, or declared that there was none."""
        session = self._session(given)
        if self._sessions.none_declared_since(session.began_at):
            return True
        began = datetime.fromtimestamp(session.began_at, UTC)
        return self._memory is not None and self._memory.recorded_since(began)

    def stop(self, given: Mapping[str, Any]) -> Told:
        """Stop the assistant once where it changed structure and nothing was recorded or declared."""
        session = self._session(given)
        if self._mode == "off" or given.get("stop_hook_active") or session.stopped or not session.commit:
            return None
        if self.recorded(given):
            return None
        from bot.agents import worktree  # git and what it changed: not for those who only look something up
        from bot.structure import structural, told

        start = worktree.Start(commit=session.commit, untracked=session.untracked)
        found = structural(worktree.changes_since(self._root, start))
        if not found:
            return None
        self._sessions.keep(replace(session, stopped=True))
        reason = (
            f"This session changed structure ({told(found)}) and no decision is recorded. If one was made, record it:"
            ' `why record --title "…" --rationale "…" --alternative "OPTION: why it lost"`; if none was, say so:'
            ' `why none --reason "…"`. You are asked once.'
        )
        return {"decision": "block", "reason": reason} if self._mode == "block" else {"systemMessage": reason}

    def _session(self, given: Mapping[str, Any]) -> CodingSession:
        """Return the session, begun now if nothing is known of it."""
        name = str(given.get("session_id") or "unnamed")
        known = self._sessions.find(name)
        if known is not None:
            return known
        from bot.agents import worktree  # as above

        start = worktree.start_of(self._root)
        fresh = CodingSession(
            id=name,
            began_at=time.time(),
            commit=start.commit if start else "",
            untracked=dict(start.untracked) if start else {},
        )
        self._sessions.keep(fresh)
        return fresh


def _context(event: str, text: str) -> Told:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _inside(root: Path, path: str) -> str:
    """Return a file's path from the repository's root; "" where it lies outside."""
    place = Path(path) if Path(path).is_absolute() else root / path
    try:
        return place.relative_to(root).as_posix()
    except ValueError:
        try:
            return place.resolve().relative_to(root.resolve()).as_posix()
        except (ValueError, OSError):
            return ""


def names_of(path: str) -> list[str]:
    """Return what a file, by its path from the repository's root, may be known by: as a file, and by its parts."""
    return [f"./{path}", *_names(path)]


def _names(path: str) -> Iterator[str]:
    """Yield the names that a path is made of and that may name an element, the innermost first."""
    for part in reversed(path.split("/")):
        name = part.rpartition(".")[0] or part
        if len(name) >= _SHORTEST_NAME and name.casefold() not in _GENERIC:
            yield from dict.fromkeys((name, name.replace("_", "-")))


def _mixed(decisions: Sequence[Document]) -> list[Document]:
    """Return decisions newest first, what was turned down and what stands by turns: both are worth a place."""
    newest = sorted(telling(decisions), key=lambda each: (str(each.get("decided_on") or ""), each["id"]), reverse=True)
    stands = [each for each in newest if each["status"] == "accepted"]
    down = [each for each in newest if each["status"] != "accepted"]
    mixed: list[Document] = []
    while stands or down:
        mixed += [*stands[:1], *down[:1]]
        stands, down = stands[1:], down[1:]
    return mixed
