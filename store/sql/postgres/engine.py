"""A Postgres database: how its transactions begin, so that each is one tenant's, one role's and one snapshot.

The append lock is an advisory lock of the tenant, held to the transaction's end: position order is commit order, as
with SQLite's write lock. A reading transaction is REPEATABLE READ: one snapshot, however many queries. Role, search
path and tenant are set for the transaction alone, so nothing is left behind in a connection that a pool hands on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from store.sql.engine import Database, Lent
from store.sql.faults import BUSY_TIMEOUT_MS
from store.sql.postgres.address import Address
from store.sql.postgres.faults import translated
from store.sql.postgres.functions import SCHEMA
from store.sql.postgres.tx import Driver, adapted

MEMORY_ROLE, BESIDE_ROLE = "backstory_memory", "backstory_beside"
"""Whose rights a transaction has: row-level security holds for the first, the second sees what lies beside alone."""

POOL, OVERFLOW = 4, 12
"""Connections of one process kept open, and those opened beyond under load: a server has about a hundred."""
POOL_WAIT_S = 10
"""Seconds that a thread waits for a connection."""
CONNECT_S = 10
"""Seconds until a server that doesn't answer counts as away."""


def advisory_key(name: str) -> int:
    """Return the number of an advisory lock by its name, the same on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)


def beside_schema(tenant: str) -> str:
    """Return the schema, quoted, of what a tenant keeps beside its log."""
    return f'"backstory_beside_{tenant}"'


def connected(address: Address) -> Driver:
    """Connect outside any pool and as DATABASE_URL's own role, each statement a transaction of its own.

    Raises:
        psycopg.Error: the database can't be reached, or refuses.
    """
    return psycopg.connect(address.url, autocommit=True, connect_timeout=CONNECT_S, application_name="backstory")


class PostgresDatabase(Database):
    """A pool of connections, each transaction on its own; safe among threads."""

    def __init__(self, address: Address, *, begin: str, log_side: bool, busy_ms: int = BUSY_TIMEOUT_MS) -> None:
        """Use `for_memory` or `for_beside`; nothing is connected yet."""
        self.address = address
        self._engine = _engine(address, begin, log_side=log_side, busy_ms=busy_ms)

    @classmethod
    def for_memory(cls, address: Address, *, busy_ms: int = BUSY_TIMEOUT_MS) -> PostgresDatabase:
        """Reach the log's side of a tenant."""
        begin = f"SET LOCAL ROLE {MEMORY_ROLE}; SET LOCAL search_path = {SCHEMA};"
        return cls(address, begin=begin, log_side=True, busy_ms=busy_ms)

    @classmethod
    def for_beside(cls, address: Address) -> PostgresDatabase:
        """Reach what a tenant keeps beside its log."""
        path = f"{beside_schema(address.tenant)}, {SCHEMA}"
        return cls(address, begin=f"SET LOCAL ROLE {BESIDE_ROLE}; SET LOCAL search_path = {path};", log_side=False)

    @contextmanager
    def alone(self) -> Iterator[Lent]:
        """Lend one connection for several transactions; its temporary tables may take the names of others'."""
        with self._translated(), self._engine.connect() as connection:
            driver = driver_of(connection)
            kept, driver.prepare_threshold = driver.prepare_threshold, None  # a kept plan would miss a new namesake
            try:
                yield Lent(connection.execution_options(lent=True))
            finally:
                driver.prepare_threshold = kept

    def shrink_wal(self) -> None:
        """Nothing: the server's own log is its operator's (README, what erasing reaches)."""

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise translated(error.orig or error, self.address.shown) from None  # the driver's text may hold people's
        except (psycopg.Error, PoolTimeout) as error:
            raise translated(error, self.address.shown) from None


def driver_of(connection: Connection) -> Driver:
    """Return the driver's own connection."""
    return cast(Driver, connection.connection.driver_connection)


def _engine(address: Address, begin: str, *, log_side: bool, busy_ms: int) -> Engine:
    def connect() -> Driver:
        driver = connected(address)
        if log_side:
            adapted(driver)
        return driver

    engine = create_engine(
        "postgresql+psycopg://", creator=connect, poolclass=QueuePool, pool_size=POOL, max_overflow=OVERFLOW,
        pool_timeout=POOL_WAIT_S, pool_pre_ping=True, use_native_hstore=False,
        execution_options={"preserve_rowcount": True},  # of an INSERT too: whether its key was known
    )  # fmt: skip
    append = advisory_key(f"append:{address.tenant}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options: Any = connection.get_execution_options()
        wait = f"SET LOCAL lock_timeout = {int(options.get('busy_ms') or busy_ms)};"
        tenant = f"SET LOCAL backstory.tenant = '{address.tenant}';"
        if options.get("writing"):
            lock = f"SELECT pg_advisory_xact_lock({append});" if log_side else ""
            statements = f"BEGIN; {begin} {tenant} {wait} {lock}"
        else:
            kind = "" if options.get("lent") else "READ ONLY"
            statements = f"BEGIN ISOLATION LEVEL REPEATABLE READ {kind}; {begin} {tenant} {wait}"
        driver_of(connection).execute(statements, prepare=False)  # our own text, and one round trip

    return engine
