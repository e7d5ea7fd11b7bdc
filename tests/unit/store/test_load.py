"""The load that speed is measured on is a log like any other, and the same one everywhere."""

import json
from collections import Counter

from store.bench.load import VOCABULARY, Load, facts, vocabulary
from store.core.events import event_id, part_digest, read_event
from store.core.ids import canonical, decision_id

SMALL = Load(decisions=600, elements=40, writers=3)


def test_every_fact_of_the_load_is_hashed_as_the_log_hashes() -> None:
    made = list(facts(SMALL))

    tips: dict[str, tuple[int, str]] = {}
    for header, parts in made:
        event = read_event(header, {name: body for name, (_, body) in parts.items()})
        assert canonical(json.loads(header)) == header
        assert all(canonical(json.loads(body)) == body for _, body in parts.values())
        assert event.digests == {name: part_digest(*part) for name, part in parts.items()}
        assert (event.seq - 1, event.prev) == tips.get(event.stream, (0, ""))
        tips[event.stream] = (event.seq, event_id(header))
    assert len(tips) == SMALL.writers


def test_every_decision_of_the_load_is_named_by_what_it_says() -> None:
    made = [read_event(header, {name: body for name, (_, body) in parts.items()}) for header, parts in facts(SMALL)]

    recorded = [each for each in made if each.kind == "DecisionRecorded"]
    assert [each.about[0] for each in recorded] == [
        decision_id("file", "", 0, each.parts["statement"]) for each in recorded
    ]
    assert len({each.about for each in recorded}) == SMALL.decisions


def test_the_load_has_the_shares_that_it_promises() -> None:
    drafts = list(SMALL.drafts())

    assert Counter(draft.elements for draft in drafts) == {(name,): 15 for name in SMALL.names}
    assert sum(bool(draft.links) for draft in drafts) == 200
    assert sum(bool(draft.sets) for draft in drafts) == 120


def test_drafts_and_facts_of_one_load_say_the_same() -> None:
    statements = [json.loads(parts["statement"][1]) for _, parts in facts(SMALL) if "statement" in parts]

    drafts = list(SMALL.drafts())

    assert [each["rationale"] for each in statements[:5]] == [draft.rationale for draft in drafts[:5]]


def test_the_same_seed_makes_the_same_bytes_and_another_one_others() -> None:
    again, other = Load(decisions=50, elements=40, writers=3), Load(decisions=50, elements=40, writers=3, seed=2)

    assert list(facts(again)) == list(facts(Load(decisions=50, elements=40, writers=3)))
    assert not {header for header, _ in facts(again)} & {header for header, _ in facts(other)}


def test_words_of_the_load_are_distinct() -> None:
    assert len(set(vocabulary())) == VOCABULARY
