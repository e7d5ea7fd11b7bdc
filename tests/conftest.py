"""What tests of several rooms ask for: the databases that the product runs on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import postgres
from tests.builders_databases import ON_POSTGRES, OPENED


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
