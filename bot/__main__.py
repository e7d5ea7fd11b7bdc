"""The command `why`: the cold commands at once, everything else through typer."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from bot.cli import cold


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and end the process with its exit code: 0 done, 1 failed, 2 used wrongly."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # a pipe on Windows has another one
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in cold.COMMANDS:
        raise SystemExit(cold.run(words))
    if words == ["--version"]:
        print(cold.version_text())
        raise SystemExit(0)
    from bot.cli.main import app  # typer and the whole product: not for those who only look something up

    app(args=words, prog_name="why")


if __name__ == "__main__":
    main()
