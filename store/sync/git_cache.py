"""What is kept of a git remote between two syncs: its newest commit and folders, and nobody's words.

A bare repository without history, hooks or files. Fetching and pushing bring objects' contents into
it; `slim` takes them out again, so that an erasure has nothing to look for here. It can be thrown
away at any time: then the next sync fetches everything once more.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from store.errors import StoreError
from store.sync.git_program import Git

TIP = "refs/backstory/tip"
"""Where the remote's newest commit that we know is kept."""

NEXT = "refs/backstory/next"
"""Where a commit is made before it is pushed."""

_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tbare = true
\tlogAllRefUpdates = false
\tfsync = none
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""
"""What lies here need not survive a power cut, and `slim` tidies it better than git would."""

_SIZES = "sizes.json"


class GitCache:
    """The repository in a folder of its own; one process at a time."""

    def __init__(self, folder: Path, git: Git) -> None:
        """Use a folder, which is made at `prepare`."""
        self._folder = folder
        self._git = git
        self.sizes: dict[str, int] = {}

    def prepare(self) -> None:
        """Make the repository if it isn't there or isn't as it should be; clear what a killed git left."""
        config = self._folder / "config"
        if not config.exists() or config.read_text("utf-8") != _CONFIG or not (self._folder / "HEAD").exists():
            self.reset()
        for lock in self._folder.rglob("*.lock"):
            _remove(lock)
        with suppress(OSError, ValueError):
            self.sizes = _sizes(json.loads((self._folder / _SIZES).read_text("utf-8")))

    def reset(self) -> None:
        """Throw everything away and begin with an empty repository."""
        shutil.rmtree(self._folder, onerror=_writable)
        self._folder.mkdir(mode=0o700, parents=True)
        self._git.run("init", "--quiet", "--bare", "--template=")
        (self._folder / "config").write_text(_CONFIG, "utf-8", newline="\n")
        self.sizes = {}

    def reference(self, name: str) -> str:
        """Return the commit that `TIP` or `NEXT` names, "" if it names none."""
        try:  # git keeps it in this file, since nothing here ever packs references
            return (self._folder / name).read_text("ascii").strip()
        except FileNotFoundError:
            return ""

    def set_tip(self, commit: str) -> None:
        """Say that the remote's newest commit is this one; "" if it has none."""
        self._git.run("update-ref", TIP, commit) if commit else self._git.run("update-ref", "-d", TIP)

    def is_sound(self) -> bool:
        """Whether what is kept is whole: if it isn't, nothing can be fetched on top of it."""
        try:
            if self.reference(TIP):
                self._git.run("rev-list", "--quiet", "--objects", "--filter=blob:none", TIP)
        except StoreError:
            return False
        return True

    def slim(self, tip: str) -> None:
        """Keep of all objects the tip's commit and folders, and the sizes of its files."""
        if not (self._folder / "HEAD").exists():
            return
        kept = self._folder / _SIZES
        kept.write_text(json.dumps(self.sizes), "utf-8")
        pack = ""
        if tip:
            wanted = self._git.run("rev-list", "--objects", "--filter=blob:none", "--no-object-names", tip)
            base = self._folder / "objects" / "pack" / "pack"
            pack = f"pack-{self._git.run('pack-objects', '--quiet', str(base), stdin=wanted).decode().strip()}"
            (base.parent / f"{pack}.promisor").touch()
            shallow = self._folder / "shallow"
            if shallow.exists() and tip in shallow.read_text("ascii"):
                shallow.write_text(f"{tip}\n", "ascii", newline="\n")
        found = [path for path in (self._folder / "objects").rglob("*") if path.is_file()]
        for path in sorted(found, key=lambda each: each.suffix != ".idx"):  # a pack without its index is nothing to git
            if path.stem != pack:
                _remove(path)


def _sizes(value: Any) -> dict[str, int]:
    return {str(key): int(size) for key, size in value.items()} if isinstance(value, Mapping) else {}


def _remove(path: Path) -> None:
    with suppress(FileNotFoundError):
        if os.name != "posix":  # git writes its objects read-only, and such files can't be deleted there
            path.chmod(stat.S_IWRITE)
        path.unlink()


def _writable(remove: Callable[[str], object], path: str, error: Any) -> None:
    if issubclass(error[0], FileNotFoundError):
        return
    Path(path).chmod(stat.S_IRWXU)
    remove(path)
