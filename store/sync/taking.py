"""Taking in what others published: only what is new, in each stream's order, and each fault by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from store.core.events import VERSION as facts_format
from store.core.sealed import Sealed
from store.errors import LogDamaged
from store.sync import plan
from store.sync.log import Log
from store.sync.names import SegmentName, read_name
from store.sync.opened import EXPLAIN, SegmentJob, cause_and_remedy, events_in, opened
from store.sync.remote import MOST_BYTES, Listing, Remote
from store.sync.segment import VERSION as segment_format
from store.sync.segment import Label, Segment, SegmentDamaged, SegmentTooNew
from store.sync.state import Followed, SyncState, Waiting
from store.sync.trusting import ASK_THEM, Trust

MANY = 20_000
"""Events from which on other processes unpack them: below, starting those takes longer than it saves."""

Directory = tuple[str, str]
"""An owner and one of its streams' directories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What came of it: events that were new, what waits now, and whether an object vanished while it was read."""

    new: int
    waiting: tuple[Waiting, ...]
    vanished: bool


@dataclass(slots=True)
class _Run:
    """What one directory gives: segments that follow one another, and what was found on the way."""

    path: Directory
    followed: Followed
    names: list[SegmentName]
    accepted: list[tuple[SegmentName, Label]] = field(default_factory=list)


