"""Many machines decide, erase and sync all at once with a folder and a git repository; some are killed meanwhile.

    python -m tests.benchmarks.soak [--machines 12] [--seconds 50] [--seed 1] [--no-kills]

Each machine is a process with a home of its own, and writes down what its memory said was recorded. At the end
everybody syncs twice with both remotes. Prints JSON and exits 0 if all have one digest, hold everything that any of
them wrote down but what was erased, verify, and neither remote holds a word of what was erased.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from pathlib import Path

from store import EVERYTHING, Admission, Draft, Memory, Place, Scope
from store.errors import StoreError
from store.sync.remotes import open_remote
from store.sync.segment import read_segment
from tests.builders_remotes import bare_repository

PROJECT = Path(__file__).resolve().parents[2]
SOAKED = Scope(id="channel:SOAK", open=True)
START_S = 60.0
"""Seconds that a process may take to start, and to end, on a machine that is busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Soaked:
    """What a soak ended with; in titles, what somebody lost, and what stands or lies in a remote though erased."""

    machines: int
    seconds: float
    decisions: int
    erased: int
    kills: int
    syncs: dict[str, int]
    longest_sync_s: float
    digests: int
    lost: tuple[str, ...]
    returned: tuple[str, ...]
    told: tuple[str, ...]
    faults: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether all hold the same, and all of it."""
        return self.digests == 1 and not (self.lost or self.returned or self.told or self.faults)


@dataclass(slots=True)
class Journal:
    """What one machine wrote down: titles by decision id, what it was about to erase, how its syncs ended."""

    path: Path
    recorded: dict[str, str] = field(default_factory=dict)
    erasing: set[str] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)
    syncs: list[tuple[str, float]] = field(default_factory=list)

    @classmethod
    def of(cls, home: Path) -> Journal:
        """Read a machine's journal, as far as it came."""
        journal = cls(home / "journal")
        lines = journal.path.read_text().split("\n")[:-1] if journal.path.exists() else []
        for kind, *words in (line.split(" ") for line in lines):
            journal._note(kind, words)
        return journal

    def write(self, kind: str, *words: str) -> None:
        """Note something that happened."""
        self._note(kind, words)
        with self.path.open("a") as file:
            file.write(" ".join((kind, *words)) + "\n")

    def _note(self, kind: str, words: Sequence[str]) -> None:
        if kind == "recorded":
            self.recorded[words[0]] = words[1]
        elif kind == "erasing":
            self.erasing.add(words[0])
        elif kind == "erased":
            self.erased.add(words[0])
        else:
            self.syncs.append((words[0], float(words[1])))


# --- one machine ------------------------------------------------------------------------------


def machine(home: Path, remotes: Sequence[str], *, seconds: float, seed: int) -> None:
    """Decide, erase and sync until the time is over."""
    chance = random.Random(seed)
    until = time.monotonic() + seconds
    with closing(Memory.open(home, index="off")) as memory:
        journal = Journal.of(home)
        while time.monotonic() < until:
            for _ in range(chance.randint(1, 5)):
                admission = decided(chance)
                for each in memory.admit(admission).new:
                    journal.write("recorded", each, admission.drafts[0].title)
            standing = sorted(journal.recorded.keys() - journal.erasing)
            if standing and chance.random() < 0.2:
                journal.write("erasing", one := chance.choice(standing))
                memory.forget_decision(one)
                journal.write("erased", one)
            began = time.monotonic()
            try:
                memory.sync(chance.choice(remotes))
                said = "well"
            except StoreError as error:
                said = type(error).__name__
            journal.write("synced", said, f"{time.monotonic() - began:.3f}")


def decided(chance: random.Random) -> Admission:
    """Return a decision that no other machine makes, on an element that all decide on."""
    element = f"service:{chance.choice(('search', 'pay', 'mail', 'login'))}"
    draft = Draft(
        title=f"soaked-{chance.getrandbits(64):016x}",
        decided_on=date(2026, 1, 1) + timedelta(days=chance.randrange(300)),
        elements=(element,),
        sets=((element, chance.choice(("engine", "retries")), str(chance.randrange(3))),),
    )
    place = Place(source="slack", anchor=f"SOAK/{chance.getrandbits(64)}")
    return Admission(place=place, basis="1", scope=SOAKED, drafts=(draft,), provenance="soak")


# --- all of them ------------------------------------------------------------------------------


