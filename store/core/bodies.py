"""An event's living parts as one text: JSON of them all, in which each part's own bytes stand on a line.

A canonical part holds no line break, so the text can be read as JSON in one go and also be taken apart again into the
very bytes that were hashed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

NONE = "{}"
"""The text where no part is alive."""


def joined(bodies: Mapping[str, str]) -> str:
    """Return canonical parts by name as one text, sorted by name.

    Raises:
        ValueError: a part holds a line break, so it is not canonical.
    """
    if any("\n" in body for body in bodies.values()):
        raise ValueError("a part holds a line break: it is not canonical JSON")
    return "{" + "\n,".join([f"{_quoted(name)}:{bodies[name]}" for name in sorted(bodies)]) + "}"


@lru_cache(maxsize=256)  # there are few names
def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def split(text: str) -> dict[str, str]:
    """Return the canonical parts that `joined` joined, by name in that order."""
    if text == NONE:
        return {}
    parts: dict[str, str] = {}
    for line in text[1:-1].split("\n,"):
        end = line.index('":', 1)
        name = line[1:end]
        if "\\" in name:
            name, end = json.JSONDecoder().raw_decode(line)
            parts[name] = line[end + 1 :]
        else:
            parts[name] = line[end + 2 :]
    return parts


def cut(salts: bytes, size: int) -> list[bytes]:
    """Return the salts of the living parts, in the parts' order, from all of them in one."""
    return [salts[start : start + size] for start in range(0, len(salts), size)]
