"""Which changes are structure: over made-up sessions, half a hundred of which decide nothing."""

import pytest

from bot.structure import FileChange, structural, told
from tests.builders_edits import ORDINARY, STRUCTURAL, Edit

MOST_FALSE = 0.02


def test_there_are_fifty_ordinary_sessions_and_hardly_one_is_taken_for_structure() -> None:
    taken = {each.name: structural(each.changes) for each in ORDINARY if structural(each.changes)}

    assert len(ORDINARY) == 50
    assert len(taken) <= MOST_FALSE * len(ORDINARY), taken


@pytest.mark.parametrize("session", STRUCTURAL, ids=lambda each: each.name)
def test_what_changes_how_something_is_built_is_structure(session: Edit) -> None:
    assert structural(session.changes)


def test_what_is_structure_is_told_in_a_line() -> None:
    assert told(["a", "b", "c", "d"]) == "a; b; c and 1 more"


@pytest.mark.parametrize("path", ["package.json", "pyproject.toml", "Cargo.toml"])
def test_a_manifest_that_cannot_be_read_stops_nobody(path: str) -> None:
    assert structural([FileChange(path=path, before="{", after="}")]) == ()
