"""Which database, whose rows: what `DATABASE_URL` and the tenant's name say, checked before anything is opened."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from store.errors import StoreError

DEFAULT_TENANT = "default"
"""The tenant of whoever names none: one workspace has a database to itself then."""

_SCHEMES = ("postgresql://", "postgres://", "postgresql+psycopg://")
_TENANT = re.compile(r"[A-Za-z0-9_-]{1,40}")


class NotAnAddress(StoreError):
    """What was given names no Postgres database or no tenant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A Postgres database and the tenant whose rows are meant; the URL holds a password and is in no `repr`."""

    url: str = field(repr=False)
    """As libpq reads it: `postgresql://user:password@host:port/database?sslmode=require`."""
    tenant: str = DEFAULT_TENANT

    @classmethod
    def of(cls, url: str, tenant: str = "") -> Address:
        """Read a `DATABASE_URL`; platforms write `postgres://` and SQLAlchemy's users `postgresql+psycopg://`.

        Raises:
            NotAnAddress: the URL is of another kind of database, or the tenant's name is none.
        """
        scheme = next((each for each in _SCHEMES if url.startswith(each)), "")
        if not scheme or any(sign.isspace() for sign in url):
            raise NotAnAddress("DATABASE_URL: not an address of a Postgres database (postgresql://user@host/name)")
        if tenant and not _TENANT.fullmatch(tenant):
            raise NotAnAddress(f"tenant {tenant!r}: 1 to 40 letters, digits, '-' or '_'")
        return cls(url="postgresql://" + url.removeprefix(scheme), tenant=tenant or DEFAULT_TENANT)

    @property
    def shown(self) -> str:
        """Host and database, without user and password: for messages."""
        rest = self.url.removeprefix("postgresql://").split("?", 1)[0]
        return rest.rsplit("@", 1)[-1] or "local socket"
