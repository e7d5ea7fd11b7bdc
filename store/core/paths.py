"""Which files a glob claims: elements name theirs by the property `paths`, and a file's path finds them.

A value holds one glob or several, parted by commas or line breaks; each is read from the repository's root:

- `*` is any run of characters within one name, `?` any one, `{a,b}` either; brackets and all else mean themselves;
- `**` as a whole name is any number of folders, none included;
- a glob without any of these, and one that ends in `/`, names a folder with all that is in it (or one file).

Globs and paths are compared as written on any system: `\\` is `/`, a leading `/` or `./` says nothing, and one
case, one Unicode form. Nothing here looks at a disk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

PATHS = "paths"
"""The property by which an element claims files."""

MOST_GLOBS = 200
"""Globs of one value, alternatives in braces counted each: more are no claim that anybody wrote by hand."""

MOST_CHARS, MOST_NAME_CHARS, MOST_NAMES = 10_000, 255, 64
"""Of a value, of one name in it (as file systems have it) and names in a glob: what is longer claims nothing, so that
no text makes a look-up slow."""

_ANY_FOLDERS = "**"
_WILD = re.compile(r"[*?]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")

_IN_PATHS = re.compile(r"[/\\.]")

Specificity = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Glob:
    """One glob, ready to be compared; `names` are its parts between slashes."""

    names: tuple[str, ...]

    @property
    def text(self) -> str:
        """The one spelling of this glob."""
        return "/".join(self.names)

    @property
    def prefix(self) -> str:
        """The folders (or the file) before the first wildcard: every path that it claims begins with them."""
        literal = next((n for n, name in enumerate(self.names) if _WILD.search(name)), len(self.names))
        return "/".join(self.names[:literal])

    @property
    def specificity(self) -> Specificity:
        """What sorts globs, the greater the more specific.

        Name by name from the root: a plain name says more than one with wildcards (the more of its characters stand
        there, the more it says), that more than `**`, and a longer glob more than its beginning.
        """
        return tuple(
            (2, 0) if not _WILD.search(name) else (0, 0) if name == _ANY_FOLDERS else (1, len(_WILD.sub("", name)))
            for name in self.names
        )

    def claims(self, path: str) -> bool:
        """Say whether a path, as `located` spells it, is claimed."""
        names = path.split("/") if path else []
        return _alike(self.names, names)


def may_be_path(text: str) -> bool:
    """Say whether a text that names no element may name a file: it has a `/` or a dot, and no kind before a colon."""
    kind, colon, _ = text.strip().partition(":")
    return bool(_IN_PATHS.search(text)) and (not colon or len(kind) == 1)  # one letter is a drive of Windows


def located(path: str) -> str:
    """Return a path as it is compared: from the root, `/` between names, no `.` or `..`; "" for the root itself."""
    return "/".join(_names(path[:MOST_CHARS]))


def beginnings(path: str) -> tuple[str, ...]:
    """Return every folder above a path as `located` spells it, the root first, and the path itself."""
    names = path.split("/") if path else []
    return tuple("/".join(names[:length]) for length in range(len(names) + 1))


def globs_of(value: str) -> tuple[Glob, ...]:
    """Return the globs in the value of a property `paths`, each once, in their order, `MOST_GLOBS` at most."""
    written = [each for one in _parted(value[:MOST_CHARS]) for each in _alternatives(one)]
    return tuple(dict.fromkeys(glob for each in written[:MOST_GLOBS] if (glob := _glob(each)) is not None))


def glob_of(text: str) -> Glob:
    """Return the glob of which this is the one spelling."""
    return Glob(names=tuple(text.split("/")))


def claim_rule(value: str) -> str:
    """Return which rule the value of a property `paths` breaks; "" where it breaks none."""
    if len(value) > MOST_CHARS:
        return f"longer than {MOST_CHARS:,} characters"
    written = [each for one in _parted(value) for each in _alternatives(one)]
    if not written:
        return "names no path"
    if len(written) > MOST_GLOBS:
        return f"more than {MOST_GLOBS} globs"
    for each in written:
        if each.startswith("!"):
            return f"{each[:40]!r} leaves files out; a claim names what it claims"
        if _glob(each) is None:
            return f"{each[:40]!r} names no path"
    return ""


def _glob(written: str) -> Glob | None:
    names = _names(written)
    if not names or len(names) > MOST_NAMES or any(len(name) > MOST_NAME_CHARS for name in names):
        return None
    whole = written.rstrip().endswith(("/", "\\")) or not any(map(_WILD.search, names))
    if whole and names[-1] != _ANY_FOLDERS:
        names = [*names, _ANY_FOLDERS]
    folded = [name for n, name in enumerate(names) if name != _ANY_FOLDERS or names[n - 1 : n] != [_ANY_FOLDERS]]
    return Glob(names=tuple(folded))


def _names(path: str) -> list[str]:
    names: list[str] = []
    for name in unicodedata.normalize("NFC", path.strip()).replace("\\", "/").casefold().split("/"):
        if name == "..":
            del names[-1:]
        elif name not in ("", "."):
            names.append(name)
    return names


def _parted(value: str) -> Iterator[str]:
    """Yield what stands between commas and line breaks; a comma within braces parts alternatives."""
    for line in value.splitlines():
        depth, start = 0, 0
        for place, char in enumerate(f"{line},"):
            if char == "{" and "}" in line[place:]:
                depth += 1
            elif char == "}":
                depth = max(0, depth - 1)
            elif char == "," and (not depth or place == len(line)):
                if each := line[start:place].strip():
                    yield each
                start = place + 1


def _alternatives(written: str) -> list[str]:
    """Return a glob for each alternative in its braces, innermost first; what is beyond `MOST_GLOBS` stays unread."""
    done: list[str] = []
    left = [written]
    while left and len(done) + len(left) <= MOST_GLOBS:
        each = left.pop(0)
        match = _BRACES.search(each)
        if match is None:
            done.append(each)
        else:
            before, after = each[: match.start()], each[match.end() :]
            left[:0] = [f"{before}{one.strip()}{after}" for one in match[1].split(",")]
    return done + left


def _alike(pattern: Sequence[str], names: Sequence[str]) -> bool:
    """Whether names match a pattern in which `**` is any run of them: the last `**` alone is ever gone back to."""
    at = here = 0
    again, tried = -1, 0
    while here < len(names):
        if at < len(pattern) and pattern[at] == _ANY_FOLDERS:
            again, tried = at, here
            at += 1
        elif at < len(pattern) and _same_name(pattern[at], names[here]):
            at, here = at + 1, here + 1
        elif again >= 0:
            tried += 1
            at, here = again + 1, tried
        else:
            return False
    return all(name == _ANY_FOLDERS for name in pattern[at:])


def _same_name(pattern: str, name: str) -> bool:
    """Whether one name matches a pattern of `*` and `?`; as `_alike`, so that no pattern takes long."""
    at = here = 0
    again, tried = -1, 0
    while here < len(name):
        if at < len(pattern) and pattern[at] == "*":
            again, tried = at, here
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", name[here]):
            at, here = at + 1, here + 1
        elif again >= 0:
            tried += 1
            at, here = again + 1, tried
        else:
            return False
    return not pattern[at:].strip("*")
