"""Fields of JSON from outside, which may be absent or something else: read without raising."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def text_of(value: object, *path: str) -> str:
    """Return the string at the end of a path of names, "" where there is none; a number is written out."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, bool):
        return ""
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def objects_of(value: object, *path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of the list at the end of a path of names; what is none is passed over."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, Mapping))


def element_of(kind: str, name: str) -> tuple[str, ...]:
    """Return `kind:name` of a thing that somebody named, in lower case with hyphens; nothing where it has no name."""
    words = name.strip(" #`*\"'").casefold().replace(":", " ").replace("_", " ").split()
    return (f"{kind}:{'-'.join(words)}",) if words else ()
