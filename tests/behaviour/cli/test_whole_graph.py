"""`why as-of DATE` without elements: the whole graph, as it is for each element, by however many processes."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cli.graph import WORTH_SHARING, Wanted, put_graph
from bot.element_shape import view_json
from store import PUBLIC, Load, Memory, QuickMemory, Servers
from tests.builders_cli import Why
from tests.builders_log import admission, setting

LOAD = Load(decisions=120, elements=40, writers=3)


@pytest.fixture
def memory(home: Path, index_owner: None) -> Iterator[QuickMemory]:
    with closing(Memory.open(home, index="off")) as made:
        made.receive(LOAD.envelopes())
    quick = QuickMemory.open(home)
    assert quick is not None
    yield quick
    quick.close()


@pytest.fixture
def wanted(home: Path) -> Wanted:
    """Pieces small enough that other processes are asked."""
    return Wanted(
        home=home,
        servers=Servers(),
        reader=PUBLIC,
        day=LOAD.half_way,
        as_json=True,
        elements_a_piece=LOAD.elements // (2 * WORTH_SHARING),
    )


def one_by_one(memory: QuickMemory) -> list[dict[str, object]]:
    """Return the whole graph as it is when each element is asked for by name."""
    views = memory.heads(sorted(LOAD.names), PUBLIC, as_of=LOAD.half_way)
    return [json.loads(json.dumps(view_json(each))) for each in views]


def test_the_whole_graph_is_what_holds_for_each_element(memory: QuickMemory, why: Why) -> None:
    day = LOAD.half_way.isoformat()

    document = why("as-of", day, "--json").document()
    lines = why("as-of", day).out.splitlines()

    assert document == {"elements": one_by_one(memory)}
    assert [line for line in lines if not line.startswith(" ")] == [each["element"] for each in document["elements"]]


def test_several_processes_write_the_whole_graph_in_the_same_order(
    memory: QuickMemory, wanted: Wanted, capsys: pytest.CaptureFixture[str]
) -> None:
    with memory.whole(PUBLIC, as_of=wanted.day) as graph:
        put_graph(graph, wanted, nothing="nothing")

    assert json.loads(capsys.readouterr().out) == {"elements": one_by_one(memory)}


def test_what_is_recorded_meanwhile_is_in_no_piece_of_the_whole_graph(
    memory: QuickMemory, wanted: Wanted, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = one_by_one(memory)

    with memory.whole(PUBLIC, as_of=wanted.day) as graph:
        with closing(Memory.open(home, index="off")) as other:
            other.admit(admission(replace(setting("7", title="Recorded meanwhile"), decided_on=wanted.day)))
        put_graph(graph, wanted, nothing="nothing")

    assert json.loads(capsys.readouterr().out) == {"elements": before}
    assert "Recorded meanwhile" in json.dumps(view_json(memory.heads(["service:search"], PUBLIC)[0]))


def test_where_other_processes_find_no_memory_the_first_one_reads_all_of_it(
    memory: QuickMemory, wanted: Wanted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with memory.whole(PUBLIC, as_of=wanted.day) as graph:
        put_graph(graph, replace(wanted, home=tmp_path / "elsewhere"), nothing="nothing")

    assert json.loads(capsys.readouterr().out) == {"elements": one_by_one(memory)}


def test_a_day_before_everything_says_that_nothing_was_in_force(memory: QuickMemory, why: Why) -> None:
    assert why("as-of", "2000-01-01").out == "nothing in force on 2000-01-01\n"
    assert why("as-of", "2000-01-01", "--json").document() == {"elements": []}
