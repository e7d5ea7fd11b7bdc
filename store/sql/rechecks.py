"""Which threads were compared with Slack, and when; which channels Slack doesn't find, and since when. Never text."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from sqlalchemy import Column, String, Table, select

from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "rechecks",
    metadata,
    Column("anchor", String, primary_key=True),
    Column("checked_at", Moment, nullable=False),
)
missing = Table(
    "missing_channels",
    metadata,
    Column("channel", String, primary_key=True),
    Column("since", Moment, nullable=False),
)

NEVER_FOUND = datetime(1970, 1, 1, tzinfo=UTC)
"""Since when a channel is missing of which Slack said that it was deleted: long enough."""


class Rechecks:
    """How far the comparison with Slack has come in one workspace; thread-safe."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def oldest(self, anchors: Collection[str], *, before: datetime, limit: int) -> tuple[str, ...]:
        """Return the threads that were not compared since `before`: those never compared first, then longest ago."""
        with self._file.reading() as seen:
            at = {row.anchor: row.checked_at for row in seen.execute(select(table))}
        due = [(at.get(anchor, NEVER_FOUND), anchor) for anchor in set(anchors) if at.get(anchor, NEVER_FOUND) < before]
        return tuple(anchor for _, anchor in sorted(due)[:limit])

    def checked(self, anchor: str, at: datetime) -> None:
        """Note that a thread was compared. Twice is once, later."""
        row = insert(table).values(anchor=anchor, checked_at=at)
        with self._file.transaction() as tx:
            tx.execute(row.on_conflict_do_update(index_elements=["anchor"], set_={"checked_at": at}))

    def keep_only(self, anchors: Collection[str]) -> int:
        """Forget the threads of which nothing is quoted any more; returns how many."""
        with self._file.reading() as seen:
            gone = set(seen.execute(select(table.c.anchor)).scalars()) - set(anchors)
        with self._file.transaction() as tx:
            for anchor in sorted(gone):
                tx.execute(table.delete().where(table.c.anchor == anchor))
        return len(gone)

    def missed(self, channel: str, at: datetime) -> datetime:
        """Note that Slack doesn't find a channel; return since when, which is `NEVER_FOUND` for one that is deleted."""
        with self._file.transaction() as tx:
            tx.execute(insert(missing).values(channel=channel, since=at).on_conflict_do_nothing())
            since: datetime = tx.execute(select(missing.c.since).where(missing.c.channel == channel)).scalar_one()
        return since

    def deleted(self, channel: str) -> None:
        """Note that Slack said that a channel was deleted. Twice is once."""
        row = insert(missing).values(channel=channel, since=NEVER_FOUND)
        with self._file.transaction() as tx:
            tx.execute(row.on_conflict_do_update(index_elements=["channel"], set_={"since": NEVER_FOUND}))

    def found(self, channel: str) -> None:
        """Note that Slack finds a channel."""
        with self._file.transaction() as tx:
            tx.execute(missing.delete().where(missing.c.channel == channel))

    def forget_channel(self, channel: str) -> int:
        """Forget when a channel's threads were compared, and that it is missing; returns how many rows."""
        of_it = (table.c.anchor > f"{channel}/") & (table.c.anchor < f"{channel}0")  # the sign after the slash
        with self._file.transaction() as tx:
            gone = tx.execute(table.delete().where(of_it)).rowcount
            return gone + tx.execute(missing.delete().where(missing.c.channel == channel)).rowcount

    def clear(self) -> None:
        """Drop all: the workspace has gone."""
        with self._file.transaction() as tx:
            tx.execute(table.delete())
            tx.execute(missing.delete())
