"""Looking at the objects under our own ids: most are as we wrote them, and those need not be read.

What we don't know was written before this file was lost, by a copy of this store, or spoiled since.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from store.core.ids import sha256
from store.core.sealed import Sealed
from store.sync.columns import Held
from store.sync.log import Log, Tip
from store.sync.names import SegmentName, read_name
from store.sync.opened import events_in, opened
from store.sync.remote import MOST_BYTES, Listing, Remote
from store.sync.segment import SegmentDamaged, SegmentTooNew
from store.sync.state import Published, SyncState


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """Our own objects in a remote.

    `own` hold events of ours; of those, `stale` hold a text that was erased since, or lack one that
    we have. `spoiled` can't be read and are to be deleted; `strangers` hold events under our own
    ids that the log doesn't; `newer` were written by a newer version.
    """

    own: dict[str, Published]
    stale: frozenset[str]
    spoiled: tuple[str, ...]
    strangers: tuple[SegmentName, ...]
    newer: tuple[SegmentName, ...]


_Found = tuple[Literal["own", "stale"], Published] | tuple[Literal["spoiled", "stranger", "newer"], None]


def inspected(log: Log, remote: Remote, state: SyncState, listing: Listing, names: Iterable[SegmentName]) -> Inspected:
    """Look at the objects under our ids: those that we know by their mark are not read again."""
    known = state.published(remote.where)
    own: dict[str, Published] = {}
    unknown: list[SegmentName] = []
    for name in names:
        listed = listing.objects[str(name)]
        published = known.get(str(name))
        if published and published.mark == listed.mark:
            own[str(name)] = replace(published, mark=listed.mark)
        else:
            unknown.append(name)
    sorted_: dict[str, list[str]] = {"own": [], "stale": [], "spoiled": [], "stranger": [], "newer": []}
    readable = [str(each) for each in unknown if listing.objects[str(each)].size <= MOST_BYTES]
    sorted_["spoiled"] += [str(each) for each in unknown if str(each) not in readable]
    for text, data in remote.read(readable):
        if data is None:
            continue
        kind, published = _as_written(known.get(text), data) or _looked_at(log, _named(text), data)
        sorted_[kind].append(text)
        if published is not None:
            own[text] = replace(published, mark=listing.objects[text].mark)
    return Inspected(
        own=own,
        stale=frozenset(sorted_["stale"]),
        spoiled=tuple(sorted_["spoiled"]),
        strangers=tuple(map(_named, sorted_["stranger"])),
        newer=tuple(map(_named, sorted_["newer"])),
    )


def _as_written(published: Published | None, data: bytes) -> _Found | None:
    """Return an object that is, byte for byte, what we wrote: its mark is learned by this one reading."""
    return ("own", published) if published and published.digest == sha256(data) else None


def _looked_at(log: Log, name: SegmentName, data: bytes) -> _Found:
    """Say what an object of ours is."""
    try:
        segment = opened(name, data)
        events = events_in(segment)
    except SegmentTooNew:
        return "newer", None
    except SegmentDamaged:
        return "spoiled", None
    label = segment.label
    if not log.holds([label.tip]):
        return "stranger", None
    published = Published(
        mark="",
        size=len(data),
        stream=label.stream,
        tip=label.tip,
        signed=bool(label.signature),
        digest=sha256(data),
    )
    held = log.run(label.stream, label.first, label.last, Tip(seq=label.last, id=label.tip))
    return ("own" if held == [_held(event) for event in events] else "stale"), published


def _held(event: Sealed) -> Held:
    return event.header, {
        name: None if salt is None or body is None else (salt, body) for name, salt, body in event.parts
    }


def _named(text: str) -> SegmentName:
    found = read_name(text)
    if found is None:
        raise ValueError(f"{text!r}: not an object's name")
    return found
