"""Turns texts into vectors with the model that lies beside this file; nothing is ever downloaded.

The model and its dimension are data: an index made by another model is made anew. Where the
weights come from, under which licence and with which hashes: `model/MODEL.md`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from store.index.vendors import vendor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # it ships no types
    from tokenizers import Tokenizer

    Vector: TypeAlias = NDArray[np.float32]

MODEL_FOLDER = Path(__file__).parent / "model"
MOST_TOKENS = 256
"""What all-MiniLM-L6-v2 was trained to read; the rest of a longer text is left out."""

MOST_CHARACTERS = 6_000
"""Characters of a text that are tokenised at all: far above 256 tokens of any prose, and a 40,000
character message costs no more than a page."""


UNKNOWN = "[UNK]"
MOST_LOST = 0.15
"""Share of a text's words, beside those that it knows, that the vocabulary may lack: above it, as in a Japanese
sentence (a quarter), vectors of unlike texts lie close together because each holds the same unknown token."""


class Embedder(Protocol):
    """Turns texts into vectors of one length and of norm 1, so that a dot product is the cosine."""

    @property
    def name(self) -> str:
        """The model's name and build; another name means that vectors can't be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in the same order."""
        ...

    def reads(self, text: str) -> bool:
        """Say whether the text's vector would mean something: False for symbols alone and for unknown scripts."""
        ...


class BundledEmbedder:
    """all-MiniLM-L6-v2 in int8 on one thread: some 90 texts of 60 words a second, 3 ms a question.

    Thread-safe. The model is loaded at the first use, once. Texts are run one at a time: dynamic
    quantisation scales by whatever shares a batch, so a batch would make a text's vector depend on
    its neighbours, and batches of eight were measured to be no faster (93 against 100 texts a second).
    """

    def __init__(self, folder: Path = MODEL_FOLDER) -> None:
        """Bind to a folder with `model.json`, the tokenizer and the graph; nothing is loaded yet."""
        self._folder = folder
        self._lock = threading.Lock()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        self._card: dict[str, Any] = json.loads((folder / "model.json").read_text(encoding="utf-8"))

    @property
    def name(self) -> str:
        """The model's name and build, as `model.json` has it."""
        return str(self._card["name"])

    @property
    def dimensions(self) -> int:
        """The length of every vector: 384."""
        return int(self._card["dimensions"])

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in the same order; the empty text has one too."""
        if not texts:
            return []
        tokenizer, session = self._load()
        return [self._one(tokenizer, session, text) for text in texts]

    def reads(self, text: str) -> bool:
        """Say whether the vocabulary holds the words of a text, but for `MOST_LOST` of them."""
        tokenizer, _ = self._load()
        found = tokenizer.encode(text[:MOST_CHARACTERS], add_special_tokens=False)
        spans = [text[start:end] for start, end in found.offsets]
        lost = sum(token == UNKNOWN and span.isalpha() for token, span in zip(found.tokens, spans, strict=True))
        known = sum(token != UNKNOWN and span.isalnum() for token, span in zip(found.tokens, spans, strict=True))
        return known > 0 and lost <= known * MOST_LOST

    @staticmethod
    def _one(tokenizer: Tokenizer, session: InferenceSession, text: str) -> Vector:
        np = vendor("numpy")
        ids = np.array([tokenizer.encode(text[:MOST_CHARACTERS]).ids], dtype=np.int64)
        output = session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]
        vector: Vector = np.asarray(output, dtype=np.float32)[0]
        return vector

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        with self._lock:
            if self._loaded is None:
                runtime = vendor("onnxruntime")
                tokenizer = vendor("tokenizers").Tokenizer.from_file(str(self._folder / self._card["tokenizer"]))
                tokenizer.enable_truncation(MOST_TOKENS)
                tokenizer.no_padding()
                options = runtime.SessionOptions()
                options.intra_op_num_threads = 1
                options.inter_op_num_threads = 1
                options.enable_cpu_mem_arena = False
                options.log_severity_level = 3
                graph = str(self._folder / self._card["graph"])
                session = runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
                self._loaded = (tokenizer, session)
            return self._loaded
