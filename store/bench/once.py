"""One piece of work as a process of its own, without vectors: `python -m store.bench.once rebuild HOME`.

Prints one JSON document with what the work itself took.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    """Do what the words say."""
    from store.memory import Memory

    _, home = sys.argv[1:]
    memory = Memory.open(Path(home), index="off")
    try:
        report = memory.rebuild()
    finally:
        memory.close()
    print(json.dumps({"seconds": report.seconds, "events": report.events, "decisions": report.decisions}))


if __name__ == "__main__":
    main()
