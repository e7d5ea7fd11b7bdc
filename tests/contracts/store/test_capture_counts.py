"""What became of captures, as a workspace's own record: kept, removed, or waiting for a word."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from bot.offline import NAME, OfflineExtractor, learned_threshold
from store import EVERYTHING, RECORDED_AT, Place
from tests.builders_log import LENA, admission, draft, memory_in


def test_captures_that_people_kept_and_removed_are_counted_by_confidence(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    unsure = draft("Retries stay at three", confidence=60)
    memory.admit(admission(draft("Search stays on Postgres", confidence=92), anchor="C1/1.0", pointed=False))
    memory.admit(admission(unsure, anchor="C1/2.0", pointed=False))
    removed = memory.admit(admission(draft("Lunch is at noon", confidence=92), anchor="C1/3.0", pointed=False)).new[0]
    memory.retract(removed, by=LENA)

    while_waiting = memory.capture_counts(NAME)
    memory.confirm(memory.at_place("slack", "C1/2.0", reader=EVERYTHING)[0].id, by=LENA)

    assert while_waiting == ((NAME, 60, 0, 0), (NAME, 92, 0, 1))
    assert memory.capture_counts(NAME) == ((NAME, 60, 1, 0), (NAME, 92, 0, 1))
    memory.close()


def test_many_removals_make_the_rules_ask_more_often() -> None:
    counts = ((NAME, 90, 4, 16), (NAME, 95, 30, 1))

    threshold = learned_threshold(counts)

    assert threshold > RECORDED_AT
    assert OfflineExtractor(threshold=threshold).name == f"{NAME}/{threshold}"


def test_what_was_stored_under_a_moved_threshold_is_read_on_the_scale_of_the_rules() -> None:
    moved = ((f"{NAME}/84", 90, 30, 0), (f"{NAME}/84", 92, 20, 0))

    assert learned_threshold(moved) <= learned_threshold(((NAME, 95, 30, 0), (NAME, 97, 20, 0)))


def test_a_handful_of_captures_moves_nothing() -> None:
    assert learned_threshold(((NAME, 92, 0, 3),)) == RECORDED_AT


def test_a_channels_captures_count_as_kept_or_removed_by_what_people_did(tmp_path: Path) -> None:
    now = [datetime(2026, 3, 4, 12, tzinfo=UTC)]
    memory = memory_in(tmp_path, clock=lambda: now[0])

    def capture(title: str, anchor: str, confidence: int, day: date = date(2026, 3, 4)) -> str:
        one = replace(draft(title, confidence=confidence), decided_on=day)
        return memory.admit(admission(one, anchor=anchor, pointed=False)).new[0]

    capture("Search stays on Postgres", "C1/1.0", 92)
    capture("Mail goes by courier", "C1/2.0", 92, day=date(2025, 3, 4))
    capture("Lunch is at noon", "C1/3.0", 60)
    confirmed, removed = capture("Retries stay at three", "C1/4.0", 60), capture("Bus goes at nine", "C1/5.0", 92)
    discarded = capture("Cats are better", "C1/6.0", 60)
    memory.confirm(confirmed, by=LENA)
    memory.retract(removed, by=LENA)
    memory.discard(discarded, by=LENA)
    scope = memory.at_place("slack", "C1/1.0", EVERYTHING)[0].scope

    at_once = memory.captures_in(scope, source="slack")
    now[0] += timedelta(days=15)
    later = memory.captures_in(scope, source="slack")

    assert sorted(at_once) == [False, False, True]
    assert sorted(later) == [False, False, True, True]
    assert memory.at_place("slack", "C1/6.0", EVERYTHING) == ()
    assert not memory.forgotten(Place(source="slack", anchor="C1/6.0"))
    memory.close()
