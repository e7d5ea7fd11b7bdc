"""What a git repository is, beyond what every remote is: other people's, hostile, raced for, with a history."""

from __future__ import annotations

import os
import re
import select
import shutil
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from store import EVERYTHING, SyncOptions
from store.errors import RemoteRefused, RemoteUnreachable
from store.sync.git import GitRemote, open_git
from store.sync.git_program import Git, address_of
from store.sync.segment import read_segment
from tests.builders_log import admission, draft, memory_in
from tests.builders_remotes import bare_repository, git, git_bytes, object_name
from tests.fakes.git_server import PASSWORD, USER, GitServer

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git isn't installed")

WORDS = b"we stay on Postgres, said nobody in particular " * 200
Open = Callable[[str], GitRemote]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return bare_repository(tmp_path / "team.git")


@pytest.fixture
def machine(repository: Path, tmp_path: Path) -> Open:
    """Return what opens the repository as the machine of that name does."""
    return lambda name: open_git(str(repository), tmp_path / "caches" / name)


def made_tree(repository: Path, *entries: str) -> str:
    """Make a tree of these lines of `git mktree`, whatever git itself would say of them, and return its id."""
    return git(repository, "mktree", "-z", "--missing", stdin="".join(f"{each}\0" for each in entries).encode())


def commit_by_hand(repository: Path, tree: str) -> None:
    """Make a commit of a tree the newest of our branch."""
    git(repository, "update-ref", "refs/heads/backstory", git(repository, "commit-tree", tree, "-m", "by hand"))


