"""One suite for every remote: a folder, a git repository, a bucket. Each is opened as two machines open it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from store.sync.folder import FolderRemote
from store.sync.git import open_git
from store.sync.remote import MOST_BYTES, Listing, Remote
from store.sync.remotes import open_remote
from tests.builders_remotes import bare_repository, object_name, s3_server

ONE, TWO, OTHER = object_name(), object_name("w1", 6, 9), object_name("w2")
Open = Callable[[str], Remote]
"""Opens the place as the machine of that name, anew each time."""

Maker = Callable[[Path, pytest.FixtureRequest], Open]


def folder(tmp_path: Path, _: pytest.FixtureRequest) -> Open:
    return lambda machine: FolderRemote(tmp_path / "shared")


def git(tmp_path: Path, _: pytest.FixtureRequest) -> Open:
    if shutil.which("git") is None:
        pytest.skip("git isn't installed")
    repository = bare_repository(tmp_path / "team.git")
    return lambda machine: open_git(str(repository), tmp_path / "caches" / machine)


def s3(tmp_path: Path, request: pytest.FixtureRequest) -> Open:
    pytest.importorskip("boto3", reason="the extra s3 isn't installed")
    pytest.importorskip("moto", reason="moto, which plays S3, isn't installed")
    from store.sync.s3 import open_s3

    monkeypatch = request.getfixturevalue("monkeypatch")
    for name, value in request.getfixturevalue("bucket").items():
        monkeypatch.setenv(name, value)
    return lambda machine: open_s3(f"s3://decisions/{tmp_path.name}", tmp_path)


MAKERS: tuple[Maker, ...] = (folder, git, s3)


@pytest.fixture(scope="module")
def bucket() -> Iterator[Mapping[str, str]]:
    with s3_server() as variables:
        yield variables


@pytest.fixture(params=MAKERS, ids=[maker.__name__ for maker in MAKERS])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    opened: list[Remote] = []
    open_ = request.param(tmp_path, request)

    def machine(name: str) -> Remote:
        opened.append(open_(name))
        return opened[-1]

    yield machine
    for remote in opened:
        remote.close()


def test_nothing_was_published_where_nobody_was_yet(machine: Open) -> None:
    remote = machine("one")

    mark, listing = remote.mark(), remote.listing()

    assert mark == remote.publish([], [])
    assert listing == Listing()
    assert list(remote.read([ONE])) == [(ONE, None)]


def test_another_machine_lists_and_reads_what_was_published(machine: Open) -> None:
    contents = {ONE: b"\0" * 70_000 + b"\n", TWO: b"", OTHER: bytes(range(256)) * 400}
    machine("one").publish(iter(contents.items()), [])

    there = machine("two")
    listing = there.listing()

    assert {name: each.size for name, each in listing.objects.items()} == {n: len(c) for n, c in contents.items()}
    assert dict(there.read(list(contents))) == contents
    assert listing.foreign == ()


def test_an_object_that_is_replaced_gets_another_mark_and_no_other_does(machine: Open) -> None:
    one, two = machine("one"), machine("two")
    one.publish([(ONE, b"before"), (TWO, b"same")], [])
    before = two.listing().objects

    one.listing()
    one.publish([(ONE, b"after!")], [])

    after = two.listing().objects
    assert before[ONE].mark != after[ONE].mark
    assert before[TWO] == after[TWO]
    assert dict(two.read([ONE])) == {ONE: b"after!"}


def test_what_is_deleted_is_gone_and_deleting_it_again_is_nothing(machine: Open) -> None:
    one = machine("one")
    one.publish([(ONE, b"1"), (TWO, b"2")], [])

    one.publish([(object_name(generation=2), b"1.2")], [ONE])
    one.publish([], [ONE])

    assert sorted(machine("two").listing().objects) == sorted([object_name(generation=2), TWO])


def test_what_vanished_since_the_listing_is_read_as_none(machine: Open) -> None:
    one, two = machine("one"), machine("two")
    one.publish([(ONE, b"1"), (TWO, b"2")], [])
    two.close()
    two = machine("two")

    one.publish([], [ONE])

    two.listing()
    assert dict(two.read([ONE, TWO])) == {ONE: None, TWO: b"2"}


def test_two_who_publish_at_once_both_stand(machine: Open) -> None:
    one, two = machine("one"), machine("two")
    for remote in (one, two):
        remote.mark()
        remote.listing()

    one.publish([(ONE, b"one")], [])
    two.publish([(OTHER, b"two")], [])

    for name in ("one", "two", "three"):
        reader = machine(name)
        assert dict(reader.read(sorted(reader.listing().objects))) == {ONE: b"one", OTHER: b"two"}


def test_a_mark_stays_while_nothing_changes_and_moves_when_something_does(machine: Open) -> None:
    one, two = machine("one"), machine("two")
    published = one.publish([(ONE, b"1")], [])
    first, again = two.mark(), two.mark()

    one.publish([(TWO, b"2")], [])

    assert published in ("", first)
    assert first == again
    assert first == "" or first != two.mark()


def test_the_same_published_twice_is_there_once(machine: Open) -> None:
    one = machine("one")
    marks = [one.publish([(ONE, b"1")], [TWO]) for _ in range(2)]

    two = machine("two")

    assert marks[0] == marks[1]
    assert dict(two.read(list(two.listing().objects))) == {ONE: b"1"}


def test_the_bytes_are_made_one_after_the_other_as_they_are_published(machine: Open) -> None:
    made: list[int] = []

    def lazily() -> Iterator[tuple[str, bytes]]:
        for number in range(1, 40):
            made.append(number)
            yield object_name("w1", number, number), b"x" * number
            made.remove(number)

    machine("one").publish(lazily(), [])

    assert made == []
    assert len(machine("two").listing().objects) == 39


def test_what_is_none_of_ours_is_named_and_a_name_of_ours_is_all_that_is_written(machine: Open) -> None:
    remote = machine("one")

    for name in ("../escape", "w1/x/1-5.g1", f"/{ONE}", ONE.upper(), f"{ONE}\n"):
        with pytest.raises(ValueError, match="not an object's name"):
            remote.publish([(name, b"x")], [])

    assert remote.listing().objects == {}


@pytest.mark.parametrize("maker", [folder, git])
def test_what_is_larger_than_any_of_ours_is_not_read(
    maker: Maker, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    machine = maker(tmp_path, request)
    one, two = machine("one"), machine("two")
    one.publish([(ONE, bytes(MOST_BYTES + 1)), (TWO, b"2")], [])

    two.listing()

    assert dict(two.read([ONE, TWO])) == {ONE: None, TWO: b"2"}
    one.close()
    two.close()


def test_a_shared_folder_with_an_empty_git_folder_in_it_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "shared" / ".git").mkdir(parents=True)

    remote = open_remote(str(tmp_path / "shared"), tmp_path / "caches")

    assert isinstance(remote, FolderRemote)
