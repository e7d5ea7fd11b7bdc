"""The quick way to read a memory on Postgres: one connection, no SQLAlchemy, the same SQL text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from store.core.model import DecisionId, Reader
from store.errors import SchemaTooNew
from store.sql.address import Address
from store.sql.faults import BUSY_TIMEOUT_MS
from store.sql.noticed import named_by
from store.sql.postgres.connecting import begin_reading, connected, log_side
from store.sql.postgres.faults import translated
from store.sql.postgres.functions import SCHEMA
from store.sql.postgres.tx import Driver, adapted, tx_over
from store.sql.postgres.words import ServerWords
from store.sql.queries import Rows
from store.sql.quick import QuickMemory
from store.sql.schema import SCHEMA as NUMBER


class QuickPostgres(QuickMemory):
    """The reading half of a memory over one connection; close it at the end."""

    def __init__(self, driver: Driver, address: Address) -> None:
        """Use `reach`, which checks what the database is."""
        self._driver = driver
        self._address = address

    @classmethod
    def reach(cls, address: Address) -> QuickPostgres | None:
        """Connect to a tenant's memory; None where nobody has made one yet.

        Raises:
            SchemaTooNew: a newer version made it.
            StoreError: the database can't be reached, or refuses.
        """
        try:
            driver = connected(address)
        except psycopg.Error as error:
            raise translated(error, address.shown) from None
        try:
            found = driver.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.about_schema",)).fetchone()
            row = driver.execute(f"SELECT number FROM {SCHEMA}.about_schema").fetchone() if found and found[0] else None  # noqa: S608
        except psycopg.Error as error:
            driver.close()
            raise translated(error, address.shown) from None
        if row is None:
            driver.close()
            return None
        if int(row[0]) > NUMBER:
            driver.close()
            raise SchemaTooNew(f"{address.shown}: made with schema {row[0]}; upgrade Backstory")
        adapted(driver)
        return cls(driver, address)

    def _named_in(self, rows: Rows, text: str, reader: Reader) -> tuple[DecisionId, ...]:
        return named_by(ServerWords(), rows, text, reader)

    def close(self) -> None:
        """Close the connection; the memory can't be used afterwards."""
        self._driver.close()

    @contextmanager
    def _reading(self) -> Iterator[Rows]:
        try:
            self._driver.execute(begin_reading(self._address, log_side(), busy_ms=BUSY_TIMEOUT_MS), prepare=False)
            try:
                yield tx_over(self._driver).rows
            finally:
                self._driver.execute("ROLLBACK")
        except psycopg.Error as error:
            raise translated(error, self._address.shown) from None
