"""The load as thirty other machines left it in a folder to sync with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from store.bench.load import Load, facts
from store.core.events import writer_of
from store.sync.columns import Held
from store.sync.folder import FolderRemote
from store.sync.names import directory_of, segment_name
from store.sync.plan import WHOLE
from store.sync.remote import Put
from store.sync.segment import write_segment


def bench_seal(load: Load, folder: Path) -> int:
    """Write every writer's stream as the segments that it would have come to by now; return their bytes."""
    folder.mkdir(parents=True)
    with closing(FolderRemote(folder)) as remote:
        remote.publish(_objects(load), ())
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


def _objects(load: Load) -> Iterator[Put]:
    """Yield segments of `WHOLE` events as soon as they are full, so that few events are held at once."""
    waiting: list[list[Held]] = [[] for _ in load.streams]
    written = [0] * load.writers
    numbers = {stream: number for number, stream in enumerate(load.streams)}
    marker = ',"stream":"'
    for header, parts in facts(load):
        start = header.index(marker) + len(marker)
        number = numbers[header[start : header.index('"', start)]]
        waiting[number].append((header, parts))
        if len(waiting[number]) == WHOLE:
            yield _object(load.streams[number], waiting[number], written[number])
            written[number] += WHOLE
            waiting[number] = []
    for number, left in enumerate(waiting):
        if left:
            yield _object(load.streams[number], left, written[number])


def _object(stream: str, events: list[Held], before: int) -> Put:
    owner = writer_of(stream)
    name = segment_name(directory_of(stream), owner, before + 1, before + len(events), 1)
    return str(name), write_segment(owner, events)