class Taking:
    """One taking in from one remote."""

    def __init__(
        self, log: Log, remote: Remote, state: SyncState, trust: Trust, *, spool: Path, many: int = MANY
    ) -> None:
        """Keep objects of a taking in of `many` events below `spool` until other processes have unpacked them."""
        self._log, self._remote, self._state, self._trust = log, remote, state, trust
        self._spool, self._many = spool, many
        self._waiting: dict[str, Waiting] = {}
        self._vanished = False
        self._held: set[str] = set()

    def take(self, listing: Listing, names: Iterable[SegmentName]) -> Taken:
        """Take in what these objects of others hold and the log doesn't.

        Idempotency key: the events' ids.
        """
        where = self._remote.where
        self._marks = {str(each): listing.objects[str(each)].mark for each in names}
        self._sizes = {name: listing.objects[name].size for name in self._marks}
        self._read = self._state.read_objects(where)
        before = self._state.waiting(where)
        self._waiting = {
            place: each for place, each in before.items() if place in self._marks and self._version(place) == each.mark
        }
        self._followed = self._still_held(self._state.followed(where))
        paths: dict[Directory, list[SegmentName]] = defaultdict(list)
        for name in self._marks:
            if (found := read_name(name)) is not None:
                paths[found.owner, found.directory].append(found)
        self._blobs = _Blobs(self._remote, self._spool / "taking")
        try:
            self._prefetch(paths)
            runs = [run for path, each in sorted(paths.items()) if (run := self._run(path, each)) is not None]
            new = self._receive(runs)
        finally:
            self._blobs.clear()
        self._state.forget_objects(where, [name for name in self._read if name not in self._marks])
        return Taken(new=new, waiting=tuple(self._waiting.values()), vanished=self._vanished)

    # --- which segments -----------------------------------------------------------------------

    def _still_held(self, followed: Mapping[Directory, Followed]) -> dict[Directory, Followed]:
        """Return how far directories were followed, without what the log lost since: a restored backup did."""
        held = self._log.holds(each.tip for each in followed.values() if each.tip)
        for path, each in followed.items():
            if each.tip and each.tip not in held:
                self._state.forget_path(self._remote.where, path)
                self._read = {
                    name: mark for name, mark in self._read.items() if not name.startswith(f"{path[0]}/{path[1]}/")
                }
        return {path: each for path, each in followed.items() if not each.tip or each.tip in held}

    def _prefetch(self, paths: Mapping[Directory, Sequence[SegmentName]]) -> None:
        """Fetch at once what will most likely be read."""
        wanted = []
        for path, names in paths.items():
            last = self._followed[path].last if path in self._followed else min(each.first for each in names) - 1
            wanted += [
                str(each)
                for each in plan.reading(last, [each for each in names if str(each) not in self._waiting]).wanted
                if self._sizes[str(each)] <= MOST_BYTES
            ]
        self._blobs.fetch(wanted, spooled=sum(read.last - read.first + 1 for read in map(_named, wanted)) >= self._many)

    def _run(self, path: Directory, names: Sequence[SegmentName]) -> _Run | None:
        """Return what leads on in one directory; None where nothing does."""
        fresh = [each for each in names if self._read.get(str(each)) != self._marks[str(each)]]
        if not fresh:
            return None
        self._judge_again(fresh)
        followed = self._followed.get(path)
        if followed is None and (followed := self._beginning(names)) is None:
            return None
        run = _Run(path=path, followed=followed, names=fresh)
        last, tip = followed.last, followed.tip
        while True:
            open_to_us = [each for each in fresh if str(each) not in self._waiting]
            found = plan.reading(last, open_to_us)
            if not found.wanted or (segment := self._segment(found.wanted[0])) is None:
                if self._vanished or not found.wanted:
                    break
                continue
            if not self._follows(segment, last, tip):
                what = f"it doesn't follow event {last} of stream {segment.label.stream} as this machine holds it"
                self._wait(found.wanted[0], what, EXPLAIN)
                continue
            run.accepted.append((found.wanted[0], segment.label))
            last, tip = segment.label.last, segment.label.tip
        if found.beyond and not self._vanished:
            self._gap(path, followed.stream or _stream_of(run), last, found.beyond)
        self._recheck(run)
        self._judge(run)
        return run

    def _judge_again(self, fresh: Sequence[SegmentName]) -> None:
        """Let what waits for a signature be judged anew where something came that may vouch for it."""
        unsigned = [each for name in fresh if (each := self._waiting.get(str(name))) and each.remedy == ASK_THEM]
        if len(unsigned) < len(fresh):
            for each in unsigned:
                del self._waiting[each.place]

    def _beginning(self, names: Sequence[SegmentName]) -> Followed | None:
        """Return where a directory that was never followed begins: where a copy parted, or what we hold ends."""
        first = min(each.first for each in names)
        if first == 1:
            return Followed(stream="", last=0, tip="")
        lowest = max((each for each in names if each.first == first), key=lambda each: (each.last, each.generation))
        segment = self._segment(lowest)
        if segment is None:
            return None
        if self._log.holds([segment.label.prev]):
            return Followed(stream=segment.label.stream, last=first - 1, tip=segment.label.prev)
        self._gap((lowest.owner, lowest.directory), segment.label.stream, 0, names)
        return None

    def _follows(self, segment: Segment, last: int, tip: str) -> bool:
        label = segment.label
        if label.first == last + 1 and label.prev == tip:
            return True
        # A run that begins earlier is cut where ours ends; its own chain is checked as it is unpacked.
        return label.first <= last or bool(label.prev and self._log.holds([label.prev]))

    def _segment(self, name: SegmentName) -> Segment | None:
        """Return an object as a segment; None where it waits now, or has vanished."""
        text = str(name)
        if self._sizes[text] > MOST_BYTES:
            self._wait(name, f"it has {self._sizes[text]} bytes, more than any of ours", EXPLAIN)
            return None
        data = self._blobs.data(text)
        if data is None:
            self._vanished = True
            return None
        try:
            return opened(name, data)
        except (SegmentDamaged, SegmentTooNew) as error:
            self._wait(name, *cause_and_remedy(error))
            return None

    def _recheck(self, run: _Run) -> None:
        """Read what was taken in and has changed since: it holds nothing new, but somebody may have damaged it."""
        for name in run.names:
            if name.last > run.followed.last or str(name) not in self._read or str(name) in self._waiting:
                continue
            segment = self._segment(name)
            if segment is not None and not self._log.holds([segment.label.tip]):
                self._wait(name, "it was replaced by other events under the same name", EXPLAIN)

    def _judge(self, run: _Run) -> None:
        if not run.accepted:
            return
        verdict = self._trust.judge([label for _, label in run.accepted])
        for name, _ in run.accepted[verdict.accepted :]:
            self._wait(name, verdict.what, ASK_THEM)
        del run.accepted[verdict.accepted :]

    def _wait(self, name: SegmentName, what: str, remedy: str) -> None:
        place = str(name)
        self._waiting[place] = Waiting(place=place, mark=self._version(place), what=what, remedy=remedy)

    def _version(self, name: str) -> str:
        """Return what changes when an object should be looked at again: it changed, or this program reads more."""
        return f"{segment_format}.{facts_format} {self._marks[name]}"

    def _gap(self, path: Directory, stream: str, last: int, beyond: Sequence[SegmentName]) -> None:
        place = f"{path[0]}/{path[1]}"
        first = min(each.first for each in beyond)
        what = (
            f"events {last + 1} to {first - 1} of stream {stream or '(not read yet)'} are missing; what follows waits"
        )
        remedy = f"writer {path[0]} syncs again, which writes what is missing"
        self._waiting[place] = Waiting(place=place, mark="", what=what, remedy=remedy)

    # --- into the log -------------------------------------------------------------------------

    def _receive(self, runs: Sequence[_Run]) -> int:
        tips = [label.tip for run in runs for _, label in run.accepted]
        # A tip is held with all that leads to it, as when `sync.db` was lost: such a segment is not unpacked.
        self._held = self._log.holds(tips) if tips else set()
        count = sum(label.count for run in runs for _, label in run.accepted if label.tip not in self._held)
        new = self._receive_many(runs, count) if count >= self._many else None
        if new is None:
            new = self._receive_together(runs)
        if new is None:
            new = sum(self._receive_one_by_one(run) for run in runs)
        return new

    def _receive_many(self, runs: Sequence[_Run], count: int) -> int | None:
        """Let other processes unpack; None where something is wrong with a segment, which one by one will tell."""
        wanted = [name for run in runs for name, label in run.accepted if label.tip not in self._held]
        names = [str(name) for name in sorted(wanted, key=lambda name: name.first)]  # about as they were recorded
        jobs = [SegmentJob(name=name, path=self._blobs.path(name)) for name in names]
        try:
            new = self._log.receive_many(jobs, count)
        except FileNotFoundError:
            self._vanished = True
            return 0
        except (SegmentDamaged, *_UNFOLDABLE):
            return None
        self._note(runs)
        return new

    def _receive_together(self, runs: Sequence[_Run]) -> int | None:
        """Take everything in, a piece of some segments at a time; None where one of them can't be."""
        new, events = 0, list[Sealed]()
        try:
            for run in runs:
                last, tip = run.followed.last, run.followed.tip
                for name, label in run.accepted:
                    events += self._ahead(name, label, last, tip)
                    last, tip = label.last, label.tip
                    if len(events) >= MANY:
                        new, events = new + self._log.receive(events), []
            new += self._log.receive(events)
        except (SegmentDamaged, *_UNFOLDABLE):
            return None
        self._note(runs)
        return new

    def _receive_one_by_one(self, run: _Run) -> int:
        """Take in what leads up to the first segment that can't be taken in, which waits."""
        new = 0
        last, tip = run.followed.last, run.followed.tip
        for number, (name, label) in enumerate(run.accepted):
            try:
                new += self._log.receive(self._ahead(name, label, last, tip))
            except SegmentDamaged as error:
                if not self._vanished:
                    self._wait(name, *cause_and_remedy(error))
            except _UNFOLDABLE as error:
                what = f"one of its events breaks a rule of the log ({type(error).__name__}: {str(error)[:200]})"
                self._wait(name, what, EXPLAIN)
            if str(name) in self._waiting or self._vanished:
                del run.accepted[number:]
                break
            last, tip = label.last, label.tip
        self._note([run])
        return new

    def _ahead(self, name: SegmentName, label: Label, last: int, tip: str) -> list[Sealed]:
        """Return an object's events after the last that was taken in; all of them where the chains differ before."""
        if label.tip in self._held:
            return []
        data = self._blobs.data(str(name))
        if data is None:
            self._vanished = True
            raise SegmentDamaged("it vanished while it was read")
        segment = opened(name, data)
        events = events_in(segment)
        before = last - segment.label.first
        return events[before + 1 :] if before >= 0 and events[before].id == tip else events

    def _note(self, runs: Sequence[_Run]) -> None:
        """Keep what was taken in, so that it isn't read again."""
        where = self._remote.where
        with self._state.writing():
            for run in runs:
                labels = [label for _, label in run.accepted]
                reached = labels[-1].last if labels else run.followed.last
                read = [str(each) for each in run.names if each.last <= reached]
                marks = {name: self._marks[name] for name in read if name not in self._waiting}
                self._state.note_read(where, marks)
                if labels:
                    followed = Followed(stream=labels[-1].stream, last=reached, tip=labels[-1].tip)
                    self._state.note_followed(where, run.path, followed)
                    self._trust.note(labels)


