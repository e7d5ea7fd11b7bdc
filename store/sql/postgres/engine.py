"""A Postgres database as the memory opens it: pools of connections, each transaction one tenant's and one role's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from store.sql.address import Address
from store.sql.engine import Database, Lent
from store.sql.faults import BUSY_TIMEOUT_MS
from store.sql.postgres.connecting import (
    advisory_key,
    begin_reading,
    begin_writing,
    beside_side,
    connected,
    log_side,
)
from store.sql.postgres.faults import translated
from store.sql.postgres.functions import SCHEMA
from store.sql.postgres.tx import Driver, adapted

POOL, OVERFLOW = 4, 12
"""Connections of one process kept open, and those opened beyond under load: a server has about a hundred."""
POOL_WAIT_S = 10
"""Seconds that a thread waits for a connection."""

HOLD_WORDS = (
    "events", "decisions", "mentions", "decision_sets", "path_claims", "votes", "rejections", "disputed",
    "lexical_documents", "lexical_terms",
)  # fmt: skip
"""Tables of the log's side in whose rows or keys people's own words stand."""

FIRST_ANALYSED = 32
"""Writing transactions of one process after which the planner's numbers are refreshed for the first time."""

ANALYSED = (*HOLD_WORDS, "event_about", "event_ids", "edges", "cites", "pairs", "decision_mentions", "decision_days")
"""Those and the ones that queries join with: without numbers of their rows a look-up took 110 ms instead of 4."""


class PostgresDatabase(Database):
    """A pool of connections, each transaction on its own; safe among threads."""

    on_server = True

    def __init__(self, address: Address, side: str, *, locks: str, busy_ms: int = BUSY_TIMEOUT_MS) -> None:
        """Use `for_memory` or `for_beside`; nothing is connected yet."""
        self.address = address
        self._locks = locks
        self._written = 0
        self._engine = _engine(address, side, locks=locks, busy_ms=busy_ms)

    @classmethod
    def for_memory(cls, address: Address, *, busy_ms: int = BUSY_TIMEOUT_MS) -> PostgresDatabase:
        """Reach the log's side of a tenant; writers take turns."""
        return cls(address, log_side(), locks="append", busy_ms=busy_ms)

    @classmethod
    def for_beside(cls, address: Address) -> PostgresDatabase:
        """Reach what a tenant keeps beside its log; writers lock rows alone."""
        return cls(address, beside_side(address), locks="")

    @contextmanager
    def write(self, *, busy_ms: int | None = None) -> Iterator[Connection]:
        """Open a writing transaction; it commits at the end, or rolls back and raises.

        After the 32nd of this process, and each time that their number has doubled since, the planner is told what the
        tables hold: autovacuum takes a minute, and a query over tables that pass for empty may take longer than that.

        Args:
            busy_ms: milliseconds to wait for another writer, where it is not as long as usual.

        Raises:
            StoreFull: the disk is full.
            StoreBusy: another writer held the lock for longer than it was told to wait.
        """
        with super().write(busy_ms=busy_ms) as connection:
            yield connection
        self._written += 1
        if self._locks and self._written >= FIRST_ANALYSED and self._written.bit_count() == 1:
            self.analyse()

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

    @contextmanager
    def held(self, name: str) -> Iterator[bool]:
        """Hold a lock of the tenant by its name until the end, if nobody else does; yields whether it is held."""
        key = advisory_key(f"{name}:{self.address.tenant}")
        with self._translated(), connected(self.address) as driver:
            taken = driver.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()
            yield bool(taken and taken[0])

    def shrink_wal(self) -> None:
        """Vacuum the tables that people's words lie in, so that what was erased goes from them (README: how far)."""
        with self._translated(), connected(self.address) as driver:
            driver.execute(f"VACUUM (ANALYZE, INDEX_CLEANUP ON) {', '.join(f'{SCHEMA}.{name}' for name in HOLD_WORDS)}")

    def analyse(self) -> None:
        """Tell the planner what the tables hold now, after work that changed much of it at once."""
        with self._translated(), connected(self.address) as driver:
            driver.execute(f"ANALYZE {', '.join(f'{SCHEMA}.{name}' for name in ANALYSED)}")

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


def _engine(address: Address, side: str, *, locks: str, busy_ms: int) -> Engine:
    def connect() -> Driver:
        driver = connected(address)
        if locks:
            adapted(driver)
        return driver

    engine = create_engine(
        "postgresql+psycopg://", creator=connect, poolclass=QueuePool, pool_size=POOL, max_overflow=OVERFLOW,
        pool_timeout=POOL_WAIT_S, pool_pre_ping=True, use_native_hstore=False,
        execution_options={"preserve_rowcount": True},  # of an INSERT too: whether its key was known
    )  # fmt: skip

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options: Any = connection.get_execution_options()
        wait = int(options.get("busy_ms") or busy_ms)
        if options.get("writing"):
            statements = begin_writing(address, side, busy_ms=wait, locks=locks)
        else:
            statements = begin_reading(address, side, busy_ms=wait, may_write=bool(options.get("lent")))
        driver_of(connection).execute(statements, prepare=False)  # our own text, and one round trip

    return engine
