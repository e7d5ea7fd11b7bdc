"""A question ends in a cited answer, or in the plain word that nothing is recorded; never in a failure."""

from datetime import date
from typing import cast

import pytest

from bot.answer import EMPTY_STORE, LATE, UNABLE, UNHELD, WORDS_ONLY, Answers
from bot.answer_shape import NOTHING, answer_json, answer_text
from bot.errors import Permanent, Transient
from bot.ports import Claim, ClaimKind, Evidence, Synthesis, Synthesiser
from store import NOBODY, PUBLIC, WORKSPACE, Decision, Memory, Person, Question, Ranked, Reader, Recall, Verdict
from tests.builders_verbs import EXEC, NOW, Quoting, ScriptedSynthesiser, record

WHY_POSTGRES = "Why does search stay on Postgres?"
RATIONALE = "Nobody on call knows Elasticsearch; trigrams get us to 80 ms"


def answers(memory: Memory, synthesiser: Synthesiser | None = None) -> Answers:
    offline = Quoting()
    return Answers(memory, synthesiser or offline, offline, lambda: NOW)


def claim(text: str, *citations: int) -> Claim:
    return Claim(kind=ClaimKind.HEADLINE, text=text, citations=citations)


OTHERS = (
    "The office closes on Fridays", "Invoices go out monthly", "Coffee comes from Riga", "Badges are printed in Tartu",
    "Laptops are replaced yearly", "Holidays roll over", "Interviews take two rounds", "Standups are written",
    "Lunch is at noon", "Parking is by lottery", "Plants are watered on Mondays", "Phones stay silent",
)  # fmt: skip
"""A dozen other decisions: a word that half of all rows hold weighs nothing."""


@pytest.fixture
def memory(memory: Memory) -> Memory:
    for title in OTHERS:
        record(memory, title)
    return memory


@pytest.fixture
def postgres(memory: Memory) -> str:
    return record(memory, "Search stays on Postgres", ref="adr:1", rationale=RATIONALE, by=[Person(name="Lena")])


def test_an_answer_cites_the_quote_that_it_rests_on(memory: Memory, postgres: str) -> None:
    answer = answers(memory).ask(WHY_POSTGRES, PUBLIC)

    assert (answer.shape, answer.main) == ("sure", postgres)
    cited = {number for one in answer.claims for number in one.citations}
    assert cited <= {line.n for line in answer.evidence}
    assert answer.evidence[0].quote == RATIONALE


class LastFirst(Quoting):
    """Words an answer from the last line, and gives the first line's quote after it."""

    def synthesise(
        self, question: str, evidence: tuple[Evidence, ...], *, contested: bool, deadline_s: float
    ) -> Synthesis:
        """Return the last decision, then the first one's words."""
        last, first = evidence[-1], evidence[0]
        return Synthesis(
            claims=(
                Claim(kind=ClaimKind.HEADLINE, text=last.decision.title, citations=(last.n,)),
                Claim(kind=ClaimKind.WHY, text=f'"{first.quote}"', citations=(first.n,)),
            )
        )


def test_sources_are_numbered_in_the_order_in_which_the_answer_cites_them(memory: Memory, postgres: str) -> None:
    record(memory, "Search on Postgres uses trigrams", rationale="Trigrams search Postgres in 80 ms")

    answer = Answers(memory, LastFirst(), LastFirst(), lambda: NOW).ask(WHY_POSTGRES, PUBLIC)

    lines = {line.n: line for line in answer.evidence}
    assert [claim.citations for claim in answer.claims] == [(1,), (2,)]
    assert [line.n for line in answer.evidence] == list(range(1, len(lines) + 1))
    assert (lines[2].decision.id, lines[2].quote) == (postgres, RATIONALE)
    assert answer.main == lines[1].decision.id
    assert answer.claims[0].text == lines[1].decision.title
    assert answer.claims[1].text == f'"{lines[2].quote}"'


def test_the_document_has_the_shape_that_others_build_on(memory: Memory, postgres: str) -> None:
    document = answer_json(answers(memory).ask(WHY_POSTGRES, PUBLIC))

    wanted = {
        "success",
        "response",
        "session",
        "abstained",
        "claims",
        "evidence",
        "recommendations",
        "who_might_know",
        "ms",
        "learning",
    }
    assert wanted <= document.keys()
    evidence = document["evidence"]
    assert isinstance(evidence, list)
    assert {
        "n",
        "id",
        "ref",
        "title",
        "state",
        "outcome",
        "cautionary",
        "quote",
        "permalink",
        "score",
        "reasons",
    } <= evidence[0].keys()


