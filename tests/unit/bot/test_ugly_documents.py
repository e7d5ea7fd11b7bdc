"""Documents as they really come, half written, oddly encoded, out of order; and those of others, where at hand."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.slack.deliveries import Keep, News, Said, Self, Why, sort
from bot.sources.document import Documents, moment
from bot.sources.jira import plain
from bot.sources.listed import SOURCES
from store import WORKSPACE, Thread

PAYLOADS = Path(__file__).resolve().parents[4] / "shared" / "corpora" / "payloads"


def read(path: Path, source: str) -> tuple[list[Thread], list[str], list[str]]:
    """Return threads, problems and notices of what lies at a path."""
    with Documents(path, SOURCES[source], scope=WORKSPACE) as documents:
        return list(documents.threads()), documents.problems, documents.notices


@pytest.mark.parametrize(
    ("folder", "source"), [("claude_code", "claude-code"), ("notebooks", "jupyter"), ("zoom", "zoom")]
)
def test_each_real_document_is_read_or_refused_for_a_reason(folder: str, source: str) -> None:
    if not PAYLOADS.is_dir():
        pytest.skip("the shared corpora are not here")

    for file in sorted((PAYLOADS / folder).iterdir()):
        threads, problems, _ = read(file, source)
        assert threads or problems, file.name
        assert all(turn.text.strip() for thread in threads for turn in thread.turns)


def test_each_real_delivery_of_slack_is_kept_or_passed_over_for_a_reason() -> None:
    if not PAYLOADS.is_dir():
        pytest.skip("the shared corpora are not here")
    me = Self(team="T111", user="W111", bot="B111")
    bodies = [json.loads(each.read_text(encoding="utf-8")) for each in (PAYLOADS / "slack").glob("*.json")]
    lines = (PAYLOADS / "slack" / "slack_bolt_python_bodies.jsonl").read_text(encoding="utf-8").splitlines()
    bodies += [json.loads(line)["body"] for line in lines]

    found = [sort(body, me, str) for body in bodies if isinstance(body, dict)]

    assert all(isinstance(each, Keep | News | Said | Why) for each in found)
    assert sum(isinstance(each, Keep) for each in found) >= 10


def test_cues_out_of_order_and_over_one_another_are_read_by_their_times(tmp_path: Path) -> None:
    cues = ["00:00:09.000 --> 00:00:12.000\nAna: Then Postgres.", "00:00:01.000 --> 00:00:10.000\nBen: Elasticsearch?"]
    (tmp_path / "a.vtt").write_text("WEBVTT\n\n" + "\n\n".join(cues) + "\n", encoding="utf-8")

    (thread,), problems, _ = read(tmp_path, "zoom")

    assert [turn.author for turn in thread.turns] == ["Ben", "Ana"]
    assert problems == []


def test_an_old_notebook_with_megabytes_of_output_is_read_without_them(tmp_path: Path) -> None:
    output = {"output_type": "stream", "stream": "stdout", "text": ["x" * 1_000] * 3_000}
    code = {"cell_type": "code", "input": ["1 + 1"], "language": "python", "outputs": [output], "metadata": {}}
    words = {"cell_type": "markdown", "source": ["We stay on Postgres."], "metadata": {}}
    sheet = {"cells": [words, {**code, "collapsed": False}], "metadata": {}}
    book = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": "a"}, "worksheets": [sheet]}
    (tmp_path / "a.ipynb").write_text(json.dumps(book), encoding="utf-8")

    (thread,), problems, _ = read(tmp_path, "jupyter")

    assert thread.turns[0].text == "We stay on Postgres."
    assert sum(len(turn.text) for turn in thread.turns) < 10_000
    assert problems == []


def test_nodes_that_nobody_knows_yet_keep_their_words() -> None:
    inner = {"type": "paragraph", "content": [{"type": "text", "text": "We stay on Postgres."}]}
    odd = [{"type": "whiteboard", "content": [inner, 7, None]}, {"type": "hologram", "attrs": []}, {"content": "?"}]

    said = plain({"type": "doc", "version": 9, "content": odd})

    assert said == "We stay on Postgres."


def test_what_is_not_utf_8_is_read_as_latin_1_and_said(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes('{"text": "Zoë: es bleibt bei Müller"}'.encode("latin-1"))

    (thread,), problems, notices = read(tmp_path, "turns")

    assert thread.turns[0].text == "Zoë: es bleibt bei Müller"
    assert (problems, notices) == ([], ["a.jsonl: not UTF-8; read as Latin-1"])


@pytest.mark.parametrize(
    "day",
    [
        "2026-05-02T00:00:00Z",
        "2026-05-02",
        "Sat, 02 May 2026 02:00:00 +0200",
        "02-May-2026",
        "1777680000",
        1777680000000,
        "2026/05/02",
        "2.5.2026",
    ],
)
def test_a_day_is_read_however_it_is_written(day: object) -> None:
    assert moment(day) == datetime(2026, 5, 2, tzinfo=UTC)


def test_what_has_no_time_has_its_files(tmp_path: Path) -> None:
    (tmp_path / "2026-05-02.jsonl").write_text('{"text": "We stay on Postgres."}\n', encoding="utf-8")

    (thread,), _, _ = read(tmp_path, "turns")

    assert thread.turns[0].occurred_at.date() == datetime(2026, 5, 2, tzinfo=UTC).date()


def test_a_session_that_is_still_being_written_is_read_so_far_and_again_when_it_went_on(tmp_path: Path) -> None:
    said = {"type": "user", "sessionId": "s"}
    lines = [
        json.dumps({**said, "uuid": "1", "message": {"role": "user", "content": "Where do we keep search?"}}),
        json.dumps({**said, "uuid": "2", "parentUuid": "1", "message": {"content": "Then we stay on Postgres."}}),
    ]
    file = tmp_path / "session.jsonl"
    file.write_text(f"{lines[0]}\n{lines[1][:40]}", encoding="utf-8")

    (so_far,), problems, _ = read(tmp_path, "claude-code")
    file.write_text("\n".join(lines), encoding="utf-8")
    (whole,), later, _ = read(tmp_path, "claude-code")

    assert [len(so_far.turns), len(whole.turns)] == [1, 2]
    assert so_far.basis != whole.basis
    assert (problems, later) == ([], [])


def test_an_object_over_many_lines_is_one_document(tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text(json.dumps({"type": "event", "team": ["T1"]}, indent=2), encoding="utf-8")
    (tmp_path / "turn.json").write_text(json.dumps({"text": "We stay on Postgres."}, indent=2), encoding="utf-8")

    threads, problems, _ = read(tmp_path, "turns")

    assert [thread.place.anchor for thread in threads] == ["turn.json"]
    assert problems == ["event.json:1: not an object with a text"]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "We stay on Postgres."}\n', encoding="utf-8")
    (tmp_path / "round").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "b.jsonl").symlink_to(tmp_path / "c.jsonl")
    (tmp_path / "c.jsonl").symlink_to(tmp_path / "b.jsonl")

    threads, problems, _ = read(tmp_path, "turns")

    assert [thread.place.anchor for thread in threads] == ["a.jsonl"]
    assert problems == []
