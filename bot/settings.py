"""The settings, read from the environment once and passed on as a value.

Platforms' own names are used where they exist; ours start with `BACKSTORY_`. A name of ours that
nobody reads is refused, since a misspelt setting is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import SettingsError

if TYPE_CHECKING:
    from store import Servers

DEFAULT_MODEL = "claude-haiku-5-5"
DEFAULT_SLACK_API_URL = "https://slack.com/api/"
DEFAULT_PORT = 3000
"""Bolt's own default; platforms that route HTTP set PORT."""
DEFAULT_QUESTION_DAYS = 90
"""Days that answered questions are kept beside the log."""
DEFAULT_FOLLOW_UP_DAYS = 14
"""Days after which a decider is asked how a decision went."""
DEFAULT_CAPTURE_EMOJI = "bookmark"
DEFAULT_MONTHLY_TOKENS = 20_000_000
"""Read and written together; README does the sum for 200 people."""

FOLLOWING = ("background", "wait", "later")
"""What `BACKSTORY_FOLLOW` may be, the default first."""

OURS: Mapping[str, str] = {
    "BACKSTORY_HOME": "the folder of the memory; default: the nearest .backstory/ upward, else ~/.backstory",
    "BACKSTORY_MODEL": f"the model of extraction and answers; default {DEFAULT_MODEL}",
    "BACKSTORY_CAPTURE_EMOJI": f"reactions, comma-separated, that record a thread; default {DEFAULT_CAPTURE_EMOJI}",
    "BACKSTORY_BLOCKED_CHANNELS": "channel ids or names, comma-separated, that the bot leaves",
    "BACKSTORY_ADMINS": "Slack user ids, comma-separated, who may act as admins",
    "BACKSTORY_KEEP_DAYS": "days that recorded messages are kept; default 0: as long as Slack has them",
    "BACKSTORY_QUESTION_DAYS": f"days that answered questions are kept; default {DEFAULT_QUESTION_DAYS}",
    "BACKSTORY_FOLLOW_UP_DAYS": (
        f"days after which a decider is asked how it went, 0 for never; default {DEFAULT_FOLLOW_UP_DAYS}"
    ),
    "BACKSTORY_MONTHLY_TOKENS": (
        f"tokens of the model a month, the last fifth kept for answers; default {DEFAULT_MONTHLY_TOKENS}"
    ),
    "BACKSTORY_FOLLOW": (
        "who embeds what why record and why ingest wrote: background (default), wait (they do, at their end), or later"
        " (why follow, or whoever owns the index)"
    ),
    "BACKSTORY_TENANT": "the workspace whose rows of DATABASE_URL's database are meant; default: default",
    "BACKSTORY_URL": "the team's bot (https://…) for hooks, `why record`, `why mcp`, `why preflight`, not this machine",
    "BACKSTORY_PRICE": "dollars a million tokens, read/written, such as 1/5: imports then say what they cost",
    "BACKSTORY_TOKEN": "what `/why login` gave, for that bot",
    "BACKSTORY_FAILPOINT": "where the process kills itself, for crash tests only",
}
"""Every setting of ours with one line on it; docs and `why doctor` read it."""

THEIRS: Mapping[str, str] = {
    "SLACK_BOT_TOKEN": "xoxb-… of the installed app",
    "SLACK_APP_TOKEN": "xapp-… for Socket Mode (`why run`)",
    "SLACK_SIGNING_SECRET": "checks what Slack sends over HTTP (`why serve`)",
    "SLACK_API_URL": "another Slack than slack.com's, such as GovSlack's or the playground's",
    "ANTHROPIC_API_KEY": "answers are worded by Claude; without it they are quoted",
    "ANTHROPIC_BASE_URL": "another address for the model's API",
    "DATABASE_URL": "a Postgres for log and inbox (postgresql://…); without it both are files in the home",
    "CHROMA_URL": "a Chroma server for the vectors (http://…); without it they are files in the home",
    "GITHUB_TOKEN": "reads issues and pull requests for `why backfill github`",
    "GITHUB_API_URL": "another GitHub than github.com's, such as an Enterprise server's /api/v3",
    "JIRA_BASE_URL": "https://YOU.atlassian.net, for `why backfill jira`",
    "JIRA_EMAIL": "whose token it is",
    "JIRA_API_TOKEN": "reads issues",
    "PAGERDUTY_API_TOKEN": "reads incidents for `why backfill pagerduty`",
    "PAGERDUTY_API_URL": "another PagerDuty than pagerduty.com's, such as the EU's",
    "PORT": f"where `why serve` listens; default {DEFAULT_PORT}",
}