@pytest.mark.parametrize(("failure", "notice"), [(Transient("slow"), LATE), (Permanent("refused"), UNABLE)])
def test_a_model_that_fails_leaves_a_quoted_answer_and_one_line_why(
    memory: Memory, postgres: str, failure: Transient | Permanent, notice: str
) -> None:
    answer = answers(memory, ScriptedSynthesiser(failure=failure)).ask(WHY_POSTGRES, PUBLIC)

    assert answer.main == postgres
    assert answer.notices == (notice, WORDS_ONLY)
    assert answer.worded_by == ""


@pytest.mark.parametrize("made_up", [claim("Search moves to Oracle in 2031", 1), claim("Search stays on Postgres", 9)])
def test_claims_that_their_evidence_does_not_bear_are_never_shown(
    memory: Memory, postgres: str, made_up: Claim
) -> None:
    answer = answers(memory, ScriptedSynthesiser(made_up)).ask(WHY_POSTGRES, PUBLIC)

    assert made_up not in answer.claims
    assert answer.notices == (UNHELD, WORDS_ONLY)


def test_a_model_that_finds_no_answer_in_the_evidence_abstains(memory: Memory, postgres: str) -> None:
    answer = answers(memory, ScriptedSynthesiser()).ask(WHY_POSTGRES, PUBLIC)

    assert (answer.shape, answer.claims, answer.evidence) == ("nothing", (), ())
    assert answer.nearest[0].decision.id == postgres


def test_worded_claims_say_by_whom(memory: Memory, postgres: str) -> None:
    answer = answers(memory, ScriptedSynthesiser(claim("Search stays on Postgres", 1))).ask(WHY_POSTGRES, PUBLIC)

    assert answer.worded_by == "Claude"


def test_who_can_read_nothing_is_told_that_nothing_is_recorded_yet(memory: Memory) -> None:
    answer = answers(memory).ask(WHY_POSTGRES, NOBODY)

    assert (answer.shape, answer.notices) == ("nothing", (EMPTY_STORE,))
    assert NOTHING in answer_text(answer)


def test_what_a_reader_may_not_read_is_as_if_it_were_not(memory: Memory) -> None:
    record(memory, "We sell the search team to Oracle", ref="x", scope=EXEC, by=[Person(name="Noor")])

    document = answer_json(answers(memory).ask("Do we sell the search team to Oracle?", PUBLIC))
    inside = answers(memory).ask(
        "Do we sell the search team to Oracle?", Reader(sees_open=True, scopes=frozenset({EXEC.id}))
    )

    assert document["abstained"] is True
    assert "Oracle" not in str(document)
    assert "Noor" not in str(document)
    assert inside.shape == "sure"


def test_an_unsure_capture_never_carries_an_answer_and_is_shown_as_not_confirmed(memory: Memory) -> None:
    record(memory, "Search stays on Postgres", ref="adr:1", rationale=RATIONALE, captured=True, confidence=60)

    answer = answers(memory).ask(WHY_POSTGRES, PUBLIC)

    assert (answer.shape, answer.claims) == ("nothing", ())
    assert "Not confirmed" in answer_text(answer)
    assert answer_json(answer)["abstained"] is False


@pytest.mark.parametrize(
    ("source", "ref", "label"),
    [("pagerduty", "incident:318", "incident 318"), ("claude-code", "ed1ab6c0-33ad/9a71", "coding session")],
)
def test_a_source_is_called_as_people_call_it(memory: Memory, source: str, ref: str, label: str) -> None:
    record(memory, "Search stays on Postgres", ref=ref, rationale=RATIONALE, source=source)

    answer = answers(memory).ask(WHY_POSTGRES, PUBLIC)

    assert answer.evidence[0].label == label


def test_what_came_nearest_and_what_is_not_confirmed_are_two_sources(memory: Memory) -> None:
    record(memory, "Search stays on Postgres", ref="adr:1", rationale=RATIONALE, captured=True, confidence=60)
    record(memory, "The search page is blue", ref="adr:2", rationale="the brand says so", by=[Person(name="Mia")])

    answer = answers(memory).ask(WHY_POSTGRES, PUBLIC)

    lines = answer_text(answer).splitlines()
    (waiting,) = answer.unconfirmed
    assert [line.n for line in (*answer.nearest, waiting)] == list(range(1, len(answer.nearest) + 2))
    assert [line[:4] for line in lines if line.startswith("[")] == ["[1] ", f"[{waiting.n}] "]
    assert f"Nearest, no answer: {answer.nearest[0].decision.title} [1]" in lines


def test_at_most_two_might_know_and_never_the_asker(memory: Memory) -> None:
    people = [Person(name=name) for name in ("Ana", "Lena", "Omar", "Raj")]
    record(memory, "Payroll export by SFTP", ref="p", rationale="the bank takes nothing else", by=people)

    answer = answers(memory, ScriptedSynthesiser()).ask("Payroll export by SFTP?", PUBLIC, asker=Person(name="Ana"))

    assert answer.who_might_know == ("Lena", "Omar")


