"""The memory of one tenant: the one place where transactions are opened.

Everything here can happen twice; each writing method's docstring names its idempotency key.
Appends and projections share one transaction; the vector index follows after commit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal

from store.core import events
from store.core.model import RECORDED_AT, WORKSPACE, DecisionId, Draft, Place, Question, Reader, Recall, Scope
from store.core.views import RebuildReport, Report
from store.erasing import Erasing
from store.errors import IndexBusy
from store.opening import prepared, rebuilt, settle, verified
from store.recall import Part, Recollection, VectorServer
from store.recording import Recording
from store.servers import HERE, Servers
from store.sql import captures, corroborating, migrations, union
from store.sql.address import Address
from store.sql.beside import Beside
from store.sql.digest import digest
from store.sql.engine import Database, tx_of
from store.sql.faults import BUSY_TIMEOUT_MS
from store.sql.noticed import named_by
from store.sql.queries import Rows
from store.sql.union import Envelope
from store.sql.words import Found, WordSearch
from store.sql.writing import BY_HAND, Writing
from store.syncing import Syncing

STOOD_DAYS = 14
"""Days after which a capture that nobody removed counts as kept: the time in which a card is seen."""


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


class Memory(Recording, Erasing, Syncing):
    """Bound to one tenant and safe among threads; open it once and close it at the end."""

    def __init__(
        self,
        home: Path,
        database: Database,
        beside: Beside,
        *,
        clock: Callable[[], datetime],
        index: Literal["own", "read", "off"],
        salt: Callable[[int], bytes],
        words: WordSearch | None = None,
        vectors: VectorServer | None = None,
    ) -> None:
        """Use `open` instead, which prepares the database."""
        self.home = home
        self.clock = clock
        self.beside = beside
        self.inbox, self.sessions, self.posts = self.beside.inbox, self.beside.sessions, self.beside.posts
        self.watch, self.members = self.beside.watch, self.beside.members
        self.nudges, self.rechecks = self.beside.nudges, self.beside.rechecks
        self.spending = self.beside.spending
        self.wanted, self.raised = self.beside.wanted, self.beside.raised
        self.proposals, self.lookbacks = self.beside.proposals, self.beside.lookbacks
        self._database = database
        self._salt = salt
        self._server_words = words
        self._recollection = Recollection(self._reading, home, role=index, clock=clock, words=words, vectors=vectors)
        self._recollection.start()

    @classmethod
    def open(
        cls,
        home: Path,
        *,
        clock: Callable[[], datetime] = utc_now,
        index: Literal["own", "read", "off"] = "read",
        salt: Callable[[int], bytes] = os.urandom,
        busy_ms: int = BUSY_TIMEOUT_MS,
        progress: Callable[[int, int], None] | None = None,
        servers: Servers = HERE,
    ) -> Memory:
        """Open the memory in a folder, making it if need be, or carrying it forward from an older version.

        Args:
            home: where memory.db, inbox.db and the vector index lie.
            clock: returns aware UTC.
            index: "own" takes the index's lock and follows the log, "read" only asks, "off" neither.
            salt: returns as many random bytes as asked.
            busy_ms: milliseconds that a writer waits for another process.
            progress: told how many of how many events are folded anew, where an older version wrote the database.
            servers: what lies elsewhere than in files in `home`.

        Raises:
            SchemaTooNew: a newer version wrote the database.
            NotADatabase: the file is damaged or something else.
            StoreError: the Postgres can't be reached, or refuses; its URL is none.
        """
        home.mkdir(mode=0o700, parents=True, exist_ok=True)  # what is recorded in private channels lies in it
        if (address := servers.address) is not None:
            return cls._on_postgres(
                home, address, clock=clock, index=index, salt=salt, busy_ms=busy_ms, chroma_url=servers.chroma_url
            )
        path = home / "memory.db"
        database = Database(path, busy_ms=busy_ms)
        prepared(home, database, salt=salt, progress=progress)
        beside = Beside.open(home / "inbox.db", clock)
        vectors = VectorServer(url=servers.chroma_url) if servers.chroma_url else None
        return cls(home, database, beside, clock=clock, index=index, salt=salt, vectors=vectors)

    @classmethod
    def _on_postgres(
        cls,
        home: Path,
        address: Address,
        *,
        clock: Callable[[], datetime],
        index: Literal["own", "read", "off"],
        salt: Callable[[int], bytes],
        busy_ms: int,
        chroma_url: str,
    ) -> Memory:
        from store.sql.postgres import opening as postgres  # its driver, for those who have a database of that kind
        from store.sql.postgres.locks import AdvisoryLock
        from store.sql.postgres.words import ServerWords

        database, _ = postgres.prepared(address, salt=salt, busy_ms=busy_ms)
        beside = Beside.on_postgres(address, clock)
        vectors = (
            VectorServer(url=chroma_url, name=address.tenant, owner=AdvisoryLock(address, "index"))
            if chroma_url
            else None
        )
        return cls(home, database, beside, clock=clock, index=index, salt=salt, words=ServerWords(), vectors=vectors)

    def close(self) -> None:
        """Close the database; the memory can't be used afterwards."""
        self._recollection.close()
        self.beside.close()
        self._database.close()

    @property
    def index_role(self) -> Literal["own", "read", "off"]:
        """What this memory does with the vector index: "read" where another process owns it."""
        return self._recollection.role

    # --- recalling ----------------------------------------------------------------------------

    def recall(self, question: Question, reader: Reader, *, without: Collection[Part] = ()) -> Recall:
        """Return what the memory has on a question, best first; it abstains rather than guess.

        `without` names steps of the ranking to leave out, for measuring what each is worth.
        """
        return self._recollection.recall(question, reader, without=without)

    def said_elsewhere(
        self, place: Place, drafts: Sequence[Draft], *, scope: Scope = WORKSPACE, thread: str
    ) -> tuple[Draft, ...]:
        """Return a thread's drafts, each with the decision of another place that it words again, where rules are sure.

        Admission settles what comes of it. `scope` is the place's, `thread` all that was said there. Everything is
        looked at, as nothing of another decision but its id is returned; what the scope's readers may see comes first.
        """
        if not drafts:
            return ()
        with self._reading() as rows:
            search, today = self._recollection.words, self.clock().date()
            return corroborating.said_elsewhere(rows, search, place, drafts, scope=scope, thread=thread, today=today)

    def by_words(
        self, words: Sequence[str], reader: Reader, *, limit: int, since: date | None = None, until: date | None = None
    ) -> Found:
        """Return decisions that hold plain words in lower case, by these alone and best first, days both included.

        `often` counts over all days; with a `limit` of 0 that is all there is.
        """
        with self._reading() as rows:
            return self._recollection.words.find(rows, words, reader, limit=limit, since=since, until=until)

    def follow(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Bring the vector index up to the log's end; returns how many texts were embedded.

        Does nothing where another process owns the index: its owner follows.
        """
        try:
            return self._recollection.follow(progress)
        except IndexBusy:
            return 0

    def index_lag(self) -> tuple[int, int] | None:
        """Return how far the vectors have followed the log and how far they could, as positions; None without them."""
        return self._recollection.lag()

    def _named_in(self, rows: Rows, text: str, reader: Reader) -> tuple[DecisionId, ...]:
        if self._server_words is None:
            return super()._named_in(rows, text, reader)
        return named_by(self._server_words, rows, text, reader)

    # --- transactions -------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[Rows]:
        with self._database.read() as connection:
            yield tx_of(connection).rows

    @contextmanager
    def _writing(self) -> Iterator[Writing]:
        with self._database.write() as connection:
            tx = tx_of(connection)  # who writes is asked each time: a sync that meets a copy of us takes a new id
            writing = Writing(tx, writer=migrations.writer_of(tx), now=self.clock(), salt=self._salt)
            yield writing
            writing.settle()
        self._recollection.wake()

    def _erased(self) -> None:
        """After the commit of an erasure: nothing of it stays in the index, the write-ahead log or as a vector."""
        settle(self._database)
        self._recollection.wake()

    # --- capturing ----------------------------------------------------------------------------

    def capture_counts(self, provenance: str) -> tuple[captures.Count, ...]:
        """Return how many captures of an extractor were kept and removed, by its full name and confidence."""
        stood = events.instant(self.clock() - timedelta(days=STOOD_DAYS))
        with self._reading() as rows:
            return captures.counts(rows, provenance, recorded_from=RECORDED_AT, stood_since=stood)

    def captures_in(self, scope: Scope, *, source: str) -> tuple[bool, ...]:
        """Return of each capture of a place whether people kept it or removed it, newest first.

        What nobody has said a word on counts once it stood for `STOOD_DAYS`, if it was captured as it happened.
        """
        stood = events.instant(self.clock() - timedelta(days=STOOD_DAYS))
        with self._reading() as rows:
            return captures.latest_in(
                rows, scope.id, source=source, by_hand=BY_HAND, recorded_from=RECORDED_AT, stood_since=stood
            )

    # --- keeping it sound ---------------------------------------------------------------------

    def envelopes(self, after: int = 0) -> tuple[Envelope, ...]:
        """Return the log's events after a position, as they travel to another machine."""
        with self._database.read() as connection:
            return tuple(union.envelopes(tx_of(connection), after))

    def receive(self, incoming: Iterable[Envelope]) -> int:
        """Take in another machine's events, in any order; return how many were new.

        Idempotency key: the event's id.

        Raises:
            LogDamaged: a part's text doesn't match its header, or a clock is out of range.
        """
        with self._writing() as tx:
            count = len(union.receive(tx.tx, incoming))
        self._erased()
        return count

    def digest(self, reader: Reader) -> str:
        """Return one hash of all that a reader can read, the same wherever the same facts are held."""
        with self._reading() as rows:
            return digest(rows, reader)

    def verify(self) -> Report:
        """Check the log's hashes and chains, and every projection against a fresh fold; changes nothing."""
        return self._and_synced(verified(self._database))

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> RebuildReport:
        """Fold the log anew into every projection; others may read and append meanwhile.

        Args:
            progress: told how many of how many events are folded.

        Raises:
            StoreBusy: another process is rebuilding.
        """
        started = time.monotonic()
        last = rebuilt(self.home, self._database, progress)
        self._recollection.wake()
        with self._reading() as rows:
            count = rows("SELECT count(*) AS number FROM decisions", {})[0]["number"]
        return RebuildReport(events=last, decisions=int(count), seconds=time.monotonic() - started)
