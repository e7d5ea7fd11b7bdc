"""Documents that were written to hang whoever reads them: a page of signs must not cost minutes, or gigabytes."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import UnreadableDocument
from bot.sources import adr, adr_form
from bot.sources.claude_code import ClaudeCodeSource
from bot.sources.document import Documents, Source, moment
from bot.sources.jira import JiraSource
from bot.sources.jupyter import JupyterSource
from bot.sources.turns import TurnsSource
from bot.structure import FileChange, structural
from store import WORKSPACE, Turn

MANY = 20_000
MOST_S = 2.0
"""Of the processor; each took minutes before it was bounded, and takes a tenth of a second."""
BOMB = "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

EVIL: dict[str, Callable[[], object]] = {
    "a header that ends in spaces": lambda: adr.header_of(f"Status: x\n{' ' * MANY}"),
    "spaces within a heading": lambda: list(adr.sections(f"# a{' ' * MANY}b")),
    "a link that opens and opens": lambda: adr_form._plain("[" * MANY),
    "an option quoted without an end": lambda: adr_form._CHOSEN.search("chosen option: “" * MANY),
    "front matter that unfolds": lambda: adr.header_of(f"---\na: &a [x, x]\n{BOMB}---\n"),
    "definitions without an end": lambda: structural([FileChange(path="a.go", before="", after="func (\n" * MANY)]),
    "many lines alike": lambda: structural([FileChange(path="a.py", before="x = 1\n" * MANY, after="x = 2\n" * MANY)]),
}


@pytest.mark.parametrize("read", EVIL.values(), ids=EVIL.keys())
def test_an_evil_document_costs_no_more_than_its_length(read: Callable[[], object]) -> None:
    began = time.process_time()

    read()

    assert time.process_time() - began < MOST_S


@pytest.mark.parametrize("value", ["2026-13-45", "&a [*a]", "[" * 3_000])
def test_front_matter_that_no_reader_takes_is_read_field_by_field(value: str) -> None:
    fields, _, _ = adr.header_of(f"---\nstatus: accepted\nodd: {value}\n---\n# 1. Title\n")

    assert fields["status"] == "accepted"


@pytest.mark.parametrize("day", ["0001-01-01T00:00:00+14:00", "9999-12-31"])
def test_a_time_at_the_end_of_the_calendar_is_none(day: str) -> None:
    assert moment(day) is None


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (TurnsSource(), '{"id": "1", "text": "Postgres\u2028it is"}'),
        (ClaudeCodeSource(), '{"type": "user", "uuid": "1", "message": {"content": "Postgres\u2028it is"}}'),
    ],
    ids=["turns", "claude-code"],
)
def test_a_sign_that_ends_lines_elsewhere_ends_no_json_line(source: Source, line: str) -> None:
    said = list(source.turns(f"{line}\r\n", origin="a.jsonl", dated=datetime(2026, 5, 2, tzinfo=UTC)))

    assert [each.text for each in said if isinstance(each, Turn)] == ["Postgres\u2028it is"]
    assert len(said) == 1


def test_a_document_nested_too_deeply_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    deep = '{"type": "paragraph", "content": [' * 480 + "]}" * 480
    fields = '{"key": "%s", "fields": {"summary": "Search", "description": %s}}'
    (tmp_path / "a.json").write_text(fields % ("PAY-1", deep), encoding="utf-8")
    (tmp_path / "b.json").write_text(fields % ("PAY-2", '"Postgres"'), encoding="utf-8")

    def read(frames: int) -> list[str]:
        if frames:
            return read(frames - 1)
        with Documents(tmp_path, JiraSource(), scope=WORKSPACE) as documents:
            found = [each.place.anchor for each in documents.threads()]
            return [*found, *documents.problems]

    assert read(300)[-2:] == ["PAY-2", "a.json: nested too deeply"]


@pytest.mark.parametrize("odd", [{"metadata": {"authors": 1}}, {"cells": [{"source": "x"}, 1]}, {"cells": None}, {}])
def test_a_notebook_with_odd_parts_is_read_as_far_as_it_goes_or_refused(odd: dict[str, object]) -> None:
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [], **odd}

    with suppress(UnreadableDocument):
        list(JupyterSource().turns(json.dumps(book), origin="a.ipynb", dated=datetime(2026, 5, 2, tzinfo=UTC)))
