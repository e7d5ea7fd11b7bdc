"""Keeps the vectors level with the log: one owner at a time follows it by position.

The owner holds `home/index.lock`. Everybody else appends to the log and leaves the following to
the owner; who only asks opens the index fresh. Following can stop anywhere and be done again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

from filelock import FileLock, Timeout

from store import failpoints
from store.errors import IndexBusy, StoreError
from store.index.dense import DenseIndex, Entry, IndexAway

Role = Literal["own", "read", "off"]
Progress = Callable[[int, int], None]
"""Told (positions followed, positions in all) after each batch."""

BATCH = 32
"""Decisions embedded between two looks at whether to stop: less than a second of work."""

POLL_S = 1.0
"""Seconds between two looks at the log: what another process appended is searchable by then."""

CHECKED = 16
"""Passages of each collection that are looked up by their own vector when the owner starts."""

RENEWALS = 3
"""Times that one call of `follow` begins a new generation before it leaves that to the next one."""


class Log(Protocol):
    """What a follower needs to know of the log."""

    def entries(self, after: int, limit: int) -> Sequence[Entry]:
        """Return decisions changed after a position, by position, those of one position together."""
        ...

    def end(self) -> int:
        """Return the last position at which a decision changed; 0 for an empty log."""
        ...


class Ownership(Protocol):
    """Who writes the index: one process at a time."""

    def take(self) -> bool:
        """Hold it from now on if nobody else does; True while it is held. Twice is once."""
        ...

    def release(self) -> None:
        """Let go of it. Twice is once."""
        ...


class FileOwnership:
    """The lock of an index in a folder."""

    def __init__(self, path: Path) -> None:
        """Name the file; it is made when the lock is taken."""
        self._lock = FileLock(str(path), thread_local=False)

    def take(self) -> bool:
        """Hold it from now on if nobody else does; True while it is held. Twice is once."""
        if not self._lock.is_locked:
            try:
                self._lock.acquire(timeout=0)
            except Timeout:
                return False
        return True

    def release(self) -> None:
        """Let go of it. Twice is once."""
        self._lock.release(force=True)


class Follower:
    """Follows the log for one index; thread-safe. `role` is "own" only while it holds the lock.

    Who was started, wanted to own and found an owner takes over when that one ends.
    """

    def __init__(self, index: DenseIndex, log: Log, *, lock: Path | Ownership, role: Role) -> None:
        """Take the lock if asked to own; if another process holds it, only read.

        Args:
            index: the vectors.
            log: where changes come from.
            lock: says who owns the index: a file, or what serves many machines.
            role: what is wanted; `self.role` says what it came to.
        """
        self._index = index
        self._log = log
        self._lock: Ownership = FileOwnership(lock) if isinstance(lock, Path) else lock
        self._following = threading.Lock()
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._checked = False
        self._wanted = role
        self.role: Role = "read" if role == "own" else role
        self._is_owner()

    def follow(self, progress: Progress | None = None) -> int:
        """Catch up to the log's end and return how many passages were embedded.

        Without the lock it is taken for as long as this takes.

        Raises:
            IndexBusy: another process owns the index and follows by itself.
            IndexAway: the folder can't be written.
        """
        if self.role == "off":
            return 0
        if self.role == "own":
            with self._following:
                return self._catch_up(progress)
        with self._following:
            if not self._lock.take():
                raise IndexBusy(f"{self._index.folder}: another process follows the log; leave it to that one")
            try:
                return self._catch_up(progress)
            finally:
                self._lock.release()

    def lag(self) -> tuple[int, int]:
        """Return how far the vectors have followed and where the log's last change of a decision is, as positions."""
        cursor = self._index.cursor()
        return (cursor.position if cursor is not None else 0), self._log.end()

    def start(self) -> None:
        """Follow in a thread of its own until `close`, once the lock is free; nothing happens for who only reads."""
        if self._wanted == "own" and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="index-follower", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Look at the log now rather than within `POLL_S`."""
        self._woken.set()

    def close(self) -> None:
        """Stop following, let go of the lock and of the files."""
        self._stopping.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._index.close()
        self._lock.release()

    # --- following ----------------------------------------------------------------------------

    def _is_owner(self) -> bool:
        """Take the lock if it is wanted and free; say whether this one holds it."""
        if self._wanted == "own":
            with self._following:
                self.role = "own" if self._lock.take() else "read"
        return self.role == "own"

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._woken.clear()
            try:
                if self._is_owner():
                    self.follow()
            except (StoreError, OSError):
                self._checked = False  # whatever is wrong with folder or database, look again at the next turn
            self._woken.wait(POLL_S)

    def _catch_up(self, progress: Progress | None) -> int:
        embedded = renewed = failed = 0
        self._check()
        while not self._stopping.is_set():
            cursor = self._index.cursor()
            end = self._log.end()
            if cursor is None or cursor.position > end:
                if renewed == RENEWALS:
                    raise IndexAway(f"{self._index.folder}: the vector index does not stay")
                self._index.renew()
                renewed += 1
                continue
            entries = self._log.entries(cursor.position, BATCH) if cursor.position < end else ()
            if not entries:
                break
            failpoints.hit("index.before")
            try:
                embedded += self._index.put(entries, position=entries[-1].position)
            except IndexAway:
                failed += 1
                if failed > RENEWALS:
                    raise
                self._index.spoil()
                continue
            failpoints.hit("index.after")
            if progress is not None:
                progress(entries[-1].position, end)
        if (cursor := self._index.cursor()) is not None and cursor.purge:
            self._index.renew(keep=True)
        return embedded

    def _check(self) -> None:
        """Once an owner: count, and look some passages up by their own vector; else begin anew."""
        if self._checked:
            return
        cursor = self._index.cursor()
        if cursor is not None:
            try:
                sound = self._index.counted() == cursor.passages
                sound = sound and all(found for _, found in self._index.sample(CHECKED))
            except IndexAway:
                sound = False
            if not sound:
                self._index.renew()
        self._checked = True
