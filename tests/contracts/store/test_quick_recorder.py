"""What the quick way to write promises: it writes what the whole memory writes, or says that it can't."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from store import EVERYTHING, NotADatabase, QuickRecorder, SchemaTooNew, StoreBusy, Verdict
from store.core.events import setting_changed
from store.recording import Recording
from store.sql.quick_writing import QuickDatabase
from tests.builders_log import LENA, NOW, SEARCH, admission, counted_salt, draft, memory_in, setting

pytestmark = pytest.mark.sqlite_only


def _record(memory: Recording) -> None:
    first = memory.admit(admission(draft("Stay on pg"), setting("3", day=1))).new[0]
    list(memory.ingest(admission(setting(str(day), day=day), anchor=f"C1/{day}") for day in range(2, 6)))
    memory.observe_outcome(first, voter=LENA, verdict=Verdict.WORKED, counts=True, key="v", scope=SEARCH, at=NOW)
    memory.retract(first, by=LENA)


def test_it_writes_the_log_that_the_memory_writes(tmp_path: Path) -> None:
    salt, same_salt = counted_salt(), counted_salt()
    memory = memory_in(tmp_path / "whole", clock=lambda: NOW, salt=salt)
    _record(memory)
    memory_in(tmp_path / "quick", clock=lambda: NOW, salt=same_salt).close()
    quick = QuickRecorder.open(tmp_path / "quick", clock=lambda: NOW, salt=same_salt)
    assert quick is not None
    _record(quick)
    quick.close()

    written = memory_in(tmp_path / "quick", clock=lambda: NOW)

    assert written.envelopes() == memory.envelopes()
    assert written.digest(EVERYTHING) == memory.digest(EVERYTHING)
    assert not written.verify().faults
    memory.close()
    written.close()


def test_what_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    memory_in(tmp_path).close()
    quick = QuickRecorder.open(tmp_path)
    assert quick is not None

    with suppress(RuntimeError), quick._writing() as tx:
        tx.say((SEARCH, setting_changed("x", "y", by=LENA)))
        raise RuntimeError
    again = quick.set_setting("x", "y", by=LENA)

    assert again
    quick.close()


def test_a_memory_that_must_be_made_first_is_left_to_the_engine(tmp_path: Path) -> None:
    assert QuickRecorder.open(tmp_path) is None

    sqlite3.connect(tmp_path / "memory.db").close()

    assert QuickRecorder.open(tmp_path) is None


def test_what_it_can_not_write_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"no database, but longer than a header of one is " * 9)
    with pytest.raises(NotADatabase):
        QuickRecorder.open(tmp_path)
    (tmp_path / "memory.db").unlink()
    memory_in(tmp_path).close()
    newer = sqlite3.connect(tmp_path / "memory.db")
    newer.execute("PRAGMA user_version = 99")
    newer.close()

    with pytest.raises(SchemaTooNew):
        QuickRecorder.open(tmp_path)


def test_who_waits_too_long_for_another_writer_is_told(tmp_path: Path) -> None:
    memory_in(tmp_path).close()
    one, other = (QuickDatabase.open(tmp_path / "memory.db", busy_ms=1) for _ in range(2))
    assert one is not None
    assert other is not None

    with one.write(), pytest.raises(StoreBusy), other.write():
        pass

    one.close()
    other.close()
