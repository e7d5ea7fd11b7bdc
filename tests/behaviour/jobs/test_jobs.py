"""What the worker promises about each delivery."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.errors import Permanent, Transient
from bot.jobs import ASKED, CAPTURES, QUICK, Handler, Worker, backoff_s, reference
from store import Beside, Delivery

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


class Hand:
    """A clock moved by hand."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def beside(tmp_path: Path, clock: Hand) -> Iterator[Beside]:
    opened = Beside.open(tmp_path / "inbox.db", clock)
    yield opened
    opened.close()


@pytest.fixture
def work(beside: Beside, clock: Hand) -> Callable[..., Worker]:
    def build(handlers: Mapping[str, Handler], **more: object) -> Worker:
        return Worker(beside.inbox, handlers, clock=clock, **more)  # type: ignore[arg-type]

    return build


def raising(error: Exception) -> Handler:
    def handler(_delivery: Delivery) -> str:
        raise error

    return handler


def setting(event: threading.Event) -> Handler:
    def handler(_delivery: Delivery) -> str:
        event.set()
        return "done"

    return handler


def test_a_delivery_is_worked_off_once_and_its_result_kept(beside: Beside, work: Callable[..., Worker]) -> None:
    beside.inbox.insert("a", "greet", {"to": "Lena"})

    tries = work({"greet": lambda delivery: f"greeted {delivery.payload['to']}"}).drain()

    assert tries == 1
    assert beside.inbox.result("a") == "greeted Lena"


def test_who_asks_for_patience_gets_it(beside: Beside, clock: Hand, work: Callable[..., Worker]) -> None:
    beside.inbox.insert("a", "greet", {})

    work({"greet": raising(Transient("busy", retry_after_s=30))}).drain()

    assert beside.inbox.next_due() == NOON + timedelta(seconds=30)


def test_waits_grow_and_end_at_ten_minutes() -> None:
    waits = [backoff_s(attempt) for attempt in range(1, 7)]

    assert waits == [2, 8, 32, 128, 512, 600]


def test_what_stays_away_is_given_up_after_eight_tries(
    beside: Beside, clock: Hand, work: Callable[..., Worker]
) -> None:
    beside.inbox.insert("a", "greet", {})
    told: list[str] = []
    worker = work(
        {"greet": raising(Transient("away"))}, failed=lambda delivery, ref: told.append(f"{delivery.key} {ref}")
    )

    tries = 0
    while (due := beside.inbox.next_due()) is not None:
        clock.now = max(clock.now, due)
        tries += worker.drain()

    assert tries == 8
    assert beside.inbox.counts().failed == 1
    assert [line.split()[0] for line in told] == ["a"]


@pytest.mark.parametrize(("error", "tries"), [(Permanent("no"), 1), (ValueError("a bug"), 2)])
def test_what_will_not_get_better_is_given_up_soon(
    beside: Beside, clock: Hand, work: Callable[..., Worker], error: Exception, tries: int
) -> None:
    beside.inbox.insert("a", "greet", {})
    worker = work({"greet": raising(error)})

    done = worker.drain()
    clock.now += timedelta(hours=1)
    done += worker.drain()

    assert done == tries
    assert beside.inbox.counts().failed == 1


def test_a_bad_delivery_does_not_stop_the_others(beside: Beside, work: Callable[..., Worker]) -> None:
    beside.inbox.insert("bad", "bad", {})
    beside.inbox.insert("good", "greet", {})

    work({"bad": raising(ValueError("a bug")), "greet": lambda _delivery: "greeted"}).drain()

    assert beside.inbox.result("good") == "greeted"


def test_a_delivery_of_an_unknown_kind_fails_and_says_so(beside: Beside, work: Callable[..., Worker]) -> None:
    beside.inbox.insert("a", "no such kind", {})

    work({}).drain()

    assert beside.inbox.result("a") == "no handler of that kind"


def test_what_a_dead_process_had_claimed_is_worked_off_when_one_starts(
    beside: Beside, clock: Hand, work: Callable[..., Worker]
) -> None:
    beside.inbox.insert("a", "greet", {})
    beside.inbox.claim(clock.now, 3600)
    done = threading.Event()

    worker = work({"greet": setting(done)})
    worker.start()

    assert done.wait(10)
    assert worker.stop()


def test_urgent_rows_do_not_wait_behind_slow_ones(beside: Beside, work: Callable[..., Worker]) -> None:
    release, urgent = threading.Event(), threading.Event()
    handlers: dict[str, Handler] = {
        "slow": lambda _delivery: str(release.wait(10)),
        "urgent": setting(urgent),
    }
    worker = work(handlers, lanes={QUICK: 1, ASKED: 1, CAPTURES: 1})
    worker.start()

    for number in range(5):
        beside.inbox.insert(f"slow{number}", "slow", {}, priority=CAPTURES)
        beside.inbox.insert(f"asked{number}", "slow", {}, priority=ASKED)
    beside.inbox.insert("urgent", "urgent", {}, priority=QUICK)

    assert urgent.wait(10)
    release.set()
    assert worker.stop()


def test_stopping_ends_what_runs_and_leaves_the_rest_in_the_inbox(beside: Beside, work: Callable[..., Worker]) -> None:
    begun, release = threading.Event(), threading.Event()

    def slow(_delivery: Delivery) -> str:
        begun.set()
        release.wait(10)
        return "done"

    worker = work({"slow": slow}, lanes={CAPTURES: 1})
    beside.inbox.insert("first", "slow", {})
    beside.inbox.insert("second", "slow", {})
    worker.start()
    begun.wait(10)
    threading.Timer(0.05, release.set).start()

    stopped = worker.stop()

    assert stopped
    assert (beside.inbox.result("first"), beside.inbox.counts().waiting) == ("done", 1)


def test_a_reference_is_short_and_the_same_each_time() -> None:
    delivery = Delivery(id=77, key="a", kind="b", payload={}, priority=0, attempt=1, received_at=NOON)

    assert reference(delivery) == reference(delivery)
    assert len(reference(delivery)) == 4
