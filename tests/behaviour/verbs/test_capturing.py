"""A thread becomes decisions once, whatever happens around it."""

from dataclasses import replace

import pytest

from bot.capture import capture_thread, leave_person_out
from bot.errors import Transient
from store import EVERYTHING, Memory, Person, Reaction, Vocabulary
from tests.builders_verbs import ScriptedExtractor, quoting, thread

WORDS = Vocabulary(decided=("decided",))
TALK = thread("Elasticsearch or Postgres for search?", "We decided: search stays on Postgres for good.")
OTHER = thread("Elasticsearch or Postgres for search?", root="2.000001")
MIA = Person(name="Mia", id="U9")


def kept(of: object, vocabulary: object) -> bool:
    return True


def stopped(of: object, vocabulary: object) -> bool:
    return False


def test_what_was_decided_is_recorded_with_its_quote(memory: Memory) -> None:
    extractor = ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres"))

    captured = capture_thread(memory, extractor, TALK, WORDS, gate=kept)

    (decision,) = memory.decisions(EVERYTHING)
    assert captured.new == (decision.id,)
    assert decision.evidence[0].quote == "We decided: search stays on Postgres for good."
    assert decision.provenance == "scripted/extract-1"


def test_a_place_known_at_its_basis_is_not_extracted_again(memory: Memory) -> None:
    extractor = ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres"))
    capture_thread(memory, extractor, TALK, WORDS, gate=kept)

    again = capture_thread(memory, extractor, TALK, WORDS, gate=kept)

    assert again.unchanged
    assert len(again.decisions) == 1
    assert len(extractor.seen) == 1


def test_a_thread_that_held_nothing_is_known_too(memory: Memory) -> None:
    extractor = ScriptedExtractor()
    capture_thread(memory, extractor, TALK, WORDS, gate=kept)

    again = capture_thread(memory, extractor, TALK, WORDS, gate=kept)

    assert again.unchanged
    assert len(extractor.seen) == 1


def test_pointing_at_a_thread_that_gave_nothing_reads_it_once_more_and_only_once(memory: Memory) -> None:
    capture_thread(memory, ScriptedExtractor(), TALK, WORDS, gate=kept)
    pointed = ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres", confidence=40))

    first = capture_thread(memory, pointed, TALK, WORDS, pointed=True, by=MIA, gate=stopped)
    second = capture_thread(memory, pointed, TALK, WORDS, pointed=True, by=MIA, gate=stopped)

    assert first.decisions[0].confirmed
    assert second.unchanged
    assert len(pointed.seen) == 1


def test_pointing_confirms_what_was_captured_unsurely(memory: Memory) -> None:
    capture_thread(
        memory, ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres", confidence=60)), TALK, WORDS, gate=kept
    )

    pointed = capture_thread(memory, ScriptedExtractor(), TALK, WORDS, pointed=True, by=MIA, gate=stopped)

    assert [decision.confirmed for decision in pointed.decisions] == [True]


def test_the_gate_keeps_a_thread_from_the_model(memory: Memory) -> None:
    extractor = ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres"))

    captured = capture_thread(memory, extractor, TALK, WORDS, gate=stopped)

    assert captured.gated_out
    assert extractor.seen == []


def test_a_quote_that_nobody_wrote_is_refused(memory: Memory) -> None:
    elsewhere = thread("x", "We decided: search moves to Elasticsearch tomorrow.")

    captured = capture_thread(memory, ScriptedExtractor(quoting(elsewhere, 1, "Search moves")), TALK, WORDS, gate=kept)

    assert memory.decisions(EVERYTHING) == ()
    assert captured.refused


def test_secrets_never_reach_the_extractor(memory: Memory) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    extractor = ScriptedExtractor()

    capture_thread(memory, extractor, thread(f"the token is {token}"), WORDS, gate=kept)

    assert token not in extractor.seen[0].turns[0].text


