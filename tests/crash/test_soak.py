"""Machines that decide, erase and sync all at once, some killed meanwhile (tests/benchmarks/soak.py, for seconds)."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from tests.benchmarks.soak import soak


@pytest.mark.skipif(shutil.which("git") is None, reason="git isn't installed")
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_machines_that_sync_all_at_once_end_with_one_digest_and_lose_nothing(tmp_path: Path) -> None:
    soaked = soak(tmp_path, machines=3, seconds=2.0, seed=1, kills=True)

    assert soaked.sound, soaked
    assert soaked.decisions > 0
    assert soaked.kills > 0
