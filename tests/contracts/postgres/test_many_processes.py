"""What several processes that share a Postgres promise each other: here each is a connection pool of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from store import Beside
from tests.builders_databases import ON_POSTGRES, beside_in
from tests.builders_log import NOW


@pytest.fixture
def home(tmp_path: Path, postgres_url: str) -> Iterator[Path]:
    ON_POSTGRES[tmp_path] = postgres_url
    yield tmp_path
    del ON_POSTGRES[tmp_path]


@pytest.fixture
def two(home: Path) -> Iterator[tuple[Beside, Beside]]:
    one, other = beside_in(home, lambda: NOW), beside_in(home, lambda: NOW)
    yield one, other
    one.close()
    other.close()


def test_two_processes_share_the_rows_without_overlap(two: tuple[Beside, Beside]) -> None:
    for number in range(30):
        two[0].inbox.insert(f"event:{number}", "any", {})
    taken: list[str] = []

    def work(beside: Beside) -> None:
        while claimed := beside.inbox.claim(NOW, 60):
            taken.append(claimed.key)

    threads = [threading.Thread(target=work, args=(each,)) for each in (*two, *two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(taken) == sorted(f"event:{number}" for number in range(30))


def test_a_row_of_a_series_waits_while_another_process_works_on_a_later_one(two: tuple[Beside, Beside]) -> None:
    two[0].inbox.insert("late", "any", {}, serial="C1", due_at=NOW + timedelta(seconds=1))
    two[0].inbox.insert("first to come", "any", {}, serial="C1")

    none_due = two[0].inbox.claim(NOW, 60)
    begun = two[0].inbox.claim(NOW + timedelta(seconds=2), 60)
    meanwhile = two[1].inbox.claim(NOW + timedelta(seconds=2), 60)

    assert none_due is None
    assert begun is not None
    assert begun.key == "late"
    assert meanwhile is None


def test_a_starting_worker_leaves_what_others_hold_until_the_lease_ends(two: tuple[Beside, Beside]) -> None:
    two[0].inbox.insert("event:1", "any", {})
    two[0].inbox.claim(NOW, 60)

    released = two[1].inbox.release()
    two[1].take_work()
    early, late = two[1].inbox.claim(NOW, 60), two[1].inbox.claim(NOW + timedelta(seconds=60), 60)

    assert (released, early) == (0, None)
    assert late is not None
    assert late.attempt == 2


def test_an_insert_of_one_process_wakes_the_workers_of_another(two: tuple[Beside, Beside]) -> None:
    woken = threading.Event()
    two[1].inbox.on_insert(lambda _priority: woken.set())

    number = 0
    while not woken.wait(0.1) and number < 100:  # the first may come before the other listens
        two[0].inbox.insert(f"event:{number}", "any", {})
        number += 1

    assert woken.is_set()


def test_one_process_looks_at_the_clock_until_it_ends(home: Path, two: tuple[Beside, Beside]) -> None:
    first = two[0].leads(), two[1].leads(), two[0].leads()

    two[0].close()

    assert first == (True, False, True)
    assert two[1].leads()
