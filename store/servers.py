"""Which servers a memory lies on instead of files in its home: said once, passed on as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import StoreError
from store.sql.address import Address

if TYPE_CHECKING:
    from store.sql.beside import Beside
    from store.sql.quick import QuickMemory


class DriverMissing(StoreError):
    """A server is named whose client library is an extra that nobody installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """A Postgres for log and inbox, a Chroma for the vectors; without them both lie in the home.

    The URLs may hold passwords and are in no `repr`.
    """

    database_url: str = field(default="", repr=False)
    tenant: str = ""
    """Whose rows of the database; "" for a database that has one tenant."""
    chroma_url: str = field(default="", repr=False)

    @property
    def address(self) -> Address | None:
        """The database and the tenant; None for files.

        Raises:
            NotAnAddress: the URL is of another kind of database, or the tenant's name is none.
            DriverMissing: the driver is not installed.
        """
        if not self.database_url:
            return None
        address = Address.of(self.database_url, self.tenant)
        if find_spec("psycopg") is None:
            raise DriverMissing("DATABASE_URL: its driver is missing: pip install 'backstory-slack[postgres]'")
        return address

    @property
    def shown(self) -> str:
        """Where the log lies, for messages: no user, no password; "" for files."""
        return f"{self.address.shown}, tenant {self.address.tenant}" if self.address else ""


HERE = Servers()
"""No server: everything lies in the home."""


def quick_memory(home: Path, servers: Servers = HERE) -> QuickMemory | None:
    """Open a memory for a few look-ups, without what only writers need; None where there is none yet.

    Raises:
        SchemaTooNew: a newer version made it.
        NotADatabase: the file is damaged or something else.
        StoreError: the database can't be reached, or refuses.
    """
    if (address := servers.address) is None:
        from store.sql.quick import QuickMemory  # loaded with the first look-up

        return QuickMemory.open(home)
    from store.sql.postgres.quick import QuickPostgres  # its driver, for those who have a database of that kind

    return QuickPostgres.reach(address)


def beside_of(home: Path, servers: Servers = HERE) -> Beside | None:
    """Open what lies beside a memory's log, to read; None where there is none yet.

    Raises:
        StoreError: it can't be read.
    """
    from store.sql.beside import Beside  # the engine, for who needs it

    if (address := servers.address) is not None:
        return Beside.on_postgres(address)
    path = home / "inbox.db"
    return Beside.open(path) if path.exists() else None
