"""SQLite's whole numbers of one to nine bytes, as FTS5 keeps its counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def read(data: bytes) -> tuple[int, ...]:
    """Return the numbers that follow each other in the bytes."""
    return tuple(_read(data))


def _read(data: Iterable[int]) -> Iterator[int]:
    value = place = 0
    for byte in data:
        place += 1
        if place == 9:
            yield value << 8 | byte
            value = place = 0
            continue
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            yield value
            value = place = 0


def written(numbers: Iterable[int]) -> bytes:
    """Return numbers below 2^56 as bytes, one after the other."""
    return b"".join(map(_written, numbers))


def _written(number: int) -> bytes:
    found = [number & 0x7F]
    while number := number >> 7:
        found.append(number & 0x7F | 0x80)
    return bytes(reversed(found))
