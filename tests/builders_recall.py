"""Small real things for tests of recall: an embedder of eight dimensions, a log in a list."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from store.core.model import WORKSPACE, DecisionId, Scope
from store.index.dense import Entry

if TYPE_CHECKING:
    from store.index.embedder import Vector

DAY = date(2026, 5, 1)
CLOSED = Scope(id="channel:C9", open=False)
OPEN = Scope(id="channel:C1", open=True)


@dataclass
class WordsEmbedder:
    """Counts words in sixteen bins: the same words give the same vector, on every machine."""

    name: str = "words-1"
    dimensions: int = 16
    embedded: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += texts
        return [self._one(text) for text in texts]

    def reads(self, text: str) -> bool:
        return bool(text.strip())

    def _one(self, text: str) -> Vector:
        bins = [0.01] * self.dimensions
        for word in text.lower().split():
            bins[crc32(word.strip(".,?").encode()) % self.dimensions] += 1
        length = math.sqrt(sum(each * each for each in bins))
        return np.array([each / length for each in bins], dtype=np.float32)


@dataclass
class ListLog:
    """A log of index entries, the latest of each decision by position."""

    changes: list[Entry] = field(default_factory=list)

    def entries(self, after: int, limit: int) -> Sequence[Entry]:
        latest = {entry.decision: entry for entry in self.changes}
        due = sorted((e for e in latest.values() if e.position > after), key=lambda e: e.position)
        return due[:limit]

    def end(self) -> int:
        return max((entry.position for entry in self.changes), default=0)

    def add(
        self, decision: str, *passages: str, scope: Scope = WORKSPACE, day: date = DAY, erased: bool = False
    ) -> None:
        self.changes.append(entry(decision, *passages, position=self.end() + 1, scope=scope, day=day, erased=erased))


def entry(
    decision: str,
    *passages: str,
    position: int = 1,
    scope: Scope = WORKSPACE,
    day: date = DAY,
    erased: bool = False,
) -> Entry:
    return Entry(
        decision=DecisionId(decision), position=position, scope=scope, day=day, passages=passages, erased=erased
    )