def test_nobody_who_has_left_is_named(memory: Memory) -> None:
    memory.members.put_person("U1", name="Lena", kind="member", active=False, at=NOW)
    memory.members.put_person("U2", name="Omar", kind="member", active=True, at=NOW)
    people = [Person(name="Lena", id="U1"), Person(name="Omar", id="U2"), Person(name="Ghost", id="U3")]
    record(memory, "Payroll export by SFTP", ref="p", rationale="the bank takes nothing else", by=people)

    answer = answers(memory, ScriptedSynthesiser()).ask("Payroll export by SFTP?", PUBLIC)

    assert answer.who_might_know == ("Omar",)


def test_a_contested_answer_has_no_main_decision(memory: Memory) -> None:
    retries = ("service:search-api", "retries")
    record(
        memory,
        "Three retry tries for search-api",
        ref="a",
        sets=((*retries, "3"),),
        rationale="then back off",
        scope=WORKSPACE,
    )
    record(
        memory,
        "Five retry tries for search-api",
        ref="b",
        sets=((*retries, "5"),),
        rationale="batch can wait",
        scope=EXEC,
    )
    inside = Reader(sees_open=True, scopes=frozenset({EXEC.id}))
    contested = memory.conflicts(inside)

    answer = answers(memory).ask("How many retry tries for search-api?", inside)

    assert (answer.shape == "contested") == bool(contested)
    assert (answer.main is None) == bool(contested)


def test_the_session_is_kept_with_its_steps(memory: Memory, postgres: str) -> None:
    answer = answers(memory).ask(WHY_POSTGRES, PUBLIC, asker=Person(name="Mia", id="U9"))

    kept = memory.sessions.get(answer.session)

    assert kept is not None
    assert (kept.asker_id, kept.main) == ("U9", postgres)
    assert kept.answer is not None
    assert [step["step"] for step in kept.answer["steps"]] == ["entity_access", "filter", "aggregate", "recommend"]


def test_secrets_in_a_question_are_masked_before_it_is_kept(memory: Memory) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"

    answer = answers(memory).ask(f"why is {token} our token?", PUBLIC)

    assert token not in answer.question


@pytest.mark.parametrize(
    "question",
    [
        "",
        "   ",
        "?!",
        "🔥🔥🔥",
        "検索はなぜPostgresのままですか？",
        "why " * 2500,
        'OR AND NEAR("',
        "\x00",
        "why \udcff postgres?",
        "a" * 10_000,
    ],
)
def test_any_question_is_answered(memory: Memory, postgres: str, question: str) -> None:
    answer = answers(memory).ask(question, PUBLIC)

    assert answer_text(answer)
    assert answer.shape in ("sure", "nothing")


def test_as_of_a_day_before_it_was_decided_nothing_is_known(memory: Memory, postgres: str) -> None:
    answer = answers(memory).ask(WHY_POSTGRES, PUBLIC, as_of=date(2025, 1, 1))

    assert answer.evidence == ()


def test_an_outcome_is_said_with_the_main_decision(memory: Memory) -> None:
    record(memory, "Search stays on Postgres", ref="adr:1", rationale=RATIONALE, outcome=Verdict.WORKED)

    answer = answers(memory).ask(WHY_POSTGRES, PUBLIC)

    assert answer.main_outcome is Verdict.WORKED
    assert answer.evidence[0].decision.voices.label is Verdict.WORKED


class Recalling:
    """A memory whose recall is given."""

    def __init__(self, memory: Memory, found: Recall) -> None:
        self.inner = memory
        self.found = found
        self.members = memory.members
        self.sessions = memory.sessions
        self.votes = memory.votes

    def recall(self, question: Question, reader: Reader) -> Recall:
        """Return what was given."""
        return self.found

    def decisions(self, reader: Reader, *, limit: int) -> tuple[Decision, ...]:
        """Return what is recorded."""
        return self.inner.decisions(reader, limit=limit)


def test_a_warning_that_recall_kept_a_place_for_is_shown_however_far_behind_it_is(
    memory: Memory, postgres: str
) -> None:
    sure, warning, trailing = (
        memory.decision(name, PUBLIC)
        for name in (
            postgres,
            record(memory, "Search on Elasticsearch", ref="adr:0", outcome=Verdict.FAILED),
            record(memory, "Search moves to Oracle", ref="adr:9"),
        )
    )
    assert sure is not None
    assert warning is not None
    assert trailing is not None
    ranked = (
        Ranked(decision=sure, score=1.0, reasons=()),
        Ranked(decision=trailing, score=0.05, reasons=()),
        Ranked(decision=warning, score=0.02, reasons=(), cautionary=True),
    )
    recalling = Recalling(memory, Recall(ranked=ranked, nearest=(), order=ranked, abstained=False))

    answer = answers(cast(Memory, recalling)).ask(WHY_POSTGRES, PUBLIC)

    assert [line.decision.id for line in answer.evidence] == [postgres, warning.id]