_CREDENTIALS = tuple(name for name in THEIRS if name.startswith(("GITHUB_", "JIRA_", "PAGERDUTY_")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a deployment may choose; secrets are not in its `repr`."""

    home: Path
    slack_bot_token: str = field(default="", repr=False)
    slack_app_token: str = field(default="", repr=False)
    slack_signing_secret: str = field(default="", repr=False)
    slack_api_url: str = DEFAULT_SLACK_API_URL
    anthropic_api_key: str = field(default="", repr=False)
    anthropic_base_url: str = ""
    database_url: str = field(default="", repr=False)
    """Holds a password; "" for files in the home."""
    tenant: str = ""
    """Whose rows of the database; "" for a database that has one tenant."""
    chroma_url: str = field(default="", repr=False)
    port: int = DEFAULT_PORT
    model: str = DEFAULT_MODEL
    capture_emoji: frozenset[str] = frozenset({DEFAULT_CAPTURE_EMOJI})
    blocked_channels: frozenset[str] = frozenset()
    admins: frozenset[str] = frozenset()
    keep_days: int = 0
    """0: recorded messages stay as long as Slack has them."""
    question_days: int = DEFAULT_QUESTION_DAYS
    follow_up_days: int = DEFAULT_FOLLOW_UP_DAYS
    monthly_tokens: int = DEFAULT_MONTHLY_TOKENS
    url: str = ""
    """The team's bot; "" for the memory on this machine."""
    token: str = field(default="", repr=False)
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Of the systems whose history is read, by the names of `THEIRS`."""
    price: tuple[float, float] | None = None
    """Dollars a million tokens, read and written; None where nobody said."""
    follow: str = "background"
    """Who embeds what a short command recorded: one of `FOLLOWING`."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str], *, cwd: Path) -> Settings:
        """Read the settings of a process.

        Args:
            environ: usually `os.environ`; an empty value counts as not set.
            cwd: where the search for `.backstory/` starts.

        Raises:
            SettingsError: a `BACKSTORY_…` name is unknown, or a value is not what its setting takes.
        """
        _refuse_unknown(environ)
        return cls(
            home=_home(environ, cwd),
            slack_bot_token=environ.get("SLACK_BOT_TOKEN", ""),
            slack_app_token=environ.get("SLACK_APP_TOKEN", ""),
            slack_signing_secret=environ.get("SLACK_SIGNING_SECRET", ""),
            slack_api_url=_address(environ, "SLACK_API_URL") or DEFAULT_SLACK_API_URL,
            anthropic_api_key=environ.get("ANTHROPIC_API_KEY", ""),
            anthropic_base_url=_address(environ, "ANTHROPIC_BASE_URL"),
            database_url=_database(environ),
            tenant=_tenant(environ),
            chroma_url=_address(environ, "CHROMA_URL", secret=True),
            port=_number(environ, "PORT", DEFAULT_PORT, least=0, most=65535),
            model=environ.get("BACKSTORY_MODEL", "") or DEFAULT_MODEL,
            capture_emoji=_names(environ, "BACKSTORY_CAPTURE_EMOJI") or frozenset({DEFAULT_CAPTURE_EMOJI}),
            blocked_channels=_names(environ, "BACKSTORY_BLOCKED_CHANNELS"),
            admins=_names(environ, "BACKSTORY_ADMINS"),
            keep_days=_number(environ, "BACKSTORY_KEEP_DAYS", 0, least=0, most=36500),
            question_days=_number(environ, "BACKSTORY_QUESTION_DAYS", DEFAULT_QUESTION_DAYS, least=1, most=3650),
            follow_up_days=_number(environ, "BACKSTORY_FOLLOW_UP_DAYS", DEFAULT_FOLLOW_UP_DAYS, least=0, most=365),
            monthly_tokens=_number(environ, "BACKSTORY_MONTHLY_TOKENS", DEFAULT_MONTHLY_TOKENS, least=0, most=10**12),
            url=_address(environ, "BACKSTORY_URL"),
            token=environ.get("BACKSTORY_TOKEN", ""),
            credentials={name: environ[name] for name in _CREDENTIALS if environ.get(name)},
            price=_price(environ),
            follow=_one_of(environ, "BACKSTORY_FOLLOW", FOLLOWING),
        )

    @property
    def servers(self) -> Servers:
        """What of the memory lies on servers instead of in the home."""
        from store import Servers  # for those who open a memory

        return Servers(database_url=self.database_url, tenant=self.tenant, chroma_url=self.chroma_url)


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    for name in sorted(environ):
        if name.startswith("BACKSTORY_") and name not in OURS:
            import difflib  # costs 5 ms and is needed by nobody whose settings are right

            (nearest, *_) = difflib.get_close_matches(name, OURS, n=1, cutoff=0.0)
            raise SettingsError(f"{name}: no such setting; the nearest is {nearest}")


def _home(environ: Mapping[str, str], cwd: Path) -> Path:
    if named := environ.get("BACKSTORY_HOME", "").strip():
        home = Path(named).expanduser()
        if home.exists() and not home.is_dir():
            raise SettingsError(f"BACKSTORY_HOME: {home} is a file, not a folder")
        return home
    for folder in (cwd, *cwd.parents):
        if (folder / ".backstory").is_dir():
            return folder / ".backstory"
    return Path("~/.backstory").expanduser()


def _address(environ: Mapping[str, str], name: str, *, secret: bool = False) -> str:
    text = environ.get(name, "").strip()
    if text and not re.fullmatch(r"https?://[^/\s]+\S*", text):
        raise SettingsError(f"{name}: {'what it says' if secret else repr(text)} is not an address (https://…)")
    return text


def _database(environ: Mapping[str, str]) -> str:
    """Return the address of a Postgres; other databases are refused without showing what may hold a password."""
    text = environ.get("DATABASE_URL", "").strip()
    if text.startswith("sqlite:"):
        raise SettingsError("DATABASE_URL: SQLite needs none: without it the memory is files in BACKSTORY_HOME")
    if text and not re.fullmatch(r"(postgres|postgresql|postgresql\+psycopg)://\S+", text):
        kind = text.partition(":")[0] if re.match(r"[a-z][a-z0-9+]*://", text) else "what it says"
        raise SettingsError(f"DATABASE_URL: {kind} is no address of a Postgres (postgresql://user:password@host/name)")
    return text


def _tenant(environ: Mapping[str, str]) -> str:
    text = environ.get("BACKSTORY_TENANT", "").strip()
    if text and not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", text):
        raise SettingsError(f"BACKSTORY_TENANT: {text!r} is not 1 to 40 letters, digits, '-' or '_'")
    return text


def _one_of(environ: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    text = environ.get(name, "").strip() or choices[0]
    if text not in choices:
        raise SettingsError(f"{name}: {text!r} is none of {', '.join(choices)}")
    return text


def _names(environ: Mapping[str, str], name: str) -> frozenset[str]:
    return frozenset(part.strip().strip("#@:") for part in environ.get(name, "").split(",") if part.strip())


def _number(environ: Mapping[str, str], name: str, default: int, *, least: int, most: int) -> int:
    text = environ.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or not least <= int(text[:20]) <= most:
        raise SettingsError(f"{name}: {text!r} is not a whole number from {least} to {most}")
    return int(text)


def _price(environ: Mapping[str, str]) -> tuple[float, float] | None:
    said = environ.get("BACKSTORY_PRICE", "")
    if not said:
        return None
    read, slash, written = said.partition("/")
    try:
        price = (float(read), float(written))
    except ValueError:
        price = (-1.0, -1.0)
    if not slash or min(price) < 0:
        raise SettingsError(
            f"BACKSTORY_PRICE: {said[:40]!r} is not READ/WRITTEN in dollars a million tokens, such as 1/5"
        )
    return price
