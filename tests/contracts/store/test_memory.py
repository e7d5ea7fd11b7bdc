"""What a memory promises to those who write to it and read from it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from store import (
    EVERYTHING,
    NOBODY,
    PUBLIC,
    WORKSPACE,
    Admission,
    LogDamaged,
    Memory,
    Person,
    Place,
    Reader,
    SchemaTooNew,
    State,
    Status,
    Trajectory,
    UnknownDecision,
    Verdict,
)
from tests.builders_databases import held_in, tampered
from tests.builders_log import EXEC, LENA, NOW, OMAR, RAJ, SEARCH, admission, draft, memory_in, quote, setting, ticking


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = memory_in(tmp_path)
    yield memory
    memory.close()


# --- capturing ---------------------------------------------------------------------------------


def test_a_place_is_known_at_the_basis_at_which_it_was_admitted(memory: Memory) -> None:
    memory.admit(
        Admission(place=Place(source="slack", anchor="C1/1"), basis="1", scope=SEARCH, drafts=(), provenance="")
    )

    assert memory.known(Place(source="slack", anchor="C1/1"), "1")
    assert not memory.known(Place(source="slack", anchor="C1/1"), "2")


def test_an_edited_thread_revises_its_decision(memory: Memory) -> None:
    words = (quote("then we stay on pg", "C1/1.1"),)
    first = memory.admit(admission(draft("Stay on pg", evidence=words))).new[0]

    again = memory.admit(admission(draft("Search stays on Postgres", evidence=words), basis="2"))

    assert (len(again.revised), again.new) == (1, ())
    assert memory.decision(first, PUBLIC).state is State.SUPERSEDED  # type: ignore[union-attr]
    assert [each.title for each in again.decisions] == ["Search stays on Postgres"]


def test_a_title_alike_matches_where_no_turn_does(memory: Memory) -> None:
    memory.admit(admission(draft("Search stays on Postgres"), draft("Reindex every night")))

    again = memory.admit(admission(draft("Search stays on Postgres for now"), draft("Typesense is out"), basis="2"))

    assert (len(again.revised), len(again.new)) == (1, 1)
    assert {each.title for each in again.decisions} == {
        "Search stays on Postgres for now",
        "Reindex every night",
        "Typesense is out",
    }


def test_what_was_taken_back_stays_so_when_its_thread_is_read_again(memory: Memory) -> None:
    words = (quote("then we stay on pg", "C1/1.1"),)
    first = memory.admit(admission(draft("Stay on pg", evidence=words))).new[0]
    memory.retract(first, by=LENA)

    again = memory.admit(admission(draft("Search stays on Postgres", evidence=words), basis="2"))

    assert again.unchanged == (first,)
    assert again.decisions == ()


def test_a_wording_by_hand_outlives_a_new_reading_of_the_thread(memory: Memory) -> None:
    first = memory.admit(admission(draft("Stay on pg"))).new[0]
    memory.revise(first, draft("Search stays on Postgres"), by=LENA)

    again = memory.admit(admission(draft("Search stays on Postgres, they say"), basis="2"))

    assert [each.title for each in again.decisions] == ["Search stays on Postgres"]


def test_a_decision_replaced_elsewhere_is_not_new_when_its_thread_is_read_again(memory: Memory) -> None:
    memory.admit(admission(setting("3", day=1), anchor="C1/1"))
    memory.admit(admission(setting("5", day=2), anchor="C1/2"))

    again = memory.admit(admission(setting("3", day=1), anchor="C1/1", basis="2"))

    assert (again.new, again.revised) == ((), ())
    assert [each.title for each in memory.decisions(PUBLIC, state=State.CURRENT)] == ["Retries: 5"]


def test_a_b_a_are_three_decisions_when_recorded_by_hand(memory: Memory) -> None:
    for day, value in enumerate(("3", "5", "3"), start=1):
        recorded = Admission(
            place=Place(source="record", anchor=""),
            basis="",
            scope=WORKSPACE,
            drafts=(setting(value, day=day),),
            provenance="Lena",
            recorded_from="record",
        )
        memory.admit(recorded)

    states = [each.state for each in memory.history("search", PUBLIC)]
    assert states == [State.SUPERSEDED, State.SUPERSEDED, State.CURRENT]


def test_the_same_file_twice_adds_nothing(memory: Memory) -> None:
    def lines() -> Iterator[Admission]:
        for value in ("3", "5", "3"):
            yield Admission(
                place=Place(source="record", anchor=""),
                basis="",
                scope=WORKSPACE,
                drafts=(setting(value),),
                provenance="file",
                recorded_from="ingest",
            )

    first = [each.new for each in memory.ingest(lines())]
    second = [each.new for each in memory.ingest(lines())]

    assert [len(each) for each in first] == [1, 1, 1]
    assert second == [(), (), ()]


def test_a_capture_below_the_line_waits_for_somebodys_word(memory: Memory) -> None:
    admitted = memory.admit(admission(draft(confidence=70), pointed=False))

    assert not admitted.decisions[0].confirmed
    assert memory.confirm(admitted.new[0], by=LENA)
    assert not memory.confirm(admitted.new[0], by=OMAR)
    assert memory.decision(admitted.new[0], PUBLIC).confirmed  # type: ignore[union-attr]


def test_a_draft_without_a_title_is_refused_and_the_others_stay(memory: Memory) -> None:
    admitted = memory.admit(admission(draft("  "), draft("Typesense is out")))

    assert [each.title for each in admitted.decisions] == ["Typesense is out"]
    assert len(admitted.refused) == 1


def test_an_outcome_in_a_file_counts_at_once(memory: Memory) -> None:
    id_ = memory.admit(admission(draft(outcome=Verdict.FAILED), recorded_from="ingest")).new[0]

    assert memory.decision(id_, PUBLIC).voices.label is Verdict.FAILED  # type: ignore[union-attr]


def test_a_new_reading_adds_words_and_confirms(memory: Memory) -> None:
    words = quote("then we stay", "C1/1.1")
    id_ = memory.admit(admission(draft(confidence=60, evidence=(words,)), pointed=False)).new[0]

    memory.admit(admission(draft(evidence=(words, quote("fine", "C1/1.2"))), basis="2"))

    found = memory.decision(id_, PUBLIC)
    assert found is not None
    assert ([each.quote for each in found.evidence], found.confirmed) == (["then we stay", "fine"], True)


def test_a_reworded_decision_stays_replaced_by_what_replaced_it(memory: Memory) -> None:
    words = (quote("then we stay", "C1/1.1"),)
    old = memory.admit(admission(draft("Old", evidence=words), anchor="C1/1")).new[0]
    newer = memory.admit(admission(draft("Newer"), anchor="C1/2")).new[0]
    memory.supersede(newer, old, by=LENA)

    again = memory.admit(admission(draft("Old, reworded", evidence=words), anchor="C1/1", basis="2"))

    assert memory.decision(again.revised[0], PUBLIC).superseded_by == (newer,)  # type: ignore[union-attr]


def test_the_same_edit_twice_is_one_revision_and_a_b_a_by_hand_are_three(memory: Memory) -> None:
    first = memory.admit(admission(draft("A"))).new[0]

    second = memory.revise(first, draft("B"), by=LENA)
    unchanged = memory.revise(second, draft("B"), by=LENA)
    third = memory.revise(second, draft("A"), by=LENA)

    assert unchanged == second
    assert len({first, second, third}) == 3
    assert [each.title for each in memory.decisions(PUBLIC, state=State.CURRENT)] == ["A"]


# --- replacing ---------------------------------------------------------------------------------


def test_a_ref_is_kept_until_its_target_arrives(memory: Memory) -> None:
    memory.admit(admission(draft("New", supersedes=("adr:1",), cites=("adr:1",)), anchor="adr:2"))
    old = Admission(
        place=Place(source="file", anchor="adr:1", ref="adr:1"),
        basis="1",
        scope=WORKSPACE,
        drafts=(draft("Old"),),
        provenance="file",
        recorded_from="ingest",
    )

    memory.admit(old)

    found = memory.decision("adr:1", PUBLIC)
    newer = memory.decisions(PUBLIC, state=State.CURRENT)[0]
    assert found is not None
    assert (found.state, found.superseded_by) == (State.SUPERSEDED, (newer.id,))
    assert newer.cites == (found.id,)


@pytest.mark.parametrize("status", [Status.PROPOSED, Status.REJECTED, Status.WITHDRAWN])
def test_what_is_not_in_force_replaces_nothing(memory: Memory, status: Status) -> None:
    old = memory.admit(admission(draft("Old"), anchor="C1/1")).new[0]

    memory.admit(admission(draft("New", status=status, supersedes=(old,)), anchor="C1/2"))

    assert memory.decision(old, PUBLIC).state is State.CURRENT  # type: ignore[union-attr]


def test_taking_back_the_newer_brings_the_older_back(memory: Memory) -> None:
    memory.admit(admission(setting("3", day=1), anchor="C1/1"))
    newer = memory.admit(admission(setting("5", day=2), anchor="C1/2")).new[0]

    memory.retract(newer, by=LENA)

    assert [each.title for each in memory.decisions(PUBLIC, state=State.CURRENT)] == ["Retries: 3"]


def test_a_circle_leaves_its_first_edges_and_is_named(memory: Memory) -> None:
    one = memory.admit(admission(draft("One"), anchor="C1/1")).new[0]
    two = memory.admit(admission(draft("Two"), anchor="C1/2")).new[0]
    memory.supersede(two, one, by=LENA)

    memory.supersede(one, two, by=LENA)

    assert [each.title for each in memory.decisions(PUBLIC, state=State.CURRENT)] == ["Two"]
    assert any("circle" in note for note in memory.verify().notes)


def test_undo_brings_a_decision_back_for_thirty_days(tmp_path: Path) -> None:
    now = [NOW]
    memory = memory_in(tmp_path, clock=lambda: now[0])
    id_ = memory.admit(admission()).new[0]
    memory.retract(id_, by=LENA)

    in_time = memory.restore(id_, by=LENA)
    memory.retract(id_, by=LENA)
    now[0] += timedelta(days=31)
    too_late = memory.restore(id_, by=LENA)

    assert (in_time, too_late) == (True, False)
    memory.close()


# --- scopes ------------------------------------------------------------------------------------


def test_a_successor_that_a_reader_cannot_read_does_not_exist_for_them(memory: Memory) -> None:
    memory.admit(admission(setting("3", day=1), anchor="C1/1", scope=SEARCH))
    memory.admit(admission(setting("5", day=2), anchor="EXEC/1", scope=EXEC))
    member = Reader(sees_open=True, scopes=frozenset({EXEC.id}))

    seen = {name: memory.history("search", reader) for name, reader in (("public", PUBLIC), ("member", member))}

    assert [(each.title, each.state, each.superseded_by) for each in seen["public"]] == [
        ("Retries: 3", State.CURRENT, ())
    ]
    assert [each.state for each in seen["member"]] == [State.SUPERSEDED, State.CURRENT]
    assert memory.history("search", NOBODY) == ()


def test_the_next_open_decision_replaces_what_a_closed_one_hides_from_few(memory: Memory) -> None:
    memory.admit(admission(setting("3", day=1), anchor="C1/1", scope=SEARCH))
    memory.admit(admission(setting("5", day=2), anchor="EXEC/1", scope=EXEC))

    memory.admit(admission(setting("backoff", day=3), anchor="C1/3", scope=SEARCH))

    for reader in (PUBLIC, EVERYTHING):
        assert [head.title for head in memory.heads(["search"], reader)[0].decisions] == ["Retries: backoff"]
        assert memory.conflicts(reader) == ()


def test_votes_and_elements_of_a_closed_channel_stay_there(memory: Memory) -> None:
    id_ = memory.admit(admission(draft(elements=("service:search",)), scope=SEARCH)).new[0]
    memory.admit(admission(draft("Price", elements=("deal:acme",)), anchor="EXEC/1", scope=EXEC))
    memory.observe_outcome(id_, voter=LENA, verdict=Verdict.FAILED, counts=True, key="1", scope=EXEC, at=NOW)

    assert memory.decision(id_, PUBLIC).voices.failed == 0  # type: ignore[union-attr]
    assert memory.decision(id_, EVERYTHING).voices.failed == 1  # type: ignore[union-attr]
    assert memory.heads(["acme"], PUBLIC) == ()
    assert not memory.heads(["acme"], EVERYTHING)[0].id.endswith("acme")


def test_a_channel_that_is_closed_later_closes_what_was_said_in_it(memory: Memory) -> None:
    memory.admit(admission(scope=SEARCH))

    memory.set_setting("scope:channel:SEARCH:open", "no", by=LENA)
    memory.admit(admission(draft("Said after"), anchor="C1/2", scope=SEARCH))

    assert memory.decisions(PUBLIC) == ()
    assert len(memory.decisions(Reader(sees_open=True, scopes=frozenset({SEARCH.id})))) == 2
    assert memory.verify().clean


# --- conflicts ---------------------------------------------------------------------------------


def test_what_is_read_anew_in_a_channel_that_was_closed_meanwhile_is_for_its_members(memory: Memory) -> None:
    said = draft("Search stays", evidence=(quote("we stay", "C1/1.0"),))
    memory.admit(admission(said, scope=SEARCH))
    closed = replace(SEARCH, open=False)

    memory.admit(admission(replace(said, evidence=(quote("a secret", "C1/2.0"),)), scope=closed, basis="2"))

    assert memory.decisions(PUBLIC) == ()
    (inside,) = memory.decisions(Reader(sees_open=True, scopes=frozenset({SEARCH.id})))
    assert [each.quote for each in inside.evidence] == ["we stay", "a secret"]


@pytest.mark.parametrize("anchor", ["", "PAY-12"])
def test_the_same_words_in_a_closed_channel_add_nothing_to_an_open_decision(memory: Memory, anchor: str) -> None:
    said = draft("Search stays", evidence=(quote("we stay", "a"),))
    where = {"anchor": anchor, "recorded_from": "ingest"}
    memory.admit(admission(said, scope=WORKSPACE, **where))

    memory.admit(admission(replace(said, evidence=(quote("a secret", "b"),)), scope=EXEC, basis="2", **where))

    (seen,) = memory.decisions(PUBLIC)
    assert [each.quote for each in seen.evidence] == ["we stay"]


def test_the_same_words_of_another_machines_closed_channel_add_nothing_to_an_open_decision(tmp_path: Path) -> None:
    said = draft("Search stays", evidence=(quote("we stay", "a"),))
    here, there = memory_in(tmp_path / "here"), memory_in(tmp_path / "there", clock=ticking(NOW + timedelta(days=1)))
    here.admit(admission(said, scope=WORKSPACE))
    there.admit(admission(draft("Something else"), anchor="C9/9.0"))
    secret = replace(said, evidence=(quote("a secret", "b"),), trade_offs=("a secret",), tags=("a secret",))
    there.admit(admission(secret, scope=EXEC))

    here.receive(there.envelopes())

    assert "a secret" not in repr(here.decisions(PUBLIC))
    here.close()
    there.close()


def test_an_alias_that_only_a_closed_channel_uses_gives_an_element_no_property(memory: Memory) -> None:
    sets = (("service:nile", "engine", "postgres"),)
    memory.admit(admission(draft("Search stays", elements=("service:search",), sets=sets)))
    memory.admit(admission(draft("Nile is search", elements=("service:nile",)), anchor="X/1", scope=EXEC))

    memory.resolve_mention("service:nile", "service:search", scope=EXEC)

    (view,) = memory.heads(("service:search",), PUBLIC)
    assert view.properties == ()


def test_two_machines_that_decided_differently_are_in_conflict_until_one_decision_settles_it(tmp_path: Path) -> None:
    here, there = memory_in(tmp_path / "here"), memory_in(tmp_path / "there")
    here.admit(admission(setting("3", day=1), anchor="C1/1"))
    there.admit(admission(setting("5", day=2), anchor="C1/2"))

    here.receive(there.envelopes())
    disputed = here.conflicts(PUBLIC)
    here.admit(admission(setting("backoff", day=3), anchor="C1/3"))

    assert [(each.element, each.property, len(each.heads)) for each in disputed] == [("service:search", "retries", 2)]
    assert here.conflicts(PUBLIC) == ()
    assert len(here.history("search", PUBLIC)) == 3
    here.close()
    there.close()


def test_two_wordings_of_one_version_of_a_thread_are_one_decision(tmp_path: Path) -> None:
    here, there = memory_in(tmp_path / "here"), memory_in(tmp_path / "there")
    here.admit(admission(draft("Search stays on Postgres")))
    there.admit(admission(draft("We keep Postgres for search")))

    here.receive(there.envelopes())
    there.receive(here.envelopes())

    assert len(here.decisions(EVERYTHING)) == 1
    assert here.decisions(EVERYTHING)[0].title == there.decisions(EVERYTHING)[0].title
    here.close()
    there.close()


def test_a_noted_pair_is_a_conflict_while_both_stand(memory: Memory) -> None:
    one = memory.admit(admission(draft("One", elements=("a",)), anchor="C1/1")).new[0]
    two = memory.admit(admission(draft("Two", elements=("a",)), anchor="C1/2")).new[0]

    noted = memory.note_conflict(one, two, quotes=("this", "that"), by=LENA)
    found = memory.conflicts(PUBLIC)
    memory.retract(two, by=LENA)

    assert noted
    assert [(each.element, len(each.heads)) for each in found] == [("a", 2)]
    assert memory.conflicts(PUBLIC) == ()


# --- elements ----------------------------------------------------------------------------------


def test_a_resolved_mention_joins_the_elements_history_until_it_is_corrected(memory: Memory) -> None:
    memory.admit(admission(draft("One", elements=("service:search",)), anchor="C1/1"))
    memory.admit(admission(draft("Two", elements=("the search svc",)), anchor="C1/2"))

    resolved = [memory.resolve_mention("The Search svc", "service:search", method="rrf") for _ in range(2)]
    joined = [len(memory.history(name, PUBLIC)) for name in ("service:search", "the search svc")]
    corrected = memory.resolve_mention("the search svc", "team:search", by=LENA)
    memory.resolve_mention("the search svc", "service:search", method="rrf")

    assert (resolved, joined, corrected) == ([True, False], [2, 2], True)
    assert [each.title for each in memory.history("service:search", PUBLIC)] == ["One"]
    assert [(each.id, each.element) for each in memory.heads(["the search svc"], PUBLIC)] == [
        ("ent-team-search", "team:search")
    ]
    assert memory.verify().clean


def test_what_was_resolved_in_a_closed_channel_holds_there_alone(memory: Memory) -> None:
    memory.admit(admission(draft("One", elements=("svc",)), anchor="C1/1", scope=SEARCH))
    memory.admit(admission(draft("Two", elements=("svc",)), anchor="EXEC/1", scope=EXEC))

    memory.resolve_mention("svc", "service:payments", scope=EXEC)

    assert [each.title for each in memory.history("service:payments", EVERYTHING)] == ["Two"]
    assert memory.history("service:payments", PUBLIC) == ()


def test_links_hold_until_a_later_head_ends_them(memory: Memory) -> None:
    uses = ("service:search", "uses", "db:main")
    memory.admit(admission(draft("One", links=(uses,), decided_on=date(2026, 3, 1)), anchor="C1/1"))
    before = memory.heads(["service:search"], PUBLIC)[0].links

    memory.admit(admission(draft("Two", unlinks=(uses,), decided_on=date(2026, 3, 2)), anchor="C1/2"))

    assert before == (uses,)
    assert memory.heads(["service:search"], PUBLIC)[0].links == ()


def test_two_decisions_of_different_channels_are_said_to_be_one_once(memory: Memory) -> None:
    one = memory.admit(admission(anchor="C1/1", scope=SEARCH)).new[0]
    two = memory.admit(admission(anchor="EXEC/1", scope=EXEC)).new[0]

    said = [memory.say_same(one, two, by=LENA), memory.say_same(two, one)]

    assert said == [True, False]
    assert memory.digest(PUBLIC) != memory.digest(EVERYTHING)


# --- votes -------------------------------------------------------------------------------------


def test_the_latest_vote_of_a_person_stands_and_can_be_taken_back(memory: Memory) -> None:
    id_ = memory.admit(admission()).new[0]

    def vote(verdict: Verdict, person: Person = LENA) -> bool:
        return memory.observe_outcome(
            id_, voter=person, verdict=verdict, counts=True, key=f"s:{person.id}", scope=WORKSPACE, at=NOW
        )

    changed = [vote(Verdict.WORKED), vote(Verdict.WORKED), vote(Verdict.FAILED), vote(Verdict.WORKED)]
    standing = memory.votes(id_, PUBLIC)
    withdrawn = [memory.withdraw_outcome(id_, voter=LENA, key="s:U1") for _ in range(2)]
    changed.append(vote(Verdict.WORKED))

    assert changed == [True, False, True, True, True]
    assert [each.verdict for each in standing] == [Verdict.WORKED]
    assert withdrawn == [True, False]
    assert memory.decision(id_, PUBLIC).voices.worked == 1  # type: ignore[union-attr]


def test_outcomes_are_asked_as_of_a_day(memory: Memory) -> None:
    id_ = memory.admit(admission()).new[0]
    memory.observe_outcome(id_, voter=RAJ, verdict=Verdict.FAILED, counts=True, key="1", scope=WORKSPACE, at=NOW)

    before = memory.decisions_by_ids([id_], PUBLIC, as_of=date(2026, 3, 4))[0]
    memory.observe_outcome(
        id_, voter=RAJ, verdict=Verdict.WORKED, counts=True, key="2", scope=WORKSPACE, at=NOW + timedelta(days=9)
    )
    after = memory.decisions_by_ids([id_], PUBLIC, as_of=date(2026, 3, 4))[0]

    assert before.voices == after.voices
    assert after.voices.label is Verdict.FAILED


def test_an_answer_turned_down_is_kept_once(memory: Memory) -> None:
    def reject() -> bool:
        return memory.reject(
            node="service:search",
            recommendation="Follow it",
            category="outdated",
            reason="we moved",
            role="member",
            decision=None,
            by=LENA,
            scope=WORKSPACE,
            key="wrong:1",
        )

    assert [reject(), reject()] == [True, False]


# --- erasing -----------------------------------------------------------------------------------


def test_a_forgotten_place_is_not_captured_again(memory: Memory) -> None:
    id_ = memory.admit(admission()).new[0]

    forgotten = [memory.forget_decision(id_) for _ in range(2)]
    again = memory.admit(admission(basis="2"))

    assert forgotten == [True, False]
    assert memory.forgotten(Place(source="slack", anchor="C1/1.0"))
    assert (again.new, len(again.refused)) == ((), 1)
    tombstone = memory.decision(id_, PUBLIC)
    assert tombstone is not None
    assert (tombstone.title, tombstone.state) == ("", State.RETRACTED)
    assert memory.history("search", PUBLIC) == memory.decisions(PUBLIC) == ()


def test_a_decision_keeps_standing_on_what_is_left_of_its_evidence(memory: Memory) -> None:
    words = (quote("then we stay", "C1/1.1"), quote("fine", "C1/1.2"))
    id_ = memory.admit(admission(draft(evidence=words))).new[0]

    count = memory.redact_turn("slack", "C1/1.1")

    left = memory.decision(id_, PUBLIC)
    assert count == 1
    assert left is not None
    assert ([each.quote for each in left.evidence], left.state) == (["fine"], State.CURRENT)
    assert memory.redact_turn("slack", "C1/1.1") == 0


def test_an_edit_takes_away_the_quotes_that_no_longer_stand_in_it(memory: Memory) -> None:
    words = (quote("then we stay", "C1/1.1"), quote("and the zebra pays", "C1/1.1"))
    id_ = memory.admit(admission(draft(evidence=words))).new[0]

    count = memory.redact_turn("slack", "C1/1.1", stands="fine, then we stay")

    left = memory.decision(id_, PUBLIC)
    assert count == 1
    assert left is not None
    assert ([each.quote for each in left.evidence], left.state) == (["then we stay"], State.CURRENT)
    assert memory.verify().faults == ()
    assert memory.redact_turn("slack", "C1/1.1", stands="fine, then we stay") == 0


def test_a_statement_that_repeats_what_still_stands_survives_the_edit(memory: Memory) -> None:
    before, after = "we stay on postgres for search, says zebra", "we stay on postgres for search"
    first = draft("We stay on postgres for search", evidence=(quote(before, "C1/1.1"), quote(after, "C1/1.1")))
    id_ = memory.admit(admission(first)).new[0]

    memory.redact_turn("slack", "C1/1.1", stands=after)

    left = memory.decision(id_, PUBLIC)
    assert left is not None
    assert (left.title, [each.quote for each in left.evidence]) == ("We stay on postgres for search", [after])


def test_a_turn_that_was_edited_is_quoted_again(memory: Memory) -> None:
    memory.admit(admission(draft(evidence=(quote("then we stay", "C1/1.1"), quote("fine", "C1/1.2")))))
    memory.redact_turn("slack", "C1/1.1", stands="then we go")

    memory.admit(admission(draft(evidence=(quote("then we go", "C1/1.1"),)), basis="2"))

    assert [each.quote for each in memory.decisions(PUBLIC)[0].evidence] == ["fine", "then we go"]


def test_an_erased_turn_is_not_quoted_again_by_an_older_export(memory: Memory) -> None:
    words = (quote("then we stay", "C1/1.1"), quote("fine", "C1/1.2"))
    memory.admit(admission(draft(evidence=words)))
    memory.redact_turn("slack", "C1/1.1")

    memory.admit(admission(draft(evidence=words), basis="0"))

    assert [each.quote for each in memory.decisions(PUBLIC)[0].evidence] == ["fine"]


def test_an_erasure_that_comes_before_its_text_blanks_it_on_arrival(tmp_path: Path) -> None:
    here, there = memory_in(tmp_path / "here"), memory_in(tmp_path / "there")
    id_ = here.admit(admission(draft("xyzzy"))).new[0]
    with_text = here.envelopes()
    here.forget_decision(id_)

    there.receive(here.envelopes(after=len(with_text)))
    there.receive(with_text)
    report = there.verify()
    there.close()

    assert b"xyzzy" not in held_in(tmp_path / "there")
    assert report.clean
    here.close()


def test_captures_that_nobody_confirmed_go_after_ninety_days(tmp_path: Path) -> None:
    now = [NOW]
    memory = memory_in(tmp_path, clock=lambda: now[0])
    waiting = memory.admit(admission(draft(confidence=60), pointed=False)).new[0]
    kept = memory.admit(admission(draft("Kept"), anchor="C1/2")).new[0]

    early = memory.expire_unconfirmed()
    now[0] += timedelta(days=91)
    late = memory.expire_unconfirmed()

    assert (early, late) == (0, 1)
    assert [each.id for each in memory.decisions(PUBLIC)] == [kept]
    assert memory.decision(waiting, PUBLIC).title == ""  # type: ignore[union-attr]
    memory.close()


def test_a_capture_that_was_in_an_answer_waits_ninety_days_from_then(tmp_path: Path) -> None:
    now = [NOW]
    memory = memory_in(tmp_path, clock=lambda: now[0])
    waiting = memory.admit(admission(draft(confidence=60), pointed=False)).new[0]
    now[0] += timedelta(days=60)
    asked = Trajectory(session="s1", question="why?", answer={}, asker_id="U1", asked_at=now[0], refs=(waiting,))
    memory.sessions.record(asked)

    now[0] += timedelta(days=60)
    early = memory.expire_unconfirmed()
    now[0] += timedelta(days=31)
    late = memory.expire_unconfirmed()

    assert (early, late) == (0, 1)
    memory.close()


def test_what_a_text_names_is_found_by_rare_words_as_far_as_its_reader_may_read(memory: Memory) -> None:
    inside = Reader(sees_open=True, scopes=frozenset({EXEC.id}))
    open_ = memory.admit(admission(draft(title="Elasticsearch is turned down for the catalogue"))).new[0]
    closed = memory.admit(admission(draft(title="Elasticsearch is too dear"), anchor="C9/1.0", scope=EXEC)).new[0]

    outside = memory.named_in("move the catalogue to elasticsearch, shall we?", PUBLIC, limit=5)
    within = memory.named_in("move the catalogue to elasticsearch, shall we?", inside, limit=5)
    nothing = memory.named_in("fix the typo", inside, limit=5)

    assert [one.id for one in outside] == [open_]
    assert [one.id for one in within] == [open_, closed]
    assert nothing == ()


# --- soundness ---------------------------------------------------------------------------------


def test_an_unknown_decision_is_named_in_the_error(memory: Memory) -> None:
    with pytest.raises(UnknownDecision, match="adr:404"):
        memory.retract("adr:404", by=LENA)


def test_the_beginning_of_an_id_names_its_decision(memory: Memory) -> None:
    id_ = memory.admit(admission()).new[0]

    assert memory.decision(id_[:8], PUBLIC) == memory.decision(id_, PUBLIC)
    assert memory.decision(id_[:4], PUBLIC) is None
    assert memory.decision(id_[:8], NOBODY) is None


@pytest.mark.sqlite_only
def test_a_newer_schema_is_refused_with_what_to_do(tmp_path: Path) -> None:
    memory_in(tmp_path).close()
    with sqlite3.connect(tmp_path / "memory.db") as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()

    with pytest.raises(SchemaTooNew, match=r"memory\.db: written with schema 99.*upgrade"):
        memory_in(tmp_path)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE events SET parts = replace(parts, 'Postgres', 'Oracle')", "text was changed"),
        ("UPDATE events SET parts = '{}', salts = x''", "nobody erased it"),
        ("UPDATE events SET parts = replace(parts, char(10), ' ')", "not what was stored"),
        ("UPDATE events SET salts = zeroblob(length(salts))", "text was changed"),
        ("UPDATE events SET salts = x'00'", "not what was stored"),
        ("UPDATE event_ids SET position = 7", "not found by its id"),
        ("UPDATE events SET header = replace(header, '\"v\":1', '\"v\":2') WHERE position = 1", "id was made of"),
        ("UPDATE events SET lamport = 7 WHERE position = 1", "columns beside the header"),
        ("DELETE FROM event_about WHERE position = 1", "not indexed"),
        ("DELETE FROM decisions", "table decisions"),
        ("UPDATE decisions SET doc = '{}'", "table decisions"),
    ],
)
def test_verify_names_what_was_tampered_with(memory: Memory, change: str, what: str) -> None:
    memory.admit(admission(draft("Search stays on Postgres")))
    tampered(memory.home, change)

    faults = memory.verify().faults

    assert any(what in f"{each.what} {each.where}" and each.remedy for each in faults)


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE events SET parts = replace(parts, 'Postgres', 'Oracle')",
        """UPDATE events SET header = replace(header, '"seq":1', '"seq":7')""",
        "UPDATE events SET salts = zeroblob(length(salts))",
    ],
)
def test_nothing_is_folded_anew_from_a_log_that_was_tampered_with(memory: Memory, change: str) -> None:
    kept = memory.admit(admission(draft("Search stays on Postgres"))).new[0]
    tampered(memory.home, change)

    with pytest.raises(LogDamaged, match="run `why verify`"):
        memory.rebuild()

    assert memory.decision(kept, PUBLIC) is not None


@pytest.mark.sqlite_only
def test_verify_names_a_lexical_index_that_was_tampered_with(memory: Memory) -> None:
    memory.admit(admission(draft("Search stays on Postgres")))
    tampered(memory.home, "UPDATE decisions_fts SET title = 'Oracle'")

    faults = memory.verify().faults

    assert [each.where for each in faults] == ["table decisions_fts"] * 2


@pytest.mark.sqlite_only
def test_verify_names_counts_of_words_that_were_tampered_with(memory: Memory) -> None:
    memory.admit(admission(draft("Search stays on Postgres")))
    tampered(memory.home, "UPDATE decisions_fts_docsize SET sz = CAST(x'09' || substr(sz, 2) AS BLOB)")

    faults = memory.verify().faults

    assert [(each.what, each.where) for each in faults] == [("its counts are not what it holds", "table decisions_fts")]


@pytest.mark.sqlite_only
def test_a_copied_store_that_went_on_is_named(tmp_path: Path) -> None:
    here = memory_in(tmp_path / "here")
    here.admit(admission())
    here.close()
    shutil.copytree(tmp_path / "here", tmp_path / "copy")
    here, copy = memory_in(tmp_path / "here"), memory_in(tmp_path / "copy")
    here.admit(admission(draft("Said here"), anchor="C1/2"))
    copy.admit(admission(draft("Said there"), anchor="C1/3"))

    here.receive(copy.envelopes())
    faults = here.verify().faults

    assert [each.what.split(":")[0] for each in faults] == [
        "a second event 2 of stream " + faults[0].what.split()[6][:-1]
    ]
    assert len(here.decisions(EVERYTHING)) == 3
    here.close()
    copy.close()


def test_a_clock_far_ahead_is_named_and_does_not_count(tmp_path: Path) -> None:
    here, there = memory_in(tmp_path / "here"), memory_in(tmp_path / "there")
    here.admit(admission())
    known = here.envelopes()[0]
    ahead = replace(known, header=known.header.replace('"lamport":1,', f'"lamport":{2**52},'))
    out_of_range = replace(known, header=known.header.replace('"lamport":1,', f'"lamport":{2**54},'))

    there.receive([ahead])
    there.admit(admission(anchor="C1/2"))
    report = there.verify()

    assert '"lamport":1,' in there.envelopes(after=1)[0].header
    assert any("far ahead" in note for note in report.notes)
    with pytest.raises(LogDamaged, match="out of range"):
        there.receive([out_of_range])
    here.close()
    there.close()


def test_a_text_that_is_not_what_its_header_says_is_not_taken_in(tmp_path: Path) -> None:
    here, there = memory_in(tmp_path / "here"), memory_in(tmp_path / "there")
    here.admit(admission(draft("Search stays on Postgres")))
    known = here.envelopes()[0]
    parts = {n: (p[0], p[1].replace("Postgres", "Oracle")) if p else None for n, p in known.parts.items()}

    with pytest.raises(LogDamaged, match="part statement"):
        there.receive([replace(known, parts=parts)])

    assert there.envelopes() == ()
    here.close()
    there.close()


def test_an_event_of_a_newer_kind_is_kept_and_named_and_not_folded(tmp_path: Path) -> None:
    here, there = memory_in(tmp_path / "here"), memory_in(tmp_path / "there")
    here.admit(admission())
    known = here.envelopes()[0]
    newer = replace(known, header=known.header.replace("DecisionRecorded", "DecisionDreamt"))

    there.receive([newer])
    report = there.verify()

    assert there.decisions(EVERYTHING) == ()
    assert report.clean
    assert any("DecisionDreamt" in note for note in report.notes)
    assert len(there.envelopes()) == 1
    here.close()
    there.close()


def test_a_rebuild_leaves_everything_as_it_was_while_others_write(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, clock=ticking())
    memory.admit(admission(*(draft(f"Decision {number}") for number in range(30))))
    other = memory_in(tmp_path)
    written = threading.Thread(target=lambda: [other.admit(admission(anchor=f"C2/{n}")) for n in range(10)])

    written.start()
    report = memory.rebuild()
    written.join()

    assert report.decisions >= 30
    assert len(memory.decisions(PUBLIC)) == 40
    assert memory.verify().faults == ()
    memory.close()
    other.close()


def test_many_threads_admit_without_losing_or_doubling_anything(memory: Memory) -> None:
    def work(number: int) -> None:
        for each in range(5):
            memory.admit(admission(draft(f"Decision {each}"), anchor=f"C1/{each}"))
            memory.admit(admission(draft(f"Decision {number} {each}"), anchor=f"C{number}x/{each}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(memory.decisions(PUBLIC)) == 5 + 4 * 5
    assert memory.verify().faults == ()


def test_merged_places_are_listed_with_the_decision(memory: Memory) -> None:
    id_ = memory.admit(admission(scope=SEARCH)).new[0]
    elsewhere = Place(source="jira", anchor="PAY-12")

    same_scope = memory.add_place(id_, elsewhere, (quote("as said", "PAY-12/1"),), scope=SEARCH)
    other_scope = memory.add_place(id_, Place(source="jira", anchor="PAY-13"), (), scope=EXEC)

    assert (same_scope, other_scope) == (True, False)
    assert [each.anchor for each in memory.decision(id_, PUBLIC).places] == ["C1/1.0", "PAY-12"]  # type: ignore[union-attr]
    assert [each.id for each in memory.at_place("jira", "PAY-12", PUBLIC)] == [id_]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_a_new_home_is_its_owners_alone(tmp_path: Path) -> None:
    memory_in(tmp_path / "home").close()

    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
