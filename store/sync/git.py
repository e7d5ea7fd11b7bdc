"""A git repository as a remote: one branch, each publication one commit, no two writers in one file.

Nothing is ever merged as text: who loses a race to push fetches the other's commit and makes its own
anew on top of it, of the same objects. Nothing is checked out: what lies in the repository is read
from git's own objects by their ids, and only what carries one of our names.
"""

from __future__ import annotations

import secrets
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from store import failpoints
from store.errors import RemoteRefused, RemoteUnreachable, StoreError
from store.sync.git_cache import NEXT, TIP, GitCache
from store.sync.git_program import TRANSFER_S, Git, address_of
from store.sync.names import read_name
from store.sync.remote import MOST_BYTES, Listed, Listing, Put, gathered

BRANCH = "refs/heads/backstory"
"""The branch that is ours in any repository: what else is in there is left alone."""

MOST_ENTRIES = 1_000_000
"""Files that a branch may hold: 30 writers in 1,000 channels make a tenth of it; a folder that holds itself, more."""

TRIES = 30
"""Races that a publication may lose: each was won by somebody else, and a dozen machines share a repository."""

FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 3.0
"""Seconds at most before the second try and before any: doubled each time and drawn at random, so that those who
met spread over more time than they take one after the other (0.1 s each on one machine, a second over a network)."""

_LOST = ("[rejected]", "cannot lock ref", "failed to update ref", "already exists", "incorrect old value")
"""How git says that somebody else was first, or is at it."""

_FILE = b"100644"
_WHO = b"Backstory <backstory@localhost>"
_MESSAGE = b"Share decisions"
_PIECE = 2**16
_TOO_MANY = MOST_BYTES + 1
_AT_ONCE = 500
"""Objects asked for in one fetch: 20 kB of arguments, which every system takes."""

_PARTIAL = {"remote.origin.promisor": "true", "remote.origin.partialclonefilter": f"blob:limit={MOST_BYTES}"}
"""What a fetch is told: that contents may be missing here, and to bring none that are too large to be ours."""


def open_git(text: str, cache: Path) -> GitRemote:
    """Return the repository that somebody named, with a folder of its own to keep its newest commit in.

    Raises:
        RemoteRefused: it can't be one, or git isn't installed.
    """
    address = address_of(text)
    if address.protocol == "file" and not Path(address.url).is_dir():
        raise RemoteRefused(f"{address.where}: no repository is there; make one with `git init --bare {address.url}`")
    cache = cache.absolute()  # git runs inside it, where a relative path would mean something else
    return GitRemote(address.where, Git(cache, address), cache)


