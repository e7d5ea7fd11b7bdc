"""A channel that is erased is gone from everywhere, and stays so whatever is captured, imported or synced later."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from store import EVERYTHING, PUBLIC, WORKSPACE, Memory, Place, Post, Scope, State, Trajectory, Verdict
from tests.builders_databases import held_in
from tests.builders_log import LENA, NOW, OMAR, SEARCH, admission, draft, full_draft, memory_in, quote, setting
from tests.builders_sync import everything_in

CANARY = "zanzibar"
C9 = Scope(id="channel:C9", open=True)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with closing(memory_in(tmp_path)) as opened:
        yield opened


def said(memory: Memory, title: str = "", anchor: str = "C9/1.0") -> str:
    """Record a decision of channel C9, the canary in every field that people write."""
    words = draft(title, evidence=(quote(CANARY, anchor),)) if title else full_draft(CANARY)
    return memory.admit(admission(words, anchor=anchor, scope=C9, by=OMAR)).new[0]


def beside(memory: Memory, decision: str) -> None:
    """Put the canary into all that lies beside the log and is about channel C9."""
    asked = Trajectory(session="s1", question=f"{CANARY}?", answer={"a": CANARY}, asker_id="U1", asked_at=NOW)
    quoting = Trajectory(
        session="s2", question="why?", answer={"a": CANARY}, asker_id="U2", asked_at=NOW, refs=(decision, "C9/1.0")
    )
    for each in (asked, quoting):
        memory.sessions.record(each)
    for key, channel, ref in (("k1", "C9", "s1"), ("k2", "C1", "s2")):
        memory.posts.plan(Post(key=key, kind="answer", channel=channel, ts="", thread_ts="", ref=ref, decisions=(),
                               body={"text": CANARY}, planned_at=NOW))  # fmt: skip
    memory.inbox.insert("i1", "command", {"user": "U1", "channel": "C9", "text": CANARY})
    memory.inbox.insert("i2", "question", {"text": CANARY}, about="C9/2.0")
    memory.members.put_channel("C9", name=CANARY, open=True, members=("U1",), at=NOW)


def test_nothing_of_an_erased_channel_is_left_anywhere(memory: Memory) -> None:
    mine = said(memory)
    beside(memory, mine)
    both = draft("Elsewhere", evidence=(quote("our own words", "C1/1.0"), quote(f"{CANARY} said there", "C9/3.0")))
    alone = draft(f"Only {CANARY}", evidence=(quote(f"only {CANARY}", "C9/4.0"),))
    kept = memory.admit(admission(both, anchor="C1/1.0", scope=SEARCH)).new[0]
    gone = memory.admit(admission(alone, anchor="C1/4.0", scope=SEARCH)).new[0]
    placed = memory.admit(admission(draft("A record"), anchor="C1/5.0")).new[0]
    memory.add_place(placed, Place(source="slack", anchor="C9/5.0"), (quote(f"as {CANARY} says", "C9/5.0"),),
                     scope=WORKSPACE)  # fmt: skip
    memory.observe_outcome(
        kept, voter=LENA, verdict=Verdict.WORKED, counts=True, key="v", reason=CANARY, scope=C9, at=NOW
    )

    done = memory.forget_channel("C9")

    assert (done.fresh, done.erased, done.quotes) == (True, 1, 3)
    states = {name: memory.decision(name, EVERYTHING) for name in (mine, kept, gone, placed)}
    assert {name: (one.title, one.state) for name, one in states.items() if one} == {
        mine: ("", State.RETRACTED),
        kept: ("Elsewhere", State.CURRENT),
        gone: ("", State.RETRACTED),
        placed: ("A record", State.CURRENT),
    }
    assert [quoted.quote for one in (states[kept],) if one for quoted in one.evidence] == ["our own words"]
    assert memory.verify().faults == ()
    memory.close()
    assert CANARY.encode() not in held_in(memory.home).lower()


def test_nothing_of_an_erased_channel_is_captured_again(memory: Memory) -> None:
    said(memory)
    memory.forget_channel("C9")

    again = memory.admit(admission(draft("Again"), anchor="C9/7.0", basis="2", scope=C9))
    record = memory.admit(
        admission(draft("For them"), anchor="", scope=C9, recorded_from="record", provenance="person")
    )
    quoting = memory.admit(
        admission(draft("Quotes it", evidence=(quote("words", "C9/7.0"), quote("ours", "C1/7.0"))), anchor="C1/7.0")
    )

    assert (again.new, record.new) == ((), ())
    assert again.refused == ("Again: its place was forgotten",)
    assert [one.quote for one in quoting.decisions[0].evidence] == ["ours"]
    assert memory.forgotten(Place(source="slack", anchor="C9/99.0"))
    assert not memory.forgotten(Place(source="slack", anchor="C99/1.0"))
    left = memory.tombstone(memory.decisions_by_ids(memory.said_in("C9").decisions, EVERYTHING)[0].id, EVERYTHING)
    assert left is not None
    assert not left.captured_again


def test_forgetting_a_channel_twice_changes_nothing(memory: Memory) -> None:
    said(memory)
    memory.forget_channel("C9")
    count = len(memory.envelopes())

    again = memory.forget_channel("C9")

    assert (again.fresh, again.erased, again.quotes, again.beside) == (False, 0, 0, 0)
    assert len(memory.envelopes()) == count


def test_what_another_machine_sends_of_an_erased_channel_is_stored_blank(memory: Memory, tmp_path: Path) -> None:
    other = memory_in(tmp_path / "other")
    said(other)
    memory.forget_channel("C9")
    late = said(other, f"Late {CANARY}", anchor="C9/8.0")
    open_elsewhere = other.admit(admission(draft("Open elsewhere"), anchor="C1/9.0", scope=SEARCH)).new[0]

    memory.receive(other.envelopes())
    other.receive(memory.envelopes())

    assert memory.digest(EVERYTHING) == other.digest(EVERYTHING)
    assert memory.verify().faults == other.verify().faults == ()
    assert [one.id for one in memory.decisions(PUBLIC)] == [open_elsewhere]
    lost = memory.decision(late, EVERYTHING)
    assert lost is not None
    assert lost.title == ""
    for each in (memory, other):
        each.rebuild()
        each.close()
        assert CANARY.encode() not in held_in(each.home).lower()


def test_an_erasure_of_a_channel_that_was_cut_short_is_finished_by_the_next(memory: Memory) -> None:
    first, second = said(memory), said(memory, f"Second {CANARY}", anchor="C9/2.0")
    memory.forget_decision(first)

    done = memory.forget_channel("C9")

    assert (done.erased, set(done.decisions)) == (1, {first, second})
    memory.close()
    assert CANARY.encode() not in held_in(memory.home).lower()


def test_other_channels_keep_what_they_had(memory: Memory) -> None:
    said(memory)
    memory.admit(admission(setting("3"), anchor="C91/1.0", scope=Scope(id="channel:C91", open=True)))
    memory.admit(admission(setting("3", title="Closed"), anchor="C8/1.0", scope=Scope(id="channel:C8", open=False)))

    memory.forget_channel("C9")

    assert sorted(one.title for one in memory.decisions(EVERYTHING)) == ["Closed", "Retries: 3"]


@pytest.mark.sqlite_only
def test_a_machine_that_syncs_erases_the_channel_from_what_it_published_itself(memory: Memory, tmp_path: Path) -> None:
    remote = tmp_path / "remote"
    remote.mkdir()
    other = memory_in(tmp_path / "other")
    said(other, f"Theirs {CANARY}", anchor="C9/8.0")
    other.sync(str(remote))
    before = everything_in(remote)
    said(memory)
    memory.forget_channel("C9")
    memory.sync(str(remote))

    other.sync(str(remote))
    memory.sync(str(remote))

    assert other.digest(EVERYTHING) == memory.digest(EVERYTHING)
    other.close()
    assert CANARY.encode() in before.lower()
    assert CANARY.encode() not in everything_in(remote).lower()
    assert CANARY.encode() not in held_in(other.home).lower()
