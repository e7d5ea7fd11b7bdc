"""A workspace's past, channel by channel, as threads for `bot.backfill`: read as the live path reads them.

Only channels that the bot is in, newest first; who may read what is asked of Slack. Nothing is posted.
Slack lists the first messages of threads alone, so a later run looks anew at those of the last `WINDOW`, and reads the
threads in which something was said or edited since.

Idempotency key: a thread's place and the version of its text, as in `bot.capture`; how far a channel was read is noted
by its id, and a run that was broken off goes on below the last thread that was worked off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.capture import is_known
from bot.errors import Permanent, Transient, WrongInput
from bot.ports import Extraction, Extractor
from bot.slack.channel.lookback import is_worth
from bot.slack.client import THREAD_GONE, Refused
from bot.slack.recording.capturing import Unsure, is_blocked
from bot.slack.room import Mode, Room
from bot.slack.saying.threads import fetched, thread_of
from bot.sources.slack import SOURCE, VOCABULARY, channel_id, ts_order, ts_time
from store import BackfillRun, Thread, Vocabulary

ALL = "all"
WINDOW = timedelta(days=90)
"""How old a thread may be in which new replies are found: some twenty pages of a busy channel."""
OVERLAP = timedelta(hours=1)
"""Before the last run's begin, from which on is read again: clocks differ, and what is known is passed over."""
NOTED_EVERY = 20
"""Threads after which is noted how far a run is: so many are read once more after a kill."""

