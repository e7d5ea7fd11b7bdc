from datetime import UTC, date, datetime

from bot.evidence import MOST_LINES, MOST_QUOTE_CHARS, evidence_of, is_near, is_unsure, people_of, standing_of, words_of
from store import (
    WORKSPACE,
    Decision,
    DecisionId,
    Person,
    Place,
    Quote,
    Ranked,
    Reason,
    State,
    Status,
    Verdict,
    Voices,
)

NOW = datetime(2026, 3, 4, 10, tzinfo=UTC)


def decision(number: int = 1, **more: object) -> Decision:
    fields: dict[str, object] = {
        "id": DecisionId(f"d{number}"),
        "title": f"Decision {number}",
        "place": Place(source="record", anchor=f"r{number}", ref=f"r{number}"),
        "scope": WORKSPACE,
        "status": Status.ACCEPTED,
        "state": State.CURRENT,
        "confirmed": True,
        "recorded_at": NOW,
        **more,
    }
    return Decision(**fields)  # type: ignore[arg-type]


def ranked(number: int = 1, **more: object) -> Ranked:
    return Ranked(decision=decision(number, **more), score=1.0 / number, reasons=(Reason(name="words", value=0.61),))


def quotes(*texts: str) -> tuple[Quote, ...]:
    return tuple(Quote(quote=text, author="Lena", at=NOW) for text in texts)


def label(place: Place) -> str:
    return place.ref


def test_a_decision_that_fits_little_is_unsure_whatever_came_of_it() -> None:
    meant = Reason(name="meaning", value=0.3)
    failed = Reason(name="outcome", value=0.3)

    far = Ranked(decision=decision(), score=0.1, reasons=(meant,))
    near = Ranked(decision=decision(), score=0.06, reasons=(meant, failed))
    by_words = Ranked(decision=decision(), score=0.01, reasons=(Reason(name="words", value=0.2),))

    assert [is_unsure(each, "why Postgres?") for each in (far, near, by_words)] == [True, False, False]


def test_a_decision_with_half_of_the_words_asked_for_is_sure() -> None:
    one = Ranked(
        decision=decision(title="Search stays on Postgres"), score=0.05, reasons=(Reason(name="meaning", value=0.3),)
    )

    assert not is_unsure(one, "why Postgres for invoices?")
    assert is_unsure(one, "why do invoices leave on Mondays?")


def test_what_merely_comes_first_is_not_called_near() -> None:
    payroll, sockets = decision(title="Payroll export by SFTP"), decision(title="SSE with polling as the fallback")
    asked = "which payroll system do we use in 2026?"

    assert is_near(Ranked(decision=payroll, score=0.2), asked)
    assert not is_near(Ranked(decision=sockets, score=0.3, reasons=(Reason(name="meaning", value=0.4),)), asked)
    assert is_near(Ranked(decision=sockets, score=0.3, reasons=(Reason(name="meaning", value=0.6),)), asked)


def test_lines_are_numbered_from_one_and_each_decision_has_one() -> None:
    lines = evidence_of([ranked(1), ranked(2)], label=label)

    assert [(line.n, line.decision.id) for line in lines] == [(1, "d1"), (2, "d2")]


def test_the_first_decision_may_show_three_quotes_and_the_others_two() -> None:
    many = quotes("one thing", "another thing", "a third thing", "a fourth thing")

    lines = evidence_of([ranked(1, evidence=many), ranked(2, evidence=many)], label=label)

    assert [line.decision.id for line in lines] == ["d1", "d1", "d1", "d2", "d2"]
    assert [line.n for line in lines] == [1, 2, 3, 4, 5]


def test_there_are_never_more_than_ten_lines_and_no_decision_goes_without() -> None:
    many = quotes("one thing", "another thing", "a third thing")

    lines = evidence_of([ranked(number, evidence=many) for number in range(1, 8)], label=label)

    assert len(lines) == MOST_LINES
    assert {line.decision.id for line in lines} == {f"d{number}" for number in range(1, 8)}


def test_a_record_without_quotes_is_quoted_by_its_own_reason_then_text_then_title() -> None:
    lines = evidence_of(
        [ranked(1, rationale="because", text="source"), ranked(2, text="source"), ranked(3)], label=label
    )

    assert [line.quote for line in lines] == ["because", "source", "Decision 3"]


def test_a_long_quote_is_cut_at_a_sentence_and_stays_verbatim() -> None:
    text = "A sentence that is somewhat long. " * 40

    (line,) = evidence_of([ranked(1, rationale=text)], label=label)

    assert len(line.quote) <= MOST_QUOTE_CHARS
    assert line.quote.endswith(".")
    assert line.quote in text


def test_a_text_without_spaces_is_cut_too() -> None:
    (line,) = evidence_of([ranked(1, rationale="検" * 5000)], label=label)

    assert line.quote == "検" * MOST_QUOTE_CHARS


def test_a_claim_may_rest_on_what_the_decision_says_of_itself() -> None:
    (line,) = evidence_of(
        [
            ranked(
                1,
                decided_by=(Person(name="Omar"),),
                decided_on=date(2026, 3, 4),
                voices=Voices(failed=2, label=Verdict.FAILED),
            )
        ],
        label=label,
    )

    words = words_of(line)
    for said in ("Omar", "4 Mar 2026", "failed", "2 people"):
        assert said in words


def test_what_is_not_in_force_says_so() -> None:
    assert standing_of(decision()) == ""
    assert standing_of(decision(state=State.SUPERSEDED)) == "superseded"
    assert standing_of(decision(status=Status.REJECTED)) == "rejected"


def test_deciders_are_named_before_those_who_are_quoted_and_each_once() -> None:
    decided = decision(1, decided_by=(Person(name="Ana"),), evidence=quotes("x y z"))

    assert people_of([decided, decision(2, evidence=quotes("a", "b")), decided]) == ("Ana", "Lena")


def test_a_place_of_others_that_states_the_same_has_a_line_of_its_own_after_the_deciding_words() -> None:
    twin = decision(2, evidence=quotes("written down"))
    one = Ranked(decision=decision(evidence=quotes("decided", "because")), score=1.0, also=(twin,))

    lines = evidence_of((one,), label=label)

    assert [(line.quote, line.decision.id, line.label, line.same_as) for line in lines] == [
        ("decided", "d1", "r1", ""),
        ("written down", "d2", "r2", "d1"),
        ("because", "d1", "r1", ""),
    ]


def test_each_place_of_a_decision_is_quoted_first_and_called_by_its_own_name() -> None:
    places = (Place(source="record", anchor="r1", ref="r1"), Place(source="jira", anchor="PAY-12", ref="PAY-12"))
    said = (Quote(quote="decided", turn_id="r1/1"), Quote(quote="because"), Quote(quote="agreed", turn_id="PAY-12#1"))

    lines = evidence_of((ranked(evidence=said, places=places),), label=label)

    assert [(line.quote, line.label) for line in lines] == [("decided", "r1"), ("agreed", "PAY-12"), ("because", "r1")]
