"""`why forget`, `why export`: taking out what is kept of a message, decision, person or channel, and a copy of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from bot import app as product
from bot.cli.frame import FAILED, OK, Misused, guarded, leave, put, settings_of, tell
from bot.cli.importing import AsJson, follow
from bot.forget import (
    Forgotten,
    channel_held,
    channel_named,
    forget,
    forget_channel,
    forget_person,
    forget_workspace,
    person_named,
)
from bot.person_copy import copy_lines, person_copy
from store import EVERYTHING

if TYPE_CHECKING:
    from store import Memory

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
    channel: Annotated[
        str, typer.Option("--channel", metavar="CHANNEL", help="All that was said in a channel, by its id or name.")
    ] = "",
    workspace: Annotated[bool, typer.Option("--workspace", help="All that was ever said.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what a channel, or all of it, holds, and erase nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it: --workspace asks for this.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take a message, decision, person or channel out. The text goes everywhere; a place is not captured again."""
    asked = _Asked(named=named, person=person, channel=channel, workspace=workspace, dry_run=dry_run, yes=yes)
    leave(guarded(lambda: _run_forget(asked, as_json=as_json)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is to be forgotten, as the options say it: one thing."""

    named: str
    person: str
    channel: str
    workspace: bool
    dry_run: bool
    yes: bool

    def check(self) -> None:
        if sum(map(bool, (self.named, self.person, self.channel, self.workspace))) != 1:
            raise Misused("name either a message or decision, or --person USER, --channel CHANNEL, --workspace")
        if self.dry_run and not (self.channel or self.workspace):
            raise Misused(
                "--dry-run goes with --channel or --workspace: `why export` and `why show` tell of the others"
            )
        if self.workspace and not (self.dry_run or self.yes):
            raise Misused("--workspace erases all that was ever said: count it with --dry-run, then say --yes")

    def held(self, memory: Memory) -> Forgotten:
        """What would be erased."""
        if self.channel:
            return channel_held(memory, channel_named(memory, self.channel))
        return Forgotten(kind="workspace", id="", decisions=memory.kept(EVERYTHING).decisions)

    def erased(self, memory: Memory) -> Forgotten:
        """Erase it."""
        if self.person:
            return forget_person(memory, person_named(memory, self.person))
        if self.channel:
            return forget_channel(memory, channel_named(memory, self.channel))
        return forget_workspace(memory) if self.workspace else forget(memory, self.named)


def _run_forget(asked: _Asked, *, as_json: bool) -> int:
    asked.check()
    with product.opened(settings_of(), index="off" if asked.dry_run else "own") as parts:
        memory = parts.memory
        done = asked.held(memory) if asked.dry_run else asked.erased(memory)
        followed = asked.dry_run or follow(memory)
    document = {
        "forgotten": "" if asked.dry_run else done.kind,
        "id": done.id,
        "decisions": done.decisions,
        "quotes": done.quotes,
    }
    put(document, lambda: _held_lines(done) if asked.dry_run else _forgotten_lines(done), as_json=as_json)
    return OK if followed else FAILED  # vectors of the text are left


def _held_lines(done: Forgotten) -> list[str]:
    what = "everything" if done.kind == "workspace" else f"channel {done.id}"
    return [f"Would forget {what}: {done.decisions} decision(s), and quotes in {done.quotes} other(s)"]


def _forgotten_lines(done: Forgotten) -> list[str]:
    match done.kind:
        case "person":
            return [
                f"Forgotten: {done.id}: {done.quotes} quote(s), in {done.decisions} decision(s)",
                "What they write from now on may be captured again: Home → My data → Leave me out says no to that.",
            ]
        case "channel":
            return [
                f"Forgotten: channel {done.id}: {done.decisions} decision(s), {done.quotes} quote(s) of it elsewhere",
                "Nothing of it is captured again.",
            ]
        case "workspace":
            return [
                f"Forgotten: everything, {done.decisions} decision(s)",
                "What is left are ids, days and places. Machines that sync with this one erase it when they next do;"
                " backups, and what a remote keeps of earlier times, are yours to purge.",
            ]
        case _:
            return [f"Forgotten: {done.kind} {done.id}, in {done.decisions} decision(s)"]


def _export(person: PersonName, as_json: AsJson = False) -> None:
    """A copy of what is kept of a person."""
    leave(guarded(lambda: _run_export(person, as_json=as_json)))


def _run_export(person: str, *, as_json: bool) -> int:
    with product.opened(settings_of(), index="off") as parts:
        document = person_copy(parts.memory, person_named(parts.memory, person))
    if not any(isinstance(kept, list) and kept for kept in document.values()):
        tell(f"{person}: nothing here names them")
    put(document, lambda: copy_lines(document), as_json=as_json)
    return OK
