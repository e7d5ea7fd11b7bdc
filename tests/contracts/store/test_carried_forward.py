"""Files that earlier versions wrote are read forever: opened, carried forward, and they answer as they did then."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from store import EVERYTHING, PUBLIC, Memory, Question, QuickMemory, Reader, SchemaTooNew, SchemaTooOld
from store.core.events import Kind
from tests.builders_log import admission, memory_in, setting

pytestmark = pytest.mark.sqlite_only

EARLIER = Path(__file__).parents[2] / "fixtures" / "earlier"
"""Each zip holds the two files of a home, as the version of that schema wrote them; the JSON beside it what that
version said of them."""
SINCE = {Kind.HELD_APART, Kind.PLACE_WITHDRAWN}
"""Kinds that no kept file holds yet, as the schema hasn't stepped since they came: the next one that is kept will."""
SCHEMAS = sorted(path.stem for path in EARLIER.glob("schema_*.zip"))


def unpacked(name: str, home: Path) -> dict[str, Any]:
    """Put an earlier version's files into a home and return what that version said of them."""
    with zipfile.ZipFile(EARLIER / f"{name}.zip") as packed:
        packed.extractall(home)
    said: dict[str, Any] = json.loads((EARLIER / f"{name}.json").read_text(encoding="utf-8"))
    return said


@pytest.fixture(params=SCHEMAS)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Memory, dict[str, Any]]]:
    said = unpacked(request.param, tmp_path)
    with closing(memory_in(tmp_path)) as memory:
        yield memory, said


def told(memory: Memory, reader: Reader) -> dict[str, Any]:
    """Return what a memory says to a reader, in the words of the JSON beside the files; each version has its digest."""
    return {
        "decisions": [[d.id, d.title, d.state, d.status, d.confirmed] for d in memory.decisions(reader)],
        "heads": [
            [v.element, [d.title for d in v.decisions], [list(p) for p in v.properties], [list(e) for e in v.links]]
            for v in memory.heads((), reader)
        ],
        "conflicts": [[c.element, c.property, [h.title for h in c.heads]] for c in memory.conflicts(reader)],
        "history": [[d.title, d.state] for d in memory.history("service:search", reader)],
        "as_of": [d.title for d in memory.history("service:search", reader, as_of=date(2026, 3, 2))],
    }


def test_a_file_of_an_earlier_version_says_what_it_said_then_to_every_reader(
    opened: tuple[Memory, dict[str, Any]],
) -> None:
    memory, said = opened

    now = {
        "public": told(memory, PUBLIC),
        "all": told(memory, EVERYTHING),
        "exec": told(memory, memory.members.reader_of("U3")),
    }

    assert now == {name: {what: said[name][what] for what in now[name]} for name in now}
    assert memory.verify().faults == ()


def test_a_file_of_an_earlier_version_is_written_on_and_what_lies_beside_it_kept(
    opened: tuple[Memory, dict[str, Any]],
) -> None:
    memory, said = opened

    memory.admit(admission(setting("7", day=9, title="Seven retries"), anchor="C1/20.0"))

    found = memory.sessions.get("s1")
    assert found is not None
    assert (found.question, memory.inbox.counts().waiting) == ("why does search back off?", 1)
    assert memory.nudges.of_message("none") == ()
    assert memory.heads(["service:search"], PUBLIC)[0].properties[-1][1] == "7"
    report = memory.verify()
    assert (report.faults, report.events > said["events"]) == ((), True)


def test_questions_are_answered_from_a_file_of_an_earlier_version(opened: tuple[Memory, dict[str, Any]]) -> None:
    memory, said = opened

    first = memory.recall(Question(text="why do retries back off in search?"), PUBLIC).ranked[0]
    without_spaces = memory.recall(Question(text="検索はどうなりましたか"), PUBLIC)  # schema 1 kept them as one word

    assert first.decision.title == said["recall"][0]
    titles = [one.decision.title for one in (*without_spaces.ranked, *without_spaces.nearest)]
    assert titles == ["検索はPostgreSQLのままでいく"]


def test_every_kind_of_event_stands_in_a_file_of_an_earlier_version() -> None:
    kinds = {kind for name in SCHEMAS for kind in json.loads((EARLIER / f"{name}.json").read_text())["kinds"]}

    assert kinds | SINCE == set(Kind)


def test_whoever_only_reads_a_file_of_an_earlier_version_is_told_what_carries_it_forward(tmp_path: Path) -> None:
    unpacked("schema_1", tmp_path)

    with pytest.raises(SchemaTooOld, match="`why rebuild` carries it forward"):
        QuickMemory.open(tmp_path)
    memory_in(tmp_path).close()
    found = QuickMemory.open(tmp_path)

    assert found is not None
    assert found.history("service:search", PUBLIC)
    found.close()


@pytest.mark.parametrize("change", ["PRAGMA user_version = 99", "UPDATE about_me SET value = 99"])
def test_a_file_of_a_later_version_is_refused(tmp_path: Path, change: str) -> None:
    memory_in(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "memory.db")) as raw, raw:
        raw.execute(f"{change} WHERE name = 'projections'" if change.startswith("UPDATE") else change)

    with pytest.raises(SchemaTooNew, match="upgrade Backstory"):
        memory_in(tmp_path)
    with pytest.raises(SchemaTooNew, match="upgrade Backstory"):
        QuickMemory.open(tmp_path)


def test_projections_of_an_earlier_shape_are_folded_anew_whatever_is_in_them(tmp_path: Path) -> None:
    with closing(memory_in(tmp_path)) as memory:
        memory.admit(admission(setting("3"), anchor="C1/1.0"))
        before = memory.digest(EVERYTHING)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as raw, raw:
        raw.execute("DROP TABLE decision_sets")
        raw.execute("CREATE TABLE decision_sets (whatever TEXT)")
        raw.execute("UPDATE decisions SET source = 'wrong'")
        raw.execute("DELETE FROM about_me WHERE name = 'projections'")

    with closing(memory_in(tmp_path)) as memory:
        after, report = memory.digest(EVERYTHING), memory.verify()

    assert after == before
    assert report.faults == ()
