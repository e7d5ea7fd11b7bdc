"""Deliveries to work off: inserted before they are acknowledged, claimed with a lease, finished once.

A row's key is its idempotency key and stays for `KEPT_DAYS` after the row is finished, so that a
redelivery within that time is known. A finished row loses its payload in the same statement; a failed one keeps it as
long as its key, for the operator.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    Column,
    Index,
    Integer,
    Row,
    Select,
    String,
    Table,
    Text,
    Update,
    and_,
    bindparam,
    func,
    or_,
    select,
)

from store import failpoints
from store.core.beside import Delivery, InboxCounts, Json
from store.errors import StoreError
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

KEPT_DAYS = 7
"""How long keys of finished rows and whole failed rows stay; Slack redelivers for minutes, people ask for days."""

WAITING, CLAIMED, DONE, FAILED = "waiting", "claimed", "done", "failed"

table = Table(
    "inbox",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", String, nullable=False, unique=True),
    Column("kind", String, nullable=False),
    Column("about", String, nullable=False, default=""),
    Column("serial", String, nullable=False, default=""),
    Column("priority", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("attempt", Integer, nullable=False, default=0),
    Column("payload", Text),
    Column("received_at", Moment, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("lease_until", Moment),
    Column("ended_at", Moment),
    Column("note", String, nullable=False, default=""),
    Index("inbox_next", "state", "priority", "id"),
    Index("inbox_about", "about"),
    Index("inbox_serial", "serial", "state", "id"),
    sqlite_autoincrement=True,
)


_INSERT = insert(table).on_conflict_do_nothing(index_elements=["key"])


class _Ticket:
    """One row on its way into a commit, and what came of it."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.ended, self.fresh = False, False
        self.error: StoreError | None = None

    def end(self, *, fresh: bool = False, error: StoreError | None = None) -> None:
        self.ended, self.fresh, self.error = True, fresh, error


