"""`why as-of`, `why conflicts`: what was in force on a day, and what stands side by side."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from store import EVERYTHING
from tests.builders_cli import Why
from tests.builders_log import admission, draft, memory_in, quote

EXPORTS: list[dict[str, object]] = [
    {"title": "Exports are CSV", "ref": "a:1", "decided_on": "2026-03-01", "elements": ["service:exports"],
     "sets": {"service:exports.format": "csv"}, "decided_by": ["Lena"], "rationale": "everybody opens it"},
    {"title": "Exports are Parquet", "ref": "a:2", "decided_on": "2026-05-01", "elements": ["service:exports"],
     "sets": {"service:exports.format": "parquet"}, "supersedes": ["a:1"]},
]  # fmt: skip


def ingested(why: Why, tmp_path: Path, *lines: Mapping[str, object]) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert why("ingest", str(path)).code == 0


def test_a_day_shows_what_was_in_force_then_and_not_what_came_later(why: Why, tmp_path: Path) -> None:
    ingested(why, tmp_path, *EXPORTS)

    then = why("as-of", "2026-04-01", "service:exports", "--json").document()
    now = why("as-of", "2026-05-01", "--json").document()

    assert [one["title"] for one in then["elements"][0]["decisions"]] == ["Exports are CSV"]
    assert then["elements"][0]["properties"][0]["value"] == "csv"
    assert [one["title"] for one in now["elements"][0]["decisions"]] == ["Exports are Parquet"]
    assert why("as-of", "2025-01-01").out == "nothing in force on 2025-01-01\n"


def test_two_that_cannot_both_hold_are_told_with_what_would_settle_them_and_that_does(
    why: Why, tmp_path: Path, home: Path
) -> None:
    retries = {**EXPORTS[0], "title": "Exports are mailed", "ref": "a:3", "sets": {}}
    ingested(why, tmp_path, EXPORTS[0], retries)
    memory = memory_in(home)
    memory.note_conflict("a:1", "a:3", quotes=("csv", "mail"))
    memory.close()

    told = why("conflicts")
    found = why("conflicts", "--json").document()["conflicts"]
    settled = why(*shlex.split(told.out.splitlines()[-1])[1:])

    assert told.out.splitlines()[0] == "service:exports: 2 stand side by side"
    assert "everybody opens it" in told.out
    assert [head["title"] for head in found[0]["heads"]] == ["Exports are CSV", "Exports are mailed"]
    assert settled.code == 0
    assert why("conflicts").out == "no conflicts\n"


def test_a_conflict_is_told_to_nobody_who_reads_one_side_alone(why: Why, tmp_path: Path, home: Path) -> None:
    closed = {**EXPORTS[0], "title": "Exports are mailed", "ref": "a:3", "sets": {}, "scope": "private:C1"}
    ingested(why, tmp_path, EXPORTS[0], closed)
    memory = memory_in(home)
    memory.note_conflict("a:1", "a:3", quotes=("csv", "mail"))
    both = memory.conflicts(EVERYTHING)
    memory.close()

    assert len(both) == 1
    assert why("conflicts").out == "no conflicts\n"
    assert why("conflicts", "--reader", "all").out != "no conflicts\n"


def test_a_contested_property_is_told_with_both_values_and_settled_by_the_command_that_is_told(
    why: Why, tmp_path: Path, home: Path
) -> None:
    other = {**EXPORTS[1], "supersedes": [], "title": 'Exports are Parquet; "$(rm x)" isn\'t run'}
    ingested(why, tmp_path, EXPORTS[0])
    elsewhere = memory_in(tmp_path / "elsewhere")
    elsewhere.admit(
        admission(
            draft(str(other["title"]), sets=(("service : exports", "Format", "parquet"),), decided_on=date(2026, 5, 1),
                  evidence=(quote("it is a tenth of the size", "C1/1.0"),)),
        )
    )  # fmt: skip
    memory = memory_in(home)
    memory.receive(elsewhere.envelopes())
    elsewhere.close()
    memory.close()

    told = why("conflicts")
    found = why("conflicts", "--json").document()["conflicts"][0]
    settled = why(*shlex.split(told.out.splitlines()[-1])[1:])

    ids = [head["id"] for head in found["heads"]]
    assert told.out.splitlines() == [
        "service:exports.format: 2 stand side by side",
        f"  {ids[0][:12]}  2026-03-01  Exports are CSV",
        "                Sets:  csv",
        "                Who:   Lena",
        "                Why:   everybody opens it",
        "                Where: a:1",
        f"  {ids[1][:12]}  2026-05-01  {other['title']}",
        "                Sets:  parquet",
        "                Who:   Lena",
        '                Why:   "it is a tenth of the size"',
        "                Where: https://x/C1/1.0",
        "  To settle it, record what holds from now on; if that is the latest:",
        "    why record --title 'Exports are Parquet; \"$(rm x)\" isn'\"'\"'t run' --rationale WHY"
        f" --set service:exports.format=parquet --supersedes {ids[0][:12]} --supersedes {ids[1][:12]}",
    ]
    assert found["values"] == dict(zip(ids, ("csv", "parquet"), strict=True))
    assert [one["sets"] for one in found["proposals"]] == [
        {"service:exports.format": "csv"}, {"service:exports.format": "parquet"}
    ]  # fmt: skip
    assert settled.code == 0
    assert why("conflicts").out == "no conflicts\n"
    assert [one["state"] for one in why("history", "service:exports", "--json").document()["decisions"]] == [
        "superseded", "superseded", "current"
    ]  # fmt: skip
