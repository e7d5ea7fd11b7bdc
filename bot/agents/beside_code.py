"""The memory beside the code as the hooks read it: straight from its file, by the standard library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.agents.quoting import Document
from bot.decision_shape import decision_json
from store import QuickMemory, Reader

RECORDED = "record"
"""The source of what somebody recorded at a terminal or through a tool."""
MOST_NAMED = 20
MOST_ON_ONE = 60
"""Decisions on one thing that are looked at, newest first: five are shown."""


class BesideCode:
    """One open memory, read as one reader."""

    def __init__(self, memory: QuickMemory, reader: Reader) -> None:
        """Read an open memory; whoever opened it closes it."""
        self._memory = memory
        self._reader = reader

    def is_empty(self) -> bool:
        """Say whether nothing is recorded yet."""
        return not self._memory.last_change()

    def on(self, names: Sequence[str]) -> list[Document]:
        """Return the decisions on elements or files of these names, each once."""
        found = {
            one.id: one
            for name in names
            for one in self._memory.decisions(self._reader, element=name, limit=MOST_ON_ONE)
        }
        return [decision_json(one) for one in found.values()]

    def named_in(self, text: str) -> list[Document]:
        """Return the decisions on what a text names by a rare word, the most alike first."""
        return [decision_json(one) for one in self._memory.named_in(text, self._reader, limit=MOST_NAMED)]

    def recorded_since(self, moment: datetime) -> bool:
        """Say whether somebody recorded a decision since then."""
        return self._memory.recorded_since(moment, source=RECORDED)
