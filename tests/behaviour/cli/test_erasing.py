"""After an erasure the gap is explained: by show, by history and by verify; what was taken out is in no file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.forget import KIND_ERASED
from store import Memory, Post, Scope
from tests.builders_cli import Why
from tests.builders_log import NOW, OMAR, admission, draft, full_draft, memory_in, quote, setting


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


def test_a_channel_is_counted_first_then_forgotten_and_its_posts_are_taken_back(memory: Memory, why: Why) -> None:
    here = Scope(id="channel:C9", open=True)
    memory.members.put_channel("C9", name="search", open=True, members=(), at=NOW)
    mine = memory.admit(admission(setting("3"), anchor="C9/1.0", scope=here)).new[0]
    both = draft("Elsewhere", evidence=(quote("ours", "C1/1.0"), quote("theirs", "C9/2.0")))
    memory.admit(admission(both, anchor="C1/1.0"))
    card = Post(key="card:1", kind="card", channel="C9", ts="1.5", thread_ts="1.0", ref="C9/1.0", decisions=(mine,),
                body=None, planned_at=NOW)  # fmt: skip
    memory.posts.plan(card)

    counted = why("forget", "--channel", "#search", "--dry-run")
    done = why("forget", "--channel", "#search", "--json")
    again, other = why("forget", "--channel", "C9"), why("forget", "--channel", "nowhere")

    assert counted.out.strip() == "Would forget channel C9: 1 decision(s), and quotes in 1 other(s)"
    assert done.document() == {"forgotten": "channel", "id": "C9", "decisions": 1, "quotes": 1}
    assert (again.code, again.err.strip()) == (1, "why: C9: it is forgotten already")
    assert (other.code, "no channel of that name is known" in other.err) == (1, True)
    asked = memory.inbox.claim(datetime.now(UTC), 60.0)
    assert asked is not None
    assert (asked.kind, asked.payload) == (KIND_ERASED, {"post": "card:1"})
    assert why("verify").code == 0


def test_all_of_it_is_forgotten_only_when_somebody_says_yes(memory: Memory, why: Why) -> None:
    memory.admit(admission(full_draft("zanzibar"), draft("Another"), anchor="C9/1.0", by=OMAR))
    memory.set_setting("mode:C9", "ask", by=OMAR)
    memory.inbox.insert("k", "command", {"text": "zanzibar"})

    unsure, counted = why("forget", "--workspace"), why("forget", "--workspace", "--dry-run")
    before = [one["title"] for one in why("list", "--json").document()["decisions"]]
    done = why("forget", "--workspace", "--yes")

    assert (unsure.code, counted.code, done.code) == (2, 0, 0)
    assert len(before) == 2
    assert done.out.splitlines()[0] == "Forgotten: everything, 2 decision(s)"
    assert why("list").out == "nothing recorded yet\n"
    assert why("verify").code == 0
    digest = why("digest").out
    why("rebuild")
    assert why("digest").out == digest
    memory.close()
    for word in ("zanzibar", "Another", "Omar"):
        assert [path for path in memory.home.rglob("*") if path.is_file() and word.encode() in path.read_bytes()] == []