class Inbox:
    """The inbox of one workspace; thread-safe."""

    LOOKED_AT_S = 30.0
    """Seconds after which whoever works it off looks by themselves: what is due later need wake nobody."""

    def __init__(self, file: InboxFile, clock: Callable[[], datetime]) -> None:
        """Work on an open file; `clock` stamps what is inserted."""
        self._file = file
        self._clock = clock
        self._listeners: list[Callable[[int], None]] = []
        self._tickets: list[_Ticket] = []
        self._joining, self._committing = threading.Lock(), threading.Lock()

    def on_insert(self, listener: Callable[[int], None]) -> None:
        """Call `listener` with the priority after each insert of what is due soon; it must not wait.

        Of other processes too where they can tell: then with 0, as the most urgent has it.
        """
        self._listeners.append(listener)
        self._file.listen(lambda: listener(0))

    def insert(
        self,
        key: str,
        kind: str,
        payload: Json | None,
        *,
        priority: int = 0,
        about: str = "",
        serial: str = "",
        due_at: datetime | None = None,
    ) -> bool:
        """Keep a delivery, on disk when this returns; False when its key is known (the idempotency key).

        Args:
            key: names the delivery whatever way and however often it arrives.
            kind: what works it off.
            payload: what the work needs; text in it is masked already.
            priority: lower is earlier.
            about: the turn whose text stands in the payload ("C1/1700000000.000100"), for its erasure.
            serial: rows that share one are worked off one by one, in the order in which they came.
            due_at: not before this time; now when left out.
        """
        now = self._clock()
        row = {
            "key": key, "kind": kind, "about": about, "serial": serial, "priority": priority,
            "state": WAITING, "attempt": 0,
            "payload": json.dumps(payload or {}, ensure_ascii=False), "received_at": now, "due_at": due_at or now,
        }  # fmt: skip
        fresh = self._committed(row)
        if fresh and _is_soon(row):
            for listener in self._listeners:
                listener(priority)
        return fresh

    def _committed(self, row: dict[str, Any]) -> bool:
        """Insert a row together with those of all who wait to insert: one commit, one wait for the disk.

        A burst of fifty costs a handful of commits; whoever comes first commits for the others.
        """
        mine = _Ticket(row)
        with self._joining:
            self._tickets.append(mine)
        with self._committing:
            if not mine.ended:
                with self._joining:
                    together, self._tickets = self._tickets, []
                try:
                    with self._file.transaction(hurried=True) as tx:
                        fresh = [tx.execute(_INSERT, ticket.row).rowcount == 1 for ticket in together]
                        if any(_is_soon(ticket.row) for ticket in together):
                            self._file.announce(tx)
                except StoreError as error:
                    for ticket in together:
                        ticket.end(error=error)
                else:
                    for ticket, new in zip(together, fresh, strict=True):
                        ticket.end(fresh=new)
        if mine.error is not None:
            raise type(mine.error)(str(mine.error)) from mine.error
        if not mine.ended:
            raise StoreError("inbox: whoever committed for others did not end")
        return mine.fresh

    def claim(self, now: datetime, lease_s: float, *, up_to: int | None = None) -> Delivery | None:
        """Take the most urgent due row for `lease_s` seconds; None when there is none.

        Rows whose lease ran out are due again. `up_to` leaves out rows of a higher priority number.
        """
        first, taken = _claiming(up_to)
        with self._file.reading() as seen:
            if seen.execute(first, {"now": now}).first() is None:
                return None
        failpoints.hit("claim.before")
        with self._file.transaction() as tx:
            row = tx.execute(
                taken.returning(table), {"now": now, "until": now + timedelta(seconds=lease_s)}
            ).one_or_none()
        failpoints.hit("claim.after")
        return None if row is None else _delivery(row)

    def finish(self, delivery: Delivery, result: str) -> bool:
        """End a claimed row and drop its payload; False when the claim had passed to somebody else."""
        return self._end(delivery, state=DONE, note=result, payload=None, ended_at=self._clock())

    def fail(self, delivery: Delivery, error: str) -> bool:
        """Give a claimed row up; its payload stays as long as its key. `error` holds no message text."""
        return self._end(delivery, state=FAILED, note=error, ended_at=self._clock())

    def retry(self, delivery: Delivery, at: datetime, error: str) -> bool:
        """Put a claimed row back, due at a later time."""
        return self._end(delivery, state=WAITING, note=error, due_at=at, lease_until=None)

    def _end(self, delivery: Delivery, **values: Any) -> bool:
        mine = and_(table.c.id == delivery.id, table.c.state == CLAIMED, table.c.attempt == delivery.attempt)
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(mine).values(values)).rowcount == 1

    def release(self) -> int:
        """Make every claimed row due again, for a worker that starts where none other runs; 0 where others may.

        There a dead worker's rows are due again when their lease ends.
        """
        if self._file.shared:
            return 0
        with self._file.transaction() as tx:
            back = table.update().where(table.c.state == CLAIMED).values(state=WAITING, lease_until=None)
            return tx.execute(back).rowcount

    def next_due(self, *, up_to: int | None = None) -> datetime | None:
        """Say when the next row can be claimed (a time past: now); None when nothing waits."""
        with self._file.reading() as seen:
            due: datetime | None = seen.execute(_next(up_to)).scalar_one()
        return due

    def counts(self) -> InboxCounts:
        """Count the rows by state."""
        with self._file.reading() as seen:
            states = {
                row[0]: int(row[1]) for row in seen.execute(select(table.c.state, func.count()).group_by("state"))
            }
            oldest = seen.execute(select(func.min(table.c.received_at)).where(table.c.state == WAITING)).scalar_one()
        return InboxCounts(
            waiting=states.get(WAITING, 0),
            claimed=states.get(CLAIMED, 0),
            done=states.get(DONE, 0),
            failed=states.get(FAILED, 0),
            oldest_waiting_at=oldest,
        )

    def result(self, key: str) -> str | None:
        """Say what came of a delivery: its note, "" while it waits, None when the key isn't known."""
        with self._file.reading() as seen:
            return seen.execute(select(table.c.note).where(table.c.key == key)).scalar_one_or_none()

    def purge(self, now: datetime) -> int:
        """Forget rows that ended `KEPT_DAYS` ago; returns how many."""
        old = and_(table.c.state.in_((DONE, FAILED)), table.c.ended_at <= now - timedelta(days=KEPT_DAYS))
        with self._file.transaction() as tx:
            return tx.execute(table.delete().where(old)).rowcount

    def forget_turn(self, turn_id: str) -> int:
        """End the rows that hold this turn's text and drop it; returns how many. Twice is once."""
        held = and_(table.c.about == turn_id, table.c.payload.is_not(None))
        gone = {"payload": None, "state": DONE, "note": "erased", "ended_at": self._clock()}
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(held).values(gone)).rowcount

    def forget_person(self, person: str) -> int:
        """End the rows that somebody's doing led to and drop their payloads; returns how many. Twice is once."""
        theirs = and_(table.c.payload.is_not(None), func.json_extract(table.c.payload, "$.user") == person)
        gone = {"payload": None, "state": DONE, "note": "erased", "ended_at": self._clock()}
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(theirs).values(gone)).rowcount

    def forget_where(self, kind: str, holds: Callable[[Json], bool]) -> int:
        """End the rows of a kind whose payloads hold something and drop those; returns how many. Twice is once."""
        held = select(table.c.id, table.c.payload).where(table.c.kind == kind, table.c.payload.is_not(None))
        gone = {"payload": None, "state": DONE, "note": "erased", "ended_at": self._clock()}
        with self._file.transaction() as tx:
            hit = [row.id for row in tx.execute(held).all() if holds(json.loads(row.payload))]
            for each in hit:
                tx.execute(table.update().where(table.c.id == each).values(gone))
        return len(hit)

    def forget_channel(self, channel: str) -> int:
        """End the rows about what was said or done in a channel and drop their payloads; returns how many."""
        there = or_(
            and_(table.c.about > f"{channel}/", table.c.about < f"{channel}0"),  # the sign after the slash
            func.json_extract(table.c.payload, "$.channel") == channel,
            func.json_extract(table.c.payload, "$.scope") == f"channel:{channel}",
        )
        gone = {"payload": None, "state": DONE, "note": "erased", "ended_at": self._clock()}
        with self._file.transaction() as tx:
            return tx.execute(table.update().where(and_(table.c.payload.is_not(None), there)).values(gone)).rowcount

    def clear(self) -> int:
        """Drop every row with its payload and key: the workspace has gone."""
        with self._file.transaction() as tx:
            return tx.execute(table.delete()).rowcount


