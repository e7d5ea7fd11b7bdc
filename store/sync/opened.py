"""An object's bytes become a segment: only if it is whole, lies where it belongs and its events make sense."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from store.core.events import LARGEST_LAMPORT, writer_of
from store.core.sealed import Sealed
from store.sync.names import SegmentName, directory_of
from store.sync.remote import MOST_BYTES
from store.sync.segment import Segment, SegmentDamaged, SegmentTooNew, read_segment

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")

UPGRADE = "upgrade Backstory on this machine"
REWRITE = "its writer's next `why sync` writes it anew; until then only this waits"
EXPLAIN = "find out who put it there; delete it from the remote if nobody needs it"


class SegmentMisplaced(SegmentDamaged):
    """The object is whole, but not what its name says, or another writer's."""


def opened(name: SegmentName, data: bytes) -> Segment:
    """Return the segment of an object.

    Raises:
        SegmentDamaged: it is not whole, or (SegmentMisplaced) not what its name says.
        SegmentTooNew: a newer version wrote it.
    """
    segment = read_segment(data)
    label = segment.label
    if label.stream.count("/") < 2 or label.stream.split("/")[1] not in ("open", "closed"):
        raise SegmentMisplaced(f"its stream {label.stream[:60]!r} is none")
    if writer_of(label.stream) != label.owner:
        raise SegmentMisplaced(f"writer {label.owner} claims a stream of writer {writer_of(label.stream)[:32]!r}")
    if (label.owner, directory_of(label.stream, label.fork)) != (name.owner, name.directory):
        raise SegmentMisplaced(f"it belongs to writer {label.owner}, stream {label.stream[:60]!r}, and lies elsewhere")
    if (label.first, label.last) != (name.first, name.last):
        raise SegmentMisplaced(
            f"it holds the events {label.first} to {label.last} of its stream, not those it is named for"
        )
    return segment


def events_in(segment: Segment) -> list[Sealed]:
    """Return a segment's events in the stream's order, all of them checked.

    Raises:
        SegmentDamaged: they are not what the segment says, or no log could hold one.
    """
    events = segment.events()
    for event in events:
        if wrong := _wrong(event):
            raise SegmentDamaged(f"event {event.seq} of stream {event.stream}: {wrong}")
    return events


def _wrong(event: Sealed) -> str:
    """Return why no log could hold an event, "" if one could."""
    if type(event.lamport) is not int or not 0 < event.lamport <= LARGEST_LAMPORT:
        return f"its clock {str(event.lamport)[:30]} is out of range"
    if type(event.v) is not int or not isinstance(event.kind, str):
        return "its kind or version is none"
    try:
        datetime.fromisoformat(event.recorded_at)
    except (ValueError, TypeError):
        return "its time is none"
    if not _MOMENT.fullmatch(event.recorded_at):
        return "its time is none"
    if not all(isinstance(each, str) for each in event.about):
        return "what it is about is no list of names"
    return ""


def cause_and_remedy(error: SegmentDamaged | SegmentTooNew) -> tuple[str, str]:
    """Return what is wrong with an object and what to do about it."""
    if isinstance(error, SegmentTooNew):
        return str(error), UPGRADE
    if isinstance(error, SegmentMisplaced):
        return str(error), EXPLAIN
    return f"damaged: {error}", REWRITE


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentJob:
    """The unpacking of one whole segment as a worker process does it: called, it yields its events."""

    name: str
    path: Path

    def __call__(self) -> Iterator[Sealed]:
        """Yield the events in the stream's order; raises SegmentDamaged before the first, or never."""
        with self.path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        yield from events_in(read_segment(data))
