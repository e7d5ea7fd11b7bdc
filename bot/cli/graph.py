"""The whole graph on a day, written as it is read: in pieces, by as many processes as there are cores.

Every piece is of one state of the log: where another process sees a later one, since somebody has appended meanwhile,
the first process reads that piece itself, which holds on to what it saw when it began.
"""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import orjson

from bot.element_shape import view_json, view_lines
from store import GraphPiece, Reader, Servers, WholeGraph, quick_memory

PIECE = 400
"""Elements in a piece: with twenty decisions each some 8 MB of text."""

MOST_PROCESSES = 4
"""More of them wait for the one that writes."""

AHEAD = 2
"""Pieces of some megabytes that each process may be ahead of what is written."""

WORTH_SHARING = 8
"""Pieces from which on starting other processes, a tenth of a second each, is earned back."""

Read = tuple[int, str]
"""Where the log ended for whoever read a piece, and the piece's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is written of the graph, and how."""

    home: Path
    servers: Servers
    reader: Reader
    day: date
    as_json: bool
    elements_a_piece: int = PIECE


def put_graph(graph: WholeGraph, wanted: Wanted, *, nothing: str) -> None:
    """Print what holds for every element, by name, as `why as-of` prints it for one; `nothing` where there is none."""
    with _no_collecting():
        texts = filter(None, _texts(graph, wanted))
        first = next(texts, "")
        if not wanted.as_json:
            for text in chain([first or nothing], texts):
                print(text)
            return
        print('{"elements": [', first, sep="", end="")
        for text in texts:
            print(", ", text, sep="", end="")
        print("]}")


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Look for no cycles meanwhile: there are none among these values, and looking takes a fifth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _texts(graph: WholeGraph, wanted: Wanted) -> Iterator[str]:
    """Yield each piece's text in order."""
    pieces = graph.pieces(wanted.elements_a_piece)
    processes = min(MOST_PROCESSES, os.cpu_count() or 1)
    if len(pieces) < WORTH_SHARING or processes == 1:
        yield from (_text(graph, each, wanted) for each in pieces)
        return
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_begin)
    try:
        yield from _shared(pool, graph, pieces, wanted, ahead=AHEAD * processes)
    finally:
        pool.shutdown(cancel_futures=True)


def _text(graph: WholeGraph, piece: GraphPiece, wanted: Wanted) -> str:
    views = graph.views(piece)
    if wanted.as_json:
        return ", ".join(orjson.dumps(view_json(each)).decode() for each in views)
    return "\n".join(view_lines(views))


# --- by several processes ---------------------------------------------------------------------


def _shared(
    pool: ProcessPoolExecutor, graph: WholeGraph, pieces: Sequence[GraphPiece], wanted: Wanted, *, ahead: int
) -> Iterator[str]:
    waiting: deque[tuple[GraphPiece, Future[Read] | None]] = deque()
    for each in (*pieces, None):
        if each is not None:
            waiting.append((each, _handed_on(pool, each, wanted)))
        while waiting and (each is None or len(waiting) > ahead):
            yield _taken(graph, wanted, *waiting.popleft())


def _handed_on(pool: ProcessPoolExecutor, piece: GraphPiece, wanted: Wanted) -> Future[Read] | None:
    """Let another process read a piece; None where there is none that could."""
    try:
        return pool.submit(_read, piece, wanted)
    except BrokenProcessPool:
        return None


def _taken(graph: WholeGraph, wanted: Wanted, piece: GraphPiece, future: Future[Read] | None) -> str:
    """Return a piece's text as another process has it, or read anew where that one is gone or saw another log."""
    try:
        position, text = future.result() if future else (None, "")
    except BrokenProcessPool:
        position, text = None, ""
    return text if position == graph.position else _text(graph, piece, wanted)


def _begin() -> None:
    """Prepare another process: an interruption is for the first one to deal with."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()


def _read(piece: GraphPiece, wanted: Wanted) -> Read:
    """Read one piece in another process."""
    memory = quick_memory(wanted.home, wanted.servers)
    if memory is None:
        return -1, ""
    with closing(memory), memory.whole(wanted.reader, as_of=wanted.day) as graph:
        return graph.position, _text(graph, piece, wanted)
