"""What is said to people unasked is planned once, said once and remembered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from store import Beside

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def _plan(
    beside: Beside, key: str, person: str = "U1", kind: str = "follow_up", ref: str = "d1", after: int = 0
) -> bool:
    return beside.nudges.plan(key, person=person, kind=kind, ref=ref, due_at=NOW + after * DAY)


def test_a_nudge_is_planned_once_under_its_key(beside: Beside) -> None:
    first = _plan(beside, "follow_up:d1:1")

    again = _plan(beside, "follow_up:d1:1", person="U2")

    assert (first, again) == (True, False)
    assert [one.person for one in beside.nudges.due(NOW)] == ["U1"]


def test_what_is_due_comes_by_person_longest_due_first_and_only_until_it_is_said(beside: Beside) -> None:
    for key, person, after in (("c", "U2", -3), ("b", "U1", -1), ("a", "U1", -2), ("later", "U1", 1)):
        _plan(beside, key, person=person, after=after)

    due = [one.key for one in beside.nudges.due(NOW)]
    beside.nudges.sent(["a", "b"], NOW)

    assert due == ["a", "b", "c"]
    assert [one.key for one in beside.nudges.due(NOW)] == ["c"]
    assert beside.nudges.last_sent("U1") == NOW
    assert beside.nudges.last_sent("U2") is None


def test_saying_it_twice_keeps_the_first_time(beside: Beside) -> None:
    _plan(beside, "a")
    beside.nudges.sent(["a"], NOW)

    beside.nudges.sent(["a"], NOW + DAY)

    assert beside.nudges.last_sent("U1") == NOW


def test_a_message_that_was_not_posted_lets_wait_what_it_was_to_say(beside: Beside) -> None:
    _plan(beside, "a")
    _plan(beside, "b")
    beside.nudges.sent(["a", "b"], NOW, message="nudge:U1")
    said = [one.key for one in beside.nudges.of_message("nudge:U1")]

    back = beside.nudges.unsent("nudge:U1")

    assert (said, back) == (["a", "b"], 2)
    assert [one.key for one in beside.nudges.due(NOW)] == ["a", "b"]
    assert beside.nudges.last_sent("U1") is None


def test_who_wants_no_more_of_a_kind_keeps_what_was_said_and_waits_for_nothing(beside: Beside) -> None:
    _plan(beside, "said")
    beside.nudges.sent(["said"], NOW)
    _plan(beside, "waits")
    _plan(beside, "offer", kind="offer")

    dropped = beside.nudges.drop_waiting("U1", "follow_up")

    assert dropped == 1
    assert [one.key for one in beside.nudges.of_person("U1")] == ["offer", "said"]


def test_erasing_a_decision_or_a_person_leaves_no_nudge_of_theirs(beside: Beside) -> None:
    _plan(beside, "a", ref="d1")
    _plan(beside, "b", ref="d2", person="U2")

    beside.forget_decision("d1")
    beside.nudges.forget_person("U2")

    assert beside.nudges.due(NOW) == ()
    assert beside.nudges.by_key("a") is None


def test_what_was_said_is_remembered_half_a_year(beside: Beside) -> None:
    _plan(beside, "a")
    beside.nudges.sent(["a"], NOW)

    beside.purge(NOW + 179 * DAY, keep_days=1)
    remembered = beside.nudges.by_key("a")
    beside.purge(NOW + 181 * DAY, keep_days=1)

    assert remembered is not None
    assert beside.nudges.by_key("a") is None
