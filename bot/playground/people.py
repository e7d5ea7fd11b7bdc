"""Who and what a pretend workspace holds at its start: members, channels, and what the app was granted.

Plain frozen values; `World` turns them into Slack's own JSON. `SCOPES` and `BOT_EVENTS` are those of
manifest.yml, which a test holds equal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

SCOPES = (
    "app_mentions:read",
    "channels:history",
    "channels:manage",
    "channels:read",
    "chat:write",
    "commands",
    "groups:history",
    "groups:read",
    "groups:write",
    "im:history",
    "im:read",
    "mpim:history",
    "mpim:read",
    "reactions:read",
    "reactions:write",
    "users:read",
)
BOT_EVENTS = (
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "channel_archive",
    "channel_deleted",
    "channel_id_changed",
    "channel_left",
    "channel_rename",
    "channel_shared",
    "channel_unarchive",
    "channel_unshared",
    "group_archive",
    "group_deleted",
    "group_left",
    "group_rename",
    "group_unarchive",
    "member_joined_channel",
    "member_left_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
    "team_join",
    "tokens_revoked",
    "user_change",
)
COMMANDS = ("/backstory", "/why")
SHORTCUTS = ("record_decision",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One account. `team_id` is set for external (Connect) people alone; `tz` None is seen in the wild."""

    id: str
    name: str
    """The handle, lower case: `lena`. People see `real_name`."""
    real_name: str = ""
    tz: str | None = "Europe/Berlin"
    admin: bool = False
    owner: bool = False
    guest: Literal["", "multi", "single"] = ""
    team_id: str = ""
    is_bot: bool = False
    deactivated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """One conversation; `members` are ids in the order in which they joined, the bot's among them if it is in.

    `kind` "im" and "mpim" are direct and group messages. `connected` is shared with another workspace.
    """

    id: str
    name: str = ""
    members: tuple[str, ...] = ()
    kind: Literal["channel", "im", "mpim"] = "channel"
    private: bool = False
    connected: bool = False
    archived: bool = False
    general: bool = False
    creator: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A workspace with one app installed in it."""

    members: tuple[Member, ...]
    channels: tuple[Channel, ...]
    team_id: str = "T0PLAY"
    name: str = "Playground"
    domain: str = "playground"
    bot_user_id: str = "UBACKSTORY"
    bot_id: str = "BBACKSTORY"
    bot_name: str = "backstory"
    app_id: str = "ABACKSTORY"
    scopes: tuple[str, ...] = SCOPES
    bot_events: tuple[str, ...] = BOT_EVENTS
    commands: tuple[str, ...] = COMMANDS
    shortcuts: tuple[str, ...] = SHORTCUTS


def small_workspace(*, bot_in: tuple[str, ...] = ("search", "exec"), scopes: tuple[str, ...] = SCOPES) -> Workspace:
    """Return eight people and seven channels that cover each kind of membership.

    Args:
        bot_in: names of the channels that the bot has been invited to.
        scopes: what the bot's token was granted.
    """
    bot = "UBACKSTORY"
    everyone = ("U0LENA", "U0OMAR", "U0MIA", "U0NOOR", "U0RAJ", "U0ANA")
    channels = (
        Channel(id="C0GENERAL", name="general", members=everyone, general=True, creator="U0LENA"),
        Channel(id="C0SEARCH", name="search", members=(*everyone, "U0GUEST"), creator="U0OMAR"),
        Channel(id="C0PLATFORM", name="platform", members=everyone, creator="U0ANA"),
        Channel(id="C0EXEC", name="exec", members=("U0LENA", "U0OMAR", "U0MIA"), private=True, creator="U0LENA"),
        Channel(id="C0HIRING", name="hiring", members=("U0LENA", "U0ANA"), private=True, creator="U0LENA"),
        Channel(id="C0PARTNER", name="partner", members=(*everyone, "U0EVE"), connected=True, creator="U0LENA"),
        Channel(id="C0OLD", name="old-search", members=everyone, archived=True, creator="U0OMAR"),
    )
    return Workspace(
        members=(
            Member(id="U0LENA", name="lena", real_name="Lena Brandt", admin=True, owner=True),
            Member(id="U0OMAR", name="omar", real_name="Omar Haddad"),
            Member(id="U0MIA", name="mia", real_name="Mia Sørensen"),
            Member(id="U0NOOR", name="noor", real_name="Noor Aziz", tz="Asia/Kolkata"),
            Member(id="U0RAJ", name="raj", real_name="Raj Patel", tz="America/New_York"),
            Member(id="U0ANA", name="ana", real_name="Ana Costa", tz=None),
            Member(id="U0GUEST", name="gus", real_name="Gus Lind", guest="multi"),
            Member(id="U0EVE", name="eve", real_name="Eve Stone", team_id="T0OTHER"),
        ),
        channels=tuple(
            replace(channel, members=(*channel.members, bot)) if channel.name in bot_in else channel
            for channel in channels
        ),
        scopes=scopes,
    )
