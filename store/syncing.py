"""The memory meets other machines: one whole sync.

Nothing of a remote is asked for within a transaction; what is taken in goes into the log in
transactions of about 0.1 s, so that nobody waits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from store.core.events import instant
from store.core.views import Fault, Report
from store.errors import StoreBusy
from store.memory_log import Erased, MemoryLog
from store.sql.tx import Tx
from store.sync.exchange import Exchange, Synced
from store.sync.remotes import open_remote
from store.sync.signing import Signer
from store.sync.state import SyncState
from store.sync.trusting import broken_tips

if TYPE_CHECKING:
    from store.sql.beside import Beside
    from store.sql.engine import Database

BUSY_WAIT_S = 60.0
"""How long a sync waits for another one of the same memory."""

SIGNED = "compare with another machine's memory; restore this one from a backup and sync it, or take the log from there"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOptions:
    """How to sync.

    `scopes` are closed ones that go along, by id. `sign` makes a key if there is none; with one,
    every sync signs. `trust` maps a writer to the public key to pin for it, or to "" to pin the
    next that it signs with. `new_writer` takes a new id first, as a copied store must. `drop_history`
    leaves nothing of what stood in the remote before, where it keeps that.
    """

    scopes: tuple[str, ...] = ()
    sign: bool = False
    trust: Mapping[str, str] = field(default_factory=dict)
    new_writer: bool = False
    drop_history: bool = False


def synced(home: Path, log: MemoryLog, address: str, options: SyncOptions, *, now: datetime) -> Synced:
    """Sync the log of a memory's folder with a remote; one process at a time.

    Raises:
        RemoteUnreachable: the remote doesn't answer now.
        RemoteRefused: it won't let us in, or the address is none.
        StoreBusy: another process kept syncing this memory.
    """
    caches = home / "sync"
    caches.mkdir(mode=0o700, exist_ok=True)
    try:
        with FileLock(home / "sync.lock", timeout=BUSY_WAIT_S), closing(SyncState.open(home)) as state:
            signer = Signer.made(home) if options.sign else Signer.open(home)
            for writer, key in options.trust.items():
                state.trust_anew(writer, key, since=instant(now))
            writer = log.take_new_writer() if options.new_writer else ""
            with closing(open_remote(address, caches)) as remote:
                exchange = Exchange(log, remote, state, now=now, spool=caches, scopes=options.scopes, signer=signer)
                done = exchange.run()
                dropped = options.drop_history and remote.drop_history()
    except Timeout as error:
        raise StoreBusy(f"{home}: another process is syncing this memory; let it end") from error
    return replace(done, writer=done.writer or writer, history_dropped=dropped)


class Syncing(ABC):
    """What brings a memory together with other machines' memories."""

    home: Path
    clock: Callable[[], datetime]
    beside: Beside
    _database: Database
    _salt: Callable[[int], bytes]

    @abstractmethod
    def _erased(self) -> None:
        """After the commit of an erasure: nothing of it stays in the write-ahead log or as a vector."""

    def sync(self, remote: str, options: SyncOptions = SyncOptions()) -> Synced:
        """Take in what other machines published to a remote, and publish what this one said in open scopes.

        Idempotency key: the events' ids; nothing is sent or read twice but after a crash.

        Args:
            remote: a folder, a git address, or `s3://bucket/prefix`.
            options: which closed scopes go along, signing, trust.

        Raises:
            RemoteUnreachable: the remote doesn't answer now.
            RemoteRefused: it won't let us in, or the address is none.
            StoreBusy: another process kept syncing this memory.
        """
        return synced(self.home, self._log(), remote, options, now=self.clock())

    def _and_synced(self, report: Report) -> Report:
        """Return a report of `verify` with what is wrong between this memory and others'."""
        if not (self.home / "sync.db").exists():
            return report
        with closing(SyncState.open(self.home)) as state:
            tips = broken_tips(state, self._log().places(tip.id for tip in state.tips()))
            faults = [
                Fault(what=what, where=f"stream {tip.stream}, event {tip.seq}", remedy=SIGNED) for tip, what in tips
            ]
            return replace(
                report, faults=(*report.faults, *faults, *state.faults()), notes=(*report.notes, *state.notes())
            )

    def _log(self) -> MemoryLog:
        fold = None if self._database.on_server else self._fold_anew
        return MemoryLog(self._read_log, self._write_log, salt=self._salt, erased=self._erased_elsewhere, fold=fold)

    def _fold_anew(self) -> None:
        from store.opening import rebuilt

        rebuilt(self.home, self._database, None)

    @contextmanager
    def _read_log(self) -> Iterator[Tx]:
        from store.sql.engine import tx_of  # not for a process that only syncs

        with self._database.read() as connection:
            yield tx_of(connection)

    @contextmanager
    def _write_log(self) -> Iterator[Tx]:
        from store.sql.engine import tx_of

        with self._database.write() as connection:
            yield tx_of(connection)

    def _erased_elsewhere(self, erased: Erased) -> None:
        self._erased()
        forget_beside(self.beside, erased)


def forget_beside(beside: Beside, erased: Erased) -> None:
    """Erase what lies beside the log as well; twice is once."""
    for _, turn in erased.turns:
        beside.forget_turn(turn, decisions=erased.decisions)
    for decision in erased.decisions:
        beside.forget_decision(decision)
    for channel in erased.channels:
        beside.forget_channel(channel, decisions=erased.decisions)
