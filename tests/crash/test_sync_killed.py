"""Two machines that share a remote, one of them killed at each point of a sync: nothing is lost, nothing is twice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from store import EVERYTHING, Memory
from store.failpoints import OF_A_SYNC
from tests.benchmarks.soak import told
from tests.builders_log import admission, draft, memory_in
from tests.builders_remotes import bare_repository

PROJECT = Path(__file__).resolve().parents[2]
SYNC = "import sys, pathlib, store; store.Memory.open(pathlib.Path(sys.argv[1]), index='off').sync(sys.argv[2])"
OF_GIT = [point for point in OF_A_SYNC if ".put." not in point and ".gone." not in point]  # a push is one step
OF_A_FOLDER = [point for point in OF_A_SYNC if ".fetch." not in point and ".push." not in point]
POINTS = [
    ("folder", "projection.before"),
    *(("folder", point) for point in OF_A_FOLDER),
    *(("git", point) for point in OF_GIT),
]

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")


def remote_of(kind: str, tmp_path: Path) -> str:
    if kind == "git" and shutil.which("git") is None:
        pytest.skip("git isn't installed")
    return str(bare_repository(tmp_path / "team.git") if kind == "git" else tmp_path / "shared")


def recorded(memory: Memory, title: str) -> str:
    anchor = f"C1/{sum(title.encode())}"  # a place stays known when it is forgotten, so it can't be named for the title
    return memory.admit(admission(draft(title), anchor=anchor)).new[0]


def killed_in(home: Path, remote: str, point: str) -> bool:
    """Sync in a process of its own that kills itself at a point; says whether it came to it."""
    variables = {**os.environ, "BACKSTORY_FAILPOINT": point, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run([sys.executable, "-c", SYNC, str(home), remote], env=variables, timeout=60, check=False)
    return done.returncode == -signal.SIGKILL


@pytest.mark.parametrize(("kind", "point"), POINTS)
def test_killed_there_and_synced_again_both_hold_everything_once(kind: str, point: str, tmp_path: Path) -> None:
    remote = remote_of(kind, tmp_path)
    with closing(memory_in(tmp_path / "one")) as one, closing(memory_in(tmp_path / "two")) as two:
        erased, _ = recorded(one, "erased-word"), recorded(one, "one-a")
        one.sync(remote)
        recorded(two, "two-a")
        two.sync(remote)
        one.forget_decision(erased)
        recorded(one, "one-b")

        killed = killed_in(tmp_path / "one", remote, point)
        recorded(two, "two-b")
        two.sync(remote)
        one.sync(remote)
        two.sync(remote)

        assert killed
        assert one.digest(EVERYTHING) == two.digest(EVERYTHING)
        assert {"one-a", "one-b", "two-a", "two-b"} <= {each.title for each in one.decisions(EVERYTHING)}
        held = [[each.header for each in memory.envelopes()] for memory in (one, two)]
        assert sorted(held[0]) == sorted(held[1])
        assert len(set(held[0])) == len(held[0])
        assert one.verify().faults == two.verify().faults == ()
        assert told([remote], tmp_path / "one", {"erased-word"}) == set()
        again = (one.sync(remote), two.sync(remote))
        assert [(done.sent, done.received, done.faults) for done in again] == [(0, 0, ())] * 2
