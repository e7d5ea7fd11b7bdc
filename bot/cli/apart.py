"""`why apart`: what was taken for one decision is two."""

from __future__ import annotations

import argparse

from bot.cli.background import follow_later
from bot.cli.frame import OK, put, settings_of
from bot.cli.outcome import OPERATOR
from bot.cli.recorder import Command, opened_to_record
from bot.decision_shape import SHORT_ID, decision_json, table_lines
from bot.errors import WrongInput
from store import EVERYTHING, Person


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("decision", metavar="ID", help="A decision's id or ref.")
    parser.add_argument(
        "other", metavar="PLACE|ID", help="One more place of it, or what it was taken to be the same as."
    )
    parser.add_argument("--by", default="", metavar="NAME", help="Who says so.")


def _run(given: argparse.Namespace) -> int:
    by = Person(name=given.by or OPERATOR)
    settings = settings_of()
    with opened_to_record(settings) as opened:
        memory = opened.memory
        one = memory.decision(given.decision, EVERYTHING)
        if one is None:
            raise WrongInput(f"{given.decision}: no decision of that id or ref")
        place = next((each for each in one.places[1:] if given.other in (each.ref, each.anchor, each.permalink)), None)
        named = memory.decision(given.other, EVERYTHING)
        if place is not None:
            own = memory.withdraw_place(one.id, place, by=by)
        elif named is not None and memory.hold_apart(one.id, named.id, by=by):
            own = named.id
        else:
            raise WrongInput(
                f"{given.other}: no further place of {one.id[:SHORT_ID]}, nor the same as it: see why show"
            )
        two = memory.decisions_by_ids([one.id, own or one.id], EVERYTHING)
        document = {"decisions": [decision_json(each) for each in two]}
        lines = ["Two decisions from now on, and never taken for one again:", *table_lines(two)]
        put(document, lambda: lines, as_json=given.as_json)
    follow_later(settings, 1)
    return OK


APART = Command(
    summary="Say that what was taken for one decision is two: a place of it, or what is the same elsewhere.",
    arguments=_arguments,
    run=_run,
)
