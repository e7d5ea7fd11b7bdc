"""Connections to a Postgres outside any pool, and what a transaction on one begins with; without SQLAlchemy.

The append lock is an advisory lock of the tenant, held to the transaction's end: position order is commit order, as
with SQLite's write lock. A reading transaction is REPEATABLE READ: one snapshot, however many queries. Role, search
path and tenant are set for the transaction alone, so nothing is left behind in a connection that a pool hands on.
"""

from __future__ import annotations

import hashlib

import psycopg

from store.sql.address import Address
from store.sql.postgres.functions import SCHEMA
from store.sql.postgres.tx import Driver

MEMORY_ROLE, BESIDE_ROLE = "backstory_memory", "backstory_beside"
"""Whose rights a transaction has: row-level security holds for the first, the second sees what lies beside alone."""

CONNECT_S = 10
"""Seconds until a server that doesn't answer counts as away."""


def advisory_key(name: str) -> int:
    """Return the number of an advisory lock by its name, the same on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)


def beside_schema(tenant: str) -> str:
    """Return the schema, quoted, of what a tenant keeps beside its log."""
    return f'"backstory_beside_{tenant}"'


def connected(address: Address) -> Driver:
    """Connect as DATABASE_URL's own role, each statement a transaction of its own.

    Raises:
        psycopg.Error: the database can't be reached, or refuses.
    """
    return psycopg.connect(address.url, autocommit=True, connect_timeout=CONNECT_S, application_name="backstory")


def log_side() -> str:
    """Return what makes a transaction one of the log's side."""
    return f"SET LOCAL ROLE {MEMORY_ROLE}; SET LOCAL search_path = {SCHEMA};"


def beside_side(address: Address) -> str:
    """Return what makes a transaction one of what lies beside the log."""
    return f"SET LOCAL ROLE {BESIDE_ROLE}; SET LOCAL search_path = {beside_schema(address.tenant)}, {SCHEMA};"


def begin_reading(address: Address, side: str, *, busy_ms: int, may_write: bool = False) -> str:
    """Return the statements that begin a reading transaction: one snapshot.

    Args:
        address: whose rows.
        side: `log_side()` or `beside_side(address)`.
        busy_ms: milliseconds to wait for a lock.
        may_write: temporary tables may be made in it.
    """
    kind = "" if may_write else "READ ONLY"
    return f"BEGIN ISOLATION LEVEL REPEATABLE READ {kind}; {side} {_whose(address, busy_ms)}"


def begin_writing(address: Address, side: str, *, busy_ms: int, locks: str = "") -> str:
    """Return the statements that begin a writing transaction, which waits for the lock of that name first."""
    lock = f"SELECT pg_advisory_xact_lock({advisory_key(f'{locks}:{address.tenant}')});" if locks else ""
    return f"BEGIN; {side} {_whose(address, busy_ms)} {lock}"


def _whose(address: Address, busy_ms: int) -> str:
    return f"SET LOCAL backstory.tenant = '{address.tenant}'; SET LOCAL lock_timeout = {int(busy_ms)};"
