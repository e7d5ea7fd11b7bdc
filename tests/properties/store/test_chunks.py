"""What holds of admitting many at once: the log is byte for byte what the same admissions one by one give."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from store import EVERYTHING, WORKSPACE, Admission, Admitted, Draft, Memory, Place, Status, Verdict
from store.core.ids import decision_id, statement_of
from store.sql.admitting import admit_all
from tests.builders_log import EXEC, LENA, NOW, SEARCH, counted_salt, draft, memory_in, quote

FEW = settings(
    max_examples=12,  # each opens two databases
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
PINNED = draft("A pinned one", sets=(("service:search", "retries", "1"),))
PINNED_ID = decision_id("slack", "", 0, statement_of(PINNED))
NAMES = ("adr:1", "adr:2", PINNED_ID)


@st.composite
def drafts(make: st.DrawFn) -> Draft:
    elements = st.sampled_from(["service:search", "Search", "service:pay"])
    sets = make(st.dictionaries(st.tuples(elements, st.sampled_from(["retries", "engine"])), st.sampled_from("12")))
    return draft(
        make(st.sampled_from(["Retries stay", "Engine stays", "Nightly reindex"])),
        sets=tuple((element, name, value) for (element, name), value in sets.items()),
        status=make(st.sampled_from([Status.ACCEPTED, Status.ACCEPTED, Status.ACCEPTED, Status.PROPOSED])),
        decided_on=make(st.sampled_from([None, date(2026, 3, 1), date(2026, 3, 2), date(2026, 3, 3)])),
        supersedes=make(st.lists(st.sampled_from(NAMES), max_size=1).map(tuple)),
        cites=make(st.lists(st.sampled_from(NAMES), max_size=1).map(tuple)),
        outcome=make(st.sampled_from([None, None, Verdict.WORKED])),
        evidence=make(st.sampled_from([(), (quote("so we stay", "C1/1.5"),)])),
    )


@st.composite
def admissions(make: st.DrawFn) -> Admission:
    anchor = make(st.sampled_from(["", "", "adr:1", "adr:2", "adr:3"]))
    return Admission(
        place=Place(source="slack", anchor=anchor, ref=anchor),
        basis=make(st.sampled_from("12")),
        scope=make(st.sampled_from([WORKSPACE, SEARCH, EXEC, EXEC])),
        drafts=tuple(make(st.lists(drafts(), min_size=1, max_size=2))),
        provenance="rules-1",
        recorded_from=make(st.sampled_from(["capture", "ingest", "record"])),
    )


def _before(memory: Memory, kinds: Sequence[str]) -> None:
    """Do what an admission may meet, the same in both memories."""
    memory.admit(
        Admission(place=Place(source="slack", anchor=""), basis="", scope=SEARCH, drafts=(PINNED,), provenance="p")
    )
    for kind in kinds:
        match kind:
            case "close":
                memory.set_setting("scope:channel:SEARCH:open", "no", by=LENA)
            case "merge":
                memory.resolve_mention("Search", "service:search", by=LENA)
            case "retract":
                memory.retract(PINNED_ID, by=LENA)
            case "redact":
                memory.redact_turn("slack", "C1/1.5")
            case "forget":
                memory.forget_decision(PINNED_ID)


@FEW
@given(
    before=st.lists(st.sampled_from(["close", "merge", "merge", "retract", "redact", "forget"]), max_size=2),
    given=st.lists(admissions(), min_size=1, max_size=12),
    cuts=st.sets(st.integers(1, 11)),
)
def test_a_chunk_says_what_its_admissions_say_one_by_one(
    before: list[str], given: list[Admission], cuts: set[int]
) -> None:
    logs, digests, results = [], [], []
    for bounds in (range(len(given) + 1), sorted({0, *(cut for cut in cuts if cut < len(given)), len(given)})):
        with tempfile.TemporaryDirectory() as home:
            memory = memory_in(Path(home), clock=lambda: NOW, salt=counted_salt())
            _before(memory, before)
            seen: Counter[str] = Counter()
            admitted: list[Admitted] = []
            for first, last in pairwise(bounds):
                with memory._writing() as tx:
                    admitted += admit_all(tx, given[first:last], seen)
            logs.append(memory.envelopes())
            digests.append(memory.digest(EVERYTHING))
            results.append(admitted)
            sound = memory.verify()
            memory.close()
            assert not sound.faults

    assert results[0] == results[1]
    assert logs[0] == logs[1]
    assert digests[0] == digests[1]
