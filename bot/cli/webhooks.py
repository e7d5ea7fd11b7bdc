"""`why webhooks`: the addresses at which other systems deliver what happens there."""

from __future__ import annotations

import secrets
import sys
from typing import Annotated

import typer

from bot import app as product
from bot.cli.frame import JSON, OK, Misused, audience_named, guarded, leave, put, settings_of, tell
from bot.decision_shape import scope_text
from bot.errors import SettingsError, WrongInput
from bot.sources.hooked import READERS
from store import WORKSPACE, HookRoute, Scope

ID_BYTES, SECRET_BYTES = 16, 32
LEAST_SECRET_CHARS = 16
"""Shorter secrets can be tried out."""

webhooks = typer.Typer(
    help="Addresses at which other systems deliver what happens there.", no_args_is_help=True, rich_markup_mode=None
)

AsJson = Annotated[bool, typer.Option(JSON.flag, help=JSON.help)]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.add_typer(webhooks, name="webhooks")


@webhooks.command("add")
def _add(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help=f"One of: {', '.join(sorted(READERS))}.")],
    visible_to: Annotated[
        str, typer.Option("--visible-to", metavar="workspace|CHANNEL", help="Who may read what comes.")
    ] = "",
    secret: Annotated[
        bool, typer.Option("--secret", help="Read the secret from standard input: where the other system makes it.")
    ] = False,
    comment_for: Annotated[
        str,
        typer.Option(
            "--comment-for",
            metavar="workspace|CHANNEL",
            help="Comment on pull requests that go against a decision, citing what these may read: all who read the"
            " repository see it. Off unless given; github only, with GITHUB_TOKEN.",
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Make an address for a source, and the secret that its deliveries are signed with."""
    leave(guarded(lambda: _run_add(source, visible_to, comment_for, read_secret=secret, as_json=as_json)))


def _run_add(source: str, visible_to: str, comment_for: str, *, read_secret: bool, as_json: bool) -> int:
    if source not in READERS:
        raise Misused(f"{source}: delivers nothing; there is {', '.join(sorted(READERS))}")
    if not visible_to:
        raise Misused(f"{source} doesn't say who may read it: add --visible-to workspace or --visible-to CHANNEL")
    settings = settings_of()
    if comment_for and source != "github":
        raise Misused(f"--comment-for: {source} has no pull requests to comment on; github has")
    if comment_for and not settings.credentials.get("GITHUB_TOKEN"):
        raise SettingsError("GITHUB_TOKEN: not set; comments are made with it, here and where the bot runs")
    made = sys.stdin.readline().strip() if read_secret else secrets.token_urlsafe(SECRET_BYTES)
    if len(made) < LEAST_SECRET_CHARS:
        raise WrongInput(f"the secret has fewer than {LEAST_SECRET_CHARS} characters: it could be tried out")
    with product.opened(settings, index="off") as parts:
        scope = audience_named(parts.memory, visible_to)
        route = HookRoute(id=secrets.token_urlsafe(ID_BYTES), source=source, secrets=(made,), scope=scope)
        reads = audience_named(parts.memory, comment_for) if comment_for else None
        parts.memory.beside.hook_routes.keep(route, parts.clock())
        if reads:
            parts.memory.beside.pull_comments.allow(route.id, reads)
    shown = {} if read_secret else {"secret": made}
    document = {"id": route.id, "source": source, "path": path_of(route), "scope": scope_text(scope), **shown}
    document["comment_for"] = scope_text(reads) if reads else None
    lines = [f"address: https://YOUR.HOST{path_of(route)}"]
    lines += [] if read_secret else [f"secret:  {made}", "It isn't shown again."]
    put(document, lambda: lines, as_json=as_json)
    return OK


@webhooks.command("list")
def _list(as_json: AsJson = False) -> None:
    """List the addresses, without their secrets."""
    leave(guarded(lambda: _run_list(as_json=as_json)))


def _run_list(*, as_json: bool) -> int:
    with product.opened(settings_of(), index="off") as parts:
        found, reads = parts.memory.beside.hook_routes.all(), parts.memory.beside.pull_comments.allowed()
    document = {
        "webhooks": [
            {
                "id": one.id,
                "source": one.source,
                "path": path_of(one),
                "scope": scope_text(one.scope),
                "comment_for": scope_text(reads[one.id]) if one.id in reads else None,
            }
            for one in found
        ]
    }
    lines = [
        f"{one.id}  {one.source:10} visible to {_audience(one.scope)}"
        + (f", comments for {_audience(reads[one.id])}" if one.id in reads else "")
        for one in found
    ]
    put(document, lambda: lines or ["no addresses"], as_json=as_json)
    return OK


@webhooks.command("remove")
def _remove(
    id_: Annotated[str, typer.Argument(metavar="ID", help="As `why webhooks list` shows it.")], as_json: AsJson = False
) -> None:
    """End an address: what is delivered there is refused from now on."""
    leave(guarded(lambda: _run_remove(id_, as_json=as_json)))


def _run_remove(id_: str, *, as_json: bool) -> int:
    with product.opened(settings_of(), index="off") as parts:
        if not parts.memory.beside.hook_routes.drop(id_):
            raise WrongInput(f"{id_}: no such address; `why webhooks list` shows them")
        parts.memory.beside.pull_comments.drop(id_)
    put({"removed": id_}, lambda: [f"{id_}: ended"], as_json=as_json)
    tell("end it in the other system too, or it keeps trying")
    return OK


def _audience(scope: Scope) -> str:
    """Return whom `--visible-to` named."""
    return "workspace" if scope == WORKSPACE else scope.id.removeprefix("channel:")


def path_of(route: HookRoute) -> str:
    """Return the path at which a source delivers."""
    return f"/webhooks/{route.source}/{route.id}"
