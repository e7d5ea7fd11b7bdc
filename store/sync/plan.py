"""Which objects to read and which to merge: pure rules over names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from store.sync.names import SegmentName

FANOUT = 8
"""Objects of one size that are merged into one: a stream has at most 7 of each size, and an event is
rewritten once a size, so 10,000 syncs of one event leave about 25 objects and rewrite each event 4 times."""

WHOLE = FANOUT**4
"""Events from which on an object is left as it is: larger ones would only make erasures dearer."""

NEW_EVENTS = 2**14
"""Events in one object of a first sync: about 3 MB, so that several processes can share the reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What to read of one directory, in this order, and which objects can't be reached yet."""

    wanted: tuple[SegmentName, ...]
    beyond: tuple[SegmentName, ...]


def reading(last: int, objects: Iterable[SegmentName]) -> Reading:
    """Return what leads on from the last event taken in: as few objects as cover the most, newest rewriting first."""
    ahead = sorted((each for each in objects if each.last > last), key=lambda each: each.first)
    wanted: list[SegmentName] = []
    while reachable := [each for each in ahead if each.first <= last + 1 and each.last > last]:
        best = max(reachable, key=lambda each: (each.last, each.generation))
        wanted.append(best)
        last = best.last
    return Reading(wanted=tuple(wanted), beyond=tuple(each for each in ahead if each.first > last + 1))


def superseded(objects: Iterable[SegmentName]) -> tuple[SegmentName, ...]:
    """Return the objects all of whose events another one of the directory holds: rewritten later, or among more."""
    gone: list[SegmentName] = []
    widest: SegmentName | None = None
    for each in sorted(objects, key=lambda each: (each.first, -each.last, -each.generation)):
        if widest is not None and each.last <= widest.last:
            gone.append(each)
        else:
            widest = each
    return tuple(gone)


def uncovered(first: int, last: int, objects: Iterable[SegmentName]) -> tuple[tuple[int, int], ...]:
    """Return the runs of numbers from `first` to `last` that no object holds, in order."""
    runs: list[tuple[int, int]] = []
    for each in sorted(objects):
        if each.first > first:
            runs.append((first, min(each.first - 1, last)))
        first = max(first, each.last + 1)
    if first <= last:
        runs.append((first, last))
    return tuple((start, end) for start, end in runs if start <= end)


def pieces(first: int, last: int) -> tuple[tuple[int, int], ...]:
    """Return a run cut into pieces of at most `NEW_EVENTS`."""
    return tuple((start, min(start + NEW_EVENTS - 1, last)) for start in range(first, last + 1, NEW_EVENTS))


Run = tuple[int, int]
"""The first and last number of an object's events."""


def merged(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Return the runs to write in place of those at the end of these, which follow one another; () if none.

    The result is the one run that takes the place of all from its first number on.
    """
    result: tuple[Run, ...] = ()
    standing = list(runs)
    for size in range(_class(WHOLE)):
        tail = _tail(standing, size)
        if sum(_class(end - start + 1) == size for start, end in tail) >= FANOUT:
            standing[-len(tail) :] = [(tail[0][0], tail[-1][1])]
            result = (standing[-1],)
    return result


def _tail(runs: Sequence[Run], size: int) -> list[Run]:
    """Return the runs at the end that are of this size or smaller and follow one another without a gap."""
    tail: list[Run] = []
    for run in reversed(runs):
        if _class(run[1] - run[0] + 1) > size or (tail and run[1] + 1 != tail[0][0]):
            break
        tail.insert(0, run)
    return tail


def _class(events: int) -> int:
    """Return the size of an object as a power of `FANOUT`."""
    size = 0
    while events >= FANOUT:
        events //= FANOUT
        size += 1
    return size
