"""The follower: one owner, level with the log, whatever happens to the files."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from store.core.model import PUBLIC
from store.errors import IndexBusy
from store.index.dense import DenseIndex, IndexAway
from store.index.follower import BATCH, Follower, Role
from tests.builders_recall import ListLog, WordsEmbedder

if TYPE_CHECKING:
    from store.index.embedder import Vector

DEADLINE_S = 20.0

Made = Callable[..., Follower]


@pytest.fixture
def log() -> ListLog:
    return ListLog()


@pytest.fixture
def embedder() -> WordsEmbedder:
    return WordsEmbedder()


@pytest.fixture
def index(tmp_path: Path, embedder: WordsEmbedder) -> DenseIndex:
    return DenseIndex(tmp_path / "index", embedder, log="log-1")


@pytest.fixture
def make(tmp_path: Path, index: DenseIndex, log: ListLog) -> Iterator[Made]:
    made = []

    def build(role: Role = "own", of: DenseIndex = index) -> Follower:
        made.append(Follower(of, log, lock=tmp_path / "index.lock", role=role))
        return made[-1]

    yield build
    for each in made:
        each.close()


def found(index: DenseIndex, text: str) -> list[str]:
    vector = WordsEmbedder().embed([text])[0]
    try:
        return [decision for decision, _ in index.search(vector, PUBLIC, limit=10)]
    except IndexAway:
        return []


def eventually(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + DEADLINE_S
    while not (met := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return met


def test_it_catches_up_in_batches_and_tells_how_far(make: Made, log: ListLog, index: DenseIndex) -> None:
    for n in range(BATCH + 3):
        log.add(f"d{n:03}", f"word{n}")
    told: list[tuple[int, int]] = []

    embedded = make().follow(lambda done, total: told.append((done, total)))

    assert embedded == BATCH + 3
    assert told == [(BATCH, BATCH + 3), (BATCH + 3, BATCH + 3)]
    assert found(index, "word7")[0] == "d007"


def test_following_again_embeds_nothing(make: Made, log: ListLog, embedder: WordsEmbedder) -> None:
    log.add("a", "one")
    follower = make()
    follower.follow()
    embedder.embedded.clear()

    assert follower.follow() == 0
    assert embedder.embedded == []


def test_what_leaves_the_log_leaves_the_index(make: Made, log: ListLog, index: DenseIndex) -> None:
    log.add("a", "one")
    follower = make()
    follower.follow()

    log.add("a", erased=True)
    follower.follow()

    cursor = index.cursor()
    assert found(index, "one") == []
    assert cursor is not None
    assert (cursor.position, cursor.passages, cursor.purge) == (2, 0, False)


def test_one_process_owns_and_the_next_only_reads(
    make: Made, log: ListLog, index: DenseIndex, tmp_path: Path, embedder: WordsEmbedder
) -> None:
    log.add("a", "one")
    owner = make()
    second = make(of=DenseIndex(tmp_path / "index", embedder, log="log-1"))

    with pytest.raises(IndexBusy):
        second.follow()

    assert (owner.role, second.role) == ("own", "read")


def test_who_found_an_owner_takes_over_when_that_one_ends(
    make: Made, log: ListLog, index: DenseIndex, tmp_path: Path, embedder: WordsEmbedder
) -> None:
    owner = make()
    second = make(of=DenseIndex(tmp_path / "index", embedder, log="log-1"))
    second.start()

    owner.close()
    log.add("a", "one")
    second.wake()

    assert eventually(lambda: second.lag() == (1, 1))
    assert second.role == "own"
    assert found(index, "one") == ["a"]


def test_a_reader_follows_once_where_nobody_owns(make: Made, log: ListLog, index: DenseIndex) -> None:
    log.add("a", "one")
    reader = make("read")

    assert reader.follow() == 1
    assert found(index, "one") == ["a"]
    assert make().role == "own"


def test_the_owner_follows_in_the_background(make: Made, log: ListLog, index: DenseIndex) -> None:
    follower = make()
    follower.start()

    log.add("a", "one")
    follower.wake()

    assert eventually(lambda: found(index, "one") == ["a"])


def test_a_deleted_folder_comes_back_by_itself(make: Made, log: ListLog, index: DenseIndex, tmp_path: Path) -> None:
    log.add("a", "one")
    follower = make()
    follower.start()
    assert eventually(lambda: found(index, "one") == ["a"])

    (generation,) = (tmp_path / "index").glob("g*")
    shutil.rmtree(tmp_path / "index", ignore_errors=True)

    assert eventually(lambda: not generation.exists())
    assert eventually(lambda: found(index, "one") == ["a"])


def test_damaged_files_come_back_by_themselves(make: Made, log: ListLog, index: DenseIndex, tmp_path: Path) -> None:
    log.add("a", "one")
    follower = make()
    follower.start()
    assert eventually(lambda: found(index, "one") == ["a"])

    for path in (tmp_path / "index").rglob("*"):
        if path.name in ("chroma.sqlite3", "cursor.json"):
            path.write_bytes(b"garbage" * 1_000)

    assert eventually(lambda: found(index, "one") == ["a"])


def test_a_log_that_was_put_back_begins_the_index_anew(make: Made, log: ListLog, index: DenseIndex) -> None:
    log.add("a", "one")
    log.add("b", "two")
    follower = make()
    follower.follow()

    log.changes.pop()
    follower.follow()

    assert found(index, "two") == ["a"]


def test_an_index_that_counts_wrong_is_made_anew_by_its_next_owner(
    make: Made, log: ListLog, index: DenseIndex, tmp_path: Path
) -> None:
    log.add("a", "one")
    follower = make()
    follower.follow()
    follower.close()
    (cursor,) = (tmp_path / "index").rglob("cursor.json")
    cursor.write_text(cursor.read_text().replace('"passages": 1', '"passages": 7'))

    make().follow()

    held = index.cursor()
    assert held is not None
    assert held.passages == 1
    assert cursor.parent.exists() is False


def test_files_that_break_under_the_hand_are_begun_anew(
    make: Made, log: ListLog, index: DenseIndex, tmp_path: Path
) -> None:
    log.add("a", "one")
    follower = make()
    follower.follow()
    (database,) = (tmp_path / "index").rglob("chroma.sqlite3")
    database.write_bytes(b"garbage" * 1_000)

    log.add("b", "two")
    follower.follow()

    assert found(index, "two") == ["b", "a"]


def test_a_folder_that_does_not_stay_is_given_up(make: Made, log: ListLog, tmp_path: Path) -> None:
    log.add("a", "one")
    unusable = DenseIndex(tmp_path / "index", _Forgetful(tmp_path / "index"), log="log-1")

    with pytest.raises(IndexAway, match="does not stay"):
        make(of=unusable).follow()


class _Forgetful(WordsEmbedder):
    """Loses the index's folder whenever something is embedded."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        shutil.rmtree(self.folder, ignore_errors=True)
        return super().embed(texts)


def test_off_follows_nothing(make: Made, log: ListLog) -> None:
    log.add("a", "one")

    assert make("off").follow() == 0


def test_naming_the_index_imports_no_vendor() -> None:
    program = (
        "import sys, store.recall, store.index.dense, store.index.follower, store.index.embedder;"
        "print([name for name in ('chromadb', 'onnxruntime', 'tokenizers', 'numpy') if name in sys.modules])"
    )

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == "[]"
