"""`why demo`, `why run`, `why serve`, `why worker`: the product itself, until it is stopped."""

from __future__ import annotations

from typing import Annotated

import typer

from bot import app as product
from bot.cli.frame import guarded, leave, settings_of


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("demo")(_demo)
    app.command("run")(_run)
    app.command("serve")(_serve)
    app.command("worker")(_worker)


def _demo(
    once: Annotated[bool, typer.Option("--once", help="End after the story instead of waiting for questions.")] = False,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Of its page in the browser, on 127.0.0.1; 0: a free one.")
    ] = 0,
) -> None:
    """The product in a minute. A pretend Slack on this machine: no accounts, no key."""
    leave(guarded(lambda: _play(once=once, port=port)))


def _play(*, once: bool, port: int) -> int:
    from bot.playground.demo import demo  # a whole workspace, for this command alone

    return demo(once=once, port=port)


def _run() -> None:
    """Serve Slack over Socket Mode, all in one process."""
    leave(guarded(lambda: product.run(settings_of())))


def _serve(
    works: Annotated[
        bool,
        typer.Option("--worker/--no-worker", help="Leave the inbox to why worker: needs DATABASE_URL, CHROMA_URL."),
    ] = True,
) -> None:
    """Serve Slack over HTTP on PORT, and work the inbox."""
    leave(guarded(lambda: product.serve(settings_of(), works=works)))


def _worker() -> None:
    """Work the inbox alone, beside other processes. Needs DATABASE_URL and CHROMA_URL."""
    leave(guarded(lambda: product.work(settings_of())))
