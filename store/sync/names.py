"""What objects in a remote are called: `WRITER/STREAM/FIRST-LAST.gN`, safe on every file system and in S3.

The writer is the database that wrote the object and the only one that replaces or deletes it. The
stream's directory is a hash, since a channel's name is nobody's business and may hold any sign;
the object itself says which stream it holds. `N` counts generations: a rewriting of the same
events (an erasure, a merge of smaller runs) gets the next one, and then the old objects go.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from store.core.ids import sha256

_NAME = re.compile(
    r"(?P<owner>[0-9a-z]{1,32})/(?P<directory>[0-9a-f]{32})"
    r"/(?P<first>[1-9][0-9]{0,15})-(?P<last>[1-9][0-9]{0,15})\.g(?P<generation>[1-9][0-9]{0,8})"
)
_WRITER = re.compile(r"[0-9a-z]{1,32}")

_DIRECTORY_DIGITS = 32
"""Hexadecimal digits of a stream's directory: 128 bits, so that no two streams share one."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class SegmentName:
    """One object's name: whose, of which stream (by its directory), which events, which rewriting."""

    owner: str
    directory: str
    first: int
    last: int
    generation: int

    def __str__(self) -> str:
        """Return the name as remotes know it."""
        return f"{self.owner}/{self.directory}/{self.first}-{self.last}.g{self.generation}"


def segment_name(directory: str, owner: str, first: int, last: int, generation: int) -> SegmentName:
    """Return the name of the object in which `owner` keeps these events of a stream.

    Raises:
        ValueError: the owner's id can't stand in a path.
    """
    if not _WRITER.fullmatch(owner):
        raise ValueError(f"writer {owner!r}: not a name for a folder")
    return SegmentName(owner=owner, directory=directory, first=first, last=last, generation=generation)


def directory_of(stream: str, fork: str = "") -> str:
    """Return the directory of a stream's segments.

    Args:
        stream: the stream's name.
        fork: who keeps these events, where two copies of one store went on under one name: the id that
            the copy took afterwards. Its events of the stream lie in a directory of their own.
    """
    return sha256(f"{stream}\n{fork}".encode() if fork else stream.encode())[:_DIRECTORY_DIGITS]


def read_name(name: str) -> SegmentName | None:
    """Return what a name says; None for one that is none of ours, whatever it tries to be."""
    found = _NAME.fullmatch(name)
    if found is None or int(found["first"]) > int(found["last"]):
        return None
    return SegmentName(
        owner=found["owner"],
        directory=found["directory"],
        first=int(found["first"]),
        last=int(found["last"]),
        generation=int(found["generation"]),
    )
