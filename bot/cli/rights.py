"""`why forget`, `why export`: taking out what is kept of a message, a decision or a person, and a copy of it."""

from __future__ import annotations

from typing import Annotated

import typer

from bot import app as product
from bot.cli.frame import FAILED, OK, Misused, guarded, leave, put, settings_of
from bot.cli.importing import AsJson, follow
from bot.forget import Forgotten, forget, forget_person, person_named
from bot.person_copy import copy_lines, person_copy

PersonName = Annotated[
    str, typer.Option("--person", metavar="USER", help="A person, by Slack user id or by the name that is recorded.")
]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("forget")(_forget)
    app.command("export")(_export)


def _forget(
    named: Annotated[
        str, typer.Argument(metavar="PERMALINK|ID", help="A message's permalink, or a decision's id.")
    ] = "",
    person: PersonName = "",
    as_json: AsJson = False,
) -> None:
    """Take a message, a decision or a person out. The text goes everywhere; a place is not captured again."""
    leave(guarded(lambda: _run_forget(named, person=person, as_json=as_json)))


def _run_forget(named: str, *, person: str, as_json: bool) -> int:
    if bool(named) == bool(person):
        raise Misused("name either a message or decision, or --person USER")
    with product.opened(settings_of(), index="own") as parts:
        memory = parts.memory
        done = forget_person(memory, person_named(memory, person)) if person else forget(memory, named)
        followed = follow(memory)
    document = {"forgotten": done.kind, "id": done.id, "decisions": done.decisions, "quotes": done.quotes}
    put(document, lambda: _forgotten_lines(done), as_json=as_json)
    return OK if followed else FAILED  # vectors of the text are left


def _forgotten_lines(done: Forgotten) -> list[str]:
    if done.kind != "person":
        return [f"Forgotten: {done.kind} {done.id}, in {done.decisions} decision(s)"]
    return [
        f"Forgotten: {done.id}: {done.quotes} quote(s), in {done.decisions} decision(s)",
        "What they write from now on may be captured again: Home → My data → Leave me out says no to that.",
    ]


def _export(person: PersonName, as_json: AsJson = False) -> None:
    """A copy of what is kept of a person."""
    leave(guarded(lambda: _run_export(person, as_json=as_json)))


def _run_export(person: str, *, as_json: bool) -> int:
    with product.opened(settings_of(), index="off") as parts:
        document = person_copy(parts.memory, person_named(parts.memory, person))
    put(document, lambda: copy_lines(document), as_json=as_json)
    return OK
