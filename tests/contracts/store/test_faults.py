"""What happens when the machine gives out under a memory."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from store import EVERYTHING, PUBLIC, Beside, Memory, StoreBusy, StoreError, StoreFull
from store.sql.engine import Database
from store.sql.faults import translated
from tests.builders_log import admission, draft, memory_in, ticking

pytestmark = pytest.mark.sqlite_only


def full_memory(home: Path) -> Memory:
    """Return a memory on a disk that has room for a few pages more."""
    memory_in(home).close()
    pages = (home / "memory.db").stat().st_size // 4096
    database = Database(home / "memory.db", largest_pages=pages + 12)
    beside, clock = Beside.open(home / "inbox.db"), ticking()
    return Memory(home, database, beside, clock=clock, index="off", salt=os.urandom)


def test_a_full_disk_in_the_middle_of_an_append_loses_nothing(tmp_path: Path) -> None:
    memory = full_memory(tmp_path)
    kept = memory.admit(admission(draft("Fits"), anchor="C1/0")).new

    with pytest.raises(StoreFull, match=r"memory\.db: the disk is full"):
        memory.admit(admission(draft("Too long", text="x" * 200_000), anchor="C1/1"))

    assert [each.id for each in memory.decisions(PUBLIC)] == list(kept)
    assert not memory.known(admission(anchor="C1/1").place, "1")
    assert memory.verify().clean
    memory.close()
    again = memory_in(tmp_path)
    assert again.admit(admission(draft("Too long", text="x" * 200_000), anchor="C1/1")).new
    again.close()


KILLED = """
import sys
from pathlib import Path
from tests.builders_log import admission, memory_in
memory = memory_in(Path(sys.argv[1]))
memory.admit(admission())
print("admitted")
"""


@pytest.mark.parametrize("point", ["append.before", "append.after", "projection.before", "projection.after"])
def test_a_kill_at_a_failpoint_leaves_all_or_nothing(tmp_path: Path, point: str) -> None:
    memory_in(tmp_path).close()
    root = Path(__file__).parents[3]
    environment = {**os.environ, "BACKSTORY_FAILPOINT": point}

    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=root, env=environment, capture_output=True, text=True
    )

    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "")
    memory = memory_in(tmp_path)
    assert memory.decisions(EVERYTHING) == ()
    assert memory.admit(admission()).new
    assert memory.verify().clean
    memory.close()


def test_what_a_killed_rebuild_left_is_cleared_at_the_next_start(tmp_path: Path) -> None:
    memory_in(tmp_path).close()
    with sqlite3.connect(tmp_path / "memory.db") as raw:
        raw.execute("CREATE TABLE decisions_next (doc TEXT)")
        raw.execute("INSERT INTO decisions_next VALUES ('xyzzy')")
    raw.close()

    memory_in(tmp_path).close()

    assert b"xyzzy" not in (tmp_path / "memory.db").read_bytes()


def test_a_second_rebuild_at_once_is_refused(tmp_path: Path) -> None:
    memory, other = memory_in(tmp_path), memory_in(tmp_path)
    memory.admit(admission())
    refused: list[str] = []

    def rebuild_again(_done: int, _total: int) -> None:
        with pytest.raises(StoreBusy, match="another process is rebuilding"):
            other.rebuild()
        refused.append("yes")

    memory.rebuild(rebuild_again)

    assert refused == ["yes"]
    memory.close()
    other.close()


@pytest.mark.parametrize(
    ("code", "error", "words"),
    [
        (sqlite3.SQLITE_FULL, StoreFull, "disk is full"),
        (sqlite3.SQLITE_BUSY, StoreBusy, "kept writing"),
        (sqlite3.SQLITE_CORRUPT, StoreError, "restore it from a backup"),
        (sqlite3.SQLITE_IOERR, StoreError, "check the disk"),
        (sqlite3.SQLITE_MISUSE, StoreError, "boom"),
    ],
)
def test_the_databases_errors_say_what_and_where(code: int, error: type[StoreError], words: str) -> None:
    raised = sqlite3.OperationalError("boom")
    raised.sqlite_errorcode = code

    told = translated(raised, Path("memory.db"))

    assert isinstance(told, error)
    assert "memory.db" in str(told)
    assert words in str(told)
