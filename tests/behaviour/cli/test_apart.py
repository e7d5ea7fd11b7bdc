"""What an import finds said again elsewhere is told with both places, and is two again where somebody says so."""

from pathlib import Path

import pytest

from tests.builders_cli import Why

RECORD = """---
status: accepted
date: 2026-02-17
---

# {number}. {title}

## Decision

{words}
"""
KEYS = ("Idempotency keys live in day partitions in Postgres", "Idempotency keys go to Postgres, one partition a day.")
CALL = """WEBVTT

1
00:00:01.000 --> 00:00:09.000
Ana: Decision: idempotency keys go to Postgres, partitioned by day. Written down as ADR 5.

2
00:00:10.000 --> 00:00:19.000
Bo: Agreed, keys in Postgres partitions, one a day. Let's go with that.
"""


@pytest.fixture
def imported(why: Why, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Import a decision record and the call in which that was decided; returns what the second import said."""
    readers = getattr(request, "param", "workspace")
    records, calls = tmp_path / "adr", tmp_path / "calls"
    records.mkdir()
    calls.mkdir()
    (records / "0005-keys.md").write_text(RECORD.format(number=5, title=KEYS[0], words=KEYS[1]), encoding="utf-8")
    (calls / "2026-02-16_keys.vtt").write_text(CALL, encoding="utf-8")
    why("import", str(records), "--source", "adr", "--visible-to", "workspace")
    return why("import", str(calls), "--source", "zoom", "--visible-to", readers).out


def test_what_is_said_again_is_one_decision_that_names_both_places(why: Why, imported: str) -> None:
    told = why("show", "adr:0005").out

    assert "1 decision said again elsewhere" in imported
    assert len(why("list", "--json").document()["decisions"]) == 1
    assert "Also in:     2026-02-16_keys.vtt#cue-1" in told
    assert why("show", "adr:0005", "--json").document()["same_as"] == []


def test_a_place_that_says_another_thing_is_told_apart_once(why: Why, imported: str) -> None:
    first = why("apart", "adr:0005", "2026-02-16_keys.vtt", "--by", "Ana")
    again = why("apart", "adr:0005", "2026-02-16_keys.vtt")
    unknown = why("apart", "nothing", "adr:0005")

    assert (first.code, again.code, unknown.code) == (0, 1, 1)
    assert "no further place of" in again.err
    assert len(why("list", "--json").document()["decisions"]) == 2
    assert "Also in" not in why("show", "adr:0005").out


@pytest.mark.parametrize("imported", ["C9"], indirect=True)
def test_what_others_read_is_linked_and_told_apart_by_both_ids(why: Why, imported: str) -> None:
    asked = ("show", "adr:0005", "--json", "--reader", "all")
    (linked,) = why(*asked).document()["same_as"]

    told = why("apart", "adr:0005", linked["id"])

    assert told.code == 0
    assert why(*asked).document()["same_as"] == []
