"""Documents as turns: what a source is, and everything that all sources share.

A source is a parser and its vocabulary. Finding documents, decoding them, dating them, putting turns into
threads and saying what could not be read is done here, once for all. A document that is broken costs only
what it holds: it is named in `problems` and the others are read.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import TracebackType
from typing import Protocol, runtime_checkable

from bot.errors import UnreadableDocument
from bot.sources.archive import Entries, entries_of
from store import Draft, Happened, Place, Scope, Thread, Turn, Vocabulary

_DAY = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?!\d)")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LARGEST_MS = 10**11
"""A number of seconds since 1970 is smaller than this until the year 5138; a larger one counts milliseconds."""
_EARLIEST, _LATEST = 1900, 9000
"""Years that somebody means: others are slips, and at the calendar's ends no hour can be added."""
_BASIS_CHARS = 32
_RESOLVED = "\x02"
_DAYS = ("%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y", "%Y/%m/%d", "%d.%m.%Y")
"""How documents write a day beside ISO's way, in English."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A part of a document that could not be read, and the rule that it breaks; the rest goes on."""

    where: str
    rule: str

    def __str__(self) -> str:
        """Return both as one line."""
        return f"{self.where}: {self.rule}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """What a source reports of a thread beside its words."""

    thread_id: str
    happened: Happened


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What a document states by its form; `replaced_by` are refs of what took its place since."""

    draft: Draft
    replaced_by: tuple[str, ...] = ()


class Source(Protocol):
    """One kind of place that turns come from."""

    @property
    def name(self) -> str:
        """What `--source` calls it, and the `source` of its places."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Of the files that hold such documents."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """The words by which it says what was decided."""
        ...

    def turns(self, document: str, *, origin: str, dated: datetime) -> Iterator[Turn | Unread | Reported]:
        """Yield what was said, in any order; turns of one `thread_id` become one thread, whose anchor that is.

        Args:
            document: its text, decoded.
            origin: its path relative to the import's root.
            dated: when it was written, as far as its name or its file tells: for what has no time of its own.

        Raises:
            UnreadableDocument: nothing more of it can be read; what was yielded before stays.
        """
        ...

    def ref(self, thread_id: str) -> str:
        """Return the source's own name for a thread, as people write it; "" where it has none."""
        ...


@runtime_checkable
class StatingSource(Protocol):
    """A source whose form says what was decided, so that nobody need read it."""

    def stated(self, thread: Thread) -> Stated | None:
        """Return what a thread of its states; None where its form doesn't say."""
        ...


