"""Segments that an earlier version wrote are read forever."""

from __future__ import annotations

import json
import zipfile
from contextlib import closing
from pathlib import Path

from store import EVERYTHING, SyncOptions
from tests.builders_log import memory_in

EARLIER = Path(__file__).parents[2] / "fixtures" / "earlier"
"""`segments_1.zip` is a folder to which the memory of `schema_2.zip` was published with a closed channel, signed."""


def test_segments_of_the_first_format_give_the_log_that_was_published(tmp_path: Path) -> None:
    remote, published = tmp_path / "remote", tmp_path / "published"
    with zipfile.ZipFile(EARLIER / "segments_1.zip") as packed:
        packed.extractall(remote)
    with zipfile.ZipFile(EARLIER / "schema_2.zip") as packed:
        packed.extractall(published)
    before = sorted((path, path.read_bytes()) for path in remote.rglob("*") if path.is_file())
    said = json.loads((EARLIER / "schema_2.json").read_text(encoding="utf-8"))

    with closing(memory_in(published)) as theirs, closing(memory_in(tmp_path / "home")) as memory:
        synced = memory.sync(str(remote), SyncOptions(scopes=("channel:EXEC",)))
        again = memory.sync(str(remote), SyncOptions(scopes=("channel:EXEC",)))

        assert (synced.received, synced.faults, again.received) == (said["events"], (), 0)
        assert memory.digest(EVERYTHING) == theirs.digest(EVERYTHING)
        assert [one.title for one in memory.decisions(EVERYTHING)] == [one[1] for one in said["all"]["decisions"]]
        assert memory.verify().faults == ()
    assert sorted((path, path.read_bytes()) for path in remote.rglob("*") if path.is_file()) == before
