"""Whole processes, measured from outside: how long each took and how much memory it and its children held."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.errors import StoreError

LOOK_EVERY_S = 0.004
"""How often a process's memory is read: several times within the shortest one."""

MOST_TOLD_CHARS = 500
"""Of what a failed process said, for the message about it."""

_KEPT = ("PATH", "SYSTEMROOT", "HOME", "TMPDIR", "TEMP", "LANG", "VIRTUAL_ENV", "PYTHONPATH")

_ROOT = Path(__file__).parents[2]
"""Where our packages lie: a process that starts in another folder finds them there, installed or not."""


class MeasuredFailed(StoreError):
    """A command that was to be measured failed; the message says which and what it said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One whole process."""

    seconds: float
    memory_mb: float | None
    """The most that it and its children held at one time, resident; None where the system doesn't tell."""
    out: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """Runs commands as fresh processes on one home, without any setting from outside."""

    program: tuple[str, ...]
    """What Python is told to run as `why`."""
    home: Path
    cwd: Path

    def why(self, *words: str, quiet: bool = False) -> Measured:
        """Run `why` with these words; `quiet` throws its output away.

        Raises:
            MeasuredFailed: it did not exit with 0.
        """
        return self.python(*self.program, *words, quiet=quiet)

    def python(self, *words: str, quiet: bool = False) -> Measured:
        """Run this Python with these words.

        Raises:
            MeasuredFailed: it did not exit with 0.
        """
        environment = {name: value for name, value in os.environ.items() if name in _KEPT}
        return measured(
            (sys.executable, *words),
            cwd=self.cwd,
            quiet=quiet,
            environ=environment | {"BACKSTORY_HOME": str(self.home)},
        )


def measured(words: Sequence[str], *, cwd: Path, environ: Mapping[str, str], quiet: bool) -> Measured:
    """Run one process to its end and say how long it took.

    Raises:
        MeasuredFailed: it did not exit with 0.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603  # our own interpreter and words of our own
            words,
            cwd=cwd,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if quiet else out,
            stderr=err,
        )
        watch = _Watch(process.pid)
        watch.start()
        code = process.wait()
        took = time.perf_counter() - began
        watch.end()
        if code:
            err.seek(0)
            said = err.read().decode("utf-8", "replace").strip()[-MOST_TOLD_CHARS:]
            raise MeasuredFailed(f"{' '.join(words[1:])} exited with {code}: {said}")
        out.seek(0)
        return Measured(seconds=took, memory_mb=watch.most_mb, out=out.read())


class _Watch(threading.Thread):
    """Reads the memory of a process and its children until it ends."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._ended = threading.Event()
        self._most_kb = 0

    @property
    def most_mb(self) -> float | None:
        """The most that was held at one time."""
        return round(self._most_kb / 1024, 1) if self._most_kb else None

    def end(self) -> None:
        """Stop reading."""
        self._ended.set()
        self.join()

    def run(self) -> None:
        while not self._ended.wait(LOOK_EVERY_S):
            alone, *children = [_resident(each) for each in _family(self._pid)] or [(0, 0)]
            self._most_kb = max(self._most_kb, alone[1], alone[0] + sum(now for now, _ in children))


def _family(pid: int) -> list[int]:
    """Return a process and all below it, itself first."""
    found = [pid]
    for each in found:
        try:
            tasks = os.listdir(f"/proc/{each}/task")
            found += [int(c) for t in tasks for c in Path(f"/proc/{each}/task/{t}/children").read_text().split()]
        except OSError:  # it has ended, or the system has no such files
            continue
    return found


def _resident(pid: int) -> tuple[int, int]:
    """Return what a process holds now and the most that it ever held, in kB."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return (0, 0)
    known = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("VmRSS", "VmHWM"))}
    return (int(known.get("VmRSS", 0)), int(known.get("VmHWM", 0)))
