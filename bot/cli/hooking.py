"""`why hook` and `why none`: the bridge into a coding assistant's sessions. Standard library until a session ends.

`why hook run EVENT` is what the assistant starts. It reads one JSON object on stdin, answers with one or with nothing,
and never fails: whatever goes wrong, the assistant goes on as if there were no hook.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.agents import claude_settings
from bot.agents.claude_settings import TOKEN, URL, refuse_lures
from bot.agents.events import Hooks, Noticed, Told, names_of
from bot.agents.sessions import CodingSessions, root_of
from bot.at_hand import AtHand
from bot.cli.frame import OK, Misused, guarded, put, tell
from bot.errors import SettingsError, WrongInput
from store import PUBLIC

if TYPE_CHECKING:
    import argparse

    from bot.agents.teams_bot import TeamsBot
    from store import QuickMemory

SUMMARIES = {
    "hook": "Hooks for coding assistants: install, remove, mode; run is what the assistant starts.",
    "none": "Say that a coding session decided nothing.",
}
MODES = ("block", "remind", "off")
FOLDER = ".backstory"
MOST_INPUT_BYTES = 10_000_000
"""Of what an assistant says at one event: a whole file's new content may be in it."""


def run(arguments: Sequence[str]) -> int:
    """Run `why hook …` or `why none …` given by its words; returns the exit code."""
    if list(arguments[:2]) == ["hook", "run"] and len(arguments) == 3 and not arguments[2].startswith("-"):
        return _answer(arguments[2])
    given = _parser().parse_args(list(arguments))
    return guarded(lambda: int(given.run(given)))


def summaries() -> list[tuple[str, str]]:
    """Return each of these commands with its line in the help."""
    return list(SUMMARIES.items())


