"""The whole table of what votes come to: who says what and how, and what answer, order and label make of it.

Deciders, replies to a follow-up and confirmed events count at once; others from the second person on, or with a reason.
The label failed needs one of the first, or two people. A vote is about one decision and moves no other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from bot import feedback
from bot.answer import Answers
from bot.offline import OfflineSynthesiser
from bot.slack.layout.surface import outcome_words
from store import (
    PUBLIC,
    WORKSPACE,
    Admission,
    DecisionId,
    Draft,
    Memory,
    Person,
    Place,
    Question,
    Quote,
    Verdict,
    Voices,
)
from store.core.ranking import outcome_factor

START = datetime(2026, 11, 1, 9, tzinfo=UTC)
LENA, OMAR, RAJ, NOOR, GUS = (
    Person(name=name, id=f"U{name.upper()}") for name in ("Lena", "Omar", "Raj", "Noor", "Gus")
)
W, F = Verdict.WORKED, Verdict.FAILED
BARE, ASKED = "", "asked how it went"
"""A vote without a reason, and the reply to a follow-up; any other text is a reason."""
ONE = "1 person says it didn't work"


@dataclass(frozen=True)
class Said:
    """One thing somebody says; `verdict` is None where they take it back."""

    who: Person
    verdict: Verdict | None
    how: str = BARE


@dataclass(frozen=True)
class Row:
    """What is said, in order, and what it comes to."""

    said: tuple[Said, ...]
    voices: Voices
    factor: float = 1.0
    words: tuple[str, ...] = ()


def row(*said: tuple[Person, Verdict | None] | tuple[Person, Verdict | None, str], **more: object) -> Row:
    factor, words = more.pop("factor", 1.0), more.pop("words", ())
    return Row(
        said=tuple(Said(*one) for one in said),
        voices=Voices(**more),  # type: ignore[arg-type]
        factor=float(str(factor)),
        words=(words,) if isinstance(words, str) else tuple(words),  # type: ignore[arg-type]
    )


BOTH = 1.5**0.5 * 0.3**0.5
TWO_TO_ONE = 1.5 ** (2 / 3) * 0.3 ** (1 / 3)
TABLE = {
    "nobody": row(),
    # a decider
    "decider, worked": row((LENA, W), worked=1, label=W, factor=1.5, words="worked, says 1 person"),
    "decider, failed": row((LENA, F), failed=1, label=F, factor=0.3, words="didn't work, says 1 person"),
    "decider, with a reason": row((LENA, F, "slow"), failed=1, label=F, factor=0.3, words="didn't work, says 1 person"),
    "decider, taken back": row((LENA, F), (LENA, None)),
    "decider, changed their mind": row((LENA, F), (LENA, W), worked=1, label=W, factor=1.5,
                                       words="worked, says 1 person"),
    "two deciders at odds": row((LENA, W), (OMAR, F), worked=1, failed=1, label=F, factor=BOTH,
                                words="didn't work, says 1 person"),
    # the reply to a follow-up
    "follow-up, failed": row((RAJ, F, ASKED), failed=1, label=F, factor=0.3, words="didn't work, says 1 person"),
    "follow-up, worked": row((RAJ, W, ASKED), worked=1, label=W, factor=1.5, words="worked, says 1 person"),
    # one other person
    "outsider, bare failed": row((RAJ, F), pending_failed=1, words=ONE),
    "outsider, bare worked": row((RAJ, W), pending_worked=1, words="1 person says it worked"),
    "outsider, failed with a reason": row((RAJ, F, "charged twice"), failed=1, factor=0.3, words=ONE),
    "outsider, worked with a reason": row((RAJ, W, "80 ms"), worked=1, label=W, factor=1.5,
                                          words="worked, says 1 person"),
    "outsider, bare, taken back": row((RAJ, F), (RAJ, None)),
    "outsider, bare, twice": row((RAJ, F), (RAJ, F), pending_failed=1, words=ONE),
    "outsider, bare, then the other": row((RAJ, F), (RAJ, W), pending_worked=1, words="1 person says it worked"),
    "outsider, bare, then with a reason": row((RAJ, F), (RAJ, F, "slow"), failed=1, factor=0.3, words=ONE),
    # a second person
    "two outsiders, failed": row((RAJ, F), (NOOR, F), failed=2, label=F, factor=0.3, words="didn't work, say 2 people"),
    "two outsiders, worked": row((RAJ, W), (NOOR, W), worked=2, label=W, factor=1.5, words="worked, say 2 people"),
    "two outsiders, one reason": row((RAJ, F, "slow"), (NOOR, F), failed=2, label=F, factor=0.3,
                                     words="didn't work, say 2 people"),
    "two outsiders at odds": row((RAJ, F), (NOOR, W), pending_failed=1, pending_worked=1,
                                 words=(ONE, "1 person says it worked")),
    "the second takes it back": row((RAJ, F), (NOOR, F), (NOOR, None), pending_failed=1, words=ONE),
    "the first takes it back": row((RAJ, F), (NOOR, F), (RAJ, None), pending_failed=1, words=ONE),
    "the second turns round": row((RAJ, F), (NOOR, F), (NOOR, W), pending_failed=1, pending_worked=1,
                                  words=(ONE, "1 person says it worked")),
    "an outsider against a decider": row((LENA, W), (RAJ, F), worked=1, pending_failed=1, label=W, factor=1.5,
                                         words="worked, says 1 person"),
    "an outsider with a decider": row((LENA, F), (RAJ, F), failed=2, label=F, factor=0.3,
                                      words="didn't work, say 2 people"),
    "two outsiders against a decider": row((LENA, W), (RAJ, F), (NOOR, F), worked=1, failed=2, label=F,
                                           factor=1.5 ** (1 / 3) * 0.3 ** (2 / 3), words="didn't work, say 2 people"),
    "a decider and another against one with a reason": row((LENA, W), (RAJ, W), (NOOR, F, "slow"), worked=2, failed=1,
                                                          label=W, factor=TWO_TO_ONE, words="worked, say 2 people"),
}  # fmt: skip


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    opened = Memory.open(tmp_path_factory.mktemp("votes"), index="off")
    yield opened
    opened.close()


def recorded(memory: Memory, name: str, title: str, **more: object) -> DecisionId:
    place = Place(source="adr", anchor=f"{name}.md", ref=f"adr:{name}")
    draft = Draft(title=title, decided_by=(LENA, OMAR), evidence=(Quote(quote=title),), **more)  # type: ignore[arg-type]
    admission = Admission(
        place=place, basis="1", scope=WORKSPACE, drafts=(draft,), provenance="file", recorded_from="ingest"
    )
    return memory.admit(admission).decisions[0].id


def say(memory: Memory, decision: str, said: tuple[Said, ...]) -> None:
    for minute, one in enumerate(said):
        at, occasion = START + timedelta(minutes=minute), f"{decision}-{minute}"
        if one.verdict is None:
            feedback.withdraw(memory, decision, one.who, reader=PUBLIC, occasion=occasion, at=at)
            continue
        reason = "" if one.how == ASKED else one.how
        asked = one.how == ASKED
        feedback.vote(
            memory,
            decision,
            one.who,
            one.verdict,
            reader=PUBLIC,
            occasion=occasion,
            at=at,
            reason=reason,
            follow_up=asked,
        )


def factor_of(memory: Memory, question: str, decision: str) -> float:
    found = next(one for one in memory.recall(Question(text=question), PUBLIC).order if one.decision.id == decision)
    return next((reason.value for reason in found.reasons if reason.name == "outcome"), 1.0)


def factors(memory: Memory, decisions: Collection[str]) -> dict[str, float]:
    found = memory.decisions_by_ids(sorted(decisions), PUBLIC)
    return {one.id: outcome_factor(one.voices) for one in found}


@pytest.mark.parametrize("name", TABLE)
def test_every_row_of_the_table_comes_to_what_it_says(memory: Memory, name: str) -> None:
    row = TABLE[name]
    title = f"Zone{list(TABLE).index(name)} stays where it is"
    decision = recorded(memory, name, title)

    say(memory, decision, row.said)

    found = memory.decision(decision, PUBLIC)
    assert found is not None
    assert found.voices == row.voices
    assert factor_of(memory, title, decision) == pytest.approx(row.factor, abs=1e-4)
    assert outcome_words(found) == row.words


def test_a_thumb_on_an_answer_changes_the_multiplier_of_the_decision_that_it_answers_with_and_no_other(
    tmp_path: Path,
) -> None:
    memory = Memory.open(tmp_path, index="off")
    old = recorded(memory, "old", "Retries of search are three in a row", decided_on=date(2026, 1, 2))
    say(memory, old, (Said(LENA, F),))
    precedent = recorded(memory, "precedent", "Retries of billing back off", decided_on=date(2026, 1, 3))
    links = {"supersedes": ("adr:old",), "cites": (precedent,)}
    recorded(memory, "now", "Retries of search back off with a key", decided_on=date(2026, 3, 4), **links)
    offline = OfflineSynthesiser()
    answer = Answers(memory, offline, offline, lambda: START).ask(
        "what was tried for retries of search before?", PUBLIC
    )
    cited = {line.decision.id for line in answer.evidence}
    assert answer.main is not None

    before = factors(memory, cited)
    say(memory, answer.main, (Said(OMAR, W),))
    after = factors(memory, cited)
    memory.close()

    assert len(cited) == 3
    assert (before[old], after[old]) == (0.3, 0.3)
    assert [one for one in cited if before[one] != after[one]] == [answer.main]


def test_one_outsiders_bare_thumb_down_changes_no_order_and_no_label(memory: Memory) -> None:
    first = recorded(memory, "lone", "Invoices leave as paper by post")
    recorded(memory, "other", "Invoices leave on the first of a month")
    asked = Question(text="how do invoices leave, by post or as paper?")
    before = [(one.decision.id, one.score) for one in memory.recall(asked, PUBLIC).order]

    say(memory, first, (Said(GUS, F),))

    after = memory.recall(asked, PUBLIC).order
    assert [(one.decision.id, one.score) for one in after] == before
    assert after[0].decision.voices.label is None
