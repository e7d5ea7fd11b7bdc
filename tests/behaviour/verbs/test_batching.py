"""Threads read in batches: once each whatever happens, within the budget, checked like any other answer."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from store import EVERYTHING, Memory
from store.failpoints import OF_A_BATCH
from tests.builders_batches import At, Talks, Time, batched, batched_until_killed, decided
from tests.builders_verbs import NOW
from tests.fakes.claude_server import ClaudeServer


@pytest.fixture
def claude() -> Iterator[ClaudeServer]:
    with ClaudeServer(decided) as server:
        server.batches.clock = lambda: NOW
        yield server


def titles(memory: Memory) -> list[str]:
    return sorted(decision.title for decision in memory.decisions(EVERYTHING))


def spent(memory: Memory) -> list[tuple[str, int, int]]:
    return [(one.purpose, one.calls, one.tokens) for one in memory.spending.of_month("2026-11")]


def test_threads_are_read_together_admitted_and_counted_and_nothing_is_left_behind(
    memory: Memory, claude: ClaudeServer
) -> None:
    said: list[str] = []
    claude.batches.looks, time = 60, Time()

    tally = batched(memory, claude, Talks(3), time, said=said.append)
    again = batched(memory, claude, Talks(3), time)

    assert titles(memory) == ["thing1 stays on Postgres", "thing2 stays on Postgres", "thing3 stays on Postgres"]
    assert (tally.decisions, tally.left, tally.model_calls, tally.batched, tally.tokens) == (3, 0, 3, 3, 3 * 1350)
    assert (again.already_known, again.model_calls, claude.batches.asked) == (3, 0, 3)
    assert (spent(memory), memory.beside.batches.all()) == ([("capture", 3, 3 * 1350)], ())
    assert (claude.batches.deleted, max(time.pauses)) == (["msgbatch_0001"], 60)
    assert said[0].startswith("batch msgbatch_0001: 3 threads are with Claude")
    assert said[1] == "batch msgbatch_0001: 3 waiting, 0 read, 0 failed, after 10 minutes"
    assert said[-1] == "batch msgbatch_0001 ended: 3 read, 0 failed, 0 too late, 0 cancelled"


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> str:
    with ClaudeServer(decided) as claude:
        memory = Memory.open(tmp_path_factory.mktemp("unbroken"), clock=lambda: NOW, index="off")
        batched(memory, claude, Talks(3), Time())
        digest = memory.digest(EVERYTHING)
        memory.close()
    return digest


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("point", OF_A_BATCH)
def test_killed_at_any_point_the_next_run_asks_nothing_twice_and_ends_as_an_unbroken_one(
    point: str, unbroken: str, tmp_path: Path, claude: ClaudeServer
) -> None:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.builders_batches"])
    doomed = processes.Process(
        target=batched_until_killed, args=(str(tmp_path), At(claude.api_key, claude.base_url), 3, point)
    )
    doomed.start()
    doomed.join()
    memory = Memory.open(tmp_path, clock=lambda: NOW, index="off")

    tally = batched(memory, claude, Talks(3), Time())

    assert doomed.exitcode == -signal.SIGKILL
    assert (memory.digest(EVERYTHING), memory.verify().faults) == (unbroken, ())
    assert (tally.left, claude.batches.asked, claude.batches.paid) == (0, 3, 3)
    assert (spent(memory), memory.beside.batches.all()) == ([("capture", 3, 3 * 1350)], ())
    memory.close()
