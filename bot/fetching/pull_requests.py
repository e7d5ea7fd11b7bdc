"""One pull request as GitHub has it now: what it is called, what its author says of it, and its diff."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from bot.errors import SettingsError
from bot.fetching.asked import SYSTEMS
from bot.fetching.client import Api
from bot.sources.fields import text_of

DIFF = "application/vnd.github.diff"
MOST_BYTES = 5_000_000
"""Of a diff, or of a page of comments."""
_NAMED = re.compile(
    r"(?:https?://[^/\s]+/)?(?P<repo>(?!\.+/)[\w.-]+/(?!\.+[#/])[\w.-]+)(?:#|/pull/)(?P<number>\d{1,12})(?:[/?#].*)?"
)
_NUMBER = re.compile(r"#?(?P<number>\d{1,12})")


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request in words, and its unified diff."""

    title: str
    body: str
    diff: str


def pull_request_named(text: str, repository: str) -> str:
    """Return `owner/repo#41` of what somebody wrote, `41` or `#41` being one of `repository`; "" where it names none.

    Args:
        text: that, or the address of a pull request's page.
        repository: `owner/repo` of where they are; "" where it isn't known.
    """
    if found := _NAMED.fullmatch(text.strip()):
        return f"{found['repo']}#{found['number']}"
    found = _NUMBER.fullmatch(text.strip())
    return f"{repository}#{found['number']}" if found and repository else ""


def paths_of(named: str) -> tuple[str, str]:
    """Return where GitHub's interface has `owner/repo#41` as a pull request, and its repository's issues."""
    repository, _, number = named.rpartition("#")
    return f"/repos/{repository}/pulls/{number}", f"/repos/{repository}/issues"


def github_api(
    credentials: Mapping[str, str],
    *,
    purpose: str,
    pause: Callable[[float], None],
    now: Callable[[], datetime],
    accept: str = "",
) -> Api:
    """Return GitHub's interface.

    Args:
        credentials: settings by name.
        purpose: what the token is for, for an error.
        pause: waits so many seconds.
        now: aware UTC.
        accept: the form in which it answers; "" for its usual one.

    Raises:
        SettingsError: no token is set.
    """
    github = SYSTEMS["github"]
    if not credentials.get("GITHUB_TOKEN"):
        raise SettingsError(f"GITHUB_TOKEN: not set; {purpose}")
    headers = github.headers(credentials) | ({"Accept": accept} if accept else {})
    return Api(github.base(credentials), headers=headers, pause=pause, now=now, most_bytes=MOST_BYTES)


def read_pull_request(
    credentials: Mapping[str, str], named: str, *, pause: Callable[[float], None], now: Callable[[], datetime]
) -> PullRequest:
    """Read `owner/repo#41` as it stands.

    Raises:
        SettingsError: no token is set.
        Permanent: GitHub refuses, or has no such pull request.
        Transient: it is away.
    """
    purpose, (path, _) = "a pull request is read with it", paths_of(named)
    with (
        closing(github_api(credentials, purpose=purpose, pause=pause, now=now)) as api,
        closing(github_api(credentials, purpose=purpose, pause=pause, now=now, accept=DIFF)) as diffs,
    ):
        pull = api.get(path)
        return PullRequest(title=text_of(pull, "title"), body=text_of(pull, "body"), diff=diffs.text(path))
