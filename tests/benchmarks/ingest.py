"""What writing costs: one decision in process, and 1, 200 and 10,000 lines as whole processes.

    python -m tests.benchmarks.ingest [HOME] [--lines 10000]

HOME is a memory that holds something already, such as a million decisions; it is copied first. Without it the memory
is new. Wall clock and CPU (with the process's own start) in milliseconds; the vectors are left for later.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bot.ingest import admission_of
from bot.sources.records import record_of
from store import WORKSPACE, Draft, Load, Memory, Person, QuickRecorder, Verdict

SEED = 7
"""Of the lines: another one than of the loads that a memory may hold."""


def line_of(draft: Draft) -> str:
    """Return a draft as a line of `why ingest`."""
    fields: dict[str, object] = {"title": draft.title, "rationale": draft.rationale, "elements": draft.elements}
    if draft.decided_on:
        fields["decided_on"] = draft.decided_on.isoformat()
    if draft.links:
        fields["links"] = draft.links
    if draft.sets:
        fields["sets"] = {f"{element}.{name}": value for element, name, value in draft.sets}
    return json.dumps(fields, ensure_ascii=False)


def lines(count: int, seed: int = SEED) -> Iterator[str]:
    """Yield the load as lines."""
    return map(line_of, Load(decisions=count, seed=seed).drafts())


def in_process(home: Path, each: int = 200) -> None:
    """Print what one durable append costs in a process that has the memory open."""
    memory = QuickRecorder.open(home)
    assert memory is not None
    admissions = [
        admission_of(record_of(line), WORKSPACE, recorded_from="record") for line in lines(2 * each, seed=SEED + 1)
    ]
    try:
        first = [memory.admit(one) for one in admissions[:each]]
        _timed("admit one", [partial(memory.admit, one) for one in admissions[each:]])
        vote = partial(memory.observe_outcome, verdict=Verdict.WORKED, counts=True, scope=WORKSPACE, at=memory.clock())
        ids = [done.new[0] for done in first]
        _timed("one vote", [partial(vote, id_, voter=Person(name=f"v{id_}"), key=f"vote:{id_}") for id_ in ids])
    finally:
        memory.close()


def as_process(home: Path, count: int, times: int) -> None:
    """Print what `why ingest` of so many new lines takes as a whole process."""
    walls, cpus, document = [], [], {}
    for number in range(times):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines(count, seed=SEED + 10 + number + count))
            file.flush()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            started = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "bot", "ingest", file.name, "--json"],
                env={**os.environ, "BACKSTORY_HOME": str(home), "BACKSTORY_FOLLOW": "later"},
                capture_output=True,
                check=True,
            )
            walls.append((time.perf_counter() - started) * 1e3)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpus.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3)
            document = json.loads(done.stdout)
            assert document["decisions"] == count, document
    _print(f"ingest {count:,}", walls)
    _print("  its CPU", cpus)


def _timed(what: str, works: list[Callable[[], object]]) -> None:
    walls, cpu = [], time.process_time()
    for work in works:
        started = time.perf_counter()
        work()
        walls.append((time.perf_counter() - started) * 1e3)
    _print(what, walls)
    print(f"  its CPU        mean   {(time.process_time() - cpu) * 1e3 / len(works):8.1f} ms")


def _print(what: str, found: list[float]) -> None:
    print(f"{what:16} median {statistics.median(found):8.1f} ms   largest {max(found):8.1f}   of {len(found)}")


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", nargs="?", type=Path)
    parser.add_argument("--lines", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.home.parent if given.home else None) as folder:
        home = Path(folder) / "home"
        if given.home:
            shutil.copytree(given.home, home)
        Memory.open(home, index="off").close()
        in_process(home)
        as_process(home, 1, 9)
        as_process(home, 200, 5)
        as_process(home, given.lines, 2)
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"largest process  {largest:.0f} MB")


if __name__ == "__main__":
    main()
