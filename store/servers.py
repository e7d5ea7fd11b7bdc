"""Which servers a memory lies on instead of files in its home: said once, passed on as a value."""

from __future__ import annotations

from dataclasses import dataclass, field

from store.sql.address import Address


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
        """
        return Address.of(self.database_url, self.tenant) if self.database_url else None


HERE = Servers()
"""No server: everything lies in the home."""
