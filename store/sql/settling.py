"""Leaving nothing of an erased word in the lexical index: its segments are merged, in pieces that nobody waits for.

FTS5 notes a deletion beside the older segments, which hold the word until they are merged with the note. Whoever erases
says so in the same transaction (`unsettle`), and goes on with pieces after it (`settled`); one that is killed
meanwhile is made up for when the memory is opened next.
"""

# ruff: noqa: S608 - names of our own tables

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from store.sql import lexical, varints
from store.sql.tx import Tx

PAGES_AT_ONCE = 500
"""Pages of 4 kB that one piece writes: 20 to 30 ms. An index of a million decisions takes about a hundred."""

LEVEL = 6
"""Where the one segment of an index made anew stands: too high for the small ones of appends to draw it into merges
soon (4 to 100 of a level make one of the next)."""

MOST_LEVELS = 16
"""Each time FTS5 (3.40) merges everything, the segment goes two levels up, and with more than 2,000 the index is
unreadable."""

_STRUCTURE = 10
"""The row of FTS5's data that lists the segments: a cookie of 4 bytes, then numbers."""
_NOTE = "unsettled"
_WANTED, _BEGUN = "wanted", "begun"


def unsettle(tx: Tx) -> None:
    """Note that something was erased, so that `settled` has work to do after the commit."""
    tx.insert("about_me", [{"name": _NOTE, "value": _WANTED}], on_conflict="replace")


def is_unsettled(rows: Callable[[str, Mapping[str, object]], Sequence[Mapping[str, Any]]]) -> bool:
    """Say whether an erasure was noted and not yet worked off."""
    return bool(rows("SELECT value FROM about_me WHERE name = :name", {"name": _NOTE}))


def settled(writing: Callable[[], AbstractContextManager[Tx]]) -> None:
    """Work off what erasures noted, piece by piece; each in a transaction of its own.

    Idempotency key: the note.
    """
    more = True
    while more:
        with writing() as tx:
            more = _piece(tx)


def _piece(tx: Tx) -> bool:
    """Do one piece and say whether there may be more."""
    noted = tx.rows("SELECT value FROM about_me WHERE name = :name", {"name": _NOTE})
    if not noted:
        return False
    if tx.texts is not None:
        tx.texts.settle()
    elif noted[0]["value"] == _WANTED:  # below zero: all segments are to be merged, even if they are few
        for table in lexical.TABLES:
            tx.run(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', {-PAGES_AT_ONCE})")
        tx.insert("about_me", [{"name": _NOTE, "value": _BEGUN}], on_conflict="replace")
        return True
    elif merging := [table for table in lexical.TABLES if any(begun for begun, _ in _levels(_structure(tx, table)))]:
        tx.run(f"INSERT INTO {merging[0]} ({merging[0]}, rank) VALUES ('merge', {PAGES_AT_ONCE})")
        return True
    for table in lexical.TABLES if tx.texts is None else ():
        if len(_levels(_structure(tx, table))) > MOST_LEVELS:
            flatten(tx, table)
    tx.run("DELETE FROM about_me WHERE name = :name", {"name": _NOTE})
    return False


def merge_all(tx: Tx, table: str) -> None:
    """Merge everything at once, for an index that nobody else waits for."""
    tx.run(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    flatten(tx, table)


def flatten(tx: Tx, table: str) -> None:
    """Leave out the levels without segments; the oldest segments stand at `LEVEL` or above. Not amid a merge."""
    tx.run(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', 1)")  # lets FTS5 forget what it read of the list
    block = _structure(tx, table)
    if any(begun for begun, _ in _levels(block)):
        return
    _, segments, written, *_ = varints.read(block[4:])
    *newer, oldest = [each for each in _levels(block) if each[1]] or [(0, ())]
    empty = [(0, ())] * (LEVEL - len(newer))
    levels = [*newer, *empty, oldest]
    numbers = [n for begun, given in levels for n in (begun, len(given) // 3, *given)]
    made = block[:4] + varints.written((len(levels), segments, written, *numbers))
    tx.run(f"UPDATE {table}_data SET block = :block WHERE id = :id", {"block": made, "id": _STRUCTURE})


def _structure(tx: Tx, table: str) -> bytes:
    return bytes(tx.rows(f"SELECT block FROM {table}_data WHERE id = :id", {"id": _STRUCTURE})[0]["block"])


def _levels(block: bytes) -> list[tuple[int, tuple[int, ...]]]:
    """Return of each level how many of its segments are being merged, and three numbers of each segment."""
    return list(_read_levels(varints.read(block[4:])))


def _read_levels(numbers: Sequence[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    at = 3
    for _ in range(numbers[0]):
        begun, segments = numbers[at : at + 2]
        at += 2 + 3 * segments
        yield begun, tuple(numbers[at - 3 * segments : at])