class GitRemote:
    """Objects as files of one branch."""

    def __init__(self, where: str, git: Git, cache: Path) -> None:
        """Use `open_git` instead."""
        self._where = where
        self._git = git
        self._cache = GitCache(cache, git)
        self._tip = ""
        self._ids: dict[str, str] = {}
        self._prepared = False
        self._fetched = False

    @property
    def where(self) -> str:
        """The repository's address, without credentials."""
        return self._where

    def mark(self) -> str:
        """Fetch what is new, which costs no more than asking whether something is, and return the newest commit."""
        self._fetch()
        self._fetched = True
        return self._tip

    def listing(self) -> Listing:
        """Return the branch's files, fetched anew unless `mark` just did."""
        if not self._fetched:
            self._fetch()
        self._fetched = False
        self._ids = {}
        if not self._tip:
            return Listing()
        entries = list(self._files(self._tip))
        self._ids = {name: each for name, each in entries if read_name(name) is not None}
        sizes = self._cache.sizes
        ours = set(self._ids.values())
        sizes |= self._checked(ours - sizes.keys())
        self._cache.sizes = {each: size for each, size in sizes.items() if each in ours}
        return gathered(
            ((name, Listed(size=sizes.get(each, 0), mark=each)) for name, each in entries),
            lambda name: name in self._ids,
        )

    def read(self, names: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield each object's bytes out of git's own store, in the order asked for."""
        wanted = {self._ids[name] for name in names if name in self._ids}
        sizes = self._cache.sizes
        small = {each for each in wanted if sizes.get(each, 0) <= MOST_BYTES}
        here = self._checked(small)
        if missing := sorted(small - here.keys()):
            here |= self._brought(missing)
            sizes |= here
        found = {name: self._ids[name] for name in names if here.get(self._ids.get(name, ""), _TOO_MANY) <= MOST_BYTES}
        contents = self._contents(list(found.values()))
        for name in names:
            yield name, next(contents) if name in found else None

    def local(self, name: str) -> Path | None:
        """Return None: nothing is checked out."""
        return None

    def publish(self, put: Iterable[Put], gone: Collection[str]) -> str:
        """Make one commit of it all and push it; on a lost race, once more on top of what the other pushed."""
        if not self._prepared:
            self._fetch()
        sizes: dict[str, int] = {}
        self._commit(_inline(put, sizes), gone, base=self._tip)
        if not sizes and not gone:
            return self._tip
        if self._is_as_it_was():
            return self._tip
        made: list[bytes] = []
        for number in range(TRIES):
            if number:
                self._commit(made, gone, base=self._tip)
            pushed = self._pushed(number)
            if not number:
                ids = {name: each for name, each in self._files(NEXT) if name in sizes}
                self._cache.sizes |= {each: sizes[name] for name, each in ids.items()}
                made = [b"M 100644 %s %s\n" % (each.encode(), name.encode()) for name, each in ids.items()]
            if pushed:
                return "" if number else self._tip
        raise self._too_many()

    def drop_history(self) -> bool:
        """Leave on the branch what stands there now and no commit before it; False if there is none before.

        Idempotency key: the branch's newest commit.

        Raises:
            RemoteRefused: the server takes no rewritten branch.
        """
        for number in range(TRIES):
            self._fetch()
            if not self._tip or b"\nparent " not in self._git.run("cat-file", "commit", self._tip):
                return False
            tree = self._git.run("rev-parse", f"{self._tip}^{{tree}}").strip()
            self._commit([b'M 040000 %s ""\n' % tree], (), base="")
            if self._pushed(number, f"--force-with-lease={BRANCH}:{self._tip}"):
                return True
        raise self._too_many()

    def sweep(self, owner: str) -> None:
        """Nothing is left: a killed push shows nothing, and its objects lie in our own cache alone."""

    def close(self) -> None:
        """Leave nothing of anybody's words in the folder that is kept."""
        if self._prepared:
            with suppress(StoreError, OSError):  # what can't be slimmed now is at the end of the next sync
                self._cache.slim(self._tip)

    # --- fetching -----------------------------------------------------------------------------

    def _fetch(self) -> None:
        """Bring the branch's newest commit here, and the contents that the one before didn't have."""
        if not self._prepared:
            self._cache.prepare()
            self._prepared = True
        try:
            self._tip = self._newest()
        except RemoteUnreachable:
            if self._cache.is_sound():
                raise
            self._cache.reset()
            self._tip = self._newest()
        failpoints.hit("sync.fetch.after")

    def _newest(self) -> str:
        try:
            self._git_fetch("--depth=1", "origin", f"+{BRANCH}:{TIP}")
        except RemoteUnreachable as error:
            if "couldn't find remote ref" not in str(error):
                raise
            self._cache.set_tip("")
            return ""
        return self._cache.reference(TIP)

    def _git_fetch(self, *words: str) -> None:
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
        self._git.run("fetch", *options, *words, timeout_s=TRANSFER_S, settings=_PARTIAL)

    def _brought(self, missing: Sequence[str]) -> dict[str, int]:
        """Fetch contents that an earlier sync had and didn't finish with; returns the sizes of what came."""
        try:
            for first in range(0, len(missing), _AT_ONCE):
                self._git_fetch("origin", *missing[first : first + _AT_ONCE])
        except (RemoteRefused, RemoteUnreachable):  # not every server hands out single objects
            self._cache.reset()
            self._tip = self._newest()
        return self._checked(missing)

    # --- reading objects ----------------------------------------------------------------------

    def _files(self, commit: str) -> Iterator[tuple[str, str]]:
        """Yield name and id of each file in a commit; what is no plain file is named as such."""
        with self._git.streaming("ls-tree", "-r", "-z", "--full-tree", commit) as process:
            for number, entry in enumerate(_split(_output(process))):
                if number >= MOST_ENTRIES:
                    raise RemoteRefused(f"{self._where}: the branch holds more than {MOST_ENTRIES:,} files: not ours")
                about, _, name = entry.partition(b"\t")
                mode, _, each = about.split(b" ")
                shown = name.decode("utf-8", "surrogateescape")
                yield shown if mode == _FILE else f"{shown} (no plain file)", each.decode()

    def _checked(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the sizes of those objects that are contents and lie here."""
        asked = "".join(f"{each}\n" for each in ids).encode()
        lines = self._git.run("cat-file", "--batch-check", stdin=asked).decode().splitlines() if asked else []
        words = [line.split(" ") for line in lines]
        return {each[0]: int(each[2]) for each in words if len(each) == 3 and each[1] == "blob"}

    def _contents(self, ids: Sequence[str]) -> Iterator[bytes]:
        """Yield the contents of objects that lie here, in this order."""
        if not ids:
            return
        with tempfile.TemporaryFile() as asked:
            asked.write("".join(f"{each}\n" for each in ids).encode())
            asked.seek(0)
            with self._git.streaming("cat-file", "--batch", stdin=asked) as process:
                output = _output(process)
                for _ in ids:
                    *_, size = output.readline().split(b" ")
                    if not size.strip().isdigit():
                        raise RemoteUnreachable(f"{self._where}: an object went away while it was read; sync again")
                    yield output.read(int(size))
                    output.read(1)

    # --- making commits -----------------------------------------------------------------------

    def _commit(self, changes: Iterable[bytes], gone: Collection[str], *, base: str) -> None:
        """Make a commit of these changes on top of `base` and keep it as the next one."""
        with self._git.streaming("fast-import", "--quiet", "--done", "--force", stdin=subprocess.PIPE) as process:
            assert process.stdin is not None  # noqa: S101  # for the type: it was asked for
            write = process.stdin.write
            write(b"commit %s\ncommitter %s %d +0000\n" % (NEXT.encode(), _WHO, time.time()))
            write(b"data %d\n%s\n" % (len(_MESSAGE), _MESSAGE))
            write(b"from %s\n" % base.encode() if base else b"")
            for change in changes:
                write(change)
                failpoints.hit("sync.put.after")
            failpoints.hit("sync.gone.before")
            for name in gone:
                write(b"D %s\n" % name.encode())
            write(b"done\n")

    def _is_as_it_was(self) -> bool:
        """Whether the commit that was made changes nothing."""
        if not self._tip:
            return False
        one, other = self._git.run("rev-parse", f"{NEXT}^{{tree}}", f"{self._tip}^{{tree}}").split()
        return one == other

    def _pushed(self, number: int, *options: str) -> bool:
        """Push the commit that was made; False if somebody else pushed before, whose commit is here then."""
        failpoints.hit("sync.push.before")
        try:
            words = ("push", "--quiet", "--porcelain", "--no-verify", *options, "origin", f"{NEXT}:{BRANCH}")
            self._git.run(*words, timeout_s=TRANSFER_S)
        except StoreError as error:
            before = self._tip
            time.sleep(secrets.SystemRandom().uniform(0, min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**number)))
            self._fetch()  # after the wait, so that it is as new as it can be
            if self._tip == before and not any(each in str(error) for each in _LOST):
                raise
            return False
        failpoints.hit("sync.push.after")
        self._tip = self._cache.reference(NEXT)
        self._cache.set_tip(self._tip)
        return True

    def _too_many(self) -> RemoteUnreachable:
        return RemoteUnreachable(f"{self._where}: {TRIES} others pushed first, one after the other; sync again")


def _inline(put: Iterable[Put], sizes: dict[str, int]) -> Iterator[bytes]:
    """Yield the commands that write objects, and note each one's size by its name."""
    for name, data in put:
        if read_name(name) is None:
            raise ValueError(f"{name!r}: not an object's name")
        sizes[name] = len(data)
        yield b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data)


def _output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdout is not None  # noqa: S101  # for the type: it is always a pipe
    return process.stdout


def _split(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what stands between NULs."""
    rest = b""
    while piece := stream.read(_PIECE):
        *whole, rest = (rest + piece).split(b"\0")
        yield from whole
