"""One suite for what lies beside the log, on files and on Postgres."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store.sql.beside import Beside
from tests.builders_databases import beside_in, each_database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    each_database(metafunc)


@pytest.fixture(autouse=True)
def _each(on_database: str) -> None:
    """Before anything is opened, say where."""


@pytest.fixture
def clock() -> Callable[[], datetime]:
    """The clock of what is opened; a module may have another."""
    return lambda: NOON


@pytest.fixture
def beside(tmp_path: Path, clock: Callable[[], datetime]) -> Iterator[Beside]:
    opened = beside_in(tmp_path, clock)
    yield opened
    opened.close()
