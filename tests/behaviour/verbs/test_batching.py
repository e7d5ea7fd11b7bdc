"""Threads read in batches: once each whatever happens, within the budget, checked like any other answer."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.backfill import OVER_BUDGET
from bot.budget import Budget
from bot.capture import left_out_setting, person_left_out_setting
from bot.sources.document import Stated
from store import EVERYTHING, Memory, Person, Thread
from store.failpoints import OF_A_BATCH
from tests.builders_batches import At, Talks, Time, batched, batched_until_killed, decided, talk
from tests.builders_claude import proposed
from tests.builders_verbs import NOW
from tests.fakes import claude_server as fake
from tests.fakes.claude_batches import Fault, Reply, error_of
from tests.fakes.claude_server import ClaudeServer, Received, Scripted

OMAR = Person(name="Omar", id="U2")


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
    claude.batches.looks, time = 60, Time()
    said: list[str] = []

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
        batched(memory, claude, Talks(2), Time())
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
        target=batched_until_killed, args=(str(tmp_path), At(claude.api_key, claude.base_url), 2, point)
    )
    doomed.start()
    doomed.join()
    memory = Memory.open(tmp_path, clock=lambda: NOW, index="off")

    tally = batched(memory, claude, Talks(2), Time())

    assert doomed.exitcode == -signal.SIGKILL
    assert (memory.digest(EVERYTHING), memory.verify().faults) == (unbroken, ())
    assert (tally.left, claude.batches.asked, claude.batches.paid) == (0, 2, 2)
    assert (spent(memory), memory.beside.batches.all()) == ([("capture", 2, 2 * 1350)], ())
    memory.close()


def answering(*odd: Scripted) -> Callable[[Received], Scripted]:
    """Give these answers to thing1, thing2 … and decide what is beyond them."""

    def answer(received: Received) -> Scripted:
        at = next((at for at in range(len(odd)) if f"thing{at + 1} " in received.user), None)
        return decided(received) if at is None else odd[at]

    return answer


def test_what_a_batch_did_not_read_is_left_and_costs_nothing_and_the_next_run_asks_it_again(memory: Memory) -> None:
    odd = (fake.late(), fake.failure(500), fake.refusal(), fake.cut_short(), fake.schema_miss({"nothing": 1}))
    with ClaudeServer(answering(*odd)) as claude:
        tally = batched(memory, claude, Talks(6), Time())

        waiting = memory.beside.batches.all()

    assert (tally.threads, tally.decisions, tally.left, tally.batched, claude.batches.paid) == (6, 1, 5, 4, 4)
    assert sorted(tally.problems) == [
        "1 thread is left: the batch's day was over before their turn",
        "slack C1/2.000001: Claude failed (api_error)",
        "slack C1/3.000001: Claude refused to answer",
        "slack C1/4.000001: Claude's answer was cut short",
        "slack C1/5.000001: Claude's answer didn't have the shape asked for",
    ]
    assert (waiting, spent(memory)) == ((), [("capture", 4, 4 * 1350)])
    with ClaudeServer(decided) as claude:
        again = batched(memory, claude, Talks(6), Time())
    assert (again.decisions, again.already_known, again.left, claude.batches.asked) == (5, 1, 0, 5)


def test_what_claude_found_is_checked_like_any_other_answer(memory: Memory) -> None:
    made_up = fake.structured({"decisions": [proposed("thing1 moves", 3, "we move to Elasticsearch")]})
    with ClaudeServer(answering(made_up)) as claude:
        tally = batched(memory, claude, Talks(2), Time())

    assert (tally.decisions, tally.refused_quotes > 0, titles(memory)) == (1, True, ["thing2 stays on Postgres"])


def test_a_thread_that_was_edited_meanwhile_is_read_anew_and_nothing_of_its_old_text_is_admitted(
    memory: Memory, claude: ClaudeServer
) -> None:
    source = Talks(2)
    stopped_after_sending(memory, claude, source)
    source.all[0] = talk(1, "no, wait, let us talk about it once more", basis="2")

    tally = batched(memory, claude, source, Time())

    (first,) = memory.at_place("slack", "C1/1.000001", EVERYTHING)
    assert (tally.decisions, tally.left, tally.batched, claude.batches.asked) == (2, 0, 3, 3)
    assert memory.known(source.all[0].place, "2")
    assert not memory.known(source.all[0].place, "1")
    assert (len(first.evidence), memory.beside.batches.all(), len(claude.batches.deleted)) == (1, (), 2)


def stopped_after_sending(memory: Memory, claude: ClaudeServer, source: Talks) -> None:
    """Let somebody press Ctrl-C while they wait for the batch."""

    class Stopped(Time):
        def pause(self, seconds: float) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batched(memory, claude, source, Stopped())


def test_a_run_of_other_threads_leaves_a_batch_alone_and_one_of_some_takes_in_those(
    memory: Memory, claude: ClaudeServer
) -> None:
    stopped_after_sending(memory, claude, Talks(3))
    some, others = Talks(1), Talks(4)
    others.all = others.all[3:]

    other = batched(memory, claude, others, Time())
    first = batched(memory, claude, some, Time())
    left = [len(memory.beside.batches.threads(batch.id)) for batch in memory.beside.batches.all()]
    rest = batched(memory, claude, Talks(4), Time())

    assert (other.decisions, first.decisions, left, rest.decisions) == (1, 1, [2], 2)
    assert (rest.already_known, claude.batches.asked, len(claude.batches.deleted)) == (2, 4, 2)


def test_what_was_forgotten_or_left_out_while_the_batch_was_under_way_stays_out(
    memory: Memory, claude: ClaudeServer
) -> None:
    source = Talks(3)
    stopped_after_sending(memory, claude, source)
    memory.set_setting(left_out_setting("C1/1.000001"), "yes", by=OMAR)

    class Changing(Time):
        def pause(self, seconds: float) -> None:
            memory.set_setting(person_left_out_setting(OMAR.id), "yes", by=OMAR)
            super().pause(seconds)

    claude.batches.made["msgbatch_0001"].looks = 1
    tally = batched(memory, claude, source, Changing())

    assert (tally.forgotten, tally.decisions, tally.left, claude.batches.asked) == (1, 0, 2, 3)
    assert tally.problems == ["2 threads are left: changed while the batch was under way: read anew by the next run"]


def test_a_batch_is_cut_to_what_the_month_bears_and_what_it_left_over_goes_into_the_next(
    memory: Memory, claude: ClaudeServer
) -> None:
    tally = batched(memory, claude, Talks(24), Time(), limit=637_000)

    assert (claude.batches.sizes, tally.decisions, tally.left, tally.problems) == ([22, 2], 24, 0, [])
    assert not Budget(memory.spending, limit=637_000, clock=lambda: NOW).is_low()


def test_what_the_month_does_not_bear_is_left_and_said_and_nothing_goes_over_it(
    memory: Memory, claude: ClaudeServer
) -> None:
    tally = batched(memory, claude, Talks(8), Time(), limit=150_000)
    none = batched(memory, claude, Talks(8), Time(), limit=0)

    assert (tally.threads, tally.decisions, claude.batches.asked) == (8, 5, 5)
    assert tally.problems == [f"3 threads are left: {OVER_BUDGET}"]
    assert (none.left, memory.spending.taken("2026-11")) == (3, 5 * 1350)


def test_a_batch_holds_no_more_than_the_interface_takes(memory: Memory, claude: ClaudeServer) -> None:
    tally = batched(memory, claude, Talks(5), Time(), most_requests=3)
    assert (tally.decisions, claude.batches.sizes) == (5, [3, 2])


@pytest.mark.parametrize(
    "faults",
    [
        [Fault(on="create", reply=Reply(dropped=True), taken=True)],
        [Fault(on="create", reply=Reply(dropped=True))],
        [Fault(on="create", reply=error_of(529), taken=True)],
        [Fault(on="create", reply=error_of(429)), Fault(on="create", reply=error_of(503))],
        [Fault(on="look", reply=error_of(500)), Fault(on="look", reply=Reply(dropped=True))],
        [Fault(on="results", reply=Reply(body=b'{"custom_id": "a", "resu', dropped=True))],
        [Fault(on="results", reply=Reply(body=b"<html>Sign in</html>"))],
        [Fault(on="delete", reply=error_of(500))],
    ],
)
def test_whatever_happens_on_the_way_each_thread_is_asked_and_admitted_once(
    memory: Memory, claude: ClaudeServer, faults: list[Fault]
) -> None:
    claude.batches.faults += faults

    tally = batched(memory, claude, Talks(3), Time())

    assert (tally.decisions, tally.left, claude.batches.asked, claude.batches.paid) == (3, 0, 3, 3)
    assert (spent(memory), memory.beside.batches.all()) == ([("capture", 3, 3 * 1350)], ())


@pytest.mark.parametrize(
    ("on", "status", "problem"),
    [
        ("create", 401, "refused the key"),
        ("create", 402, "budget is used"),
        ("create", 413, "longer than Claude takes"),
        ("create", 503, "didn't say whether it took the batch"),
        ("list", 500, "is away"),
        ("look", 500, "the batch goes on"),
        ("results", 500, "the batch goes on"),
    ],
)
def test_what_stays_wrong_ends_the_run_with_a_reason_and_the_next_one_goes_on(
    memory: Memory, claude: ClaudeServer, on: str, status: int, problem: str
) -> None:
    claude.batches.faults += [Fault(on=on, reply=error_of(status)) for _ in range(31)]
    if on == "list":
        claude.batches.faults.append(Fault(on="create", reply=Reply(dropped=True), taken=True))
    time = Time()

    tally = batched(memory, claude, Talks(3), time)
    claude.batches.faults.clear()
    again = batched(memory, claude, Talks(3), time)

    assert (tally.decisions, tally.left) == (0, 3)
    assert any(problem in said for said in tally.problems), tally.problems
    assert (again.decisions, again.left, claude.batches.asked) == (3, 0, 3)
    assert spent(memory) == [("capture", 3, 3 * 1350)]


def test_a_batch_of_somebody_elses_is_not_taken_for_ours(memory: Memory, claude: ClaudeServer, tmp_path: Path) -> None:
    other = Memory.open(tmp_path / "other", clock=lambda: NOW, index="off")
    theirs = Talks(6)
    theirs.all = theirs.all[3:]
    stopped_after_sending(other, claude, theirs)
    claude.batches.clock = lambda: NOW - timedelta(hours=1)
    stopped_after_sending(other, claude, Talks(1))
    claude.batches.clock = lambda: NOW
    claude.batches.faults.append(Fault(on="create", reply=Reply(dropped=True)))

    tally = batched(memory, claude, Talks(3), Time())
    rest = batched(other, claude, theirs, Time())
    other.close()

    assert (tally.decisions, rest.decisions, claude.batches.asked) == (3, 3, 7)


def test_a_batch_that_somebody_deletes_while_it_is_looked_at_is_not_ours(memory: Memory, claude: ClaudeServer) -> None:
    theirs = Talks(6)
    theirs.all = theirs.all[3:]
    stopped_after_sending(memory, claude, theirs)
    memory.beside.batches.clear()
    claude.batches.faults += [Fault(on="create", reply=Reply(dropped=True)), Fault(on="look", reply=error_of(404))]

    tally = batched(memory, claude, Talks(3), Time())

    assert (tally.decisions, claude.batches.asked) == (3, 6)


def test_where_no_connection_comes_about_nothing_is_set_aside(memory: Memory) -> None:
    tally = batched(memory, At("key", "http://127.0.0.1:9"), Talks(2), Time())

    assert (tally.left, memory.spending.taken("2026-11")) == (2, 0)
    assert tally.problems == ["2 threads are left: Claude can't be reached"]


def test_a_batch_that_claude_does_not_know_is_not_sent_again_until_it_is_given_up(
    memory: Memory, claude: ClaudeServer
) -> None:
    stopped_after_sending(memory, claude, Talks(3))
    claude.batches.made.clear()

    tally = batched(memory, claude, Talks(3), Time())
    given_up = batched(memory, claude, Talks(3), Time(), cancel=True)
    again = batched(memory, claude, Talks(3), Time())

    assert (tally.left, given_up.left, again.decisions) == (3, 3, 3)
    assert "is ANTHROPIC_API_KEY the one" in tally.problems[0]


def test_after_a_month_a_batch_is_over_by_itself(memory: Memory, claude: ClaudeServer) -> None:
    stopped_after_sending(memory, claude, Talks(3))

    tally = batched(memory, claude, Talks(3), Time(NOW + timedelta(days=32)))

    assert (tally.decisions, claude.batches.asked) == (3, 6)


def test_a_batch_that_is_cancelled_gives_what_it_has_and_no_other_is_sent(memory: Memory, claude: ClaudeServer) -> None:
    claude.batches.looks = 9
    stopped_after_sending(memory, claude, Talks(3))

    said: list[str] = []
    tally = batched(memory, claude, Talks(4), Time(), cancel=True, said=said.append)
    twice = batched(memory, claude, Talks(4), Time(), cancel=True)

    assert (tally.decisions, tally.left, claude.batches.asked, claude.batches.paid) == (1, 3, 3, 1)
    assert said[0] == "a batch of 3 threads, sent on 30 November 2026, is taken up again"
    assert said[-1] == "2 threads are left: their batch was cancelled"
    assert tally.problems == []
    assert (twice.decisions, twice.left, spent(memory)) == (0, 3, [("capture", 1, 1350)])


def test_two_runs_at_once_ask_each_thread_once(memory: Memory, claude: ClaudeServer) -> None:
    class Meanwhile(Talks):
        def stated(self, thread: Thread) -> Stated | None:
            if not memory.beside.batches.all():
                stopped_after_sending(memory, claude, Talks(3))
            return None

    tally = batched(memory, claude, Meanwhile(3), Time())
    again = batched(memory, claude, Talks(3), Time())

    assert (tally.left, again.decisions, claude.batches.asked) == (3, 3, 3)


def test_a_thread_without_words_and_one_that_comes_twice_cost_nothing_more(
    memory: Memory, claude: ClaudeServer
) -> None:
    source = Talks(2)
    source.all.append(source.all[0])

    tally = batched(memory, claude, source, Time())

    assert (tally.decisions, claude.batches.asked) == (2, 2)
