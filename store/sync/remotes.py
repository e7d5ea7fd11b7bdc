"""Which kind of remote an address names: S3, a git repository, or a folder."""

from __future__ import annotations

import re
from pathlib import Path

from store.core.ids import sha256
from store.errors import NoRemote, RemoteRefused
from store.sync.folder import FolderRemote
from store.sync.remote import Remote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SSH = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:.+")
_OF_GIT = ("HEAD", "objects", "refs")
"""What every repository holds; an empty `.git` in a shared folder makes it none."""
_NO_PATH = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:")


def open_remote(text: str, caches: Path) -> Remote:
    """Return the remote that somebody named: `s3://bucket/prefix`, a git address, or a folder's path.

    A folder is taken for git where it is a repository; a bare one is what several machines share.

    Args:
        text: as it was written.
        caches: the folder under which each remote may keep something between syncs.

    Raises:
        NoRemote: it is no such address.
        RemoteRefused: the folder can't be one.
    """
    if not text or text.startswith("-"):
        raise NoRemote(f"{text!r}: not a remote: give a folder, a git address or s3://bucket/prefix")
    cache = caches / sha256(text.encode())[:16]
    if text.startswith("s3://"):
        from store.sync.s3 import open_s3

        return open_s3(text, cache)
    if _is_git(text):
        from store.sync.git import open_git

        return open_git(text, cache)
    if _NO_PATH.fullmatch(text) and not Path(text).exists():
        raise NoRemote(f"{text!r}: no path after the host; git takes user@host:path")
    if _SCHEME.match(text):
        raise NoRemote(f"{text.partition('://')[0]}://: not a kind of remote that is known")
    path = Path(text).expanduser().resolve()
    if not path.parent.is_dir():
        raise RemoteRefused(f"{path.parent}: no such folder; make it, or mind the spelling")
    return FolderRemote(path)


def _is_git(text: str) -> bool:
    if text.startswith(("git+", "ssh://", "https://", "http://", "git://", "file://")):
        return True
    path = Path(text).expanduser()
    if path.is_dir():
        inside = path / ".git"
        bare = (path, inside) if inside.is_dir() else (path,)
        return inside.is_file() or any(all((one / name).exists() for name in _OF_GIT) for one in bare)
    return text.endswith(".git") or (_SSH.fullmatch(text) is not None and not path.exists())