def _is_soon(row: dict[str, Any]) -> bool:
    soon: timedelta = row["due_at"] - row["received_at"]
    return soon.total_seconds() < Inbox.LOOKED_AT_S


@cache
def _claiming(up_to: int | None) -> tuple[Select[int], Update]:
    """Return what finds the most urgent due row, and what takes it: built once, since workers look at every insert."""
    now, until = bindparam("now", type_=Moment), bindparam("until", type_=Moment)
    due = or_(
        and_(table.c.state == WAITING, table.c.due_at <= now),
        and_(table.c.state == CLAIMED, table.c.lease_until <= now),
    )
    if up_to is not None:
        due = and_(due, table.c.priority <= up_to)
    before = table.alias("before")
    earlier = and_(before.c.id < table.c.id, before.c.state.in_((WAITING, CLAIMED)))
    worked_on = and_(before.c.id > table.c.id, before.c.state == CLAIMED, before.c.lease_until > now)
    behind = select(before.c.id).where(before.c.serial == table.c.serial, or_(earlier, worked_on)).exists()
    due = and_(due, or_(table.c.serial == "", ~behind))
    first = select(table.c.id).where(due).order_by(table.c.priority, table.c.id).limit(1)
    taken = (
        table.update()
        .where(table.c.id == first.with_for_update(skip_locked=True).scalar_subquery())
        .values(state=CLAIMED, lease_until=until, attempt=table.c.attempt + 1)
    )
    return first, taken


@cache
def _next(up_to: int | None) -> Select[datetime | None]:
    """Return what asks when the next row can be claimed."""
    at = func.coalesce(table.c.lease_until, table.c.due_at)
    query = select(func.min(at)).where(table.c.state.in_((WAITING, CLAIMED)))
    return query if up_to is None else query.where(table.c.priority <= up_to)


def _delivery(row: Row[Any]) -> Delivery:
    return Delivery(
        id=row.id,
        key=row.key,
        kind=row.kind,
        payload=json.loads(row.payload or "{}"),
        priority=row.priority,
        attempt=row.attempt,
        received_at=row.received_at,
    )
