"""Locks that one process of many holds, by name: whoever has it does what only one is to do."""

from __future__ import annotations

from contextlib import suppress

import psycopg

from store.sql.address import Address
from store.sql.postgres.connecting import advisory_key, connected
from store.sql.postgres.faults import translated
from store.sql.postgres.tx import Driver


class AdvisoryLock:
    """A lock of a tenant, held for as long as a connection of its own lives: a killed process lets go of it."""

    def __init__(self, address: Address, name: str) -> None:
        """Name it; nothing is connected yet."""
        self._address = address
        self._key = advisory_key(f"{name}:{address.tenant}")
        self._driver: Driver | None = None
        self._taken = False

    def take(self) -> bool:
        """Hold it from now on if nobody else does; True while it is held. Twice is once.

        Raises:
            StoreError: the database can't be reached.
        """
        try:
            if self._driver is None:
                self._driver, self._taken = connected(self._address), False
            if self._taken:
                self._driver.execute("SELECT 1")  # a connection that is lost has lost the lock
                return True
            found = self._driver.execute("SELECT pg_try_advisory_lock(%s)", (self._key,)).fetchone()
            self._taken = bool(found and found[0])
        except psycopg.Error as error:
            self.release()
            raise translated(error, self._address.shown) from None
        return self._taken

    def release(self) -> None:
        """Let go of it. Twice is once."""
        driver, self._driver, self._taken = self._driver, None, False
        if driver is not None:
            with suppress(psycopg.Error):
                driver.execute("SELECT pg_advisory_unlock_all()")  # at once: a closed connection takes a moment
            driver.close()