def _parser() -> argparse.ArgumentParser:
    import argparse  # for people: what the assistant starts has one form

    parser = argparse.ArgumentParser(prog="why", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    hook = commands.add_parser("hook", help=SUMMARIES["hook"], description=SUMMARIES["hook"], allow_abbrev=False)
    whats = hook.add_subparsers(required=True, metavar="WHAT")
    install = whats.add_parser("install", help="Write the hooks into Claude Code's settings of this repository.")
    install.add_argument("--shared", action="store_true", help="Into the file that is committed, for everybody.")
    remove = whats.add_parser("remove", help="Take the hooks out again.")
    mode = whats.add_parser(
        "mode", help="What happens when structure was changed and nothing recorded; shows it without MODE."
    )
    mode.add_argument("mode", nargs="?", choices=MODES, metavar="|".join(MODES))
    answer = whats.add_parser("run", help="Answer one event (JSON on stdin); the assistant starts it.")
    answer.add_argument("event", metavar="EVENT", choices=sorted(claude_settings.EVENTS))
    none = commands.add_parser("none", help=SUMMARIES["none"], description=SUMMARIES["none"], allow_abbrev=False)
    none.add_argument("--reason", required=True, metavar="TEXT", help="Why: kept while the session lasts.")
    for one, action in ((install, _install), (remove, _remove), (mode, _mode), (none, _none)):
        one.add_argument(
            "--json", action="store_true", dest="as_json", help="One JSON document on stdout, nothing else."
        )
        one.set_defaults(run=action)
    answer.set_defaults(run=lambda given: _answer(given.event))
    return parser


# --- what the assistant starts ----------------------------------------------------------------


def _answer(event: str) -> int:
    try:
        answer = _told(event, json.loads(sys.stdin.buffer.read(MOST_INPUT_BYTES)))
        if answer is not None:
            print(json.dumps(answer))  # in ASCII: whatever stdout's encoding is, this one reaches it
    except Exception as error:  # the assistant must go on whatever happens here
        print(f"backstory: {event}: {_what(error)}; nothing is told, the assistant goes on", file=sys.stderr)
    return OK


def _what(error: Exception) -> str:
    """Return what went wrong without a word of what the assistant said."""
    if isinstance(error, SettingsError):
        return str(error)
    if isinstance(error, (ValueError, AttributeError)):
        return f"what came on stdin is not an event as Claude Code writes it ({type(error).__name__})"
    return type(error).__name__


def _told(event: str, given: Mapping[str, Any]) -> Told:
    root = root_of(Path(os.environ.get("CLAUDE_PROJECT_DIR") or str(given.get("cwd") or Path.cwd())))
    if root is None or not (root / FOLDER).is_dir():
        return None
    sessions = CodingSessions(root / FOLDER)
    team = _teams_bot(given, sessions)
    memory = None if team else _beside_the_code(root)
    try:
        noticed: Noticed | None = team or (AtHand(memory, PUBLIC) if memory else None)
        hooks = Hooks(root, sessions, noticed, mode=_mode_of(root))
        match event:
            case "SessionStart":
                told = hooks.session_start(given)
                if team:
                    from bot.agents.worktree import lately_changed  # git, which has begun the session already

                    team.warm(names_of(path) for path in lately_changed(root))
                return told
            case "UserPromptSubmit":
                return hooks.prompt(given)
            case "PreToolUse":
                return hooks.before_edit(given)
            case "Stop":
                return hooks.stop(given)
            case "SessionEnd":
                return _ended(root, sessions, hooks.recorded(given) or _mode_of(root) == "off", given)
        return None
    finally:
        if memory is not None:
            memory.close()
        if team is not None:
            team.close()


def _beside_the_code(root: Path) -> QuickMemory | None:
    from store import QuickMemory  # not for those whose memory is the team's

    return QuickMemory.open(root / FOLDER)


def _teams_bot(given: Mapping[str, Any], sessions: CodingSessions) -> TeamsBot | None:
    """Return the team's bot where the user's own environment names one; None for the memory beside the code."""
    url, token = (os.environ.get(name, "").strip() for name in (URL, TOKEN))
    if not url or not token:
        return None
    refuse_lures(str(given.get("cwd") or ""))
    from bot.agents.teams_bot import teams_bot  # for those who have one

    return teams_bot(url, token, sessions)


def _ended(root: Path, sessions: CodingSessions, passed_over: bool, given: Mapping[str, Any]) -> Told:
    sessions.end(str(given.get("session_id") or "unnamed"))
    transcript = Path(str(given.get("transcript_path") or ""))
    if passed_over or not transcript.is_file():
        return None
    from bot.agents.ending import remember  # the whole product: only where a session ends
    from bot.offline import OfflineExtractor
    from store import Memory

    memory = Memory.open(root / FOLDER, index="off")
    try:
        new = remember(memory, OfflineExtractor(), transcript)
    finally:
        memory.close()
    if not new:
        return None
    titles = ", ".join(f"“{each.title}”" for each in new)
    undo = " ".join(f"why forget {each.id[:12]};" for each in new).rstrip(";")
    return {"systemMessage": f"Backstory recorded {titles}. Undo: {undo}"}


# --- what people run --------------------------------------------------------------------------


def _repository(*, with_memory: bool = True) -> Path:
    root = root_of(Path.cwd())
    if root is None:
        raise Misused("not in a git repository: hooks belong to one")
    if with_memory and not (root / FOLDER).is_dir():
        raise Misused(f"{root} has no {FOLDER} folder: make it first (mkdir {FOLDER}), decisions are kept in it")
    return root


def _install(given: argparse.Namespace) -> int:
    root = _repository()
    command = "why" if given.shared else _this_program()
    path, changed = claude_settings.install(root, command, shared=given.shared)
    document = {"file": str(path), "changed": changed, "mode": _mode_of(root)}
    put(
        document,
        lambda: [f"{path}: {'hooks written' if changed else 'hooks are there already'}"],
        as_json=given.as_json,
    )
    return OK


def _this_program() -> str:
    """Return how the program that runs is started from anywhere: a session's folder and PATH are its own."""
    import shutil

    started = Path(os.path.abspath(sys.argv[0]))
    if started.name == "__main__.py":  # python -m bot
        return f'"{sys.executable}" -m bot'
    return f'"{started if started.exists() else shutil.which("why") or started}"'


def _remove(given: argparse.Namespace) -> int:
    changed = claude_settings.remove(_repository(with_memory=False))
    lines = [f"{path}: hooks taken out" for path in changed] or ["no hooks of ours were there"]
    put({"files": [str(path) for path in changed]}, lambda: lines, as_json=given.as_json)
    return OK


def _mode(given: argparse.Namespace) -> int:
    root = _repository()
    if given.mode:
        _keep_mode(root, given.mode)
    put({"mode": _mode_of(root)}, lambda: [_mode_of(root)], as_json=given.as_json)
    return OK


def _none(given: argparse.Namespace) -> int:
    if not given.reason.strip():
        raise Misused("--reason: say in a few words why nothing was decided")
    CodingSessions(_repository() / FOLDER).declare_none(given.reason.strip())
    put({"declared": True}, lambda: ["noted: this session decided nothing"], as_json=given.as_json)
    return OK


def _modes_file() -> Path:
    """The user's own: a repository that one clones must not choose what its hooks do."""
    return Path.home() / FOLDER / "hooks.json"


def _mode_of(root: Path) -> str:
    try:
        mode = json.loads(_modes_file().read_text(encoding="utf-8")).get(str(root.resolve()), MODES[0])
    except (OSError, ValueError, AttributeError):
        return MODES[0]
    return mode if mode in MODES else MODES[0]


def _keep_mode(root: Path, mode: str) -> None:
    path = _modes_file()
    try:
        modes = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        modes = {}
    except ValueError as error:
        raise WrongInput(f"{path}: not JSON ({error}); mend or delete it") from error
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.write_text(json.dumps({**modes, str(root.resolve()): mode}, indent=2), encoding="utf-8")
    fresh.replace(path)
    tell(f"{path}: kept for {root}")
