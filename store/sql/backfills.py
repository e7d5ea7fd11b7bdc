"""How far another system's history was read: when the last whole run had begun, and where a broken one stopped.

Idempotency key: source and target; a later note replaces an earlier one.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, String, Table, delete, select

from store.core.beside import BackfillRun
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "backfills",
    metadata,
    Column("source", String, primary_key=True),
    Column("target", String, primary_key=True),
    Column("read_at", Moment, nullable=False),
)

runs = Table(
    "backfill_runs",
    metadata,
    Column("source", String, primary_key=True),
    Column("target", String, primary_key=True),
    Column("began_at", Moment, nullable=False),
    Column("since", Moment),
    Column("reached", String, nullable=False),
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
        """Note that a run which began then reached the end; where a broken one stopped is dropped. Twice is once."""
        fresh = insert(table).values(source=source, target=target, read_at=began_at)
        with self._file.transaction() as tx:
            tx.execute(fresh.on_conflict_do_update(index_elements=["source", "target"], set_={"read_at": began_at}))
            tx.execute(delete(runs).where(runs.c.source == source, runs.c.target == target))

    def broken(self, source: str, target: str) -> BackfillRun | None:
        """Return the run that has not reached its end; None where the last one did."""
        wanted = select(runs).where(runs.c.source == source, runs.c.target == target)
        with self._file.reading() as seen:
            row = seen.execute(wanted).one_or_none()
        return None if row is None else BackfillRun(began_at=row.began_at, since=row.since, reached=row.reached)

    def reached(self, source: str, target: str, run: BackfillRun) -> None:
        """Note how far a run has come. Twice is once."""
        now = {"began_at": run.began_at, "since": run.since, "reached": run.reached}
        fresh = insert(runs).values(source=source, target=target, **now)
        with self._file.transaction() as tx:
            tx.execute(fresh.on_conflict_do_update(index_elements=["source", "target"], set_=now))

    def clear(self) -> int:
        """Forget every run: the workspace has gone."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete()).rowcount + tx.execute(runs.delete()).rowcount
