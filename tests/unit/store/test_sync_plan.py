"""Which objects a sync reads, which it merges, and how few are left."""

from __future__ import annotations

import itertools

from store.sync.names import SegmentName, read_name
from store.sync.plan import Run, merged, pieces, reading, superseded, uncovered


def name(first: int, last: int, generation: int = 1) -> SegmentName:
    return SegmentName(owner="w", directory="0" * 32, first=first, last=last, generation=generation)


def test_the_fewest_objects_that_lead_on_are_read() -> None:
    there = [name(1, 4), name(1, 8), name(1, 8, 2), name(5, 8), name(9, 9), name(9, 20), name(30, 31)]

    assert reading(0, there).wanted == (name(1, 8, 2), name(9, 20))
    assert reading(0, there).beyond == (name(30, 31),)
    assert reading(8, there).wanted == (name(9, 20),)
    assert reading(20, there).wanted == ()
    assert reading(20, []).beyond == ()


def test_what_others_hold_is_superseded() -> None:
    there = [name(1, 4), name(5, 8), name(1, 8), name(1, 8, 2), name(9, 9), name(8, 9)]

    assert set(superseded(there)) == {name(1, 4), name(5, 8), name(1, 8), name(9, 9)}


def test_runs_that_nobody_holds_are_named() -> None:
    assert uncovered(1, 10, [name(3, 4), name(4, 6), name(9, 20)]) == ((1, 2), (7, 8))
    assert uncovered(1, 3, []) == ((1, 3),)
    assert uncovered(1, 3, [name(1, 9)]) == ()


def test_a_long_run_is_cut() -> None:
    assert pieces(1, 40_000) == ((1, 16_384), (16_385, 32_768), (32_769, 40_000))


def test_ten_thousand_syncs_of_one_event_leave_few_objects_and_rewrite_little() -> None:
    runs: list[Run] = []
    written = most = 0
    for number in range(1, 10_001):
        runs.append((number, number))
        for run in merged(runs):
            runs = [each for each in runs if each[1] < run[0]] + [run]
        written += runs[-1][1] - runs[-1][0] + 1
        most = max(most, len(runs))

    assert runs[0][0] == 1
    assert all(one[1] + 1 == other[0] for one, other in itertools.pairwise(runs))
    assert most <= 32
    assert written <= 5 * 10_000


def test_only_our_own_names_are_read() -> None:
    good = f"{'a1' * 8}/{'0f' * 16}/1-20.g3"
    found = read_name(good)

    assert found is not None
    assert (str(found), found.first, found.last, found.generation) == (good, 1, 20, 3)
    for bad in (
        "", "a/b/1-2.g1", good.upper(), good + "x", "/" + good, good.replace("1-20", "20-1"), good.replace("g3", "g0"),
        good.replace("1-20", "0-20"), good + "\n", good.replace("a1", "..", 1), "x/" + good,
        good.replace("1-20", "1-" + "9" * 17),
    ):  # fmt: skip
        assert read_name(bad) is None, bad
