"""How far another system's history was read: when the last run that reached its end had begun."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, String, Table, select

from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "backfills",
    metadata,
    Column("source", String, primary_key=True),
    Column("target", String, primary_key=True),
    Column("read_at", Moment, nullable=False),
)


class Backfills:
    """The runs of one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def read_at(self, source: str, target: str) -> datetime | None:
        """Return when the last whole run began; None before the first."""
        wanted = select(table.c.read_at).where(table.c.source == source, table.c.target == target)
        with self._file.reading() as seen:
            found: datetime | None = seen.execute(wanted).scalar_one_or_none()
        return found

    def ended(self, source: str, target: str, began_at: datetime) -> None:
        """Note that a run which began then reached the end. Twice is once."""
        fresh = insert(table).values(source=source, target=target, read_at=began_at)
        with self._file.transaction() as tx:
            tx.execute(fresh.on_conflict_do_update(index_elements=["source", "target"], set_={"read_at": began_at}))

    def clear(self) -> int:
        """Forget every run: the workspace has gone."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete()).rowcount
