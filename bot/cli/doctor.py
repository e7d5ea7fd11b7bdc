"""What `why doctor` looks at: each check says what it found and, where something is missing, the next step."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli import doctor_slack
from bot.cli.doctor_slack import Check
from bot.errors import Permanent, Transient
from bot.languages import languages_note
from bot.settings import Settings
from store import EVERYTHING, StoreError

if TYPE_CHECKING:
    from store import Memory

LEAST_FREE_BYTES = 200 * 2**20
"""Bytes of the disk under which a rebuild or a busy day may not fit."""
LONG_WAIT_H = 1.0
"""Hours after which something that waits says that nobody works the inbox off."""


def checks(settings: Settings) -> list[Check]:
    """Look at everything, in the order in which things depend on each other; no token is shown.

    Args:
        settings: of this process.
    """
    memory = [*_python(), *_home(settings), *_memory(settings)]
    return [*memory, *_claude(settings), *_slack(settings)]


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
        yield _room_left(home)


def _room_left(home: Path) -> Check:
    free = shutil.disk_usage(home).free
    if free < LEAST_FREE_BYTES:
        return Check(name="home", state="wrong", says=f"{home}: {free // 2**20} MB are left on its disk: make room")
    return Check(name="home", state="ok", says=f"{home}, {free / 2**30:.1f} GB free")


def _memory(settings: Settings) -> Iterator[Check]:
    if not settings.database_url and not (settings.home / "memory.db").exists():
        yield Check(name="memory", state="note", says="nothing is recorded yet: why import, why ingest, why record")
        return
    from store import Memory

    try:
        memory = Memory.open(settings.home, index="read", servers=settings.servers)
    except StoreError as error:
        yield Check(name="memory", state="wrong", says=str(error))
        return
    try:
        yield _checked("memory", lambda: _recorded(memory, settings.servers.shown))
        yield _checked("index", lambda: _followed(memory))
        yield _checked("inbox", lambda: _waiting(memory))
        yield from _budget(settings, memory)
        yield from _modes(memory)
    finally:
        memory.close()


def _checked(name: str, look: Callable[[], Check]) -> Check:
    """Return what a look finds; a database that is damaged further in opens, and fails at its first rows."""
    try:
        return look()
    except StoreError as error:
        return Check(name=name, state="wrong", says=str(error))


def _recorded(memory: Memory, server: str) -> Check:
    count, there = len(memory.decisions(EVERYTHING)), f" in Postgres at {server}" if server else ""
    return Check(name="memory", state="ok", says=f"{count:,} decisions{there}, this version's schema")


def _followed(memory: Memory) -> Check:
    lag = memory.index_lag()
    if lag is None or lag[0] >= lag[1]:
        return Check(name="index", state="ok", says="follows the log to its end")
    says = f"{lag[1] - lag[0]:,} changes behind the log: `why run` catches up by itself; else run why rebuild"
    return Check(name="index", state="note", says=says)


def _waiting(memory: Memory) -> Check:
    counts = memory.inbox.counts()
    waits = counts.oldest_waiting_at
    hours = (datetime.now(UTC) - waits).total_seconds() / 3600 if waits else 0.0
    says = f"{counts.waiting} waiting, {counts.failed} failed"
    if hours > LONG_WAIT_H:
        says += f"; the oldest for {hours:.0f} h: is why run or why serve running?"
    if counts.failed:
        says += "; failed ones were told with a reference, which the log of that hour explains"
    return Check(name="inbox", state="note" if counts.failed or hours > LONG_WAIT_H else "ok", says=says)


def _budget(settings: Settings, memory: Memory) -> Iterator[Check]:
    if not settings.anthropic_api_key:
        return
    from bot.budget import Budget

    budget = Budget(memory.spending, limit=settings.monthly_tokens, clock=lambda: datetime.now(UTC))
    says = f"{budget.spent():,} of {budget.limit:,} tokens used this month (BACKSTORY_MONTHLY_TOKENS)"
    if budget.is_low():
        yield Check(name="budget", state="note", says=f"{says}: threads are read by rules until the next month")
    else:
        yield Check(name="budget", state="ok", says=says)


def _modes(memory: Memory) -> Iterator[Check]:
    closed = memory.setting("workspace:closed") == "yes"
    if closed:
        says = "the workspace took the app away: install it again, and set the new SLACK_BOT_TOKEN"
        yield Check(name="channels", state="wrong", says=says)


def _claude(settings: Settings) -> Iterator[Check]:
    if not settings.anthropic_api_key:
        says = f"no ANTHROPIC_API_KEY: answers are quoted. {languages_note(with_claude=False)}"
        yield Check(name="claude", state="note", says=says)
        return
    from bot.claude.checking import check_model

    try:
        name = check_model(settings.anthropic_api_key, model=settings.model, base_url=settings.anthropic_base_url)
    except Permanent as error:
        yield Check(name="claude", state="wrong", says=f"ANTHROPIC_API_KEY: {error}; answers are quoted till then")
    except Transient as error:
        yield Check(name="claude", state="note", says=f"a key is set; {error}. Answers are quoted meanwhile")
    else:
        yield Check(name="claude", state="ok", says=f"the key is taken; answers are worded by {name}")


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
    yield from doctor_slack.checks(settings)
