"""What this machine knows of each remote, in a small file beside the memory: `sync.db`.

Which objects were read or written, how far each stream was followed, what waits and why: with it
a sync reads only what changed. Lost, it costs time and never correctness, since the log says what
it holds. The pinned keys of other writers lie here too, as known hosts do for ssh: lost, each
writer's next signature is trusted as the first was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.core.views import Fault

_SCHEMA = 1
_OURS = 0x42535953
"""`PRAGMA application_id` of this file ("BSYS")."""

_TABLES = """
CREATE TABLE remotes (remote TEXT PRIMARY KEY, mark TEXT NOT NULL, position INTEGER NOT NULL, scopes TEXT NOT NULL);
CREATE TABLE paths (
  remote TEXT NOT NULL, owner TEXT NOT NULL, directory TEXT NOT NULL, stream TEXT NOT NULL, last INTEGER NOT NULL,
  tip TEXT NOT NULL, PRIMARY KEY (remote, owner, directory)) WITHOUT ROWID;
CREATE TABLE objects (remote TEXT NOT NULL, name TEXT NOT NULL, mark TEXT NOT NULL, PRIMARY KEY (remote, name))
  WITHOUT ROWID;
CREATE TABLE published (
  remote TEXT NOT NULL, name TEXT NOT NULL, mark TEXT NOT NULL, size INTEGER NOT NULL, stream TEXT NOT NULL,
  tip TEXT NOT NULL, signed INTEGER NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (remote, name)) WITHOUT ROWID;
CREATE TABLE waiting (
  remote TEXT NOT NULL, place TEXT NOT NULL, mark TEXT NOT NULL, what TEXT NOT NULL, remedy TEXT NOT NULL,
  PRIMARY KEY (remote, place)) WITHOUT ROWID;
