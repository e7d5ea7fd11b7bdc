"""A memory syncs alike whether it lies in files or in Postgres."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from store import EVERYTHING, WORKSPACE, Admission, Place, SyncOptions
from tests.builders_databases import each_database, held_in
from tests.builders_log import admission, draft, full_draft, quote
from tests.builders_sync import everything_in, machine


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    each_database(metafunc)


def test_union_erasure_signatures_and_a_new_id(tmp_path: Path, on_database: str) -> None:
    folder = str(tmp_path / "shared")
    with closing(machine(tmp_path / "one")) as one, closing(machine(tmp_path / "other", day=1)) as other:
        one.admit(admission(full_draft("s3cret"), anchor="C1/1"))
        other.admit(admission(draft("Another"), anchor="C1/2"))
        for memory in (one, other, one):
            memory.sync(folder, SyncOptions(sign=True))
        one.forget_decision(next(each.id for each in one.decisions(EVERYTHING) if "s3cret" in each.title))
        fresh = one.sync(folder, SyncOptions(new_writer=True)).writer
        one.admit(admission(draft("Under a new id"), anchor="C1/3"))

        done = [memory.sync(folder) for memory in (one, other, one)]

        assert fresh
        assert [each.faults for each in done] == [(), (), ()]
        assert one.digest(EVERYTHING) == other.digest(EVERYTHING)
        assert (one.verify().clean, other.verify().clean) == (True, True)
        assert b"s3cret" not in everything_in(tmp_path / "shared")


def test_an_erased_message_goes_from_what_another_machine_had_joined_it_to_before_they_met(
    tmp_path: Path, on_database: str
) -> None:
    folder, words = str(tmp_path / "shared"), (quote("Keys go to zanzibar", "PAY-12/1"),)
    with closing(machine(tmp_path / "one")) as one, closing(machine(tmp_path / "other", day=1)) as other:
        ticket, record = Place(source="jira", anchor="PAY-12"), Place(source="adr", anchor="5.md")
        decided = draft("Keys go to zanzibar", evidence=words)
        one.admit(Admission(place=ticket, basis="1", scope=WORKSPACE, drafts=(decided,), provenance="rules-1"))
        stated = draft("The keys are kept there", evidence=(quote("The keys are kept there", "5.md/1"),))
        known = other.admit(
            Admission(place=record, basis="1", scope=WORKSPACE, drafts=(stated,), provenance="rules-1")
        ).new[0]
        other.add_place(known, ticket, words, scope=WORKSPACE)
        one.redact_turn("jira", "PAY-12/1")

        for memory in (other, one, other, one):
            memory.sync(folder)

        for memory in (one, other):
            assert [(each.title, each.places) for each in memory.decisions(EVERYTHING)] == [
                ("The keys are kept there", (record,))
            ]
        assert one.digest(EVERYTHING) == other.digest(EVERYTHING)
        assert (one.verify().clean, other.verify().clean) == (True, True)
    for home in ("one", "other"):
        assert b"zanzibar" not in held_in(tmp_path / home)
    assert b"zanzibar" not in everything_in(tmp_path / "shared")
