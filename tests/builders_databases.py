"""Which database a home's memory lies in: files in the home, or, for the homes named here, a tenant of Postgres."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest

from store import Beside, QuickMemory, Servers, quick_memory, utc_now
from tests.postgres import ROLE

C = TypeVar("C", bound="Closing")

ON_POSTGRES: dict[Path, str] = {}
"""URLs by the folder whose homes, itself and those below, lie in Postgres."""


OPENED: list[Closing] = []
"""What tests opened there: closed at their end, since a connection that is forgotten warns of itself."""


class Closing(Protocol):
    """What can be closed, more than once."""

    def close(self) -> None: ...


def each_database(metafunc: pytest.Metafunc) -> None:
    """Run a test on each database; one that is marked `sqlite_only` on files alone."""
    names = ["sqlite"] if metafunc.definition.get_closest_marker("sqlite_only") else ["sqlite", "postgres"]
    metafunc.parametrize("on_database", names, indirect=True)


def kept_open(home: Path, opened: C) -> C:
    """Have something closed at the end of the test if it lies in Postgres."""
    if database_of(home):
        OPENED.append(opened)
    return opened


def database_of(home: Path) -> dict[str, Any]:
    """Return the options with which `Memory.open` opens a home where it lies: a home is a tenant."""
    for folder, url in ON_POSTGRES.items():
        if home == folder or folder in home.parents:
            tenant = hashlib.sha256(str(home).encode()).hexdigest()[:20]
            return {"servers": Servers(database_url=url, tenant=tenant)}
    return {}


def beside_in(home: Path, clock: Callable[[], datetime] = utc_now) -> Beside:
    """Open what lies beside a home's log."""
    named = database_of(home)
    if not named:
        return Beside.open(home / "inbox.db", clock)
    from store.sql.postgres.schema import prepare

    address = named["servers"].address
    prepare(address)
    return kept_open(home, Beside.on_postgres(address, clock))


def quick_in(home: Path) -> QuickMemory | None:
    """Open a home's memory for look-ups alone."""
    found = quick_memory(home, **database_of(home))
    return None if found is None else kept_open(home, found)


def held_in(home: Path) -> bytes:
    """Return all that a home's files hold or, on Postgres, every row of its tenant, whoever may read it."""
    named = database_of(home)
    if not named:
        return b"".join(path.read_bytes() for path in home.iterdir() if path.is_file())
    import psycopg

    tenant = named["servers"].tenant
    with psycopg.connect(named["servers"].database_url.replace(ROLE, "admin")) as driver:
        beside = [
            (f"backstory_beside_{tenant}", name, "") for (name,) in driver.execute(_TABLES, ("%beside_" + tenant,))
        ]
        log = [("backstory", name, "tenant = %(tenant)s AND") for (name,) in driver.execute(_TABLES, ("backstory",))]
        rows = [
            row
            for schema, name, mine in [*beside, *log]
            if name != "about_schema"
            for row in driver.execute(
                f'SELECT t::text FROM "{schema}"."{name}" t WHERE {mine} TRUE',  # noqa: S608
                {"tenant": tenant},
            )
        ]
    return "\n".join(text for (text,) in rows).encode()


def tampered(home: Path, change: str) -> None:
    """Change a home's database by a statement of SQLite's dialect, past everything that keeps it sound."""
    named = database_of(home)
    if not named:
        with closing(sqlite3.connect(home / "memory.db")) as raw, raw:
            raw.execute(change)
        return
    import psycopg

    for theirs, ours in (
        ("char(10)", "chr(10)"),
        ("zeroblob(length(salts))", "decode(repeat('00', length(salts)), 'hex')"),
    ):
        change = change.replace(theirs, ours)
    change = re.sub("x'([0-9a-f]*)'", r"decode('\1', 'hex')", change)
    with psycopg.connect(named["servers"].database_url) as driver:
        driver.execute(f"SET backstory.tenant = '{named['servers'].tenant}'; SET search_path = backstory")
        driver.execute(change)


_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname LIKE %s"
