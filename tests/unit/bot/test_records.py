import json
from datetime import UTC, date, datetime

import pytest

from bot.errors import UnreadableDocument
from bot.sources.records import record_of
from store import Alternative, Status, Verdict


def line(**fields: object) -> str:
    return json.dumps({"title": "Search stays on Postgres", **fields})


def test_a_title_is_enough() -> None:
    record = record_of(line())

    assert (record.draft.title, record.draft.status, record.draft.confidence) == (
        "Search stays on Postgres",
        Status.ACCEPTED,
        100,
    )
    assert (record.place.anchor, record.channel) == ("", None)


def test_every_field_of_the_contract_is_read() -> None:
    record = record_of(
        line(
            rationale="no second cluster",
            status="rejected",
            decided_on="2026-05-02",
            decided_by=["Lena", "Omar"],
            elements=["service:search-api"],
            sets={"service:search-api.retry_policy": "backoff"},
            links=[["service:a", "depends_on", "service:b"]],
            alternatives=[{"option": "Elasticsearch", "reason": "nobody on call knows it"}],
            confidence=0.9,
            ref="adr:0007",
            scope="private:exec",
            evidence=[{"quote": "we stay", "author": "Lena", "at": "2026-05-02T10:00:00Z", "permalink": "https://x/1"}],
            supersedes=["adr:0003"],
            outcome="failed",
        )
    )

    draft = record.draft
    assert draft.sets == (("service:search-api", "retry_policy", "backoff"),)
    assert draft.links == (("service:a", "depends_on", "service:b"),)
    assert draft.alternatives == (Alternative(option="Elasticsearch", reason="nobody on call knows it"),)
    assert (draft.status, draft.decided_on, draft.confidence) == (Status.REJECTED, date(2026, 5, 2), 90)
    assert draft.evidence[0].at == datetime(2026, 5, 2, 10, tzinfo=UTC)
    assert (draft.supersedes, draft.outcome) == (("adr:0003",), Verdict.FAILED)
    assert (record.place.anchor, record.place.ref, record.channel) == ("adr:0007", "adr:0007", "exec")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"title": "a"', "not JSON"),
        ("[]", "not a JSON object"),
        ('"title"', "not a JSON object"),
        ('{"confidence": NaN, "title": "a"}', "NaN is no number"),
        ("[" * 100_000, "nested too deeply"),
        ('{"title": "a", "title": "b"}', "'title' is given twice"),
        ('{"title": "a", "confidence": ' + "9" * 5000 + "}", "a number of thousands of digits"),
        (line(title="a", decided_on="0001-01-01T00:00:00+14:00"), "decided_on"),
        (line(evidence=[{"quote": "q", "at": "9999-12-31T23:59:59-14:00"}]), "evidence: at"),
        ('{"title": "a", "sets": {"\\ud800.b": "c"}}', "sets: holds a character that is none"),
        (line(title=""), "title: missing or empty"),
        (line(title="  \n "), "title: missing or empty"),
        (line(title=7), "title: a number, where a string belongs"),
        (line(title="x" * 3000), "title: longer than 2,000"),
        (line(decided_on="2023-13-10"), "decided_on: '2023-13-10' is not a date"),
        (line(decided_on="yesterday"), "decided_on"),
        (line(decided_on="2026-02-30"), "decided_on"),
        (line(decided_on=20260502), "decided_on: a number"),
        (line(status="maybe"), "status: 'maybe' is none of accepted"),
        (line(outcome="great"), "outcome"),
        (line(confidence=1.5), "confidence"),
        (line(confidence=True), "confidence"),
        (line(confidence="high"), "confidence"),
        (line(elements="service:a"), "elements: a string, where a list belongs"),
        (line(elements=[1]), "elements: a number"),
        (line(sets={"retry": "3"}), "sets: 'retry' is not ELEMENT.PROPERTY"),
        (line(sets=["a.b"]), "sets: a list, where an object belongs"),
        (line(links=[["a", "b"]]), 'links: an entry is not [FROM, RELATION, TO]: ["a", "b"]'),
        (line(links=[["a", "b", "service:"]]), "links: 'service:' is not KIND:NAME"),
        (line(elements=[": a"]), "elements: ': a' is not KIND:NAME"),
        (line(sets={"service:.retries": "3"}), "sets: 'service:' is not KIND:NAME"),
        (line(sets={"a.b": "1", "A.B": "2"}), "sets: 'A.B' is set twice; case and spaces make no second property"),
        (line(sets={"a.paths": "!b"}), "sets: 'a.paths': '!b' leaves files out; a claim names what it claims"),
        (line(links=[["a", "", "b"]]), "links: an entry has an empty part"),
        (line(alternatives=[7]), "alternatives"),
        (line(alternatives=[{"reason": "r"}]), "alternatives: an entry without an option"),
        (line(evidence=[{"author": "Lena"}]), "evidence: an entry without a quote"),
        (line(evidence=[{"quote": "q", "at": "noon"}]), "evidence: at: 'noon' is not a time"),
        (line(scope="secret"), "scope: 'secret' is neither public nor private:CHANNEL"),
        (line(scope="private:"), "scope"),
        (line(ref="a\nb"), "ref: holds a line break"),
        (line(title="a\x00b"), "holds a character that is none"),
        ('{"title": "\\ud800"}', "holds a character that is none"),
    ],
)
def test_a_broken_record_is_refused_with_the_rule_that_it_breaks(text: str, rule: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        record_of(text)

    assert rule in str(refused.value)


def test_the_version_of_a_record_depends_on_what_it_says_and_not_on_the_order_of_its_fields() -> None:
    one = record_of('{"title": "a", "rationale": "b"}')

    assert one.basis == record_of('{"rationale": "b", "title": "a", "tags": []}').basis
    assert one.basis != record_of('{"title": "a", "rationale": "c"}').basis


def test_fields_that_only_reading_gives_are_passed_over_and_unknown_ones_are_named() -> None:
    record = record_of(line(id="abc", state="current", rational="typo"))

    assert record.unread == ("rational",)


def test_values_that_are_numbers_or_truths_are_set_as_text() -> None:
    record = record_of(line(sets={"service:a.retries": 3, "service:a.on": True}))

    assert {value for _, _, value in record.draft.sets} == {"3", "true"}
