"""Whether a change touches how a system is built, or only how it is written: pure, over the texts before and after.

Renames, formatting, comments, tests, docs and small fixes are no decisions, and nobody is stopped for them. What is:
modules that come or go, definitions that others will call, dependencies, schemas, infrastructure, and much code at
once. The thresholds err on the side of silence.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

NEW_MODULE_LINES = 12
"""Lines of code from which a new or removed source file is a module and no stub."""
SOME_DEFINITIONS, FEW_LINES = 2, 25
"""New definitions that are structure by themselves; lines of code with which one of them is."""
MANY_LINES, MANY_LINES_IN_ALL = 60, 120
"""Changed lines of code that are more than a fix: in one file, and in all of them."""
INFRA_LINES = 3
MOST_ALIGNED = 3_000
"""Lines of code that are aligned, which takes the square of them; of more it is counted which came and went."""
MOST_RENAMES = 5
"""Different names that one rename changes at most."""

_SOURCE = frozenset({
    ".c", ".cc", ".cpp", ".cs", ".ex", ".exs", ".go", ".h", ".hpp", ".java", ".js", ".jsx", ".kt", ".mjs", ".php",
    ".py", ".rb", ".rs", ".scala", ".svelte", ".swift", ".ts", ".tsx", ".vue",
})  # fmt: skip
_TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures|e2e|__snapshots__)/|(?:^|/)(?:test_[^/]+|conftest\.py)$"
    r"|[._-](?:test|tests|spec)\.[a-z]+$|(?:Test|Tests|Spec)\.(?:java|kt|cs|scala)$"
)
_PASSED_OVER = re.compile(
    r"(?:^|/)(?:docs?|node_modules|vendor|dist|build|\.git|\.github|\.backstory|\.claude|__generated__|generated)/"
    r"|\.(?:md|rst|txt|adoc|lock|sum|map|svg|png|jpe?g|gif|ico|pdf|snap)$|\.min\.[a-z]+$|_pb2(?:_grpc)?\.py$|\.pb\.go$"
    r"|(?:^|/)(?:LICENSE|NOTICE|CODEOWNERS|package-lock\.json|pnpm-lock\.yaml|\.gitignore|\.editorconfig)[^/]*$"
)
_SCHEMA = re.compile(
    r"(?:^|/)migrations?/|\.(?:sql|prisma|proto|graphql|avsc)$|(?:^|/)(?:openapi|swagger)[^/]*\.(?:ya?ml|json)$"
)
_INFRA = re.compile(
    r"(?:^|/)(?:Dockerfile|docker-compose|compose)[^/]*$|\.(?:tf|hcl)$|(?:^|/)(?:k8s|helm|charts)/|(?:^|/)Procfile$"
)
_DEFINITION = re.compile(
    r"""(?mx)^[ \t]*
    (?:(?:export|default|public|protected|internal|static|abstract|final|async|open|sealed|data|pub(?:\([a-z]+\))?)
       [ \t]+)*
    (?: (?:class|interface|struct|enum|trait|def|fn|func|function|type|record|object|module)[ \t]+(?:\([^)\n]*\)[ \t]*)?
      | (?:const|let)[ \t]+(?=\w+[ \t]*=[ \t]*(?:async[ \t]*)?(?:\(|function|\w+[ \t]*=>)) )
    (?P<name>[A-Za-z]\w*)"""
)
_COMMENT = re.compile(r"^[ \t]*(?:#|//|/\*|\*|--|\"\"\"|''')")
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\"[^\"\n]*\"|'[^'\n]*'|[^\w\s]")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file before and after; None where it wasn't there. `old_path` differs where it was moved."""

    path: str
    before: str | None
    after: str | None
    old_path: str = ""


def structural(changes: Iterable[FileChange]) -> tuple[str, ...]:
    """Return what of a change is structure, a line each, in the order given; nothing where it is only wording."""
    found: list[str] = []
    lines = 0
    for change in changes:
        if not is_built(change.path):
            continue
        if what := _what(change):
            found.append(f"{change.path}: {what}")
        elif _is_source(change.path):
            lines += _code_changed(change)
    if not found and lines >= MANY_LINES_IN_ALL:
        found.append(f"{lines} lines of code in all")
    return tuple(found)


def is_built(path: str) -> bool:
    """Say whether a file is part of what is built: no test, no document, nothing that a tool wrote."""
    return _is_manifest(path) or not (_TEST.search(path) or _PASSED_OVER.search(path))


def _what(change: FileChange) -> str:
    path, before, after = change.path, change.before, change.after
    if _is_manifest(path):
        return _dependencies_changed(path, before or "", after or "")
    if _SCHEMA.search(path):
        return "a schema" if _words(before or "") != _words(after or "") else ""
    if _INFRA.search(path):
        return "infrastructure" if _lines_changed(before or "", after or "") >= INFRA_LINES else ""
    return _source_changed(before, after) if _is_source(path) else ""


def _source_changed(before: str | None, after: str | None) -> str:
    if before is None or after is None:
        code = len(_code(after or before or ""))
        return ("a new module" if before is None else "a module removed") if code >= NEW_MODULE_LINES else ""
    if _words(before) == _words(after) or _is_rename(before, after):
        return ""
    fresh = sorted(_definitions(after) - _definitions(before))
    lines = _lines_changed(before, after)
    if len(fresh) >= SOME_DEFINITIONS or (fresh and lines >= FEW_LINES):
        return f"defines {', '.join(fresh[:3])}"
    return f"{lines} lines of code" if lines >= MANY_LINES else ""


