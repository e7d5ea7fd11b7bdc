"""`why outcome`: what came of a decision, and what systems report of it that waits for somebody's word."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime

from bot.cli.frame import OK, READER, Misused, put, reader_named, settings_of
from bot.cli.recorder import Command, Opened, opened_to_record
from bot.decision_shape import SHORT_ID, decision_lines, moment_text, place_json, scope_text, show_json, title_line
from bot.errors import WrongInput
from bot.feedback import vote
from bot.outcomes import UNRELATED
from store import EVERYTHING, Decision, Person, Reader, Verdict

OPERATOR = "the operator"
"""Who acts at the terminal unless they say their name."""
SAYS = (*(one.value for one in Verdict), UNRELATED)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("decision", metavar="ID", nargs="?", default="", help="A decision's id or ref.")
    parser.add_argument(
        "verdict",
        metavar="worked|failed|unrelated",
        nargs="?",
        default="",
        help="What came of it; unrelated: what is proposed of it has nothing to do with it.",
    )
    parser.add_argument("--by", default="", metavar="NAME", help="Who says so.")
    parser.add_argument("--reason", default="", metavar="TEXT", help="In their words.")
    parser.add_argument("--proposed", action="store_true", help="List what systems report that waits for a word.")
    parser.add_argument(READER.flag, default="public", metavar=READER.metavar, help=f"With --proposed. {READER.help}")


def _run(given: argparse.Namespace) -> int:
    if given.proposed:
        if given.decision:
            raise Misused("--proposed lists what waits; `why outcome ID worked|failed|unrelated` answers it")
        return _list(given)
    if given.verdict not in SAYS:
        said = repr(given.verdict) if given.verdict else "nothing"
        raise Misused(f"{said} is none of {', '.join(SAYS)}")
    with opened_to_record(settings_of()) as opened:
        decision = opened.memory.decision(given.decision, EVERYTHING)
        if decision is None:
            raise WrongInput(f"{given.decision}: no decision of that id or ref")
        answered = _say(opened, decision, given)
        now = opened.memory.decision(decision.id, EVERYTHING) or decision
        votes = opened.memory.votes(now.id, EVERYTHING)
        put(show_json(now, votes), lambda: [*answered, *decision_lines(now)], as_json=given.as_json)
    return OK


def _say(opened: Opened, decision: Decision, given: argparse.Namespace) -> list[str]:
    """Record a word; where something is proposed of the decision, it is answered by it, which is returned in words."""
    from bot.proposing import named, offered_on, settle  # what lies beside the log, which few other words need

    by, at = Person(name=given.by or OPERATOR), datetime.now(UTC)
    occasion = f"terminal:{by.name}:{given.decision}:{given.verdict}"
    kept = opened.beside.occurrences
    offers = offered_on(opened.memory, kept, decision.id, EVERYTHING)
    verdict = None if given.verdict == UNRELATED else Verdict(given.verdict)
    if offers:
        settle(
            opened.memory, kept, offers, verdict, by=by, reader=EVERYTHING, occasion=occasion, at=at,
            reason=given.reason,
        )  # fmt: skip
    elif verdict is None:
        raise WrongInput(f"{given.decision}: nothing is proposed of it; `why outcome --proposed` lists what is")
    else:
        vote(
            opened.memory, decision.id, by, verdict, reader=EVERYTHING, occasion=occasion, at=at, reason=given.reason,
            follow_up=True,
        )  # fmt: skip
    noted = "nothing to do with it" if verdict is None else f"it {verdict.value}"
    return [f"Noted: {named(offer.proposal)}: {noted}" for offer in offers]


def _list(given: argparse.Namespace) -> int:
    from bot.proposing import Offered, named, offered

    with opened_to_record(settings_of()) as opened:

        def member(name: str) -> Reader | None:
            person = opened.members.find_person(name)
            return None if person is None else opened.members.reader_of(person)

        found = offered(opened.memory, opened.beside.occurrences, reader_named(given.reader, member))

    def document(one: Offered) -> dict[str, object]:
        return {
            "decision": one.decision.id,
            "title": one.decision.title,
            "verdict": one.proposal.verdict.value,
            "kind": one.proposal.kind.value,
            "happened_at": moment_text(one.proposal.happened_at),
            "place": place_json(one.proposal.place),
            "scope": scope_text(one.proposal.scope),
            "strength": one.proposal.strength,
        }

    def lines() -> Sequence[str]:
        if not found:
            return ["nothing is proposed"]
        told = []
        for one in found:
            day = one.proposal.happened_at.date().isoformat()
            told.append(
                f"{one.proposal.verdict.value + '?':8} {one.decision.id[:SHORT_ID]}  {title_line(one.decision)}"
            )
            told.append(f"         {day}  {named(one.proposal)}")
        return [*told, "Answer with: why outcome ID worked|failed|unrelated"]

    put({"proposed": [document(one) for one in found]}, lines, as_json=given.as_json)
    return OK


OUTCOME = Command(
    summary="Say what came of a decision. One voice a person, the latest stands.", arguments=_arguments, run=_run
)