def test_a_home_that_was_named_from_where_one_stands_will_do(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    remote = open_git(str(repository), Path("home", "sync"))

    remote.publish([(object_name(), WORDS)], [])
    listing = remote.listing()
    remote.close()

    assert list(listing.objects) == [object_name()]


def test_what_is_no_plain_file_of_ours_is_named_and_never_used_and_stays(machine: Open, repository: Path) -> None:
    text = git(repository, "hash-object", "-w", "--stdin", stdin=b"/etc/passwd")
    writer, stream, file = object_name().split("/")
    inner = made_tree(repository, f"120000 blob {text}\t{file}")
    tree = made_tree(
        repository,
        f"040000 tree {made_tree(repository, f'040000 tree {inner}{chr(9)}{stream}')}\t{writer}",
        f"160000 commit {'1' * 40}\tmodule",
        *(f"100644 blob {text}\t{name}" for name in ("README.md", "..", "odd\n\x1b[31mname")),
        f"100755 blob {text}\trun.sh",
    )
    commit_by_hand(repository, tree)
    remote = machine("one")

    listing = remote.listing()
    remote.publish([(object_name("w2"), WORDS)], [])
    remote.close()

    assert listing.objects == {}
    odd = ("README.md", "module (no plain file)", "odd??[31mname", "run.sh (no plain file)")
    assert listing.foreign == (*odd, f"{object_name()} (no plain file)")
    assert listing.foreign_count == 5
    names = git(repository, "ls-tree", "-r", "-z", "--name-only", "backstory").split("\0")
    assert {"README.md", "module", "run.sh", object_name("w2"), object_name()} <= set(names)


def test_a_folder_that_holds_itself_a_million_times_ends(machine: Open, repository: Path) -> None:
    blob = git(repository, "hash-object", "-w", "--stdin", stdin=b"x")
    tree = made_tree(repository, f"100644 blob {blob}\tf")
    for _ in range(7):
        tree = made_tree(repository, *(f"040000 tree {tree}\t{number}" for number in range(10)))
    commit_by_hand(repository, tree)
    remote = machine("one")

    with pytest.raises(RemoteRefused, match="more than 1,000,000 files"):
        remote.listing()

    remote.close()


def test_whoever_loses_the_race_publishes_on_top_of_the_other(machine: Open, repository: Path) -> None:
    one, two = machine("one"), machine("two")
    one.publish([(object_name("w1"), b"old")], [])
    two.mark()

    mark = one.publish([(object_name("w1", 6, 9), WORDS)], [object_name("w1")])
    raced = two.publish([(object_name("w2"), WORDS), (object_name("w2", 6, 6), b"")], [object_name("w2", 7, 7)])

    assert mark == git(repository, "rev-parse", "backstory~1")
    assert raced == ""
    expected = {object_name("w1", 6, 9): WORDS, object_name("w2"): WORDS, object_name("w2", 6, 6): b""}
    assert dict(two.read(list(two.listing().objects))) == expected
    assert git(repository, "rev-list", "--count", "backstory") == "3"
    one.close()
    two.close()


def test_nobody_s_words_stay_in_the_folder_that_is_kept(machine: Open, tmp_path: Path) -> None:
    one, two = machine("one"), machine("two")
    one.publish([(object_name(), WORDS)], [])
    read = dict(two.read(list(two.listing().objects)))

    one.close()
    two.close()

    assert read == {object_name(): WORDS}
    kept = [path for path in (tmp_path / "caches").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in kept) < len(WORDS)
    assert not [path for path in kept if b"Postgres" in path.read_bytes()]


def test_what_an_earlier_sync_read_can_be_read_again(machine: Open) -> None:
    one = machine("one")
    one.publish([(object_name(), WORDS), (object_name("w1", 6, 6), b"more")], [])
    one.close()

    again = machine("one")
    listing = again.listing()
    read = dict(again.read(list(listing.objects)))
    again.close()

    assert {name: each.size for name, each in listing.objects.items()} == {
        name: len(read[name] or b"") for name in read
    }
    assert read == {object_name(): WORDS, object_name("w1", 6, 6): b"more"}


def test_what_is_nowhere_in_the_repository_any_more_is_read_as_none(machine: Open, repository: Path) -> None:
    one, two = machine("one"), machine("two")
    one.publish([(object_name(), WORDS), (object_name("w1", 6, 6), b"stays")], [])
    two.listing()
    two.close()  # it keeps no contents
    two.listing()

    one.publish([], [object_name()])
    one.drop_history()
    git(repository, "gc", "--quiet", "--prune=now")

    assert dict(two.read([object_name(), object_name("w1", 6, 6)])) == {
        object_name(): None,
        object_name("w1", 6, 6): b"stays",
    }
    one.close()
    two.close()


def test_the_history_is_dropped_and_everybody_goes_on(machine: Open, repository: Path) -> None:
    one, two = machine("one"), machine("two")
    one.publish([(object_name(), WORDS)], [])
    one.publish([(object_name(generation=2), b"erased")], [object_name()])
    two.mark()

    dropped = one.drop_history(), one.drop_history()
    two.publish([(object_name("w2"), b"two")], [])

    expected = {object_name(generation=2): b"erased", object_name("w2"): b"two"}
    assert dropped == (True, False)
    assert git(repository, "rev-list", "--count", "backstory") == "2"
    assert dict(one.read(list(one.listing().objects))) == expected
    one.close()
    two.close()


def test_readme_s_commands_leave_nothing_of_an_erased_text_in_the_repository(repository: Path, tmp_path: Path) -> None:
    readme = Path("README.md").read_text("utf-8")
    commands = re.findall(r"^git (reflog expire .*|gc .*)$", readme, re.MULTILINE)
    with closing(memory_in(tmp_path / "one")) as one, closing(memory_in(tmp_path / "two")) as two:
        told = one.admit(admission(draft("A told secret"), draft("Another"), anchor="C1/1")).new
        for memory in (one, two):
            memory.sync(str(repository))
        one.forget_decision(told[0])
        before = said_in(repository)

        one.sync(str(repository))
        kept = said_in(repository)
        dropped = two.sync(str(repository), SyncOptions(drop_history=True))
        for command in commands:
            git(repository, *command.split())

        assert len(commands) == 2
        assert "A told secret" in before
        assert "A told secret" in kept
        assert dropped.history_dropped
        assert "A told secret" not in said_in(repository)
        assert "Another" in said_in(repository)
        assert one.sync(str(repository)).faults == ()
        assert one.digest(EVERYTHING) == two.digest(EVERYTHING)


def said_in(repository: Path) -> str:
    """Return the text of every segment that is anywhere in the repository, reachable or not."""
    listed = git(repository, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
    blobs = [line.split(" ")[0] for line in listed.splitlines() if line.endswith("blob")]
    segments = [read_segment(git_bytes(repository, "cat-file", "blob", blob)) for blob in blobs]
    return "\n".join(str(body) for each in segments for event in each.events() for _, _, body in event.parts)


def test_a_server_that_takes_no_rewritten_branch_says_so(machine: Open, repository: Path) -> None:
    git(repository, "config", "receive.denyNonFastForwards", "true")
    one = machine("one")
    one.publish([(object_name(), b"1")], [])
    one.publish([(object_name(generation=2), b"2")], [])

    with pytest.raises(RemoteRefused, match="non-fast-forward"):
        one.drop_history()

    one.close()


def test_what_a_killed_git_left_or_broke_is_made_anew(machine: Open, tmp_path: Path) -> None:
    one = machine("one")
    one.publish([(object_name(), WORDS)], [])
    one.close()
    cache = tmp_path / "caches" / "one"
    (cache / "shallow.lock").touch()
    (cache / "refs" / "backstory" / "tip.lock").touch()
    for pack in (cache / "objects" / "pack").iterdir():
        pack.chmod(stat.S_IWUSR | stat.S_IRUSR)
        pack.write_bytes(b"torn")

    again = machine("one")
    read = dict(again.read(list(again.listing().objects)))
    again.publish([(object_name("w1", 6, 6), b"more")], [])
    again.close()

    assert read == {object_name(): WORDS}


@pytest.mark.skipif(sys.platform == "win32", reason="its hooks are run another way")
def test_no_hook_of_anybody_s_runs(machine: Open, repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    hooks = [repository / "hooks" / name for name in ("pre-receive", "update", "post-receive", "post-update")]
    hooks += [tmp_path / "caches" / "one" / "hooks" / name for name in ("pre-push", "reference-transaction")]
    first = machine("one")
    first.publish([(object_name(), b"1")], [])
    first.close()
    for hook in hooks:
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
        hook.chmod(0o755)

    again = machine("one")
    again.publish([(object_name(generation=2), b"2")], [object_name()])
    again.close()

    assert not ran.exists()


def test_neither_the_user_s_configuration_nor_a_hook_s_variables_change_anything(
    machine: Open, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".gitconfig").write_text(
        f'[url "{tmp_path}/elsewhere"]\n\tinsteadOf = {repository}\n[core]\n\tfsmonitor = touch {tmp_path}/ran\n'
        "[push]\n\tgpgSign = true\n[credential]\n\thelper = store\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nothing"))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))

    one = machine("one")
    one.publish([(object_name(), b"1")], [])
    one.close()

    assert git(repository, "rev-list", "--count", "backstory") == "1"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".gitconfig", "caches", "team.git"]


