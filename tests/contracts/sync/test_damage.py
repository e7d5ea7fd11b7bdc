"""What is wrong in a remote is named, waits by itself and stops nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from store import EVERYTHING, Memory
from store.core.events import LARGEST_LAMPORT, event_id
from store.sync.remote import MOST_BYTES
from store.sync.segment import write_segment
from tests.builders_log import admission, draft
from tests.builders_sync import STRANGER, Watched, exchange, fact, facts, machine, objects, put_segment


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shared"


@pytest.fixture
def other(tmp_path: Path, folder: Path) -> Memory:
    """A second machine that has published two decisions."""
    with closing(machine(tmp_path / "other")) as memory:
        for number in range(2):
            memory.admit(admission(draft(f"Decision {number}"), anchor=f"C1/{number}"))
            memory.sync(str(folder))
    return memory


def reader(tmp_path: Path) -> Path:
    """Return the home of a machine that has nothing yet."""
    machine(tmp_path / "reader").close()
    return tmp_path / "reader"


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def one_byte_changed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def something_else(path: Path) -> None:
    path.write_bytes(b"<html>Please log in</html>")


@pytest.mark.parametrize("damage", [truncated, one_byte_changed, emptied, something_else])
def test_a_damaged_segment_waits_alone_until_its_owner_mends_it(
    tmp_path: Path, folder: Path, other: Memory, damage: Callable[[Path], None]
) -> None:
    put_segment(folder, facts(3))
    name, path = next((name, path) for name, path in objects(folder).items() if name.endswith("2-2.g1"))
    damage(path)
    home = reader(tmp_path)
    remote = Watched(folder)

    first = exchange(home, remote)
    remote.were_read.clear()
    again = exchange(home, remote)
    mended = exchange(tmp_path / "other", Watched(folder))
    last = exchange(home, Watched(folder))

    assert first.received == 4
    assert [name in fault.where for fault in first.faults] == [True]
    assert again.faults == first.faults
    assert remote.were_read == []
    assert mended.objects_deleted == 1
    assert "damaged" in mended.notes[0]
    assert (last.received, last.faults) == (1, ())


def test_verify_names_what_waits(tmp_path: Path, folder: Path, other: Memory) -> None:
    truncated(next(iter(objects(folder).values())))
    with closing(machine(tmp_path / "reader")) as memory:
        memory.sync(str(folder))

        faults = memory.verify().faults

    assert len(faults) == 2  # the object, and what can't follow it
    assert "checksum" in faults[1].what
    assert all(str(folder) in fault.where and fault.remedy for fault in faults)


def test_a_gap_holds_back_its_stream_alone(tmp_path: Path, folder: Path, other: Memory) -> None:
    chain = facts(9)
    put_segment(folder, chain[:3])
    put_segment(folder, chain[6:])
    home = reader(tmp_path)

    gap = exchange(home, Watched(folder))
    put_segment(folder, chain[3:6])
    closed = exchange(home, Watched(folder))

    assert gap.received == 5
    assert f"events 4 to 6 of stream {STRANGER}/open/workspace" in gap.faults[0].what
    assert (closed.received, closed.faults) == (6, ())


def test_events_that_follow_something_else_wait(tmp_path: Path, folder: Path) -> None:
    put_segment(folder, facts(3))
    put_segment(folder, [fact(4, "ab" * 32)])

    done = exchange(reader(tmp_path), Watched(folder))

    assert done.received == 3
    assert "doesn't follow event 3" in done.faults[0].what


def test_a_segment_that_claims_another_writer_s_stream_is_refused(tmp_path: Path, folder: Path, other: Memory) -> None:
    put_segment(folder, facts(2), owner="00000000000000bb")

    done = exchange(reader(tmp_path), Watched(folder))

    assert done.received == 2
    assert "writer 00000000000000bb claims a stream of writer" in done.faults[0].what


def test_a_segment_that_was_copied_or_renamed_is_refused(tmp_path: Path, folder: Path) -> None:
    put_segment(folder, facts(2), named=7)
    put_segment(folder, facts(2), stream=f"{STRANGER}/open/channel:C9")

    done = exchange(reader(tmp_path), Watched(folder))

    assert done.received == 0
    assert any("not those it is named for" in fault.what for fault in done.faults)
    assert any("lies elsewhere" in fault.what for fault in done.faults)


def test_other_files_are_named_and_left_alone(tmp_path: Path, folder: Path, other: Memory) -> None:
    (folder / "notes").mkdir()
    (folder / "notes" / "plan\x1b[31m.txt").write_text("mine")
    (folder / STRANGER).write_text("not a folder")
    (folder / ".hidden").write_text("x")

    done = exchange(reader(tmp_path), Watched(folder))

    assert (done.received, done.faults) == (2, ())
    assert done.notes == (f"2 files that are none of ours, left alone: {STRANGER}, notes/plan?[31m.txt",)
    assert (folder / ".hidden").exists()


def test_an_object_larger_than_any_of_ours_is_not_read(tmp_path: Path, folder: Path) -> None:
    name = put_segment(folder, facts(1))
    with (folder / name).open("r+b") as file:
        file.truncate(MOST_BYTES + 1)
    remote = Watched(folder)

    done = exchange(reader(tmp_path), remote)

    assert "more than any of ours" in done.faults[0].what
    assert remote.were_read == []


def test_an_object_of_a_newer_version_waits_for_an_upgrade(tmp_path: Path, folder: Path) -> None:
    name = put_segment(folder, facts(1))
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[:7] + b"\x09" + data[8:])

    (fault,) = exchange(reader(tmp_path), Watched(folder)).faults

    assert "format 9" in fault.what
    assert "upgrade" in fault.remedy


def test_events_of_an_unknown_newer_kind_are_kept_and_named(tmp_path: Path, folder: Path) -> None:
    put_segment(folder, facts(2, kind="DreamDreamt", v=7))
    with closing(machine(tmp_path / "reader")) as memory:
        received = memory.sync(str(folder)).received

        report = memory.verify()

        assert (received, report.clean) == (2, True)
        assert "2 events of kind DreamDreamt" in report.notes[0]
        assert [each.header for each in memory.envelopes()] == [
            header for header, _ in facts(2, kind="DreamDreamt", v=7)
        ]


@pytest.mark.parametrize("lamport", [0, -4, LARGEST_LAMPORT + 1, 10**40])
def test_a_clock_out_of_range_keeps_its_segment_out(tmp_path: Path, folder: Path, other: Memory, lamport: int) -> None:
    put_segment(folder, [fact(1, lamport=lamport)])

    done = exchange(reader(tmp_path), Watched(folder))

    assert done.received == 2
    assert "out of range" in done.faults[0].what


def test_a_huge_clock_is_taken_in_and_does_not_move_ours(tmp_path: Path, folder: Path) -> None:
    put_segment(folder, [fact(1, lamport=LARGEST_LAMPORT - 1)])
    with closing(machine(tmp_path / "reader")) as memory:
        memory.sync(str(folder))
        memory.admit(admission())

        notes = memory.verify().notes

        assert "a clock far ahead" in notes[0]
        assert [each.header for each in memory.envelopes()][-1].count('"lamport":1,') == 1


@pytest.mark.parametrize(
    "odd",
    [
        {"kind": "DecisionRecorded"},
        {"kind": "DecisionSuperseded", "about": []},
        {"kind": "OutcomeObserved"},
        {"kind": "TextRedacted", "about": ["x"]},
        {"kind": "SameAs", "about": ["1"]},
        {"kind": "SettingChanged"},
        {"kind": "MentionResolved"},
        {"recorded_at": "yesterday"},
        {"recorded_at": "2026-99-99T00:00:00Z"},
        {"v": "1"},
        {"about": [1]},
        {"about": "x"},
        {"kind": 5},
    ],
    ids=str,
)
def test_an_event_that_is_not_what_its_kind_should_be_stops_nobody(
    tmp_path: Path, folder: Path, other: Memory, odd: dict[str, object]
) -> None:
    put_segment(folder, [fact(1, **odd)])  # type: ignore[arg-type]

    with closing(machine(tmp_path / "reader")) as memory:
        done = memory.sync(str(folder))
        decisions = memory.decisions(EVERYTHING)

    assert len(decisions) == 2
    assert done.received in (2, 3)


def test_a_stream_that_is_none_is_refused(tmp_path: Path, folder: Path) -> None:
    for scope in ("workspace", "ajar/workspace"):
        put_segment(folder, [fact(1, scope=scope)], stream=f"{STRANGER}/{scope}")

    done = exchange(reader(tmp_path), Watched(folder))

    assert (done.received, len(done.faults)) == (0, 2)


def test_a_rewriting_with_other_events_under_a_known_name_is_named(tmp_path: Path, folder: Path) -> None:
    name = put_segment(folder, facts(2))
    home = reader(tmp_path)
    exchange(home, Watched(folder))
    (folder / name).write_bytes(write_segment(STRANGER, facts(2, recorded_at="2020-01-01T00:00:00.000000Z")))

    done = exchange(home, Watched(folder))

    assert done.received == 0
    assert "replaced by other events" in done.faults[0].what


def test_a_log_that_is_damaged_itself_takes_nothing_away_from_the_folder(
    tmp_path: Path, folder: Path, other: Memory
) -> None:
    from store.sql.quick_writing import QuickDatabase

    before = {name: path.read_bytes() for name, path in objects(folder).items()}
    database = QuickDatabase.open(tmp_path / "other" / "memory.db")
    assert database is not None
    with closing(database), database.write() as tx:
        tx.run("UPDATE events SET header = replace(header, '\"seq\":2', '\"seq\":7') WHERE seq = 2")
        tx.run("UPDATE events SET seq = 4 WHERE seq = 2")

    done = exchange(tmp_path / "other", Watched(folder))

    assert [fault.remedy.startswith("run `why verify`") for fault in done.faults] == [True]
    assert {name: path.read_bytes() for name, path in objects(folder).items()} == before


def test_a_chain_may_begin_where_what_is_held_ends(tmp_path: Path, folder: Path) -> None:
    chain = facts(6)
    put_segment(folder, chain[:3])
    home = reader(tmp_path)
    exchange(home, Watched(folder))
    (home / "sync.db").unlink()
    for path in objects(folder).values():
        path.unlink()
    put_segment(folder, chain[3:])

    done = exchange(home, Watched(folder))

    assert (done.received, done.faults) == (3, ())
    assert event_id(chain[3][0])
