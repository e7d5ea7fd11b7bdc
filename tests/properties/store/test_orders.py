"""In whichever order things come, the same stands: a log is a set, and an import begins at either end."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.backfill import import_threads
from bot.offline import OfflineExtractor
from bot.sources.slack_export import SlackExport
from store import EVERYTHING, PUBLIC, WORKSPACE, Admission, Draft, Memory, Person, Place, Scope, Status
from tests.builders_company import COMPANY, truth
from tests.builders_log import counted_salt, memory_in
from tests.builders_steps import Step, steps
from tests.properties.store.test_log import FEW, homes


@FEW
@given(st.lists(steps(), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_a_log_without_an_event_is_the_log_that_never_saw_it_until_it_comes(done: list[Step], chance: Any) -> None:
    with homes() as home:
        whole = memory_in(home / "whole", salt=counted_salt())
        for step in done:
            step(whole)
        everything = list(whole.envelopes())
        if not everything:
            whole.close()
            return
        late = everything.pop(chance.randrange(len(everything)))

        shuffled, in_order = memory_in(home / "shuffled"), memory_in(home / "in order")
        for one in chance.sample(everything, len(everything)):
            shuffled.receive([one])
        in_order.receive(everything)
        without = [each.digest(EVERYTHING) for each in (shuffled, in_order)]
        in_order.rebuild()
        shuffled.receive([late])

        assert without == [in_order.digest(EVERYTHING)] * 2
        assert shuffled.digest(EVERYTHING) == whole.digest(EVERYTHING)
        for memory in (whole, shuffled, in_order):
            memory.close()


def records() -> list[Admission]:
    """Return the company's true decisions, oldest first, as records that name what they replace and cite."""
    found = []
    chains = _chains()
    for one in sorted(truth("decisions.jsonl"), key=lambda each: (each["decided_on"], each["id"])):
        channel = one["visibility"].partition("private:")[2]
        element = one["elements"][0] if one["elements"] else "company"
        draft = Draft(
            title=one["title"],
            rationale=one["rationale"],
            status=Status(one["status"]),
            decided_on=date.fromisoformat(one["decided_on"]),
            decided_by=tuple(Person(name=name) for name in one["decided_by"]),
            elements=tuple(one["elements"]),
            sets=((element, f"choice {chains[one['id']]}", one["title"]),) if one["id"] in chains else (),
            supersedes=tuple(one["supersedes"]),
            cites=tuple(one["cites"]),
        )
        scope = Scope(id=f"channel:{channel}", open=False) if channel else WORKSPACE
        place = Place(source="record", anchor=one["id"], ref=one["id"])
        found.append(
            Admission(
                place=place, basis="1", scope=scope, drafts=(draft,), provenance="file", recorded_from="ingest",
            )
        )  # fmt: skip
    return found


def _chains() -> dict[str, str]:
    """The first of its chain, by decision that replaces or is replaced: all of one chain set one property."""
    first: dict[str, str] = {}
    for one in sorted(truth("decisions.jsonl"), key=lambda each: each["decided_on"]):
        if one["supersedes"] or one["superseded_by"]:
            first[one["id"]] = next((first[older] for older in one["supersedes"] if older in first), one["id"])
    return first


def told(memory: Memory) -> dict[str, Any]:
    """Return what stands: decisions with their states, heads of each element, conflicts; to all and to the public."""
    return {
        name: {
            "states": sorted((one.id, one.title, one.state, one.confirmed) for one in memory.decisions(reader)),
            "heads": {
                view.element: (sorted(one.title for one in view.decisions), sorted(set(view.properties)), view.links)
                for view in memory.heads((), reader)
            },
            "conflicts": sorted(sorted(one.id for one in each.heads) for each in memory.conflicts(reader)),
        }
        for name, reader in (("all", EVERYTHING), ("public", PUBLIC))
    }


@pytest.mark.skipif(not COMPANY.exists(), reason="the sample company lies beside the repository")
def test_the_company_imported_newest_first_stands_as_it_does_oldest_first(tmp_path: Path) -> None:
    outcomes = []
    for newest_first in (False, True):
        memory = memory_in(tmp_path / str(newest_first))
        in_order: Iterable[Admission] = reversed(records()) if newest_first else records()
        list(memory.ingest(in_order))
        with SlackExport(COMPANY / "slack_export") as export:
            import_threads(memory, OfflineExtractor(), export, pause=lambda _seconds: None, newest_first=newest_first)

        outcomes.append(told(memory))
        memory.close()

    oldest, newest = outcomes
    assert len(oldest["all"]["states"]) > 100
    assert {state for _, _, state, _ in oldest["public"]["states"]} == {"current", "superseded"}
    assert newest == oldest
