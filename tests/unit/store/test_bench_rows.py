"""Runs, percentiles and the table of what was measured."""

from store.bench.rows import BenchRow, bench_table, timed


def row(*runs: float) -> BenchRow:
    return BenchRow(name="history", unit="ms", runs=runs, aim="<= 2 ms")


def test_a_percentile_is_one_of_the_runs() -> None:
    hundred = row(*map(float, range(100, 0, -1)))

    assert (hundred.percentile(0.5), hundred.percentile(0.95)) == (50, 95)
    assert (row(7.0).percentile(0.5), row(7.0).percentile(0.95)) == (7, 7)


def test_every_act_is_one_run() -> None:
    done: list[int] = []

    measured = timed("append", "s", [lambda: done.append(1), lambda: done.append(2)])

    assert done == [1, 2]
    assert len(measured.runs) == 2


def test_columns_of_the_table_stand_under_one_another() -> None:
    heading, first, second = bench_table([row(1.0), row(1234.5)])

    assert first.index("ms") == second.index("ms")
    assert "1,234" in second
    assert heading.endswith("aim at 1,000,000")