def test_a_repository_that_is_gone_or_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    with pytest.raises(RemoteRefused, match="make one with `git init --bare"):
        open_git(str(tmp_path / "missing.git"), tmp_path / "cache")
    with pytest.raises(RemoteRefused, match=r"folder: git fetch: fatal: .* does not appear to be"):
        open_git(str(tmp_path / "folder"), tmp_path / "cache").listing()


# --- over https and ssh -----------------------------------------------------------------------


def test_over_https_the_password_goes_to_that_host_alone_and_is_never_shown(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with GitServer(repository.parent) as server:
        monkeypatch.setenv("GIT_SSL_CAINFO", str(server.certificate))
        remote = open_git(server.url("team.git"), tmp_path / "cache")
        remote.publish([(object_name(), os.urandom(2_000_000)), (object_name("w1", 6, 6), b"small")], [])
        other = open_git(server.url("team.git"), tmp_path / "other")
        read = dict(other.read(list(other.listing().objects)))
        wrong = open_git(server.url("team.git", login=f"{USER}:{PASSWORD}2@"), tmp_path / "wrong")
        with pytest.raises(RemoteRefused) as refused:
            wrong.mark()
        nobody = open_git(server.url("team.git", login=""), tmp_path / "nobody")
        with pytest.raises(RemoteRefused, match="could not read Username"):
            nobody.mark()
        shown = f"{remote.where} {remote._git._address!r} {refused.value} {refused.value.__cause__}"

    assert [len(data or b"") for data in read.values()] == [2_000_000, 5]
    assert PASSWORD not in shown
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and PASSWORD.encode() in path.read_bytes()]


