"""A home of its own for each test, and `why` run in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from tests.builders_cli import Ran, Why, call_why, run_why


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def index_owner(home: Path) -> Iterator[None]:
    """Own the vector index meanwhile, as a running `why run` does, so that no command loads the model."""
    home.mkdir()
    with FileLock(home / "index.lock"):
        yield


@pytest.fixture
def why(home: Path, tmp_path: Path, index_owner: None) -> Why:
    """Run `why` with these words, as it starts in its own process but inside this one."""

    def run(*words: str, stdin: bytes = b"", **environ: str) -> Ran:
        return call_why(home, tmp_path, words, stdin=stdin, environ=environ)

    return run


@pytest.fixture
def why_process(home: Path, tmp_path: Path) -> Why:
    """Run `why` with these words as its own process."""

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
