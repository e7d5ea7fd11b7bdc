"""Dense retrieval: Chroma, embedded in a folder of its own; vectors and ids only, never texts.

```
home/index.lock          held by the one process that writes
home/index/current       the name of the generation in use
home/index/g000001/      one generation: Chroma's files and cursor.json
```

A generation is never repaired. What is lost, damaged, made by another model or to be purged of
deleted vectors is made anew as the next generation, and the old one is removed. So the folder can
be deleted at any time: it comes back from the log.

Open decisions lie in a collection that needs no filter, closed ones in another, filtered by scope:
Chroma's metadata filters are slow. A decision has one vector for each of its passages.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import date
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store.core.model import DecisionId, Reader, Scope
from store.core.passages import VERSION
from store.errors import StoreError
from store.index.embedder import Embedder
from store.index.vendors import vendor

if TYPE_CHECKING:
    from store.index.embedder import Vector

HNSW = {
    "space": "cosine",
    "max_neighbors": 24,
    "ef_construction": 128,
    "ef_search": 150,
    "batch_size": 1000,
    "sync_threshold": 10_000,
}
"""Measured at 100,000 vectors: .987 of the true nearest at 1.5 ms, against .948 with Chroma's defaults."""

BATCH = 1_000
"""Vectors a call; Chroma refuses more than 5,461."""

PASSAGES_A_DECISION = 3
"""Passages asked for, for each decision wanted: several of one decision may be among the nearest."""

OPEN, CLOSED = "decisions-open", "decisions-closed"


