"""The team's bot in the place of a memory on this machine: BACKSTORY_URL and BACKSTORY_TOKEN name it."""

from __future__ import annotations

from pathlib import Path

from bot.agents.claude_settings import refuse_lures
from bot.agents.remote import Remote
from bot.agents.sessions import sessions_around
from bot.errors import SettingsError
from bot.settings import Settings


def teams_memory(settings: Settings) -> Remote:
    """Return the bot that the settings name.

    Raises:
        SettingsError: there is no token for it, a repository may have named it, or no token may go to its address.
    """
    if not settings.token:
        raise SettingsError("BACKSTORY_TOKEN: not set; ask for one with /why login in Slack")
    refuse_lures()
    return Remote(settings.url, settings.token)


def note_recorded() -> None:
    """Tell the hooks of the repository in which this runs that a decision was recorded elsewhere."""
    if sessions := sessions_around(Path.cwd()):
        sessions.note_recorded()
