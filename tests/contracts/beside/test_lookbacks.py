"""A reading of a channel's past goes on where it was, whatever stopped it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from store import LookBacks
from tests.builders_databases import beside_in

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def lookbacks(tmp_path: Path) -> Iterator[LookBacks]:
    beside = beside_in(tmp_path, lambda: NOW)
    yield beside.lookbacks
    beside.close()


def begun(lookbacks: LookBacks, run: str = "C1-1") -> str:
    lookbacks.begin(run, channel="C1", person="U1", oldest="1.0", at=NOW)
    return run


def test_pages_are_listed_once_and_the_last_one_ends_the_listing(lookbacks: LookBacks) -> None:
    run = begun(lookbacks)

    lookbacks.listed(run, [("9.0", 2), ("8.0", 0)], cursor="next")
    lookbacks.listed(run, [("9.0", 2), ("8.0", 0)], cursor="next")
    between = lookbacks.get(run)
    lookbacks.listed(run, [("7.0", 5)], cursor="")
    after = lookbacks.get(run)

    assert between is not None
    assert (between.state, between.cursor, between.threads) == ("listing", "next", 2)
    assert after is not None
    assert (after.state, after.threads, after.read) == ("listed", 3, 0)
    assert after.answered == 2
    assert lookbacks.spread(run, limit=5) == ("9.0", "7.0")


def test_what_was_read_is_not_read_again_and_a_verdict_stands(lookbacks: LookBacks) -> None:
    run = begun(lookbacks)
    lookbacks.listed(run, [("9.0", 2), ("8.0", 1)], cursor="")

    lookbacks.read(run, "9.0", ["d1", "d2"])
    judged = [lookbacks.judge(run, "d1", "kept"), lookbacks.judge(run, "d1", "not kept")]
    lookbacks.read(run, "9.0", ["d1", "d2"])

    seen = lookbacks.get(run)
    assert judged == [True, False]
    assert lookbacks.left(run, limit=10) == (("8.0", 1),)
    assert lookbacks.waiting(run) == ("d2",)
    assert seen is not None
    assert (seen.read, seen.found, seen.kept, seen.waiting) == (1, 2, 1, 1)


def test_the_latest_run_of_a_channel_is_known_and_old_ones_and_a_persons_are_forgotten(lookbacks: LookBacks) -> None:
    begun(lookbacks)
    lookbacks.begin("C1-2", channel="C1", person="U2", oldest="1.0", at=NOW + timedelta(days=1))
    lookbacks.listed("C1-2", [("9.0", 2)], cursor="")

    again = lookbacks.begin("C1-2", channel="C1", person="U2", oldest="1.0", at=NOW)
    latest = lookbacks.latest("C1")
    purged, forgotten = lookbacks.purge(NOW + timedelta(hours=1)), lookbacks.forget_person("U2")

    assert not again
    assert latest is not None
    assert latest.run == "C1-2"
    assert (purged, forgotten) == (1, 1)
    assert lookbacks.left("C1-2", limit=10) == ()
    assert lookbacks.clear() == 0
