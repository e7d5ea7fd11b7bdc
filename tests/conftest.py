"""What tests of several rooms ask for: the databases that the product runs on."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot import logs
from tests import postgres
from tests.builders_databases import ON_POSTGRES, OPENED

IN_MEMORY, ROOM_BYTES = Path("/dev/shm"), 2 * 1024**3  # noqa: S108 - pytest makes a folder of its own there
"""A disk that waits for nothing, where there is one with room: the stores under test commit over and over, and a fifth
of the time of their tests was waiting for the disk. What a kill leaves behind is the same there."""

if os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > ROOM_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return how many processes `-n auto` means: half as many again as there are cores, since tests also wait.

    Whoever is done takes tests over from those that are not: some take half a minute, most a hundredth of a second.
    """
    if config.getoption("dist") == "no":
        config.option.dist = "worksteal"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + cores // 2


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Take back what a test did to the product's logger: the next one in this process reads its lines too."""
    ours = logging.getLogger(logs.ROOT)
    handlers, level, propagate = list(ours.handlers), ours.level, ours.propagate
    yield
    ours.handlers[:], ours.propagate = handlers, propagate
    ours.setLevel(level)


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a cluster that all processes of this run share; the tests that ask skip where there is none."""
    if postgres.folder_of_binaries() is None:
        pytest.skip("Postgres is not installed (apt-get install postgresql): its half of the contracts is untested")
    base = tmp_path_factory.getbasetemp()
    alone = not hasattr(request.config, "workerinput")
    with postgres.cluster(base if alone else base.parent) as url:
        yield url


@pytest.fixture
def on_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Let `memory_in(tmp_path)` and `beside_in(tmp_path)` open on the database that a test's parameter names."""
    name = str(getattr(request, "param", "sqlite"))
    if name == "postgres":
        ON_POSTGRES[tmp_path] = request.getfixturevalue("postgres_url")
    yield name
    while OPENED:
        OPENED.pop().close()
    ON_POSTGRES.pop(tmp_path, None)
