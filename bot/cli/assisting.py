"""`why mcp` and `why preflight`: the memory as tools of a coding assistant, and of whoever checks a change."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime
from typing import Annotated

import typer

from bot import app as product
from bot.cli.cold import version_text
from bot.cli.elsewhere import note_recorded, teams_memory
from bot.cli.frame import FAILED, JSON, OK, Misused, existing, guarded, leave, put, settings_of, tell
from bot.settings import Settings
from store import PUBLIC, Person, quick_memory

ASSISTANT = "a coding assistant"
"""In whose name a memory on this machine records; the team's bot knows the token's person."""


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("mcp")(_mcp)
    app.command("preflight")(_preflight)


def _mcp() -> None:
    """Serve the memory to a coding assistant over stdin and stdout (Model Context Protocol)."""
    leave(guarded(_run_mcp))


def _run_mcp() -> int:
    from bot.agents.mcp_server import server  # a second of imports that no other command needs
    from bot.interface import OneMemory

    settings = settings_of()
    version = version_text().removeprefix("Backstory ")
    if settings.url:
        memory_there = teams_memory(settings)
        tell(f"tools of {settings.url}")
        server(memory_there, version=version, recorded=note_recorded).run("stdio")
        return OK
    with product.opened(settings, index="read") as parts:
        tell(f"tools of {settings.home}")
        memory = OneMemory(parts.memory, parts.answers, PUBLIC, Person(name=ASSISTANT))
        server(memory, version=version).run("stdio")
    return OK


def _preflight(
    pull: Annotated[
        str,
        typer.Argument(
            metavar="[PR]", help="A pull request, `41` of this repository or owner/repo#41; needs GITHUB_TOKEN."
        ),
    ] = "",
    diff: Annotated[
        str, typer.Option("--diff", metavar="FILE", help="A unified diff; - is standard input. Left out: `git diff`.")
    ] = "",
    base: Annotated[str, typer.Option("--base", metavar="REV", help="What `git diff` compares with.")] = "HEAD",
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="What the change is called.")] = "",
    body: Annotated[str, typer.Option("--body", metavar="TEXT", help="What its author says of it.")] = "",
    as_json: Annotated[bool, typer.Option(JSON.flag, help=JSON.help)] = False,
) -> None:
    """Say whether a change goes against what was decided: exits 0 if not, 1 if it does."""
    leave(guarded(lambda: _run_preflight(pull, diff, base, title=title, body=body, as_json=as_json)))


def _run_preflight(pull: str, diff: str, base: str, *, title: str, body: str, as_json: bool) -> int:
    from bot import preflight

    settings = settings_of()
    if pull:
        if diff or title or body:
            raise Misused("a pull request has its own diff, title and body: leave --diff, --title and --body out")
        text, title, body = _pull_request(pull, settings)
    else:
        text = _diff(diff, base)
    if settings.url:
        found = teams_memory(settings).preflight(text, title=title, body=body)
        put(found, lambda: preflight.lines(found), as_json=as_json)
        return OK if found["verdict"] == preflight.Preflight.ALLOW else FAILED
    memory = quick_memory(settings.home, settings.servers)
    change = preflight.change_of(text, title=title, body=body)
    try:
        document = preflight.document(preflight.findings(memory, PUBLIC, change) if memory else ())
    finally:
        if memory is not None:
            memory.close()
    put(document, lambda: preflight.lines(document), as_json=as_json)
    return OK if document["verdict"] == preflight.Preflight.ALLOW else FAILED


def _pull_request(named: str, settings: Settings) -> tuple[str, str, str]:
    """Return a pull request's diff, title and body."""
    from bot.fetching import pull_request_named, read_pull_request
    from bot.sources.git_history import ORIGIN

    origin = ORIGIN.fullmatch(_git("config", "--get", "remote.origin.url").strip())
    whole = pull_request_named(named, origin["repo"] if origin else "")
    if not whole:
        raise Misused(f"{named}: no pull request; give owner/repo#41, or 41 in a repository cloned from GitHub")
    found = read_pull_request(settings.credentials, whole, pause=time.sleep, now=lambda: datetime.now(UTC))
    return found.diff, found.title, found.body


def _diff(named: str, base: str) -> str:
    if named == "-":
        return sys.stdin.read()
    if named:
        return existing(named).read_text(encoding="utf-8", errors="replace")
    if base.startswith("-"):
        raise Misused(f"--base {base}: not a revision")
    return _git("diff", "--no-ext-diff", "--no-color", base, "--", refused=f"git diff {base}")


def _git(*arguments: str, refused: str = "") -> str:
    """Return what git says here; Misused where it fails and `refused` names what that was, else ""."""
    ran = subprocess.run(["git", *arguments], capture_output=True, check=False)  # noqa: S603, S607  # the user's own git
    if ran.returncode and refused:
        said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Misused(f"{refused}: {said[0][:200] if said else 'it failed'}")
    return ran.stdout.decode("utf-8", "replace") if not ran.returncode else ""
