"""Which database a home's memory lies in: files in the home, or, for the homes named here, a tenant of Postgres."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from store import Beside, Servers, utc_now
from tests.postgres import ROLE

ON_POSTGRES: dict[Path, str] = {}
"""URLs by the folder whose homes, itself and those below, lie in Postgres."""


def each_database(metafunc: pytest.Metafunc) -> None:
    """Run a test on each database; one that is marked `sqlite_only` on files alone."""
    names = ["sqlite"] if metafunc.definition.get_closest_marker("sqlite_only") else ["sqlite", "postgres"]
    metafunc.parametrize("on_database", names, indirect=True)


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
    return Beside.on_postgres(address, clock)


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


_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname LIKE %s"
