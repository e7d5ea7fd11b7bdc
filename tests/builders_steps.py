"""Builders for property tests: what people may do to a memory, drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from store import EVERYTHING, Draft, Memory, Place, Status, Verdict
from tests.builders_log import EXEC, LENA, NOW, OMAR, SEARCH, admission, draft, quote, setting

Step = Callable[[Memory], Any]

titles = st.sampled_from(["Postgres", "Elasticsearch", "Typesense", "Nightly reindex", "Hourly reindex"])
places = st.sampled_from(["C1/1.0", "C1/2.0", "C2/3.0"])
people = st.sampled_from([LENA, OMAR])
statuses = st.sampled_from([Status.ACCEPTED, Status.ACCEPTED, Status.PROPOSED, Status.REJECTED])


@st.composite
def drafts(make: st.DrawFn) -> Draft:
    return setting(
        make(st.sampled_from(["3", "5", "backoff"])),
        title=make(titles),
        day=make(st.integers(1, 9)),
        status=make(statuses),
        supersedes=make(st.sampled_from([(), ("adr:1",), ("adr:2",)])),
        cites=make(st.sampled_from([(), ("adr:1",)])),
        evidence=(quote("then we stay", make(st.sampled_from(["C1/1.0", "C1/1.5", "C2/3.0"]))),),
    )


_KINDS = (
    "admit",
    "admit",
    "admit",
    "retract",
    "vote",
    "replace",
    "redact",
    "forget",
    "close",
    "edit",
    "undo",
    "contest",
    "again",
    "again",
    "apart",
)


@st.composite
def steps(make: st.DrawFn) -> Step:
    kind = make(st.sampled_from(_KINDS))
    if kind == "admit":
        anchor, basis = make(places), str(make(st.integers(1, 3)))
        proposed = tuple(make(st.lists(drafts(), max_size=2)))
        scope = EXEC if anchor == "C2/3.0" else SEARCH
        return lambda memory: memory.admit(admission(*proposed, anchor=anchor, basis=basis, scope=scope))
    pick, other, person = make(st.integers(0, 9)), make(st.integers(0, 9)), make(people)
    verdict = make(st.sampled_from(list(Verdict)))
    told, there = make(drafts()), make(places)

    def step(memory: Memory) -> None:
        known = sorted(each.id for each in memory.decisions(EVERYTHING))
        if kind == "close":
            memory.set_setting("scope:channel:SEARCH:open", "no" if pick % 2 else "yes", by=LENA)
        if not known:
            return
        one, two = known[pick % len(known)], known[other % len(known)]
        match kind:
            case "retract":
                (memory.retract if pick % 2 else memory.restore)(one, by=person)
            case "vote":
                memory.observe_outcome(
                    one, voter=person, verdict=verdict, counts=False, key=f"v:{person.id}", scope=SEARCH, at=NOW
                )
            case "replace":
                memory.supersede(one, two, by=person)
            case "edit":
                memory.revise(one, draft(f"By hand {other % 2}"), by=person)
            case "undo":
                memory.unrevise(one, by=person)
                memory.withdraw_supersession(one, two, by=person)
                (memory.withdraw_confirmation if pick % 2 else memory.confirm)(two, by=person)
            case "contest" if one != two:
                if pick % 2:
                    memory.note_conflict(one, two, quotes=("", ""), by=person)
                else:
                    memory.settle_conflict(one, two, by=person)
            case "again":
                scope = EXEC if there == "C2/3.0" else SEARCH
                said = replace(told, same_as=one)
                if same := memory.decision(one, EVERYTHING):  # rules take nothing for the same that differs in these
                    said = replace(said, sets=same.sets, status=same.status)
                memory.admit(admission(said, anchor=there, basis=f"again{other}", scope=scope))
            case "apart":
                memory.withdraw_place(one, Place(source="slack", anchor=there), by=person)
                found = [memory.decision(each, EVERYTHING) for each in (one, two)]
                if one != two and len({(each.sets, each.status) for each in found if each}) == 1:
                    (memory.say_same if pick % 2 else memory.hold_apart)(one, two, by=person)
            case "redact":
                memory.redact_turn("slack", "C1/1.5")
            case "forget" if pick == 0:
                memory.forget_decision(one)

    return step
