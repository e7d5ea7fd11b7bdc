"""Which kind of remote an address names: S3, a git repository, or a folder."""

from __future__ import annotations

import re
from pathlib import Path

from store.core.ids import sha256
from store.errors import RemoteRefused
from store.sync.folder import FolderRemote
from store.sync.remote import Remote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SSH = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:.+")
_NO_PATH = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:")


def open_remote(text: str, caches: Path) -> Remote:
    """Return the remote that somebody named: `s3://bucket/prefix`, a git address, or a folder's path.

    A folder is taken for git where it is a repository; a bare one is what several machines share.

    Args:
        text: as it was written.
        caches: the folder under which each remote may keep something between syncs.

    Raises:
        RemoteRefused: it can't be a remote.
    """
    if not text or text.startswith("-"):
        raise RemoteRefused(f"{text!r}: not a remote: give a folder, a git address or s3://bucket/prefix")
    cache = caches / sha256(text.encode())[:16]
    if text.startswith("s3://"):
        from store.sync.s3 import open_s3

        return open_s3(text, cache)
    if _is_git(text):
        from store.sync.git import open_git

        return open_git(text, cache)
    if _NO_PATH.fullmatch(text) and not Path(text).exists():
        raise RemoteRefused(f"{text!r}: no path after the host; git takes user@host:path")
    if _SCHEME.match(text):
        raise RemoteRefused(f"{text.partition('://')[0]}://: not a kind of remote that is known")
    path = Path(text).expanduser().resolve()
    if not path.parent.is_dir():
        raise RemoteRefused(f"{path.parent}: no such folder; make it, or mind the spelling")
    return FolderRemote(path)


def _is_git(text: str) -> bool:
    if text.startswith(("git+", "ssh://", "https://", "http://", "git://", "file://")):
        return True
    path = Path(text).expanduser()
    if path.is_dir():
        return (path / ".git").exists() or all((path / name).exists() for name in ("HEAD", "objects", "refs"))
    return text.endswith(".git") or (_SSH.fullmatch(text) is not None and not path.exists())
