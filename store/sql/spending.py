"""What a month's calls to the model cost, and what running ones may cost: numbers only, shared by all processes.

A call is reserved with the most that it can cost before it is sent, and settled with what it did cost. One that a
crash cut off stays reserved, and so counts in full: nobody knows what was billed.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, Connection, Integer, String, Table, func, select

from store.core.beside import Spent
from store.sql.inbox_file import InboxFile, Moment, metadata
from store.sql.upsert import insert

table = Table(
    "spending",
    metadata,
    Column("month", String, primary_key=True),
    Column("purpose", String, primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("refused", Integer, nullable=False),
)
reserved = Table(
    "spending_reserved",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("month", String, nullable=False, index=True),
    Column("purpose", String, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("at", Moment, nullable=False),
)


class Spending:
    """The ledger of one home; thread-safe, and safe among processes. A month is `2026-11`, of UTC."""

    def __init__(self, file: InboxFile) -> None:
        """Work on an open file."""
        self._file = file

    def reserve(self, month: str, purpose: str, tokens: int, *, most: int, at: datetime) -> int | None:
        """Set tokens aside for one call; None, and a refusal counted, where the month would pass `most` with them.

        Args:
            month: whose tokens.
            purpose: "answer" or "capture".
            tokens: the most that the call can cost.
            most: what all of the month's calls may cost together.
            at: now.
        """
        with self._file.transaction(alone="spending") as tx:
            held = set_aside(tx, month, purpose, tokens, most=most, at=at)
            if held is None:
                _add(tx, month, purpose, refused=1)
            return held

    def settle(self, reservation: int, tokens: int) -> None:
        """Put what a call did cost in the place of what was set aside. Twice is once."""
        with self._file.transaction() as tx:
            settle(tx, reservation, tokens=tokens, calls=1)

    def release(self, reservation: int) -> None:
        """Give back what was set aside for a call that was not billed. Twice is once."""
        with self._file.transaction() as tx:
            _freed(tx, reservation)

    def taken(self, month: str) -> int:
        """Return the tokens of a month: billed, and set aside."""
        with self._file.reading() as seen:
            return _taken(seen, month)

    def of_month(self, month: str) -> tuple[Spent, ...]:
        """Return what each purpose has cost in a month, by name; what is set aside for it is in its tokens."""
        held = select(reserved.c.purpose, func.sum(reserved.c.tokens)).where(reserved.c.month == month)
        rows = select(table).where(table.c.month == month)
        with self._file.reading() as seen:
            waiting: dict[str, int] = {name: int(tokens) for name, tokens in seen.execute(held.group_by("purpose"))}
            billed = {row.purpose: row for row in seen.execute(rows)}
        return tuple(
            Spent(
                purpose=name,
                calls=billed[name].calls if name in billed else 0,
                tokens=(billed[name].tokens if name in billed else 0) + waiting.get(name, 0),
                refused=billed[name].refused if name in billed else 0,
            )
            for name in sorted(billed.keys() | waiting.keys())
        )

    def purge(self, month: str) -> int:
        """Drop the months before this one; returns how many rows."""
        with self._file.transaction() as tx:
            gone = (tx.execute(one.delete().where(one.c.month < month)).rowcount for one in (table, reserved))
            return sum(gone)

    def clear(self) -> None:
        """Drop all of it."""
        with self._file.transaction() as tx:
            tx.execute(table.delete())
            tx.execute(reserved.delete())


def set_aside(tx: Connection, month: str, purpose: str, tokens: int, *, most: int, at: datetime) -> int | None:
    """Set tokens aside in a transaction that is `alone="spending"`; None where the month would pass `most`."""
    if _taken(tx, month) + tokens > most:
        return None
    row = {"month": month, "purpose": purpose, "tokens": tokens, "at": at}
    return int(tx.execute(insert(reserved).values(row).returning(reserved.c.id)).scalar_one())


def settle(tx: Connection, reservation: int, *, tokens: int, calls: int) -> None:
    """Put what so many calls did cost in the place of what was set aside for them. Twice is once."""
    if (row := _freed(tx, reservation)) is not None and calls:
        _add(tx, *row, calls=calls, tokens=tokens)


def _taken(tx: Connection, month: str) -> int:
    sums = (
        tx.execute(select(func.coalesce(func.sum(one.c.tokens), 0)).where(one.c.month == month)).scalar_one()
        for one in (table, reserved)
    )
    return sum(int(tokens) for tokens in sums)


def _freed(tx: Connection, reservation: int) -> tuple[str, str] | None:
    """Drop a reservation; returns its month and purpose, None where it is gone."""
    gone = reserved.delete().where(reserved.c.id == reservation).returning(reserved.c.month, reserved.c.purpose)
    row = tx.execute(gone).first()
    return (row.month, row.purpose) if row is not None else None


def _add(tx: Connection, month: str, purpose: str, *, calls: int = 0, tokens: int = 0, refused: int = 0) -> None:
    row = insert(table).values(month=month, purpose=purpose, calls=calls, tokens=tokens, refused=refused)
    tx.execute(
        row.on_conflict_do_update(
            index_elements=["month", "purpose"],
            set_={
                "calls": table.c.calls + row.excluded.calls,
                "tokens": table.c.tokens + row.excluded.tokens,
                "refused": table.c.refused + row.excluded.refused,
            },
        )
    )
