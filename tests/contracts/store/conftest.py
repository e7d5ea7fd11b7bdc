"""One suite for the log and what follows from it, on files and on Postgres."""

from __future__ import annotations

import pytest

from tests.builders_databases import each_database


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    each_database(metafunc)


@pytest.fixture(autouse=True)
def _each(on_database: str) -> None:
    """Before anything is opened, say where."""
