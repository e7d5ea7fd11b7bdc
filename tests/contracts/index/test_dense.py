"""What the vector index keeps, whom it answers, and what it does when its files are gone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from store.core.model import EVERYTHING, NOBODY, PUBLIC, Reader
from store.index.dense import DenseIndex, IndexAway
from tests.builders_recall import CLOSED, OPEN, WordsEmbedder, entry

MEMBER = Reader(sees_open=True, scopes=frozenset({CLOSED.id}))
GUEST = Reader(sees_open=False, scopes=frozenset({OPEN.id}))


@pytest.fixture
def embedder() -> WordsEmbedder:
    return WordsEmbedder()


@pytest.fixture
def index(tmp_path: Path, embedder: WordsEmbedder) -> Iterator[DenseIndex]:
    made = DenseIndex(tmp_path / "index", embedder, log="log-1")
    made.renew()
    yield made
    made.close()


def found(index: DenseIndex, text: str, reader: Reader = PUBLIC, **window: date) -> list[str]:
    vector = WordsEmbedder().embed([text])[0]
    return [decision for decision, _ in index.search(vector, reader, limit=10, **window)]


def test_the_nearest_decision_comes_first_and_each_once(index: DenseIndex) -> None:
    index.put([entry("a", "retries back off", "retries stop"), entry("b", "money is an integer")], position=2)

    hits = index.search(WordsEmbedder().embed(["retries back off"])[0], PUBLIC, limit=10)

    assert [id for id, _ in hits] == ["a", "b"]
    assert hits[0][1] == pytest.approx(1.0, abs=1e-4)


def test_a_closed_scope_is_found_by_its_members_alone(index: DenseIndex) -> None:
    index.put(
        [entry("open", "the price is one euro", scope=OPEN), entry("closed", "the price is two", scope=CLOSED)],
        position=2,
    )

    seen = {name: set(found(index, "the price", reader)) for name, reader in _READERS.items()}

    assert seen == {
        "public": {"open"},
        "member": {"open", "closed"},
        "guest": {"open"},
        "nobody": set(),
        "everything": {"open", "closed"},
    }


_READERS = {"public": PUBLIC, "member": MEMBER, "guest": GUEST, "nobody": NOBODY, "everything": EVERYTHING}


def test_a_guest_finds_only_the_open_scopes_that_they_are_in(index: DenseIndex) -> None:
    index.put([entry("theirs", "the price", scope=OPEN), entry("other", "the price")], position=2)

    assert found(index, "the price", GUEST) == ["theirs"]


def test_days_narrow_the_search(index: DenseIndex) -> None:
    index.put([entry("may", "x", day=date(2026, 5, 31)), entry("june", "x", day=date(2026, 6, 1))], position=2)

    assert found(index, "x", since=date(2026, 6, 1)) == ["june"]
    assert found(index, "x", until=date(2026, 5, 31)) == ["may"]
    assert found(index, "x", since=date(2026, 5, 1), until=date(2026, 6, 30)) == ["june", "may"]


def test_the_same_entries_again_embed_nothing(index: DenseIndex, embedder: WordsEmbedder) -> None:
    given = [entry("a", "one", "two")]
    index.put(given, position=1)
    embedder.embedded.clear()

    again = index.put(given, position=1)

    assert again == 0
    assert embedder.embedded == []
    assert index.counted() == 2


def test_only_what_changed_of_a_decision_is_embedded(index: DenseIndex, embedder: WordsEmbedder) -> None:
    index.put([entry("a", "one", "two")], position=1)
    embedder.embedded.clear()

    index.put([entry("a", "one", "three", position=2)], position=2)

    assert embedder.embedded == ["three"]
    assert index.counted() == 2


def test_a_decision_without_passages_leaves_the_index(index: DenseIndex) -> None:
    index.put([entry("a", "one"), entry("b", "two")], position=1)

    index.put([entry("a", position=2)], position=2)

    assert found(index, "one") == ["b"]


def test_a_decision_that_moves_to_a_closed_scope_is_no_longer_found_in_the_open(index: DenseIndex) -> None:
    index.put([entry("a", "one", scope=OPEN)], position=1)

    index.put([entry("a", "one", scope=CLOSED, position=2)], position=2)

    assert found(index, "one", PUBLIC) == []
    assert found(index, "one", MEMBER) == ["a"]


def test_texts_stay_out_of_the_files(index: DenseIndex, tmp_path: Path) -> None:
    index.put([entry("a", "xylophone marmalade")], position=1)
    index.close()

    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    assert b"xylophone" not in written


def test_a_text_that_is_gone_marks_the_files_for_purging(index: DenseIndex) -> None:
    index.put([entry("a", "one", "two")], position=1)

    index.put([entry("a", "one", position=2)], position=2)

    cursor = index.cursor()
    assert cursor is not None
    assert cursor.purge


def test_what_is_only_taken_back_needs_no_purging(index: DenseIndex) -> None:
    index.put([entry("a", "one")], position=1)

    index.put([entry("a", position=2)], position=2)

    cursor = index.cursor()
    assert cursor is not None
    assert not cursor.purge


def test_renewing_carries_the_living_over_and_leaves_the_dead_in_no_file(
    index: DenseIndex, embedder: WordsEmbedder, tmp_path: Path
) -> None:
    index.put([entry("a", "keep me"), entry("b", "forget the secret")], position=1)
    dead = embedder.embed(["forget the secret"])[0].tobytes()
    index.put([entry("b", position=2, erased=True)], position=2)
    embedder.embedded.clear()

    index.renew(keep=True)

    index.close()
    files = [path for path in (tmp_path / "index").rglob("*") if path.is_file()]
    assert found(index, "keep me") == ["a"]
    assert embedder.embedded == []
    assert not any(dead in path.read_bytes() for path in files)
    assert len(list((tmp_path / "index").glob("g*"))) == 1


def test_before_anything_was_made_the_index_is_away(tmp_path: Path, embedder: WordsEmbedder) -> None:
    index = DenseIndex(tmp_path / "index", embedder)

    with pytest.raises(IndexAway):
        found(index, "x")

    assert index.cursor() is None


def test_an_index_of_another_model_is_away(index: DenseIndex, tmp_path: Path) -> None:
    index.put([entry("a", "one")], position=1)
    index.close()

    other = DenseIndex(tmp_path / "index", WordsEmbedder(name="words-2"), log="log-1")

    with pytest.raises(IndexAway, match="another model"):
        found(other, "one")


def test_an_index_of_another_log_is_away(index: DenseIndex, tmp_path: Path, embedder: WordsEmbedder) -> None:
    index.close()

    other = DenseIndex(tmp_path / "index", embedder, log="log-2")

    assert other.cursor() is None


def test_a_folder_deleted_while_open_is_away_and_comes_back(index: DenseIndex, tmp_path: Path) -> None:
    index.put([entry("a", "one")], position=1)
    shutil.rmtree(tmp_path / "index")

    with pytest.raises(IndexAway):
        found(index, "one")
    index.renew()
    index.put([entry("a", "one")], position=1)

    assert found(index, "one") == ["a"]


@pytest.mark.parametrize("damaged", ["chroma.sqlite3", "cursor.json"])
def test_damaged_files_are_away_and_come_back(index: DenseIndex, tmp_path: Path, damaged: str) -> None:
    index.put([entry("a", "one")], position=1)
    index.close()
    (path,) = (tmp_path / "index").rglob(damaged)
    path.write_bytes(b"garbage" * 500)

    with pytest.raises(IndexAway):
        found(index, "one")
    index.renew()
    index.put([entry("a", "one")], position=1)

    assert found(index, "one") == ["a"]


def test_a_sample_finds_itself(index: DenseIndex) -> None:
    index.put([entry(f"d{n}", f"word{n} other{n}") for n in range(20)], position=1)

    sample = index.sample(5)

    assert len(sample) == 5
    assert all(reached for _, reached in sample)


def test_who_only_reads_sees_what_the_owner_wrote_since(
    index: DenseIndex, tmp_path: Path, embedder: WordsEmbedder
) -> None:
    index.put([entry("a", "one")], position=1)
    reader = DenseIndex(tmp_path / "index", embedder, log="log-1")
    before = found(reader, "one")

    index.put([entry("b", "one", position=2)], position=2)

    assert before == ["a"]
    assert found(reader, "one") == ["a", "b"]
    reader.close()
