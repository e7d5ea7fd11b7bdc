"""What holds of the memory whatever people do and in whichever order it arrives."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from store import EVERYTHING, PUBLIC, Draft, State, Verdict
from tests.builders_log import (
    EXEC,
    LENA,
    NOW,
    OMAR,
    SEARCH,
    admission,
    counted_salt,
    draft,
    full_draft,
    memory_in,
    setting,
    ticking,
)
from tests.builders_steps import Step, drafts, places, steps

FEW = settings(
    max_examples=12,  # each opens databases; more of them take minutes
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking would open them for minutes
    suppress_health_check=[HealthCheck.too_slow],
)


@contextmanager
def homes() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@FEW
@given(st.lists(steps(), max_size=10))
def test_a_replay_of_the_log_gives_what_was_projected_step_by_step(done: list[Step]) -> None:
    with homes() as home:
        memory = memory_in(home, salt=counted_salt())

        for step in done:
            step(memory)
        before, report = memory.digest(EVERYTHING), memory.verify()
        memory.rebuild()

        assert report.faults == ()
        assert memory.digest(EVERYTHING) == before
        memory.close()


@FEW
@given(st.lists(steps(), min_size=2, max_size=8), st.lists(steps(), max_size=5), st.randoms(use_true_random=False))
def test_two_machines_logs_united_in_any_order_have_one_digest(one: list[Step], two: list[Step], chance: Any) -> None:
    with homes() as home:
        first = memory_in(home / "1", salt=counted_salt())
        second = memory_in(home / "2")
        for step in one:
            step(first)
        for step in two:
            step(second)
        everything = [*first.envelopes(), *second.envelopes()]
        shuffled = chance.sample(everything, len(everything))

        third = memory_in(home / "3")
        for part in _batched(shuffled, 3):
            third.receive(part)
        first.receive(second.envelopes())
        second.receive(first.envelopes())

        assert first.digest(EVERYTHING) == second.digest(EVERYTHING) == third.digest(EVERYTHING)
        assert third.verify().faults == ()
        for memory in (first, second, third):
            memory.close()


def _batched(items: list[Any], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


@FEW
@given(st.lists(drafts(), min_size=1, max_size=4), places)
def test_what_is_admitted_twice_is_there_once(proposed: list[Draft], anchor: str) -> None:
    with homes() as home:
        memory = memory_in(home)
        memory.admit(admission(*proposed, anchor=anchor))
        before = memory.digest(EVERYTHING)

        again = memory.admit(admission(*proposed, anchor=anchor))
        next_basis = memory.admit(admission(*proposed, anchor=anchor, basis="2"))

        assert again.new == again.revised == ()
        assert next_basis.new == next_basis.revised == ()
        assert memory.digest(EVERYTHING) == before
        memory.close()


@FEW
@given(st.permutations(range(1, 7)), st.data())
def test_the_same_decisions_stand_whichever_is_imported_first(order: list[int], data: st.DataObject) -> None:
    values = data.draw(st.lists(st.sampled_from(["3", "5", "backoff"]), min_size=6, max_size=6))
    closed = data.draw(st.sets(st.integers(1, 6), max_size=3))
    with homes() as home:
        states = []
        for name, days in (("oldest", range(1, 7)), ("shuffled", order)):
            memory = memory_in(home / name)
            for day in days:
                proposed = setting(values[day - 1], day=day, title=f"Decision {day}")
                scope = EXEC if day in closed else SEARCH
                memory.admit(admission(proposed, anchor=f"C1/{day}", scope=scope))

            states.append(
                {
                    reader: (
                        [(each.title, each.state) for each in memory.decisions(reader)],
                        [[head.title for head in view.decisions] for view in memory.heads(["service:search"], reader)],
                        len(memory.conflicts(reader)),
                    )
                    for reader in (PUBLIC, EVERYTHING)
                }
            )
            memory.close()

        assert states[0] == states[1]
        assert all(conflicts == 0 for _, _, conflicts in states[0].values())


SECRET = "xyzzyplugh"


@FEW
@given(st.sampled_from(["turn", "decision", "revised", "expired", "channel", "workspace"]), st.booleans())
def test_what_was_erased_is_in_no_file(how: str, voted: bool) -> None:
    with homes() as home:
        memory = memory_in(home)
        pointed = how != "expired"
        proposed = full_draft(SECRET)
        admitted = memory.admit(admission(proposed, draft("Another"), pointed=pointed, provenance="rules-1"))
        id_ = next(each.id for each in admitted.decisions if SECRET in each.title)
        if voted:
            memory.observe_outcome(
                id_, voter=LENA, verdict=Verdict.WORKED, counts=True, key="v", reason=SECRET, scope=SEARCH, at=NOW
            )

        match how:
            case "turn":
                memory.redact_turn("slack", "C1/1.0")
            case "decision" | "expired":
                memory.forget_decision(id_)
            case "channel":
                memory.forget_channel("C1")
            case "workspace":
                memory.forget_workspace()
            case _:
                newer = memory.revise(id_, full_draft(SECRET + "2"), by=OMAR)
                memory.forget_decision(newer)
        clean = memory.verify()
        memory.close()

        texts = {path.name: path.read_bytes().lower() for path in home.iterdir() if path.is_file()}
        assert [name for name, content in texts.items() if SECRET.encode() in content] == []
        assert clean.faults == ()


def test_states_follow_the_day_of_decision_and_not_of_recording(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, clock=ticking())
    memory.admit(admission(setting("5", day=9, title="Later"), anchor="C1/9"))

    memory.admit(admission(setting("3", day=1, title="Earlier"), anchor="C1/1"))

    states = {each.title: each.state for each in memory.decisions(PUBLIC)}
    assert states == {"Later": State.CURRENT, "Earlier": State.SUPERSEDED}
    assert memory.decisions(PUBLIC, as_of=date(2026, 3, 2))[0].state is State.CURRENT
    memory.close()
