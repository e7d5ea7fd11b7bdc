"""The whole graph on a day, in pieces: element after element by name, holding a few at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import orjson

from store.core.model import Reader
from store.core.views import ElementView
from store.sql import elements
from store.sql.queries import Rows

AT_ONCE = 100
"""Elements read by one query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPiece:
    """A piece: the elements from the first on, up to but without the next piece's first ("" at the end)."""

    first: str
    until: str


class WholeGraph:
    """One snapshot of the graph as a reader sees it on a day; `position` is where the log ended then."""

    def __init__(self, rows: Rows, reader: Reader, as_of: date | None) -> None:
        """Work within the caller's reading transaction."""
        self._rows = rows
        self._reader = reader
        self._as_of = as_of
        self.position = int(rows("SELECT coalesce(max(position), 0) AS position FROM events", {})[0]["position"])

    def pieces(self, size: int) -> tuple[GraphPiece, ...]:
        """Return pieces of that many elements that together hold every one, by name."""
        firsts = elements.every_name(self._rows)[::size]
        untils = [*firsts[1:], ""]
        return tuple(GraphPiece(first=first, until=until) for first, until in zip(firsts, untils, strict=False))

    def views(self, piece: GraphPiece) -> Iterator[ElementView]:
        """Yield a view of each element of a piece on which something is in force, by name."""
        wanted = elements.every_name(self._rows, first=piece.first, until=piece.until)
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            found = elements.views(self._rows, some, self._reader, as_of=self._as_of, loads=orjson.loads)
            yield from (each for each in found if each.decisions)
