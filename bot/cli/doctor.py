"""What `why doctor` looks at: each check says what it found and, where something is missing, the next step."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from bot.errors import Permanent, Transient
from bot.settings import Settings
from store import EVERYTHING, StoreError

if TYPE_CHECKING:
    from store import Memory

CheckState = Literal["ok", "note", "wrong"]

_FIRST_YEAR = 2026
"""A clock before the product's first year is not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One finding; "note" is worth knowing, "wrong" needs somebody."""

    name: str
    state: CheckState
    says: str


def checks(settings: Settings) -> list[Check]:
    """Look at everything, in the order in which things depend on each other; no token is shown.

    Args:
        settings: of this process.
    """
    memory = [*_python(), *_home(settings), *_memory(settings), *_clock()]
    return [*memory, *_model(settings), *_slack(settings)]


def _python() -> Iterator[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Check(name="python", state="ok", says=version)


def _home(settings: Settings) -> Iterator[Check]:
    home = settings.home
    if not home.exists():
        yield Check(name="home", state="note", says=f"{home} is made with the first record")
    elif not home.is_dir() or not os.access(home, os.W_OK):
        yield Check(name="home", state="wrong", says=f"{home} can't be written to: check its owner and mode")
    else:
        yield Check(name="home", state="ok", says=str(home))
    for name in ("DATABASE_URL", "CHROMA_URL"):
        if os.environ.get(name):
            yield Check(
                name="home", state="note", says=f"{name} is not read: this version keeps everything in the home"
            )


def _memory(settings: Settings) -> Iterator[Check]:
    if not (settings.home / "memory.db").exists():
        yield Check(name="memory", state="note", says="nothing is recorded yet: why import, why ingest, why record")
        return
    from store import Memory

    try:
        memory = Memory.open(settings.home, index="read")
    except StoreError as error:
        yield Check(name="memory", state="wrong", says=str(error))
        return
    try:
        yield _checked("memory", lambda: _recorded(memory))
        yield _checked("inbox", lambda: _waiting(memory))
    finally:
        memory.close()


def _checked(name: str, look: Callable[[], Check]) -> Check:
    """Return what a look finds; a database that is damaged further in opens, and fails at its first rows."""
    try:
        return look()
    except StoreError as error:
        return Check(name=name, state="wrong", says=str(error))


def _recorded(memory: Memory) -> Check:
    count = len(memory.decisions(EVERYTHING))
    return Check(name="memory", state="ok", says=f"{count:,} decisions, this version's schema")


def _waiting(memory: Memory) -> Check:
    counts = memory.inbox.counts()
    state: CheckState = "note" if counts.failed else "ok"
    return Check(name="inbox", state=state, says=f"{counts.waiting} waiting, {counts.failed} failed")


def _clock() -> Iterator[Check]:
    now = datetime.now(UTC)
    state: CheckState = "ok" if now.year >= _FIRST_YEAR else "wrong"
    yield Check(name="clock", state=state, says=f"{now:%Y-%m-%d %H:%M:%S} UTC")


def _model(settings: Settings) -> Iterator[Check]:
    if settings.anthropic_api_key:
        yield Check(name="claude", state="ok", says=f"a key is set; answers are worded by {settings.model}")
    else:
        says = (
            "no ANTHROPIC_API_KEY: answers are quoted, not worded; threads that aren't English need one to be captured"
        )
        yield Check(name="claude", state="note", says=says)


def _slack(settings: Settings) -> Iterator[Check]:
    wanted = (
        ("SLACK_BOT_TOKEN", settings.slack_bot_token, "xoxb-", "why run and why serve need"),
        ("SLACK_APP_TOKEN", settings.slack_app_token, "xapp-", "why run needs"),
        ("SLACK_SIGNING_SECRET", settings.slack_signing_secret, "", "why serve needs"),
    )
    for name, value, prefix, used_by in wanted:
        if not value:
            yield Check(name="slack", state="note", says=f"{name} is not set: {used_by} it")
        elif not value.startswith(prefix):
            yield Check(
                name="slack", state="wrong", says=f"{name} does not begin with {prefix}: another token was pasted"
            )
        else:
            yield Check(name="slack", state="ok", says=f"{name} is set")
    if settings.slack_bot_token.startswith("xoxb-"):
        yield _token(settings.slack_bot_token, settings.slack_api_url)


def _token(token: str, api_url: str) -> Check:
    from bot.slack.checking import token_facts

    try:
        facts = token_facts(token, api_url=api_url)
    except Transient as error:
        return Check(name="slack", state="note", says=f"{error}: the token could not be tried")
    except Permanent as error:
        return Check(name="slack", state="wrong", says=f"SLACK_BOT_TOKEN: {error}; install the app again")
    if facts.missing:
        scopes = ", ".join(facts.missing)
        return Check(
            name="slack", state="wrong", says=f"the app lacks {scopes}: update it from manifest.yml, reinstall"
        )
    known = "its scopes are the manifest's" if facts.missing is not None else "Slack did not say its scopes"
    return Check(name="slack", state="ok", says=f"{facts.user} in {facts.team}; {known}")