class IndexAway(StoreError):
    """The vectors can't be asked: not made yet, deleted, damaged or of another model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What the index is to hold of one decision; no passages: nothing any more.

    `erased` says that its text was erased, so that its vectors have to leave the files too.
    """

    decision: DecisionId
    position: int
    scope: Scope
    day: date
    passages: tuple[str, ...]
    erased: bool = False

    def by_id(self) -> dict[str, str]:
        """Return the passages by their vectors' ids, which change with whatever a vector depends on."""
        told = f"{self.scope.id}|{self.scope.open}|{self.day.isoformat()}|"
        return {f"{self.decision}#{sha256((told + each).encode()).hexdigest()[:16]}": each for each in self.passages}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far a generation has followed the log, and what it holds by its own count.

    `log` names the log that it followed: another one of the same length isn't taken for it.
    `purge` says that vectors of texts that are gone still lie in the files.
    """

    model: str
    log: str
    position: int = 0
    passages: int = 0
    purge: bool = False


class DenseIndex:
    """The vectors of one tenant's decisions. Thread-safe; `put` and `renew` are for the lock's holder."""

    def __init__(self, folder: Path, embedder: Embedder, *, log: str = "") -> None:
        """Bind to a folder; nothing is opened or imported before the first use."""
        self.folder = folder
        self.embedder = embedder
        self._made_by = f"{embedder.name}, passages {VERSION}"
        self._log = log
        self._lock = threading.RLock()
        self._opened: Generation | None = None
        self._latest = 0
        """The number of the last generation: none comes twice, as Chroma remembers paths while it runs."""

    # --- asking -------------------------------------------------------------------------------

    def search(
        self, vector: Vector, reader: Reader, *, limit: int, since: date | None = None, until: date | None = None
    ) -> tuple[tuple[DecisionId, float], ...]:
        """Return (decision, cosine) of the nearest passages that the reader may read, best first.

        Raises:
            IndexAway: there is nothing to ask, or it is damaged.
        """
        with self._generation() as generation:
            best: dict[DecisionId, float] = {}
            for name, where in _reachable(reader, _days(since, until)):
                for decision, cosine in generation.nearest(name, vector, where, limit * PASSAGES_A_DECISION):
                    best[decision] = max(cosine, best.get(decision, -1.0))
        return tuple(sorted(best.items(), key=lambda each: (-each[1], each[0]))[:limit])

    def cursor(self) -> Cursor | None:
        """Return how far the generation in use has followed; None if there is none that serves."""
        try:
            with self._generation() as generation:
                return generation.cursor
        except IndexAway:
            return None

    def counted(self) -> int:
        """Return how many passages Chroma says it holds.

        Raises:
            IndexAway: there is nothing to ask, or it is damaged.
        """
        with self._generation() as generation:
            return generation.count()

    def sample(self, many: int) -> tuple[tuple[str, bool], ...]:
        """Return some passages' ids and whether each is found by its own vector.

        After many deletes Chroma can hold records that no search reaches (its issue 7758).

        Raises:
            IndexAway: there is nothing to ask, or it is damaged.
        """
        with self._generation() as generation:
            return tuple(generation.sample(many))

    # --- writing ------------------------------------------------------------------------------

    def put(self, entries: Sequence[Entry], *, position: int) -> int:
        """Hold what the entries say, then remember the position; return the passages embedded.

        Idempotency key: the passage's id; what is held already isn't embedded again.

        Raises:
            IndexAway: the generation is gone or damaged; `renew` it.
        """
        with self._generation() as generation:
            held = generation.held([entry.decision for entry in entries])
            wanted = {id: entry for entry in entries for id in entry.by_id()}
            records = {
                name: tuple(_records((each for each in entries if each.scope.open is is_open), held, self.embedder))
                for name, is_open in ((OPEN, True), (CLOSED, False))
            }
            for name, given in records.items():
                generation.add(name, given)
            gone = sorted(held - wanted.keys())
            generation.remove(gone)
            ended = {entry.decision for entry in entries if entry.erased or entry.passages}
            generation.remember(position, purge=any(_decision_of(id) in ended for id in gone))
        return sum(map(len, records.values()))

    def renew(self, *, keep: bool = False) -> None:
        """Begin the next generation and remove the others.

        Args:
            keep: carry the living vectors over, for a generation that is sound but still has
                deleted vectors in its files; otherwise it starts empty, at position 0.

        Raises:
            IndexAway: the folder can't be written, or went away meanwhile.
        """
        with self._lock:
            try:
                self._renew(keep=keep)
            except vendor_errors() as error:
                raise IndexAway(f"{self.folder}: can't be written ({error})") from error

    def _renew(self, *, keep: bool) -> None:
        old = self._opened_or_none() if keep else None
        self._latest = 1 + max(self._latest, *(int(each.name[1:]) for each in self._generations()), 0)
        path = self.folder / f"g{self._latest:06}"
        path.mkdir(parents=True)
        new = Generation.begin(path, model=self._made_by, log=self._log)
        if old is not None:
            for name in (OPEN, CLOSED):
                new.add(name, old.records(name))
            new.remember(old.cursor.position)
        self._drop()
        self._opened = new
        _write(self.folder / "current", path.name)
        for each in self._generations():
            if each != path:
                shutil.rmtree(each, ignore_errors=True)

    def spoil(self) -> None:
        """Let the generation in use serve no longer: something of it is damaged."""
        with self._lock:
            self._drop()
            with suppress(OSError):
                (self.folder / "current").unlink()

    def close(self) -> None:
        """Let go of the files; the next use opens them afresh."""
        with self._lock:
            self._drop()

    # --- the generation in use ----------------------------------------------------------------

    @contextmanager
    def _generation(self) -> Iterator[Generation]:
        with self._lock:
            generation = self._fresh()
            generation.users += 1
        try:
            yield generation
        except vendor_errors() as error:
            raise IndexAway(f"{generation.path}: the vector index is damaged ({type(error).__name__})") from error
        finally:
            with self._lock:
                generation.users -= 1
                if generation is not self._opened:
                    generation.close_unless_used()

    def _fresh(self) -> Generation:
        """Return the generation in use as its files stand, reopening what somebody else has written."""
        opened = self._opened
        if opened is not None and opened.is_as_opened():
            return opened
        self._drop()
        try:
            path = self.folder / (self.folder / "current").read_text(encoding="utf-8").strip()
            cursor = _read_cursor(path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexAway(f"{self.folder}: no vector index yet") from error
        if (cursor.model, cursor.log) != (self._made_by, self._log):
            raise IndexAway(f"{path}: made by another model or of another log")
        try:
            self._opened = Generation(path, cursor)
        except vendor_errors() as error:
            raise IndexAway(f"{path}: the vector index is damaged ({type(error).__name__})") from error
        return self._opened

    def _opened_or_none(self) -> Generation | None:
        try:
            return self._fresh()
        except IndexAway:
            return None

    def _generations(self) -> list[Path]:
        return sorted(each for each in self.folder.glob("g*") if each.name[1:].isdigit())

    def _drop(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close_unless_used()


class Generation:
    """One folder of Chroma's, opened."""

    def __init__(self, path: Path, cursor: Cursor) -> None:
        """Open the files of a generation."""
        self.path = path
        self.cursor = cursor
        self.users = 0
        self._client = _client(path)
        self._collections = {name: _collection(self._client, name) for name in (OPEN, CLOSED)}
        self._stamp = self._files()

    @classmethod
    def begin(cls, path: Path, *, model: str, log: str) -> Generation:
        """Make an empty one in an empty folder."""
        cursor = Cursor(model=model, log=log)
        _write_cursor(path, cursor)
        return cls(path, cursor)

    def _files(self) -> tuple[object, ...]:
        """What changes when somebody else writes, replaces or deletes the files."""
        try:
            return ((self.path / "chroma.sqlite3").stat().st_ino, _read_cursor(self.path))
        except (OSError, ValueError, KeyError, TypeError):
            return ()

    def is_as_opened(self) -> bool:
        """Say whether nobody else has written, replaced or deleted the files since."""
        return bool(self._stamp) and self._files() == self._stamp

    def nearest(
        self, name: str, vector: Vector, where: dict[str, Any] | None, limit: int
    ) -> Iterator[tuple[DecisionId, float]]:
        """Yield (decision, cosine) of a collection's nearest passages."""
        if not self.cursor.passages:
            return
        found = self._collections[name].query(
            query_embeddings=[vector], n_results=limit, where=where, include=["distances"]
        )
        for id, distance in zip(found["ids"][0], (found["distances"] or [[]])[0], strict=True):
            yield _decision_of(id), 1.0 - float(distance)

    def count(self) -> int:
        """Return how many passages there are."""
        return sum(each.count() for each in self._collections.values())

    def sample(self, many: int) -> Iterator[tuple[str, bool]]:
        """Yield some passages' ids and whether each is found by its own vector."""
        for each in self._collections.values():
            got = each.get(limit=many, include=["embeddings"])
            for id, vector in zip(got["ids"], got["embeddings"] if got["embeddings"] is not None else (), strict=True):
                found = each.query(query_embeddings=[vector], n_results=PASSAGES_A_DECISION, include=["distances"])
                nearest = (found["distances"] or [[]])[0]
                yield id, bool(nearest) and nearest[0] < _SAME

    def held(self, decisions: Sequence[DecisionId]) -> set[str]:
        """Return the ids of all vectors of those decisions."""
        if not self.cursor.passages:
            return set()
        where = {"decision": {"$in": list(decisions)}}
        return {id for each in self._collections.values() for id in each.get(where=where, include=[])["ids"]}

    def remove(self, ids: Sequence[str]) -> None:
        """Delete vectors by id."""
        for each in self._collections.values():
            for start in range(0, len(ids), BATCH):
                each.delete(ids=list(ids[start : start + BATCH]))

    def add(self, name: str, records: Iterable[_Record]) -> None:
        """Hold these vectors in a collection."""
        waiting = iter(records)
        while batch := list(islice(waiting, BATCH)):
            self._collections[name].upsert(
                ids=[each.id for each in batch],
                embeddings=[each.vector for each in batch],
                metadatas=[each.metadata for each in batch],
            )

    def records(self, name: str) -> Iterator[_Record]:
        """Yield what a collection holds, as `add` takes it."""
        collection, offset = self._collections[name], 0
        while True:
            got = collection.get(limit=BATCH, offset=offset, include=["embeddings", "metadatas"])
            vectors, metadatas = got["embeddings"], got["metadatas"]
            if not got["ids"] or vectors is None or metadatas is None:
                return
            for id, vector, metadata in zip(got["ids"], vectors, metadatas, strict=True):
                yield _Record(id=id, vector=vector, metadata=dict(metadata))
            offset += BATCH

    def remember(self, position: int, *, purge: bool = False) -> None:
        """Keep how far the log is followed."""
        purge = purge or self.cursor.purge
        self.cursor = replace(self.cursor, position=position, passages=self.count(), purge=purge)
        _write_cursor(self.path, self.cursor)
        self._stamp = self._files()

    def close_unless_used(self) -> None:
        """Let go of the files, or leave that to the last thread that still searches them."""
        if not self.users:
            with suppress(*vendor_errors()):
                self._client.close()


