"""A home of its own for each test, and `why` run in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders_cli import Ran, Why, run_why


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def why(home: Path, tmp_path: Path) -> Why:
    """Run `why` with these words; the environment holds nothing of ours but the home."""

    def run(*words: str, stdin: bytes = b"", **environ: str) -> Ran:
        return run_why(home, tmp_path, words, stdin=stdin, environ=environ)

    return run


@pytest.fixture
def records(tmp_path: Path) -> Callable[..., Path]:
    """Write lines of JSON to a file; text stands as it is."""

    def write(*lines: object, name: str = "records.jsonl") -> Path:
        path = tmp_path / name
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
        return path

    return write
