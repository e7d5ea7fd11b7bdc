"""Machines that sync with one folder end with one memory, read nothing twice, and keep to themselves what is closed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from store import EVERYTHING, Memory, Scope, SyncOptions
from store.core.events import openness_setting
from store.sql import bulk_log
from store.sql.quick_writing import QuickDatabase
from store.sync.opened import SegmentJob
from tests.builders_log import EXEC, LENA, admission, draft, full_draft, setting
from tests.builders_sync import Watched, events_in, everything_in, exchange, machine, objects

Open = Callable[..., Memory]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shared"


@pytest.fixture
def open_(tmp_path: Path) -> Iterator[Open]:
    """Open machines by name; all are closed at the end."""
    opened: list[Memory] = []

    def one(name: str, *, day: int = 0) -> Memory:
        opened.append(machine(tmp_path / name, day=day))
        return opened[-1]

    yield one
    for memory in opened:
        memory.close()


def admit(memory: Memory, count: int, *, first: int = 0) -> None:
    for number in range(first, first + count):
        memory.admit(admission(draft(f"Decision {number}"), anchor=f"C1/{memory.home.name}{number}"))


def test_both_end_with_one_digest_whoever_begins(open_: Open, folder: Path) -> None:
    one, other = open_("one"), open_("other", day=1)
    one.admit(admission(setting("backoff"), anchor="C1/1"))
    other.admit(admission(setting("none", day=5), anchor="C1/2"))

    done = [memory.sync(str(folder)) for memory in (one, other, one, other)]

    assert [(each.received, each.sent) for each in done] == [(0, 1), (1, 1), (1, 0), (0, 0)]
    assert one.digest(EVERYTHING) == other.digest(EVERYTHING)
    assert len(one.conflicts(EVERYTHING)) == 1
    assert other.verify().clean


def test_what_did_not_change_is_neither_read_nor_written(open_: Open, folder: Path, tmp_path: Path) -> None:
    one, other = open_("one"), open_("other", day=1)
    admit(one, 3)
    admit(other, 1, first=10)
    for memory in (one, other, one, other):
        memory.sync(str(folder))
    remote = Watched(folder)

    exchange(tmp_path / "one", remote)
    exchange(tmp_path / "other", remote)
    admit(other, 1, first=11)
    other.sync(str(folder))
    exchange(tmp_path / "one", remote)

    assert [name.rpartition("/")[2] for name in remote.were_read] == ["2-2.g1"]
    assert remote.published == []


def test_many_syncs_of_one_event_leave_few_objects_and_readers_follow(open_: Open, folder: Path) -> None:
    one, other, late = open_("one"), open_("other"), open_("late")
    for number in range(20):
        admit(one, 1, first=number)
        one.sync(str(folder))
        if number % 7 == 0:
            other.sync(str(folder))

    received = other.sync(str(folder)).received, late.sync(str(folder)).received

    assert received == (5, 20)
    assert len(objects(folder)) <= 10
    assert one.digest(EVERYTHING) == other.digest(EVERYTHING) == late.digest(EVERYTHING)


def test_closed_scopes_stay_here_unless_they_are_named(open_: Open, folder: Path) -> None:
    one, other = open_("one"), open_("other")
    one.admit(admission(draft("In the open"), anchor="C1/1"))
    one.admit(admission(draft("Among few"), anchor="EXEC/1", scope=EXEC))

    one.sync(str(folder))
    open_only = everything_in(folder)
    one.sync(str(folder), SyncOptions(scopes=(EXEC.id,)))
    other.sync(str(folder))

    assert b"Among few" not in open_only
    assert {each.title for each in other.decisions(EVERYTHING)} == {"In the open", "Among few"}
    assert not [each for each in events_in(folder) if each.stream.split("/")[1:] == ["open", EXEC.id]]


def test_a_channel_that_was_closed_since_sends_nothing_more_and_says_so(open_: Open, folder: Path) -> None:
    one = open_("one")
    scope = Scope(id="channel:C1", open=True)
    one.admit(admission(draft("Said in the open"), anchor="C1/1", scope=scope))
    one.sync(str(folder))
    one.set_setting(openness_setting(scope.id), "no", by=LENA)
    one.admit(admission(draft("Said in private"), anchor="C1/2", scope=Scope(id=scope.id, open=False)))
    one.admit(admission(draft("Said in private too"), anchor="C1/3", scope=scope))

    done = one.sync(str(folder))

    assert b"Said in private" not in everything_in(folder)
    assert "channel:C1" in done.notes[0]


def test_lost_state_costs_time_and_nothing_else(open_: Open, folder: Path, tmp_path: Path) -> None:
    one, other = open_("one"), open_("other")
    admit(one, 9)
    admit(other, 2, first=20)
    for memory in (one, other, one):
        memory.sync(str(folder))
    before = {name: path.read_bytes() for name, path in objects(folder).items()}
    for name in ("one", "other"):
        (tmp_path / name / "sync.db").unlink()

    done = [memory.sync(str(folder)) for memory in (one, other)]

    assert [(each.received, each.sent, each.objects_written, each.writer) for each in done] == [(0, 0, 0, "")] * 2
    assert {name: path.read_bytes() for name, path in objects(folder).items()} == before


def test_a_state_file_that_is_damaged_is_made_anew(open_: Open, folder: Path, tmp_path: Path) -> None:
    one = open_("one")
    admit(one, 1)
    one.sync(str(folder))
    (tmp_path / "one" / "sync.db").write_bytes(b"not a database" * 100)
    for name in ("sync.db-wal", "sync.db-shm"):
        (tmp_path / "one" / name).unlink(missing_ok=True)

    done = one.sync(str(folder))

    assert (done.sent, done.faults) == (0, ())


def test_what_vanishes_while_it_is_read_is_found_in_its_next_rewriting(
    open_: Open, folder: Path, tmp_path: Path
) -> None:
    one, other = open_("one"), open_("other")
    admit(one, 2)
    one.sync(str(folder))
    ((name, path),) = objects(folder).items()
    remote = Watched(folder, vanishing=[(name, {name.replace(".g1", ".g2"): path.read_bytes()})])
    admit(other, 1, first=7)

    done = exchange(tmp_path / "other", remote)

    assert (done.received, done.sent, done.faults) == (2, 1, ())


def test_a_remote_that_lost_objects_gets_them_again_from_their_owner(open_: Open, folder: Path) -> None:
    one, other = open_("one"), open_("other")
    admit(one, 2)
    one.sync(str(folder))
    shutil.rmtree(folder)

    one.sync(str(folder))

    assert other.sync(str(folder)).received == 2


def test_very_much_is_unpacked_by_other_processes_and_folded_at_once(open_: Open, folder: Path, tmp_path: Path) -> None:
    one, other = open_("one"), open_("other", day=1)
    admit(one, 4)
    one.admit(admission(full_draft("s3cret"), anchor="C1/1"))
    one.admit(admission(setting("backoff"), setting("none"), anchor="C1/2"))
    one.sync(str(folder))
    shared = {path: path.read_bytes() for path in objects(folder).values()}
    one.forget_decision(next(each.id for each in one.decisions(EVERYTHING) if "s3cret" in each.title))
    one.sync(str(folder))
    for path, data in shared.items():
        path.write_bytes(data)  # as if its rewriting had not arrived yet
    admit(other, 1, first=8)

    done = exchange(tmp_path / "other", Watched(folder), many=1)

    assert (done.received, done.faults) == (len(one.envelopes()), ())
    one.sync(str(folder))
    assert one.digest(EVERYTHING) == other.digest(EVERYTHING)
    assert other.verify().clean
    assert "s3cret" not in repr(other.envelopes())
    assert not list((tmp_path / "other" / "sync").iterdir())


@pytest.mark.parametrize("keyed", [0, 1, 2])
def test_a_log_that_was_filled_and_not_folded_is_finished_by_the_next_sync(
    open_: Open, folder: Path, tmp_path: Path, keyed: int
) -> None:
    one, other = open_("one"), open_("other", day=1)
    admit(one, 4)
    one.sync(str(folder))
    database = QuickDatabase.open(tmp_path / "other" / "memory.db")
    assert database is not None
    (path,) = objects(folder).values()
    rows = bulk_log.Unpacking(job=SegmentJob(name="", path=path))()
    with closing(database):
        with database.write() as tx:
            filling = bulk_log.Appending(tx)
            filling.append(tx, rows)
        for step in list(filling.steps())[:keyed]:  # and then the power failed
            with database.write() as tx:
                step(tx)

    other.close()
    other = open_("other", day=2)
    other.sync(str(folder))

    assert other.digest(EVERYTHING) == one.digest(EVERYTHING)
    assert other.verify().clean
    assert len(other.envelopes()) == 4


# --- erasure ----------------------------------------------------------------------------------


def test_after_an_erasure_no_object_holds_the_text_and_readers_blank_it(open_: Open, folder: Path) -> None:
    one, other, late = open_("one"), open_("other"), open_("late")
    one.admit(admission(full_draft("s3cret"), anchor="C1/1"))
    admit(one, 3)
    one.sync(str(folder))
    other.sync(str(folder))
    decision = next(each for each in one.decisions(EVERYTHING) if "s3cret" in each.title)
    before = everything_in(folder)

    one.forget_decision(decision.id)
    done = one.sync(str(folder))
    other.sync(str(folder))
    late.sync(str(folder))

    assert b"s3cret" in before
    assert b"s3cret" not in everything_in(folder)
    assert done.objects_deleted == 1
    for memory in (other, late):
        assert "s3cret" not in repr(memory.decisions(EVERYTHING))
        assert memory.digest(EVERYTHING) == one.digest(EVERYTHING)
        assert memory.verify().clean


def test_another_machine_s_erasure_makes_the_owner_rewrite_its_segment(open_: Open, folder: Path) -> None:
    one, other = open_("one"), open_("other")
    one.admit(admission(full_draft("s3cret"), anchor="C1/1"))
    one.sync(str(folder))
    other.sync(str(folder))
    other.forget_decision(other.decisions(EVERYTHING)[0].id)

    other.sync(str(folder))
    one.sync(str(folder))

    assert b"s3cret" not in everything_in(folder)
    assert other.sync(str(folder)).received == 0
    assert one.verify().clean


def test_half_a_file_that_a_killed_sync_left_goes_with_the_next(open_: Open, folder: Path) -> None:
    one = open_("one")
    one.admit(admission(full_draft("s3cret"), anchor="C1/1"))
    one.sync(str(folder))
    (path,) = objects(folder).values()
    path.with_name(f".{path.name}.0a0b0c0d").write_bytes(path.read_bytes()[:-9])
    one.forget_decision(one.decisions(EVERYTHING)[0].id)

    one.sync(str(folder))

    assert b"s3cret" not in everything_in(folder)
    assert not [each for each in folder.rglob(".*") if each.is_file()]


# --- copies -----------------------------------------------------------------------------------


def test_two_copies_of_one_memory_take_new_ids_and_both_stand(open_: Open, folder: Path, tmp_path: Path) -> None:
    one, other = open_("one"), open_("other", day=3)
    admit(one, 2)
    one.sync(str(folder))
    one.close()
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    one, copy = open_("one", day=1), open_("copy", day=2)
    admit(one, 1, first=50)
    admit(copy, 2, first=60)

    done = [memory.sync(str(folder)) for memory in (one, copy, one)]
    admit(one, 1, first=51)
    admit(copy, 1, first=62)
    for memory in (one, copy, other, one, copy, other):
        last = memory.sync(str(folder))

    assert [bool(each.writer) for each in done] == [False, True, True]
    assert not last.faults
    assert one.digest(EVERYTHING) == copy.digest(EVERYTHING) == other.digest(EVERYTHING)
    assert len(other.decisions(EVERYTHING)) == 7
    reports = [memory.verify() for memory in (one, copy, other)]
    assert [each.clean for each in reports] == [True, True, True]
    assert all("a store was copied and both went on" in each.notes[0] for each in reports)


def test_a_copy_s_own_events_are_erased_from_the_folder_as_well(open_: Open, folder: Path, tmp_path: Path) -> None:
    one = open_("one")
    one.admit(admission(full_draft("s3cret"), anchor="C1/1"))
    one.sync(str(folder))
    one.close()
    shutil.copytree(tmp_path / "one", tmp_path / "copy")
    one, copy = open_("one"), open_("copy")
    admit(one, 1)
    copy.admit(admission(full_draft("hidden"), anchor="C1/2"))
    for memory in (one, copy, one, copy):
        memory.sync(str(folder))

    for decision in copy.decisions(EVERYTHING):
        if "s3cret" in decision.title or "hidden" in decision.title:
            copy.forget_decision(decision.id)
    copy.sync(str(folder))
    one.sync(str(folder))

    assert b"s3cret" not in everything_in(folder)
    assert b"hidden" not in everything_in(folder)
    assert one.digest(EVERYTHING) == copy.digest(EVERYTHING)


def test_a_restored_backup_takes_its_own_later_events_in_and_goes_on_under_a_new_id(
    open_: Open, folder: Path, tmp_path: Path
) -> None:
    one = open_("one")
    admit(one, 1)
    one.sync(str(folder))
    one.close()
    shutil.copytree(tmp_path / "one", tmp_path / "backup")
    one = open_("one", day=1)
    admit(one, 2, first=5)
    one.sync(str(folder))
    backup = open_("backup", day=2)

    done = backup.sync(str(folder))
    admit(backup, 1, first=9)
    again = backup.sync(str(folder))

    assert (done.received, bool(done.writer)) == (2, True)
    assert (again.sent, again.writer) == (1, "")
    assert backup.verify().clean


def test_a_new_id_can_be_taken_before_anything_is_written(open_: Open, folder: Path) -> None:
    one = open_("one")
    admit(one, 1)
    one.sync(str(folder))

    done = one.sync(str(folder), SyncOptions(new_writer=True))
    admit(one, 1, first=5)
    one.sync(str(folder))

    assert done.writer
    assert len({each.stream for each in events_in(folder)}) == 2
    assert one.verify().clean
