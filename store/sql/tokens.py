"""Tokens by which a person's coding assistant and terminal read as that person: kept as digests, never as they are.

Who has the token has the person's reading rights of that moment; it expires, and a new one ends the old.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, ColumnElement, Index, String, Table, select

from store.sql.inbox_file import InboxFile, Moment, metadata

table = Table(
    "tokens",
    metadata,
    Column("digest", String, primary_key=True),
    Column("person", String, nullable=False),
    Column("made_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Index("tokens_person", "person"),
)


class Tokens:
    """The tokens of one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def keep(self, digest: str, person: str, *, made_at: datetime, expires_at: datetime) -> None:
        """Keep a token's digest in the place of the person's earlier ones. Idempotency key: the digest."""
        row = {"digest": digest, "person": person, "made_at": made_at, "expires_at": expires_at}
        with self._file.transaction() as tx:
            tx.execute(table.delete().where(table.c.person == person))
            tx.execute(table.insert().values(row))

    def person_of(self, digest: str, now: datetime) -> str | None:
        """Return whose token it is; None where nobody's is, or its time is over."""
        wanted = select(table.c.person).where(table.c.digest == digest, table.c.expires_at > now)
        with self._file.reading() as seen:
            found: str | None = seen.execute(wanted).scalar_one_or_none()
        return found

    def forget_person(self, person: str) -> int:
        """End somebody's tokens; returns how many. Twice is once."""
        return self._delete(table.c.person == person)

    def purge(self, now: datetime) -> int:
        """Drop those whose time is over; returns how many."""
        return self._delete(table.c.expires_at <= now)

    def clear(self) -> int:
        """End every token: the workspace has gone."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete()).rowcount

    def _delete(self, which: ColumnElement[bool]) -> int:
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(which)).rowcount