_UNFOLDABLE = (LogDamaged, ValueError, LookupError, TypeError, AttributeError)
"""What an event raises that is whole and signed and yet not what its kind should be."""


def _named(name: str) -> SegmentName:
    found = read_name(name)
    if found is None:
        raise ValueError(f"{name!r}: not an object's name")
    return found


def _stream_of(run: _Run) -> str:
    return run.accepted[0][1].stream if run.accepted else ""


class _Blobs:
    """Objects' bytes: in memory while they are few, else as files that worker processes can read."""

    def __init__(self, remote: Remote, spool: Path) -> None:
        self._remote, self._spool = remote, spool
        self._kept: dict[str, bytes | Path | None] = {}
        self.clear()  # what a killed sync left

    def clear(self) -> None:
        """Remove the files, which hold what people wrote."""
        if self._spool.is_dir():
            for path in self._spool.iterdir():
                path.unlink(missing_ok=True)
            self._spool.rmdir()

    def fetch(self, names: Sequence[str], *, spooled: bool) -> None:
        """Fetch these objects."""
        here = {name: path for name in names if (path := self._remote.local(name))} if spooled else {}
        self._kept |= here
        for name, data in self._remote.read([name for name in names if name not in here]):
            self._kept[name] = self._spooled(name, data) if spooled and data is not None else data

    def data(self, name: str) -> bytes | None:
        """Return an object's bytes; None where it has vanished."""
        if name not in self._kept:
            self.fetch([name], spooled=False)
        kept = self._kept.get(name)
        if not isinstance(kept, Path):
            return kept
        try:
            return kept.read_bytes()
        except FileNotFoundError:
            return None

    def path(self, name: str) -> Path:
        """Return a file that holds an object's bytes."""
        kept = self._kept[name]
        if isinstance(kept, Path):
            return kept
        path = self._spooled(name, kept or b"")
        self._kept[name] = path
        return path

    def _spooled(self, name: str, data: bytes) -> Path:
        self._spool.mkdir(mode=0o700, exist_ok=True)
        path = self._spool / name.replace("/", "-")
        path.write_bytes(data)
        return path
