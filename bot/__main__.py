"""The command `why`: the cold commands and the quick ones that write at once, everything else through typer."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from bot.cli.frame import guarded

COLD = frozenset({"as-of", "conflicts", "heads", "history", "list", "show"})
"""The commands of `bot.cli.cold`, named here so that nobody else loads it."""

RECORDING = frozenset({"apart", "ingest", "outcome", "record"})
"""The commands of `bot.cli.recording`, named here for the same reason."""

HOOKING = frozenset({"hook", "none"})
"""The commands of `bot.cli.hooking`, named here for the same reason."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and end the process with its exit code: 0 done, 1 failed, 2 used wrongly."""
    _open_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    raise SystemExit(guarded(lambda: _run(words)))


def _run(words: list[str]) -> int:
    if words and words[0] in HOOKING:
        from bot.cli import hooking  # a coding assistant waits for it

        return hooking.run(words)
    if words and words[0] in COLD:
        from bot.cli import cold  # look-ups

        return cold.run(words)
    if words and words[0] == "sync":
        from bot.cli import syncing  # only who syncs pays for it

        return syncing.run(words)
    if words and words[0] in RECORDING:
        from bot.cli import recording  # the writing half: not for those who only look something up

        return recording.run(words)
    if words == ["--version"]:
        from bot.cli import cold  # it tells the version

        print(cold.version_text())
        return 0
    from bot.cli.main import app  # typer and the whole product: not for those who only look something up

    app(args=words, prog_name="why")
    return 0


def _open_streams() -> None:
    """Speak UTF-8 on every stream; one that was closed on us leads nowhere, as Python has None in its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # until the process ends
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # a pipe on Windows has another one


if __name__ == "__main__":
    main()