_FIRST = "0.000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """One way down through a channel: what changed since, of what was begun before `latest` ("" for now)."""

    channel: str
    began_at: datetime
    since: datetime | None
    latest: str
    first: datetime
    """When the earliest message that is looked at may have been written."""

    def share(self, at: datetime) -> float:
        """Return how much of it lies after a moment, 0 to 1."""
        whole = max(self.began_at - self.first, timedelta(seconds=1))
        return min(max((self.began_at - at) / whole, 0.0), 1.0)


class SlackHistory:
    """Threads of some channels; `problems` grows while they are read."""

    vocabulary: Vocabulary = VOCABULARY

    def __init__(self, room: Room, target: str, *, since: datetime | None, counts: bool) -> None:
        """Choose the channels.

        Args:
            room: the parts.
            target: a channel's id or name, or `all`.
            since: what changed since; None for what changed since each channel's last run.
            counts: nothing is kept of what is found, so that nothing is asked that only the memory needs.

        Raises:
            WrongInput: the channel isn't there, or isn't to be read.
            Transient: Slack is away.
        """
        self._room, self._since, self._counts = room, since, counts
        self._kept = room.memory.beside.backfills
        self.problems: list[str] = []
        self.notices: list[str] = []
        self._channels = self._chosen(target)
        self._share = 0.0
        self._out: dict[int, tuple[_Reading, str]] = {}
        """Threads that were handed out, by identity: in which reading, and where they stand in their channel."""
        self._at: dict[str, _Reading] = {}
        """The reading of a channel of which a thread was worked off last."""
        self._count = 0
        self._left: set[str] = set()
        """Channels of which a thread is left for the next run."""
        self._read: dict[str, datetime] = {}
        """Channels that were listed to their end, with the begin of that."""

    @property
    def share(self) -> float:
        """How far it is, by the time that was covered: 0 to 1."""
        return self._share

    def stated(self, _thread: Thread) -> None:
        """Return None: a conversation states nothing by its form."""

    def as_captured(self, extractor: Extractor) -> Extractor:
        """Return an extractor that is as sure of what it finds as a channel's mode lets it be."""
        return _ByMode(self._room, extractor)

    def threads(self, *, newest_first: bool = True) -> Iterator[Thread]:
        """Yield each thread once, channel by channel, the newest first: there is no other order to be had."""
        del newest_first
        for number, raw in enumerate(self._channels):
            try:
                for reading in self._readings(raw):
                    for thread, ts in self._threads_of(reading):
                        self._share = (number + reading.share(ts_time(ts))) / len(self._channels)
                        self._out[id(thread)] = reading, ts
                        yield thread
                    self._read[reading.channel] = reading.began_at
            except Permanent as refused:
                self.problems.append(f"#{raw.get('name') or raw['id']}: {refused}; the rest of it is left")
            except Transient as away:
                self.problems.append(f"#{raw.get('name') or raw['id']}: {away}; all else is left for the next run")
                return

    def worked_off(self, thread: Thread, *, done: bool) -> None:
        """Note how far a channel is, each so many threads; what is left stops that. Twice is once."""
        reading, ts = self._out.pop(id(thread))
        channel, before = reading.channel, self._at.get(reading.channel, reading)
        self._at[channel] = reading
        self._count += 1
        if not done:
            self._left.add(channel)
        follows = before is not reading
        if channel in self._left or not (follows or self._count % NOTED_EVERY == 0):
            return
        if self._leaves_no_gap(channel):
            if follows:
                self._kept.ended(SOURCE, channel, before.began_at)
            run = BackfillRun(began_at=reading.began_at, since=reading.since, reached=ts)
            self._kept.reached(SOURCE, channel, run)

    def ended(self) -> None:
        """Note of the channels that were read to their end when that began. Twice is once."""
        for channel, began_at in self._read.items():
            if channel not in self._left and self._leaves_no_gap(channel):
                self._kept.ended(SOURCE, channel, began_at)

    def _leaves_no_gap(self, channel: str) -> bool:
        """Say whether a channel is read from where the last run left off or from before that."""
        last = self._kept.read_at(SOURCE, channel)
        return self._since is None or last is None or self._since <= last

    # --- which channels ---

    def _chosen(self, target: str) -> Sequence[Mapping[str, Any]]:
        listed = self._room.client.channels_of(self._room.bot.user)
        own = [raw for raw in listed if not (raw.get("is_im") or raw.get("is_mpim"))]
        if target != ALL:
            own = [raw for raw in own if target.removeprefix("#") in (raw["id"], raw.get("name"))]
        reasons = {str(raw["id"]): self._why_not(raw) for raw in own}
        chosen = [raw for raw in own if not reasons[str(raw["id"])]]
        passed = [f"#{raw.get('name')}: passed over: {reasons[str(raw['id'])]}" for raw in own if raw not in chosen]
        if target == ALL:
            self.notices += sorted(passed)
        elif not chosen:
            raise WrongInput(passed[0] if passed else f"{target}: {self._why_not_there(target)}")
        return sorted(chosen, key=lambda raw: str(raw["id"]))

    def _why_not(self, raw: Mapping[str, Any]) -> str:
        """Return why a channel that the bot is in isn't read; "" where it is."""
        if raw.get("is_archived"):
            return "it is archived"
        if is_blocked(self._room, str(raw["id"])):
            return "BACKSTORY_BLOCKED_CHANNELS names it"
        return "it is set to off" if self._room.mode(str(raw["id"])) is Mode.OFF else ""

    def _why_not_there(self, target: str) -> str:
        """Return why a channel isn't among those that the bot is in."""
        known = self._room.memory.members.find_channel(target)
        raw = self._room.access.raw_channel(known[0] if known else target)
        if raw is None:
            return "no channel of that id or name that Backstory is in; /invite it there first"
        if raw.get("is_im") or raw.get("is_mpim"):
            return "direct messages are never read"
        if raw.get("is_archived"):
            return "it is archived, so that Backstory is no longer in it; import an export in its place"
        return "Backstory isn't in it; /invite it there first"

    # --- what of a channel ---

    def _readings(self, raw: Mapping[str, Any]) -> Iterator[_Reading]:
        """Yield what is to be read of a channel: the rest of a run that was broken off, then what came since."""
        channel, now = str(raw["id"]), self._room.clock()
        since = self._since or self._kept.read_at(SOURCE, channel)
        broken = self._kept.broken(SOURCE, channel)
        if broken is not None and broken.since == since:
            yield self._down(raw, began_at=broken.began_at, since=since, latest=broken.reached)
            since = broken.began_at
        yield self._down(raw, began_at=now, since=since, latest="")

    def _down(self, raw: Mapping[str, Any], *, began_at: datetime, since: datetime | None, latest: str) -> _Reading:
        first = since - WINDOW if since else datetime.fromtimestamp(int(raw.get("created") or 0), UTC)
        if days := self._room.settings.keep_days:
            first = max(first, self._room.clock() - timedelta(days=days))
        return _Reading(channel=str(raw["id"]), began_at=began_at, since=since, latest=latest, first=first)

    def _threads_of(self, reading: _Reading) -> Iterator[tuple[Thread, str]]:
        """Yield what is worth a look in a channel, each thread once, with where it stands."""
        everything = reading.since is None and not self._room.settings.keep_days
        oldest = _FIRST if everything else f"{reading.first.timestamp():.6f}"
        since = f"{(reading.since - OVERLAP).timestamp():.6f}" if reading.since else _FIRST
        older: set[str] = set()
        cursor, more = "", True
        while more:
            page, cursor = self._room.client.history(
                reading.channel, oldest=oldest, latest=reading.latest, cursor=cursor
            )
            more = bool(cursor)
            for message in page:
                ts, root = str(message.get("ts") or ""), str(message.get("thread_ts") or message.get("ts") or "")
                if not _is_of_late(message, since):
                    continue
                if root != ts:  # a reply that was sent to the channel as well: its thread is listed itself, or older
                    if ts_order(root) > ts_order(oldest) or root in older:
                        continue
                    older.add(root)
                thread = self._thread(reading.channel, root, message)
                if thread is not None:
                    yield thread, ts

    def _thread(self, channel: str, root: str, message: Mapping[str, Any]) -> Thread | None:
        """Return a thread; one without replies is all there in the list.

        Raises:
            Permanent: the channel isn't to be read any more.
            Transient: Slack is away.
        """
        if self._room.mode(channel) is Mode.OFF:
            raise Permanent("it was set to off meanwhile")
        if root == message.get("ts") and not message.get("reply_count"):
            return thread_of(self._room, channel, root, [message], worth=self._needs_links)
        try:
            with fetched(self._room, channel, root, worth=self._needs_links) as thread:
                return thread
        except Refused as refused:
            if refused.code in THREAD_GONE:
                return None
            raise

    def _needs_links(self, thread: Thread) -> bool:
        memory = self._room.memory
        return not (self._counts or is_known(memory, thread, pointed=False)) and is_worth(self._room, thread)


class _ByMode:
    """An extractor that is sure of nothing where people are asked first."""

    def __init__(self, room: Room, inner: Extractor) -> None:
        self._room, self._sure, self._unsure = room, inner, Unsure(inner)
        self.name = inner.name

    def extract(self, thread: Thread, vocabulary: Vocabulary, *, pointed: bool, deadline_s: float) -> Extraction:
        """Return what is found; see `bot.ports.Extractor`."""
        asks = self._room.mode(channel_id(thread.place)) is Mode.ASK_FIRST
        chosen: Extractor = self._unsure if asks else self._sure
        return chosen.extract(thread, vocabulary, pointed=pointed, deadline_s=deadline_s)


def _is_of_late(message: Mapping[str, Any], since: str) -> bool:
    """Say whether a message, or what is known of its thread, was written or edited after a moment."""
    edited = message.get("edited")
    times = [message.get("ts"), message.get("latest_reply"), edited.get("ts") if isinstance(edited, dict) else ""]
    unsaid = bool(message.get("reply_count") and not message.get("latest_reply"))
    return unsaid or any(ts_order(str(each or "")) >= ts_order(since) for each in times)
