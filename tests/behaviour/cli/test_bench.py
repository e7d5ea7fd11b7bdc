"""`why bench log`: a small load, measured as a large one is."""

import json
from pathlib import Path

import pytest

from store import Fresh, StoreError
from tests.builders_cli import Why


def test_every_row_is_measured_away_from_ones_own_memory_and_every_run_is_kept(
    why: Why, tmp_path: Path, home: Path
) -> None:
    out, before = tmp_path / "results", sorted(home.iterdir())

    ran = why("bench", "log", "--decisions", "200", "--runs", "1", "--out", str(out), "--json")

    assert ran.code == 0, ran.err
    document = ran.document()
    assert document["decisions"] == 200
    assert json.loads((out / "log-200.json").read_text()) == document
    rows = {row["name"]: row for row in document["rows"]}
    assert rows.keys() >= {
        "segments on disk",
        "clone to first answer",
        "sync, nothing new",
        "sync, one new",
        "sync, both wrote 100",
        "rebuild, with words",
        "history of 200",
        "history",
        "heads",
        "as-of, one element",
        "conflicts, all",
        "history, whole process",
        "heads, whole process",
        "words, one of them rarer",
        "words, each in 5 % or more",
        "as-of, all half-way",
        "append one, durable",
        "ingest 200",
    }
    assert all(row["runs"] and min(row["runs"]) > 0 for row in rows.values())
    assert all(row["p50"] <= row["p95"] <= row["worst"] for row in rows.values())
    assert sorted(home.iterdir()) == before


def test_what_can_not_be_measured_is_wrong_usage(why: Why, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()

    for words in (("cups",), ("log", "--decisions", "0"), ("log", "--runs", "0"), ("log", "--scratch", "full")):
        assert why("bench", *words).code == 2, words


def test_a_measured_process_that_fails_is_named_with_what_it_said(home: Path, tmp_path: Path) -> None:
    fresh = Fresh(program=("-m", "bot"), home=home, cwd=tmp_path)

    with pytest.raises(StoreError, match=r"-m bot show nothing exited with 1: why: nothing: no decision of that id"):
        fresh.why("show", "nothing")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells a process's memory there")
def test_the_memory_of_a_process_is_counted_with_that_of_its_children(home: Path, tmp_path: Path) -> None:
    fresh = Fresh(program=("-m", "bot"), home=home, cwd=tmp_path)
    child = "import sys; held = bytearray(60_000_000); print(end='ready', flush=True); sys.stdin.read()"
    parent = (
        "import hashlib, subprocess, sys; held = bytearray(60_000_000);"
        "child = subprocess.Popen([sys.executable, '-c', sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE);"
        "child.stdout.read(5); [hashlib.sha256(held).digest() for _ in range(5)]; child.communicate()"
    )

    done = fresh.python("-c", parent, child)

    assert done.memory_mb is not None
    assert done.memory_mb > 120
