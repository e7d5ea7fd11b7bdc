"""Jupyter notebooks: one notebook is one thread, a Markdown cell one turn, what a code cell printed goes with it.

Notebooks of version 3 are read as version 4. Outputs are cut: a decision rests on a table's first lines, and
megabytes of pictures say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import nbformat

from bot.errors import UnreadableDocument
from bot.sources.document import Unread
from bot.sources.fields import objects_of, text_of
from store import Turn, TurnId, Vocabulary

_OUTPUT_CHARS = 2_000
"""Of one code cell's printed output: a table of some twenty lines."""


class JupyterSource:
    """Notebooks."""

    name = "jupyter"
    suffixes = (".ipynb",)
    vocabulary = Vocabulary(
        decided=("we use", "decision:", "switches", "conclusion", "so we", "we go with", "we choose", "recommend"),
        superseded=("replaces", "instead of", "no longer", "earlier notebook"),
        rejected=("not worth", "too slow", "ruled out", "we don't", "discarded"),
    )

    def turns(self, document: str, *, origin: str, dated: datetime) -> Iterator[Turn | Unread]:
        """Yield one turn a cell that says something, in the notebook's order."""
        try:
            book = nbformat.reads(document, as_version=4)  # type: ignore[no-untyped-call]
        except Exception as error:  # nbformat raises whatever its reader of that version does
            raise UnreadableDocument(f"{origin}: not a notebook: {type(error).__name__}") from error
        authors = [text_of(each, "name") for each in objects_of(book, "metadata", "authors")]
        for number, cell in enumerate(objects_of(book, "cells"), start=1):
            yield Turn(
                turn_id=TurnId(f"{origin}#cell-{number}"),
                thread_id=origin,
                author=", ".join(filter(None, authors)),
                occurred_at=dated + timedelta(seconds=number),
                text=_said(cell),
                permalink=f"{origin}#cell-{number}",
                is_bot=cell.get("cell_type") != "markdown",
            )

    def ref(self, thread_id: str) -> str:
        """A notebook is called by its file."""
        return thread_id


def _said(cell: Mapping[str, Any]) -> str:
    source = text_of(cell, "source")
    if cell.get("cell_type") == "markdown":
        return source
    printed = [text_of(each, "text") or text_of(each, "data", "text/plain") for each in objects_of(cell, "outputs")]
    return f"{source}\n{chr(10).join(filter(None, printed))[:_OUTPUT_CHARS]}".strip()
