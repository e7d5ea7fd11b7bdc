"""Decision records in Markdown: MADR, Nygard's form, PEP-like headers, and front matter in YAML.

One file is one thread; each section is a turn, whose heading stands before its text. What the header says (status,
date, deciders, what it supersedes) stands in the first turn as the record has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import yaml
from markdown_it import MarkdownIt

from bot.sources import adr_form
from bot.sources.document import Stated, Unread, moment
from store import Thread, Turn, TurnId, Vocabulary

_FRONT = re.compile(r"---[ \t]*\n(?P<fields>.*?\n|)(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_HEADER = re.compile(r"(?:[A-Z][A-Za-z-]{1,20}:[ \t].*(?:\n[ \t].*)*\n)+")
_FIELD = re.compile(r"(?P<name>[A-Za-z][\w -]{0,30}):[ \t]*(?P<value>.*(?:\n[ \t].*)*)", re.MULTILINE)
_NUMBER = re.compile(r"(?<!\d)0*(?P<number>\d{1,5})(?!\d)")
_ALIAS = re.compile(r"(?:^|[\s\[,{:])\*[\w-]", re.MULTILINE)
_DATES = ("date", "decided", "created", "last-modified")
_PEOPLE = ("deciders", "decision-makers", "decided-by", "author", "authors")


class AdrSource:
    """Decision records, one a file."""

    name = "adr"
    suffixes = (".md", ".markdown", ".rst")
    vocabulary = Vocabulary(
        decided=("accepted", "decision outcome", "decision", "we will", "chosen option", "we use"),
        superseded=("supersedes", "superseded by", "replaces", "amends"),
        rejected=("rejected", "considered and dropped", "deprecated", "not chosen"),
    )

    def turns(self, document: str, *, origin: str, dated: datetime) -> Iterator[Turn | Unread]:
        """Yield the header as the first turn, then one turn a section."""
        fields, body, problem = header_of(document)
        if problem:
            yield Unread(where=origin, rule=problem)
        at = next((found for name in _DATES if (found := moment(fields.get(name)))), dated)
        people = next((fields[name] for name in _PEOPLE if fields.get(name)), "")
        head = "\n".join(f"{name}: {value}" for name, value in fields.items())
        for number, (line, text) in enumerate(((1, head), *sections(body))):
            yield Turn(
                turn_id=TurnId(f"{origin}#L{line}" if number else f"{origin}#header"),
                thread_id=origin,
                author=people,
                occurred_at=at + timedelta(seconds=number),
                text=text,
                permalink=f"{origin}#L{line}",
            )

    def stated(self, thread: Thread) -> Stated | None:
        """Return what the record states by its form."""
        head = thread.turns[0]
        fields = _plain_fields(head.text) if head.turn_id.endswith("#header") else {}
        return adr_form.stated(thread, fields, ref=thread.place.ref)

    def ref(self, thread_id: str) -> str:
        """A record is called by its number: `adr:0007`."""
        return ref_of(thread_id)


def ref_of(origin: str) -> str:
    """Return `adr:0007` of a record's path; its path where that has no number."""
    found = _NUMBER.search(origin.rpartition("/")[2])
    return f"adr:{int(found['number']):04}" if found else origin


def header_of(document: str) -> tuple[dict[str, str], str, str]:
    """Return a record's header by lower-case name, the text below it, and what of it could not be read.

    The text keeps its line numbers: a header's lines are left empty in it.
    """
    text = document.lstrip("\ufeff")
    if front := _FRONT.match(text):
        return _front(front["fields"]), _below(text, front.end()), ""
    if text.startswith("---"):
        return {}, text, "its front matter has no end"
    if match := _HEADER.match(text):
        return _plain_fields(match[0]), _below(text, match.end()), ""
    return {}, text, ""


def _front(text: str) -> dict[str, str]:
    """Read front matter as YAML; records often hold Markdown links there, which are none: then field by field.

    So is what names a part to repeat it: ten lines of that unfold to gigabytes.
    """
    if "&" in text and _ALIAS.search(text):
        return _plain_fields(text)
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return _plain_fields(text)
    return {str(name).lower(): _written(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _plain_fields(text: str) -> dict[str, str]:
    return {each["name"].lower(): " ".join(each["value"].split()) for each in _FIELD.finditer(text)}


def _written(value: object) -> str:
    return ", ".join(map(_written, value)) if isinstance(value, list) else "" if value is None else str(value)


def _below(text: str, start: int) -> str:
    return "\n" * text[:start].count("\n") + text[start:]


def sections(body: str) -> Iterator[tuple[int, str]]:
    """Yield (line of its heading, heading and text) of each section of a Markdown text, in order."""
    lines = body.split("\n")
    starts = [
        token.map[0] for token in MarkdownIt().parse(body) if token.type == "heading_open" and token.map is not None
    ]
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        if text := "\n".join(lines[start:end]).strip():
            yield start + 1, text
