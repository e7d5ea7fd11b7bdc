"""Events as they travel between machines: the header's very text with every hash checked beside it."""

from __future__ import annotations

from typing import NamedTuple

SealedPart = tuple[str, bytes | None, str | None]
"""A part's name, salt and text; both None where it is erased."""


class Sealed(NamedTuple):
    """One event of which every hash was checked: whoever gets one needn't hash again.

    `id` is the header's hash, each living part is what its digest in the header says, and `prev` is
    the id of the event before it. Parts stand in the header's order. A tuple, because a million of
    them go from process to process.
    """

    id: str
    header: str
    kind: str
    v: int
    stream: str
    seq: int
    prev: str
    lamport: int
    recorded_at: str
    about: tuple[str, ...]
    parts: tuple[SealedPart, ...]