def soak(folder: Path, *, machines: int, seconds: float, seed: int, kills: bool) -> Soaked:
    """Run so many machines for so long, and then bring them together."""
    remotes = (str(folder / "shared"), str(bare_repository(folder / "team.git")))
    homes = [folder / f"machine-{number}" for number in range(machines)]
    chance, killed = random.Random(seed), 0
    running = [started(home, remotes, seconds, seed * 1000 + number) for number, home in enumerate(homes)]
    wait_until(lambda: all(Journal.of(home).syncs for home in homes) or any(each.poll() for each in running))
    began = time.monotonic()
    while (left := began + seconds - time.monotonic()) > 0:
        time.sleep(min(left, chance.uniform(0.2, seconds / 12)))
        if kills and left > seconds / 6:
            number = chance.randrange(machines)
            running[number].kill()
            running[number].wait()
            killed += 1
            running[number] = started(homes[number], remotes, left, seed * 1000 + machines * killed + number)
    for process in running:
        if process.wait(timeout=seconds + START_S) != 0:
            raise SystemExit(f"a machine failed with {process.returncode}: {(folder / 'errors').read_text()}")
    return brought_together(homes, remotes, seconds=time.monotonic() - began, kills=killed)


def started(home: Path, remotes: Sequence[str], seconds: float, seed: int) -> subprocess.Popen[bytes]:
    """Start a machine as a process."""
    words = ("--machine", str(home), "--seconds", str(seconds), "--seed", str(seed), *remotes)
    with (home.parent / "errors").open("ab") as errors:
        return subprocess.Popen([sys.executable, "-m", "tests.benchmarks.soak", *words], cwd=PROJECT, stderr=errors)


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for something that other processes do."""
    deadline = time.monotonic() + START_S
    while not true() and time.monotonic() < deadline:
        time.sleep(0.05)


def brought_together(homes: Sequence[Path], remotes: Sequence[str], *, seconds: float, kills: int) -> Soaked:
    """Let everybody give what they have and take what the others gave, and compare."""
    journals = [Journal.of(home) for home in homes]
    recorded = {id_: title for journal in journals for id_, title in journal.recorded.items()}
    erasing = {id_ for journal in journals for id_ in journal.erasing}
    erased = {id_ for journal in journals for id_ in journal.erased}
    digests: set[str] = set()
    lost: set[str] = set()
    standing: set[str] = set()
    faults: list[str] = []
    for last in (False, True):
        for home in homes:
            with closing(Memory.open(home, index="off")) as memory:
                done = [memory.sync(remote) for remote in remotes]
                if last:
                    digests.add(memory.digest(EVERYTHING))
                    standing = {each.id for each in memory.decisions(EVERYTHING)}
                    lost |= recorded.keys() - erasing - standing
                    faults += [
                        str(each) for each in (*memory.verify().faults, *(f for one in done for f in one.faults))
                    ]
    return Soaked(
        machines=len(homes),
        seconds=round(seconds, 1),
        decisions=len(recorded),
        erased=len(erased),
        kills=kills,
        syncs=dict(Counter(said for journal in journals for said, _ in journal.syncs)),
        longest_sync_s=max(seconds for journal in journals for _, seconds in journal.syncs),
        digests=len(digests),
        lost=tuple(sorted(recorded[id_] for id_ in lost)),
        returned=tuple(sorted(recorded[id_] for id_ in erased & standing)),
        told=tuple(sorted(told(remotes, homes[0], {recorded[id_] for id_ in erasing - standing}))),
        faults=tuple(faults),
    )


def told(remotes: Iterable[str], home: Path, titles: set[str]) -> set[str]:
    """Return those of these titles that stand in some object of a remote."""
    found: set[str] = set()
    for address in remotes:
        with closing(open_remote(address, home / "sync")) as remote:
            for _, data in remote.read(list(remote.listing().objects)):
                texts = [body for event in read_segment(data or b"").events() for _, _, body in event.parts if body]
                found |= {title for title in titles if any(title in text for text in texts)}
    return found


def main() -> None:
    """Soak, or be one machine of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=50.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-kills", action="store_true")
    parser.add_argument("--machine", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("remotes", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.machine:
        machine(given.machine, given.remotes, seconds=given.seconds, seed=given.seed)
        return
    with tempfile.TemporaryDirectory() as folder:
        soaked = soak(
            Path(folder), machines=given.machines, seconds=given.seconds, seed=given.seed, kills=not given.no_kills
        )
    print(json.dumps(asdict(soaked), indent=2))
    raise SystemExit(0 if soaked.sound else 1)


if __name__ == "__main__":
    main()
