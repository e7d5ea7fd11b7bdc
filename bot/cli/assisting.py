"""`why mcp`: the memory as tools of a coding assistant."""

from __future__ import annotations

import typer

from bot import app as product
from bot.cli.cold import version_text
from bot.cli.frame import OK, guarded, leave, settings_of, tell
from bot.errors import SettingsError
from store import PUBLIC, Person

ASSISTANT = "a coding assistant"
"""In whose name a memory on this machine records; the team's bot knows the token's person."""


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("mcp")(_mcp)


def _mcp() -> None:
    """Serve the memory to a coding assistant over stdin and stdout (Model Context Protocol)."""
    leave(guarded(_run_mcp))


def _run_mcp() -> int:
    from bot.agents.mcp_server import server  # a second of imports that no other command needs
    from bot.agents.remote import Remote
    from bot.interface import OneMemory

    settings = settings_of()
    version = version_text().removeprefix("Backstory ")
    if settings.url:
        if not settings.token:
            raise SettingsError("BACKSTORY_TOKEN: not set; ask for one with /why login in Slack")
        tell(f"tools of {settings.url}")
        server(Remote(settings.url, settings.token), version=version).run("stdio")
        return OK
    with product.opened(settings, index="read") as parts:
        tell(f"tools of {settings.home}")
        memory = OneMemory(parts.memory, parts.answers, PUBLIC, Person(name=ASSISTANT))
        server(memory, version=version).run("stdio")
    return OK