def test_a_new_version_of_a_thread_revises_its_decision(memory: Memory) -> None:
    capture_thread(memory, ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres")), TALK, WORDS, gate=kept)
    later = thread(*(turn.text for turn in TALK.turns), "Edit: decided, it moves to OpenSearch after all.", basis="2")

    captured = capture_thread(
        memory, ScriptedExtractor(quoting(later, 1, "Search stays on Postgres for good")), later, WORDS, gate=kept
    )

    assert len(captured.revised) == 1
    assert [decision.title for decision in captured.decisions] == ["Search stays on Postgres for good"]


def test_a_forgotten_place_is_not_captured_again(memory: Memory) -> None:
    extractor = ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres"))
    (recorded,) = capture_thread(memory, extractor, TALK, WORDS, gate=kept).new
    memory.forget_decision(recorded)

    again = capture_thread(memory, extractor, TALK, WORDS, pointed=True, by=MIA, gate=kept)

    assert again.forgotten
    assert len(extractor.seen) == 1


def test_a_model_that_is_away_leaves_nothing_behind(memory: Memory) -> None:
    away = ScriptedExtractor(failure=Transient("away"))
    with pytest.raises(Transient):
        capture_thread(memory, away, TALK, WORDS, gate=kept)

    captured = capture_thread(
        memory, ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres")), TALK, WORDS, gate=kept
    )

    assert len(captured.new) == 1


def test_a_thread_that_somebody_asked_to_leave_out_is_never_read(memory: Memory) -> None:
    extractor = ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres"))
    covered = replace(TALK.turns[0], reactions=(Reaction(name="see_no_evil", users=("U1",)),))
    memory.set_setting(f"thread:{TALK.place.anchor}:left_out", "yes", by=MIA)

    by_setting = capture_thread(memory, extractor, TALK, WORDS, pointed=True, by=MIA, gate=kept)
    by_emoji = capture_thread(memory, extractor, replace(OTHER, turns=(covered,)), WORDS, gate=kept)

    assert by_setting.forgotten
    assert by_emoji.forgotten
    assert extractor.seen == []


def test_what_somebody_says_who_is_left_out_is_never_read_nor_kept(memory: Memory) -> None:
    omar = Person(name="Omar", id="U2")
    nod = Reaction(name="+1", users=("U2", "U1"))
    talk = replace(TALK, turns=(replace(TALK.turns[0], reactions=(nod,)), *TALK.turns[1:]))
    extractor = ScriptedExtractor(quoting(talk, 1, "Search stays on Postgres"))
    leave_person_out(memory, omar, left_out=True)

    captured = capture_thread(memory, extractor, talk, WORDS, pointed=True, by=MIA, gate=kept)

    assert {turn.author_id for turn in extractor.seen[0].turns} == {"U1"}
    assert extractor.seen[0].turns[0].reactions == (Reaction(name="+1", users=("U1",)),)
    assert captured.decisions == ()
    assert captured.refused


def test_a_thread_in_which_only_those_speak_who_are_left_out_is_not_read(memory: Memory) -> None:
    for user, name in (("U1", "Lena"), ("U2", "Omar")):
        leave_person_out(memory, Person(name=name, id=user), left_out=True)
    extractor = ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres"))

    captured = capture_thread(memory, extractor, TALK, WORDS, pointed=True, by=MIA, gate=kept)

    assert captured.gated_out
    assert extractor.seen == []


def test_what_was_kept_before_somebody_left_stays_and_whoever_comes_back_is_read_again(memory: Memory) -> None:
    omar = Person(name="Omar", id="U2")
    extractor = ScriptedExtractor(quoting(TALK, 1, "Search stays on Postgres"))
    capture_thread(memory, extractor, TALK, WORDS, gate=kept)
    leave_person_out(memory, omar, left_out=True)
    later = thread(*(turn.text for turn in TALK.turns), "and we reindex every night", "fine", basis="2")

    capture_thread(memory, extractor, later, WORDS, gate=kept)
    came_back = leave_person_out(memory, omar, left_out=False)
    capture_thread(memory, extractor, replace(later, basis="3"), WORDS, gate=kept)

    assert [one.evidence[0].author_id for one in memory.decisions(EVERYTHING)] == ["U2"]
    assert came_back
    assert [{turn.author_id for turn in seen.turns} for seen in extractor.seen] == [{"U1", "U2"}, {"U1"}, {"U1", "U2"}]
