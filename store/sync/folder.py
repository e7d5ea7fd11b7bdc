"""A folder as a remote: a shared disk, a synchronised folder, a mounted bucket."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from store import failpoints
from store.errors import RemoteRefused, RemoteUnreachable
from store.sync.names import read_name
from store.sync.remote import MOST_BYTES, Listed, Listing, Put, gathered

_DEPTH = 2
"""Folders above an object: the writer's and the stream's. What lies deeper is none of ours."""


class FolderRemote:
    """Objects as files; each is written beside its place and moved there, so that nobody sees half of one."""

    def __init__(self, path: Path) -> None:
        """Use a folder, which is made when something is published."""
        self._path = path

    @property
    def where(self) -> str:
        """The folder's path."""
        return str(self._path)

    def mark(self) -> str:
        """Return "": a folder's listing is as cheap as anything that could be asked of it."""
        return ""

    def listing(self) -> Listing:
        """Return every file, those deeper than ours too."""
        if not self._path.exists():
            return Listing()
        try:
            return gathered(self._walk(self._path, "", 0), lambda name: read_name(name) is not None)
        except OSError as error:
            raise self._refused(error) from error

    def read(self, names: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield each object's bytes, in the order asked for."""
        for name in names:
            try:
                with self._at(name).open("rb") as file:
                    data = file.read(MOST_BYTES + 1)
            except FileNotFoundError:
                yield name, None
                continue
            except OSError as error:
                raise self._refused(error) from error
            yield name, data if len(data) <= MOST_BYTES else None

    def local(self, name: str) -> Path | None:
        """Return the object's own file."""
        return self._at(name)

    def publish(self, put: Iterable[Put], gone: Collection[str]) -> str:
        """Write, flush to the disk and move into place one after the other, then delete."""
        try:
            for name, data in put:
                self._put(name, data)
                failpoints.hit("sync.put.after")
            for name in gone:
                failpoints.hit("sync.gone.before")
                with suppress(FileNotFoundError):
                    self._at(name).unlink()
        except OSError as error:
            raise self._refused(error) from error
        return ""

    def sweep(self, owner: str) -> None:
        """Remove files of ours that were written half and never moved into place."""
        try:
            for beside in (self._path / owner).glob("*/.*.g*.*"):
                with suppress(FileNotFoundError):
                    beside.unlink()
        except OSError as error:
            raise self._refused(error) from error

    def drop_history(self) -> bool:
        """Return False: what is deleted in a folder is gone, but for snapshots and backups of others."""
        return False

    def close(self) -> None:
        """Nothing is held open."""

    def _put(self, name: str, data: bytes) -> None:
        target = self._at(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
        try:
            with beside.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(target)
        finally:
            with suppress(FileNotFoundError):
                beside.unlink()

    def _at(self, name: str) -> Path:
        if read_name(name) is None:
            raise ValueError(f"{name!r}: not an object's name")
        return self._path.joinpath(*name.split("/"))

    def _walk(self, folder: Path | str, prefix: str, depth: int) -> Iterator[tuple[str, Listed]]:
        try:
            entries = list(os.scandir(folder))
        except FileNotFoundError:  # deleted while we walked
            return
        for entry in entries:
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if entry.name.startswith("."):
                    continue
                if depth < _DEPTH:
                    yield from self._walk(entry.path, f"{name}/", depth + 1)
                else:
                    yield f"{name}/", Listed(size=0, mark="")
                continue
            try:
                found = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            yield name, Listed(size=found.st_size, mark=f"{found.st_size}.{found.st_mtime_ns}")

    def _refused(self, error: OSError) -> RemoteRefused | RemoteUnreachable:
        kind = RemoteRefused if isinstance(error, (PermissionError, NotADirectoryError)) else RemoteUnreachable
        return kind(f"{self._path}: {error.strerror or error}; check the folder, its space and its permissions")
