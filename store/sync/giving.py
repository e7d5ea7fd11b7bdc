"""Giving our own streams: what is new, what an erasure changed, and small objects merged into larger ones.

This database writes in the directories of its own ids alone. What is to be read by others is put
before what it takes the place of is deleted, so that whoever reads meanwhile finds everything, if
perhaps twice; killed in between, the next sync finds both and deletes the old.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from store.core.events import event_id, scope_of
from store.core.ids import sha256
from store.errors import LogDamaged
from store.sync import plan
from store.sync.inspecting import Inspected
from store.sync.log import Former, Log, Tip
from store.sync.names import SegmentName, directory_of, read_name, segment_name
from store.sync.remote import Listing, Put, Remote
from store.sync.segment import write_segment
from store.sync.signing import Signer
from store.sync.state import Published, SignedTip, SyncState, Waiting
from store.sync.taking import Directory

VERIFY = "run `why verify`, which says what is wrong with the log and what to do"


Objects = Mapping[SegmentName, Published]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One of our own streams as it is published: where, which part of it, and the objects that hold it already."""

    owner: str
    stream: str
    fork: str
    first: int
    tip: Tip
    objects: Objects
    grows: bool
    """Whether events may still come to it, so that merging is worth it."""

    @property
    def directory(self) -> str:
        """The directory of its objects."""
        return directory_of(self.stream, self.fork)


