"""What S3 is, beyond what every remote is: prefixes, pages, conditions, servers that answer badly."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from store import EVERYTHING
from store.errors import RemoteRefused, RemoteUnreachable
from store.sync.s3 import S3Remote, open_s3
from tests.builders_log import admission, draft, memory_in
from tests.builders_remotes import aws_variables, object_name, s3_server
from tests.fakes.s3_server import Answer, S3Server

pytest.importorskip("boto3", reason="the extra s3 isn't installed")
pytest.importorskip("moto", reason="moto, which plays S3, isn't installed")

NAME = object_name()
STANDING = (object_name(generation=2), object_name("w1", 6, 6))
Open = Callable[[str], S3Remote]


@pytest.fixture(scope="module")
def server() -> Iterator[Mapping[str, str]]:
    with s3_server() as variables:
        yield variables


@pytest.fixture
def machine(server: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Open]:
    """Return what opens a prefix of the bucket, one that no other test sees."""
    opened: list[S3Remote] = []

    def open_(prefix: str) -> S3Remote:
        opened.append(open_s3(f"s3://decisions/{tmp_path.name}/{prefix}", tmp_path))
        return opened[-1]

    for name, value in server.items():
        monkeypatch.setenv(name, value)
    yield open_
    for remote in opened:
        remote.close()


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[[S3Server], S3Remote]:
    def open_(server: S3Server) -> S3Remote:
        for name, value in aws_variables(server.url).items():
            monkeypatch.setenv(name, value)
        return open_s3("s3://decisions/team", Path())

    return open_


def test_a_prefix_never_sees_another_that_begins_like_it(machine: Open) -> None:
    remotes = {prefix: machine(prefix) for prefix in ("team", "team2/", "team/inner")}

    for prefix, remote in remotes.items():
        remote.publish([(NAME, prefix.encode())], [])

    listings = {prefix: remote.listing() for prefix, remote in remotes.items()}
    assert [dict(remote.read([NAME])) for remote in remotes.values()] == [{NAME: each.encode()} for each in remotes]
    assert [list(each.objects) for each in listings.values()] == [[NAME], [NAME], [NAME]]
    assert [each.foreign for each in listings.values()] == [(f"inner/{NAME}",), (), ()]


def test_a_listing_goes_on_over_all_pages(machine: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "3")
    names = [object_name("w1", number, number) for number in range(1, 9)]
    remote = machine("team")

    remote.publish([(name, name.encode()) for name in names], [])

    assert sorted(remote.listing().objects) == sorted(names)
    assert list(remote.read(names)) == [(name, name.encode()) for name in names]


def test_what_another_wrote_under_the_same_name_is_not_overwritten(machine: Open) -> None:
    one, copy = machine("team"), machine("team")
    one.listing()
    copy.listing()
    one.publish([(NAME, b"one")], [])

    with pytest.raises(RemoteUnreachable, match="written by somebody else meanwhile"):
        copy.publish([(NAME, b"copy")], [])
    copy.publish([(NAME, b"one")], [])  # the same bytes: a try of its own that came through
    one.publish([(NAME, b"one again")], [])

    assert dict(copy.read([NAME])) == {NAME: b"one again"}


def test_what_is_deleted_may_be_gone_already(machine: Open) -> None:
    remote = machine("team")
    remote.publish([(NAME, b"1"), (object_name("w1", 6, 6), b"2")], [])

    for _ in range(2):
        remote.publish([], [NAME])

    assert list(remote.listing().objects) == [object_name("w1", 6, 6)]


def test_old_versions_are_deleted_where_the_bucket_keeps_them(machine: Open, tmp_path: Path) -> None:
    import boto3

    remote, other = machine("team"), machine("team2")
    client = boto3.client("s3")
    client.put_bucket_versioning(Bucket="decisions", VersioningConfiguration={"Status": "Enabled"})
    for each in (remote, other):
        each.publish([(NAME, b"told"), (STANDING[1], b"stays")], [])
        each.publish([(STANDING[0], b"erased")], [NAME])

    dropped = remote.drop_history(), remote.drop_history()

    client.put_bucket_versioning(Bucket="decisions", VersioningConfiguration={"Status": "Suspended"})
    assert dropped == (True, False)
    assert dict(remote.read([NAME, *STANDING])) == {NAME: None, STANDING[0]: b"erased", STANDING[1]: b"stays"}
    kept = client.list_object_versions(Bucket="decisions", Prefix=tmp_path.name)
    assert sorted(each["Key"].removeprefix(f"{tmp_path.name}/") for each in kept["Versions"]) == sorted(
        f"{prefix}/{name}" for prefix, names in (("team", STANDING), ("team2", (*STANDING, NAME))) for name in names
    )
    client.close()


def test_two_memories_meet_in_a_bucket(machine: Open, tmp_path: Path) -> None:
    address = f"s3://decisions/{tmp_path.name}/memories"
    with closing(memory_in(tmp_path / "one")) as one, closing(memory_in(tmp_path / "two")) as two:
        one.admit(admission(draft("Of one"), anchor="C1/1"))
        two.admit(admission(draft("Of two"), anchor="C1/2"))

        done = [memory.sync(address) for memory in (one, two, one, two)]

        assert one.digest(EVERYTHING) == two.digest(EVERYTHING)
        assert {each.title for each in one.decisions(EVERYTHING)} == {"Of one", "Of two"}
        assert [(each.received > 0, each.sent > 0) for each in done] == [
            (False, True), (True, True), (True, False), (False, False),
        ]  # fmt: skip


def test_a_bucket_that_is_not_there_is_refused(server: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in server.items():
        monkeypatch.setenv(name, value)
    host = server["AWS_ENDPOINT_URL"].removeprefix("http://")

    with pytest.raises(RemoteRefused, match=rf"s3://nowhere/x at {host}: .*NoSuchBucket"):
        open_s3("s3://nowhere/x", Path()).listing()


def test_a_server_that_is_busy_is_asked_again(scripted: Callable[[S3Server], S3Remote]) -> None:
    with S3Server([Answer(status=503, code="SlowDown"), Answer(body=b"words")]) as server:
        assert dict(scripted(server).read([NAME])) == {NAME: b"words"}


def test_a_download_that_breaks_off_is_begun_again_once(scripted: Callable[[S3Server], S3Remote]) -> None:
    torn = Answer(body=b"wor", said=5)
    with S3Server([torn, Answer(body=b"words"), torn, torn]) as server:
        remote = scripted(server)

        assert dict(remote.read([NAME])) == {NAME: b"words"}
        with pytest.raises(RemoteUnreachable, match="s3://decisions/team at"):
            list(remote.read([NAME]))


def test_what_is_too_large_is_not_read(scripted: Callable[[S3Server], S3Remote]) -> None:
    with S3Server([Answer(said=65 * 2**20)]) as server:
        assert dict(scripted(server).read([NAME])) == {NAME: None}


def test_a_server_without_conditional_writes_is_written_to_without(scripted: Callable[[S3Server], S3Remote]) -> None:
    empty = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
    with S3Server([Answer(body=empty), Answer(status=501, code="NotImplemented"), Answer(), Answer()]) as server:
        remote = scripted(server)
        remote.listing()

        remote.publish([(NAME, b"1")], [])
        remote.publish([(object_name("w1", 6, 6), b"2")], [])

        writes = [headers for method, _, headers in server.requests if method == "PUT"]
    assert ["if-none-match" in headers for headers in writes] == [True, False, False]
    assert all("content-md5" in headers for headers in writes)


def test_nobody_to_log_in_as_is_refused_with_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in aws_variables("http://127.0.0.1:9").items():
        if "KEY" not in name:
            monkeypatch.setenv(name, value)

    with pytest.raises(RemoteRefused, match="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"):
        open_s3("s3://decisions/team", Path()).listing()


def test_a_server_that_is_not_there_may_be_in_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (aws_variables("http://127.0.0.1:9")).items():
        monkeypatch.setenv(name, value)

    with pytest.raises(RemoteUnreachable, match="Could not connect to the endpoint"):
        open_s3("s3://decisions/team", Path()).listing()


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)

    with pytest.raises(RemoteRefused, match=r"pip install 'backstory-slack\[s3\]'"):
        open_s3("s3://decisions", Path())


@pytest.mark.parametrize(
    "text", ["s3://", "s3:///team", "s3://a/b", "s3://team/a//b", "s3://team/../x", "s3://te am/x", "s3://team/\n"]
)
def test_no_other_address_is_taken(text: str) -> None:
    with pytest.raises(RemoteRefused, match="not s3://BUCKET or s3://BUCKET/PREFIX"):
        open_s3(text, Path())
