"""Worker processes for bulk work: they compute, one process alone writes.

Started afresh (spawn), never forked, so that they work on any system; they end when whoever started them does, however
that ends, since the pipe between them closes.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import TypeVar

Result = TypeVar("Result")
Job = Callable[[], Result]

AHEAD = 2
"""Jobs that each worker has before it: it never waits for the writer to ask."""


def workers_for(events: int, *, least: int) -> int:
    """Return how many workers so many events are worth: none where starting them takes longer than they save."""
    return min(4, os.cpu_count() or 1) if events >= least else 0


class Crew:
    """Some worker processes; without any, jobs are done here."""

    def __init__(self, workers: int) -> None:
        """Start them."""
        spawn = multiprocessing.get_context("spawn")
        self._pipes: list[Connection] = []
        self._processes = []
        for _ in range(workers):
            ours, theirs = spawn.Pipe()
            process = spawn.Process(target=_work, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)

    def __enter__(self) -> Crew:
        """Return the crew."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the workers end."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            if error is not None:
                process.terminate()
            process.join()

    def results(self, jobs: Iterable[Job[Result]]) -> Iterator[Result]:
        """Yield what each job returns, in the order of the jobs; a job must be picklable.

        Raises:
            Exception: what a job raised.
        """
        if not self._pipes:
            for job in jobs:
                yield job()
            return
        waiting = iter(jobs)
        given: deque[Connection] = deque()
        for _ in range(AHEAD):
            for pipe in self._pipes:
                if not _give(pipe, waiting, given):
                    break
        while given:
            pipe = given.popleft()
            result, error = pipe.recv()
            _give(pipe, waiting, given)
            if error is not None:
                raise error
            yield result

    def begin(self, job: Job[Result]) -> Job[Result]:
        """Give the first worker a job and return what waits for its result; without workers it is done then."""
        if not self._pipes:
            return job
        pipe = self._pipes[0]
        pipe.send(job)

        def result() -> Result:
            returned, error = pipe.recv()
            if error is not None:
                raise error
            return returned  # type: ignore[no-any-return]

        return result


def _give(pipe: Connection, waiting: Iterator[Job[Result]], given: deque[Connection]) -> bool:
    job = next(waiting, None)
    if job is None:
        return False
    pipe.send(job)
    given.append(pipe)
    return True


def _work(pipe: Connection) -> None:
    """Do jobs until the pipe closes."""
    with suppress(EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        while True:
            job = pipe.recv()
            result, raised = None, None
            try:
                result = job()
            except Exception as error:  # it is raised where the result is asked for
                raised = error
            pipe.send((result, raised))
