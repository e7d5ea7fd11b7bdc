"""How long a rebuild, a check and a digest of a large memory take, in seconds of wall clock and of all processes.

    python -m tests.benchmarks.bulk HOME

HOME is a memory made by a sync with the remote that `store.bench.remote` lays out, or by anything else.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from store import EVERYTHING, Memory


def cpu() -> float:
    """Return the processor seconds of this process and of its children that ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one memory and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    memory = Memory.open(parser.parse_args(arguments).home, index="off")
    steps: dict[str, Callable[[], object]] = {
        "rebuild": memory.rebuild,
        "verify": memory.verify,
        "digest": lambda: memory.digest(EVERYTHING),
    }
    for name, step in steps.items():
        wall, used = time.monotonic(), cpu()
        step()
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{name}: {time.monotonic() - wall:.1f} s, {cpu() - used:.1f} s of all processes, at most {own} MB here")
    memory.close()


if __name__ == "__main__":
    main()
