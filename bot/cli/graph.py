"""The whole graph on a day, written as it is read: in pieces, by as many processes as there are cores.

Every piece is of one state of the log: where another process sees a later one, since somebody has appended meanwhile,
the first process reads that piece itself, which holds on to what it saw when it began.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from itertools import chain
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import current_thread, main_thread

import orjson

from bot.cli.frame import printed
from bot.element_shape import view_json, view_lines
from store import GraphPiece, Reader, Servers, WholeGraph, quick_memory

PIECE = 400
"""Elements in a piece: with twenty decisions each some 8 MB of text."""

MOST_PROCESSES = 4
"""More of them wait for the one that writes."""

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
                print(printed(text))
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
    with _helpers([pieces[number::processes] for number in range(processes)], wanted) as helpers:
        for number, piece in enumerate(pieces):
            position, text = _received(helpers[number % processes])
            yield text if position == graph.position else _text(graph, piece, wanted)


def _text(graph: WholeGraph, piece: GraphPiece, wanted: Wanted) -> str:
    views = graph.views(piece)
    if wanted.as_json:
        return ", ".join(orjson.dumps(view_json(each)).decode() for each in views)
    return "\n".join(view_lines(views))


# --- by several processes ---------------------------------------------------------------------


@contextmanager
def _helpers(shares: Sequence[Sequence[GraphPiece]], wanted: Wanted) -> Iterator[list[Connection]]:
    """Let a process for each share read its pieces in turn; yield where each one's texts arrive.

    None is ever more than a piece ahead, since it waits until its last one is taken.
    """
    context = get_context("spawn")
    helpers: list[tuple[SpawnProcess, Connection]] = []
    try:
        with _uninterrupted():
            for share in shares:
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_read, args=(theirs, share, wanted), daemon=True)
                process.start()
                theirs.close()
                helpers.append((process, ours))
        yield [ours for _, ours in helpers]
    finally:
        for process, ours in helpers:
            ours.close()
            process.terminate()
        for process, _ in helpers:
            process.join()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Start processes that an interruption passes by: it is for the first one to deal with, which then ends them."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _received(helper: Connection) -> Read:
    """Return what a process read; one that is gone has read nothing."""
    try:
        position, text = helper.recv()
    except (EOFError, OSError):
        return -1, ""
    return int(position), str(text)


def _read(taker: Connection, pieces: Sequence[GraphPiece], wanted: Wanted) -> None:
    """Read pieces in another process, for whoever takes them; nobody may any more."""
    gc.disable()
    memory = quick_memory(wanted.home, wanted.servers)
    if memory is None:
        return
    with suppress(OSError), closing(memory), memory.whole(wanted.reader, as_of=wanted.day) as graph:
        for piece in pieces:
            taker.send((graph.position, _text(graph, piece, wanted)))
