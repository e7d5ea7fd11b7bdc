"""How long a file's path takes to find what was decided on the elements that claim it.

    python -m tests.benchmarks.paths [--home FOLDER] [--elements 50000] [--claims 1000] [--asked 2000]

Each element of the load is decided on once; some of them claim a folder, every tenth by a glob with wildcards before
its end, five by one without a literal beginning. Prints percentiles in milliseconds of wall and of CPU time, beside
those of a look-up by name. With --home a memory that is there is used, and gets the claims.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import quantiles

from store import PUBLIC, WORKSPACE, Admission, Draft, Load, Memory, Place, QuickMemory


def main() -> None:
    """Fill a memory, ask it, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--elements", type=int, default=50_000)
    parser.add_argument("--claims", type=int, default=1_000)
    parser.add_argument("--asked", type=int, default=2_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = given.home or Path(folder)
        memory = Memory.open(home, index="off")
        if given.home is None:
            load = Load(decisions=given.elements, elements=given.elements, writers=30)
            print(f"{memory.receive(load.envelopes()):,} events taken in")
        done = sum(len(one.new) for one in memory.ingest(_claims(given.claims)))
        print(f"{done:,} claims new")
        memory.close()
        quick = QuickMemory.open(home)
        assert quick is not None
        _measure(quick, given.claims, given.asked)
        quick.close()


def _claims(number: int) -> Iterator[Admission]:
    for n in range(number):
        glob = f"services/team-{n % 40}/part-{n}/**"
        if n % 10 == 0:
            glob = f"services/team-{n % 40}/part-*/src-{n}/*.py"
        if n % (number // 5) == 1:
            glob = f"**/generated-{n}/*.py"
        draft = Draft(title=f"Part {n} has an owner", sets=((f"part:{n}", "paths", glob),))
        yield Admission(
            place=Place(source="record", anchor=f"claim:{n}", ref=f"claim:{n}"), basis="1", scope=WORKSPACE,
            drafts=(draft,), provenance="file", recorded_from="ingest",
        )  # fmt: skip


def _measure(memory: QuickMemory, claims: int, asked: int) -> None:
    chance = random.Random(1)
    numbers = [chance.randrange(claims) for _ in range(asked)]
    paths = [f"services/team-{n % 40}/part-{n}/src-{n - n % 10}/deep/retry.py" for n in numbers]
    _report("heads of a path", [partial(memory.heads, [path], PUBLIC) for path in paths])
    _report("claims on a path", [partial(memory.claims, path, PUBLIC) for path in paths])
    _report("a path nobody claims", [partial(memory.heads, [f"elsewhere/{n}/x.py"], PUBLIC) for n in numbers])
    _report("heads of a name", [partial(memory.heads, [f"part:{n}"], PUBLIC) for n in numbers])


def _report(what: str, calls: Sequence[Callable[[], object]]) -> None:
    wall, cpu = [], []
    for call in calls:
        began, used = time.perf_counter(), time.process_time()
        call()
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - used))
    for name, took in (("wall", wall), ("CPU", cpu)):
        cut = quantiles(took, n=100)
        print(f"{what:<22} {name:<5} p50 {cut[49]:.2f} ms   p95 {cut[94]:.2f} ms   p99 {cut[98]:.2f} ms")


if __name__ == "__main__":
    main()
