"""Builders for tests of syncing: machines that share a folder, and a look into what lies in it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from store import Memory, Synced
from store.core.events import event_id
from store.core.ids import canonical
from store.core.sealed import Sealed
from store.memory_log import Erased, MemoryLog
from store.opening import rebuilt
from store.sql.engine import Database
from store.sql.quick_writing import QuickDatabase
from store.sync.columns import Held
from store.sync.exchange import Exchange
from store.sync.folder import FolderRemote
from store.sync.names import directory_of, segment_name
from store.sync.remote import Listing, Put
from store.sync.segment import read_segment, write_segment
from store.sync.signing import Signer
from store.sync.state import SyncState
from tests.builders_log import NOW, memory_in, ticking

STRANGER = "00000000000000aa"
"""A writer whose segments a test makes up."""


def machine(home: Path, *, day: int = 0) -> Memory:
    """Open a machine's memory; its clock begins on a day of its own."""
    return memory_in(home, clock=ticking(NOW + timedelta(days=day)))


class Watched(FolderRemote):
    """A folder that notes what is read, and lets objects vanish after they were listed."""

    def __init__(self, path: Path, *, vanishing: Iterable[tuple[str, Mapping[str, bytes]]] = ()) -> None:
        super().__init__(path)
        self.were_read: list[str] = []
        self.published: list[tuple[list[str], list[str]]] = []
        self._vanishing = list(vanishing)

    def listing(self) -> Listing:
        listing = super().listing()
        if self._vanishing:
            gone, instead = self._vanishing.pop(0)
            for name, data in instead.items():
                self._at(name).write_bytes(data)
            self._at(gone).unlink()
        return listing

    def read(self, names: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        self.were_read += names
        return super().read(names)

    def publish(self, put: Iterable[Put], gone: Collection[str]) -> str:
        names: list[str] = []

        def noted() -> Iterator[Put]:
            for name, data in put:
                names.append(name)
                yield name, data

        mark = super().publish(noted(), gone)
        self.published.append((names, list(gone)))
        return mark


def exchange(home: Path, remote: FolderRemote, *, many: int = 20_000, sign: bool = False) -> Synced:
    """Sync a memory that exists with a remote that the test holds."""
    database = QuickDatabase.open(home / "memory.db")
    assert database is not None
    (home / "sync").mkdir(exist_ok=True)
    salts = iter(range(1, 99))

    def erased(what: Erased) -> None:
        database.shrink_wal()

    def fold() -> None:
        with closing(Database(home / "memory.db")) as engine:
            rebuilt(home, engine, None)

    with closing(database), closing(SyncState.open(home)) as state:
        log = MemoryLog(
            database.read, database.write, salt=lambda size: bytes([next(salts)] * size), erased=erased, fold=fold
        )
        signer = Signer.made(home) if sign else Signer.open(home)
        return Exchange(log, remote, state, now=NOW, spool=home / "sync", signer=signer, many=many).run()


def objects(folder: Path) -> dict[str, Path]:
    """Return every object in a folder, by name."""
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.g*")) if path.is_file()}


def everything_in(folder: Path) -> bytes:
    """Return all that a folder holds: the files' bytes, and every object unpacked."""
    found = b""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            found += data
            if data.startswith(b"BSTYSEG"):
                found += repr(read_segment(data).events()).encode()
    return found


def events_in(folder: Path) -> list[Sealed]:
    """Return the events of every object in a folder."""
    return [event for path in objects(folder).values() for event in read_segment(path.read_bytes()).events()]


def fact(seq: int, prev: str = "", *, writer: str = STRANGER, scope: str = "open/workspace", **fields: object) -> Held:
    """Return an event of a made-up writer, without parts."""
    header = {
        "v": 1, "kind": "DecisionConfirmed", "stream": f"{writer}/{scope}", "seq": seq, "prev": prev, "lamport": seq,
        "recorded_at": "2026-03-04T09:00:00.000000Z", "about": ["0" * 64], "parts": {},
    }  # fmt: skip
    return canonical({**header, **fields}), {}  # type: ignore[dict-item]


def facts(count: int, **fields: object) -> list[Held]:
    """Return a chain of events of a made-up writer."""
    made: list[Held] = []
    for seq in range(1, count + 1):
        made.append(fact(seq, event_id(made[-1][0]) if made else "", **fields))  # type: ignore[arg-type]
    return made


def put_segment(
    folder: Path,
    events: Sequence[Held],
    *,
    signer: Signer | None = None,
    generation: int = 1,
    owner: str = STRANGER,
    stream: str = f"{STRANGER}/open/workspace",
    named: int = 0,
) -> str:
    """Put events of one stream into a folder as their writer would; return the object's name.

    Args:
        folder: the remote.
        events: in order; the first one's number is the object's, unless `named` says another.
        signer: signs the last one.
        generation: of the object.
        owner: whose object it is.
        stream: whose directory it lies in.
        named: the number that the object's name says its first event has.
    """
    first = json.loads(events[0][0])["seq"]
    last = first + len(events) - 1
    signed = signer.sign(stream, last, event_id(events[-1][0])) if signer else None
    shown = named or first
    name = str(segment_name(directory_of(stream), owner, shown, shown + len(events) - 1, generation))
    FolderRemote(folder).publish([(name, write_segment(owner, events, signed=signed))], ())
    return name