@dataclass(slots=True)
class Outgoing:
    """What is to be published: runs to write with the name of each, and names to delete."""

    writes: list[tuple[Chain, SegmentName]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    events: int = 0
    withheld: dict[str, int] = field(default_factory=dict)
    """Events that stay here since their scope was closed after others of it had gone out, by scope."""


class Giving:
    """One giving to one remote."""

    def __init__(
        self, log: Log, remote: Remote, state: SyncState, *, scopes: Collection[str], signer: Signer | None
    ) -> None:
        """Give the open streams, and the closed ones of these scopes."""
        self._log, self._remote, self._state = log, remote, state
        self._scopes, self._signer = frozenset(scopes), signer
        self.waiting: list[Waiting] = []

    def plan(self, listing: Listing, own: Inspected, *, erased: Collection[tuple[str, int]]) -> Outgoing:
        """Return what to publish.

        Args:
            listing: the remote as it is.
            own: our objects there.
            erased: stream and number of events of which something was erased since the last sync.
        """
        outgoing = Outgoing(gone=list(own.spoiled))
        openness = self._log.openness()
        listed: dict[Directory, list[SegmentName]] = defaultdict(list)
        for name in listing.objects:
            if (found := read_name(name)) is not None:
                listed[found.owner, found.directory].append(found)
        sent_scopes = {scope_of(each.stream).id for each in own.own.values()}
        for chain in self._chains(own):
            scope = scope_of(chain.stream)
            goes = openness.get(scope.id, scope.open) or scope.id in self._scopes
            if not goes and not chain.objects and scope.id in sent_scopes:
                outgoing.withheld[scope.id] = outgoing.withheld.get(scope.id, 0) + chain.tip.seq - chain.first + 1
            hit = [seq for stream, seq in erased if stream == chain.stream]
            dirty = {
                each
                for each in chain.objects
                if str(each) in own.stale or any(each.first <= seq <= each.last for seq in hit)
            }
            self._plan_chain(outgoing, chain, dirty, listed[chain.owner, chain.directory], goes=goes)
        return outgoing

    def _chains(self, own: Inspected) -> Iterator[Chain]:
        """Yield every chain of ours, those of former ids too."""
        objects: dict[Directory, dict[SegmentName, Published]] = defaultdict(dict)
        for text, published in own.own.items():
            if (name := read_name(text)) is not None:
                objects[name.owner, name.directory][name] = published
        writer = self._log.writer()
        for stream, tip in sorted(self._log.tips(writer).items()):
            held = objects[writer, directory_of(stream)]
            yield Chain(owner=writer, stream=stream, fork="", first=1, tip=tip, objects=held, grows=True)
        for owner, former in sorted(self._log.former().items()):
            for stream, tip in sorted(former.tips.items()):
                yield from self._former_chains(owner, former, stream, tip, objects)

    def _former_chains(
        self, owner: str, former: Former, stream: str, tip: Tip, objects: Mapping[Directory, Objects]
    ) -> Iterator[Chain]:
        """Yield what we keep of a stream that a copy went on with: each object by itself, and what only we wrote."""
        shared = objects.get((owner, directory_of(stream)), {})
        apart = objects.get((owner, directory_of(stream, former.successor)), {})
        for fork, held in (("", shared), (former.successor, apart)):
            for name, published in held.items():
                end = Tip(seq=name.last, id=published.tip)
                alone = {name: published}
                yield Chain(
                    owner=owner, stream=stream, fork=fork, first=name.first, tip=end, objects=alone, grows=False
                )
        both = [Tip(seq=name.last, id=published.tip) for name, published in shared.items()]
        first = max((each.seq for each in self._on_chain(stream, tip, both)), default=0) + 1
        for start, last in plan.uncovered(first, tip.seq, apart):
            yield Chain(
                owner=owner,
                stream=stream,
                fork=former.successor,
                first=start,
                tip=tip if last == tip.seq else self._tip_at(stream, last, tip),
                objects={},
                grows=False,
            )

    def _on_chain(self, stream: str, tip: Tip, shared: Iterable[Tip]) -> list[Tip]:
        """Return which of these events lie on our own chain of a stream that a copy of us went on with as well."""
        found = sorted((each for each in shared if each.seq <= tip.seq), key=lambda each: each.seq)
        if not found:
            return []
        run = self._log.run(stream, found[0].seq, tip.seq, tip)
        ids = {found[0].seq + number: event_id(header) for number, (header, _) in enumerate(run)}
        return [each for each in found if ids.get(each.seq) == each.id]

    def _tip_at(self, stream: str, seq: int, tip: Tip) -> Tip:
        return Tip(seq=seq, id=event_id(self._log.run(stream, seq, seq, tip)[0][0]))

    def _plan_chain(
        self,
        outgoing: Outgoing,
        chain: Chain,
        dirty: set[SegmentName],
        listed: Collection[SegmentName],
        *,
        goes: bool,
    ) -> None:
        """Plan one chain: what is new, what is dirty, what is merged; what that takes the place of is deleted."""
        fresh = plan.uncovered(chain.first, chain.tip.seq, chain.objects) if goes else ()
        outgoing.events += sum(last - first + 1 for first, last in fresh)
        stale = set(plan.superseded(chain.objects))
        kept = set(chain.objects) - stale
        if self._signer and kept and not fresh:
            end = max(kept, key=lambda each: each.last)
            if not chain.objects[end].signed:
                dirty = dirty | {end}
        runs = [(each.first, each.last) for each in sorted(kept & dirty)]
        runs += [piece for first, last in fresh for piece in plan.pieces(first, last)]
        standing = sorted([(each.first, each.last) for each in kept - dirty] + runs)
        for first, last in plan.merged(standing) if chain.grows else ():
            runs = [*(run for run in runs if run[0] < first), (first, last)]
        writes = []
        for first, last in runs:
            taken = [each.generation for each in listed if each.first <= last and each.last >= first]
            writes.append(segment_name(chain.directory, chain.owner, first, last, max(taken, default=0) + 1))
        outgoing.writes += [(chain, name) for name in writes]
        outgoing.gone += [
            str(each) for each in chain.objects if each in stale or any(_within(each, name) for name in writes)
        ]

    # --- writing ------------------------------------------------------------------------------

    def publish(self, outgoing: Outgoing) -> tuple[dict[str, Published], str]:
        """Publish what was planned; return what was written and the remote's mark afterwards.

        What can't be written since the log is damaged waits, and so does the deletion of what it
        was to take the place of.

        Idempotency key: names and bytes.
        """
        done: dict[str, Published] = {}
        gone = list(outgoing.gone)
        mark = self._remote.publish(self._objects(outgoing, done, gone), gone)
        self._state.forget_published(self._remote.where, gone)
        return done, mark

    def _objects(self, outgoing: Outgoing, done: dict[str, Published], gone: list[str]) -> Iterator[Put]:
        for chain, name in outgoing.writes:
            try:
                events = self._log.run(chain.stream, name.first, name.last, chain.tip)
                tip = event_id(events[-1][0])
                signed = self._signer.sign(chain.stream, name.last, tip) if self._signer else None
                data = write_segment(chain.owner, events, fork=chain.fork, signed=signed)
            except LogDamaged as error:
                self.waiting.append(Waiting(place=f"stream {chain.stream}", mark="", what=str(error), remedy=VERIFY))
                gone[:] = [each for each in gone if (found := read_name(each)) and not _within(found, name)]
                continue
            done[str(name)] = Published(
                mark="", size=len(data), stream=chain.stream, tip=tip, signed=bool(signed), digest=sha256(data)
            )
            if signed:
                self._state.note_tip(
                    SignedTip(stream=chain.stream, seq=name.last, id=tip, key=signed.key, signature=signed.signature)
                )
            yield str(name), data


def _within(inner: SegmentName, outer: SegmentName) -> bool:
    """Whether an object's events are all in another object of the same directory, which may be its next generation."""
    if (inner.owner, inner.directory) != (outer.owner, outer.directory) or inner == outer:
        return False
    if (inner.first, inner.last) == (outer.first, outer.last):
        return inner.generation < outer.generation
    return outer.first <= inner.first and inner.last <= outer.last
