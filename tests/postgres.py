"""A Postgres of the tests' own: one cluster for all that run at once, a tenant for each test.

It is started by the first who needs it and stopped by the last, in a folder of its own, reached over a socket there and
over nothing else. Postgres refuses to run as root: as root it runs as the user `postgres` of Debian's package.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

BINARIES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), reverse=True)), None)
"""Debian's; elsewhere what is on the PATH."""

FAST = (
    "fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "shared_buffers=64MB",
    "listen_addresses=", "max_connections=200", "jit=off", "log_min_messages=fatal",
)  # fmt: skip
"""Nothing here has to survive a power cut; no port is opened."""

ROLE, DATABASE = "backstory_app", "backstory"
"""What the product logs in as: neither superuser nor beyond row-level security."""


def folder_of_binaries() -> Path | None:
    """Return where `postgres` and `initdb` lie; None where they are not installed."""
    if BINARIES is not None:
        return BINARIES.parent
    found = shutil.which("postgres")
    return Path(found).resolve().parent if found else None


@contextmanager
def cluster(shared: Path) -> Iterator[str]:
    """Start a cluster, or join the one that others of this test run started, and yield its URL.

    Args:
        shared: a folder that all processes of this test run see.
    """
    binaries = folder_of_binaries()
    assert binaries is not None
    lock, users, where = FileLock(shared / "postgres.lock"), shared / "postgres.users", shared / "postgres.folder"
    with lock:
        count = int(users.read_text()) if users.exists() else 0
        if count == 0:
            where.write_text(str(_started(binaries)))
        users.write_text(str(count + 1))
    folder = Path(where.read_text())
    try:
        yield f"postgresql://{ROLE}@/{DATABASE}?host={folder}"
    finally:
        with lock:
            count = int(users.read_text()) - 1
            users.write_text(str(count))
            if count == 0:
                _as_owner([str(binaries / "pg_ctl"), "-D", str(folder / "data"), "-m", "immediate", "stop"])
                shutil.rmtree(folder, ignore_errors=True)


def _started(binaries: Path) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="backstory-pg-"))
    if os.getuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    data = str(folder / "data")
    _as_owner([str(binaries / "initdb"), "-D", data, "-U", "admin", "-A", "trust", "-N", "--locale=C", "-E", "UTF8"])
    settings = [word for each in (*FAST, f"unix_socket_directories={folder}") for word in ("-c", each)]
    options = " ".join(settings)
    _as_owner([str(binaries / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start"])
    made = (f"CREATE ROLE {ROLE} LOGIN CREATEROLE", f"CREATE DATABASE {DATABASE} OWNER {ROLE}")
    for statement in made:
        _as_owner([str(binaries / "psql"), "-qX", "-h", str(folder), "-U", "admin", "-d", "postgres", "-c", statement])
    return folder


def _as_owner(command: list[str]) -> None:
    drop = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    done = subprocess.run([*drop, *command], capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
