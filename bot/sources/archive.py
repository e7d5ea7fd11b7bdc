"""A folder or a zip as named entries, read one at a time and never written anywhere.

Limits are those of any archive that comes from outside: entries, unpacked size and how far an entry
may swell. They are held against what is really read, not against what the archive claims.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from bot.errors import UnreadableDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an archive may hold. Chat packs about 10 : 1; 200,000 entries are a large workspace's decade."""

    entries: int = 200_000
    ratio: int = 100
    unpacked_bytes: int = 4 * 1024**3


DEFAULT_LIMITS = Limits()
RATIO_COUNTS_FROM_BYTES = 1024**2
"""Small entries may pack better than the ratio; they can't fill anything."""
_CHUNK_BYTES = 256 * 1024
_BROKEN_ENTRY = (OSError, RuntimeError, EOFError, ValueError, KeyError, zlib.error, zipfile.BadZipFile)
"""What `zipfile` raises for an entry that is cut, damaged, encrypted or packed by a method it doesn't know."""


class Entries(Protocol):
    """Named entries below one root; names are relative, with `/` between parts."""

    names: tuple[str, ...]

    def read(self, name: str) -> bytes:
        """Return one entry whole; UnreadableDocument where it breaks a limit or can't be read."""
        ...


class FolderEntries:
    """The files below a folder; links that lead out of it are not followed."""

    def __init__(self, root: Path, limits: Limits, suffixes: Collection[str], *, unwrapped: bool) -> None:
        """List the folder; nothing is read yet."""
        self._root = root.resolve()
        self._limits = limits
        self._suffixes = suffixes
        self._left_bytes = limits.unpacked_bytes
        found = sorted(self._walk())
        self._around = _around(found) if unwrapped else ""
        self.names = tuple(name.removeprefix(self._around) for name in found)

    def _walk(self) -> Iterator[str]:
        for count, path in enumerate(self._root.rglob("*"), start=1):
            if count > self._limits.entries:
                raise UnreadableDocument(f"{self._root}: more than {self._limits.entries:,} entries")
            if path.suffix in self._suffixes and path.is_file() and path.resolve().is_relative_to(self._root):
                yield path.relative_to(self._root).as_posix()

    def read(self, name: str) -> bytes:
        """Return one file whole."""
        try:
            content = (self._root / self._around / name).read_bytes()
        except OSError as error:
            raise UnreadableDocument(f"{name}: {error.strerror or 'cannot be read'}") from error
        self._left_bytes -= len(content)
        if self._left_bytes < 0:
            raise UnreadableDocument(f"{name}: the folder holds more than {self._limits.unpacked_bytes:,} bytes")
        return content


class ZipEntries:
    """The entries of a zip, whatever system packed it."""

    def __init__(
        self, archive: zipfile.ZipFile, limits: Limits, suffixes: Collection[str], *, origin: str, unwrapped: bool
    ) -> None:
        """List the archive and refuse it whole where its names or numbers break a limit."""
        self._archive = archive
        self._origin = origin
        self._limits = limits
        self._left_bytes = limits.unpacked_bytes
        infos = archive.infolist()
        if len(infos) > limits.entries:
            raise UnreadableDocument(f"{origin}: more than {limits.entries:,} entries")
        found: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            path = PurePosixPath(info.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts or any(":" in part[:2] for part in path.parts[:1]):
                raise UnreadableDocument(f"{origin}: entry {info.filename!r} leads out of the archive")
            if path.suffix in suffixes and not _is_system(path):
                found[str(path)] = info
        around = _around(found) if unwrapped else ""
        self._infos = {name.removeprefix(around): info for name, info in found.items()}
        self.names = tuple(sorted(self._infos))

    def read(self, name: str) -> bytes:
        """Return one entry whole, counting what comes out of it."""
        try:
            info = self._infos[name]
            with self._archive.open(info) as stream:
                return self._counted(stream, name, info.compress_size)
        except _BROKEN_ENTRY as error:
            raise UnreadableDocument(f"{name}: the zip entry is broken or locked") from error

    def _counted(self, stream: IO[bytes], name: str, packed_bytes: int) -> bytes:
        content = bytearray()
        while chunk := stream.read(_CHUNK_BYTES):
            content += chunk
            self._left_bytes -= len(chunk)
            if self._left_bytes < 0:
                raise UnreadableDocument(f"{self._origin}: unpacks to more than {self._limits.unpacked_bytes:,} bytes")
            if len(content) > max(RATIO_COUNTS_FROM_BYTES, self._limits.ratio * packed_bytes):
                raise UnreadableDocument(f"{name}: unpacks to more than {self._limits.ratio} times its size")
        return bytes(content)


def _is_system(path: PurePosixPath) -> bool:
    return path.parts[0] == "__MACOSX" or path.name.startswith("._")


def _around(names: Collection[str]) -> str:
    """Return the folders that lie around everything, with a slash at the end; the innermost one holds files itself."""
    around = ""
    while True:
        inside = [name.removeprefix(around) for name in names]
        tops = {name.partition("/")[0] for name in inside}
        if len(tops) != 1 or not any(name.count("/") > 1 for name in inside):
            return around
        around += f"{tops.pop()}/"


class FileEntry:
    """One file by itself, under its own name."""

    def __init__(self, path: Path, limits: Limits) -> None:
        """Name the file; nothing is read yet."""
        self._path = path
        self._limits = limits
        self.names: tuple[str, ...] = (path.name,)

    def read(self, name: str) -> bytes:
        """Return the file whole."""
        try:
            if self._path.stat().st_size > self._limits.unpacked_bytes:
                raise UnreadableDocument(f"{name}: larger than {self._limits.unpacked_bytes:,} bytes")
            return self._path.read_bytes()
        except OSError as error:
            raise UnreadableDocument(f"{name}: {error.strerror or 'cannot be read'}") from error


@contextmanager
def entries_of(
    path: Path,
    limits: Limits = DEFAULT_LIMITS,
    *,
    suffixes: Collection[str] = (".json",),
    unwrapped: bool = True,
) -> Iterator[Entries]:
    """Open a folder, a zip file or (where its suffix is one of those) a single file for reading.

    Args:
        path: which.
        limits: of an archive.
        suffixes: of the files that are listed.
        unwrapped: a folder around everything is taken off the names; without it a name never depends on other files.

    Raises:
        UnreadableDocument: there is nothing at that path, it is none of these, or it breaks a limit.
    """
    if path.is_dir():
        yield FolderEntries(path, limits, suffixes, unwrapped=unwrapped)
        return
    if path.suffix in suffixes and path.is_file() and not zipfile.is_zipfile(path):
        yield FileEntry(path, limits)
        return
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise UnreadableDocument(f"{path}: no such file or folder") from error
    except (OSError, zipfile.BadZipFile) as error:
        raise UnreadableDocument(f"{path}: neither a folder nor a zip file") from error
    with archive:
        yield ZipEntries(archive, limits, suffixes, origin=path.name, unwrapped=unwrapped)
