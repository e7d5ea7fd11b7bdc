from collections.abc import Iterator
from pathlib import Path

import pytest

from store import Memory
from tests.builders_verbs import NOW


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = Memory.open(tmp_path / "home", clock=lambda: NOW, index="off")
    yield opened
    opened.close()
