"""After an erasure the gap is explained: by show, by history and by verify; what was taken out is in no file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store import Memory
from tests.builders_cli import Why
from tests.builders_log import admission, memory_in, setting


@pytest.fixture
def memory(home: Path, index_owner: None) -> Iterator[Memory]:
    opened = memory_in(home)
    yield opened
    opened.close()


def test_a_tombstone_explains_the_gap_that_an_erasure_leaves(memory: Memory, why: Why) -> None:
    first, second, third = (
        memory.admit(admission(setting(value, day=day), anchor=f"C1/{day}")).new[0]
        for day, value in enumerate(("3", "5", "7"), start=1)
    )

    forgotten = why("forget", second)
    shown, again = why("show", second), why("forget", second)
    document = why("show", second[:12], "--json").document()
    history = why("history", "service:search", "--json").document()
    told = why("history", "service:search").out.splitlines()

    assert (forgotten.code, shown.code, again.code) == (0, 0, 1), forgotten.err
    today = document["erased"]["erased_at"][:10]
    assert shown.out.splitlines() == [
        "2026-03-02  [erased]",
        f"  Erased:      on {today}: what it said, who decided it and the words that it rested on",
        f"  Replaces:    {first[:12]}",
        f"  Replaced by: {third[:12]}",
        "  Where:       https://x/C1/2; it is not captured again",
        f"  Id:          {second}",
    ]
    assert (document["decision"]["title"], document["erased"]["captured_again"]) == ("", False)
    assert [one["id"] for one in history["decisions"]] == [first, third]
    assert [(one["id"], one["supersedes"]) for one in history["erased"]] == [(second, [first])]
    assert told[0] == "service:search: 2 decisions, oldest first, 1 erased beside"
    assert told[2] == f"  {second[:12]}  2026-03-02  [erased on {today}]"
    assert again.err.strip() == f"why: {second}: it is forgotten already"
    assert why("show", second, "--markdown").code == 1
    verified = why("verify")
    assert (verified.code, "1 decision was erased" in verified.out) == (0, True)


def test_what_was_replaced_stays_replaced_when_what_stood_between_is_erased(memory: Memory, why: Why) -> None:
    first, second, third = (
        memory.admit(admission(setting(value, day=day), anchor=f"C1/{day}")).new[0]
        for day, value in enumerate(("3", "5", "7"), start=1)
    )

    why("forget", second)

    states = {one["id"]: one["state"] for one in why("history", "service:search", "--json").document()["decisions"]}
    assert states == {first: "superseded", third: "current"}
    assert why("conflicts").out == "no conflicts\n"
