"""The sample company's private decisions, asked after by those who are not in their channels, by every path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.answer import Answers
from bot.answer_shape import answer_json
from bot.decision_shape import decision_json
from bot.slack.home.data import MyData
from bot.slack.home.view import Home, home_view
from bot.slack.layout import blocks
from bot.slack.layout.details import details_view
from store import EVERYTHING, NOBODY, PUBLIC, Decision, Memory, Question, Reader, State
from tests.builders_cli import call_why
from tests.builders_company import COMPANY, Secret, answers_of, company_in, secrets, truth

pytestmark = pytest.mark.skipif(
    not COMPANY.is_dir(), reason=f"{COMPANY} is absent: the sample company's export and its questions"
)

PRIVATE = ("pay-leads", "sec-private")
GUEST = Reader(sees_open=False, scopes=frozenset({"channel:C0A436DE8D9"}))
"""Somebody who is in #payments alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """The company as it is, and as it would be had nobody ever said anything in a private channel."""

    memory: Memory
    answers: Answers
    without: Memory
    answers_without: Answers
    secrets: tuple[Secret, ...]

    def readers(self, asker: str = "") -> dict[str, Reader]:
        """Return who looks: the asker, the public, a guest and nobody."""
        named = {"the public": PUBLIC, "a guest": GUEST, "nobody": NOBODY}
        return {asker: self.memory.members.reader_of(asker), **named} if asker else named

    def hidden_from(self, reader: Reader) -> tuple[Secret, ...]:
        return tuple(one for one in self.secrets if one.scope not in reader.scopes)

    def everybody(self) -> dict[str, Reader]:
        """Return every person of the company, and those of `readers`."""
        people = {one["user_id"]: one["user_id"] for one in json.loads((COMPANY / "truth/people.json").read_text())}
        return {**{name: self.memory.members.reader_of(name) for name in people}, **self.readers()}


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    memory = company_in(tmp_path_factory.mktemp("company"))
    without = company_in(tmp_path_factory.mktemp("without"), without=PRIVATE, canaries=False)
    yield Company(
        memory=memory,
        answers=answers_of(memory),
        without=without,
        answers_without=answers_of(without),
        secrets=secrets(memory),
    )
    memory.close()
    without.close()


def shown_of(answers: Answers, question: str, reader: Reader) -> str:
    """Return all that an answer shows anywhere, but what differs from one run to the next."""
    answer = answers.ask(question, reader)
    document = {**answer_json(answer), "session": "", "ms": {}}
    messages = [blocks.answer(answer, alone=alone) for alone in (True, False)]
    told = [document, *(message.text for message in messages), *(message.blocks for message in messages)]
    return json.dumps([*told, details_view(answer)], ensure_ascii=False).replace(answer.session, "")


def given_away(text: str, hidden: tuple[Secret, ...]) -> list[str]:
    """Return the words of secrets that stand in a text."""
    return [word for one in hidden for word in (*one.words, one.id, one.scope) if word in text]


def of_decisions(decisions: tuple[Decision, ...]) -> str:
    return json.dumps([decision_json(one) for one in decisions], ensure_ascii=False)


def test_the_secrets_are_there_for_who_may_read_them(company: Company) -> None:
    assert len(company.secrets) == 8
    for one in company.secrets:
        inside = Reader(sees_open=True, scopes=frozenset({one.scope}))

        answer = shown_of(company.answers, f"what about {one.canary}: {one.title}?", inside)

        assert one.canary in answer
        assert company.memory.heads((f"service:{one.canary}",), inside)


@pytest.mark.parametrize("line", truth("questions.jsonl") if COMPANY.is_dir() else [], ids=lambda line: line["id"])
def test_an_answer_is_the_same_as_if_nothing_private_had_been_said(company: Company, line: dict[str, Any]) -> None:
    for name, reader in company.readers(line["asker"]).items():
        shown = shown_of(company.answers, line["question"], reader)

        assert given_away(shown, company.hidden_from(reader)) == [], name
        if name in ("the public", "a guest"):
            assert shown == shown_of(company.answers_without, line["question"], reader), name


def test_asking_for_a_secret_in_its_own_words_finds_nothing_of_it(company: Company) -> None:
    for one in company.secrets:
        for name, reader in {**company.everybody(), "an outsider": Reader(sees_open=False)}.items():
            if one.scope in reader.scopes:
                continue

            shown = shown_of(company.answers, f"who decided {one.title}, and why?", reader)

            assert not [word for word in (one.id, one.place.anchor, one.scope, one.canary) if word in shown], name


def test_asking_for_a_secret_is_answered_as_if_it_had_never_been_said(company: Company) -> None:
    for one in company.secrets:
        for asked in (one.title, one.quote, f"why {one.canary}?", f"what failed with {one.canary}?"):
            for name, reader in company.readers().items():
                shown = shown_of(company.answers, asked, reader)

                assert shown == shown_of(company.answers_without, asked, reader), name


