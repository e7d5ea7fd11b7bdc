"""What the inbox promises to those who acknowledge deliveries on its word."""

from __future__ import annotations

import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from store.errors import SchemaTooNew, StoreError
from store.sql.beside import Beside
from store.sql.inbox import Inbox
from tests.builders_databases import beside_in, held_in

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


class Hand:
    """A clock moved by hand."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def later(self, **by: float) -> datetime:
        self.now += timedelta(**by)
        return self.now


@pytest.fixture
def clock() -> Hand:
    return Hand()


def test_a_delivery_is_kept_once_however_often_it_comes(beside: Beside) -> None:
    first = beside.inbox.insert("event:1", "mention", {"ts": "1.0"})

    again = beside.inbox.insert("event:1", "mention", {"ts": "1.0"})

    assert (first, again) == (True, False)
    assert beside.inbox.counts().waiting == 1


def test_a_delivery_survives_reopening(tmp_path: Path, beside: Beside, clock: Hand) -> None:
    beside.inbox.insert("event:1", "mention", {"text": "why?"})
    beside.close()

    again = beside_in(tmp_path, clock)
    claimed = again.inbox.claim(clock.now, 60)
    again.close()

    assert claimed is not None
    assert claimed.payload == {"text": "why?"}


def test_commands_are_claimed_before_messages_and_older_ones_first(beside: Beside, clock: Hand) -> None:
    for key, priority in (("capture", 3), ("message", 2), ("command:1", 1), ("command:2", 1)):
        beside.inbox.insert(key, "any", {}, priority=priority)

    order = [claimed.key for _ in range(4) if (claimed := beside.inbox.claim(clock.now, 60))]

    assert order == ["command:1", "command:2", "message", "capture"]


def test_a_claimed_row_is_nobody_elses_until_its_lease_runs_out(beside: Beside, clock: Hand) -> None:
    beside.inbox.insert("event:1", "any", {})
    beside.inbox.claim(clock.now, 60)

    meanwhile = beside.inbox.claim(clock.now, 60)
    after = beside.inbox.claim(clock.later(seconds=60), 60)

    assert meanwhile is None
    assert after is not None
    assert after.attempt == 2


def test_who_lost_the_lease_can_no_longer_finish(beside: Beside, clock: Hand) -> None:
    beside.inbox.insert("event:1", "any", {})
    late = beside.inbox.claim(clock.now, 60)
    beside.inbox.claim(clock.later(seconds=61), 60)

    assert late is not None
    assert beside.inbox.finish(late, "done") is False
    assert beside.inbox.counts().claimed == 1


def test_twenty_claimers_share_the_rows_without_overlap(beside: Beside, clock: Hand) -> None:
    for number in range(60):
        beside.inbox.insert(f"event:{number}", "any", {})
    taken: list[str] = []

    def work() -> None:
        while claimed := beside.inbox.claim(clock.now, 60):
            taken.append(claimed.key)

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(taken) == sorted(f"event:{number}" for number in range(60))


def test_a_finished_row_loses_its_text_at_once_and_keeps_its_key_seven_days(
    tmp_path: Path, beside: Beside, clock: Hand
) -> None:
    beside.inbox.insert("event:1", "any", {"text": "a very singular sentence"})
    claimed = beside.inbox.claim(clock.now, 60)
    assert claimed is not None

    beside.inbox.finish(claimed, "answered")
    beside.purge(clock.later(days=6))
    known = beside.inbox.insert("event:1", "any", {})
    held = held_in(tmp_path)
    beside.purge(clock.later(days=1, seconds=1))

    assert known is False
    assert b"singular" not in held
    assert beside.inbox.insert("event:1", "any", {}) is True


def test_a_failed_row_keeps_its_text_seven_days(beside: Beside, clock: Hand) -> None:
    beside.inbox.insert("event:1", "any", {"text": "why?"})
    claimed = beside.inbox.claim(clock.now, 60)
    assert claimed is not None

    beside.inbox.fail(claimed, "Permanent")
    kept = beside.inbox.purge(clock.later(days=6))
    gone = beside.inbox.purge(clock.later(days=1, seconds=1))

    assert (kept, gone) == (0, 1)


def test_a_row_put_back_is_due_at_its_time(beside: Beside, clock: Hand) -> None:
    beside.inbox.insert("event:1", "any", {})
    claimed = beside.inbox.claim(clock.now, 60)
    assert claimed is not None

    beside.inbox.retry(claimed, clock.now + timedelta(seconds=30), "Transient")
    early = beside.inbox.claim(clock.later(seconds=29), 60)

    assert beside.inbox.next_due() == NOON + timedelta(seconds=30)
    assert early is None
    assert beside.inbox.claim(clock.later(seconds=1), 60) is not None


@pytest.mark.sqlite_only
def test_a_dead_workers_rows_are_due_again_at_once(beside: Beside, clock: Hand) -> None:
    beside.inbox.insert("event:1", "any", {})
    beside.inbox.claim(clock.now, 3600)

    released = beside.inbox.release()

    assert released == 1
    assert beside.inbox.claim(clock.now, 60) is not None


def test_an_insert_of_what_is_due_soon_wakes_whoever_listens_and_a_redelivery_does_not(
    beside: Beside, clock: Hand
) -> None:
    woken: list[int] = []
    beside.inbox.on_insert(woken.append)

    beside.inbox.insert("event:1", "any", {}, priority=3)
    beside.inbox.insert("event:1", "any", {}, priority=3)
    beside.inbox.insert("event:2", "any", {}, due_at=clock.now + timedelta(seconds=Inbox.LOOKED_AT_S))

    assert woken == [3]


@pytest.mark.sqlite_only
def test_a_newer_schema_is_refused(tmp_path: Path, beside: Beside) -> None:
    with beside.inbox._file.transaction() as tx:
        tx.exec_driver_sql("PRAGMA user_version = 99")

    with pytest.raises(SchemaTooNew, match="schema 99"):
        beside_in(tmp_path)


def test_rows_of_one_series_are_worked_off_in_the_order_in_which_they_came(beside: Beside, clock: Hand) -> None:
    for key in ("given", "taken back"):
        beside.inbox.insert(key, "vote", {}, serial="C1/1.0/U1")
    beside.inbox.insert("another's", "vote", {}, serial="C1/1.0/U2")
    first, other = beside.inbox.claim(clock.now, 60), beside.inbox.claim(clock.now, 60)
    meanwhile = beside.inbox.claim(clock.now, 60)
    assert first is not None

    beside.inbox.retry(first, clock.now, "Transient")
    again = beside.inbox.claim(clock.now, 60)

    assert (first.key, other and other.key) == ("given", "another's")
    assert meanwhile is None
    assert again is not None
    assert again.key == "given"


def test_fifty_who_insert_at_once_each_learn_whether_theirs_was_new(beside: Beside) -> None:
    start = threading.Barrier(50)
    new: list[tuple[int, bool]] = []

    def insert(number: int) -> None:
        start.wait()
        new.append((number % 25, beside.inbox.insert(f"event:{number % 25}", "any", {})))

    threads = [threading.Thread(target=insert, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(number for number, fresh in new if fresh) == list(range(25))
    assert len(new) == 50
    assert beside.inbox.counts().waiting == 25


@pytest.mark.sqlite_only
def test_an_insert_that_fails_fails_for_all_who_joined_it_and_the_next_one_works(
    tmp_path: Path, beside: Beside
) -> None:
    with sqlite3.connect(tmp_path / "inbox.db", isolation_level=None) as other:
        other.execute("ALTER TABLE inbox RENAME TO away")
        with pytest.raises(StoreError):
            beside.inbox.insert("event:1", "any", {})
        other.execute("ALTER TABLE away RENAME TO inbox")
    other.close()

    assert beside.inbox.insert("event:1", "any", {})
