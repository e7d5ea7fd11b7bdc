"""One sync: take in what others published, give what is ours, note what was seen.

The union of all streams is what every machine ends with. Each step can happen twice: what was
taken in is known by its events' ids, what was given by the log itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from store import failpoints
from store.core.events import instant
from store.core.views import Fault
from store.sync.giving import Giving
from store.sync.inspecting import Inspected, inspected
from store.sync.log import Log
from store.sync.names import read_name
from store.sync.opened import EXPLAIN
from store.sync.remote import Listing, Remote
from store.sync.signing import Signer
from store.sync.state import FOREIGN, Standing, SyncState, Waiting
from store.sync.taking import MANY, Taking
from store.sync.trusting import Trust

TRIES = 5
"""How often a remote is listed anew within one sync since an object vanished while it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What a sync did. Counts are of events and of objects; `faults` is what waits, each with what to do."""

    remote: str
    received: int = 0
    sent: int = 0
    objects_written: int = 0
    objects_deleted: int = 0
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    history_dropped: bool = False
    writer: str = ""
    """The id that this database took since another copy of it writes under its old one; "" if none did."""


class Exchange:
    """One sync of a log with a remote."""

    def __init__(
        self,
        log: Log,
        remote: Remote,
        state: SyncState,
        *,
        now: datetime,
        spool: Path,
        scopes: Collection[str] = (),
        signer: Signer | None = None,
        many: int = MANY,
    ) -> None:
        """Prepare a sync.

        Args:
            log: this machine's.
            remote: opened for this sync.
            state: what was seen before.
            now: noted beside newly pinned keys.
            spool: a folder for large downloads, emptied afterwards.
            scopes: closed ones that go along, by id.
            signer: signs the tips of what is given, where that is wanted.
            many: events from which on other processes unpack them.
        """
        self._log, self._remote, self._state, self._spool = log, remote, state, spool
        self._scopes = tuple(sorted(scopes))
        self._signer, self._many = signer, many
        self._trust, self._now = Trust(state, now=instant(now)), now
        self._received = 0
        self._waiting: list[Waiting] = []
        self._notes: list[str] = []
        self._new_writer = self._mark = ""

    def run(self) -> Synced:
        """Take in and give.

        Raises:
            RemoteUnreachable: the remote doesn't answer now.
            RemoteRefused: it won't let us in.
        """
        self._log.finish_filling()
        where = self._remote.where
        self._mark = self._remote.mark()
        before = self._state.standing(where)
        if before is None:
            # Noted at once: of erasures that come in now, none is overlooked if this sync is killed.
            before = Standing(position=self._log.end())
            self._state.note_standing(where, before)
        now = Standing(mark=self._mark, position=self._log.end(), scopes=self._scopes)
        if self._mark and before == now and self._all_signed():
            return Synced(remote=where)
        listing, own = self._take()
        return self._give(listing, own, before)

    def _all_signed(self) -> bool:
        return self._signer is None or all(each.signed for each in self._state.published(self._remote.where).values())

    # --- taking -------------------------------------------------------------------------------

    def _take(self) -> tuple[Listing, Inspected]:
        for _ in range(TRIES):
            listing = self._remote.listing()
            mine = {self._log.writer(), *self._log.former()}
            names = [name for text in listing.objects if (name := read_name(text)) is not None]
            ours = [each for each in names if each.owner in mine]
            own = inspected(self._log, self._remote, self._state, listing, ours)
            if any(each.owner == self._log.writer() for each in own.strangers):
                # Before their events come in: the ends of our own chains are noted as they are now.
                self._new_writer = self._log.take_new_writer()
                continue
            others = [*(each for each in names if each.owner not in mine), *own.strangers, *own.newer]
            taking = Taking(self._log, self._remote, self._state, self._trust, spool=self._spool, many=self._many)
            taken = taking.take(listing, others)
            self._received += taken.new
            self._waiting = [*taken.waiting, *_foreign(listing)]
            failpoints.hit("sync.received.after")
            if not taken.vanished:
                return listing, own
        self._notes.append("objects kept vanishing while they were read, since others write too: sync again")
        return listing, own

    # --- giving -------------------------------------------------------------------------------

    def _give(self, listing: Listing, own: Inspected, before: Standing) -> Synced:
        where = self._remote.where
        self._log.take_out_late(self._now)
        end = self._log.end()
        giving = Giving(self._log, self._remote, self._state, scopes=self._scopes, signer=self._signer)
        since = before.position if before.position <= end else 0
        erased = self._log.erased_since(since, {self._log.writer(), *self._log.former()})
        self._log.finish_erasures(since)
        outgoing = giving.plan(listing, own, erased=erased)
        for owner in (self._log.writer(), *self._log.former()):
            self._remote.sweep(owner)
        written, mark = giving.publish(outgoing) if outgoing.writes or outgoing.gone else ({}, self._mark)
        failpoints.hit("sync.published.after")
        self._waiting += giving.waiting
        known = self._state.published(where)
        with self._state.writing():
            self._state.forget_published(where, [*(set(known) - set(own.own)), *outgoing.gone])
            self._state.note_published(
                where, {n: each for n, each in own.own.items() if n not in outgoing.gone} | written
            )
            self._state.note_waiting(where, self._waiting)
            standing = Standing(mark="" if self._faults() else mark, position=end, scopes=self._scopes)
            self._state.note_standing(where, standing)
        return Synced(
            remote=where,
            received=self._received,
            sent=outgoing.events,
            objects_written=len(written),
            objects_deleted=len(outgoing.gone),
            faults=self._faults(),
            notes=(*self._notes, *_mended(own), *self._withheld(outgoing.withheld), *_notes(self._waiting)),
            writer=self._new_writer,
        )

    def _faults(self) -> tuple[Fault, ...]:
        where = self._remote.where
        return tuple(
            Fault(what=each.what, where=f"{where}, {each.place}", remedy=each.remedy)
            for each in self._waiting
            if not each.is_note
        )

    def _withheld(self, scopes: Mapping[str, int]) -> list[str]:
        return [
            f"{count} facts of {scope} stay here since it was closed, erasures too, though earlier ones went out:"
            f" --scope {scope} sends them"
            for scope, count in sorted(scopes.items())
        ]


def _mended(own: Inspected) -> list[str]:
    count = len(own.spoiled)
    return (
        [f"{count} of our own objects there were damaged: deleted, and written anew where they go out"] if count else []
    )


def _foreign(listing: Listing) -> list[Waiting]:
    if not listing.foreign_count:
        return []
    shown = ", ".join(listing.foreign[:5]) + (" ..." if listing.foreign_count > 5 else "")
    what = f"{listing.foreign_count} files that are none of ours, left alone: {shown}"
    return [Waiting(place=FOREIGN, mark="", what=what, remedy=EXPLAIN)]


def _notes(waiting: list[Waiting]) -> list[str]:
    return [each.what for each in waiting if each.is_note]
