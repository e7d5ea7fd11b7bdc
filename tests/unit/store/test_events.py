"""The bytes that are hashed: once data exists these can't change."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from store.core import events
from store.core.events import Kind
from store.core.ids import canonical, decision_id, element_id, kind_and_name, normal, slug, statement_of
from store.core.model import Alternative, DecisionId, Draft, Person, Place, Quote, Scope, Status, Verdict

MOMENT = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
DRAFT = Draft(
    title="Search stays on Postgres",
    rationale="No second cluster",
    decided_on=date(2026, 3, 4),
    decided_by=(Person(name="Lena", id="U1"),),
    elements=("service:search",),
    sets=(("service:search", "engine", "postgres"),),
    links=(("service:search", "uses", "db:main"),),
    unlinks=(("service:search", "uses", "elasticsearch"),),
    alternatives=(Alternative(option="Elasticsearch", reason="nobody on call knows it"),),
    evidence=(Quote(quote="then we stay on pg", author="Lena", author_id="U1", at=MOMENT, turn_id="C1/1.0"),),
    tags=("search",),
    confidence=93,
)
PLACE = Place(source="slack", anchor="C1/1.0", permalink="https://x/1")


def recorded() -> events.Fact:
    return events.decision_recorded(
        DecisionId("d1"),
        DRAFT,
        place=PLACE,
        ordinal=0,
        basis="1.0",
        provenance="rules-1",
        confirmed=True,
        by=None,
        key="k",
    )


def test_canonical_json_is_one_text_for_one_value() -> None:
    assert canonical({"b": [1, "e\u0301"], "a": ""}) == '{"a":"","b":[1,"é"]}'


@pytest.mark.parametrize("value", [0.93, True, None, b"bytes"])
def test_what_json_spells_in_two_ways_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match=type(value).__name__):
        canonical({"confidence": value})  # type: ignore[dict-item]


def test_a_lone_surrogate_does_not_stop_an_event() -> None:
    assert canonical("a\ud800b") == '"a\ufffdb"'


def test_a_decisions_id_is_that_of_its_statement_at_its_place() -> None:
    statement = (
        '{"alternatives":[["Elasticsearch","nobody on call knows it"]],"elements":["service:search"],'
        '"links":[["service:search","uses","db:main"],["service:search","uses","elasticsearch","ended"]],'
        '"rationale":"No second cluster","sets":[["service:search","engine","postgres"]],"status":"accepted",'
        '"title":"Search stays on Postgres"}'
    )

    id_ = decision_id("slack", "C1/1.0", 0, statement_of(DRAFT))

    assert id_ == hashlib.sha256(f'["slack","C1/1.0",0,{statement}]'.encode()).hexdigest()


def test_a_header_names_its_parts_by_salted_digest_and_holds_no_text() -> None:
    salt = bytes(16)
    bodies = {name: canonical(part) for name, part in recorded().parts.items()}
    digests = {name: events.part_digest(salt, body) for name, body in bodies.items()}

    header = events.header_of(
        recorded(), stream="w1/open/channel:C1", seq=1, prev="", lamport=7, recorded_at=MOMENT, digests=digests
    )

    fields = json.loads(header)
    assert list(fields) == ["about", "kind", "lamport", "parts", "prev", "recorded_at", "seq", "stream", "v"]
    assert fields["recorded_at"] == "2026-03-04T09:00:00.000000Z"
    assert fields["parts"]["meta"] == hashlib.sha256(salt + bodies["meta"].encode()).hexdigest()
    assert sorted(bodies) == ["evidence/0", "meta", "more", "people", "place", "statement"]
    assert "Postgres" not in header
    assert events.event_id(header) == hashlib.sha256(header.encode()).hexdigest()


def test_an_event_reads_back_as_it_was_written() -> None:
    bodies: dict[str, str | None] = {name: canonical(part) for name, part in recorded().parts.items()}
    bodies["people"] = None
    header = events.header_of(
        recorded(),
        stream="w1/closed/channel:C1/x",
        seq=2,
        prev="p",
        lamport=7,
        recorded_at=MOMENT.astimezone(timezone(timedelta(hours=5))),
        digests=dict.fromkeys(bodies, "0"),
    )

    event = events.read_event(header, bodies)

    assert (event.kind, event.seq, event.prev, event.order) == ("DecisionRecorded", 2, "p", (7, event.id))
    assert (event.recorded_at, event.about) == (MOMENT, ("d1",))
    assert event.scope == Scope(id="channel:C1/x", open=False)
    assert events.writer_of(event.stream) == "w1"
    assert event.known
    assert "people" not in event.parts
    assert "people" in event.digests
    assert events.read_quote(event.parts["evidence/0"]) == DRAFT.evidence[0]
    assert events.read_place(event.parts["place"]) == PLACE
    assert events.read_day(event.parts["meta"]["decided_on"]) == DRAFT.decided_on


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 3, 4, 9, 0, 0, 7, tzinfo=UTC), "2026-03-04T09:00:00.000007Z"),
        (datetime(2026, 3, 4, 1, 0, tzinfo=timezone(timedelta(hours=5))), "2026-03-03T20:00:00.000000Z"),
        (datetime(1, 1, 2, tzinfo=UTC), "0001-01-02T00:00:00.000000Z"),
    ],
)
def test_a_moment_is_text_in_utc_that_sorts_by_time(moment: datetime, text: str) -> None:
    assert events.instant(moment) == text
    assert events.read_instant(text) == moment


def test_each_kind_of_fact_is_about_what_it_names() -> None:
    lena = Person(name="Lena", id="U1")
    facts = [
        events.evidence_added("d1", DRAFT.evidence, place=PLACE, key="k"),
        events.decision_superseded("d1", older="d2", why="person", by=lena),
        events.decision_superseded("d1", ref="adr:1", why="ref"),
        events.citation_added("d1", cited="d2"),
        events.word_on(Kind.DECISION_RETRACTED, "d1", by=lena, reason="no"),
        events.word_on(Kind.DECISION_RETRACTED, "d1", by=None),
        events.outcome_observed("d1", voter=lena, verdict=Verdict.FAILED, counts=True, reason="", at=MOMENT, key="k"),
        events.outcome_withdrawn("d1", voter=lena, key="k"),
        events.same_as("d2", "d1", by=lena),
        events.same_as("d1", "d2", by=None),
        events.conflict_noted("d2", "d1", quotes=("two", "one"), by=lena),
        events.conflict_noted("d1", "d2", quotes=("one", "two"), by=None),
        events.mention_resolved(Kind.MENTION_RESOLVED, "search svc", "service:search", method="rrf", score=41),
        events.rejection_given(
            None, node="n", recommendation="r", category="c", reason="w", role="member", by=lena, key="k"
        ),
        events.setting_changed("channel:C1:mode", "off", by=lena),
        events.text_redacted({"e1": ("statement",)}, decisions=("d1",), place=PLACE, turn=("slack", "C1/1.0")),
    ]

    about = [fact.about for fact in facts]

    both = ("d1", "d2")
    assert about[:6] == [("d1",), both, ("d1",), both, ("d1",), ("d1",)]
    assert about[6:] == [("d1",), ("d1",), both, both, both, both, (), (), (), ("e1", "d1")]
    assert facts[10].parts["word"]["quotes"] == facts[11].parts["word"]["quotes"] == ["one", "two"]  # type: ignore[index,call-overload]
    assert all(canonical(part) for fact in facts for part in fact.parts.values())


def test_who_acted_stands_in_a_part_of_its_own() -> None:
    lena = Person(name="Lena", id="U1")

    fact = events.decision_recorded(
        DecisionId("d1"),
        Draft(title="T"),
        place=PLACE,
        ordinal=0,
        basis="",
        provenance="",
        confirmed=False,
        by=lena,
        key="",
    )

    assert fact.parts["people"] == {"decided_by": [], "by": {"name": "Lena", "id": "U1"}}
    assert fact.parts["meta"] == {"confidence": 100, "provenance": "", "confirmed": 0}


@pytest.mark.parametrize(
    ("written", "compared"),
    [
        ("Service: Search-API", "service:search-api"),
        ("  the   Payment\u00a0API ", "the payment api"),
        ("Cafe\u0301", "café"),
        ("STRASSE", "strasse"),
    ],
)
def test_mentions_are_compared_in_one_form(written: str, compared: str) -> None:
    assert normal(written) == compared


def test_an_elements_id_is_readable_only_if_it_was_met_in_the_open() -> None:
    assert element_id("service:Payment API", open_=True) == "ent-service-payment-api"
    assert element_id("service:Payment API", open_=False) == element_id("service:payment api", open_=False)
    assert "payment" not in element_id("service:Payment API", open_=False)
    assert element_id("🔥", open_=True) == element_id("🔥", open_=False)


def test_a_bare_mention_has_no_kind() -> None:
    assert kind_and_name("service:search") == ("service", "search")
    assert kind_and_name(" search ") == ("", "search")
    assert kind_and_name("odd:") == ("", "odd:")
    assert slug("Search  API / v2") == "search-api-v2"


def test_a_scope_is_named_by_its_setting() -> None:
    assert events.scope_of_setting(events.openness_setting("channel:C1")) == "channel:C1"
    assert events.scope_of_setting("channel:C1:mode") == ""


def test_a_status_is_part_of_what_is_said() -> None:
    assert statement_of(Draft(title="T", status=Status.PROPOSED)) != statement_of(Draft(title="T"))