def test_a_redirect_is_refused(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one").mkdir()
    with GitServer(repository.parent) as target, GitServer(tmp_path / "one", redirect=target.url("", login="")) as one:
        both = one.certificate.read_text() + target.certificate.read_text()
        (tmp_path / "both.pem").write_text(both)
        monkeypatch.setenv("GIT_SSL_CAINFO", str(tmp_path / "both.pem"))

        with pytest.raises((RemoteRefused, RemoteUnreachable)):
            open_git(one.url("team.git"), tmp_path / "cache").mark()

        assert target.requests == []


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for ssh is a shell script")
def test_over_ssh_nobody_is_ever_asked_anything(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nfor last; do :; done\nexec sh -c "$last"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")

    remote = open_git(f"git@example.org:{repository}", tmp_path / "cache")
    remote.publish([(object_name(), b"1")], [])
    remote.close()

    assert git(repository, "rev-list", "--count", "backstory") == "1"
    assert all(
        "BatchMode=yes" in line and "git@example.org" in line for line in (tmp_path / "asked").read_text().splitlines()
    )


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for ssh is a shell script")
def test_a_server_that_never_answers_is_left_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for fifo in ("answer", "alive"):
        os.mkfifo(tmp_path / fifo)
    (tmp_path / "ssh").write_text(f"#!/bin/sh\nexec 3> {tmp_path}/alive\nexec cat {tmp_path}/answer\n")
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(tmp_path / "ssh"))
    alive = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)

    with pytest.raises(RemoteUnreachable, match="git ls-remote took longer than 1"):
        Git(tmp_path, address_of("git@example.org:team.git")).run(
            "ls-remote", "git@example.org:team.git", timeout_s=1.0
        )

    assert select.select([alive], [], [], 10.0)[0] == [alive]  # the end of a stream that ssh alone held open
    assert os.read(alive, 1) == b""
    os.close(alive)


def test_a_server_that_can_not_be_reached_may_be_in_a_moment(tmp_path: Path) -> None:
    with pytest.raises(RemoteUnreachable, match=r"https://127\.0\.0\.1:9/team\.git: git fetch: fatal: unable"):
        open_git(f"https://{USER}:{PASSWORD}@127.0.0.1:9/team.git", tmp_path / "cache").mark()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("https://example.org/team.git", "https://example.org/team.git"),
        ("git+https://lena:secret@example.org:8443/team.git", "https://example.org:8443/team.git"),
        ("https://ghp_0123456789abcdef@example.org/team", "https://example.org/team"),
        ("ssh://git@example.org:22/team.git", "ssh://git@example.org:22/team.git"),
        ("git@example.org:team/decisions.git", "git@example.org:team/decisions.git"),
        ("git+/srv/team.git", "/srv/team.git"),
        ("file:///srv/a%20team.git", "/srv/a team.git"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="paths read differently there")
def test_an_address_is_shown_without_who_logs_in(text: str, where: str) -> None:
    assert address_of(text).where == where


@pytest.mark.parametrize(
    "text",
    [
        "", "-oProxyCommand=x", "git+--upload-pack=x", "http://example.org/x", "git://example.org/x", "ext::sh -c x%",
        "ssh://-oProxyCommand=x/y", "ssh://git@-x/y", "https://example.org/x?token=secret", "https://example.org/x#secret",
        "https://lena:sec/ret@example.org/x", "https://lena:sec@ret@@-x/x", "ftp://lena:secret@example.org/x", "a\nb:c",
    ],
)  # fmt: skip
def test_no_other_address_is_taken_and_none_told_with_its_password(text: str) -> None:
    with pytest.raises(RemoteRefused) as refused:
        address_of(text)

    assert "sec" not in str(refused.value)
