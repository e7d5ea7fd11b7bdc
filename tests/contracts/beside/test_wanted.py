"""What is kept of who waits to be told, and of who was told what was turned down before: ids, and not for ever."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from store import Person, Wish
from store.sql.beside import Beside
from tests.builders_databases import beside_in

NOW = datetime(2026, 11, 1, 9, tzinfo=UTC)


def test_a_wish_is_kept_once_over_a_restart_until_it_is_met(tmp_path: Path, beside: Beside) -> None:
    wish = Wish(session="s1", person="U1", wished_at=NOW)
    first, again = beside.wanted.add(wish), beside.wanted.add(wish)
    beside.wanted.looked(wish, 7)

    reopened = beside_in(tmp_path, lambda: NOW)

    assert (first, again) == (True, False)
    assert reopened.wanted.behind(7) == ()
    assert [one.session for one in reopened.wanted.behind(8)] == ["s1"]
    assert reopened.wanted.drop("s1", "U1")
    assert not reopened.wanted.drop("s1", "U1")
    assert reopened.wanted.behind(8) == ()
    reopened.close()


def test_whoever_asks_the_team_after_wishing_waits_for_their_answers_too(beside: Beside) -> None:
    beside.wanted.add(Wish(session="s1", person="U1", wished_at=NOW))

    beside.wanted.add(Wish(session="s1", person="U1", wished_at=NOW, anchor="C1/1.1"))

    assert [one.anchor for one in beside.wanted.behind(1)] == ["C1/1.1"]


def test_a_wish_ends_with_its_questions_retention_and_with_its_person(beside: Beside) -> None:
    for session, person, days in (("old", "U1", 91), ("mine", "U1", 1), ("theirs", "U2", 1)):
        beside.wanted.add(Wish(session=session, person=person, wished_at=NOW - timedelta(days=days)))

    beside.purge(NOW, keep_days=90)
    left = [one.session for one in beside.wanted.behind(1)]
    beside.forget_person(Person(name="Una", id="U1"), named=())

    assert left == ["mine", "theirs"]
    assert [one.session for one in beside.wanted.behind(1)] == ["theirs"]


def test_somebody_is_told_of_a_decision_once_and_what_they_said_to_it_is_kept(beside: Beside) -> None:
    first = beside.raised.tell("U1", "d1", NOW)
    again = beside.raised.tell("U1", "d1", NOW + timedelta(days=1))

    assert (first, again) == (True, False)
    assert beside.raised.last_told("U1") == NOW
    assert beside.raised.replied("U1", "d1", "different now")
    assert not beside.raised.replied("U2", "d1", "different now")


def test_what_somebody_was_told_goes_with_the_decision_the_person_and_the_workspace(beside: Beside) -> None:
    for person, decision in (("U1", "d1"), ("U1", "d2"), ("U2", "d2"), ("U3", "d3")):
        beside.raised.tell(person, decision, NOW)

    beside.forget_decision("d1")
    beside.forget_person(Person(name="Una", id="U2"), named=())
    kept = [(person, name) for person in ("U1", "U2", "U3") for name in ("d1", "d2", "d3")
            if beside.raised.replied(person, name, "other thing")]  # fmt: skip
    beside.clear()

    assert kept == [("U1", "d2"), ("U3", "d3")]
    assert beside.raised.last_told("U3") is None
