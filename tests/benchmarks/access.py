"""Five thousand acts in a generated town: is anything shown to somebody who could not read it?

    python -m tests.benchmarks.access [--steps 5000] [--seed 1] [--plain]

Thirty people of all kinds, twenty-five channels of all kinds, four hundred decisions; who reads what changes meanwhile.
Each message, modal and Home that the bot shows is held against an oracle over Slack's own state.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.builders_slack import Gateway, staged
from tests.builders_town import Town, town
from tests.builders_town_busy import BusyTown, busy_town


def main() -> int:
    """Run it and print what was done, how much was shown, and each leak; 1 where there was one."""
    given = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    given.add_argument("--steps", type=int, default=5_000)
    given.add_argument("--seed", type=int, default=1)
    given.add_argument("--plain", action="store_true", help="only questions, answers and who reads what")
    options = given.parse_args()
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as home,
        Gateway() as gateway,
        staged(Path(home), gateway, workspace=(town if options.plain else busy_town)(options.seed)) as stage,
    ):
        place = (Town if options.plain else BusyTown)(stage, random.Random(options.seed))
        place.decide(400)
        for step in range(1, options.steps + 1):
            place.step()
            if step % 250 == 0:
                print(f"{step} steps, {place.shown} shown, {len(place.leaks)} leaks, {time.monotonic() - began:.0f} s")
    print(" ".join(f"{name}={count}" for name, count in sorted(place.did.items())))
    print(f"{place.shown} messages, modals and Homes with {place.words} marked words; {len(place.leaks)} leaks")
    for leak in place.leaks[:20]:
        print(leak, file=sys.stderr)
    return 1 if place.leaks else 0


if __name__ == "__main__":
    raise SystemExit(main())