CREATE TABLE keys (writer TEXT PRIMARY KEY, key TEXT NOT NULL, since TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tips (
  stream TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, signature TEXT NOT NULL,
  PRIMARY KEY (stream, id)) WITHOUT ROWID;
"""

BUSY_TIMEOUT_S = 10.0
"""How long to wait for another process that reads or writes this file: they take milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """How far the objects of one directory were taken in: up to which number of the stream, and that event's id."""

    stream: str
    last: int
    tip: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One object that this database wrote; `mark` is "" until a listing has shown it and its SHA-256 was right."""

    mark: str
    size: int
    stream: str
    tip: str
    signed: bool
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What is left alone until its mark changes, and why; `place` is an object's name or a stream's directory."""

    place: str
    mark: str
    what: str
    remedy: str

    @property
    def is_note(self) -> bool:
        """Whether it is worth knowing and no fault: files of somebody else's."""
        return self.place == FOREIGN


FOREIGN = "other files"
"""The place under which what is none of ours is noted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How the last whole sync left a remote: its mark, the log's position, and which closed scopes went along."""

    mark: str = ""
    position: int = 0
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedTip:
    """A stream's last event at some time, signed by its writer."""

    stream: str
    seq: int
    id: str
    key: str
    signature: str


class SyncState:
    """The file, opened for one sync or one check; close it at the end."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Use `open`."""
        self._connection = connection

    @classmethod
    def open(cls, home: Path) -> SyncState:
        """Open the file in a folder, making it if need be; one that can't be read is moved aside and made anew."""
        path = home / "sync.db"
        try:
            return cls(_connected(path))
        except (sqlite3.DatabaseError, _NotOurs):
            path.replace(path.with_suffix(".damaged"))
            return cls(_connected(path))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open a transaction for what is noted together."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    # --- remotes ------------------------------------------------------------------------------

    def remotes(self) -> tuple[str, ...]:
        """Return the remotes that were ever synced with, by name."""
        return tuple(row[0] for row in self._rows("SELECT remote FROM remotes ORDER BY remote"))

    def standing(self, remote: str) -> Standing | None:
        """Return how the last sync left a remote; None before the first."""
        for mark, position, scopes in self._rows("SELECT mark, position, scopes FROM remotes WHERE remote = ?", remote):
            return Standing(mark=mark, position=position, scopes=tuple(filter(None, scopes.split("\n"))))
        return None

    def note_standing(self, remote: str, standing: Standing) -> None:
        """Note how a sync left a remote."""
        self._run(
            "INSERT OR REPLACE INTO remotes VALUES (?, ?, ?, ?)",
            (remote, standing.mark, standing.position, "\n".join(standing.scopes)),
        )

    # --- others' objects ----------------------------------------------------------------------

    def followed(self, remote: str) -> dict[tuple[str, str], Followed]:
        """Return how far each directory was taken in, by owner and directory."""
        rows = self._rows("SELECT owner, directory, stream, last, tip FROM paths WHERE remote = ?", remote)
        return {(owner, name): Followed(stream=stream, last=last, tip=tip) for owner, name, stream, last, tip in rows}

    def note_followed(self, remote: str, path: tuple[str, str], followed: Followed) -> None:
        """Note how far a directory was taken in."""
        self._run(
            "INSERT OR REPLACE INTO paths VALUES (?, ?, ?, ?, ?, ?)",
            (remote, *path, followed.stream, followed.last, followed.tip),
        )

    def forget_path(self, remote: str, path: tuple[str, str]) -> None:
        """Follow a directory from its beginning again: the log doesn't hold what this file says."""
        self._run("DELETE FROM paths WHERE (remote, owner, directory) = (?, ?, ?)", (remote, *path))
        self._run("DELETE FROM objects WHERE remote = ? AND name GLOB ?", (remote, f"{path[0]}/{path[1]}/*"))

    def read_objects(self, remote: str) -> dict[str, str]:
        """Return the mark of each object that was read or needn't be, by name."""
        return dict(self._rows("SELECT name, mark FROM objects WHERE remote = ?", remote))

    def note_read(self, remote: str, marks: Mapping[str, str]) -> None:
        """Note that these objects, as they are now, need not be read again."""
        self._many("INSERT OR REPLACE INTO objects VALUES (?, ?, ?)", [(remote, *each) for each in marks.items()])

    def forget_objects(self, remote: str, names: Iterable[str]) -> None:
        """Forget others' objects that are gone."""
        self._many("DELETE FROM objects WHERE remote = ? AND name = ?", [(remote, name) for name in names])

    # --- our own ------------------------------------------------------------------------------

    def published(self, remote: str) -> dict[str, Published]:
        """Return what this database wrote to a remote, by name."""
        rows = self._rows(
            "SELECT name, mark, size, stream, tip, signed, digest FROM published WHERE remote = ?", remote
        )
        return {
            name: Published(mark=mark, size=size, stream=stream, tip=tip, signed=bool(signed), digest=digest)
            for name, mark, size, stream, tip, signed, digest in rows
        }

    def note_published(self, remote: str, objects: Mapping[str, Published]) -> None:
        """Note what this database wrote."""
        self._many(
            "INSERT OR REPLACE INTO published VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (remote, name, each.mark, each.size, each.stream, each.tip, int(each.signed), each.digest)
                for name, each in objects.items()
            ],
        )

    def forget_published(self, remote: str, names: Iterable[str]) -> None:
        """Forget what this database deleted."""
        self._many("DELETE FROM published WHERE remote = ? AND name = ?", [(remote, name) for name in names])

    # --- what waits ---------------------------------------------------------------------------

    def waiting(self, remote: str) -> dict[str, Waiting]:
        """Return what waits in a remote, by place."""
        rows = self._rows("SELECT place, mark, what, remedy FROM waiting WHERE remote = ? ORDER BY place", remote)
        return {row[0]: Waiting(place=row[0], mark=row[1], what=row[2], remedy=row[3]) for row in rows}

    def note_waiting(self, remote: str, waiting: Sequence[Waiting]) -> None:
        """Note all that waits in a remote now, in place of what did."""
        self._run("DELETE FROM waiting WHERE remote = ?", (remote,))
        self._many(
            "INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?, ?)",
            [(remote, each.place, each.mark, each.what, each.remedy) for each in waiting],
        )

    def faults(self) -> tuple[Fault, ...]:
        """Return everything that waits in any remote, as `verify` names it."""
        return tuple(
            Fault(what=each.what, where=f"{remote}, {each.place}", remedy=each.remedy)
            for remote, each in self._all_waiting()
            if not each.is_note
        )

    def notes(self) -> tuple[str, ...]:
        """Return what else is in any remote."""
        return tuple(f"{remote}: {each.what}" for remote, each in self._all_waiting() if each.is_note)

    def _all_waiting(self) -> list[tuple[str, Waiting]]:
        return [(remote, each) for remote in self.remotes() for each in self.waiting(remote).values()]

    # --- trust --------------------------------------------------------------------------------

    def keys(self) -> dict[str, str]:
        """Return the pinned public keys by writer."""
        return dict(self._rows("SELECT writer, key FROM keys"))

    def pin(self, writer: str, key: str, *, since: str) -> None:
        """Trust this key, and no other, for a writer."""
        self._run("INSERT OR REPLACE INTO keys VALUES (?, ?, ?)", (writer, key, since))

    def trust_anew(self, writer: str, key: str, *, since: str) -> None:
        """Pin another key for a writer, or ("") the next that it signs with; what waited is looked at again."""
        self._run("DELETE FROM keys WHERE writer = ?", (writer,))
        if key:
            self.pin(writer, key, since=since)
        self._run("DELETE FROM waiting WHERE place GLOB ?", (f"{writer}/*",))
        self._run("DELETE FROM tips WHERE stream GLOB ? AND key <> ?", (f"{writer}/*", key))
        self._run("UPDATE remotes SET mark = ''", ())

    def tips(self) -> tuple[SignedTip, ...]:
        """Return every signed tip that is kept, by stream and number."""
        rows = self._rows("SELECT stream, seq, id, key, signature FROM tips ORDER BY stream, seq, id")
        return tuple(
            SignedTip(stream=stream, seq=seq, id=id_, key=key, signature=signature)
            for stream, seq, id_, key, signature in rows
        )

    def note_tip(self, tip: SignedTip) -> None:
        """Keep a signed tip; earlier ones of its stream by the same key go, since it vouches for all before it."""
        self._run("DELETE FROM tips WHERE stream = ? AND key = ? AND seq < ?", (tip.stream, tip.key, tip.seq))
        self._run(
            "INSERT OR REPLACE INTO tips VALUES (?, ?, ?, ?, ?)", (tip.stream, tip.seq, tip.id, tip.key, tip.signature)
        )

    def _rows(self, sql: str, *parameters: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, parameters).fetchall()

    def _run(self, sql: str, parameters: Sequence[object]) -> None:
        self._connection.execute(sql, tuple(parameters))

    def _many(self, sql: str, given: Sequence[Sequence[object]]) -> None:
        if given:
            self._connection.executemany(sql, given)


class _NotOurs(Exception):
    """The file is of another program, or of a version that we don't read."""


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA journal_mode = WAL")
    with closing(connection.execute("PRAGMA user_version")) as cursor:
        version = cursor.fetchone()[0]
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    if version == 0 and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        marks = f"PRAGMA application_id = {_OURS}; PRAGMA user_version = {_SCHEMA};"
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} {marks} COMMIT;")
    elif (owner, version) != (_OURS, _SCHEMA):
        raise _NotOurs
