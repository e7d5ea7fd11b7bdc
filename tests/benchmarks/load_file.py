"""Keep the load in a file, so that several measurements read it faster than it is made.

    python -m tests.benchmarks.load_file PATH [--decisions 100000]

`envelopes(path)` yields what `Load.envelopes` yields; `facts(path)` the same as plain (header, parts).
"""

from __future__ import annotations

import argparse
import itertools
import marshal
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from store.bench.load import Load
from store.bench.load import facts as made
from store.sql.union import Envelope

Fact = tuple[str, dict[str, tuple[bytes, str]]]
AT_ONCE = 2_000
"""Facts in one piece of the file: some 2 MB while it is read."""


def write(path: Path, given: Iterable[Fact]) -> int:
    """Write facts in pieces, each after its length in bytes; returns how many."""
    waiting, count = iter(given), 0
    with path.open("wb") as file:
        while piece := list(itertools.islice(waiting, AT_ONCE)):
            packed = zlib.compress(marshal.dumps(piece), 1)
            file.write(len(packed).to_bytes(4, "big") + packed)
            count += len(piece)
    return count


def facts(path: Path) -> Iterator[Fact]:
    """Yield what `write` wrote, in its order."""
    with path.open("rb") as file:
        while size := file.read(4):
            yield from marshal.loads(zlib.decompress(file.read(int.from_bytes(size, "big"))))  # noqa: S302  # our own


def envelopes(path: Path) -> Iterator[Envelope]:
    """Yield the facts of a file as envelopes."""
    for header, parts in facts(path):
        yield Envelope(header=header, parts=parts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make a load and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--decisions", type=int, default=100_000)
    given = parser.parse_args(arguments)
    print(write(given.path, made(Load(decisions=given.decisions))))


if __name__ == "__main__":
    main()
