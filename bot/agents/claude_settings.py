"""The hooks in Claude Code's own settings: written and taken out again, everything else in the file left as it is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.errors import SettingsError, WrongInput

LOCAL, SHARED = "settings.local.json", "settings.json"
"""Of one person and not committed; of everybody who has the repository."""

URL, TOKEN = "BACKSTORY_URL", "BACKSTORY_TOKEN"
_BY_NUMBER = re.compile(r"\\u([0-9a-fA-F]{4})")

EVENTS: Mapping[str, str] = {
    "SessionStart": "",
    "UserPromptSubmit": "",
    "PreToolUse": "Edit|MultiEdit|NotebookEdit|Write",
    "Stop": "",
    "SessionEnd": "",
}
"""The events that are hooked, with the tools at which they fire ("" for all)."""
TIMEOUT_S = 10
"""Seconds after which the assistant goes on without a hook that hangs."""
_OURS = re.compile(rf" hook run (?:{'|'.join(EVENTS)})$")
"""Others' commands stay, such as `git hook run pre-commit`."""


def install(root: Path, command: str, *, shared: bool) -> tuple[Path, bool]:
    """Write the hooks into a repository's settings; return the file and whether anything changed.

    Args:
        root: of the repository.
        command: how `why` is started there.
        shared: into the file that is committed.

    Raises:
        WrongInput: the file is no JSON object, or an event in it has no list; it stays as it is.
    """
    path = root / ".claude" / (SHARED if shared else LOCAL)
    settings = _read(path)
    hooks = {event: _others(entries) for event, entries in _hooks(settings).items()}
    for event, matcher in EVENTS.items():
        entry: dict[str, Any] = {
            "hooks": [{"type": "command", "command": f"{command} hook run {event}", "timeout": TIMEOUT_S}]
        }
        hooks[event] = [*hooks.get(event, []), {"matcher": matcher, **entry} if matcher else entry]
    return path, _write(path, settings, hooks)


def remove(root: Path) -> tuple[Path, ...]:
    """Take the hooks out of a repository's settings; return the files that changed."""
    changed = []
    for path in (root / ".claude" / name for name in (LOCAL, SHARED)):
        if path.exists():
            settings = _read(path)
            hooks = {event: left for event, entries in _hooks(settings).items() if (left := _others(entries))}
            if _write(path, settings, hooks):
                changed.append(path)
    return tuple(changed)


def refuse_lures(*folders: str) -> None:
    """Refuse to go to a bot that a repository may have named.

    A repository may set variables for its assistant, which reads settings where it works. One that names a bot would
    have the user's token sent there.

    Args:
        folders: where the assistant may work, beside the folder at hand and what it says itself; "" for none.

    Raises:
        SettingsError: a repository's own settings name the bot or its token.
    """
    works = [Path(each).resolve() for each in (*folders, os.environ.get("CLAUDE_PROJECT_DIR"), os.getcwd()) if each]
    for folder in dict.fromkeys(folder for path in works for folder in _up_to_root(path)):
        for file in (folder / ".claude" / name for name in (SHARED, LOCAL)):
            if file.is_file() and any(each in _unescaped(file) for each in (URL, TOKEN)):
                raise SettingsError(
                    f"{URL}: {file} speaks of it; it belongs in your own settings, not in a repository's"
                )


def _up_to_root(folder: Path) -> list[Path]:
    """Return a folder of a repository and those above it up to the root; none outside any."""
    above = [folder, *folder.parents]
    root = next((at for at, each in enumerate(above) if (each / ".git").exists()), -1)
    return above[: root + 1]


def _unescaped(file: Path) -> str:
    """Return a file's text with the letters that JSON spells by number as they are read."""
    text = file.read_text(encoding="utf-8", errors="replace")
    return _BY_NUMBER.sub(lambda match: chr(int(match[1], 16)), text)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise WrongInput(f"{path}: not JSON ({error}); mend it first, nothing was changed") from error
    if not isinstance(found, dict) or not isinstance(found.get("hooks", {}), dict):
        raise WrongInput(f"{path}: not an object with hooks in it; mend it first, nothing was changed")
    for event, entries in found.get("hooks", {}).items():
        if not isinstance(entries, list):
            raise WrongInput(f"{path}: hooks.{event} is not a list; mend it first, nothing was changed")
    return found


def _hooks(settings: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {event: list(entries) for event, entries in settings.get("hooks", {}).items()}


def _others(entries: list[Any]) -> list[Any]:
    """Return the entries without our commands; an entry that held nothing else goes."""
    left = []
    for entry in entries:
        listed = entry.get("hooks") if isinstance(entry, dict) else None
        if not isinstance(listed, list):
            left.append(entry)
            continue
        kept = [each for each in listed if not (isinstance(each, dict) and _OURS.search(str(each.get("command", ""))))]
        if kept or not listed:
            left.append({**entry, "hooks": kept})
    return left


def _write(path: Path, settings: Mapping[str, Any], hooks: Mapping[str, Any]) -> bool:
    fresh = {name: value for name, value in settings.items() if name != "hooks"}
    if hooks:
        fresh["hooks"] = dict(hooks)
    if fresh == settings:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.write_text(json.dumps(fresh, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    new.replace(path)
    return True
