"""`why forget`, `why export`, `why show --markdown`: what a person may see, take out, or carry elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.forget import KIND_ERASED
from store import WORKSPACE, Alternative, Memory, Person, Post, Trajectory, Verdict
from tests.builders_cli import Why
from tests.builders_log import NOW, OMAR, admission, draft, memory_in, quote

MIA = Person(name="Mia Wong", id="U0MIA00")


@pytest.fixture
def memory(home: Path, index_owner: None) -> Iterator[Memory]:
    opened = memory_in(home)
    yield opened
    opened.close()


def theirs(memory: Memory) -> str:
    """Record a decision of Mia and Omar on which Mia voted, which she confirmed, and about which she asked."""
    both = draft(decided_by=(OMAR, MIA), evidence=(quote("no second cluster", "C1/1.0", by=MIA),), confidence=50)
    found = memory.admit(admission(both, pointed=False)).decisions[0].id
    memory.confirm(found, by=MIA)
    memory.observe_outcome(
        found, voter=MIA, verdict=Verdict.WORKED, counts=True, key="v", reason="80 ms", scope=WORKSPACE, at=NOW
    )
    memory.members.put_person(MIA.id, name=MIA.name, kind="member", at=NOW)
    memory.sessions.record(
        Trajectory(session="s", question="why Postgres?", answer={}, asker_id=MIA.id, asked_at=NOW, refs=(found,))
    )
    return found


def test_a_copy_holds_what_somebody_said_decided_voted_did_and_asked(memory: Memory, why: Why) -> None:
    found = theirs(memory)

    copy = why("export", "--person", "@Mia Wong", "--json").document()

    title = {"decision": found, "title": "Search stays on Postgres"}
    at = "2026-03-04T09:00:00Z"
    assert copy["person"] == {"id": MIA.id, "name": MIA.name}
    assert copy["messages"] == [{"quote": "no second cluster", "at": NOW.isoformat().replace("+00:00", ".000000Z"),
                                 "permalink": "https://x/C1/1.0", **title}]  # fmt: skip
    assert copy["decided"] == [{**title, "at": "2026-03-04"}]
    assert copy["votes"] == [{"verdict": "worked", "reason": "80 ms", **title, "at": at}]
    assert [(one["what"], one["decision"]) for one in copy["did"]] == [("confirmed it", found)]
    assert copy["questions"] == [{"question": "why Postgres?", "at": at}]


def test_who_is_forgotten_is_in_no_copy_any_more(memory: Memory, why: Why) -> None:
    theirs(memory)

    told = why("forget", "--person", MIA.id)

    assert told.code == 0
    assert told.out.splitlines()[0] == "Forgotten: U0MIA00: 1 quote(s), in 1 decision(s)"
    left = why("export", "--person", MIA.id, "--json")
    assert {name: kept for name, kept in left.document().items() if name != "person"} == {
        "messages": [], "decided": [], "votes": [], "did": [], "questions": []
    }  # fmt: skip
    assert left.err.splitlines()[-1] == f"{MIA.id}: nothing here names them"
    again = why("forget", "--person", MIA.id)
    assert (again.code, again.err.strip()) == (1, "why: U0MIA00: nothing here names them")


def test_what_the_bot_posted_of_something_forgotten_is_asked_to_be_taken_back(memory: Memory, why: Why) -> None:
    theirs(memory)
    post = Post(
        key="answer:1", kind="answer", channel="C1", ts="1.5", thread_ts="", ref="s", decisions=(), body=None,
        planned_at=NOW,
    )  # fmt: skip
    memory.posts.plan(post)

    why("forget", "--person", MIA.id)

    asked = memory.inbox.claim(datetime.now(UTC), 60.0)
    assert asked is not None
    assert (asked.kind, asked.payload) == (KIND_ERASED, {"post": "answer:1"})


def test_a_name_that_two_people_have_is_asked_about(memory: Memory, why: Why) -> None:
    for person in ("U0A0000", "U0B0000"):
        memory.members.put_person(person, name="Sam", kind="member", at=NOW)

    told = why("export", "--person", "Sam")

    assert (told.code, told.err.strip()) == (
        1, "why: Sam: 2 people are called that; name one by id: U0A0000, U0B0000"
    )  # fmt: skip


WANTED = "why: name either a message or decision, or --person USER, --channel CHANNEL, --workspace"


@pytest.mark.parametrize("words", [("forget",), ("forget", "adr:1", "--person", "Sam")])
def test_forgetting_wants_one_thing_named(why: Why, words: tuple[str, ...]) -> None:
    told = why(*words)

    assert (told.code, told.err.strip()) == (2, WANTED)


def test_a_decision_is_told_as_a_markdown_record(memory: Memory, why: Why) -> None:
    older = memory.admit(admission(draft("Search on Elastic"), anchor="C1/0.5")).new[0]
    told = draft(
        "Search stays on Postgres", rationale="no second *cluster* to run\n# not a heading",
        alternatives=(Alternative(option="Elasticsearch", reason="a second cluster"),), trade_offs=("slower facets",),
        elements=("service:search",), sets=(("service:search", "engine", "postgres"),), revisit_when="5 M rows",
        evidence=(quote("then we stay on pg", "C1/1.0", by=MIA),), decided_by=(MIA, OMAR), supersedes=(older,),
    )  # fmt: skip
    found = memory.admit(admission(told)).new[0]
    memory.observe_outcome(
        found, voter=OMAR, verdict=Verdict.WORKED, counts=True, key="v", reason="80 ms", scope=WORKSPACE, at=NOW
    )

    record = why("show", found[:12], "--markdown")

    assert (
        record.out
        == f"""---
status: accepted
date: 2026-03-04
decision-makers: Mia Wong, Omar
id: {found}
link: https://x/C1/1.0
---

# Search stays on Postgres

## Context and Problem Statement

About `service:search`.

## Decision Drivers

- no second \\*cluster\\* to run \\# not a heading

## Considered Options

- Search stays on Postgres (chosen)
- Elasticsearch: a second cluster

## Decision Outcome

Chosen: Search stays on Postgres, because no second \\*cluster\\* to run \\# not a heading

> then we stay on pg
>
> [Mia Wong, 2026-03-04](<https://x/C1/1.0>)

## Consequences

- Given up: slower facets
- Sets `service:search.engine` to `postgres`
- Look again: 5 M rows

## Confirmation

- worked, says Omar (2026-03-04): 80 ms

## More Information

- Replaces [Search on Elastic](<https://x/C1/0.5>)
- Said in [slack](<https://x/C1/1.0>)
"""
    )


def test_a_decision_without_an_address_has_a_link_that_show_takes(memory: Memory, why: Why) -> None:
    found = why("record", "--title", "Deploy on Fridays", "--json").document()["decision"]

    shown = why("show", found["link"], "--json").document()["decision"]

    assert found["link"] == f"backstory:{found['id']}"
    assert shown["id"] == found["id"]
