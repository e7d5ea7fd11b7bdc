"""A memory syncs alike whether it lies in files or in Postgres."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from store import EVERYTHING, SyncOptions
from tests.builders_databases import each_database
from tests.builders_log import admission, draft, full_draft
from tests.builders_sync import everything_in, machine


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    each_database(metafunc)


def test_union_erasure_signatures_and_a_new_id(tmp_path: Path, on_database: str) -> None:
    folder = str(tmp_path / "shared")
    with closing(machine(tmp_path / "one")) as one, closing(machine(tmp_path / "other", day=1)) as other:
        one.admit(admission(full_draft("s3cret"), anchor="C1/1"))
        other.admit(admission(draft("Another"), anchor="C1/2"))
        for memory in (one, other, one):
            memory.sync(folder, SyncOptions(sign=True))
        one.forget_decision(next(each.id for each in one.decisions(EVERYTHING) if "s3cret" in each.title))
        fresh = one.sync(folder, SyncOptions(new_writer=True)).writer
        one.admit(admission(draft("Under a new id"), anchor="C1/3"))

        done = [memory.sync(folder) for memory in (one, other, one)]

        assert fresh
        assert [each.faults for each in done] == [(), (), ()]
        assert one.digest(EVERYTHING) == other.digest(EVERYTHING)
        assert (one.verify().clean, other.verify().clean) == (True, True)
        assert b"s3cret" not in everything_in(tmp_path / "shared")