def test_recall_ranks_and_counts_readable_decisions_alone(company: Company) -> None:
    for line in truth("questions.jsonl"):
        for reader in company.readers(line["asker"]).values():
            found = company.memory.recall(Question(text=line["question"]), reader)

            ids = {one.decision.id for one in (*found.ranked, *found.nearest, *found.order)}
            ids |= {id_ for pair in found.contested for id_ in pair}
            assert not ids & {one.id for one in company.hidden_from(reader)}


def test_lists_histories_heads_and_conflicts_hold_readable_decisions_alone(company: Company) -> None:
    memory = company.memory
    elements = {each for one in memory.decisions(EVERYTHING) for each in one.elements}
    for name, reader in company.everybody().items():
        seen = [of_decisions(memory.decisions(reader)), repr(memory.heads((), reader)), repr(memory.conflicts(reader))]
        seen += [of_decisions(memory.history(each, reader)) + repr(memory.heads((each,), reader)) for each in elements]

        assert given_away("".join(seen), company.hidden_from(reader)) == [], name


def test_who_is_outside_has_the_lists_of_a_company_without_private_channels(company: Company) -> None:
    for reader in (PUBLIC, GUEST, NOBODY):
        here, there = company.memory, company.without

        assert of_decisions(here.decisions(reader)) == of_decisions(there.decisions(reader))
        assert here.heads((), reader) == there.heads((), reader)
        assert here.conflicts(reader) == there.conflicts(reader)
        assert here.digest(reader) == there.digest(reader)


def test_no_name_of_a_secret_leads_anywhere(company: Company) -> None:
    memory = company.memory
    for one in company.secrets:
        inside = Reader(sees_open=True, scopes=frozenset({one.scope}))
        (view,) = memory.heads((f"service:{one.canary}",), inside)
        for reader in company.everybody().values():
            if one.scope in reader.scopes:
                continue
            for named in (one.id, one.id[:12], one.place.anchor, view.id, view.element, f"vendor:{one.canary}"):
                assert memory.decision(named, reader) is None
                assert memory.history(named, reader) == ()
                assert memory.heads((named,), reader) == ()
                assert memory.decisions(reader, element=named) == ()
            assert memory.at_place("slack", one.place.anchor, reader) == ()
            assert memory.votes(one.id, reader) == ()
            assert memory.decisions_by_ids((one.id,), reader) == ()


def test_homes_hold_readable_decisions_alone(company: Company) -> None:
    for name, reader in company.everybody().items():
        recent = company.memory.decisions(reader, state=State.CURRENT)
        mine = tuple(quote for one in recent for quote in one.evidence if quote.author_id == name)

        shown = json.dumps(home_view(Home(recent=recent, data=MyData(latest=mine, kept=len(mine)))), ensure_ascii=False)

        assert given_away(shown, company.hidden_from(reader)) == [], name


def test_no_command_of_somebody_outside_prints_a_secret(company: Company, tmp_path: Path) -> None:
    reader = company.memory.members.reader_of("U0A343322CD")
    hidden = company.hidden_from(reader)
    for one in hidden[:3]:
        for words in (
            ("show", one.id),
            ("show", one.id[:10], "--json"),
            ("history", f"service:{one.canary}", "--json"),
            ("heads", f"service:{one.canary}", "--json"),
            ("list", "--json"),
            ("list", "--element", f"service:{one.canary}"),
        ):
            ran = call_why(company.memory.home, tmp_path, (*words, "--reader", "U0A343322CD"))

            printed = (ran.out + ran.err).replace(words[1], "").replace(f"service:{one.canary}", "")
            assert given_away(printed, hidden) == [], words


def test_an_unknown_id_and_a_private_one_get_the_same_words(company: Company, tmp_path: Path) -> None:
    private, unknown = company.secrets[0].id, "0" * 64

    ran = [call_why(company.memory.home, tmp_path, ("show", named)) for named in (private, unknown)]

    assert ran[0].code == ran[1].code == 1
    assert ran[0].err.replace(private, "") == ran[1].err.replace(unknown, "")


def test_by_meaning_too_nothing_of_a_secret_is_near(tmp_path: Path) -> None:
    memory = company_in(tmp_path, index="own")
    try:
        answers, told = answers_of(memory), secrets(memory)
        for line in (each for each in truth("questions.jsonl") if each["kind"] == "private"):
            for reader in (memory.members.reader_of(line["asker"]), PUBLIC, GUEST):
                shown = shown_of(answers, line["question"], reader)

                assert given_away(shown, tuple(one for one in told if one.scope not in reader.scopes)) == []
    finally:
        memory.close()
