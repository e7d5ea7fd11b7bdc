"""`why sync` as people and clocks run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.behaviour.cli.test_as_a_process import HEAVY, loaded_by
from tests.builders_cli import Ran, Why, call_why

LATER = {"BACKSTORY_FOLLOW": "later"}


def other(tmp_path: Path, *words: str) -> Ran:
    """Run `why` on a second machine."""
    return call_why(tmp_path / "other", tmp_path, words, environ=LATER)


def test_what_one_machine_records_another_finds(why: Why, tmp_path: Path) -> None:
    why("record", "--title", "Search stays on Postgres", **LATER)

    sent = why("sync", "shared")
    received = other(tmp_path, "sync", "shared", "--json")
    again = other(tmp_path, "sync", "shared")

    assert sent.out == f"facts: took in 0, sent 1 (objects: 1 written, 0 deleted): {tmp_path / 'shared'}\n"
    assert (sent.code, sent.err) == (0, "")
    assert {name: received.document()[name] for name in ("received", "sent", "waiting", "writer")} == {
        "received": 1, "sent": 0, "waiting": [], "writer": "",
    }  # fmt: skip
    assert again.out == f"nothing new at {tmp_path / 'shared'}\n"
    assert "Search stays on Postgres" in other(tmp_path, "list").out


def test_what_waits_is_named_and_the_exit_code_says_so(why: Why, tmp_path: Path) -> None:
    why("record", "--title", "Search stays on Postgres", **LATER)
    why("sync", "shared")
    (path,) = (tmp_path / "shared").rglob("*.g1")
    path.write_bytes(path.read_bytes()[:-5])

    ran = other(tmp_path, "sync", "shared")

    assert ran.code == 1
    assert ran.err.startswith(f"why: waits: {tmp_path / 'shared'}, ")
    assert "its checksum is wrong: it was changed, or is not whole; its writer's next `why sync`" in ran.err
    assert other(tmp_path, "verify").code == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "REMOTE"),
        (("",), 2, "not a remote"),
        (("--", "-oProxyCommand=x"), 2, "not a remote"),
        (("ftp://example.org/x",), 2, "not a kind of remote"),
        (("git@host:",), 2, "no path after the host"),
        (("no/such/parent",), 1, "no such folder"),
        (("records.txt",), 1, "records.txt"),
        (("shared", "--trust", "a/b"), 2, "--trust"),
        (("shared", "--trust", "a1=zz"), 2, "--trust"),
        (("shared", "--scope", ""), 2, "--scope"),
        (("\udcff",), 0, ""),
    ],
)
def test_wrong_use_is_explained_in_a_line(
    why: Why, tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    (tmp_path / "records.txt").write_text("a file")
    why("record", "--title", "a", **LATER)

    ran = why("sync", *words)

    assert ran.code == code
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_scope_that_nothing_was_said_in_is_told(why: Why) -> None:
    why("record", "--title", "a", **LATER)

    ran = why("sync", "shared", "--scope", "C404")

    assert (ran.code, ran.err) == (0, "why: --scope channel:C404: nothing was ever recorded in it here\n")


def test_a_new_id_is_told(why: Why) -> None:
    why("record", "--title", "a", **LATER)

    ran = why("sync", "shared", "--new-writer", "--json")

    assert ran.document()["writer"] in ran.err


def test_a_memory_that_is_not_there_yet_is_made(why: Why, home: Path) -> None:
    ran = why("sync", "shared")

    assert ran.code == 0
    assert (home / "memory.db").exists()


def test_a_sync_that_finds_nothing_new_loads_next_to_nothing(why: Why, home: Path, tmp_path: Path) -> None:
    why("record", "--title", "a", **LATER)
    remote = str(tmp_path / "shared")
    why("sync", remote)
    why("sync", remote)

    loaded = loaded_by(home, "sync", remote)

    assert not [name for name in (*HEAVY, "typer", "cryptography", "boto3", "store.sql.projections") if name in loaded]