_SAME = 0.01
"""Cosine distance below which a vector has found itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    id: str
    vector: Vector
    metadata: dict[str, str | int]


def _records(entries: Iterable[Entry], held: set[str], embedder: Embedder) -> Iterator[_Record]:
    """Yield what isn't held yet, each passage embedded as it comes."""
    for entry in entries:
        missing = {id: text for id, text in entry.by_id().items() if id not in held}
        metadata: dict[str, str | int] = {
            "decision": entry.decision,
            "scope": entry.scope.id,
            "day": entry.day.toordinal(),
        }
        for id, vector in zip(missing, embedder.embed(tuple(missing.values())), strict=True):
            yield _Record(id=id, vector=vector, metadata=metadata)


def _decision_of(id: str) -> DecisionId:
    """Return whose passage a vector is, by its id: reading metadata costs more than the search itself."""
    return DecisionId(id.partition("#")[0])


def _reachable(reader: Reader, days: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """Yield the collections that a reader may read, each with the filter that it needs."""
    named: dict[str, Any] = {"scope": {"$in": sorted(reader.scopes)}}
    if reader.sees_all or reader.sees_open:
        yield OPEN, _all_of(days)
    elif reader.scopes:
        yield OPEN, _all_of([named, *days])
    if reader.sees_all:
        yield CLOSED, _all_of(days)
    elif reader.scopes:
        yield CLOSED, _all_of([named, *days])


def _days(since: date | None, until: date | None) -> list[dict[str, Any]]:
    first: list[dict[str, Any]] = [{"day": {"$gte": since.toordinal()}}] if since else []
    return [*first, {"day": {"$lte": until.toordinal()}}] if until else first


def _all_of(conditions: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not conditions:
        return None
    return conditions[0] if len(conditions) == 1 else {"$and": conditions}


def _client(path: Path) -> Any:
    settings = vendor("chromadb.config").Settings(anonymized_telemetry=False)
    return vendor("chromadb").PersistentClient(path=str(path), settings=settings)


def _collection(client: Any, name: str) -> Any:
    return client.get_or_create_collection(name, embedding_function=None, configuration={"hnsw": HNSW})


def vendor_errors() -> tuple[type[BaseException], ...]:
    """Return what Chroma raises, its client for a server included."""
    away = vendor("httpx").HTTPError
    return (vendor("chromadb.errors").ChromaError, away, OSError, RuntimeError, ValueError)


def _read_cursor(path: Path) -> Cursor:
    return Cursor(**json.loads((path / "cursor.json").read_text(encoding="utf-8")))


def _write_cursor(path: Path, cursor: Cursor) -> None:
    _write(path / "cursor.json", json.dumps(asdict(cursor)))


def _write(path: Path, text: str) -> None:
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)
