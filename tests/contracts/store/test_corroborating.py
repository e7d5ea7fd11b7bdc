"""A decision that two places say is one with two places, or two that are linked where others may read the second."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from store import EVERYTHING, PUBLIC, WORKSPACE, Admission, Draft, Memory, Person, Place, Scope, State
from tests.builders_databases import held_in
from tests.builders_log import EXEC, LENA, OMAR, SEARCH, draft, memory_in, quote

KEYS = "Idempotency keys go to Postgres, partitioned by day"
AGAIN = "Keys for idempotency are stored in one Postgres partition per day"
TICKET = Place(source="jira", anchor="PAY-12", ref="PAY-12")
CHAT = Place(source="slack", anchor="C1/1.0")
RECORD = Place(source="adr", anchor="0005-keys.md", ref="adr:0005")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with closing(memory_in(tmp_path)) as opened:
        yield opened


def read(
    memory: Memory,
    title: str,
    place: Place,
    *,
    scope: Scope = WORKSPACE,
    basis: str = "1",
    words: str = "",
    thread: str = "",
    recorded_from: str = "capture",
    author: Person = LENA,
    **fields: object,
) -> tuple[str, ...]:
    """Read one draft at a place, as a capture does; returns the decisions that stand there then, by id."""
    said = quote(words or title, f"{place.anchor}/1", by=author)
    drafts: tuple[Draft, ...] = (draft(title, **{"evidence": (said,), **fields}),)
    if recorded_from == "capture":
        drafts = memory.said_elsewhere(place, drafts, scope=scope, thread=thread)
    admission = Admission(
        place=place, basis=basis, scope=scope, drafts=drafts, provenance="rules-1", pointed=True,
        recorded_from=recorded_from,
    )  # fmt: skip
    return tuple(one.id for one in memory.admit(admission).decisions)


def test_what_a_second_place_of_one_scope_says_again_is_one_decision_with_two_places(memory: Memory) -> None:
    (first,) = read(memory, KEYS, TICKET)

    second = read(memory, AGAIN, RECORD, decided_on=date(2026, 3, 9))

    found = memory.decisions(PUBLIC)
    assert second == (first,)
    assert [[place.anchor for place in one.places] for one in found] == [["PAY-12", "0005-keys.md"]]
    assert [each.quote for each in found[0].evidence] == [KEYS, AGAIN]
    assert memory.verify().faults == ()


def test_either_place_first_gives_one_decision_with_both_places(memory: Memory) -> None:
    read(memory, AGAIN, RECORD)

    read(memory, KEYS, TICKET)

    (found,) = memory.decisions(PUBLIC)
    assert {place.anchor for place in found.places} == {"PAY-12", "0005-keys.md"}
    assert {each.quote for each in found.evidence} == {KEYS, AGAIN}


def test_places_of_different_scope_are_two_decisions_that_are_shown_as_one_to_who_reads_both(memory: Memory) -> None:
    read(memory, KEYS, CHAT, scope=EXEC)

    read(memory, AGAIN, RECORD)

    assert [one.title for one in memory.decisions(PUBLIC)] == [AGAIN]
    assert [one.title for one in memory.decisions(EVERYTHING)] == [AGAIN]
    assert [one.places for one in memory.decisions(PUBLIC)] == [(RECORD,)]


def test_the_second_place_read_again_adds_nothing_but_new_words(memory: Memory) -> None:
    (first,) = read(memory, KEYS, TICKET)
    read(memory, AGAIN, RECORD)
    before = memory.digest(EVERYTHING)

    same = read(memory, AGAIN, RECORD)
    unchanged = memory.digest(EVERYTHING)
    again = read(memory, AGAIN, RECORD, basis="2", words=f"{AGAIN}, dropped after two days")

    assert (same, unchanged, again) == ((first,), before, (first,))
    (found,) = memory.decisions(PUBLIC)
    assert [each.quote for each in found.evidence] == [KEYS, AGAIN, f"{AGAIN}, dropped after two days"]
    assert [place.anchor for place in found.places] == ["PAY-12", "0005-keys.md"]


def test_a_second_place_that_says_something_else_now_states_a_decision_of_its_own(memory: Memory) -> None:
    (first,) = read(memory, KEYS, TICKET)
    read(memory, AGAIN, RECORD)

    there = read(memory, "Keys for idempotency are stored in Redis with a day to live", RECORD, basis="2")

    (other,) = set(there) - {first}
    assert {one.state for one in memory.decisions_by_ids([first, other], PUBLIC)} == {State.CURRENT}


def test_what_a_record_or_an_ingested_line_says_again_is_never_merged_by_rule(memory: Memory) -> None:
    read(memory, KEYS, TICKET)

    read(memory, AGAIN, RECORD, recorded_from="ingest")

    assert len(memory.decisions(PUBLIC)) == 2


def test_two_drafts_of_one_thread_are_not_both_what_one_decision_says(memory: Memory) -> None:
    (first,) = read(memory, KEYS, TICKET)
    drafts = (draft(AGAIN, evidence=(quote(AGAIN, "a"),)), draft(f"FYI: {AGAIN}", evidence=(quote(AGAIN, "b"),)))

    found = memory.said_elsewhere(RECORD, drafts, thread="")

    assert sorted(each.same_as for each in found) == ["", first]


def test_nothing_is_merged_with_what_was_replaced_or_removed_since_it_was_found(memory: Memory) -> None:
    (first,) = read(memory, KEYS, TICKET)
    (found,) = memory.said_elsewhere(RECORD, (draft(AGAIN, evidence=(quote(AGAIN, "a"),)),), thread="")
    memory.retract(first, by=LENA)

    memory.admit(
        Admission(place=RECORD, basis="1", scope=WORKSPACE, drafts=(found,), provenance="rules-1", pointed=True)
    )

    assert found.same_as == first
    assert {one.title: one.state for one in memory.decisions(PUBLIC)} == {
        KEYS: State.RETRACTED,
        AGAIN: State.CURRENT,
    }


def test_a_third_place_joins_the_one_of_its_scope_among_those_that_are_the_same(memory: Memory) -> None:
    read(memory, KEYS, CHAT, scope=SEARCH)
    (record,) = read(memory, AGAIN, RECORD)

    third = read(memory, KEYS, TICKET)

    assert third == (record,)
    assert len(memory.decisions(PUBLIC)) == 1
    assert [place.anchor for place in memory.decisions_by_ids([record], PUBLIC)[0].places] == ["0005-keys.md", "PAY-12"]


def test_a_place_goes_along_when_a_decision_is_worded_anew_and_its_words_keep_their_place(memory: Memory) -> None:
    (first,) = read(memory, KEYS, TICKET)
    read(memory, AGAIN, RECORD)

    new = memory.revise(first, draft(f"{KEYS}: two days of them"), by=LENA)

    (found,) = memory.decisions_by_ids([new], PUBLIC)
    assert [place.anchor for place in found.places] == ["PAY-12", "0005-keys.md"]
    assert [each.quote for each in found.evidence] == [KEYS, AGAIN]
    assert memory.redact_turn("adr", "0005-keys.md/1") > 0
    assert [each.quote for each in memory.decisions_by_ids([new], PUBLIC)[0].evidence] == [KEYS]


def test_what_was_no_place_of_a_decision_becomes_its_own_and_is_never_merged_again(memory: Memory) -> None:
    (first,) = read(memory, KEYS, TICKET)
    read(memory, AGAIN, RECORD)

    own = memory.withdraw_place(first, RECORD, by=LENA)
    twice = memory.withdraw_place(first, RECORD, by=LENA)
    there = read(memory, AGAIN, RECORD, basis="2")

    assert own is not None
    assert (twice, first in there) == (None, False)
    one, other = memory.decisions_by_ids([first, own], PUBLIC)
    assert ([each.quote for each in one.evidence], one.places) == ([KEYS], (TICKET,))
    assert ([each.quote for each in other.evidence], other.places) == ([AGAIN], (RECORD,))
    assert memory.verify().faults == ()
    before = memory.digest(EVERYTHING)
    memory.rebuild()
    assert memory.digest(EVERYTHING) == before


def test_two_that_are_held_apart_are_two_again_and_are_never_linked_again(memory: Memory) -> None:
    (one,) = read(memory, KEYS, CHAT, scope=SEARCH)
    (other,) = read(memory, AGAIN, RECORD)

    said = [memory.hold_apart(one, other, by=LENA), memory.hold_apart(one, other, by=LENA)]
    read(memory, AGAIN, RECORD, basis="2", words=f"{AGAIN}, as before")

    assert said == [True, False]
    assert len(memory.decisions(PUBLIC)) == 2
    assert memory.hold_apart(one, read(memory, "Logs go to Loki", TICKET)[0], by=LENA) is False


def test_a_place_whose_words_are_erased_is_no_place_of_the_decision_any_more_until_it_says_it_again(
    memory: Memory,
) -> None:
    (first,) = read(memory, KEYS, TICKET)
    read(memory, AGAIN, RECORD)

    memory.redact_turn("adr", "0005-keys.md/1")

    (found,) = memory.decisions(PUBLIC)
    assert (found.id, found.places, [each.quote for each in found.evidence]) == (first, (TICKET,), [KEYS])
    drafts = memory.said_elsewhere(RECORD, (draft(AGAIN, evidence=(quote(f"{AGAIN}!", "0005-keys.md/2"),)),), thread="")
    memory.admit(Admission(place=RECORD, basis="2", scope=WORKSPACE, drafts=drafts, provenance="rules-1", pointed=True))
    (again,) = memory.decisions(PUBLIC)
    assert ([place.anchor for place in again.places], len(again.evidence)) == (["PAY-12", "0005-keys.md"], 2)


def test_where_the_first_place_is_erased_the_others_say_the_decision_in_their_own_words(memory: Memory) -> None:
    (old,) = read(memory, "Logs go to files", Place(source="jira", anchor="PAY-1", ref="PAY-1"))
    (first,) = read(memory, KEYS, TICKET, supersedes=(old,))
    read(memory, AGAIN, RECORD)
    read(memory, f"{KEYS}.", Place(source="zoom", anchor="call.vtt", ref="call.vtt"), words="Keys by day, in Postgres")

    memory.redact_turn("jira", "PAY-12/1")

    standing = [one for one in memory.decisions(PUBLIC) if one.state is State.CURRENT]
    assert [(one.title, [place.anchor for place in one.places]) for one in standing] == [
        (AGAIN, ["0005-keys.md", "call.vtt"])
    ]
    assert [each.quote for each in standing[0].evidence] == [AGAIN, "Keys by day, in Postgres"]
    assert memory.tombstone(first, PUBLIC) is not None
    assert memory.verify().faults == ()


def test_a_forgotten_decision_goes_from_all_its_places_and_none_of_them_is_captured_again(memory: Memory) -> None:
    (first,) = read(memory, KEYS, TICKET)
    read(memory, AGAIN, RECORD)

    memory.forget_decision(first)

    assert memory.decisions(PUBLIC) == ()
    assert [memory.forgotten(place) for place in (TICKET, RECORD)] == [True, True]


def test_what_somebody_said_in_one_more_place_is_forgotten_with_them(memory: Memory, tmp_path: Path) -> None:
    read(memory, KEYS, TICKET)
    read(memory, AGAIN, RECORD, words=f"{AGAIN}, says zanzibar", author=OMAR)

    done = memory.forget_person(OMAR)

    assert done.quotes == 1
    assert [[place.anchor for place in one.places] for one in memory.decisions(PUBLIC)] == [["PAY-12"]]
    assert memory.verify().faults == ()
    memory.close()
    assert b"zanzibar" not in held_in(tmp_path)


def test_words_of_a_channel_that_closed_unnoticed_are_shown_to_nobody_outside(memory: Memory) -> None:
    (first,) = read(memory, KEYS, TICKET, scope=SEARCH)

    second = read(memory, AGAIN, CHAT, scope=Scope(id=SEARCH.id, open=False))

    assert second == (first,)
    assert memory.decisions(PUBLIC) == ()
    assert memory.verify().faults == ()


def test_an_heir_is_not_about_what_only_the_erased_words_name(memory: Memory, tmp_path: Path) -> None:
    about = ("db:postgres", "service:zanzi-bar", "project:shop")
    read(memory, KEYS, TICKET, elements=about, words=f"For Zanzi-Bar: {KEYS}")
    read(memory, AGAIN, RECORD)

    memory.redact_turn("jira", "PAY-12/1")

    (heir,) = memory.decisions(PUBLIC)
    assert (heir.title, heir.elements) == (AGAIN, ("db:postgres", "project:shop"))
    memory.close()
    assert b"zanzi" not in held_in(tmp_path).lower()


def test_two_that_only_a_closed_channel_links_are_two_to_who_can_not_read_it(memory: Memory) -> None:
    read(memory, KEYS, RECORD)
    (closed,) = read(memory, AGAIN, CHAT, scope=EXEC)

    (other,) = read(memory, AGAIN, Place(source="adr", anchor="0009-keys.md", ref="adr:0009"), scope=SEARCH)

    assert {one.title for one in memory.decisions(PUBLIC)} == {KEYS, AGAIN}
    new = memory.revise(other, draft(f"{AGAIN}, dropped after two"), by=LENA)
    assert len(memory.decisions(PUBLIC, state=State.CURRENT)) == 2
    assert new in {one.id for one in memory.same_elsewhere(closed, EVERYTHING)}


def test_what_a_closed_channel_replaced_is_joined_by_who_can_not_read_that(memory: Memory) -> None:
    sets = (("service:pay", "keys", "postgres"),)
    (first,) = read(memory, KEYS, TICKET, sets=sets)
    redis = (("service:pay", "keys", "redis"),)
    read(memory, "Everything goes to Redis", CHAT, scope=EXEC, sets=redis, decided_on=date(2026, 3, 7))

    second = read(memory, AGAIN, RECORD)

    assert second == (first,)
    assert [[place.anchor for place in one.places] for one in memory.decisions(PUBLIC)] == [["PAY-12", "0005-keys.md"]]
