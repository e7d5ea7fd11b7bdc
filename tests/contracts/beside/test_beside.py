"""What is kept of answers, posts, waiting threads and memberships, and how it is erased."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from store.core.beside import BackfillRun, Post, Trajectory
from store.core.model import NOBODY, Person, Scope
from store.errors import StoreBusy
from store.sql.beside import Beside
from tests.builders_databases import beside_in, held_in

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
ANSWER = Trajectory(
    session="s1",
    question="why Postgres?",
    answer={"response": "a very singular sentence"},
    asker_id="U1",
    asked_at=NOON,
    main="d1",
    refs=("d1", "C1/1.0"),
)
CARD = Post(
    key="card:C1/1.0",
    kind="card",
    channel="C1",
    ts="",
    thread_ts="1.0",
    ref="C1/1.0",
    decisions=("d1", "d2"),
    body={"text": "a very singular sentence"},
    planned_at=NOON,
)


def test_an_answer_is_kept_once_and_found_by_its_session(beside: Beside) -> None:
    beside.sessions.record(ANSWER)

    again = beside.sessions.record(replace(ANSWER, question="another?"))

    assert again is False
    assert beside.sessions.get("s1") == replace(ANSWER, refs=("C1/1.0", "d1"))


@pytest.mark.parametrize("what", ["turn", "decision"])
def test_erasing_what_an_answer_quotes_leaves_no_text_of_it_in_any_file(
    tmp_path: Path, beside: Beside, what: str
) -> None:
    beside.sessions.record(ANSWER)
    beside.posts.plan(CARD)
    beside.posts.plan(replace(CARD, key="answer:1", kind="answer", ref="s1", decisions=()))

    hit = beside.forget_turn("C1/1.0", decisions=["d1"]) if what == "turn" else beside.forget_decision("d1")

    kept = beside.sessions.get("s1")
    assert hit == 3
    assert kept is not None
    assert kept.answer is None
    assert kept.main == "d1"
    assert b"singular" not in held_in(tmp_path)


def test_what_is_noted_beside_a_sent_post_stays_when_a_decision_on_it_is_erased(beside: Beside) -> None:
    beside.posts.plan(CARD)
    beside.posts.sent(CARD.key, "5.0")
    beside.posts.note(CARD.key, {"marks": {"d2": ["removed", "U1"]}})

    beside.forget_decision("d1")

    noted = beside.posts.by_key(CARD.key)
    assert noted is not None
    assert noted.body == {"marks": {"d2": ["removed", "U1"]}}


def test_the_words_of_a_post_that_never_could_be_sent_go_within_two_days(tmp_path: Path, beside: Beside) -> None:
    beside.posts.plan(replace(CARD, key="asked:s1:C1", kind="asked", decisions=()))

    beside.purge(NOON + timedelta(hours=25))

    assert beside.posts.by_key("asked:s1:C1") is not None
    assert b"singular" not in held_in(tmp_path)


def test_forgetting_a_person_takes_their_question_from_a_post_that_was_not_sent(tmp_path: Path, beside: Beside) -> None:
    beside.sessions.record(replace(ANSWER, question="a very singular sentence", answer=None, refs=()))
    beside.posts.plan(replace(CARD, key="asked:s1:C1", kind="asked", ref="s1", decisions=()))

    beside.forget_person(Person(id="U1", name="Mia"), named=())

    assert b"singular" not in held_in(tmp_path)


def test_erasing_a_message_ends_the_delivery_that_holds_it(beside: Beside) -> None:
    beside.inbox.insert("mention:1", "mention", {"text": "secret"}, about="C1/9.0")

    hit = beside.forget_turn("C1/9.0")

    assert hit == 1
    assert beside.inbox.claim(NOON, 60) is None
    assert beside.inbox.result("mention:1") == "erased"


def test_answers_are_forgotten_after_their_retention_and_cards_stay(beside: Beside) -> None:
    beside.sessions.record(ANSWER)
    beside.posts.plan(CARD)
    beside.posts.plan(replace(CARD, key="answer:1", kind="answer"))
    beside.posts.plan(replace(CARD, key="asked:1", kind="asked"))

    beside.purge(NOON + timedelta(days=91))

    assert beside.sessions.get("s1") is None
    assert beside.posts.by_key("answer:1") is None
    assert beside.posts.by_key("asked:1") is None
    assert beside.posts.by_key("card:C1/1.0") is not None


def test_a_post_is_planned_once_and_found_by_place_and_decision_once_sent(beside: Beside) -> None:
    fresh = beside.posts.plan(CARD)
    again = beside.posts.plan(CARD)

    beside.posts.sent(CARD.key, "5.0")

    sent = replace(CARD, ts="5.0", body=None)
    assert (fresh, again) == (True, False)
    assert beside.posts.by_ts("C1", "5.0") == sent
    assert beside.posts.for_decision("d2") == (sent,)


def test_an_edited_card_shows_other_decisions(beside: Beside) -> None:
    beside.posts.plan(CARD)

    beside.posts.shows(CARD.key, ["d3"])

    assert beside.posts.for_decision("d1") == ()
    assert [post.key for post in beside.posts.for_decision("d3")] == [CARD.key]


def test_a_thread_waits_from_its_latest_message_and_old_news_change_nothing(beside: Beside) -> None:
    beside.watch.touch("C1", "1.0", "1.0", NOON)
    beside.watch.touch("C1", "1.0", "3.0", NOON + timedelta(minutes=10))
    beside.watch.touch("C1", "1.0", "2.0", NOON + timedelta(minutes=5))

    early = beside.watch.due(NOON + timedelta(minutes=9))
    due = beside.watch.due(NOON + timedelta(minutes=10))

    assert early == ()
    assert [(thread.last_ts, thread.round) for thread in due] == [("3.0", 0)]


def test_a_thread_read_while_somebody_writes_keeps_waiting(beside: Beside) -> None:
    beside.watch.touch("C1", "1.0", "1.0", NOON)
    (read,) = beside.watch.due(NOON)
    beside.watch.touch("C1", "1.0", "2.0", NOON)

    done, again = beside.watch.done(read), beside.watch.again(read, NOON)

    assert (done, again) == (False, False)
    assert len(beside.watch.due(NOON)) == 1


def test_members_read_open_channels_and_guests_only_theirs(beside: Beside) -> None:
    beside.members.put_person("U1", name="Lena", kind="member", at=NOON)
    beside.members.put_person("U2", name="Guest", kind="guest", at=NOON)
    beside.members.put_channel("C1", name="search", open=True, members=["U1", "U2"], at=NOON)
    beside.members.put_channel("C2", name="exec", open=False, members=["U1"], at=NOON)

    lena, guest, stranger = (beside.members.reader_of(who) for who in ("U1", "U2", "U9"))

    assert lena.may_read(Scope(id="channel:C9", open=True))
    assert lena.may_read(Scope(id="channel:C2", open=False))
    assert guest.may_read(Scope(id="channel:C1", open=True))
    assert not guest.may_read(Scope(id="channel:C9", open=True))
    assert stranger == NOBODY


def test_nothing_is_left_of_a_workspace_that_is_gone(tmp_path: Path, beside: Beside) -> None:
    beside.sessions.record(ANSWER)
    beside.posts.plan(CARD)
    beside.inbox.insert("event:1", "any", {"text": "a very singular sentence"})

    beside.clear()

    assert beside.inbox.counts().waiting == 0
    assert b"singular" not in held_in(tmp_path)


@pytest.mark.sqlite_only
def test_one_process_works_an_inbox_off_at_a_time(tmp_path: Path, beside: Beside) -> None:
    beside.take_work()
    other = beside_in(tmp_path)

    with pytest.raises(StoreBusy, match="another process works this inbox off"):
        other.take_work()
    beside.close()
    other.take_work()
    other.close()


def test_a_person_or_channel_is_found_by_id_or_by_a_name_that_is_theirs_alone(beside: Beside) -> None:
    for person, name in (("U1", "Lena"), ("U2", "Omar"), ("U3", "Omar")):
        beside.members.put_person(person, name=name, kind="member", at=NOON, active=person != "U3")
    beside.members.put_channel("C1", name="search", open=True, members=["U1"], at=NOON)

    people = [beside.members.find_person(named) for named in ("U2", "Lena", "@Lena", "Omar", "Nobody")]
    channels = [beside.members.find_channel(named) for named in ("C1", "#search", "search", "exec")]

    assert people == ["U2", "U1", "U1", None, None]
    assert channels == [("C1", "search", True)] * 3 + [None]
    assert [beside.members.active(person) for person in ("U1", "U3", "U9")] == [True, False, False]


def test_a_run_that_was_broken_off_is_remembered_until_one_ends(beside: Beside) -> None:
    kept = beside.backfills
    run = BackfillRun(began_at=NOON, since=None, reached="1.0")
    kept.reached("slack", "C1", replace(run, reached="9.0"))
    kept.reached("slack", "C1", run)

    before = kept.broken("slack", "C1"), kept.read_at("slack", "C1"), kept.broken("slack", "C2")
    kept.ended("slack", "C1", NOON)
    kept.ended("slack", "C1", NOON)

    assert before == (run, None, None)
    assert (kept.broken("slack", "C1"), kept.read_at("slack", "C1")) == (None, NOON)
    assert (kept.clear(), kept.read_at("slack", "C1")) == (1, None)
