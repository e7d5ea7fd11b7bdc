"""What every remote does: list, read, publish. A folder, a git repository and S3 all look like this.

A remote knows nothing of what objects mean. It promises that an object is seen whole or not at
all, and that a publication's new objects are seen before its old ones are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

MOST_BYTES = 64 * 2**20
"""The largest object that is read: ours have about 5 MB, so a larger one is somebody's mistake or malice."""

MOST_FOREIGN = 20
"""Names that are none of ours that a listing names; the rest are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One object as a listing sees it.

    `mark` is opaque and changes whenever the bytes do (a folder's size and time, S3's ETag, git's
    blob id); `size` is in bytes.
    """

    size: int
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What lies in a remote: our objects by name, and what else is there.

    `foreign` names the first `MOST_FOREIGN` things that are none of ours, as they may be shown to
    people; `foreign_count` counts them all. Names that begin with a dot are not counted.
    """

    objects: Mapping[str, Listed] = field(default_factory=dict)
    foreign: tuple[str, ...] = ()
    foreign_count: int = 0


Put = tuple[str, bytes]
"""An object's name and its bytes."""


class Remote(Protocol):
    """A place that several machines reach. One thread at a time; used within one sync, then closed.

    Every method may raise `RemoteUnreachable` (it may work in a moment) or `RemoteRefused` (it
    won't until somebody changes something), both `StoreError`s, whose messages name `where`.
    """

    @property
    def where(self) -> str:
        """The remote as it is shown to people and kept as a name: without credentials."""
        ...

    def mark(self) -> str:
        """Return what changes whenever anything in the remote does; "" where that is not cheap to know.

        It is asked for before `listing`, which is left out if the mark is that of the last sync.
        """
        ...

    def listing(self) -> Listing:
        """Return what lies there now; empty where nothing was published yet."""
        ...

    def read(self, names: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield each object that `listing` named, in any order; None for one that has vanished since.

        What is larger than `MOST_BYTES` is not read, and None as well.
        """
        ...

    def local(self, name: str) -> Path | None:
        """Return where the object's bytes lie on this machine as a plain file; None if they don't."""
        ...

    def publish(self, put: Iterable[Put], gone: Collection[str]) -> str:
        """Put these objects, replacing those of the same name, and then delete those, in one go.

        `gone` is looked at once all of `put` was taken, and may have changed meanwhile; what is to be
        deleted may be gone already. Nothing is published where both are empty. Other
        writers' publications meanwhile are kept: no two writers touch the same name.

        Idempotency key: names and bytes.

        Returns:
            What `mark` would return now if nobody else had published since `listing`; "" if not known.
        """
        ...

    def sweep(self, owner: str) -> None:
        """Remove what a killed publication of this writer left that no listing shows; it may hold what was erased."""
        ...

    def drop_history(self) -> bool:
        """Leave nothing of what stood there before, where the remote keeps that; False if it keeps none.

        Idempotency key: what stands there now.
        """
        ...

    def close(self) -> None:
        """Let go of connections and temporary files."""
        ...


Opener = Callable[[str, Path], Remote]
"""Makes a remote of what people wrote and of a folder of its own to keep things in between syncs."""


def gathered(found: Iterable[tuple[str, Listed]], is_ours: Callable[[str], bool]) -> Listing:
    """Return a listing of everything found, told apart by its name."""
    objects: dict[str, Listed] = {}
    foreign: list[str] = []
    for name, listed in found:
        if is_ours(name):
            objects[name] = listed
        elif not name.rpartition("/")[2].startswith("."):
            foreign.append(name)
    shown = tuple(shown_name(name) for name in sorted(foreign)[:MOST_FOREIGN])
    return Listing(objects=objects, foreign=shown, foreign_count=len(foreign))


def shown_name(name: str) -> str:
    """Return a name as it may be printed: no control characters, not endless."""
    plain = "".join(sign if sign.isprintable() else "?" for sign in name)
    return plain if len(plain) <= 120 else f"{plain[:117]}..."
