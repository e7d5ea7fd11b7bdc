"""`why bench log`: a small load, measured as a large one is."""

import json
from pathlib import Path

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