class Documents:
    """The documents of one source below a path; a context manager, since a zip stays open while it is read.

    `problems` grows while reading: one line per part that was left out, `where: which rule`.
    """

    def __init__(self, path: Path, source: Source, *, scope: Scope) -> None:
        """Name a folder, a zip or a single file; nothing is read before it is entered.

        Args:
            path: where they lie; its documents are named relative to it.
            source: how they are read.
            scope: who may read what they say.
        """
        self._path = path
        self._source = source
        self._scope = scope
        self._opened: AbstractContextManager[Entries] | None = None
        self.vocabulary = source.vocabulary
        self.problems: list[str] = []
        self.notices: list[str] = []

    def __enter__(self) -> Documents:
        """Open it.

        Raises:
            UnreadableDocument: there is nothing at that path, it breaks an archive's limits, or holds no such document.
        """
        opened = entries_of(self._path, suffixes=self._source.suffixes, unwrapped=False)
        self._entries = opened.__enter__()
        self._opened = opened
        if not self._entries.names:
            self.__exit__(None, None, None)
            kinds = " or ".join(self._source.suffixes)
            raise UnreadableDocument(f"{self._path}: holds no {kinds} file, as --source {self._source.name} reads them")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the archive."""
        if self._opened is not None:
            self._opened.__exit__(kind, error, trace)
            self._opened = None

    def threads(self, *, newest_first: bool = False) -> Iterator[Thread]:
        """Yield every thread, document by document in the order of their names, by their first turns within one."""
        for name in sorted(self._entries.names, reverse=newest_first):
            found = self._threads_in(name)
            yield from sorted(found, key=lambda t: (t.turns[0].occurred_at, t.place.anchor), reverse=newest_first)

    def stated(self, thread: Thread) -> Stated | None:
        """Return what one of these threads states by its form; None where somebody must read it."""
        return self._source.stated(thread) if isinstance(self._source, StatingSource) else None

    def _threads_in(self, name: str) -> list[Thread]:
        return _threads(self._source, self._turns_in(name), self._scope)

    def _turns_in(self, name: str) -> Iterator[Turn | Reported]:
        try:
            text = self._decoded(name)
            for each in self._source.turns(text, origin=name, dated=self._dated(name)):
                if isinstance(each, Unread):
                    self.problems.append(str(each))
                elif isinstance(each, Reported) or each.text.strip():
                    yield each
        except UnreadableDocument as error:
            said = str(error)
            self.problems.append(said if said.startswith(name) else f"{name}: {said}")
        except RecursionError:
            self.problems.append(f"{name}: nested too deeply")

    def _decoded(self, name: str) -> str:
        content = self._entries.read(name)
        encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8")
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            self.notices.append(f"{name}: not UTF-8; read as Latin-1")
            return content.decode("latin-1")

    def _dated(self, name: str) -> datetime:
        for part in reversed(name.split("/")):
            if match := _DAY.search(part):
                try:
                    day = date(*map(int, match.groups()))
                except ValueError:
                    continue
                return datetime.combine(day, time(), UTC)
        around = self._path / name if self._path.is_dir() else self._path
        written = around if around.exists() else self._path
        return datetime.fromtimestamp(written.stat().st_mtime, UTC)


def threads_of_text(source: Source, document: str, *, origin: str, dated: datetime, scope: Scope) -> list[Thread]:
    """Return the threads of one document that is no file, what can't be read of it left out."""
    said = source.turns(document, origin=origin, dated=dated)
    whole = (each for each in said if isinstance(each, Reported) or (isinstance(each, Turn) and each.text.strip()))
    return _threads(source, whole, scope)


def _threads(source: Source, found: Iterable[Turn | Reported], scope: Scope) -> list[Thread]:
    grouped: dict[str, list[Turn]] = {}
    happened: dict[str, Happened] = {}
    for each in found:
        if isinstance(each, Reported):
            happened[each.thread_id] = each.happened
        else:
            grouped.setdefault(each.thread_id, []).append(each)
    return [_thread(source, anchor, said, scope, happened.get(anchor)) for anchor, said in grouped.items()]


def _thread(source: Source, anchor: str, said: Iterable[Turn], scope: Scope, happened: Happened | None) -> Thread:
    turns = tuple(sorted(said, key=lambda turn: turn.occurred_at))
    text = "\x00".join(f"{each.turn_id}\x01{each.text}{_RESOLVED * each.resolves}" for each in turns)
    name = source.ref(anchor)
    return Thread(
        place=Place(source=source.name, anchor=anchor, ref=name, permalink=turns[0].permalink),
        scope=scope,
        turns=turns,
        basis=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_BASIS_CHARS],
        label=name or anchor,
        happened=happened,
    )


def moment(value: object) -> datetime | None:
    """Return the time that a source's field names, in UTC; None where it names none.

    ISO 8601 with a zone or without (then UTC), a date, mail's form, "02-May-2026" and its like, and seconds or
    milliseconds since 1970 are read.
    """
    if isinstance(value, bool) or value is None:
        return None
    text = str(value).strip()
    try:
        if re.fullmatch(r"\d{9,14}(\.\d+)?", text):
            seconds = float(text)
            return datetime.fromtimestamp(seconds / 1000 if seconds >= _LARGEST_MS else seconds, UTC)
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        written = _written_day(text)
        if written is None:
            return None
        found = written
    if not _EARLIEST <= found.year <= _LATEST:
        return None
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def _written_day(text: str) -> datetime | None:
    for form in _DAYS:
        with suppress(ValueError):
            return datetime.strptime(text, form)  # noqa: DTZ007  # a day has no zone; the caller gives it UTC
    try:
        return parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
