"""What a tenant keeps beside its log on Postgres: tables of a schema of its own, worked on by many processes at once.

Transactions lock rows, not the whole: claims skip what others hold (`store.sql.inbox`). What must not be done twice at
once takes an advisory lock by name. An insert is announced (NOTIFY) to workers elsewhere; the clock is looked at by
whoever holds one more lock, for as long as its connection lives.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import Connection, text

from store.sql.address import Address
from store.sql.inbox_file import BUSY_MS, InboxFile
from store.sql.postgres.connecting import advisory_key, beside_schema, connected
from store.sql.postgres.engine import PostgresDatabase
from store.sql.postgres.faults import translated
from store.sql.postgres.locks import AdvisoryLock

LISTEN_S, AGAIN_S = 0.5, 5.0
"""Seconds between looks whether to end, and until a lost connection is opened anew."""

HOLDS_TEXT = ("inbox", "agent_trajectories", "posts")
"""Tables whose emptied rows are vacuumed at once when something is erased."""


class PostgresInbox(InboxFile):
    """The tables beside one tenant's log; thread-safe, and safe among processes."""

    shared = True

    def __init__(self, address: Address) -> None:
        """Reach a database that is prepared; nothing is connected yet."""
        self._address = address
        self._database = PostgresDatabase.for_beside(address)
        self._channel = f"backstory_inbox_{address.tenant}"
        self._me = uuid.uuid4().hex
        self._clock = AdvisoryLock(address, "clock")
        self._ending = threading.Event()
        self._listeners: list[Callable[[], None]] = []
        self._ear: threading.Thread | None = None

    @contextmanager
    def transaction(self, *, hurried: bool = False, alone: str = "") -> Iterator[Connection]:
        """Write: all or nothing, committed to the disk when it ends. Nothing may wait inside.

        Args:
            hurried: somebody waits for an acknowledgement, so rather raise than wait for long.
            alone: names what nobody else may do meanwhile.

        Raises:
            StoreFull: the disk is full; nothing was written.
            StoreBusy: another process kept what this one needed.
        """
        with self._database.write(busy_ms=BUSY_MS if hurried else None) as connection:
            if alone:
                key = advisory_key(f"{alone}:{self._address.tenant}")
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
            yield connection

    def scrub(self) -> None:
        """Vacuum what held erased text, so that the rows that were emptied go from its tables."""
        schema = beside_schema(self._address.tenant)
        names = ", ".join(f"{schema}.{name}" for name in HOLDS_TEXT)
        try:
            with connected(self._address) as driver:
                driver.execute(f"VACUUM (INDEX_CLEANUP ON) {names}")
        except psycopg.Error as error:
            raise translated(error, self._address.shown) from None

    def tidy(self) -> None:
        """Nothing: the server vacuums what finished rows leave."""

    def announce(self, tx: Connection) -> None:
        """Tell other processes that something was inserted, once this transaction is committed."""
        tx.execute(text("SELECT pg_notify(:channel, :me)"), {"channel": self._channel, "me": self._me})

    def listen(self, listener: Callable[[], None]) -> None:
        """Call `listener`, from a thread of its own, when others insert, and after a lost connection."""
        self._listeners.append(listener)
        if self._ear is None:
            self._ear = threading.Thread(target=self._listening, name="inbox-ear", daemon=True)
            self._ear.start()

    def _listening(self) -> None:
        while not self._ending.is_set():
            try:
                with connected(self._address) as driver:
                    driver.execute(f'LISTEN "{self._channel}"')
                    while not self._ending.is_set():
                        for heard in driver.notifies(timeout=LISTEN_S, stop_after=1):
                            if heard.payload != self._me:
                                self._tell()
            except psycopg.Error:  # the worker looks by itself too, only less often
                self._ending.wait(AGAIN_S)
                self._tell()

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def leads(self) -> bool:
        """Say whether this process looks at the clock: it holds the lock, or could take it just now."""
        return self._clock.take()

    def close(self) -> None:
        """Close every connection; another process leads then."""
        self._ending.set()
        if self._ear is not None:
            self._ear.join(4 * LISTEN_S)
        self._clock.release()
        self._database.close()
