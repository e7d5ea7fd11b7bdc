"""What segments weigh and cost, and how many objects many small syncs leave.

    python -m tests.benchmarks.sync [--decisions 100000] [--syncs 1000]

CPU time, since the wall clock of a shared machine says little. Whole processes (clones, syncs of a large memory) are
measured by `why bench log`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from store.bench.load import Load, facts
from store.core.events import writer_of
from store.sync.columns import Held
from store.sync.plan import WHOLE
from store.sync.segment import read_segment, write_segment
from tests.builders_log import admission, draft
from tests.builders_sync import machine, objects


@contextmanager
def spent(what: str, count: int) -> Iterator[None]:
    """Print the CPU time of what is done within, for each of `count`."""
    started = time.process_time()
    yield
    print(f"{what:<44} {(time.process_time() - started) / count * 1e6:9.1f} us each")


def streams(load: Load) -> dict[str, list[Held]]:
    """Return the load's facts by stream."""
    found: dict[str, list[Held]] = defaultdict(list)
    for header, parts in facts(load):
        start = header.index('"stream":"') + len('"stream":"')
        found[header[start : header.index('"', start)]].append((header, parts))
    return found


def segments(load: Load) -> None:
    """Write and read the load as segments."""
    runs = [
        (writer_of(stream), events[start : start + WHOLE])
        for stream, events in streams(load).items()
        for start in range(0, len(events), WHOLE)
    ]
    count = sum(len(events) for _, events in runs)
    with spent("a fact into a segment", count):
        written = [write_segment(owner, events) for owner, events in runs]
    with spent("a fact out of one, every hash made anew", count):
        read = sum(len(read_segment(data).events()) for data in written)
    print(f"{'facts, decisions, objects':<44} {count}, {load.decisions}, {len(written)}; read {read}")
    print(f"{'bytes a decision':<44} {sum(map(len, written)) / load.decisions:9.1f}")


def small_syncs(count: int) -> None:
    """Sync after each of many single decisions, then take it all in at once."""
    with tempfile.TemporaryDirectory() as folder:
        home, remote = Path(folder), Path(folder) / "shared"
        one, other = machine(home / "one"), machine(home / "other")
        with spent("a decision recorded and synced", count):
            for number in range(count):
                one.admit(admission(draft(f"Decision {number}"), anchor=f"C1/{number}"))
                one.sync(str(remote))
        print(f"{'objects left':<44} {len(objects(remote)):9}")
        with spent("a decision taken in elsewhere", count):
            other.sync(str(remote))
        with spent("a sync with nothing new", 10):
            for _ in range(10):
                other.sync(str(remote))
        one.close()
        other.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=100_000)
    parser.add_argument("--syncs", type=int, default=1_000)
    given = parser.parse_args(arguments)
    segments(Load(decisions=given.decisions))
    small_syncs(given.syncs)


if __name__ == "__main__":
    main()
