"""The memory meets other machines: its log as a sync sees it, and one whole sync.

Nothing of a remote is asked for within a transaction; what is taken in goes into the log in
transactions of about 0.1 s, so that nobody waits.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from store.core.events import Kind, instant, scope_of_setting, writer_of
from store.core.model import channel_scope
from store.core.sealed import Sealed
from store.core.views import Fault, Report
from store.errors import LogDamaged, StoreBusy
from store.sql import schema
from store.sql.log import living_parts
from store.sql.tx import Tx
from store.sync.columns import Held
from store.sync.exchange import Exchange, Synced
from store.sync.log import Former, Tip
from store.sync.remotes import open_remote
from store.sync.signing import Signer
from store.sync.state import SyncState
from store.sync.trusting import broken_tips

if TYPE_CHECKING:
    from store.sql.beside import Beside
    from store.sql.bulk_log import Appending
    from store.sql.engine import Database
    from store.sql.union import Envelope

CHUNK_EVENTS = 250
"""Events that one transaction takes in at most: about 0.1 s of them."""

FOLD_FROM_SHARE = 0.1
"""Share of the log from which on folding it anew is quicker than folding what came (CONTRACTS: 10 %)."""

WORKERS = 2
"""Processes that unpack: one alone keeps up with the writing one, two let it never wait."""

BUSY_WAIT_S = 60.0
"""How long a sync waits for another one of the same memory."""

SIGNED = "compare with another machine's memory; restore this one from a backup and sync it, or take the log from there"

_FORMER = "former_writers"
"""Under which name `about_me` keeps the ids under which this database wrote before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What erasures name beside events: whole decisions, turns by (source, id), and channels by id."""

    decisions: tuple[str, ...]
    turns: tuple[tuple[str, str], ...]
    channels: tuple[str, ...] = ()


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


class MemoryLog:
    """A memory's log, each call in transactions of its own."""

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[Tx]],
        writing: Callable[[], AbstractContextManager[Tx]],
        *,
        salt: Callable[[int], bytes],
        erased: Callable[[Erased], None],
        fold: Callable[[], None] | None = None,
        swift: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Work through these transactions.

        `erased` is called before a sync ends with what erasures name: what lies beside the log has to
        go as well. `fold` folds the log into every projection anew; where there is none, very many
        events are taken in as few are. Within `swift` commits may reach the disk later.
        """
        self._reading, self._writing, self._salt, self._erased = reading, writing, salt, erased
        self._fold, self._swift = fold, swift

    # --- who we are ---------------------------------------------------------------------------

    def writer(self) -> str:
        """Return the id under which this database writes."""
        with self._reading() as tx:
            return schema.writer(tx.rows)

    def former(self) -> Mapping[str, Former]:
        """Return the ids under which it wrote before."""
        with self._reading() as tx:
            return _former(tx)

    def take_new_writer(self) -> str:
        """Write under a new id from now on, and keep where our own chains under the old one end."""
        with self._writing() as tx:
            old, new = schema.writer(tx.rows), self._salt(8).hex()
            former = {**_former(tx), old: Former(successor=new, tips=_tips(tx, old))}
            document = {
                writer: {
                    "successor": each.successor,
                    "tips": {stream: [tip.seq, tip.id] for stream, tip in each.tips.items()},
                }
                for writer, each in former.items()
            }
            rows = [{"name": "writer", "value": new}, {"name": _FORMER, "value": json.dumps(document)}]
            tx.insert("about_me", rows, on_conflict="replace")
        return new

    # --- what we hold -------------------------------------------------------------------------

    def end(self) -> int:
        """Return the position of the last event."""
        with self._reading() as tx:
            return int(tx.rows("SELECT coalesce(max(position), 0) AS position FROM events", {})[0]["position"])

    def tips(self, writer: str) -> Mapping[str, Tip]:
        """Return the last event of each of a writer's streams."""
        with self._reading() as tx:
            return _tips(tx, writer)

    def holds(self, ids: Iterable[str]) -> set[str]:
        """Return those of these event ids that the log holds."""
        asked = json.dumps(list(ids))
        with self._reading() as tx:
            return {row["id"] for row in tx.rows(_HELD, {"ids": asked})}

    def run(self, stream: str, first: int, last: int, tip: Tip) -> list[Held]:
        """Return a stream's events from `first` to `last` on the chain that ends at `tip`, in order."""
        with self._reading() as tx:
            rows = tx.rows(_RUN, {"stream": stream, "first": first, "last": last})
            if len(rows) > last - first + 1:
                ids = self._on_chain(tx, stream, first, tip)
                rows = [row for row in rows if row["id"] in ids]
        if [row["seq"] for row in rows] != list(range(first, last + 1)):
            raise LogDamaged(f"the log doesn't hold all events from {first} to {last}")
        return [(row["header"], living_parts(row)) for row in rows]

    def _on_chain(self, tx: Tx, stream: str, first: int, tip: Tip) -> set[str]:
        """Return the ids from `first` up to the tip, where a copied store left two events of one number."""
        links = tx.rows(_LINKS, {"stream": stream, "first": first, "last": tip.seq})
        prev = {row["id"]: row["prev"] for row in links}
        found, at = set(), tip.id
        while at in prev:
            found.add(at)
            at = prev[at]
        return found

    def erased_since(self, position: int, writers: Iterable[str]) -> set[tuple[str, int]]:
        """Return the stream and number of these writers' events that erasures after a position reach."""
        ours = frozenset(writers)
        with self._reading() as tx:
            found = _redactions(tx, position)
            events = sorted({event for each in found for event in each.get("events", ())})
            decisions = sorted({decision for each in found for decision in each.get("decisions", ())})
            scopes = [channel_scope(each["channel"]["id"]) for each in found if each.get("channel")]
            streams = [f"{writer}/{openness}/{scope}" for scope in scopes for writer in ours for openness in _OPENNESS]
            asked = {name: json.dumps(each) for name, each in
                     (("events", events), ("decisions", decisions), ("streams", streams))}  # fmt: skip
            rows = tx.rows(_HIT, asked) if events or decisions or streams else ()
        return {(row["stream"], row["seq"]) for row in rows if writer_of(row["stream"]) in ours}

    def finish_erasures(self, position: int) -> None:
        """Erase beside the log, and from the files' corners, what erasures after a position name."""
        with self._reading() as tx:
            found = _redactions(tx, position)
        if found:
            turns = {(each["turn"]["source"], each["turn"]["id"]) for each in found if each.get("turn")}
            decisions = {decision for each in found for decision in each.get("decisions", ())}
            channels = {each["channel"]["id"] for each in found if each.get("channel")}
            self._erased(
                Erased(decisions=tuple(sorted(decisions)), turns=tuple(sorted(turns)), channels=tuple(sorted(channels)))
            )

    def openness(self) -> Mapping[str, bool]:
        """Return the scopes that were opened or closed after things were said in them."""
        with self._reading() as tx:
            rows = tx.rows("SELECT name, value FROM settings WHERE name GLOB 'scope:*'", {})
        return {scope: row["value"] == "yes" for row in rows if (scope := scope_of_setting(row["name"]))}

    def scopes(self) -> set[str]:
        """Return the ids of the scopes in which this database ever wrote."""
        with self._reading() as tx:
            return {stream.split("/", 2)[2] for stream in _tips(tx, schema.writer(tx.rows))}

    def places(self, ids: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Return stream and number of these events, by id, where the log holds them."""
        with self._reading() as tx:
            rows = tx.rows(_PLACES, {"ids": json.dumps(list(ids))})
        return {row["id"]: (row["stream"], row["seq"]) for row in rows}

    # --- what comes in ------------------------------------------------------------------------

    def receive(self, events: Sequence[Sealed]) -> int:
        """Take events in, in several short transactions; return how many were new."""
        if not events:
            return 0
        from store.sql.union import receive  # the projections: not for a sync that finds nothing new

        new = 0
        for start in range(0, len(events), CHUNK_EVENTS):
            chunk = events[start : start + CHUNK_EVENTS]
            held = self.holds(each.id for each in chunk)
            if fresh := [_envelope(each) for each in chunk if each.id not in held]:
                with self._writing() as tx:
                    new += len(receive(tx, fresh))
        return new

    def receive_many(self, jobs: Sequence[Callable[[], Iterable[Sealed]]], count: int) -> int:
        """Take in what these jobs yield: into the log first, then every projection is folded anew."""
        if self._fold is None or count < self.end() * FOLD_FROM_SHARE:
            return sum(self.receive(list(job())) for job in jobs)
        from store.sql import bulk_log
        from store.sql.crew import Crew

        new = 0
        with self._writing() as tx:
            filling = bulk_log.Appending(tx)
        with self._swift():
            with Crew(WORKERS) as crew:
                for rows in crew.results([bulk_log.Unpacking(job=job) for job in jobs]):
                    for piece in bulk_log.pieces(rows):
                        with self._writing() as tx:
                            new += filling.append(tx, piece)
            self._finish(filling)
        self._fold_what_came()
        return new

    def finish_filling(self) -> None:
        """Finish what a killed sync left of a log that was filled and not folded."""
        with self._reading() as tx:
            if not tx.rows("SELECT value FROM about_me WHERE name = :name", {"name": schema.LOG_AHEAD}):
                return
        from store.sql import bulk_log

        with self._writing() as tx:
            filling = bulk_log.Appending(tx)
        self._finish(filling)
        self._fold_what_came()

    def _finish(self, filling: Appending) -> None:
        for write in filling.steps():
            with self._writing() as tx:
                write(tx)

    def _fold_what_came(self) -> None:
        """Bring the projections up to a log that is ahead of them, blanking first what was erased."""
        from store.sql import bulk_log

        with self._reading() as tx:
            ids = bulk_log.erasures(tx)
        for start in range(0, len(ids), bulk_log.ERASURES_AT_ONCE):
            with self._writing() as tx:
                bulk_log.erase_again(tx, ids[start : start + bulk_log.ERASURES_AT_ONCE])
        if self._fold is not None:
            self._fold()
        with self._writing() as tx:
            bulk_log.end(tx)


_PLACES = """
SELECT e.id, e.stream, e.seq FROM event_ids i JOIN events e ON e.position = i.position
WHERE i.id IN (SELECT value FROM json_each(:ids))
"""
_HELD = "SELECT id FROM event_ids WHERE id IN (SELECT value FROM json_each(:ids))"

_RUN = """
SELECT e.seq, e.id, e.header, e.salts, e.parts
FROM events e WHERE e.stream = :stream AND e.seq BETWEEN :first AND :last ORDER BY e.seq, e.position
"""

_LINKS = """
SELECT e.id, e.header ->> 'prev' AS prev FROM events e WHERE e.stream = :stream AND e.seq BETWEEN :first AND :last
"""

_ERASURES = """
SELECT e.parts ->> '$.redaction' AS body FROM events e
WHERE e.position > :position AND e.kind = :kind AND e.parts ->> '$.redaction' IS NOT NULL
"""

_HIT = """
SELECT e.stream, e.seq FROM event_ids i JOIN events e ON e.position = i.position
WHERE i.id IN (SELECT value FROM json_each(:events))
UNION
SELECT e.stream, e.seq FROM event_about a JOIN events e ON e.position = a.position
WHERE a.target IN (SELECT value FROM json_each(:decisions))
UNION
SELECT e.stream, e.seq FROM events e WHERE e.stream IN (SELECT value FROM json_each(:streams))
"""

_OPENNESS = ("open", "closed")
"""What streams of one writer and scope there may be (`store.core.events.stream_of`)."""


def _redactions(tx: Tx, position: int) -> list[Mapping[str, Any]]:
    rows = tx.rows(_ERASURES, {"position": position, "kind": Kind.TEXT_REDACTED.value})
    return [json.loads(row["body"]) for row in rows]


def _former(tx: Tx) -> dict[str, Former]:
    found = tx.rows("SELECT value FROM about_me WHERE name = :name", {"name": _FORMER})
    document = json.loads(found[0]["value"]) if found else {}
    return {
        writer: Former(
            successor=each["successor"],
            tips={stream: Tip(seq=tip[0], id=tip[1]) for stream, tip in each["tips"].items()},
        )
        for writer, each in document.items()
    }


def _tips(tx: Tx, writer: str) -> dict[str, Tip]:
    """Go from stream to stream through the index: a memory may hold a million events of one."""
    tips: dict[str, Tip] = {}
    after, end = f"{writer}/", f"{writer}0"  # the sign after the slash
    while found := tx.rows(
        "SELECT min(stream) AS stream FROM events WHERE stream > :after AND stream < :before"
        " HAVING min(stream) IS NOT NULL",
        {"after": after, "before": end},
    ):
        after = found[0]["stream"]
        last = tx.rows(
            "SELECT seq, id FROM events WHERE stream = :stream ORDER BY seq DESC, position DESC LIMIT 1",
            {"stream": after},
        )[0]
        tips[after] = Tip(seq=int(last["seq"]), id=str(last["id"]))
    return tips


def _envelope(event: Sealed) -> Envelope:
    from store.sql.union import Envelope

    parts = {name: None if salt is None or body is None else (salt, body) for name, salt, body in event.parts}
    return Envelope(header=event.header, parts=parts)


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
