"""Batches: noted with what they may cost at once, no thread in two, gone with what they were about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from store import Batch, BatchedThread, Spent
from store.sql.beside import Beside

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ONE = BatchedThread(custom_id="a", source="slack", anchor="C1/1", scope="channel:C1")
TWO = BatchedThread(custom_id="b", source="jira", anchor="ENG-1", scope="workspace")


def noted(beside: Beside, *threads: BatchedThread, tokens: int = 400) -> int | None:
    return beside.batches.note(threads, month="2026-11", purpose="capture", tokens=tokens, most=1000, at=NOON)


def test_a_batch_is_noted_with_its_cost_named_settled_and_dropped(beside: Beside) -> None:
    batch = noted(beside, ONE, TWO)
    assert batch is not None
    set_aside = beside.spending.taken("2026-11")

    for _ in range(2):
        beside.batches.sent(batch, "msgbatch_1")
        beside.batches.settle(batch, tokens=90, calls=2)
        beside.batches.done(batch, ["a"])

    assert set_aside == 400
    assert beside.batches.all() == (Batch(id=batch, given_id="msgbatch_1", noted_at=NOON, size=2, settled=True),)
    assert beside.batches.threads(batch) == (TWO,)
    assert beside.spending.of_month("2026-11") == (Spent(purpose="capture", calls=2, tokens=90, refused=0),)
    beside.batches.drop(batch)
    beside.batches.settle(batch, tokens=90, calls=2)
    assert (beside.batches.all(), beside.batches.threads(batch)) == ((), ())


def test_neither_a_thread_of_another_batch_nor_one_too_dear_is_noted_and_nothing_is_set_aside(beside: Beside) -> None:
    noted(beside, ONE)

    again, dear = noted(beside, TWO, ONE), noted(beside, TWO, tokens=601)

    assert (again, dear, len(beside.batches.all()), beside.spending.taken("2026-11")) == (None, None, 1, 400)


def test_what_was_forgotten_is_in_no_batch_and_old_ones_go(beside: Beside) -> None:
    batch = noted(beside, ONE, TWO)
    assert batch is not None

    places, channels = beside.forget_place("jira", "ENG-1"), beside.forget_channel("C1", decisions=())

    assert (places, channels, beside.batches.threads(batch)) == (1, 1, ())
    beside.purge(NOON + timedelta(days=32))
    assert beside.batches.all() == ()
    noted(beside, ONE)
    beside.clear()
    assert beside.batches.all() == ()