def _is_source(path: str) -> bool:
    return path[path.rfind(".") :] in _SOURCE


def _code_changed(change: FileChange) -> int:
    before, after = change.before or "", change.after or ""
    return 0 if _words(before) == _words(after) or _is_rename(before, after) else _lines_changed(before, after)


def _code(text: str) -> list[str]:
    """Return the lines that are code: neither empty nor comment, their inner spaces evened out."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip() and not _COMMENT.match(line)]


def _words(text: str) -> list[str]:
    """Return the tokens of the code without what formatters change: spaces, quotes, commas at ends."""
    tokens = [token for line in _code(text) for token in _TOKEN.findall(line)]
    plain = [f'"{token[1:-1]}"' if token[0] in "\"'" and len(token) > 1 else token for token in tokens]
    pairs = zip(plain, (*plain[1:], "."), strict=False)
    return [sign for sign, after in pairs if sign != ";" and not (sign == "," and after in ")]}")]


def _lines_changed(before: str, after: str) -> int:
    """Return how many lines of code were added or removed, whichever is more."""
    old, new = _code(before), _code(after)
    if max(len(old), len(new)) > MOST_ALIGNED:
        mine, theirs = Counter(old), Counter(new)
        return max((mine - theirs).total(), (theirs - mine).total())
    added = removed = 0
    for what, one, two, three, four in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what != "equal":
            removed, added = removed + two - one, added + four - three
    return max(added, removed)


def _is_rename(before: str, after: str) -> bool:
    """Say whether the two differ in names alone, each old one always in the same new one."""
    mine, theirs = _words(before), _words(after)
    if len(mine) != len(theirs):
        return False
    names: dict[str, str] = {}
    for one, two in zip(mine, theirs, strict=True):
        if one != two and not (_NAME.fullmatch(one) and _NAME.fullmatch(two) and names.setdefault(one, two) == two):
            return False
    return len(names) <= MOST_RENAMES and len(set(names.values())) == len(names)


def _definitions(text: str) -> set[str]:
    return {match["name"] for match in _DEFINITION.finditer(text)}


# --- dependencies -----------------------------------------------------------------------------

_REQUIREMENT = re.compile(r"^[ \t]*(?P<name>[A-Za-z][\w.-]*)", re.MULTILINE)
_GO = re.compile(r"^[ \t]*(?:require[ \t]+)?(?P<name>[\w.-]+\.[a-z]+/[\w./-]+)[ \t]+v\d", re.MULTILINE)
_GEM = re.compile(r"^[ \t]*gem[ \t]+['\"](?P<name>[^'\"]+)", re.MULTILINE)
_MAVEN = re.compile(
    r"<artifactId>(?P<name>[^<]+)<|(?:implementation|api)[ (]+['\"](?P<gradle>[^'\"]+?)(?::[\d.]+)?['\"]"
)


def _is_manifest(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in _READERS or re.fullmatch(r"requirements[\w.-]*\.txt", name) is not None


def _dependencies_changed(path: str, before: str, after: str) -> str:
    name = path.rpartition("/")[2]
    read = _READERS.get(name, _by_line)
    try:
        old, new = set(read(before)), set(read(after))
    except (ValueError, TypeError, AttributeError):
        return ""
    if fresh := sorted(new - old):
        return f"depends on {', '.join(fresh[:3])}"
    return f"no longer depends on {', '.join(sorted(old - new)[:3])}" if old - new else ""


def _by_line(text: str) -> Iterator[str]:
    yield from (match["name"].lower() for match in _REQUIREMENT.finditer(text))


def _pyproject(text: str) -> Iterator[str]:
    found = tomllib.loads(text)
    project = found.get("project", {})
    for listed in (project.get("dependencies", ()), *project.get("optional-dependencies", {}).values()):
        yield from (name for each in listed for name in _by_line(str(each)))
    yield from found.get("tool", {}).get("poetry", {}).get("dependencies", {})


def _cargo(text: str) -> Iterator[str]:
    yield from tomllib.loads(text).get("dependencies", {})


def _package(text: str) -> Iterator[str]:
    yield from json.loads(text or "{}").get("dependencies", {})


def _go(text: str) -> Iterator[str]:
    yield from (match["name"] for match in _GO.finditer(text))


def _gems(text: str) -> Iterator[str]:
    yield from (match["name"] for match in _GEM.finditer(text))


def _maven(text: str) -> Iterator[str]:
    yield from (match["name"] or match["gradle"] for match in _MAVEN.finditer(text))


_READERS = {
    "pyproject.toml": _pyproject,
    "Cargo.toml": _cargo,
    "package.json": _package,
    "go.mod": _go,
    "Gemfile": _gems,
    "pom.xml": _maven,
    "build.gradle": _maven,
    "build.gradle.kts": _maven,
}
"""How each manifest names what it needs at run time; what only developers need is no structure."""


def told(found: Sequence[str], *, most: int = 3) -> str:
    """Return what is structure as one phrase."""
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return "; ".join(found[:most]) + more
