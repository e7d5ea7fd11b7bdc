"""Slack's export, a folder or a zip: who is there, who reads what, and its threads.

A file that is broken costs only what it holds: it is named in `problems` and the others are read.
Threads are rebuilt channel by channel, since replies lie in the files of the day they were sent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

from bot.errors import UnreadableDocument
from bot.sources.archive import Entries, entries_of
from bot.sources.json_text import read_json
from bot.sources.slack import (
    VOCABULARY,
    SlackChannel,
    SlackPerson,
    person_of,
    thread_from_messages,
    ts_order,
)
from store import Thread

_DAY_FILE = re.compile(r"(?P<folder>[^/]+)/\d{4}-\d\d-\d\d\.json")
_CHANNEL_FILES = ("channels.json", "groups.json", "mpims.json", "dms.json")
_PEOPLE_FILES = ("users.json", "org_users.json")
_CLOSED = ("is_private", "is_ext_shared", "is_pending_ext_shared")
"""What keeps a channel from being everybody's: one that is shared with another organisation is closed."""
_NOT_CHANNELS = frozenset({"attachments", "__uploads"})


class SlackExport:
    """An opened export; a context manager, since a zip stays open while it is read.

    `problems` grows while reading: one line per file or entry that was left out, `where: which rule`.
    `notices` are facts that change what is readable but are no faults of the export.
    """

    name = "slack-export"
    vocabulary = VOCABULARY

    def __init__(self, path: Path, *, blocked: frozenset[str] = frozenset()) -> None:
        """Name the export; nothing is read before it is entered.

        Args:
            path: a folder or a zip.
            blocked: ids or names of channels whose messages are not read.
        """
        self._path = path
        self._blocked = blocked
        self._opened: AbstractContextManager[Entries] | None = None
        self.problems: list[str] = []
        self.notices: list[str] = []
        self.people: dict[str, SlackPerson] = {}
        self.channels: dict[str, SlackChannel] = {}
        """By folder name."""

    def __enter__(self) -> SlackExport:
        """Open the export and read its root files.

        Raises:
            UnreadableDocument: it is no folder and no zip, it breaks an archive's limits, or nothing in it is Slack's.
        """
        opened = entries_of(self._path)
        self._entries = opened.__enter__()
        self._opened = opened
        try:
            self._read_root()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the archive."""
        if self._opened is not None:
            self._opened.__exit__(kind, error, trace)
            self._opened = None

    @property
    def home_team(self) -> str:
        """Return the team that most people are of; "" where the export names none."""
        teams = Counter(person.team for person in self.people.values() if person.team)
        return min(teams, key=lambda team: (-teams[team], team), default="")

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield every thread and every message without one, channel by channel, by the time of their roots."""
        for folder in sorted(self._folders, reverse=newest_first):
            channel = self.channels.get(folder)
            if channel is None or self._blocked & {channel.id, channel.name}:
                continue
            grouped: dict[str, list[Mapping[str, object]]] = {}
            for name in self._folders[folder]:
                for message in self._messages(name):
                    ts = message.get("ts")
                    root = message.get("thread_ts") or ts
                    if isinstance(root, str) and isinstance(ts, str):
                        grouped.setdefault(root, []).append(message)
            for root in sorted(grouped, key=lambda ts: (ts_order(ts), ts), reverse=newest_first):
                thread = thread_from_messages(grouped[root], channel=channel, thread_ts=root, people=self.people)
                if thread is not None:
                    yield thread

    def stated(self, _thread: Thread) -> None:
        """Return None: a conversation states nothing by its form."""

    def _read_root(self) -> None:
        self._folders: dict[str, list[str]] = {}
        for name in self._entries.names:
            if (match := _DAY_FILE.fullmatch(name)) and match["folder"] not in _NOT_CHANNELS:
                self._folders.setdefault(match["folder"], []).append(name)
        present = set(self._entries.names)
        if not self._folders and not present & {*_CHANNEL_FILES, *_PEOPLE_FILES}:
            raise UnreadableDocument(f"{self._path}: not a Slack export: no channels.json and no <channel>/<day>.json")
        for name in _PEOPLE_FILES:
            self.people.update({one.id: one for one in map(person_of, self._objects(name, present)) if one.id})
        broken = False
        for name in _CHANNEL_FILES:
            problems = len(self.problems)
            for raw in self._objects(name, present):
                self._add_channel(name, raw)
            broken = broken or len(self.problems) > problems
        self._place_unlisted(present, broken=broken)

    def _add_channel(self, file: str, raw: Mapping[str, object]) -> None:
        channel_id, name = raw.get("id"), raw.get("name")
        if not isinstance(channel_id, str) or not channel_id:
            self.problems.append(f"{file}: an entry without an id")
            return
        members = raw.get("members")
        known = isinstance(name, str) and name and file != "dms.json"
        channel = SlackChannel(
            id=channel_id,
            name=str(name) if known else "",
            open=file == "channels.json" and not any(raw.get(flag) for flag in _CLOSED),
            members=frozenset(one for one in members if isinstance(one, str))
            if isinstance(members, list)
            else frozenset(),
        )
        self.channels[str(name) if known else channel_id] = channel

    def _place_unlisted(self, present: set[str], *, broken: bool) -> None:
        """Folders of no listed channel: closed to all when the list is absent, left out when it is broken.

        A broken list will be mended, and its channels then have ids and readers; guessing either now
        would leave their decisions at places that are nowhere.
        """
        unlisted = sorted(set(self._folders) - set(self.channels))
        if not unlisted:
            return
        if broken:
            self.problems.extend(
                f"{folder}/: left out, since the file that names its id and readers is broken" for folder in unlisted
            )
            return
        absent = ", ".join(name for name in _CHANNEL_FILES if name not in present) or "the channel lists"
        self.notices.append(
            f"{len(unlisted)} folder(s) in no channel list ({absent} absent): readable with --reader all alone"
        )
        self.channels.update({folder: SlackChannel(id=folder, name=folder, open=False) for folder in unlisted})

    def _objects(self, name: str, present: set[str]) -> Iterator[Mapping[str, object]]:
        if name not in present:
            return
        for index, entry in enumerate(self._array(name), start=1):
            if isinstance(entry, dict):
                yield entry
            else:
                self.problems.append(f"{name}: entry {index} is not an object")

    def _messages(self, name: str) -> Iterator[Mapping[str, object]]:
        for index, message in enumerate(self._array(name), start=1):
            if not isinstance(message, dict):
                self.problems.append(f"{name}: entry {index} is not an object")
            elif message.get("type", "message") == "message":
                yield message

    def _array(self, name: str) -> list[object]:
        try:
            return self._list(name)
        except UnreadableDocument as error:
            self.problems.append(str(error))
            return []

    def _list(self, name: str) -> list[object]:
        try:
            text = self._entries.read(name).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UnreadableDocument(f"{name}: not UTF-8 at byte {error.start}") from error
        if not text.strip():
            raise UnreadableDocument(f"{name}: empty")
        try:
            value = read_json(text)
        except UnreadableDocument as error:
            raise UnreadableDocument(f"{name}: {error}") from error
        if not isinstance(value, list):
            raise UnreadableDocument(f"{name}: not a list, as Slack's exports have it")
        return value
