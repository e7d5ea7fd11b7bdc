"""The whole graph in pieces, and lists that end at a limit: what asking for all at once gives."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from store import PUBLIC, Memory, State
from tests.builders_log import EXEC, LENA, admission, draft, memory_in, setting

DAY = date(2026, 3, 5)


def filled(home: Path) -> Memory:
    """Return a memory with five elements: some replaced, retracted, closed or of a later day."""
    memory = memory_in(home)
    for number, name in enumerate(["service:a", "service:b", "Service B", "db:c", "team:d"]):
        memory.admit(admission(draft(f"Decision {number}", elements=(name, "service:a")), anchor=f"C1/{number}"))
    memory.admit(admission(setting("3", day=1), anchor="C1/7"))
    memory.admit(admission(setting("5", day=2), anchor="C1/8"))
    memory.admit(admission(setting("7", day=9), anchor="C1/9"))
    memory.admit(admission(draft("Closed", elements=("deal:e",)), anchor="C2/1", scope=EXEC))
    memory.retract(memory.at_place("slack", "C1/3", PUBLIC)[0].id, by=LENA)
    return memory


def test_an_empty_memory_has_no_pieces(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)

    with memory.whole(PUBLIC, as_of=DAY) as graph:
        pieces = graph.pieces(100)

    assert pieces == ()
    memory.close()


def test_pieces_of_any_size_hold_the_whole_graph_in_order(tmp_path: Path) -> None:
    memory = filled(tmp_path)
    at_once = memory.heads([], PUBLIC, as_of=DAY)

    for size in (1, 2, 100):
        with memory.whole(PUBLIC, as_of=DAY) as graph:
            piecemeal = [view for piece in graph.pieces(size) for view in graph.views(piece)]
        assert tuple(piecemeal) == tuple(view for view in at_once if view.decisions)

    assert len(at_once) > 3
    memory.close()


def test_a_list_in_one_state_ends_at_its_limit_and_not_before(tmp_path: Path) -> None:
    memory = filled(tmp_path)
    every = memory.decisions(PUBLIC)

    for state in State:
        of_state = tuple(each for each in every if each.state is state)
        assert memory.decisions(PUBLIC, state=state) == of_state
        assert memory.decisions(PUBLIC, state=state, limit=1) == of_state[:1]
        about = tuple(each for each in of_state if "service:search" in each.elements)
        assert memory.decisions(PUBLIC, state=state, element="service:search") == about

    assert {each.state for each in every} == set(State)
    memory.close()
