"""Appending very many events of other machines to the log at once, before the projections are folded anew.

Worker processes unpack and check; one process writes, in short transactions: the events as they come,
then, sorted, what finds them by id and by what they are about (in random order those pages would be
written over and over). While the log is ahead of its projections they are noted as outdated, so that
whoever opens the file for writing after a kill folds them anew; what erasures reach is blanked
before that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from store.core.bodies import joined
from store.core.events import SALT_BYTES, Kind
from store.core.sealed import Sealed
from store.errors import LogDamaged
from store.sql.log import events_by_ids, tip
from store.sql.schema import LOG_AHEAD
from store.sql.tx import Tx
from store.sql.union import erase

AT_ONCE = 2_000
"""Events appended in one transaction: about 50 ms."""

KEYS_AT_ONCE = 10_000
"""Sorted keys written in one transaction: about 50 ms."""

ERASURES_AT_ONCE = 20
"""Erasures worked off in one transaction; each may name many events."""

Row = tuple[str, str, str, int, int, str, bytes, str, tuple[str, ...]]
"""An event's columns from `id` on but for its key, and what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacking:
    """The unpacking of one segment into rows, as a worker process does it."""

    job: Callable[[], Iterable[Sealed]]

    def __call__(self) -> list[Row]:
        """Return a row an event; LogDamaged where the log can't hold one."""
        return [_row(event) for event in self.job()]


def _row(event: Sealed) -> Row:
    living = sorted((name, salt, body) for name, salt, body in event.parts if salt is not None and body is not None)
    if any(len(salt) != SALT_BYTES or "\n" in body for _, salt, body in living):
        raise LogDamaged(f"event {event.id[:12]}: a part is not as this version writes it")
    parts = joined({name: body for name, _, body in living})
    salts = b"".join([salt for _, salt, _ in living])
    return event.id, event.kind, event.stream, event.seq, event.lamport, event.header, salts, parts, event.about


class Appending:
    """One filling of the log. Nobody else takes in others' events meanwhile; ours may be appended."""

    def __init__(self, tx: Tx) -> None:
        """Note that the log is about to be ahead, and see what a killed filling left unfinished."""
        left = tx.rows("SELECT value FROM about_me WHERE name = :name", {"name": LOG_AHEAD})
        self._again = bool(left)
        self._start = int(left[0]["value"]) if left else tip(tx)
        self._ids: dict[str, int] = {}
        self._about: list[tuple[str, int]] = []
        for row in tx.rows(_LEFT, {"start": self._start}) if left else ():
            self._keep(row["id"], row["position"], json.loads(row["about"]))
        tx.insert("about_me", [{"name": LOG_AHEAD, "value": str(self._start)}], on_conflict="replace")

    def append(self, tx: Tx, rows: Sequence[Row]) -> int:
        """Append events that the log doesn't hold; return how many were new.

        Idempotency key: the event's id.
        """
        held = self._held(tx, [row[0] for row in rows if row[0] not in self._ids])
        fresh = {row[0]: row for row in rows if row[0] not in held and row[0] not in self._ids}
        if not fresh:
            return 0
        numbered = list(enumerate(fresh.values(), start=tip(tx) + 1))
        tx.fill("events", _COLUMNS, [(position, *row[:-1]) for position, row in numbered])
        tx.insert("about_me", [{"name": "projections", "value": "0"}], on_conflict="replace")
        for position, row in numbered:
            self._keep(row[0], position, row[-1])
        return len(fresh)

    def steps(self) -> Iterator[Callable[[Tx], None]]:
        """Yield what writes the sorted keys, a transaction each; afterwards the events can be found."""
        for table, columns, given in (
            ("event_ids", ("id", "position"), sorted(self._ids.items())),
            ("event_about", ("target", "position"), sorted(self._about)),
        ):
            for start in range(0, len(given), KEYS_AT_ONCE):
                piece = given[start : start + KEYS_AT_ONCE]
                yield partial(_fill, table=table, columns=columns, given=piece, again=self._again)

    def _keep(self, id_: str, position: int, about: Iterable[str]) -> None:
        self._ids[id_] = position
        for target in dict.fromkeys(about):
            self._about.append((target, position))

    def _held(self, tx: Tx, ids: Sequence[str]) -> set[str]:
        if not self._start:
            return set()
        return {row["id"] for row in tx.rows(_HELD, {"ids": json.dumps(list(ids))})}


def _fill(tx: Tx, *, table: str, columns: tuple[str, str], given: Sequence[tuple[str, int]], again: bool) -> None:
    if again:  # a killed filling may have written some of them
        tx.insert(table, [dict(zip(columns, each, strict=True)) for each in given], on_conflict="ignore")
    else:
        tx.fill(table, columns, given)


_COLUMNS = ("position", "id", "kind", "stream", "seq", "lamport", "header", "salts", "parts")
_HELD = "SELECT id FROM event_ids WHERE id IN (SELECT value FROM json_each(:ids))"
_LEFT = "SELECT id, position, header ->> '$.about' AS about FROM events WHERE position > :start"


def end(tx: Tx) -> None:
    """Note that all is folded."""
    tx.run("DELETE FROM about_me WHERE name = :name", {"name": LOG_AHEAD})


def pieces(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield rows as many as one transaction takes."""
    for start in range(0, len(rows), AT_ONCE):
        yield rows[start : start + AT_ONCE]


def erasures(tx: Tx) -> tuple[str, ...]:
    """Return the ids of every erasure in the log."""
    rows = tx.rows("SELECT id FROM events WHERE kind = :kind ORDER BY position", {"kind": Kind.TEXT_REDACTED.value})
    return tuple(row["id"] for row in rows)


def erase_again(tx: Tx, ids: Sequence[str]) -> None:
    """Blank what these erasures name, whichever came first.

    Idempotency key: the events and parts that they name.
    """
    erase(tx, events_by_ids(tx, ids))
