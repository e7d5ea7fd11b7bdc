"""The real `why` as its own process: what it gave, and how it is called."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.__main__ import main

PROJECT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a process gave."""

    code: int
    out: str
    err: str

    def document(self) -> Any:
        """Return stdout as the one JSON document that it must be."""
        return json.loads(self.out)


Why = Callable[..., Ran]


def run_why(
    home: Path, cwd: Path, words: tuple[str, ...], *, stdin: bytes = b"", environ: dict[str, str] | None = None
) -> Ran:
    """Run `why` with these words; its environment holds nothing of ours but the home and what is given."""
    done = subprocess.run(
        [sys.executable, "-m", "bot", *words],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**environment(home), **(environ or {})},
        timeout=120,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())


def call_why(
    home: Path, cwd: Path, words: tuple[str, ...], *, stdin: bytes = b"", environ: dict[str, str] | None = None
) -> Ran:
    """Run `why` through its entry point in this process: the same door, without Python's start."""
    out, err = io.StringIO(), io.StringIO()
    before, given = dict(os.environ), sys.stdin
    os.environ.clear()
    os.environ.update({**environment(home), **(environ or {})})
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = _exit_code(words)
    finally:
        os.environ.clear()
        os.environ.update(before)
        sys.stdin = given
    return Ran(code=code, out=out.getvalue(), err=err.getvalue())


def _exit_code(words: tuple[str, ...]) -> int:
    try:
        main(words)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a process that is to use this home."""
    inherited = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "HOME", "TMPDIR")}
    return {
        **inherited,
        "PYTHONPATH": str(PROJECT),
        "BACKSTORY_HOME": str(home),
        "BACKSTORY_FOLLOW": "later",
        "NO_COLOR": "1",
    }
